"""Ask Tavily, read its answers, and hold its stand-in against the vendor's own SDK."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import aiohttp
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tavily import AsyncTavilyClient, TavilyClient
from tavily.errors import BadRequestError, ForbiddenError, InvalidAPIKeyError, UsageLimitExceededError

from cogs.websearch import errors
from cogs.websearch.backends import http, jsonbody, tavily
from cogs.websearch.backends.base import require, vetted
from cogs.websearch.models import Category, Period, SearchPage, SearchRequest, SiteRules
from engine_tools import NOW, open_tavily
from loopback_engine import PAGES
from loopback_engine.faults import answer
from loopback_tavily import KEY, LoopbackTavily, faults
from made_json import JSON

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from cogs.websearch.backends.tavily import TavilySearcher
    from engine_tools import FakeTime

REQUEST = SearchRequest(query="soil and carbon", count=5)
URL = "https://docs.example.org/page"


@pytest.fixture
async def engine() -> AsyncIterator[LoopbackTavily]:
    """Run a stand-in for Tavily."""
    async with LoopbackTavily() as running:
        yield running


@pytest.fixture
async def searcher(engine: LoopbackTavily, fake_time: FakeTime) -> AsyncIterator[TavilySearcher]:
    """Open a searcher that asks the stand-in and waits on the fake clock."""
    opened = open_tavily(engine, fake_time)
    yield opened
    await opened.close()


def page(*rows: object, request: SearchRequest = REQUEST, **fields: object) -> SearchPage:
    """Read an answer that holds these rows."""
    return tavily.to_page({"results": list(rows), **fields}, request, snippet_chars=400, now=NOW)


def row(number: object = 1, **fields: object) -> dict[str, object]:
    """Make a row with a URL of its own."""
    return {"title": f"Page {number}", "url": f"{URL}/{number}", **fields}


def test_plain_payload() -> None:
    """TAV-01: a plain search costs one credit, and asks for as many results as are shown and for what it cost."""
    assert tavily.to_payload(REQUEST) == {
        "query": "soil and carbon",
        "search_depth": "basic",
        "max_results": 5,
        "include_usage": True,
    }


def test_options() -> None:
    """TAV-02: news, a period, sites and blocked sites go along as Tavily spells them, no more than it takes."""
    blocked = tuple(f"site{number}.example.org" for number in range(200))
    body = tavily.to_payload(
        SearchRequest(
            query="soil",
            count=1,
            category=Category.NEWS,
            period=Period.WEEK,
            sites=("example.org", "example.com"),
            rules=SiteRules(owner_blocked=blocked),
        )
    )
    assert (body["topic"], body["time_range"]) == ("news", "week")
    assert body["include_domains"] == ("example.org", "example.com")
    assert body["exclude_domains"] == blocked[:150]


def test_rules_of_a_server() -> None:
    """RULE-05: a server's blocked sites go before the owner's, its allowed ones where the member named none."""
    rules = SiteRules(owner_blocked=("a.example",), blocked=("b.example",), allowed=("c.example", "d.example"))
    body = tavily.to_payload(SearchRequest(query="soil", count=1, rules=rules))
    assert body["exclude_domains"] == ("b.example", "a.example")
    assert body["include_domains"] == ("c.example", "d.example")
    body = tavily.to_payload(SearchRequest(query="soil", count=1, sites=("www.c.example",), rules=rules))
    assert body["include_domains"] == ("www.c.example",)


@pytest.mark.parametrize("category", [category for category in Category if category is not Category.NEWS])
async def test_other_categories(searcher: TavilySearcher, category: Category) -> None:
    """TAV-02: a category that Tavily doesn't know is told to be none, not dropped."""
    with pytest.raises(errors.OptionUnsupported):
        require(searcher, SearchRequest(query="soil", count=1, category=category))


async def test_request(engine: LoopbackTavily, searcher: TavilySearcher) -> None:
    """TAV-01: one POST goes to `/search`, with the key as a bearer token and nothing that says who searches."""
    await searcher.search(SearchRequest(query="bread at home", count=4))
    (call,) = engine.requests
    assert (call.method, call.path) == ("POST", "/search")
    assert call.headers["authorization"] == f"Bearer {engine.key}"
    assert set(call.headers) == {
        *("host", "authorization", "content-type", "content-length", "accept", "accept-encoding", "user-agent"),
    }
    assert set(call.json) == {"query", "search_depth", "max_results", "include_usage"}


