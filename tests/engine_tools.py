"""Give the tests of engines a clock that only sleeping moves, and searchers on it."""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from cogs.websearch.backends import exa, http, jina, searxng, tavily

if TYPE_CHECKING:
    from collections.abc import Iterator

    from loopback_exa import LoopbackExa
    from loopback_jina import LoopbackJina
    from loopback_searxng import LoopbackSearxng
    from loopback_tavily import LoopbackTavily

# 2026-11-30 12:00 UTC, in Unix seconds.
NOW: Final = 1_796_040_000.0


@contextmanager
def in_time(seconds: float) -> Iterator[None]:
    """Hold that what's inside is over by a deadline in so many seconds, and what a busy machine takes besides."""
    clock = asyncio.get_running_loop().time
    began = clock()
    yield
    assert clock() - began < seconds + 3


class FakeTime:
    """Keep both clocks; `sleep` moves them at once and remembers for how long."""

    def __init__(self) -> None:
        self.passed = 0.0
        self.slept: list[float] = []

    async def sleep(self, seconds: float) -> None:
        """Let so many seconds pass without waiting."""
        self.slept.append(seconds)
        self.passed += seconds

    def clock(self) -> float:
        """Tell monotonic seconds."""
        return self.passed

    def wall_clock(self) -> float:
        """Tell Unix seconds."""
        return NOW + self.passed


def open_transport(
    fake_time: FakeTime, *, timeout_s: float = 15, chance: float = 0.0, backend: str = "Exa"
) -> http.Transport:
    """Open a transport on the fake clock; its deadline lies on the real one as well."""
    return http.Transport(
        http.open_session(),
        backend=backend,
        timeout_s=timeout_s,
        sleep=fake_time.sleep,
        clock=fake_time.clock,
        random=lambda: chance,
        wall_clock=fake_time.wall_clock,
    )


def open_exa(
    engine: LoopbackExa,
    fake_time: FakeTime,
    *,
    timeout_s: float = 15,
    snippet_chars: int = 400,
    answer_timeout_s: float = 15,
) -> exa.ExaSearcher:
    """Open a searcher that asks the stand-in."""
    return exa.ExaSearcher(
        open_transport(fake_time, timeout_s=timeout_s),
        key=engine.key,
        base_url=engine.url,
        search_type="auto",
        snippet_chars=snippet_chars,
        answer_timeout_s=answer_timeout_s,
        wall_clock=fake_time.wall_clock,
    )


def open_tavily(engine: LoopbackTavily, fake_time: FakeTime, *, timeout_s: float = 15) -> tavily.TavilySearcher:
    """Open a searcher that asks the stand-in for Tavily."""
    return tavily.TavilySearcher(
        open_transport(fake_time, timeout_s=timeout_s, backend=tavily.NAME),
        key=engine.key,
        base_url=engine.url,
        snippet_chars=400,
        answer_timeout_s=timeout_s,
        wall_clock=fake_time.wall_clock,
    )


def open_jina(engine: LoopbackJina, fake_time: FakeTime, *, timeout_s: float = 15) -> jina.JinaSearcher:
    """Open a searcher that asks the stand-in for Jina, which is search and reader in one."""
    return jina.JinaSearcher(
        open_transport(fake_time, timeout_s=timeout_s, backend=jina.NAME),
        key=engine.key,
        search_url=engine.url,
        reader_url=engine.url,
        snippet_chars=400,
        wall_clock=fake_time.wall_clock,
    )


def open_searxng(engine: LoopbackSearxng, fake_time: FakeTime, *, timeout_s: float = 15) -> searxng.SearxngSearcher:
    """Open a searcher that asks the stand-in for SearXNG."""
    return searxng.SearxngSearcher(
        open_transport(fake_time, timeout_s=timeout_s, backend=searxng.NAME),
        base_url=engine.url,
        snippet_chars=400,
        wall_clock=fake_time.wall_clock,
    )
