"""Ask Jina and read its answers."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import aiohttp
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cogs.websearch import errors
from cogs.websearch.backends import http, jina, jsonbody
from cogs.websearch.backends.base import require, vetted
from cogs.websearch.i18n import Words
from cogs.websearch.models import Category, Period, SearchPage, SearchRequest, SiteRules
from cogs.websearch.wording import explain
from engine_tools import NOW, open_jina
from loopback_engine import PAGES
from loopback_engine.faults import answer, hang, reset
from loopback_jina import KEY, LoopbackJina, faults
from made_json import JSON

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from cogs.websearch.backends.jina import JinaSearcher
    from engine_tools import FakeTime

REQUEST = SearchRequest(query="soil and carbon", count=5)
URL = "https://docs.example.org/page"


@pytest.fixture
async def engine() -> AsyncIterator[LoopbackJina]:
    """Run a stand-in for Jina."""
    async with LoopbackJina() as running:
        yield running


@pytest.fixture
async def searcher(engine: LoopbackJina, fake_time: FakeTime) -> AsyncIterator[JinaSearcher]:
    """Open a searcher that asks the stand-in and waits on the fake clock."""
    opened = open_jina(engine, fake_time)
    yield opened
    await opened.close()


def page(*rows: object, request: SearchRequest = REQUEST, **fields: object) -> SearchPage:
    """Read an answer that holds these rows."""
    return jina.to_page({"code": 200, "data": list(rows), **fields}, request, snippet_chars=400, now=NOW)


def row(number: object = 1, **fields: object) -> dict[str, object]:
    """Make a row with a URL of its own."""
    return {"title": f"Page {number}", "url": f"{URL}/{number}", **fields}


async def test_request(engine: LoopbackJina, searcher: JinaSearcher) -> None:
    """JINA-01: one GET holds query and number, leaves page text out, and says nothing of who searches."""
    await searcher.search(SearchRequest(query="bread & 100 % #1", count=4))
    (call,) = engine.requests
    assert (call.method, call.path, call.body) == ("GET", "/", b"")
    assert call.params == {"q": "bread & 100 % #1", "num": "4"}
    assert call.headers["authorization"] == f"Bearer {engine.key}"
    assert (call.headers["accept"], call.headers["x-respond-with"]) == ("application/json", "no-content")
    assert set(call.headers) == {
        *("host", "authorization", "accept", "accept-encoding", "user-agent", "x-respond-with", "content-length"),
    }


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("https://s.jina.ai", "https://s.jina.ai/?q=soil&num=1"),
        ("https://s.jina.ai/", "https://s.jina.ai/?q=soil&num=1"),
        ("https://proxy.example.org/jina", "https://proxy.example.org/jina/?q=soil&num=1"),
    ],
)
def test_addresses(address: str, expected: str) -> None:
    """JINA-01: the query goes to the configured address, with or without a slash at its end."""
    assert str(jina.to_url(address, SearchRequest(query="soil", count=1))) == expected


@given(st.text(min_size=1, max_size=30).filter(lambda text: text.isprintable()))
@settings(max_examples=50, deadline=None)
def test_any_query(query: str) -> None:
    """JINA-01: whatever a query is, the address holds it as one value, and the number is ours."""
    assert dict(jina.to_url("https://s.jina.ai", SearchRequest(query=query, count=3)).query) == {"q": query, "num": "3"}


async def test_results(searcher: JinaSearcher) -> None:
    """JINA-03, JINA-04: the results of a real search come cleaned, dated and in order, at the tokens' price."""
    found = await searcher.search(SearchRequest(query="telescope", count=3))
    assert [result.title for result in found.results] == [PAGES[1].title]
    assert found.results[0].published == datetime(2026, 11, 29, 18, 45, 10, tzinfo=UTC)
    assert found.results[0].snippet.startswith("The telescope sent")
    assert (found.backend, found.found) == ("Jina", 1)
    assert found.cost == pytest.approx(0.0005)


async def test_nothing_found(engine: LoopbackJina, searcher: JinaSearcher) -> None:
    """JINA-02: the error that stands for no hit is an empty page, asked for once."""
    found = await searcher.search(SearchRequest(query="xyzzy", count=3))
    assert (found.results, found.found, found.backend) == ((), 0, "Jina")
    assert len(engine.requests) == 1
    engine.fail(faults.error(422, 42201))
    with pytest.raises(errors.RequestRejected):
        await searcher.search(REQUEST)
    engine.fail(always=faults.error(500, 42206))
    with pytest.raises(errors.BackendBroken):
        await searcher.search(REQUEST)


