"""Ask SearXNG and read its answers."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import aiohttp
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cogs.websearch import errors
from cogs.websearch.backends import http, jsonbody, searxng
from cogs.websearch.backends.base import require
from cogs.websearch.i18n import Words
from cogs.websearch.models import Category, Period, SearchPage, SearchRequest, SiteRules
from cogs.websearch.wording import explain
from engine_tools import NOW, open_searxng
from loopback_engine.faults import html
from loopback_searxng import LoopbackSearxng
from made_json import JSON

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from cogs.websearch.backends.searxng import SearxngSearcher
    from engine_tools import FakeTime

REQUEST = SearchRequest(query="soil and carbon", count=5)
URL = "https://docs.example.org/page"


@pytest.fixture
async def engine() -> AsyncIterator[LoopbackSearxng]:
    """Run a stand-in for an instance of SearXNG whose limiter is on and that lists json."""
    async with LoopbackSearxng() as running:
        yield running


@pytest.fixture
async def searcher(engine: LoopbackSearxng, fake_time: FakeTime) -> AsyncIterator[SearxngSearcher]:
    """Open a searcher that asks the stand-in and waits on the fake clock."""
    opened = open_searxng(engine, fake_time)
    yield opened
    await opened.close()


def page(*rows: object, request: SearchRequest = REQUEST, **fields: object) -> SearchPage:
    """Read an answer that holds these rows."""
    return searxng.to_page({"results": list(rows), **fields}, request, snippet_chars=400, now=NOW)


def row(number: object = 1, **fields: object) -> dict[str, object]:
    """Make a row with a URL of its own."""
    return {"title": f"Page {number}", "url": f"{URL}/{number}", **fields}


async def test_request(engine: LoopbackSearxng, searcher: SearxngSearcher) -> None:
    """SXNG-01: one GET passes the limiter, with query and format alone, and nothing that says who searches."""
    await searcher.search(SearchRequest(query="bread & 100 % #1", count=4))
    (call,) = engine.requests
    assert (call.method, call.path, call.body) == ("GET", "/search", b"")
    assert call.params == {"q": "bread & 100 % #1", "format": "json", "safesearch": "2"}
    assert set(call.headers) == {"host", "accept", "accept-language", "accept-encoding", "user-agent"}


async def test_without_a_filter(engine: LoopbackSearxng, searcher: SearxngSearcher) -> None:
    """SAFE-02: where a search isn't to be filtered, the instance is told so."""
    await searcher.search(SearchRequest(query="bread", count=4, safe=False))
    assert [call.params["safesearch"] for call in engine.requests] == ["0"]


@pytest.mark.parametrize("base", ["https://example.org/searxng", "https://example.org/searxng/"])
def test_addresses(base: str) -> None:
    """SXNG-01: an instance may stand below a path."""
    assert str(searxng.to_url(base, SearchRequest(query="soil", count=1))).startswith(
        "https://example.org/searxng/search?q=soil&"
    )


def test_options() -> None:
    """SXNG-02: a category and a period go along as SearXNG spells them."""
    url = searxng.to_url(
        "https://example.org",
        SearchRequest(query="soil", count=1, category=Category.PUBLICATION, period=Period.MONTH),
    )
    assert dict(url.query) == {
        "q": "soil",
        "format": "json",
        "safesearch": "2",
        "categories": "science",
        "time_range": "month",
    }


