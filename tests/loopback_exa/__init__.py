"""Stand in for Exa on loopback: it takes what Exa takes, refuses what Exa refuses, and misbehaves on request."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any, Final

from aiohttp import web

from loopback_engine import PAGES, Call, Fault, LoopbackEngine, Page, rank, within

from . import faults
from .rules import answer_problem, contents_problem, problem

__all__ = ["KEY", "Call", "Fault", "LoopbackExa", "Page", "faults"]

# The shape of a real key, a UUID; no such key exists.
KEY: Final = "5f0c9d1e-7a3b-4c52-9e86-d4b1a2f37c60"
# Exa's price for a search with up to ten results, text and highlights included, in US dollars.
PRICE: Final = 0.007
# Exa's prices for one page's text and for an answer.
PAGE_PRICE: Final = 0.001
ANSWER_PRICE: Final = 0.005
PROBLEMS: Final = {"/search": problem, "/contents": contents_problem, "/answer": answer_problem}


class LoopbackExa(LoopbackEngine):
    """Serve `/search`, `/contents` and `/answer` as Exa does."""

    def __init__(self, *, key: str = KEY, pages: tuple[Page, ...] = PAGES) -> None:
        super().__init__(key=key, pages=pages)

    def answer(self, call: Call) -> web.Response:
        """Answer a request, or refuse it, as Exa's reference says."""
        if call.key != self.key:
            return _refuse(401, "INVALID_API_KEY", "Invalid API key")
        if call.method != "POST" or call.path not in PROBLEMS:
            return _refuse(404, "NOT_FOUND", f"Cannot {call.method} {call.path}")
        try:
            body = json.loads(call.body)
        except ValueError:
            return _refuse(400, "INVALID_REQUEST_BODY", "Request body is no JSON")
        refusal = PROBLEMS[call.path](body)
        if refusal:
            return _refuse(400, *refusal)
        if call.path == "/answer":
            return self._said(body)
        return _json(self._search(body) if call.path == "/search" else self._contents(body))

    def _search(self, body: dict[str, Any]) -> dict[str, object]:
        contents = body.get("contents") or {}
        found = [page for page in rank(body["query"], self.pages) if _wanted(page, body)]
        return {
            "requestId": faults.REQUEST_ID,
            "resolvedSearchType": "",
            "results": [_row(page, contents) for page in found[: body.get("numResults") or 10]],
            "searchTime": 412.5,
            "costDollars": {"total": PRICE, "search": {"neural": PRICE}},
        }

    def _contents(self, body: dict[str, Any]) -> dict[str, object]:
        known = {page.url: page for page in self.pages}
        asked = body.get("urls") or body["ids"]
        missing = {"tag": "CRAWL_NOT_FOUND", "httpStatusCode": 404}
        cost = PAGE_PRICE * sum(url in known for url in asked)
        return {
            "requestId": faults.REQUEST_ID,
            "results": [_row(known[url], body) for url in asked if url in known],
            "statuses": [
                {"id": url, "status": "success", "source": "cached"}
                if url in known
                else {"id": url, "status": "error", "error": missing}
                for url in asked
            ],
            "costDollars": {"total": cost, "contents": {"text": cost}},
        }

    def _said(self, body: dict[str, Any]) -> web.Response:
        first, second = rank(body["query"], self.pages)[:2]
        said = (f"{first.text} ", f"([{first.host}]({first.url})) ", f"See also [{second.host}]({second.url}).")
        citations = [_row(page, {"text": body.get("text")}) for page in (first, second)]
        cost = {"total": ANSWER_PRICE}
        if not body.get("stream"):
            answer = {"answer": "".join(said), "citations": citations, "costDollars": cost}
            return _json({"requestId": faults.REQUEST_ID, **answer})
        pieces = [{"choices": [{"index": 0, "delta": {"role": "assistant", "content": text}}]} for text in said]
        events = [*pieces, {"citations": citations}, {"costDollars": cost, "requestId": faults.REQUEST_ID}]
        sent = "".join(f"data: {json.dumps(event)}\n\n" for event in events)
        return web.Response(text=sent, content_type="text/event-stream")


def _json(body: dict[str, object]) -> web.Response:
    return web.json_response(body, headers={"x-request-id": faults.REQUEST_ID, "x-exa-queued": "false"})


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
