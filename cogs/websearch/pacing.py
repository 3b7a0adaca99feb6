"""Keep the pace at which one engine is asked."""

from __future__ import annotations

import asyncio
from typing import Final

from aiolimiter import AsyncLimiter

# A quarter of a second's searches may go at once: at 8 a second no second has more than 10, which is what Exa allows.
_BURST: Final = 4


class QueueFull(Exception):
    """Say that a turn would come too late: `seconds` is how much sooner it would have to come."""

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = seconds


class Pace:
    """Give turns to searches, at most so many in a second, in the order in which they came.

    It keeps the event loop's clock, as `aiolimiter` does.
    """

    def __init__(self, per_second: int) -> None:
        self.per_second = per_second
        burst = max(1, per_second // _BURST)
        self._limiter = AsyncLimiter(burst, burst / per_second)
        self._waiting: set[asyncio.Timeout] = set()

    async def turn(self, most_s: float) -> None:
        """Wait for a turn; raise `QueueFull` at once where it would take longer than so many seconds."""
        if not self._waiting and self._limiter.has_capacity():
            # This doesn't wait.
            await self._limiter.acquire()
            return
        wait = (len(self._waiting) + 1) / self.per_second
        if wait > most_s:
            raise QueueFull(wait - most_s)
        scope = asyncio.timeout(None)
        try:
            async with scope:
                self._waiting.add(scope)
                try:
                    await self._limiter.acquire()
                finally:
                    self._waiting.discard(scope)
        except TimeoutError:
            # Sent away: whoever asks now finds out why.
            return

    def dissolve(self) -> None:
        """End the waiting of all who wait, since nobody is to be asked any more."""
        while self._waiting:
            # A deadline that is over.
            self._waiting.pop().reschedule(0)
