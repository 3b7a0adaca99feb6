"""Stand in for Exa on loopback: it takes what Exa takes, refuses what Exa refuses, and misbehaves on request."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any, Final

from aiohttp import web

from loopback_engine import PAGES, Call, Fault, LoopbackEngine, Page, rank, within

from . import faults
from .rules import problem

__all__ = ["KEY", "Call", "Fault", "LoopbackExa", "Page", "faults"]

# The shape of a real key, a UUID; no such key exists.
KEY: Final = "5f0c9d1e-7a3b-4c52-9e86-d4b1a2f37c60"
# Exa's price for a search with up to ten results, text and highlights included, in US dollars.
PRICE: Final = 0.007


class LoopbackExa(LoopbackEngine):
    """Serve `/search` as Exa does."""

    def __init__(self, *, key: str = KEY, pages: tuple[Page, ...] = PAGES) -> None:
        super().__init__(key=key, pages=pages)

    def answer(self, call: Call) -> web.Response:
        """Answer a search, or refuse it, as Exa's reference says."""
        if call.key != self.key:
            return _refuse(401, "INVALID_API_KEY", "Invalid API key")
        if call.method != "POST" or call.path != "/search":
            return _refuse(404, "NOT_FOUND", f"Cannot {call.method} {call.path}")
        try:
            body = json.loads(call.body)
        except ValueError:
            return _refuse(400, "INVALID_REQUEST_BODY", "Request body is no JSON")
        refusal = problem(body)
        if refusal:
            return _refuse(400, *refusal)
        contents = body.get("contents") or {}
        found = [page for page in rank(body["query"], self.pages) if _wanted(page, body)]
        results = [_row(page, contents) for page in found[: body.get("numResults") or 10]]
        return web.json_response(
            {
                "requestId": faults.REQUEST_ID,
                "resolvedSearchType": "",
                "results": results,
                "searchTime": 412.5,
                "costDollars": {"total": PRICE, "search": {"neural": PRICE}},
            },
            headers={"x-request-id": faults.REQUEST_ID, "x-exa-queued": "false"},
        )


def _refuse(status: int, tag: str, message: str) -> web.Response:
    return web.json_response(faults.error_body(message, tag), status=status)


def _wanted(page: Page, body: dict[str, Any]) -> bool:
    if body.get("category") and page.category != body["category"]:
        return False
    include = body.get("includeDomains")
    if include and not any(within(page, domain) for domain in include):
        return False
    if any(within(page, domain) for domain in body.get("excludeDomains") or ()):
        return False
    start, end = body.get("startPublishedDate"), body.get("endPublishedDate")
    if not start and not end:
        return True
    if not page.published:
        return False
    published = _instant(page.published)
    return (not start or published >= _instant(start)) and (not end or published <= _instant(end))


def _instant(text: str) -> datetime:
    found = datetime.fromisoformat(text)
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def _cut(text: str, options: object) -> str:
    most = options.get("maxCharacters") if isinstance(options, dict) else None
    return text[:most]


def _row(page: Page, contents: dict[str, Any]) -> dict[str, object]:
    row: dict[str, object] = {"id": page.url, "title": page.title, "url": page.url, "author": page.author}
    if page.published:
        row["publishedDate"] = page.published
    if page.image:
        row["image"] = page.image
        row["favicon"] = f"https://{page.host}/favicon.ico"
    if contents.get("text"):
        row["text"] = _cut(f"# {page.title}\n\n{page.text}", contents["text"])
    if contents.get("highlights"):
        row["highlights"] = [_cut(page.text, contents["highlights"])]
        row["highlightScores"] = [0.5]
    if contents.get("summary"):
        row["summary"] = f"In short: {page.text[:80]}"
    return row
