"""Let every engine refuse as its reference says, and ask to wait in every form there is."""

from __future__ import annotations

import itertools
from email.utils import formatdate
from typing import TYPE_CHECKING, Final

import pytest

from cogs.websearch import errors, limits
from cogs.websearch.backends import http
from cogs.websearch.models import SearchPage
from contract import troubles
from contract.checks import outcome, said
from contract.shape import Engine, Refusal, Way
from contract.stage import LONG_S, QUERY, staged
from contract.suite import CASES
from contract.troubles import TRIES
from engine_tools import NOW
from loopback_engine import faults

if TYPE_CHECKING:
    from collections.abc import Iterator

ALL = pytest.mark.parametrize(("engine", "way"), CASES.values(), ids=CASES)


def _refusals() -> Iterator[tuple[str, Engine, Way, Refusal]]:
    for name, (engine, way) in CASES.items():
        for refusal in engine.refusals:
            if way in refusal.ways:
                yield f"{name}-{refusal.what}", engine, way, refusal


REFUSALS: Final = tuple(_refusals())


@pytest.mark.parametrize(("engine", "way", "refusal"), [row[1:] for row in REFUSALS], ids=[row[0] for row in REFUSALS])
async def test_each_documented_refusal(engine: Engine, way: Way, refusal: Refusal) -> None:
    """CON-05: each code and body that the reference has is an error of its kind, or a page without results."""
    async with staged(engine) as stage:
        stage.server.fail(always=refusal.fault)
        found = await outcome(stage, way)
        assert type(found) is (refusal.ends or SearchPage)
        if isinstance(found, SearchPage):
            assert (found.results, found.found) == ((), 0)


@ALL
async def test_which_refusals_are_asked_again(engine: Engine, way: Way) -> None:
    """CON-05: only what may pass is asked again, and never more than three times."""
    async with staged(engine) as stage:
        for status in (400, 401, 402, 403, 404, 405, 410, 418, 422, 429, 432, 433, 451, 500, 501, 502, 503, 504, 599):
            stage.server.requests.clear()
            stage.server.fail(always=faults.answer(engine.error("Refused"), status))
            found = await outcome(stage, way)
            assert isinstance(found, errors.BackendError)
            assert len(stage.server.requests) == (TRIES if status in http.PASSING else 1)
            assert not found.billed


# What can't be done about a page, and about an answer.
AMISS: Final = {
    Way.SEARCH: ("page",),
    Way.FETCH: ("words", "options", "results", "search for", "search like"),
    Way.ANSWER: ("options", "results", "search like", "page"),
}


@ALL
async def test_what_is_advised(engine: Engine, way: Way) -> None:
    """CON-26, CON-27: whatever the engine refuses, the sentence fits what was asked for; a page can't be read."""
    large = faults.answer(b" " * (limits.BODY_BYTES + 1))
    async with staged(engine) as stage:
        for fault in (*(faults.answer(engine.error("Refused"), status) for status in range(400, 600)), large):
            stage.server.fail(always=fault)
            found = await outcome(stage, way)
            assert isinstance(found, errors.BackendError)
            assert not [amiss for amiss in AMISS[way] if amiss in said(found)]
            if way is Way.FETCH:
                assert not isinstance(found, errors.RequestRejected | errors.BackendUnable)


@ALL
async def test_a_refusal_with_200(engine: Engine, way: Way) -> None:
    """CON-05: an error's body that comes as a success is an error, which may be billed and isn't asked for again."""
    async with staged(engine) as stage:
        stage.server.fail(always=faults.answer(engine.error("Refused")))
        found = await outcome(stage, way)
        assert isinstance(found, errors.InvalidAnswer | errors.BackendBroken)
        assert found.billed
        assert len(stage.server.requests) == 1


