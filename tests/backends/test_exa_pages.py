"""Fetch pages and ask questions with Exa, against the stand-in."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from time import perf_counter
from typing import TYPE_CHECKING, Any

import aiohttp
import pytest
from exa_py import AsyncExa
from hypothesis import given, settings
from hypothesis import strategies as st

from answer_tools import broken_off
from cogs.websearch import errors, limits, links
from cogs.websearch.backends.exa import answers, contents
from cogs.websearch.models import Answer, Category, Period, SearchRequest
from engine_tools import NOW, FakeTime, open_exa
from loopback_engine.streams import stream
from loopback_exa import KEY, LoopbackExa, faults

if TYPE_CHECKING:
    from cogs.websearch.backends.exa import ExaSearcher

BREAD = "https://www.example.net/recipes/bread?utm_source=feed#crust"
URL = "https://docs.example.org/asyncio/to-thread"
LINK = links.Link(URL, "docs.example.org")
REQUEST = SearchRequest(query="blocking function in a thread", count=5)
SOURCES = {"citations": [{"url": URL, "title": "Threads"}, {"url": "https://news.example.com/", "title": "News"}]}
NAMES = st.sampled_from(
    [
        *("results", "statuses", "url", "text", "title", "error", "tag", "answer", "citations"),
        *("choices", "delta", "content", "payload", "code", "message"),
    ]
)
JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=10,
)


def said(text: str, **fields: object) -> dict[str, object]:
    """Make an event that adds text."""
    return {"choices": [{"index": 0, "delta": {"role": "assistant", "content": text}, "finish_reason": None}], **fields}


async def grown(exa: ExaSearcher, request: SearchRequest = REQUEST) -> list[Answer]:
    """Read a stream to its end."""
    return [answer async for answer in exa.stream(request)]


async def test_fetch(exa: LoopbackExa, searcher: ExaSearcher) -> None:
    """EXA-15: a page is asked for by its vetted address, text alone, and comes cleaned with its paragraphs."""
    page = await searcher.fetch(URL)
    (call,) = exa.requests
    assert (call.method, call.path) == ("POST", "/contents")
    assert call.json == {"urls": [URL], "text": {"maxCharacters": 10_000}}
    assert page.title == "Running blocking code in a thread"
    assert page.text.startswith("# Running blocking code in a thread\nasyncio.to_thread runs")
    assert (page.url, page.host, page.truncated, page.cost) == (URL, "docs.example.org", False, 0.001)
    assert page.published is not None


@pytest.mark.parametrize(
    "url", ["", "ftp://example.org/", "http://localhost/", "http://127.0.0.1/", "https://u:p@example.org/", "example"]
)
async def test_address(exa: LoopbackExa, searcher: ExaSearcher, url: str) -> None:
    """EXA-15: what isn't the address of a public page is never sent."""
    with pytest.raises(errors.InvalidAddress):
        await searcher.fetch(url)
    assert not exa.requests


async def test_missing_page(searcher: ExaSearcher) -> None:
    """EXA-16: a page that Exa couldn't read is a clear error, with Exa's tag and what the site answered."""
    with pytest.raises(errors.PageUnreadable) as caught:
        await searcher.fetch("https://nowhere.example.org/")
    assert (caught.value.tag, caught.value.detail) == ("CRAWL_NOT_FOUND", "the site answered 404")
    assert caught.value.cost == 0


@pytest.mark.parametrize("tag", ["NO_CONTENT_FOUND", "INVALID_URLS", "INVALID_REQUEST_BODY"])
async def test_refused_page(exa: LoopbackExa, searcher: ExaSearcher, tag: str) -> None:
    """EXA-16: so is one for which it refuses the whole request, also after a request that was lost."""
    exa.fail(faults.reset, faults.error(400, tag))
    with pytest.raises(errors.PageUnreadable) as caught:
        await searcher.fetch(URL)
    error = caught.value
    assert (error.tag, error.billed, error.lost, error.__context__) == (tag, False, 1, None)