@pytest.mark.parametrize("category", [None, Category.NEWS])
@pytest.mark.parametrize("period", [None, *Period])
async def test_every_combination_is_taken(
    engine: LoopbackTavily, searcher: TavilySearcher, category: Category | None, period: Period | None
) -> None:
    """TAV-02: no combination of options that the engine says to honour is refused."""
    request = SearchRequest(
        query="x",
        count=10,
        category=category,
        period=period,
        sites=("example.com",),
        rules=SiteRules(owner_blocked=("ir.example.com",)),
    )
    require(searcher, request)
    found = await searcher.search(request)
    assert len(engine.requests) == 1
    assert all(result.host.endswith("example.com") for result in found.results)


async def test_results(searcher: TavilySearcher) -> None:
    """TAV-03, TAV-04: the results of a real search come cleaned, in order, at the price of the credits it took."""
    found = await searcher.search(SearchRequest(query="始発電車に乗って", count=10))
    assert found.results[0].title == "始発電車で行く小さな旅"
    assert (found.backend, found.found, len(found.results), found.cost) == ("Tavily", 10, 10, 0.008)


async def test_news_are_dated(searcher: TavilySearcher) -> None:
    """TAV-03: the date of news, which Tavily writes as mails do, is a moment."""
    found = await searcher.search(SearchRequest(query="telescope", count=1, category=Category.NEWS))
    assert found.results[0].published == datetime(2026, 11, 29, 18, 45, 10, tzinfo=UTC)


async def test_fewer_sites_are_blocked_than_named(searcher: TavilySearcher) -> None:
    """TAV-02: sites beyond those that Tavily takes are blocked by us."""
    blocked = (*(f"site{number}.example.org" for number in range(150)), "example.net")
    found = await searcher.search(
        SearchRequest(query="bread at home", count=10, rules=SiteRules(owner_blocked=blocked))
    )
    assert found.results
    assert not [result for result in found.results if result.host.endswith("example.net")]


def test_fields_of_wrong_types() -> None:
    """TAV-03: fields of wrong types are as if they weren't there."""
    wrong = row(title=["no"], published_date={}, content=5, raw_content=[], score="high", favicon=1, extra=None)
    result = page(wrong).results[0]
    assert (result.title, result.published, result.image, result.snippet) == ("", None, None, "")


@pytest.mark.parametrize("body", [None, [], 5, "text", True, {}, {"results": None}, {"results": {}}, {"results": "x"}])
def test_answers_without_rows(body: object) -> None:
    """TAV-03: an answer whose results are no list is invalid, as a search and as an answer."""
    with pytest.raises(errors.InvalidAnswer):
        tavily.to_page(body, REQUEST, snippet_chars=400, now=NOW)
    with pytest.raises(errors.InvalidAnswer):
        tavily.to_answer(body, REQUEST, snippet_chars=400, now=NOW)


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        ({"credits": 1}, 0.008),
        ({"credits": 2}, 0.016),
        ({"credits": 0}, 0.0),
        *[({"credits": -1}, None), ({"credits": 10**400}, None), ({"credits": 1000}, None), ({"credits": True}, None)],
        *[({"credits": float("inf")}, None), ({"credits": float("nan")}, None), ({"credits": "1"}, None)],
        *[({"credits": None}, None), (1, None), (None, None), ([], None), ({}, None)],
    ],
)
def test_cost(usage: object, expected: float | None) -> None:
    """TAV-04: the cost is what the credits cost, or nothing where they can't be a number of credits."""
    assert page(usage=usage).cost == expected


@given(JSON)
@settings(max_examples=100, deadline=None)
def test_any_answer(body: object) -> None:
    """TAV-03: whatever JSON an answer is, it is a page or an invalid answer, and the same as an answer and a page."""
    raw = jsonbody.decode(json.dumps(body).encode())
    for read in (
        lambda: tavily.to_page(raw, REQUEST, snippet_chars=400, now=NOW),
        lambda: tavily.to_answer(raw, REQUEST, snippet_chars=400, now=NOW),
        lambda: tavily.to_fetched(raw, vetted(URL), ()),
    ):
        try:
            assert read().backend == "Tavily"
        except errors.BackendError as error:
            assert isinstance(error, errors.InvalidAnswer | errors.BackendUnable | errors.PageUnreadable)  # noqa: PT017 - one of two right ends


