"""Stand in for an instance of SearXNG on loopback, with its limiter and with JSON switched on or off.

SearXNG has no library for searching to prove it right: it follows the summary of its reference field by field.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Final

from aiohttp import web

from loopback_engine import PAGES, Call, Fault, LoopbackEngine, Page, rank

from . import faults

__all__ = ["Call", "Fault", "LoopbackSearxng", "Page", "faults"]

TODAY: Final = datetime(2026, 11, 30, 12, tzinfo=UTC)
_DAYS: Final = {"day": 1, "week": 7, "month": 31, "year": 366}
_CATEGORIES: Final = {"general": "", "news": "news", "science": "publication"}
_PARAMS: Final = frozenset({"q", "format", "categories", "language", "time_range", "safesearch", "pageno"})
_LIBRARIES: Final = ("python", "aiohttp", "httpx", "curl")
# An engine or a category of the instance, by its name or its shortcut.
_ENGINES: Final = frozenset({"!wp", "!wikipedia", "!g", "!news", "!images"})


class LoopbackSearxng(LoopbackEngine):
    """Serve `/search` as SearXNG does; `json` is false where an instance doesn't list it, as none does at first.

    `limiter` is true where it's switched on. `specific` holds the queries that asked for an engine by a bang.
    """

    def __init__(self, *, pages: tuple[Page, ...] = PAGES, json: bool = True, limiter: bool = True) -> None:
        super().__init__(key="", pages=pages)
        self.json = json
        self.limiter = limiter
        self.specific: list[str] = []

    def answer(self, call: Call) -> web.Response:
        """Answer a search, or refuse it, as SearXNG's reference says."""
        return self._refused(call) or self._searched(call.params)

    def _refused(self, call: Call) -> web.Response | None:
        params = call.params
        if call.path != "/search" or call.method != "GET":
            return faults.page(404, "Page not found")
        if self.limiter and _is_unwanted(call):
            return faults.page(429, "Too Many Requests")
        if params.get("format") != "json" or not self.json:
            return faults.page(403, "Forbidden")
        if not params.get("q", "").strip():
            return web.json_response({"error": "No query"}, status=400)
        return None if _are_valid(params) else web.json_response({"error": "Invalid value"}, status=400)

    def _searched(self, params: dict[str, str]) -> web.Response:
        words = params["q"].split()
        if any(re.fullmatch(r"!!\w+", word) for word in words):
            return web.Response(status=302, headers={"Location": "https://example.com/elsewhere"})
        if _ENGINES & set(words):
            self.specific.append(params["q"])
        return web.json_response(self._found(params))

    def _found(self, params: dict[str, str]) -> dict[str, object]:
        category = _CATEGORIES[params.get("categories", "general")]
        found = [page for page in rank(params["q"], self.pages) if not category or page.category == category]
        if params.get("time_range"):
            start = TODAY - timedelta(days=_DAYS[params["time_range"]])
            found = [page for page in found if page.published and _instant(page.published) >= start]
        return faults.body(*(_row(page, params.get("categories", "general")) for page in found), query=params["q"])


def _is_unwanted(call: Call) -> bool:
    agent = call.headers.get("user-agent", "").lower()
    return (
        "text/html" not in call.headers.get("accept", "")
        or not call.headers.get("accept-language")
        or not agent
        or any(library in agent for library in _LIBRARIES)
    )


def _are_valid(params: dict[str, str]) -> bool:
    return (
        not params.keys() - _PARAMS
        and params.get("categories", "general") in _CATEGORIES
        and params.get("time_range", "day") in _DAYS
        and params.get("safesearch", "0") in {"0", "1", "2"}
        and params.get("pageno", "1").isdecimal()
    )


def _instant(text: str) -> datetime:
    found = datetime.fromisoformat(text)
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def _row(page: Page, category: str) -> dict[str, object]:
    return {
        "url": page.url,
        "title": page.title,
        "content": page.text,
        "engine": "mock",
        "engines": ["mock", "other"],
        "score": 1.5,
        "category": category,
        "publishedDate": _instant(page.published).replace(tzinfo=None).isoformat() if page.published else None,
        "img_src": page.image,
        "thumbnail": "",
    }
