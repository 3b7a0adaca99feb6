"""What SearXNG answers and how it refuses: https://docs.searxng.org, its search API."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cogs.websearch import errors
from cogs.websearch.backends import searxng
from contract.shape import SNIPPET_CHARS, Engine, Opening, Refusal, Shape, Way
from loopback_engine.faults import answer, html
from loopback_searxng import faults

if TYPE_CHECKING:
    from collections.abc import Iterator

_ROW: Final = {
    "engine": "mock",
    "engines": ["mock", "other"],
    "score": 1.5,
    "category": "general",
    "thumbnail": "",
}


def _search(*rows: object) -> dict[str, object]:
    return {
        "query": "ginger",
        "results": list(rows),
        "answers": [{"answer": "42"}],
        "corrections": ["gingers"],
        "infoboxes": [{"infobox": "Ginger"}],
        "suggestions": ["ginger tea"],
        "unresponsive_engines": [["mock", "timeout"]] if rows else [],
    }


def _refusals() -> Iterator[Refusal]:
    yield Refusal(what="`400`", fault=faults.error(400), ends=errors.RequestRejected)
    yield Refusal(what="`403`, a page: JSON isn't switched on", fault=html(403), ends=errors.FormatDisabled)
    yield Refusal(what="`429`, a page: its limiter is on", fault=html(429), ends=errors.LimiterActive)
    yield Refusal(what="`500`", fault=faults.error(500), ends=errors.BackendBroken)
    yield Refusal(
        what="`200` without results, and engines that were silent",
        fault=answer({**_search(), "unresponsive_engines": [["mock", "timeout"]]}),
        ends=errors.PartsSilent,
    )


def _open(opening: Opening) -> searxng.SearxngSearcher:
    return searxng.SearxngSearcher(
        opening.transport, base_url=opening.url, snippet_chars=SNIPPET_CHARS, wall_clock=opening.wall_clock
    )


ENGINE: Final = Engine(
    name="searxng",
    shown=searxng.NAME,
    key="",
    open=_open,
    able=searxng.SearxngSearcher.capabilities,
    shapes={
        Way.SEARCH: Shape(
            wrap=_search,
            names={
                "url": "url",
                "title": "title",
                "text": "content",
                "published": "publishedDate",
                "image": "img_src",
            },
            extra=_ROW,
        )
    },
    error=lambda message: {"error": message},
    limited=errors.LimiterActive,
    refusals=tuple(_refusals()),
    price="Nothing.",
    proof="Nothing of SearXNG's that could be installed: it follows SearXNG's documentation field by field.",
)