@given(st.lists(st.dictionaries(st.sampled_from(["url", "title", "content", "published_date"]), JSON) | JSON), JSON)
@settings(max_examples=100, deadline=None)
def test_any_rows(rows: list[object], usage: object) -> None:
    """TAV-03, TAV-04: whatever JSON rows and usage are, a page with a good row in it shows that row."""
    found = page(*rows, row(9), usage=usage, request=SearchRequest(query="soil", count=10))
    assert found.results[-1].title == "Page 9"


ERRORS = [
    (400, errors.RequestRejected),
    (401, errors.KeyRefused),
    (403, errors.FeatureDisabled),
    (404, errors.EndpointMissing),
    (422, errors.RequestRejected),
    (429, errors.RateLimited),
    (432, errors.CreditsExhausted),
    (433, errors.CreditsExhausted),
    (500, errors.BackendBroken),
    (503, errors.BackendOverloaded),
    (504, errors.BackendTimeout),
    (418, errors.BackendBroken),
]
BODIES: dict[str, bytes] = {
    "as documented": json.dumps(faults.error_body("Refused")).encode(),
    "a detail that is a text": b'{"detail": "Not Found"}',
    "a detail that is a list": b'{"detail": [{"msg": "field required"}]}',
    "HTML": b"<html><h1>Refused</h1></html>",
    "empty": b"",
    "null": b"null",
    "wrong types": b'{"detail": {"error": {"no": "text"}}}',
    "not UTF-8": b"\xff\xfe\x00",
}


@pytest.mark.parametrize(("status", "kind"), ERRORS)
@pytest.mark.parametrize("body", BODIES)
def test_errors(status: int, kind: type[errors.BackendError], body: str) -> None:
    """TAV-05: each documented error is a kind of its own, and no body changes what its status says."""
    error = tavily.to_error(http.Reply(status=status, body=BODIES[body], retry_after=30.0), (KEY,))
    assert type(error) is kind
    assert len(error.detail) <= 200
    assert error.detail == "Refused" or body != "as documented"
    assert getattr(error, "retry_after", 30.0) == 30.0


@given(st.integers(400, 599), st.binary(max_size=200) | JSON.map(lambda value: json.dumps(value).encode()))
@settings(max_examples=100, deadline=None)
def test_any_error(status: int, body: bytes) -> None:
    """TAV-05: whatever the status and the body of a failure, it is an error of the engine."""
    assert isinstance(tavily.to_error(http.Reply(status=status, body=body), (KEY,)), errors.BackendError)


@pytest.mark.parametrize("part", [slice(None), slice(16, None), slice(9, 26)])
async def test_a_key_that_comes_back(engine: LoopbackTavily, searcher: TavilySearcher, part: slice) -> None:
    """TAV-10: an answer that holds the key, or half of it, is shown to nobody; neither is an error's message."""
    engine.fail(faults.rows(row(content=f"Your key is {engine.key[part]}")))
    with pytest.raises(errors.InvalidAnswer):
        await searcher.search(REQUEST)
    engine.fail(faults.echo(lambda call: f"{call.key[part]} is bad"))
    with pytest.raises(errors.KeyRefused) as caught:
        await searcher.search(REQUEST)
    assert engine.key[16:] not in caught.value.detail
    assert "[redacted]" in caught.value.detail


async def test_a_page_about_keys(engine: LoopbackTavily, searcher: TavilySearcher) -> None:
    """TAV-10: a page that shows what all keys begin with is shown."""
    engine.fail(faults.rows(row(content="Set your key: tvly-dev-YOUR_API_KEY.")))
    assert (await searcher.search(REQUEST)).results[0].snippet == "Set your key: tvly-dev-YOUR_API_KEY."


