"""What Exa answers and how it refuses: its reference of API 2.0.0, https://exa.ai/docs/reference."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cogs.websearch import errors
from cogs.websearch.backends import exa
from contract.shape import SAID, SNIPPET_CHARS, Engine, Opening, Refusal, Shape, Way, refused
from loopback_exa import KEY, faults

if TYPE_CHECKING:
    from collections.abc import Iterator

_NAMES: Final = {"url": "url", "title": "title", "text": "text", "published": "publishedDate", "image": "image"}
_ROW: Final = {
    "id": "https://docs.example.org/good#id",
    "author": None,
    "favicon": "https://docs.example.org/favicon.ico",
    "highlights": [],
    "highlightScores": [0.5],
    "summary": "",
    "subpages": [{"url": "https://docs.example.org/sub", "title": "Sub"}],
    "extras": {"links": ["https://docs.example.org/more"], "imageLinks": []},
    "score": 0.4,
}
_COST: Final = {
    "total": 0.005, "search": {"neural": 0.005}, "contents": {"text": 0.0, "highlights": 0.0, "summary": 0.0},
}  # fmt: skip


def _search(*rows: object) -> dict[str, object]:
    return {
        "requestId": faults.REQUEST_ID,
        "resolvedSearchType": "",
        "results": list(rows),
        "searchTime": 412.5,
        "costDollars": _COST,
        "warnings": [{"code": "IGNORED_FIELD", "path": "/x", "message": "ignored"}],
    }


def _contents(*rows: object) -> dict[str, object]:
    return {
        **_search(*rows),
        "statuses": [{"id": "https://docs.example.org/good", "status": "success", "source": "cached"}],
    }


def _answer(*rows: object) -> dict[str, object]:
    return {"requestId": faults.REQUEST_ID, "answer": SAID, "citations": list(rows), "costDollars": _COST}


_TAGS: Final[dict[int, tuple[type[errors.BackendError], str]]] = {
    400: (
        errors.RequestRejected,
        (
            "INVALID_REQUEST_BODY INVALID_REQUEST INVALID_NUM_RESULTS NUM_RESULTS_EXCEEDED INVALID_JSON_SCHEMA "
            "SUBPAGES_LIMIT_EXCEEDED UNSUPPORTED_PUBLICATION_INCLUDE_FILTER NO_CONTENT_FOUND INVALID_URLS"
        ),
    ),
    401: (errors.KeyRefused, "INVALID_API_KEY"),
    402: (
        errors.CreditsExhausted,
        "NO_MORE_CREDITS API_KEY_BUDGET_EXCEEDED TEAM_BUDGET_EXCEEDED X402_PAYMENT_REQUIRED",
    ),
    403: (errors.FeatureDisabled, "FEATURE_DISABLED"),
    404: (errors.EndpointMissing, "NOT_FOUND"),
    429: (errors.RateLimited, "RATE_LIMIT_EXCEEDED"),
    500: (errors.BackendBroken, "DEFAULT_ERROR INTERNAL_ERROR"),
    501: (errors.BackendUnable, "UNABLE_TO_GENERATE_RESPONSE"),
    503: (errors.BackendOverloaded, "SERVICE_OVERLOADED"),
}


def _failed_crawl(tag: str, status: int | None) -> object:
    error = {"tag": tag, "httpStatusCode": status}
    return {**_contents(), "statuses": [{"id": "https://docs.example.org/good", "status": "error", "error": error}]}


def _refusals() -> Iterator[Refusal]:
    for status, (ends, tags) in _TAGS.items():
        for tag in tags.split():
            yield from refused(f"`{status} {tag}`", faults.error(status, tag), ends)
    for tag in ("PROHIBITED_CONTENT", "CONTENT_FILTER_ERROR"):
        yield Refusal(what=f"`403 {tag}`", fault=faults.error(403, tag), ends=errors.ContentProhibited)
    for tag, code in (
        ("CRAWL_NOT_FOUND", 404),
        ("CRAWL_HTTP_403", 403),
        ("CRAWL_TIMEOUT", None),
        ("CRAWL_LIVECRAWL_TIMEOUT", None),
        ("SOURCE_NOT_AVAILABLE", None),
        ("UNSUPPORTED_URL", None),
        ("CRAWL_UNKNOWN_ERROR", 500),
    ):
        fault = faults.answer(_failed_crawl(tag, code))
        yield Refusal(
            what=f"`200`, the page's status is `{tag}`", fault=fault, ends=errors.PageUnreadable, ways=(Way.FETCH,)
        )
    yield Refusal(what="`429` with `error` alone", fault=faults.error(429), ends=errors.RateLimited)
    yield Refusal(what="`504`", fault=faults.error(504), ends=errors.BackendTimeout)


def _open(opening: Opening) -> exa.ExaSearcher:
    return exa.ExaSearcher(
        opening.transport,
        key=KEY,
        base_url=opening.url,
        search_type="auto",
        snippet_chars=SNIPPET_CHARS,
        answer_timeout_s=opening.timeout_s,
        wall_clock=opening.wall_clock,
    )


ENGINE: Final = Engine(
    name="exa",
    shown=exa.NAME,
    key=KEY,
    open=_open,
    able=exa.ExaSearcher.capabilities,
    answering=exa.ExaSearcher.answering,
    shapes={
        Way.SEARCH: Shape(wrap=_search, names=_NAMES, extra=_ROW),
        Way.FETCH: Shape(wrap=_contents, names=_NAMES, extra=_ROW),
        Way.ANSWER: Shape(wrap=_answer, names=_NAMES, extra=_ROW),
    },
    error=lambda message: faults.error_body(message, "DEFAULT_ERROR"),
    streams=True,
    limited=errors.RateLimited,
    refusals=tuple(_refusals()),
    price="A search $0.007, with `lite` as `exa-search-type` $0.004, with the deep ones $0.012; a page $0.001; an "
    "answer $0.005. What Exa names as its cost counts.",
    proof="exa-py, Exa's own client, runs against it.",
)
