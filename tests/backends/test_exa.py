"""Make requests for Exa and read its answers, without a network."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cogs.websearch import errors
from cogs.websearch.backends import exa, http, jsonbody
from cogs.websearch.backends.rows import MOST
from cogs.websearch.models import Category, Period, SearchPage, SearchRequest, SiteRules
from engine_tools import NOW
from loopback_exa import KEY, faults

if TYPE_CHECKING:
    from collections.abc import Callable

REQUEST = SearchRequest(query="soil and carbon", count=5)
URL = "https://docs.example.org/page"


def payload(request: SearchRequest, snippet_chars: int = 400) -> dict[str, Any]:
    """Make the body of a request."""
    return exa.to_payload(request, search_type="auto", snippet_chars=snippet_chars, now=NOW)


def page(*rows: object, request: SearchRequest = REQUEST, **fields: object) -> SearchPage:
    """Read an answer that holds these rows."""
    return exa.to_page({"results": list(rows), **fields}, request, snippet_chars=400, now=NOW)


def row(number: object = 1, **fields: object) -> dict[str, object]:
    """Make a row with a URL of its own."""
    return {"title": f"Page {number}", "url": f"{URL}/{number}", **fields}


def test_plain_payload() -> None:
    """EXA-01, EXA-03: a plain search asks for as many results as are shown, moderated, with text and highlights."""
    assert payload(REQUEST) == {
        "query": "soil and carbon",
        "type": "auto",
        "numResults": 5,
        "moderation": True,
        "contents": {"highlights": {"maxCharacters": 500}, "text": {"maxCharacters": 500}},
    }


def test_without_a_filter() -> None:
    """SAFE-02: where a search isn't to be filtered, Exa is told so, and nothing else is another."""
    assert payload(SearchRequest(query="soil and carbon", count=5, safe=False)) == {
        **payload(REQUEST),
        "moderation": False,
    }


def test_options() -> None:
    """EXA-02: category, sites, blocked sites and period go along as Exa spells them."""
    body = payload(
        SearchRequest(
            query="soil",
            count=1,
            category=Category.FINANCIAL_REPORT,
            period=Period.WEEK,
            sites=("example.org", "example.com"),
            rules=SiteRules(owner_blocked=("example.net",)),
        )
    )
    assert body["category"] == "financial report"
    assert body["includeDomains"] == ("example.org", "example.com")
    assert body["excludeDomains"] == ("example.net",)
    assert body["startPublishedDate"] == "2026-11-23T12:00:00.000Z"


@pytest.mark.parametrize("category", [Category.COMPANY, Category.PEOPLE])
def test_blocked_sites_of_undated_categories(category: Category) -> None:
    """EXA-02: company and people take no blocked sites, so that their rows are filtered by us."""
    request = SearchRequest(query="soil", count=5, category=category, rules=SiteRules(owner_blocked=("example.org",)))
    assert "excludeDomains" not in payload(request)
    found = page(row(1), row(2, url="https://example.com/about"), request=request)
    assert [result.url for result in found.results] == ["https://example.com/about"]
    assert found.found == 2


def test_more_blocked_sites_than_exa_takes() -> None:
    """EXA-02: of very many blocked sites no more are sent than Exa takes."""
    rules = SiteRules(owner_blocked=tuple(f"site{number}.example.org" for number in range(1500)))
    assert len(payload(SearchRequest(query="soil", count=1, rules=rules))["excludeDomains"]) == 1200


def test_rules_of_a_server() -> None:
    """RULE-05: a server's blocked sites go before the owner's, its allowed ones where the member named none."""
    rules = SiteRules(owner_blocked=("a.example",), blocked=("b.example",), allowed=("c.example", "d.example"))
    body = payload(SearchRequest(query="soil", count=1, rules=rules))
    assert body["excludeDomains"] == ("b.example", "a.example")
    assert body["includeDomains"] == ("c.example", "d.example")
    body = payload(SearchRequest(query="soil", count=1, sites=("www.c.example",), rules=rules))
    assert body["includeDomains"] == ("www.c.example",)


@pytest.mark.parametrize(
    ("fields", "snippet"),
    [
        ({"highlights": ["first", " ", "second"], "summary": "sum", "text": "all"}, "first … second"),
        ({"highlights": [], "summary": "sum", "text": "all"}, "sum"),
        ({"highlights": ["", "  "], "summary": None, "text": "all"}, "all"),
        ({"highlights": "no list", "summary": {"no": "text"}, "text": "all"}, "all"),
        ({"highlights": [1, None, ["x"], "good"]}, "good"),
        ({"highlights": None, "summary": " \n", "text": 7}, ""),
        ({}, ""),
    ],
)
def test_snippets(fields: dict[str, object], snippet: str) -> None:
    """EXA-04: highlights come first, then the summary, then the text, and blank ones are passed over."""
    assert page(row(**fields)).results[0].snippet == snippet