@pytest.mark.parametrize(
    "body",
    [{"results": []}, {"results": {}}, {}, [], None, {"results": [], "statuses": [{"status": "success"}]}],
)
def test_senseless_contents(body: object) -> None:
    """EXA-16: neither a page nor a reason is an invalid answer."""
    with pytest.raises(errors.InvalidAnswer):
        contents.to_fetched(body, LINK, now=NOW)


@given(JUNK)
@settings(max_examples=200, deadline=None)
def test_any_contents(body: object) -> None:
    """EXA-16: whatever comes for a page, it's a page or one of the errors for it."""
    with suppress(errors.InvalidAnswer, errors.PageUnreadable):
        assert contents.to_fetched(body, LINK, now=NOW).text


async def test_huge_page(exa: LoopbackExa, searcher: ExaSearcher) -> None:
    """EXA-17: of a page that is larger than what is read, what was read comes, cut at a whole character."""
    exa.fail(faults.rows({"url": URL, "title": "Long", "text": "Wörter. " * 700_000}))
    page = await searcher.fetch(URL)
    assert page.truncated
    assert len(page.text) <= limits.PAGE_TEXT
    assert page.text.endswith("…")


LONG = "One more line of a page with a picture \U0001f600 in it.\n" * 1000


@pytest.mark.parametrize(
    "text",
    [
        LONG[: limits.PAGE_TEXT],
        LONG.encode("utf-16-le")[: 2 * limits.PAGE_TEXT].decode("utf-16-le", "ignore"),
        ("\U0001f600" * limits.PAGE_TEXT)[: limits.PAGE_TEXT // 2],
        LONG[: limits.PAGE_TEXT].rstrip().rpartition(" ")[0],
        "長" * (limits.PAGE_TEXT - 150) + "。",
    ],
    ids=["as long", "in UTF-16", "emoji alone", "before a word", "before a sentence"],
)
async def test_page_that_is_cut_by_exa(exa: LoopbackExa, searcher: ExaSearcher, text: str) -> None:
    """EXA-17: a text as long as what was asked for, or nearly, however that's counted, is taken for cut."""
    exa.fail(faults.rows({"url": URL, "text": text}))
    assert (await searcher.fetch(URL)).truncated


@pytest.mark.parametrize(
    "text", ["a" * (limits.PAGE_TEXT - 300), "\U0001f600" * 4800, LONG[: limits.PAGE_TEXT * 9 // 10]]
)
async def test_page_that_is_whole(exa: LoopbackExa, searcher: ExaSearcher, text: str) -> None:
    """EXA-17: one that's clearly shorter is whole."""
    exa.fail(faults.rows({"url": URL, "text": text}))
    assert not (await searcher.fetch(URL)).truncated


async def test_answer(exa: LoopbackExa, searcher: ExaSearcher) -> None:
    """EXA-18: a question goes to `/answer`, and its citations are sources to which the links in the text point."""
    answer = await searcher.answer(REQUEST)
    (call,) = exa.requests
    assert (call.method, call.path) == ("POST", "/answer")
    assert call.json == {"query": REQUEST.query, "text": False, "stream": False}
    assert answer.text.startswith("asyncio.to_thread runs a blocking function")
    assert "that hold no lock. [1] See also" in answer.text
    assert answer.text.endswith("[2].")
    assert answer.sources[0].host == "docs.example.org"
    assert (answer.complete, answer.cost, len(answer.sources)) == (True, 0.005, 2)


@pytest.mark.parametrize(
    ("option", "fields"),
    [
        ("category", {"category": Category.NEWS}),
        ("period", {"period": Period.DAY}),
        ("site", {"sites": ("example.org",)}),
    ],
)
async def test_options_of_answers(searcher: ExaSearcher, option: str, fields: dict[str, Any]) -> None:
    """EXA-19: an option that Exa's answers don't take is said, not dropped."""
    request = SearchRequest(query="bread", count=5, **fields)
    for ask in (searcher.answer, searcher.stream):
        with pytest.raises(errors.OptionUnsupported) as caught:
            await ask(request)  # type: ignore[misc] # neither comes as far as to be awaited for something
        assert caught.value.option == option


@pytest.mark.parametrize("answer", [None, 5, [], {"a": 1}])
async def test_answer_that_is_none(exa: LoopbackExa, searcher: ExaSearcher, answer: object) -> None:
    """EXA-18: an answer that is no text is invalid, an empty one is one that Exa couldn't give."""
    exa.fail(faults.answer({"answer": answer, "citations": []}), faults.answer({"answer": " ", "citations": []}))
    with pytest.raises(errors.InvalidAnswer):
        await searcher.answer(REQUEST)
    with pytest.raises(errors.BackendUnable):
        await searcher.answer(REQUEST)


@pytest.mark.parametrize("citations", [None, 5, [], {}, [None, 5, {"url": 5}, {"url": "javascript:x"}]])
async def test_answer_without_citations(exa: LoopbackExa, searcher: ExaSearcher, citations: object) -> None:
    """EXA-18: an answer without usable citations is an answer."""
    exa.fail(faults.answer({"answer": "Yes [1].", "citations": citations}))
    answer = await searcher.answer(REQUEST)
    assert (answer.text, answer.sources) == ("Yes.", ())


async def test_stream(exa: LoopbackExa, searcher: ExaSearcher) -> None:
    """EXA-20: a streamed answer grows, and ends as the plain one."""
    plain = await searcher.answer(REQUEST)
    growing = await grown(searcher)
    assert exa.requests[1].json["stream"] is True
    assert growing[-1] == plain
    assert plain.text.startswith(growing[0].text)
    assert [answer.complete for answer in growing] == [False] * (len(growing) - 1) + [True]
    assert len(growing) > 1


async def test_pieces_as_they_come(exa: LoopbackExa, searcher: ExaSearcher) -> None:
    """EXA-20: what has come is given before the rest comes."""
    gates = (asyncio.Event(), asyncio.Event())
    exa.fail(stream(said("First. " * 20), said("Last."), SOURCES, gates=gates))
    answers_ = searcher.stream(REQUEST)
    gates[0].set()
    first = await anext(answers_)
    assert first.text.startswith("First.")
    assert not first.complete
    gates[1].set()
    rest = [answer async for answer in answers_]
    assert rest[-1].text.endswith("Last.")
    assert rest[-1].complete
    assert len(rest[-1].sources) == 2


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (stream(said("Half of it [1]. "), SOURCES, said("and"), broken=True), errors.BackendUnreachable),
        (
            stream(said("Half of it [1]. and"), SOURCES, {"tag": "ERROR", "payload": {"error": {"code": 500}}}),
            errors.BackendBroken,
        ),
        (stream(said("Half of it [1]. and"), SOURCES, said(KEY)), errors.InvalidAnswer),
        (
            stream(said("Half of it [1]. and"), SOURCES, b": " + b"x" * (4 * 1024 * 1024)),
            errors.AnswerTooLarge,
        ),
    ],
)
async def test_stream_that_breaks(
    exa: LoopbackExa, searcher: ExaSearcher, fault: faults.Fault, kind: type[errors.BackendError]
) -> None:
    """EXA-21: a stream that breaks, fails or is too large ends with what came, marked as such, and then its error."""
    exa.fail(fault)
    (*_, last), error = await broken_off(searcher.stream(REQUEST))
    assert (last.text, last.complete) == ("Half of it [1]. and", False)
    assert last.sources
    assert type(error) is kind


async def test_stream_past_its_deadline(exa: LoopbackExa, fake_time: FakeTime) -> None:
    """EXA-21: so does one that isn't done by the deadline of answers."""
    searcher = open_exa(exa, fake_time, answer_timeout_s=1)
    exa.fail(stream(said("Half of it."), hanging=True))
    (last,), error = await broken_off(searcher.stream(REQUEST))
    assert (last.text, last.complete) == ("Half of it.", False)
    assert isinstance(error, errors.BackendTimeout)
    exa.fail(faults.hang)
    with pytest.raises(errors.BackendTimeout):
        await searcher.answer(REQUEST)
    await searcher.close()


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (faults.error(401, "INVALID_API_KEY"), errors.KeyRefused),
        (faults.reset, errors.BackendUnreachable),
        (faults.html(), errors.InvalidAnswer),
        (faults.answer(b""), errors.InvalidAnswer),
        (faults.redirect("https://example.org/"), errors.UnexpectedRedirect),
        (stream(), errors.InvalidAnswer),
        (stream(b"data: [DONE]\n\n"), errors.InvalidAnswer),
        (stream({"costDollars": {"total": 0.005}}), errors.BackendUnable),
        (stream({"tag": "ERROR", "payload": {"error": {"code": 429, "message": "Slow"}}}), errors.RateLimited),
        (stream({"tag": "ERROR", "payload": None}), errors.BackendBroken),
        (stream({"tag": "ERROR", "payload": {"error": {"code": 400, "message": "No"}}}), errors.RequestRejected),
        (stream(said("5f0c9d1e-"), said("7a3b-4c52-9e86-d4b1a2f37c60")), errors.InvalidAnswer),
    ],
)
async def test_stream_that_fails(
    exa: LoopbackExa, searcher: ExaSearcher, fault: faults.Fault, kind: type[errors.BackendError]
) -> None:
    """EXA-21: a stream of which nothing came fails as any other call."""
    exa.fail(always=fault)
    with pytest.raises(kind) as caught:
        await grown(searcher)
    assert type(caught.value) is kind
    assert KEY[:9] not in caught.value.detail


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ({"code": 403, "message": "PROHIBITED_CONTENT"}, errors.ContentProhibited),
        ({"code": 403, "message": "Refused: prohibited content."}, errors.ContentProhibited),
        ({"code": 403, "message": "No", "tag": "CONTENT_FILTER_ERROR"}, errors.ContentProhibited),
        ({"code": 403, "message": "Content filter error"}, errors.ContentProhibited),
        ({"code": 403, "message": "FEATURE_DISABLED"}, errors.FeatureDisabled),
        ({"code": 403, "message": ""}, errors.FeatureDisabled),
        ({"code": 403, "message": ["PROHIBITED_CONTENT"], "tag": 7}, errors.FeatureDisabled),
        ({"code": 500, "message": "PROHIBITED_CONTENT"}, errors.BackendBroken),
        ({"code": "403", "message": "PROHIBITED_CONTENT"}, errors.BackendBroken),
    ],
)
async def test_stream_that_is_refused(
    exa: LoopbackExa, searcher: ExaSearcher, error: object, kind: type[errors.BackendError]
) -> None:
    """EXA-23: of 403, what was asked for is told from the account, whether something has come before or not."""
    refused = {"tag": "ERROR", "payload": {"error": error, "requestId": faults.REQUEST_ID}}
    exa.fail(stream(refused))
    with pytest.raises(kind) as caught:
        await grown(searcher)
    assert type(caught.value) is kind
    exa.fail(stream(said("Half of it."), refused))
    (last,), found = await broken_off(searcher.stream(REQUEST))
    assert (last.text, type(found)) == ("Half of it.", kind)