@pytest.mark.parametrize(
    "request_",
    [
        *(SearchRequest(query="soil", count=1, category=category) for category in Category),
        *(SearchRequest(query="soil", count=1, period=period) for period in Period),
        SearchRequest(query="soil", count=1, sites=("example.org",)),
    ],
)
async def test_options(searcher: JinaSearcher, request_: SearchRequest) -> None:
    """JINA-08: no option is dropped in silence."""
    with pytest.raises(errors.OptionUnsupported) as caught:
        require(searcher, request_)
    assert explain(caught.value, Words()).endswith(": leave that option out.")


async def test_blocked_sites(searcher: JinaSearcher) -> None:
    """JINA-08: blocked sites are filtered by us."""
    found = await searcher.search(
        SearchRequest(query="bread the", count=10, rules=SiteRules(owner_blocked=("example.net",)))
    )
    assert found.found > len(found.results) > 0
    assert not [result for result in found.results if result.host.endswith("example.net")]


@pytest.mark.parametrize(
    ("fields", "snippet"),
    [
        ({"description": "short", "content": "long"}, "short"),
        ({"description": " \n", "content": "long"}, "long"),
        ({"description": None, "content": 5, "publishedTime": [], "title": {}, "usage": 3}, ""),
        ({}, ""),
    ],
)
def test_snippets(fields: dict[str, object], snippet: str) -> None:
    """JINA-03: a description comes before a text, and fields of wrong types are as if they weren't there."""
    result = page(row(**fields)).results[0]
    assert (result.snippet, result.published) == (snippet, None)


@pytest.mark.parametrize("body", [None, [], 5, "text", True, {}, {"data": None}, {"data": {}}, {"data": "x"}])
def test_answers_without_rows(body: object) -> None:
    """JINA-03: an answer whose data is no list is invalid."""
    with pytest.raises(errors.InvalidAnswer):
        jina.to_page(body, REQUEST, snippet_chars=400, now=NOW)


@pytest.mark.parametrize(
    ("usages", "expected"),
    [
        ([{"tokens": 4000}, {"tokens": 6000}], 0.0005),
        ([{"tokens": 0}], 0.0),
        ([{"tokens": 10_000}, {"tokens": -1}, {"tokens": True}, {"tokens": "9"}, {}, None, 5], 0.0005),
        ([{"tokens": 10**400}, {"tokens": float("inf")}], None),
        ([{"tokens": 1_500_000}] * 100, jina.DEAREST),
        ([None], None),
        ([], None),
    ],
)
def test_cost(usages: list[object], expected: float | None) -> None:
    """JINA-04: the cost is what the tokens of all rows cost, or nothing where none names a number of them."""
    found = page(*(row(number, usage=usage) for number, usage in enumerate(usages))).cost
    assert found == (None if expected is None else pytest.approx(expected))


@given(JSON)
@settings(max_examples=100, deadline=None)
def test_any_answer(body: object) -> None:
    """JINA-03, JINA-06: whatever JSON an answer is, it is a page or an invalid answer."""
    raw = jsonbody.decode(json.dumps(body).encode())
    for read in (
        lambda: jina.to_page(raw, REQUEST, snippet_chars=400, now=NOW),
        lambda: jina.to_fetched(raw, vetted(URL), now=NOW),
    ):
        try:
            assert read().backend == "Jina"
        except errors.BackendError as error:
            assert isinstance(error, errors.InvalidAnswer | errors.PageUnreadable)  # noqa: PT017 - one of two right ends


NAMES = st.sampled_from(["url", "title", "description", "content", "publishedTime", "usage"])


@given(st.lists(st.dictionaries(NAMES, JSON) | JSON))
@settings(max_examples=100, deadline=None)
def test_any_rows(rows: list[object]) -> None:
    """JINA-03, JINA-04: whatever JSON the rows are, a page with a good row in it shows that row."""
    found = page(*rows, row(9), request=SearchRequest(query="soil", count=10))
    assert found.results[-1].title == "Page 9"


ERRORS = [
    (400, 40001, errors.RequestRejected),
    (401, 40103, errors.KeyRefused),
    (402, 40203, errors.CreditsExhausted),
    (403, 40301, errors.FeatureDisabled),
    (404, 40400, errors.EndpointMissing),
    (422, 42206, errors.RequestRejected),
    (429, 42903, errors.RateLimited),
    (451, 45102, errors.ContentProhibited),
    (500, 50000, errors.BackendBroken),
    (503, 50300, errors.BackendOverloaded),
    (504, 50400, errors.BackendTimeout),
    (418, 41800, errors.BackendBroken),
]
BODIES: dict[str, bytes] = {
    "HTML": b"<html><h1>Refused</h1></html>",
    "empty": b"",
    "null": b"null",
    "wrong types": b'{"status": {"no": 5}, "message": [], "readableMessage": 7}',
    "a status that's no code": b'{"status": 422}',
    "not UTF-8": b"\xff\xfe\x00",
}


