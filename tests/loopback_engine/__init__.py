"""Stand in for engines on loopback: what the stand-ins of all of them share.

A stand-in takes what its vendor's reference allows and refuses the rest with the documented body; it misbehaves on
request.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar, Self

from aiohttp import web

from .corpus import PAGES, Page, rank
from .faults import Call, Fault

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

__all__ = ["PAGES", "Call", "Fault", "LoopbackEngine", "Page", "rank", "within"]


class LoopbackEngine(ABC):
    """Serve an engine's API on a free port of 127.0.0.1 while the context lasts.

    `requests` holds every call that arrived. `hold` keeps answers back until `release`; `fail` queues faults, one a
    request, or one for all of them. `key` is the only key that it takes. `observers` see every call to any instance.
    """

    observers: ClassVar[list[Callable[[LoopbackEngine, Call], None]]] = []

    def __init__(self, *, key: str, pages: tuple[Page, ...] = PAGES) -> None:
        self.key = key
        self.url = ""
        self.pages = pages
        self.requests: list[Call] = []
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

    @abstractmethod
    def answer(self, call: Call) -> web.Response:
        """Answer a call as the engine's reference says."""

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
        try:
            return await fault(call) if fault else self.answer(call)
        except ConnectionResetError:
            # The client has gone in the middle of the answer, as it may.
            return web.Response()


def within(page: Page, domain: str) -> bool:
    """Tell whether a page lies on a domain, on one below it, or, where the domain has a path, below that path."""
    host, _, path = domain.removeprefix("*.").partition("/")
    same = page.host == host or page.host.endswith("." + host)
    return same and f"/{path}" in page.url