@ALL
async def test_all_shapes_of_429(engine: Engine, way: Way) -> None:
    """CON-06: 429 is known by its status, whatever its body is."""
    bodies: tuple[object, ...] = (
        engine.error("Slow down"),
        {"error": "Slow down"},
        {},
        [],
        None,
        7,
        "Slow down",
        b"",
        b"<h1>Slow</h1>",
    )
    async with staged(engine) as stage:
        for body in bodies:
            stage.server.fail(always=faults.answer(body, 429))
            assert type(await outcome(stage, way)) is engine.limited
            stage.server.fail(always=faults.answer(body, 429, {"Retry-After": "60"}))
            found = await outcome(stage, way)
            assert type(found) is errors.RateLimited
            assert found.retry_after == 60
            assert "about 60 seconds" in said(found)


# What stands in Retry-After, and how many seconds that is; None where it says nothing.
WAITS: Final = {
    "0": 0.0,
    "2": 2.0,
    " 30 ": 30.0,
    "1.5": 1.5,
    "-5": 0.0,
    "7200": 7200.0,
    "99999999999": 86_400.0,
    "1e400": 86_400.0,
    "nan": None,
    "": None,
    "soon": None,
    "30 seconds": None,
    "2026-11-30T12:00:30Z": None,
    formatdate(NOW + 30, usegmt=True): 30.0,
    formatdate(NOW + 30): 30.0,
    formatdate(NOW - 3600, usegmt=True): 0.0,
    "Mon, 99 Nov 2026 99:99:99 GMT": None,
}


@pytest.mark.parametrize("header", WAITS)
@ALL
async def test_waits(engine: Engine, way: Way, header: str) -> None:
    """CON-06: a wait that fits into the deadline is made, and one that doesn't is told at once."""
    wait = WAITS[header]
    refused = faults.answer(engine.error("Slow down"), 429, {"Retry-After": header})
    async with staged(engine) as stage:
        stage.server.fail(refused, always=faults.answer(troubles.good(engine, way)))
        found = await outcome(stage, way)
        if wait is None or wait < LONG_S:
            assert not isinstance(found, errors.BackendError)
            assert (wait or 0.0) < stage.time.passed < LONG_S
        else:
            assert type(found) is errors.RateLimited
            assert (found.retry_after, stage.time.slept) == (wait, [])
            assert len(stage.server.requests) == 1


@ALL
async def test_waits_that_never_end(engine: Engine, way: Way) -> None:
    """CON-06: however often an engine asks to wait, all waits together stay within the deadline."""
    refused = faults.answer(engine.error("Slow down"), 429, {"Retry-After": "6"})
    async with staged(engine) as stage:
        stage.server.fail(always=refused)
        found = await outcome(stage, way)
        assert type(found) is errors.RateLimited
        assert stage.time.passed < LONG_S
        assert found.retry_after == 6


# What a message may be, beside the query and the key.
MESSAGES: Final = {
    "a query": QUERY,
    "half of a query": QUERY[: len(QUERY) // 2],
    "many lines": "One\nTwo\r\nThree\x00\u2028Four",
    "markup": "<script>alert(1)</script>**bold** @everyone",
    "a million characters": "x" * 1_000_000,
    "half an emoji": "\ud83d",
    "nothing": "",
}


@pytest.mark.parametrize("what", MESSAGES)
@ALL
async def test_messages(engine: Engine, way: Way, what: str) -> None:
    """CON-07: a message is one short line for the log, without what was asked for, and no member reads it."""
    begin = MESSAGES[what][:6]
    bodies = (engine.error(MESSAGES[what]), {"detail": MESSAGES[what]}, MESSAGES[what])
    async with staged(engine) as stage:
        for body, status in itertools.product(bodies, (400, 401, 500)):
            stage.server.fail(always=faults.answer(body, status))
            found = await outcome(stage, way)
            assert isinstance(found, errors.BackendError)
            assert way is Way.FETCH or not {"wächst", "Ingwer"} & set(found.detail.split())
            assert found.detail.isprintable()
            assert not begin or begin not in said(found)
