"""Hold the stand-in against Exa's reference and against the vendor's own SDK."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import aiohttp
import pytest
from exa_py import AsyncExa, Exa

from cogs.websearch.models import Category, Period, SearchRequest, SiteRules
from loopback_exa import KEY, LoopbackExa, faults

if TYPE_CHECKING:
    from cogs.websearch.backends.exa import ExaSearcher


async def post(exa: LoopbackExa, body: object, path: str = "/search", **headers: str) -> tuple[int, Any]:
    """Send a body as it is, and return status and answer."""
    async with (
        aiohttp.ClientSession() as session,
        session.post(exa.url + path, json=body, headers=headers or {"x-api-key": exa.key}) as response,
    ):
        return response.status, await response.json()


@pytest.mark.parametrize(
    "fields",
    [
        *({}, {"type": "lite"}, {"type": None}, {"numResults": 100}, {"category": "a hint"}, {"userLocation": "DE"}),
        *({"includeDomains": ["example.org", "example.org/docs", "*.example.com"]}, {"moderation": True}),
        {"startPublishedDate": "2026-01-01T00:00:00.000Z", "excludeDomains": ["example.net"]},
        {"category": "company", "includeDomains": ["example.com"]},
        {"contents": {"text": {"maxCharacters": 10_000}, "highlights": True, "summary": {"query": "short"}}},
        {"contents": {"maxAgeHours": -1, "extras": {"links": 3}}},
    ],
)
async def test_what_exa_takes(exa: LoopbackExa, fields: dict[str, object]) -> None:
    """EXA-10: what the reference allows is answered as the reference says."""
    status, answer = await post(exa, {"query": "bread", **fields})
    assert status == 200
    assert isinstance(answer["results"], list)
    assert answer["costDollars"]["total"] == 0.007


@pytest.mark.parametrize(
    "fields",
    [
        *({"query": None}, {"query": ""}, {"query": 5}, {"type": "neural"}, {"type": 1}, {"moderation": "yes"}),
        *({"numResults": 0}, {"numResults": 101}, {"numResults": "5"}, {"numResults": True}, {"numResults": 2.5}),
        *({"text": True}, {"highlights": True}, {"summary": {}}, {"num_results": 5}, {"category": 5}),
        *({"includeDomains": "example.org"}, {"includeDomains": ["no domain"]}, {"excludeDomains": ["a.b"] * 1201}),
        *({"startPublishedDate": "yesterday"}, {"startPublishedDate": "2026-01-01"}, {"endPublishedDate": 5}),
        *({"contents": {"text": {"maxCharacters": 0}}}, {"contents": {"highlights": {"maxCharacters": 10_001}}}),
        *({"contents": {"text": "yes"}}, {"contents": {"snippets": True}}, {"contents": {"maxAgeHours": 721}}),
        {"contents": {"livecrawl": "always", "maxAgeHours": 1}},
        {"category": "company", "startPublishedDate": "2026-01-01T00:00:00.000Z"},
        {"category": "people", "excludeDomains": ["example.net"]},
        *({"additionalQueries": []}, {"userIdentifier": "a name"}, {"objective": "x" * 4097}),
    ],
)
async def test_what_exa_refuses(exa: LoopbackExa, fields: dict[str, object]) -> None:
    """EXA-10: what the reference forbids is refused with 400 and the documented body."""
    status, answer = await post(exa, {"query": "bread", **fields})
    assert status == 400
    assert set(answer) == {"requestId", "error", "tag"}
    assert answer["tag"].startswith("INVALID_")


async def test_other_refusals(exa: LoopbackExa) -> None:
    """EXA-10: a wrong key, a wrong path and a body that is no object are refused, each with its tag."""
    assert (await post(exa, {"query": "bread"}, **{"x-api-key": "wrong"}))[1]["tag"] == "INVALID_API_KEY"
    assert (await post(exa, {"query": "bread"}, Accept="*/*"))[0] == 401
    assert (await post(exa, {"query": "bread"}, Authorization=f"Bearer {KEY}"))[0] == 200
    assert (await post(exa, {"query": "bread"}, "/v1/search"))[1]["tag"] == "NOT_FOUND"
    assert (await post(exa, ["bread"]))[1]["tag"] == "INVALID_REQUEST_BODY"


async def test_request(exa: LoopbackExa, searcher: ExaSearcher) -> None:
    """EXA-01: one POST goes to `/search`, with the key in its header and nothing that says who searches."""
    await searcher.search(SearchRequest(query="bread at home", count=4))
    (call,) = exa.requests
    assert (call.method, call.path) == ("POST", "/search")
    assert call.headers["x-api-key"] == exa.key
    assert set(call.headers) == {
        *("host", "x-api-key", "content-type", "content-length", "accept", "accept-encoding", "user-agent"),
    }
    assert set(call.json) == {"query", "type", "numResults", "moderation", "contents"}


@pytest.mark.parametrize("category", [None, *Category])
@pytest.mark.parametrize("period", [None, *Period])
async def test_every_combination_is_taken(
    exa: LoopbackExa, searcher: ExaSearcher, category: Category | None, period: Period | None
) -> None:
    """EXA-02: no combination of options that the engine says to honour is refused."""
    if period and category in searcher.capabilities.undated:
        period = None
    request = SearchRequest(
        query="x",
        count=10,
        category=category,
        period=period,
        sites=("example.org",),
        rules=SiteRules(owner_blocked=("ir.example.com",)),
    )
    page = await searcher.search(request)
    assert len(exa.requests) == 1
    assert all(result.host.endswith("example.org") for result in page.results)


async def test_results(searcher: ExaSearcher) -> None:
    """EXA-05: the results of a real search come cleaned, dated and in order, in whatever script."""
    page = await searcher.search(SearchRequest(query="始発電車に乗って", count=10))
    assert page.results[0].title == "始発電車で行く小さな旅"
    assert page.results[0].published is not None
    assert page.results[0].published.hour == 12
    assert (page.backend, page.found, len(page.results), page.cost) == ("Exa", 10, 10, 0.007)


async def test_sdk(exa: LoopbackExa) -> None:
    """EXA-11: the vendor's SDK reads every field of a search with contents, and of its cost."""
    client = Exa(exa.key, base_url=exa.url)
    found = await asyncio.to_thread(
        client.search,
        "telescope pictures",
        num_results=2,
        category="news",
        start_published_date="2026-11-01T00:00:00.000Z",
        contents={"text": {"max_characters": 100}, "highlights": True, "summary": {"query": "in short"}},
    )
    (result,) = found.results
    assert result.title == "New telescope sends its first pictures of a distant galaxy"
    assert result.published_date == "2026-11-29T18:45:10.123Z"
    assert result.text
    assert len(result.text) == 100
    assert result.highlights
    assert result.summary
    assert found.cost_dollars is not None
    assert found.cost_dollars.total == 0.007


