"""Let the engine misbehave in every way, and look for what a failure leaves behind or gives away."""

from __future__ import annotations

import asyncio
import gc
import json
import logging
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest

from cogs.websearch import errors
from cogs.websearch.models import SearchRequest
from engine_tools import FakeTime, open_exa
from loopback_exa import Call, LoopbackExa, faults

if TYPE_CHECKING:
    from collections.abc import Callable

    from cogs.websearch.backends.exa import ExaSearcher

QUERY = "Wo wächst der Ingwer am besten?"
REQUEST = SearchRequest(query=QUERY, count=3)
URL = "https://docs.example.org/good"


def echoed(call: Call) -> str:
    """Say the key and the query in as many ways as fit."""
    query = str(call.json["query"])
    ways = (call.key, call.key.upper(), call.key[:20], call.key[18:], query, quote(query), json.dumps(query))
    return " / ".join(ways)


async def redirect_with_secrets(call: Call) -> Any:  # noqa: ANN401 - what a fault returns is aiohttp's affair
    """Send the client to an address that holds the key and the query."""
    return await faults.redirect(f"https://example.org/?key={call.key}&q={quote(QUERY)}")(call)


async def gibberish_with_secrets(call: Call) -> Any:  # noqa: ANN401 - as above
    """Answer with something that is no HTTP and holds the key."""
    transport = call.request.transport
    assert isinstance(transport, asyncio.Transport)
    transport.write(f"{call.key} {QUERY} is no HTTP\r\n\r\n".encode())
    transport.close()
    return await faults.answer()(call)


# Each fault of a kind: what the searcher raises, or None where it finds the good row.
FAULTS: dict[str, tuple[faults.Fault, type[errors.BackendError] | None]] = {
    "empty": (faults.answer(b""), errors.InvalidAnswer),
    "no content": (faults.answer(b"", 204), errors.InvalidAnswer),
    "null": (faults.answer(None), errors.InvalidAnswer),
    "list": (faults.answer([]), errors.InvalidAnswer),
    "number": (faults.answer(7), errors.InvalidAnswer),
    "truncated": (faults.answer(b'{"results": [{"url": "https://example.org"'), errors.InvalidAnswer),
    "HTML with 200": (faults.html(), errors.InvalidAnswer),
    "HTML with 502": (faults.html(502), errors.BackendBroken),
    "not UTF-8": (faults.answer(b'{"results": ["\xff"]}'), errors.InvalidAnswer),
    "NaN": (faults.answer(b'{"results": [], "costDollars": {"total": NaN}}'), errors.InvalidAnswer),
    "deep": (faults.answer(b"[" * 100_000 + b"]" * 100_000), errors.InvalidAnswer),
    "results no list": (faults.answer({"results": {"0": {}}}), errors.InvalidAnswer),
    "error with 200": (faults.answer(faults.error_body("Refused", "INTERNAL_ERROR")), errors.InvalidAnswer),
    "bad rows": (faults.rows(None, 7, [], {"url": 5}, {"url": "no"}, {"url": URL, "title": "Good"}), None),
    "bad fields": (faults.rows({"url": URL, "title": "Good", "publishedDate": 9, "highlights": "x", "text": {}}), None),
    "bad cost": (faults.rows({"url": URL, "title": "Good"}, costDollars={"total": -1}), None),
    "huge cost": (
        faults.answer(b'{"results": [{"url": "' + URL.encode() + b'", "title": "Good"}], "costDollars": 1e999}'),
        None,
    ),
    "too large": (faults.answer(b" " * (4 * 1024 * 1024 + 1)), errors.AnswerTooLarge),
    "bomb": (faults.bomb(20), errors.AnswerTooLarge),
    "no gzip": (faults.zipped(b"nothing of the kind"), errors.InvalidAnswer),
    "drip": (faults.drip, errors.BackendTimeout),
    "hang": (faults.hang, errors.BackendTimeout),
    "hang midway": (faults.hang_midway, errors.BackendTimeout),
    "reset": (faults.reset, errors.BackendUnreachable),
    "reset midway": (faults.reset_midway, errors.BackendUnreachable),
    "hang-up": (faults.hang_up, errors.BackendUnreachable),
    "cut short": (faults.cut_short, errors.BackendUnreachable),
    "no HTTP": (gibberish_with_secrets, errors.InvalidAnswer),
    "redirect": (redirect_with_secrets, errors.UnexpectedRedirect),
    "400": (faults.echo(echoed, 400, "INVALID_REQUEST_BODY"), errors.RequestRejected),
    "401": (faults.echo(echoed), errors.KeyRefused),
    "401, cut": (faults.echo(lambda call: f"{'x' * 160}{call.key}"), errors.KeyRefused),
    "402": (faults.echo(echoed, 402, "NO_MORE_CREDITS"), errors.CreditsExhausted),
    "403": (faults.echo(echoed, 403, "FEATURE_DISABLED"), errors.FeatureDisabled),
    "403, prohibited": (faults.echo(echoed, 403, "PROHIBITED_CONTENT"), errors.ContentProhibited),
    "404": (faults.echo(echoed, 404, "NOT_FOUND"), errors.EndpointMissing),
    "429": (faults.echo(echoed, 429, "RATE_LIMIT_EXCEEDED"), errors.RateLimited),
    "429 without a tag": (faults.error(429, message="You are too fast"), errors.RateLimited),
    "500": (faults.echo(echoed, 500, "DEFAULT_ERROR"), errors.BackendBroken),
    "501": (faults.echo(echoed, 501, "UNABLE_TO_GENERATE_RESPONSE"), errors.BackendUnable),
    "503": (faults.echo(echoed, 503, "SERVICE_OVERLOADED"), errors.BackendOverloaded),
    "504": (faults.echo(echoed, 504, ""), errors.BackendTimeout),
    "418": (faults.echo(echoed, 418, "TEAPOT"), errors.BackendBroken),
}