async def test_stream_without_an_end(exa: LoopbackExa, searcher: ExaSearcher) -> None:
    """EXA-21: tens of thousands of tiny pieces are no more work than an answer that's shown."""
    piece = f"data: {json.dumps(said('word '))}\n\n".encode()
    exa.fail(stream(piece * 40_000))
    started = perf_counter()
    growing, _ = await broken_off(searcher.stream(REQUEST))
    assert perf_counter() - started < 10
    assert len(growing) < 60
    assert growing[-1].text.endswith("…")


async def test_stream_without_its_last_line_break(exa: LoopbackExa, searcher: ExaSearcher) -> None:
    """EXA-20: the last event of a stream that ends well counts, also without a line break behind it."""
    exa.fail(stream(said("Yes [1]."), f"data: {json.dumps(SOURCES)}".encode()))
    assert len((await grown(searcher))[-1].sources) == 2


async def test_server_that_does_not_stream(exa: LoopbackExa, searcher: ExaSearcher) -> None:
    """EXA-20: an answer that comes whole although a stream was asked for is taken."""
    exa.fail(faults.answer({"answer": "Yes [1].", **SOURCES}))
    (answer,) = await grown(searcher)
    assert (answer.text, len(answer.sources), answer.complete) == ("Yes [1].", 2, True)