async def test_fetch(engine: LoopbackTavily, searcher: TavilySearcher) -> None:
    """TAV-06: one address goes to `/extract`, and the page's text comes back cleaned."""
    fetched = await searcher.fetch(PAGES[0].url)
    assert (engine.requests[0].path, engine.requests[0].json) == ("/extract", {"urls": [PAGES[0].url]})
    assert (fetched.backend, fetched.url, fetched.host) == ("Tavily", PAGES[0].url, "docs.example.org")
    assert PAGES[0].text in fetched.text
    assert not fetched.truncated


async def test_a_page_that_cant_be_fetched(engine: LoopbackTavily, searcher: TavilySearcher) -> None:
    """TAV-06: a page that Tavily couldn't read can't be read, costs nothing, and isn't asked for twice."""
    with pytest.raises(errors.PageUnreadable) as caught:
        await searcher.fetch("https://example.org/nowhere")
    assert (caught.value.detail, caught.value.billed) == ("Failed to fetch url", False)
    assert len(engine.requests) == 1


@pytest.mark.parametrize(
    "body",
    [
        *(None, [], {}, {"results": {}}, {"results": []}, {"results": [], "failed_results": []}),
        *({"results": [None, {"raw_content": 5}]}, {"results": [], "failed_results": {"url": URL}}),
    ],
)
async def test_extractions_of_wrong_types(engine: LoopbackTavily, searcher: TavilySearcher, body: object) -> None:
    """TAV-06: an extraction with neither a page nor a reason is an invalid answer."""
    engine.fail(answer(body))
    with pytest.raises(errors.InvalidAnswer):
        await searcher.fetch(URL)


@pytest.mark.parametrize("url", ["", "example.org", "ftp://example.org/", "http://127.0.0.1/", "http://intranet/", "x"])
async def test_addresses_that_arent_fetched(engine: LoopbackTavily, searcher: TavilySearcher, url: str) -> None:
    """TAV-06: an address that no result may have isn't sent anywhere."""
    with pytest.raises(errors.InvalidAddress):
        await searcher.fetch(url)
    assert not engine.requests


async def test_a_very_long_page(engine: LoopbackTavily, searcher: TavilySearcher) -> None:
    """TAV-06: of a page beyond 4 MiB the beginning is read, and that it's cut is said."""
    engine.fail(answer({"results": [{"url": URL, "raw_content": "Soil é. " * 700_000}], "failed_results": []}))
    fetched = await searcher.fetch(URL)
    assert fetched.truncated
    assert fetched.text.startswith("Soil é. Soil é.")


async def test_answer(engine: LoopbackTavily, searcher: TavilySearcher) -> None:
    """TAV-07: an answer is the engine's own words, with the results as its sources."""
    said = await searcher.answer(
        SearchRequest(query="bread at home", count=3, rules=SiteRules(owner_blocked=("docs.example.org",)))
    )
    assert engine.requests[0].json["include_answer"] == "basic"
    assert said.text.startswith("In short: Mix flour")
    assert [source.host for source in said.sources][:1] == ["www.example.net"]
    assert "docs.example.org" not in {source.host for source in said.sources}
    assert (said.backend, said.complete, said.cost) == ("Tavily", True, 0.008)


@pytest.mark.parametrize(("said", "kind"), [(None, errors.BackendUnable), (" ", errors.BackendUnable), (5, None)])
async def test_no_answer(
    engine: LoopbackTavily, searcher: TavilySearcher, said: object, kind: type[errors.BackendError] | None
) -> None:
    """TAV-07: no answer is one that couldn't be given, at its cost, and what is no text is invalid."""
    engine.fail(faults.rows(row(), answer=said, usage={"credits": 1}))
    with pytest.raises(kind or errors.InvalidAnswer) as caught:
        await searcher.answer(REQUEST)
    assert (caught.value.billed, caught.value.cost) == (True, 0.008)


async def post(engine: LoopbackTavily, body: object, path: str = "/search", key: str = KEY) -> tuple[int, Any]:
    """Send a body as it is, and return status and answer."""
    async with (
        aiohttp.ClientSession() as session,
        session.post(engine.url + path, json=body, headers={"Authorization": f"Bearer {key}"}) as response,
    ):
        return response.status, await response.json()