def test_long_text_is_cut() -> None:
    """EXA-04: a text of 600,000 characters becomes a snippet of 400."""
    snippet = page(row(text="soil " * 120_000)).results[0].snippet
    assert len(snippet) <= 400
    assert snippet.endswith("…")


def test_half_an_emoji() -> None:
    """EXA-06: a text that Exa cut through an emoji is shown without that half."""
    body = b'{"results": [{"url": "' + URL.encode() + b'", "title": "Leaf", "text": "good \\ud83c"}]}'
    found = exa.to_page(jsonbody.decode(body), REQUEST, snippet_chars=400, now=NOW)
    assert found.results[0].snippet == "good"


def test_order_and_count() -> None:
    """EXA-05: rows stay in Exa's order, no more than asked for, and the rest is counted as found."""
    found = page(*(row(number) for number in (3, 1, 2, 5, 4, 6, 7)))
    assert [result.title for result in found.results] == ["Page 3", "Page 1", "Page 2", "Page 5", "Page 4"]
    assert found.found == 7


def test_fields_of_wrong_types() -> None:
    """EXA-06: fields of wrong types are as if they weren't there."""
    wrong = row(title=["no"], publishedDate={}, image=5, text=[], summary=0, highlights={}, author=1, extra=None)
    result = page(wrong).results[0]
    assert (result.title, result.published, result.image, result.snippet) == ("", None, None, "")


@pytest.mark.parametrize("body", [None, [], 5, "text", True, {}, {"results": None}, {"results": {}}, {"results": "x"}])
def test_answers_without_rows(body: object) -> None:
    """EXA-06: an answer whose results are no list is invalid."""
    with pytest.raises(errors.InvalidAnswer):
        exa.to_page(body, REQUEST, snippet_chars=400, now=NOW)


def test_no_rows() -> None:
    """EXA-06: an empty list is an answer: nothing was found."""
    assert page().found == 0


@pytest.mark.parametrize(
    ("cost", "expected"),
    [
        ({"total": 0.007}, 0.007),
        ({"total": 0}, 0.0),
        ({"total": -0.007}, None),
        ({"total": float("inf")}, None),
        ({"total": 10**400}, None),
        ({"total": 5000}, None),
        ({"total": True}, None),
        ({"total": "0.007"}, None),
        ({"total": None}, None),
        ({"search": {"neural": 0.005}}, None),
        (0.007, None),
        (None, None),
    ],
)
def test_cost(cost: object, expected: float | None) -> None:
    """EXA-08: the cost is a finite, sane number or nothing."""
    assert page(costDollars=cost).cost == expected


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
NAMES = st.sampled_from(["url", "title", "text", "highlights", "summary", "publishedDate", "image", "id", "author"])
ROWS = st.dictionaries(NAMES, st.just(URL) | JSON, max_size=6) | JSON


@given(st.lists(ROWS, max_size=5), JSON)
@settings(max_examples=150, deadline=None)
def test_any_rows(rows: list[object], cost: object) -> None:
    """EXA-06, EXA-08: whatever JSON the rows and the cost are, a page with a good row in it shows that row."""
    found = page(*rows, row(9), costDollars=cost, request=SearchRequest(query="soil", count=10))
    assert found.results[-1].title == "Page 9"
    assert found.found == len(rows) + 1


@given(JSON)
@settings(max_examples=150, deadline=None)
def test_any_answer(body: object) -> None:
    """EXA-06: whatever JSON an answer is, it is a page or an invalid answer."""
    raw = json.dumps(body).encode()
    try:
        assert exa.to_page(jsonbody.decode(raw), REQUEST, snippet_chars=400, now=NOW).backend == "Exa"
    except errors.InvalidAnswer as error:
        assert error.backend == "Exa"  # noqa: PT017 - one of two right ends