async def test_leaving_a_stream(exa: LoopbackExa, searcher: ExaSearcher) -> None:
    """EXA-22: whoever stops reading leaves nothing behind, and the next call works."""
    exa.fail(stream(said("First. " * 20), hanging=True))
    answers_ = searcher.stream(REQUEST)
    await anext(answers_)
    await answers_.aclose()
    assert not [task for task in asyncio.all_tasks() if "Transport.call" in repr(task)]
    assert (await searcher.answer(REQUEST)).complete


@given(st.lists(JUNK, max_size=4))
@settings(max_examples=200, deadline=None)
def test_any_event(events: list[object]) -> None:
    """EXA-21: whatever an event holds, it's a piece or an error of the engine."""
    for event in events:
        try:
            piece = answers.to_piece(event, (), now=NOW)
        except errors.BackendError:
            continue
        assert isinstance(piece.text, str)


async def test_sdk_contents(exa: LoopbackExa) -> None:
    """EXA-11: the vendor's SDK reads pages and their statuses of the stand-in."""
    async with AsyncExa(exa.key, api_base=exa.url) as client:
        found = await client.get_contents([URL, "https://nowhere.example.org/"], text={"max_characters": 40})
    (result,) = found.results
    assert result.title == "Running blocking code in a thread"
    assert result.text
    assert len(result.text) == 40
    assert found.statuses is not None
    assert [status.status for status in found.statuses] == ["success", "error"]
    assert found.statuses[1].error is not None
    assert found.statuses[1].error.tag == "CRAWL_NOT_FOUND"