@pytest.mark.parametrize(("status", "code", "kind"), ERRORS)
def test_errors(status: int, code: int, kind: type[errors.BackendError]) -> None:
    """JINA-05: each documented error is a kind of its own, with Jina's code and its message for the owner."""
    body = json.dumps(faults.error_body(status, code, "This is why")).encode()
    error = jina.to_error(http.Reply(status=status, body=body, retry_after=30.0), (KEY,))
    assert type(error) is kind
    assert (error.tag, error.detail) == (str(code), "Error: This is why")
    assert getattr(error, "retry_after", 30.0) == 30.0


@pytest.mark.parametrize(("status", "kind"), [(status, kind) for status, _, kind in ERRORS])
@pytest.mark.parametrize("body", BODIES)
def test_bodies_of_errors(status: int, kind: type[errors.BackendError], body: str) -> None:
    """JINA-05: no body changes what its status says."""
    error = jina.to_error(http.Reply(status=status, body=BODIES[body]), (KEY,))
    assert (type(error), error.tag) == (kind, "")
    assert len(error.detail) <= 200


@given(st.integers(400, 599), st.binary(max_size=200) | JSON.map(lambda value: json.dumps(value).encode()))
@settings(max_examples=100, deadline=None)
def test_any_error(status: int, body: bytes) -> None:
    """JINA-05: whatever the status and the body of a failure, it is an error of the engine."""
    assert isinstance(jina.to_error(http.Reply(status=status, body=body), (KEY,)), errors.BackendError)


@pytest.mark.parametrize("part", [slice(None), slice(20), slice(20, None)])
async def test_a_key_that_comes_back(engine: LoopbackJina, searcher: JinaSearcher, part: slice) -> None:
    """JINA-03, JINA-05: an answer that holds the key, or half of it, is shown to nobody, nor is an error's message."""
    engine.fail(faults.rows(row(description=f"Your key is {engine.key[part]}")))
    with pytest.raises(errors.InvalidAnswer):
        await searcher.search(REQUEST)
    engine.fail(faults.echo(lambda call: f"{call.key[part]} is bad"))
    with pytest.raises(errors.KeyRefused) as caught:
        await searcher.search(REQUEST)
    assert caught.value.detail == "Error: [redacted] is bad"


async def test_fetch(engine: LoopbackJina, searcher: JinaSearcher) -> None:
    """JINA-06: one address is posted to the reader, and the page's title, date and text come back cleaned."""
    fetched = await searcher.fetch(PAGES[1].url)
    (call,) = engine.requests
    assert (call.method, call.path, call.json) == ("POST", "/", {"url": PAGES[1].url})
    assert (fetched.backend, fetched.url, fetched.title) == ("Jina", PAGES[1].url, PAGES[1].title)
    assert (fetched.text, fetched.truncated) == (PAGES[1].text, False)
    assert fetched.published == datetime(2026, 11, 29, 18, 45, 10, tzinfo=UTC)
    assert fetched.cost is not None


async def test_a_page_that_cant_be_fetched(engine: LoopbackJina, searcher: JinaSearcher) -> None:
    """JINA-06: a page without text, or refused as a request, can't be read; one that Jina won't read is prohibited."""
    with pytest.raises(errors.PageUnreadable):
        await searcher.fetch("https://example.org/nowhere")
    engine.fail(faults.page({"url": URL, "content": " \n "}))
    with pytest.raises(errors.PageUnreadable):
        await searcher.fetch(URL)
    engine.fail(faults.error(451, 45102))
    with pytest.raises(errors.ContentProhibited):
        await searcher.fetch(URL)
    engine.fail(faults.error(422, 42201), faults.error(400, 40001))
    for _ in range(2):
        with pytest.raises(errors.PageUnreadable):
            await searcher.fetch(URL)


@pytest.mark.parametrize("data", [None, [], "text", {}, {"content": None}, {"content": ["a"]}, {"text": "no"}])
async def test_pages_of_wrong_types(engine: LoopbackJina, searcher: JinaSearcher, data: object) -> None:
    """JINA-06: what holds no text is an invalid answer."""
    engine.fail(faults.page(data))
    with pytest.raises(errors.InvalidAnswer):
        await searcher.fetch(URL)


@pytest.mark.parametrize("url", ["", "example.org", "ftp://example.org/", "http://127.0.0.1/", "http://intranet/", "x"])
async def test_addresses_that_arent_fetched(engine: LoopbackJina, searcher: JinaSearcher, url: str) -> None:
    """JINA-06: an address that no result may have isn't sent anywhere."""
    with pytest.raises(errors.InvalidAddress):
        await searcher.fetch(url)
    assert not engine.requests