ERRORS = [
    *(
        (400, tag, errors.RequestRejected)
        for tag in ("INVALID_REQUEST_BODY", "INVALID_REQUEST", "NUM_RESULTS_EXCEEDED")
    ),
    *((400, tag, errors.RequestRejected) for tag in ("INVALID_NUM_RESULTS", "UNSUPPORTED_PUBLICATION_INCLUDE_FILTER")),
    *((400, tag, errors.RequestRejected) for tag in ("INVALID_JSON_SCHEMA", "SUBPAGES_LIMIT_EXCEEDED", "INVALID_URLS")),
    (400, "NO_CONTENT_FOUND", errors.RequestRejected),
    (401, "INVALID_API_KEY", errors.KeyRefused),
    *((402, tag, errors.CreditsExhausted) for tag in ("NO_MORE_CREDITS", "API_KEY_BUDGET_EXCEEDED")),
    *((402, tag, errors.CreditsExhausted) for tag in ("TEAM_BUDGET_EXCEEDED", "X402_PAYMENT_REQUIRED")),
    (403, "FEATURE_DISABLED", errors.FeatureDisabled),
    (403, "PROHIBITED_CONTENT", errors.ContentProhibited),
    (403, "CONTENT_FILTER_ERROR", errors.ContentProhibited),
    (404, "NOT_FOUND", errors.EndpointMissing),
    (429, "RATE_LIMIT_EXCEEDED", errors.RateLimited),
    (500, "DEFAULT_ERROR", errors.BackendBroken),
    (500, "INTERNAL_ERROR", errors.BackendBroken),
    (501, "UNABLE_TO_GENERATE_RESPONSE", errors.BackendUnable),
    (503, "SERVICE_OVERLOADED", errors.BackendOverloaded),
    (504, "GATEWAY_TIMEOUT", errors.BackendTimeout),
    (418, "", errors.BackendBroken),
]
BODIES: dict[str, Callable[[str], bytes]] = {
    "as documented": lambda tag: json.dumps(faults.error_body("Refused", tag)).encode(),
    "error alone": lambda _: b'{"error": "Refused"}',
    "an unknown tag": lambda _: json.dumps(faults.error_body("Refused", "TAG_OF_TOMORROW")).encode(),
    "HTML": lambda _: b"<html><h1>Refused</h1></html>",
    "empty": lambda _: b"",
    "null": lambda _: b"null",
    "a list": lambda _: b"[1]",
    "wrong types": lambda _: b'{"error": {"no": "text"}, "tag": 5}',
    "not UTF-8": lambda _: b"\xff\xfe\x00",
    "huge": lambda _: b"<p>Refused</p>" * 300_000,
}


@pytest.mark.parametrize(("status", "tag", "kind"), ERRORS)
@pytest.mark.parametrize("body", BODIES)
def test_errors(status: int, tag: str, kind: type[errors.BackendError], body: str) -> None:
    """EXA-09: each documented error is a kind of its own, and no body changes what its status says."""
    error = exa.to_error(http.Reply(status=status, body=BODIES[body](tag)), (KEY,))
    if status == 403 and body != "as documented":
        kind = errors.FeatureDisabled
    assert type(error) is kind
    assert error.tag == {"as documented": tag, "an unknown tag": "TAG_OF_TOMORROW"}.get(body, "")
    assert len(error.detail) <= 200


def test_detail() -> None:
    """EXA-09: what Exa says of an error is kept for the owner."""
    body = json.dumps(faults.error_body("numResults must be at most 100", "INVALID_NUM_RESULTS")).encode()
    error = exa.to_error(http.Reply(status=400, body=body), ())
    assert (error.detail, error.tag) == ("numResults must be at most 100", "INVALID_NUM_RESULTS")


@given(st.integers(400, 599), st.binary(max_size=200))
@settings(max_examples=100, deadline=None)
def test_any_error(status: int, body: bytes) -> None:
    """EXA-09: whatever the status and the body of a failure, it is an error of the engine."""
    assert isinstance(exa.to_error(http.Reply(status=status, body=body), (KEY,)), errors.BackendError)


def test_no_more_rows_are_looked_at_than_an_engine_sends() -> None:
    """EXA-13: the work for an answer follows what was asked for, not what was sent."""
    rows: list[object] = [{"url": "https://é.com/"} for _ in range(MOST)]
    found = page(*rows, {"url": "https://example.com/late"})
    assert (found.found, [result.host for result in found.results]) == (MOST, ["é.com"])


def test_no_more_highlights_are_read_than_an_engine_sends() -> None:
    """EXA-13: a snippet is made of the first highlights, however many there are."""
    shown = page({"url": "https://example.com/", "highlights": [" "] * exa.HIGHLIGHTS + ["late"], "text": "Text."})
    assert [result.snippet for result in shown.results] == ["Text."]