async def outcome(searcher: ExaSearcher) -> errors.BackendError | str:
    """Search, and return the error or the title of the first result."""
    try:
        return (await searcher.search(REQUEST)).results[0].title
    except errors.BackendError as error:
        return error


def everything(error: BaseException | None) -> str:
    """Write down all that an error holds and all that hangs on it."""
    if error is None:
        return ""
    held = (str(error), repr(error), repr(error.args), repr(vars(error)), *traceback.format_exception(error))
    return "\n".join((*held, everything(error.__cause__), everything(error.__context__)))


def given_away(text: str, key: str) -> list[str]:
    """List the parts of key and query that stand in a text: pieces of six of the key, words of the query."""
    folded = text.lower()
    pieces = {key[start : start + 6] for start in range(len(key) - 5)}
    words = {QUERY.lower(), "ingwer", "wächst", "w%c3%a4chst", "w\\u00e4chst"}
    return [part for part in pieces | words if part in folded]


@pytest.mark.parametrize("name", FAULTS)
async def test_fault(name: str, exa: LoopbackExa, fake_time: FakeTime, caplog: pytest.LogCaptureFixture) -> None:
    """HTTP-08, HTTP-10, HTTP-12, EXA-06, EXA-09: a fault has its own error, gives nothing away, and passes."""
    caplog.set_level(logging.DEBUG)
    fault, kind = FAULTS[name]
    searcher = open_exa(exa, fake_time, timeout_s=0.5 if kind is errors.BackendTimeout else 15)
    exa.fail(always=fault)
    found = await outcome(searcher)
    if isinstance(found, errors.BackendError):
        assert type(found) is kind
        assert given_away(everything(found), exa.key) == []
        assert found.__context__ is None
    else:
        assert (found, kind) == ("Good", None)
    exa.recover()
    assert isinstance(await outcome(searcher), str)
    await searcher.close()
    assert given_away(caplog.text, exa.key) == []


@pytest.mark.parametrize("where", ["tag", "body"])
async def test_echo_elsewhere(exa: LoopbackExa, searcher: ExaSearcher, where: str) -> None:
    """HTTP-08: a key that comes back as a tag, or in the place of an answer, is redacted as well."""

    async def act(call: Call) -> Any:  # noqa: ANN401 - as above
        if where == "tag":
            return await faults.answer(faults.error_body("Refused", call.key), 401)(call)
        return await faults.html(text=f"<p>Hello {call.key}</p>")(call)

    exa.fail(always=act)
    error = await outcome(searcher)
    assert isinstance(error, errors.KeyRefused if where == "tag" else errors.InvalidAnswer)
    assert given_away(everything(error), exa.key) == []


@pytest.mark.parametrize(
    ("fault", "cost"),
    [
        (faults.answer({"results": None, "costDollars": {"total": 0.012}}), 0.012),
        (faults.answer({"costDollars": {"total": 12}}), None),
        (faults.answer([]), None),
        (faults.html(), None),
    ],
)
async def test_what_an_unusable_answer_costs(
    exa: LoopbackExa, searcher: ExaSearcher, fault: faults.Fault, cost: float | None
) -> None:
    """EXA-14: what can't be used may be billed all the same, at the cost that it names if that can be one."""
    exa.fail(always=fault)
    error = await outcome(searcher)
    assert isinstance(error, errors.InvalidAnswer)
    assert (error.billed, error.cost) == (True, cost)


async def test_a_refusal_costs_nothing(exa: LoopbackExa, searcher: ExaSearcher) -> None:
    """EXA-14: an error status bills nothing, whatever its body says, and a redirect doesn't either."""
    exa.fail(faults.answer({"error": "no", "costDollars": {"total": 0.01}}, 403), faults.redirect("https://a.example/"))
    for _ in range(2):
        error = await outcome(searcher)
        assert isinstance(error, errors.FeatureDisabled | errors.UnexpectedRedirect)
        assert (error.billed, error.cost) == (False, None)


def descriptors() -> int:
    """Count the open file descriptors of this process."""
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


async def settled(count: Callable[[], int], most: int) -> int:
    """Give the event loop some turns to close what is closing, and count again."""
    for _ in range(100):
        if count() <= most:
            break
        await asyncio.sleep(0)
    return count()


async def test_nothing_is_left(fake_time: FakeTime) -> None:
    """HTTP-12: after every fault, twice over, tasks and file descriptors are as many as before."""
    async with LoopbackExa():
        pass
    before = descriptors()
    tasks = len(asyncio.all_tasks())
    async with LoopbackExa() as exa:
        searcher = open_exa(exa, fake_time, timeout_s=0.1)
        for fault, _ in (*FAULTS.values(), *FAULTS.values()):
            exa.fail(always=fault)
            await outcome(searcher)
        await searcher.close()
    gc.collect()
    assert await settled(descriptors, before) == before
    assert await settled(lambda: len(asyncio.all_tasks()), tasks) == tasks


async def test_many_at_once(exa: LoopbackExa, fake_time: FakeTime) -> None:
    """HTTP-12: of many searches at once that meet all faults in turn, each ends in a row or an error."""
    searcher = open_exa(exa, fake_time, timeout_s=1)
    exa.fail(*(fault for fault, _ in FAULTS.values()))
    found = await asyncio.gather(*(outcome(searcher) for _ in range(60)))
    assert len(found) == 60
    assert isinstance(await outcome(searcher), str)
    await searcher.close()