@pytest.mark.parametrize(
    "fields",
    [
        *({}, {"search_depth": "advanced"}, {"max_results": 0}, {"max_results": 20}, {"topic": "finance"}),
        *({"time_range": "year"}, {"start_date": "2026-01-01", "end_date": "2026-11-30"}, {"include_favicon": True}),
        *({"include_answer": True}, {"include_raw_content": "markdown"}, {"include_domains": ["example.org"]}),
    ],
)
async def test_what_tavily_takes(engine: LoopbackTavily, fields: dict[str, object]) -> None:
    """TAV-08: what the reference allows is answered as the reference says."""
    status, found = await post(engine, {"query": "bread", **fields})
    assert status == 200
    assert set(found) == {"query", "answer", "images", "results", "response_time", "request_id"}


@pytest.mark.parametrize(
    "fields",
    [
        *({"query": None}, {"query": " "}, {"query": 5}, {"search_depth": "deep"}, {"max_results": 21}),
        *({"max_results": True}, {"topic": "sports"}, {"time_range": "decade"}, {"start_date": "yesterday"}),
        *({"include_answer": "long"}, {"include_domains": "example.org"}, {"include_domains": ["a.b"] * 301}),
        *({"exclude_domains": ["a.b"] * 151}, {"num_results": 5}, {"include_usage": 1}),
    ],
)
async def test_what_tavily_refuses(engine: LoopbackTavily, fields: dict[str, object]) -> None:
    """TAV-08: what the reference forbids is refused with 400 and the documented body."""
    status, found = await post(engine, {"query": "bread", **fields})
    assert (status, set(found), set(found["detail"])) == (400, {"detail"}, {"error"})


async def test_other_refusals(engine: LoopbackTavily) -> None:
    """TAV-08: a wrong key, a wrong path and a body of a wrong shape are refused."""
    assert (await post(engine, {"query": "bread"}, key="wrong"))[0] == 401
    assert (await post(engine, {"query": "bread"}, "/v1/search"))[0] == 404
    assert (await post(engine, ["bread"]))[0] == 400
    assert (await post(engine, {"urls": []}, "/extract"))[0] == 400
    assert (await post(engine, {"urls": [URL] * 21}, "/extract"))[0] == 400


async def test_sdk(engine: LoopbackTavily) -> None:
    """TAV-09: the vendor's SDK searches, answers and extracts against the stand-in."""
    client = TavilyClient(engine.key, api_base_url=engine.url)
    found = await asyncio.to_thread(
        client.search, "telescope pictures", topic="news", max_results=2, include_answer=True, include_usage=True
    )
    assert [result["title"] for result in found["results"]] == [PAGES[1].title]
    assert found["results"][0]["published_date"] == "Sun, 29 Nov 2026 18:45:10 GMT"
    assert (found["answer"][:10], found["usage"]) == ("In short: ", {"credits": 1})
    extracted = await asyncio.to_thread(client.extract, [PAGES[0].url, "https://example.org/nowhere"])
    assert [result["url"] for result in extracted["results"]] == [PAGES[0].url]
    assert PAGES[0].text in extracted["results"][0]["raw_content"]
    assert extracted["failed_results"] == [{"url": "https://example.org/nowhere", "error": "Failed to fetch url"}]


async def test_sdk_async(engine: LoopbackTavily, searcher: TavilySearcher) -> None:
    """TAV-09: the vendor's asynchronous client finds what we find."""
    client = AsyncTavilyClient(engine.key, api_base_url=engine.url)
    theirs = await client.search("bread at home", max_results=3)
    await client.close()
    ours = await searcher.search(SearchRequest(query="bread at home", count=3))
    assert ours.results[0].url == "https://www.example.net/recipes/bread#crust"
    assert [result.title for result in ours.results[1:]] == [result["title"] for result in theirs["results"][1:]]


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, BadRequestError),
        (401, InvalidAPIKeyError),
        (429, UsageLimitExceededError),
        (432, ForbiddenError),
        (433, ForbiddenError),
    ],
)
async def test_sdk_errors(engine: LoopbackTavily, status: int, kind: type[Exception]) -> None:
    """TAV-09: the vendor's SDK reports refusals, with their messages, as it does those of Tavily."""
    engine.fail(faults.error(status, "This is why"))
    client = TavilyClient(engine.key, api_base_url=engine.url)
    with pytest.raises(kind, match="This is why"):
        await asyncio.to_thread(client.search, "bread")
