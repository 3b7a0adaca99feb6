"""Stand in for Tavily on loopback: it takes what Tavily takes, refuses what it refuses, and misbehaves on request."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final

from aiohttp import web

from loopback_engine import PAGES, Call, Fault, LoopbackEngine, Page, rank, within

from . import faults
from .rules import extract_problem, search_problem

__all__ = ["KEY", "Call", "Fault", "LoopbackTavily", "Page", "faults"]

# The shape of a real key; no such key exists.
KEY: Final = "tvly-dev-Zq4mX8vT2nLs6bRkYw1cHd9e"
# What a search of each depth costs, in credits.
CREDITS: Final = {"advanced": 2, "basic": 1, "fast": 1, "ultra-fast": 1}
TODAY: Final = date(2026, 11, 30)
_DAYS: Final = {"day": 1, "week": 7, "month": 31, "year": 366}


class LoopbackTavily(LoopbackEngine):
    """Serve `/search` and `/extract` as Tavily does."""

    def __init__(self, *, key: str = KEY, pages: tuple[Page, ...] = PAGES) -> None:
        super().__init__(key=key, pages=pages)

    def answer(self, call: Call) -> web.Response:
        """Answer a search or an extraction, or refuse it, as Tavily's reference says."""
        if call.key != self.key:
            return _refuse(401, "Unauthorized: missing or invalid API key.")
        if call.method != "POST" or call.path not in {"/search", "/extract"}:
            return web.json_response({"detail": "Not Found"}, status=404)
        try:
            body = json.loads(call.body)
        except ValueError:
            return _refuse(400, "The body is no JSON.")
        search = call.path == "/search"
        refusal = search_problem(body) if search else extract_problem(body)
        if refusal:
            return _refuse(400, refusal)
        return web.json_response(self._search(body) if search else self._extract(body))

    def _search(self, body: dict[str, Any]) -> dict[str, object]:
        wanted = [page for page in rank(body["query"], self.pages) if _wanted(page, body)]
        most = body.get("max_results")
        found = wanted[: 5 if most is None else most]
        answer = f"In short: {found[0].text}" if found and body.get("include_answer") else None
        used = {"usage": {"credits": CREDITS[body.get("search_depth") or "basic"]}} if body.get("include_usage") else {}
        return {
            "query": body["query"],
            "answer": answer,
            "images": [],
            "results": [_row(page, body, place) for place, page in enumerate(found)],
            "response_time": 1.09,
            "request_id": faults.REQUEST_ID,
            **used,
        }

    def _extract(self, body: dict[str, Any]) -> dict[str, object]:
        urls = [body["urls"]] if isinstance(body["urls"], str) else body["urls"]
        known = {page.url: page for page in self.pages}
        # In any order, as the reference says.
        return {
            "results": [
                {"url": url, "raw_content": f"# {known[url].title}\n\n{known[url].text}", "images": []}
                for url in reversed(urls)
                if url in known
            ],
            "failed_results": [{"url": url, "error": "Failed to fetch url"} for url in urls if url not in known],
            "response_time": 0.02,
            "request_id": faults.REQUEST_ID,
        }


def _refuse(status: int, message: str) -> web.Response:
    return web.json_response(faults.error_body(message), status=status)


def _wanted(page: Page, body: dict[str, Any]) -> bool:
    if body.get("topic") == "news" and page.category != "news":
        return False
    include = body.get("include_domains")
    if include and not any(within(page, domain) for domain in include):
        return False
    if any(within(page, domain) for domain in body.get("exclude_domains") or ()):
        return False
    start, end = body.get("start_date"), body.get("end_date")
    if body.get("time_range"):
        start = str(TODAY - timedelta(days=_DAYS[body["time_range"]]))
    if not start and not end:
        return True
    published = page.published[:10]
    return bool(published) and (not start or published >= start) and (not end or published <= end)


def _row(page: Page, body: dict[str, Any], place: int) -> dict[str, object]:
    raw = page.text if body.get("include_raw_content") else None
    row: dict[str, object] = {
        "title": page.title,
        "url": page.url,
        "content": page.text,
        "score": 0.9 / (place + 1),
        "raw_content": raw,
    }
    if body.get("include_favicon"):
        row["favicon"] = f"https://{page.host}/favicon.ico"
    if body.get("topic") == "news" and page.published:
        moment = datetime.fromisoformat(page.published)
        row["published_date"] = f"{moment.astimezone(UTC):%a, %d %b %Y %H:%M:%S} GMT"
    return row