async def test_sdk_answers(exa: LoopbackExa, searcher: ExaSearcher) -> None:
    """EXA-11: the vendor's SDK reads answers of the stand-in, whole and streamed, and finds what we find."""
    ours = await searcher.answer(REQUEST)
    async with AsyncExa(exa.key, api_base=exa.url) as client:
        theirs = await client.answer(REQUEST.query)
        streamed = await client.stream_answer(REQUEST.query)
        text, urls = "", []
        async for chunk in streamed:
            text += chunk.content or ""
            urls += [citation.url for citation in chunk.citations or ()]
    assert theirs.answer == text  # type: ignore[union-attr] # without `stream` there's no stream
    assert urls[0] == ours.sources[0].url
    assert streamed.cost_dollars is not None
    assert streamed.cost_dollars.total == ours.cost


@pytest.mark.parametrize(
    ("path", "fields"),
    [
        *(("/contents", {}), ("/contents", {"urls": [URL], "ids": [URL]}), ("/contents", {"urls": []})),
        *(("/contents", {"urls": [URL], "text": {"maxCharacters": 10_001}}), ("/contents", {"urls": ["x" * 2049]})),
        *(("/answer", {}), ("/answer", {"query": ""}), ("/answer", {"query": "x", "model": "gpt"})),
        *(("/answer", {"query": "x", "text": {"maxCharacters": 5}}), ("/answer", {"query": "x", "numResults": 5})),
    ],
)
async def test_what_exa_refuses(exa: LoopbackExa, path: str, fields: dict[str, object]) -> None:
    """EXA-10: of pages and answers, too, what the reference forbids is refused with the documented body."""
    async with (
        aiohttp.ClientSession() as session,
        session.post(exa.url + path, json=fields, headers={"x-api-key": exa.key}) as response,
    ):
        assert response.status == 400
        assert set(json.loads(await response.read())) == {"requestId", "error", "tag"}
