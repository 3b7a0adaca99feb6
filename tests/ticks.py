"""Let seconds pass when a test says so."""

from __future__ import annotations

import asyncio

from cogs.websearch.reload import LOOK_SECONDS


class Ticks:
    """Give a `sleep` for what looks every so many seconds, usually at a configuration; no other sleeper ever wakes."""

    def __init__(self, every: float = LOOK_SECONDS) -> None:
        self._every = every
        self._asleep = asyncio.Event()
        self._bell = asyncio.Event()

    async def sleep(self, seconds: float) -> None:
        """Wait for the next second."""
        if seconds != self._every:
            await asyncio.Event().wait()
        self._asleep.set()
        await self._bell.wait()
        self._bell.clear()

    async def begin(self) -> None:
        """Let a second pass, and come back while the look at its end is under way."""
        await self._asleep.wait()
        self._asleep.clear()
        self._bell.set()

    async def end(self) -> None:
        """Wait until the look that `begin` started is over."""
        await self._asleep.wait()

    async def seconds(self, count: int) -> None:
        """Let so many seconds pass, each with its look."""
        for _ in range(count):
            await self.begin()
            await self.end()