@pytest.mark.parametrize("category", [None, Category.NEWS, Category.PUBLICATION])
@pytest.mark.parametrize("period", [None, *Period])
async def test_every_combination_is_taken(
    engine: LoopbackSearxng, searcher: SearxngSearcher, category: Category | None, period: Period | None
) -> None:
    """SXNG-02: no combination of options that the engine says to honour is refused."""
    request = SearchRequest(query="x", count=10, category=category, period=period)
    require(searcher, request)
    found = await searcher.search(request)
    assert found.backend == "SearXNG"
    assert len(engine.requests) == 1


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"category": Category.COMPANY}, "category “Companies”: take another one, or leave that option out."),
        ({"category": Category.PEOPLE}, "category “People”: take another one, or leave that option out."),
        (
            {"category": Category.PERSONAL_SITE},
            "category “Personal sites”: take another one",
        ),
        ({"category": Category.FINANCIAL_REPORT, "period": Period.DAY}, "category “Financial reports”: take another"),
        ({"sites": ("example.org",)}, "site: leave that option out."),
    ],
)
async def test_what_is_not_honoured(searcher: SearxngSearcher, fields: dict[str, Any], said: str) -> None:
    """SXNG-02: what SearXNG can't filter by is told, not dropped or faked."""
    with pytest.raises(errors.OptionUnsupported) as caught:
        require(searcher, SearchRequest(query="soil", count=1, **fields))
    assert explain(caught.value, Words()).startswith(f"SearXNG can't be searched by {said}")


async def test_blocked_sites(searcher: SearxngSearcher) -> None:
    """SXNG-02: blocked sites are filtered by us, and never go along."""
    request = SearchRequest(query="bread at home", count=3, rules=SiteRules(owner_blocked=("example.net",)))
    found = await searcher.search(request)
    assert len(found.results) == 3
    assert not [result for result in found.results if result.host.endswith("example.net")]
    assert "example.net" not in str(searxng.to_url("https://example.org", request))


async def test_results(searcher: SearxngSearcher) -> None:
    """SXNG-04: the results of a real search come cleaned, dated and in order, as many as asked for, at no cost."""
    found = await searcher.search(SearchRequest(query="始発電車に乗って", count=2))
    assert found.results[0].title == "始発電車で行く小さな旅"
    assert found.results[0].published is not None
    assert (len(found.results), found.cost) == (2, 0.0)
    found = await searcher.search(SearchRequest(query="telescope pictures", count=1))
    assert found.results[0].image == "https://news.example.com/img/galaxy.jpg"


@pytest.mark.parametrize(
    ("typed", "asked"),
    [
        ("!!g bread", "g bread"),
        ("!g bread", "g bread"),
        ("bread !wp", "bread wp"),
        ("bread !! home", "bread home"),
        (":fr bread", "fr bread"),
        ("<1 bread", "1 bread"),
        ("!:<!g bread", "g bread"),
        ("Bread! What is !important: a < b", "Bread! What is important: a b"),
        ("C++ <algorithm> 10:30 a!b", "C++ algorithm> 10:30 a!b"),
    ],
)
async def test_instructions(engine: LoopbackSearxng, searcher: SearxngSearcher, typed: str, asked: str) -> None:
    """SXNG-03: words that SearXNG reads as instructions are searched for, without the signs before them."""
    found = await searcher.search(SearchRequest(query=typed, count=1))
    assert found.results
    assert engine.requests[0].params["q"] == asked
    assert not engine.specific


async def test_nothing_but_instructions(engine: LoopbackSearxng, searcher: SearxngSearcher) -> None:
    """SXNG-03: where nothing is left, there's nothing to search for, and nothing is sent."""
    with pytest.raises(errors.EmptyQuery):
        await searcher.search(SearchRequest(query="!! :", count=1))
    assert not engine.requests


async def test_a_redirect(engine: LoopbackSearxng, searcher: SearxngSearcher) -> None:
    """SXNG-03: should an instance redirect all the same, nothing is asked there."""

    async def act(_: object) -> aiohttp.web.StreamResponse:
        return aiohttp.web.Response(status=302, headers={"Location": engine.url + "/elsewhere"})

    engine.fail(act)
    with pytest.raises(errors.UnexpectedRedirect):
        await searcher.search(REQUEST)
    assert len(engine.requests) == 1


@given(st.text(st.sampled_from("!:<ag \u3000\u00a0\x1f"), min_size=1, max_size=20))
@settings(max_examples=150, deadline=None)
def test_any_query(typed: str) -> None:
    """SXNG-03: whatever was typed, no word of what is asked begins with a sign of instructions."""
    try:
        asked = searxng.to_query(typed)
    except errors.EmptyQuery:
        assert not {"a", "g"} & set(typed)
        return
    assert asked
    assert not [word for word in asked.split() if word[0] in "!:<"]
    assert searxng.to_query(asked) == asked


