"""Play an engine on loopback, with an adapter in front of it and a second server that nobody may call."""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from aiohttp import web

from cogs.websearch.backends import http
from cogs.websearch.models import SearchRequest
from contract.shape import URL, Engine, Opening, Way
from engine_tools import FakeTime
from loopback_engine import Call, LoopbackEngine

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from cogs.websearch.models import Answer, FetchedPage, SearchPage

    Value = SearchPage | FetchedPage | Answer

QUERY: Final = "Wo wächst der Ingwer am besten?"
REQUEST: Final = SearchRequest(query=QUERY, count=3)
# The deadline where a fault has no end, and everywhere else, in real seconds.
SHORT_S: Final = 0.3
LONG_S: Final = 15.0
# How much later than the deadline something may end on a busy machine.
GRACE_S: Final = 3.0


class Server(LoopbackEngine):
    """Do what the fault says that it was given; without one it has nothing to say."""

    def answer(self, _call: Call) -> web.Response:
        """Answer that there's nothing."""
        return web.Response(status=404)


@dataclass(kw_only=True)
class Stage:
    """Hold an open adapter and what stands behind it."""

    engine: Engine
    adapter: Any
    server: Server
    elsewhere: Server
    time: FakeTime
    timeout_s: float

    async def ask(self, way: Way, request: SearchRequest = REQUEST, url: str = URL) -> Value:
        """Ask the adapter in one of the ways."""
        found: Value = await getattr(self.adapter, way)(url if way is Way.FETCH else request)
        return found


@asynccontextmanager
async def staged(engine: Engine, *, timeout_s: float = LONG_S) -> AsyncIterator[Stage]:
    """Open an adapter on a server of its own; waits between tries take no time."""
    time = FakeTime()
    async with Server(key=engine.key) as server, Server(key="") as elsewhere:
        transport = http.Transport(
            http.open_session(),
            backend=engine.shown,
            timeout_s=timeout_s,
            sleep=time.sleep,
            clock=time.clock,
            random=lambda: 0.0,
            wall_clock=time.wall_clock,
        )
        opening = Opening(transport=transport, url=server.url, timeout_s=timeout_s, wall_clock=time.wall_clock)
        adapter = engine.open(opening)
        try:
            yield Stage(
                engine=engine, adapter=adapter, server=server, elsewhere=elsewhere, time=time, timeout_s=timeout_s
            )
        finally:
            await adapter.close()
            assert elsewhere.requests == [], "something else than the engine was called"
