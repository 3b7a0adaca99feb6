"""Stand in for Jina on loopback: its search and its reader on one address, told apart by the method.

Jina has no library for these two to prove it right: it follows the summary of its reference field by field.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Final

from aiohttp import web

from loopback_engine import PAGES, Call, Fault, LoopbackEngine, Page, rank

from . import faults

__all__ = ["KEY", "Call", "Fault", "LoopbackJina", "Page", "faults"]

# The shape of a real key; no such key exists.
KEY: Final = "jina_c41f09be7a5d4f2e8d36b1509a7ce2f4XkQ3vLz8Rt0Wy5Np"
# What a search is counted as at least, in tokens.
SEARCH_TOKENS: Final = 10_000
_PARAMS: Final = frozenset({"q", "num", "gl", "hl", "page"})
_MOST: Final = 20


class LoopbackJina(LoopbackEngine):
    """Serve `GET /?q=` as Jina's search does, and `POST /` as its reader does."""

    def __init__(self, *, key: str = KEY, pages: tuple[Page, ...] = PAGES) -> None:
        super().__init__(key=key, pages=pages)

    def answer(self, call: Call) -> web.Response:
        """Answer a search or read a page, or refuse it, as Jina's reference says."""
        reads = call.method == "POST"
        # The reader's key may be left out; a wrong one is refused there, too.
        if call.key != self.key and not (reads and not call.key):
            return faults.refuse(401, 40103, "AuthenticationFailedError", "Invalid API key, please check your key.")
        if call.method not in {"GET", "POST"} or call.path != "/":
            return faults.refuse(404, 40400, "NotFoundError", "No such route")
        if "application/json" not in call.headers.get("accept", ""):
            return web.Response(text="# A page as text")
        return self._read(call) if reads else self._search(call)

    def _search(self, call: Call) -> web.Response:
        params = call.params
        number = params.get("num", "10")
        if not params.get("q") or params.keys() - _PARAMS or not number.isdecimal() or int(number) > _MOST:
            return faults.refuse(400, 40001, "ParamValidationError", "Invalid parameters")
        # Unlike those of other engines, a search of Jina's that nothing matches is an error.
        words = params["q"].casefold().split()
        hits = [page for page in rank(params["q"], self.pages) if _hit(page, words)][: int(number)]
        if not hits:
            return faults.refuse(422, 42206, "AssertionFailureError", "No search results available for query")
        bare = call.headers.get("x-respond-with") == "no-content"
        return web.json_response(
            {
                "code": 200,
                "status": 20_000,
                "data": [_row(page, "" if bare else page.text, SEARCH_TOKENS // len(hits)) for page in hits],
                "meta": {"usage": {"tokens": SEARCH_TOKENS}},
            }
        )

    def _read(self, call: Call) -> web.Response:
        try:
            url = json.loads(call.body)["url"]
        except (ValueError, KeyError, TypeError):
            return faults.refuse(400, 40001, "ParamValidationError", "Invalid url")
        page = next((page for page in self.pages if page.url == url), None)
        if page is None:
            return faults.refuse(422, 42206, "AssertionFailureError", "No content available for URL")
        tokens = len(page.text) // 4
        return web.json_response(
            {
                "code": 200,
                "status": 20_000,
                "data": _row(page, page.text, tokens),
                "meta": {"usage": {"tokens": tokens}},
            }
        )


def _hit(page: Page, words: list[str]) -> bool:
    text = f"{page.title} {page.text}".casefold()
    return any(word in text for word in words)


def _row(page: Page, content: str, tokens: int) -> dict[str, object]:
    row: dict[str, object] = {
        "title": page.title,
        "url": page.url,
        "description": page.text[:160],
        "content": content,
        "usage": {"tokens": tokens},
    }
    if page.published:
        moment = datetime.fromisoformat(page.published)
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        row["publishedTime"] = f"{moment.astimezone(UTC):%a, %d %b %Y %H:%M:%S} GMT"
    return row