def test_fields_of_wrong_types() -> None:
    """SXNG-04: fields of wrong types are as if they weren't there."""
    wrong = row(title=["no"], publishedDate={}, content=5, thumbnail=[], img_src=1, engines="x", score=None)
    result = page(wrong).results[0]
    assert (result.title, result.published, result.image, result.snippet) == ("", None, None, "")


@pytest.mark.parametrize("body", [None, [], 5, "text", True, {}, {"results": None}, {"results": {}}, {"results": "x"}])
def test_answers_without_rows(body: object) -> None:
    """SXNG-04: an answer whose results are no list is invalid."""
    with pytest.raises(errors.InvalidAnswer):
        searxng.to_page(body, REQUEST, snippet_chars=400, now=NOW)


@given(st.lists(JSON) | JSON, JSON)
@settings(max_examples=100, deadline=None)
def test_any_answer(results: object, silent: object) -> None:
    """SXNG-04, SXNG-06: whatever JSON an answer is, it is a page, an invalid answer or a failure."""
    body = jsonbody.decode(json.dumps({"results": results, "unresponsive_engines": silent}).encode())
    try:
        assert searxng.to_page(body, REQUEST, snippet_chars=400, now=NOW).backend == "SearXNG"
    except errors.BackendError as error:
        assert isinstance(error, errors.InvalidAnswer | errors.PartsSilent)  # noqa: PT017 - two of three right ends


@pytest.mark.parametrize(
    ("silent", "detail"),
    [
        ([["google", "CAPTCHA"], ["bing", "timeout"]], "google: CAPTCHA; bing: timeout"),
        ([[f"engine{number}", "timeout"] for number in range(9)], "; ".join(f"engine{n}: timeout" for n in range(5))),
        ([["soil and carbon", "soil and carbon"]], "[redacted]: [redacted]"),
        (["google", 5, None, [], [5, None], ["bing"]], ""),
        ([[], [5, None], ["bing", 5]], "bing"),
        ("google", ""),
    ],
)
def test_nothing_found_by_silent_engines(silent: object, detail: str) -> None:
    """SXNG-06: an empty list beside engines that gave no response is a failure that names the first of them."""
    with pytest.raises(errors.PartsSilent) as caught:
        page(unresponsive_engines=silent)
    assert caught.value.detail == detail
    assert page(row(), unresponsive_engines=silent).found == 1


@pytest.mark.parametrize("silent", [[], None, {}])
def test_nothing_found(silent: object) -> None:
    """SXNG-06: an empty list is an answer where every engine gave one: nothing was found."""
    assert page(unresponsive_engines=silent).found == 0


ERRORS = [
    (400, errors.RequestRejected),
    (401, errors.FeatureDisabled),
    (403, errors.FormatDisabled),
    (404, errors.EndpointMissing),
    (429, errors.LimiterActive),
    (500, errors.BackendBroken),
    (503, errors.BackendOverloaded),
    (504, errors.BackendTimeout),
    (418, errors.BackendBroken),
]
BODIES: dict[str, bytes] = {
    "as documented": b'{"error": "Refused"}',
    "HTML": b"<!doctype html><title>Refused</title>",
    "empty": b"",
    "null": b"null",
    "wrong types": b'{"error": {"no": "text"}}',
    "not UTF-8": b"\xff\xfe\x00",
}


@pytest.mark.parametrize(("status", "kind"), ERRORS)
@pytest.mark.parametrize("body", BODIES)
def test_errors(status: int, kind: type[errors.BackendError], body: str) -> None:
    """SXNG-05: each documented error is a kind of its own, and no body changes what its status says."""
    error = searxng.to_error(http.Reply(status=status, body=BODIES[body]), ())
    assert type(error) is kind
    assert len(error.detail) <= 200


def test_a_wait() -> None:
    """SXNG-05: a 429 that names a wait is that of a gateway, and worth waiting for."""
    error = searxng.to_error(http.Reply(status=429, body=b"", retry_after=30.0), ())
    assert isinstance(error, errors.RateLimited)
    assert error.retry_after == 30.0