async def test_sdk_async(exa: LoopbackExa, searcher: ExaSearcher) -> None:
    """EXA-11: the vendor's asynchronous client finds what we find."""
    async with AsyncExa(exa.key, api_base=exa.url) as client:
        theirs = await client.search("bread at home", num_results=3, contents=False)
    ours = await searcher.search(SearchRequest(query="bread at home", count=3))
    assert ours.results[0].url == "https://www.example.net/recipes/bread#crust"
    assert [result.title for result in theirs.results[1:]] == [result.title for result in ours.results[1:]]


async def test_sdk_errors(exa: LoopbackExa) -> None:
    """EXA-11: the vendor's SDK reports refusals as it does those of Exa."""
    wrong = Exa("wrong", base_url=exa.url)
    with pytest.raises(ValueError, match=r"status code 401.*INVALID_API_KEY"):
        await asyncio.to_thread(wrong.search, "bread")
    right = Exa(exa.key, base_url=exa.url)
    with pytest.raises(ValueError, match=r"status code 400.*INVALID_REQUEST"):
        await asyncio.to_thread(right.search, "bread", category="people", exclude_domains=["example.org"])
    exa.fail(faults.error(429, "RATE_LIMIT_EXCEEDED"))
    with pytest.raises(ValueError, match=r"status code 429.*RATE_LIMIT_EXCEEDED"):
        await asyncio.to_thread(right.search, "bread")


async def test_held_answers(exa: LoopbackExa, searcher: ExaSearcher) -> None:
    """EXA-10: the stand-in answers when the test says so."""
    exa.hold()
    search = asyncio.create_task(searcher.search(SearchRequest(query="bread", count=1)))
    await exa.received(1)
    assert not search.done()
    exa.release()
    assert (await search).found == 1
