"""Stand in for Exa on loopback: it takes what Exa takes, refuses what Exa refuses, and misbehaves on request."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self

from aiohttp import web

from . import faults
from .corpus import PAGES, Page, rank
from .faults import Call, Fault
from .rules import problem

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

__all__ = ["KEY", "Call", "Fault", "LoopbackExa", "Page", "faults"]

# The shape of a real key, a UUID; no such key exists.
KEY: Final = "5f0c9d1e-7a3b-4c52-9e86-d4b1a2f37c60"
# Exa's price for a search with up to ten results, text and highlights included, in US dollars.
PRICE: Final = 0.007


class LoopbackExa:
    """Serve `/search` on a free port of 127.0.0.1 while the context lasts.

    `requests` holds every call that arrived. `hold` keeps answers back until `release`; `fail` queues faults, one a
    request, or one for all of them. `key` is the only key that it takes. `observers` see every call to any instance.
    """

    observers: ClassVar[list[Callable[[LoopbackExa, Call], None]]] = []

    def __init__(self, *, key: str = KEY, pages: tuple[Page, ...] = PAGES) -> None:
        self.key = key
        self.url = ""
        self.requests: list[Call] = []
        self._pages = pages
        self._faults: list[Fault] = []
        self._always: Fault | None = None
        self._open = asyncio.Event()
        self._open.set()
        self._closing = asyncio.Event()
        self._arrived = asyncio.Condition()
        app = web.Application(client_max_size=1024**2)
        app.router.add_route("*", "/{path:.*}", self._handle)
        # A client that leaves ends its handler, so that nothing outlives a test.
        self._runner = web.AppRunner(app, access_log=None, handler_cancellation=True, shutdown_timeout=1)

    async def __aenter__(self) -> Self:
        """Start to listen."""
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        host, port = self._runner.addresses[0][:2]
        self.url = f"http://{host}:{port}"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Let everyone go and stop to listen."""
        self._closing.set()
        self._open.set()
        await self._runner.cleanup()

    def hold(self) -> None:
        """Keep answers back until `release`."""
        self._open.clear()

    def release(self) -> None:
        """Let the answers go that `hold` keeps back."""
        self._open.set()

    def fail(self, *queue: Fault, always: Fault | None = None) -> None:
        """Let each of the next requests meet a fault of the queue; with `always`, every later one meets that."""
        self._faults.extend(queue)
        self._always = always

    def recover(self) -> None:
        """Forget all faults."""
        self._faults.clear()
        self._always = None

    async def received(self, count: int) -> None:
        """Wait until so many requests have arrived in all."""
        async with self._arrived:
            await self._arrived.wait_for(lambda: len(self.requests) >= count)

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        call = Call(
            request=request,
            method=request.method,
            path=request.path,
            headers={name.lower(): value for name, value in request.headers.items()},
            body=await request.read(),
            closing=self._closing,
        )
        for observe in self.observers:
            observe(self, call)
        async with self._arrived:
            self.requests.append(call)
            self._arrived.notify_all()
        # Faults are given out in order of arrival, also while answers are held.
        fault = self._faults.pop(0) if self._faults else self._always
        await self._open.wait()
        return await fault(call) if fault else self._answer(call)

    def _answer(self, call: Call) -> web.Response:
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
        found = [page for page in rank(body["query"], self._pages) if _wanted(page, body)]
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


def _within(page: Page, domain: str) -> bool:
    host, _, path = domain.removeprefix("*.").partition("/")
    same = page.host == host or page.host.endswith("." + host)
    return same and f"/{path}" in page.url


def _wanted(page: Page, body: dict[str, Any]) -> bool:
    if body.get("category") and page.category != body["category"]:
        return False
    include = body.get("includeDomains")
    if include and not any(_within(page, domain) for domain in include):
        return False
    if any(_within(page, domain) for domain in body.get("excludeDomains") or ()):
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