@given(st.integers(400, 599), st.binary(max_size=200) | JSON.map(lambda value: json.dumps(value).encode()))
@settings(max_examples=100, deadline=None)
def test_any_error(status: int, body: bytes) -> None:
    """SXNG-05: whatever the status and the body of a failure, it is an error of the engine."""
    assert isinstance(searxng.to_error(http.Reply(status=status, body=body), ("query",)), errors.BackendError)


async def test_json_switched_off(fake_time: FakeTime) -> None:
    """SXNG-05: an instance that doesn't list json, as none does at first, is told apart and isn't asked again."""
    async with LoopbackSearxng(json=False) as engine:
        searcher = open_searxng(engine, fake_time)
        with pytest.raises(errors.FormatDisabled) as caught:
            await searcher.search(REQUEST)
        assert (len(engine.requests), caught.value.detail) == (1, "Forbidden Forbidden")
        await searcher.close()


async def test_a_limiter_that_lets_nobody_pass(engine: LoopbackSearxng, searcher: SearxngSearcher) -> None:
    """SXNG-05: a limiter that turns us away is told apart from too many searches."""
    engine.fail(always=html(429))
    with pytest.raises(errors.LimiterActive):
        await searcher.search(REQUEST)


async def ask(engine: LoopbackSearxng, path: str, **headers: str | None) -> tuple[int, Any]:
    """Send a GET as it is, and return status and answer."""
    sent = {"Accept": "text/html", "Accept-Language": "en", "User-Agent": "A browser", **headers}
    async with (
        aiohttp.ClientSession() as session,
        session.get(
            engine.url + path,
            headers={name: value for name, value in sent.items() if value is not None},
            skip_auto_headers=[name for name, value in sent.items() if value is None],
            allow_redirects=False,
        ) as response,
    ):
        raw = await response.text()
        return response.status, json.loads(raw) if raw.startswith("{") else raw


@pytest.mark.parametrize(
    "query",
    [
        *("q=bread", "q=bread&categories=news", "q=bread&time_range=day", "q=bread&safesearch=0&pageno=2"),
        "q=bread&language=de",
    ],
)
async def test_what_searxng_takes(engine: LoopbackSearxng, query: str) -> None:
    """SXNG-07: what the reference allows is answered as the reference says."""
    status, found = await ask(engine, f"/search?format=json&{query}")
    assert status == 200
    assert set(found) == {
        *("query", "results", "answers", "corrections", "infoboxes", "suggestions", "unresponsive_engines"),
    }


@pytest.mark.parametrize(
    ("path", "status", "headers"),
    [
        ("/search?format=json", 400, {}),
        ("/search?format=json&q=", 400, {}),
        ("/search?format=json&q=x&time_range=decade", 400, {}),
        ("/search?format=json&q=x&safesearch=3", 400, {}),
        ("/search?format=json&q=x&site=example.org", 400, {}),
        ("/search?q=x", 403, {}),
        ("/nowhere?format=json&q=x", 404, {}),
        ("/search?format=json&q=x", 429, {"Accept": "application/json"}),
        ("/search?format=json&q=x", 429, {"Accept-Language": None}),
        ("/search?format=json&q=x", 429, {"User-Agent": "python-requests/2"}),
        ("/search?format=json&q=!!g+x", 302, {}),
    ],
)
async def test_what_searxng_refuses(
    engine: LoopbackSearxng, path: str, status: int, headers: dict[str, str | None]
) -> None:
    """SXNG-07: what the reference forbids, and whom its limiter turns away, is refused as it says."""
    found, body = await ask(engine, path, **headers)
    assert found == status
    assert (set(body) == {"error"}) == (status == 400)


async def test_bangs_of_the_instance(engine: LoopbackSearxng) -> None:
    """SXNG-07: a query with a bang is answered by the engine that it names."""
    assert (await ask(engine, "/search?format=json&q=!wp+x"))[0] == 200
    assert engine.specific == ["!wp x"]
