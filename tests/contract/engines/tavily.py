"""What Tavily answers and how it refuses: https://docs.tavily.com, its REST API."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cogs.websearch import errors
from cogs.websearch.backends import tavily
from contract.shape import SAID, SNIPPET_CHARS, Engine, Opening, Refusal, Shape, Way, refused
from loopback_engine.faults import answer
from loopback_tavily import KEY, faults

if TYPE_CHECKING:
    from collections.abc import Iterator

_NAMES: Final = {"url": "url", "title": "title", "text": "content", "published": "published_date"}


def _search(*rows: object) -> dict[str, object]:
    return {
        "query": "ginger",
        "answer": SAID,
        "images": [],
        "results": list(rows),
        "response_time": 1.09,
        "usage": {"credits": 1},
        "request_id": faults.REQUEST_ID,
    }


def _extract(*rows: object) -> dict[str, object]:
    return {
        "results": list(rows),
        "failed_results": [],
        "response_time": 0.02,
        "usage": {"credits": 1},
        "request_id": faults.REQUEST_ID,
    }


def _refusals() -> Iterator[Refusal]:
    for status, ends in (
        (400, errors.RequestRejected),
        (401, errors.KeyRefused),
        (429, errors.RateLimited),
        (432, errors.CreditsExhausted),
        (433, errors.CreditsExhausted),
        (500, errors.BackendBroken),
    ):
        yield from refused(f"`{status}`", faults.error(status), ends)
    yield Refusal(
        what="`200`, and the page is among the failed ones",
        fault=answer({**_extract(), "failed_results": [{"url": "https://docs.example.org/good", "error": "Failed"}]}),
        ends=errors.PageUnreadable,
        ways=(Way.FETCH,),
    )
    yield Refusal(
        what="`200` without an answer",
        fault=answer({**_search(), "answer": None}),
        ends=errors.BackendUnable,
        ways=(Way.ANSWER,),
    )


def _open(opening: Opening) -> tavily.TavilySearcher:
    return tavily.TavilySearcher(
        opening.transport,
        key=KEY,
        base_url=opening.url,
        snippet_chars=SNIPPET_CHARS,
        answer_timeout_s=opening.timeout_s,
        wall_clock=opening.wall_clock,
    )


ENGINE: Final = Engine(
    name="tavily",
    shown=tavily.NAME,
    key=KEY,
    prefix="tvly-dev-",
    open=_open,
    able=tavily.TavilySearcher.capabilities,
    answering=tavily.TavilySearcher.answering,
    shapes={
        Way.SEARCH: Shape(wrap=_search, names=_NAMES, extra={"score": 0.9, "raw_content": None, "favicon": None}),
        Way.FETCH: Shape(
            wrap=_extract, names={"url": "url", "text": "raw_content"}, extra={"images": [], "favicon": None}
        ),
        Way.ANSWER: Shape(wrap=_search, names=_NAMES, extra={"score": 0.9, "raw_content": None, "favicon": None}),
    },
    error=faults.error_body,
    limited=errors.RateLimited,
    refusals=tuple(_refusals()),
    price="A search and an answer one credit each, five pages one, at $0.008 without a plan. What Tavily names as its "
    "credits counts.",
    proof="tavily-python, Tavily's own client, runs against it.",
)