async def test_a_very_long_page(engine: LoopbackJina, searcher: JinaSearcher) -> None:
    """JINA-06: of a page beyond 4 MiB the beginning is read, and that it's cut is said."""
    engine.fail(faults.page({"url": URL, "title": "Soil", "content": "Soil é. " * 700_000}))
    fetched = await searcher.fetch(URL)
    assert (fetched.title, fetched.truncated) == ("Soil", True)
    assert fetched.text.startswith("Soil é. Soil é.")


async def test_a_search_that_was_sent(engine: LoopbackJina, fake_time: FakeTime) -> None:
    """JINA-01, HTTP-18: a search that went out and wasn't answered may be billed."""
    searcher = open_jina(engine, fake_time, timeout_s=0.3)
    for fault, kind in ((hang, errors.BackendTimeout), (reset, errors.BackendUnreachable)):
        engine.fail(always=fault)
        with pytest.raises(kind) as caught:
            await searcher.search(REQUEST)
        assert caught.value.billed
    engine.fail(always=faults.error(503))
    with pytest.raises(errors.BackendOverloaded) as refused:
        await searcher.search(REQUEST)
    assert not refused.value.billed
    await searcher.close()


async def test_a_search_that_was_never_sent(fake_time: FakeTime) -> None:
    """HTTP-18: a search that got no connection isn't billed, though it has no body that says so."""
    async with LoopbackJina() as engine:
        pass
    searcher = open_jina(engine, fake_time)
    with pytest.raises(errors.BackendUnreachable) as caught:
        await searcher.search(REQUEST)
    assert not caught.value.billed
    await searcher.close()


async def ask(engine: LoopbackJina, query: str, **headers: str) -> tuple[int, Any]:
    """Send a GET as it is, and return status and answer."""
    sent = {"Authorization": f"Bearer {KEY}", "Accept": "application/json", **headers}
    async with (
        aiohttp.ClientSession() as session,
        session.get(f"{engine.url}/{query}", headers=sent) as response,
    ):
        return response.status, json.loads(raw) if (raw := await response.text()).startswith("{") else raw


@pytest.mark.parametrize("query", ["?q=bread", "?q=bread&num=0", "?q=bread&num=20", "?q=bread&gl=de&hl=de&page=1"])
async def test_what_jina_takes(engine: LoopbackJina, query: str) -> None:
    """JINA-07: what the reference allows is answered as the reference says."""
    status, found = await ask(engine, query)
    if query.endswith("num=0"):
        assert (status, found["status"]) == (422, 42206)
    else:
        assert (status, set(found), found["data"][0]["content"]) == (
            200,
            {"code", "status", "data", "meta"},
            PAGES[2].text,
        )


@pytest.mark.parametrize("query", ["", "?q=", "?q=bread&num=21", "?q=bread&num=x", "?q=bread&count=5"])
async def test_what_jina_refuses(engine: LoopbackJina, query: str) -> None:
    """JINA-07: what the reference forbids is refused with the documented body."""
    status, found = await ask(engine, query)
    assert (status, found["status"], found["data"]) == (400, 40001, None)
    assert set(found) == {"data", "code", "status", "name", "message", "readableMessage"}


async def test_other_refusals(engine: LoopbackJina) -> None:
    """JINA-07: a wrong key and a wrong path are refused, and who accepts text gets text."""
    assert (await ask(engine, "?q=bread", Authorization="Bearer wrong"))[1]["status"] == 40103
    assert (await ask(engine, "search?q=bread"))[0] == 404
    assert (await ask(engine, "?q=bread", Accept="text/plain"))[1] == "# A page as text"


async def test_the_reader_needs_no_key(engine: LoopbackJina) -> None:
    """JINA-07: the reader takes who has no key, refuses a wrong one, and refuses what is no address."""
    for headers, body, status in (
        ({}, {"url": PAGES[0].url}, 200),
        ({"Authorization": "Bearer wrong"}, {"url": PAGES[0].url}, 401),
        ({}, {"address": PAGES[0].url}, 400),
        ({}, {"url": URL}, 422),
    ):
        sent = {"Accept": "application/json", **headers}
        async with aiohttp.ClientSession() as session, session.post(engine.url, json=body, headers=sent) as response:
            assert response.status == status


async def test_answers_of_wrong_types(engine: LoopbackJina, searcher: JinaSearcher) -> None:
    """JINA-03: an answer that makes no sense may be billed, at the tokens that it names."""
    engine.fail(answer({"code": 200, "data": {"usage": {"tokens": 10_000}}}))
    with pytest.raises(errors.InvalidAnswer) as caught:
        await searcher.search(REQUEST)
    assert caught.value.billed
    assert caught.value.cost == pytest.approx(0.0005)
