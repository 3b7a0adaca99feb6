"""Keep the pace at which one engine is asked."""

from __future__ import annotations

import asyncio
from functools import cached_property
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from aiolimiter import AsyncLimiter

# A quarter of a second's searches may go at once: at 8 a second no second has more than 10, which is what Exa allows.
_BURST: Final = 4


class QueueFull(Exception):
    """Say that a turn would come too late: `seconds` is how much sooner it would have to come."""

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = seconds


class Pace:
    """Give turns to searches and their further tries, at most so many in a second, in the order in which they came.

    It keeps the event loop's clock, as `aiolimiter` does, which is imported for the first turn: it looks through the
    metadata of all that's installed for its own version.
    """

    def __init__(self, per_second: int) -> None:
        self.per_second = per_second
        # One at a time waits in the limiter, which puts whom it wakes too early behind all others that it holds.
        self._order = asyncio.Lock()
        self._waiting: set[asyncio.Timeout] = set()

    def change(self, per_second: int) -> None:
        """Keep another pace from now on, also for those who wait already."""
        self.per_second = per_second
        if "_limiter" not in vars(self):
            return
        burst = max(1, per_second // _BURST)
        self._limiter.max_rate, self._limiter.time_period = burst, burst / per_second
        # Not another limiter: its first turns would come on top of those that were given just now.
        self._limiter._rate_per_sec = float(per_second)  # noqa: SLF001 - nothing public changes it, and a test holds it

    async def turn(self, most_s: float) -> bool:
        """Wait for a turn; raise `QueueFull` where it takes longer than so many seconds, at once where that's known.

        Return whether it's a turn: whoever was sent away finds out why by asking whether the engine is worth it.
        """
        try:
            limiter = self._limiter
        except (ImportError, OSError):
            # A process out of descriptors can't load it, and has none for what would be sent either.
            return True
        if not self._waiting and limiter.has_capacity():
            # This doesn't wait.
            await limiter.acquire()
            return True
        wait = (len(self._waiting) + 1) / self.per_second
        if wait > most_s:
            raise QueueFull(wait - most_s)
        # The pace may be lowered meanwhile.
        scope = asyncio.timeout(most_s)
        self._waiting.add(scope)
        try:
            async with scope, self._order:
                await limiter.acquire()
        except TimeoutError:
            if scope in self._waiting:
                raise QueueFull(len(self._waiting) / self.per_second) from None
            return False
        finally:
            self._waiting.discard(scope)
        return True

    @cached_property
    def _limiter(self) -> AsyncLimiter:
        from aiolimiter import AsyncLimiter  # noqa: PLC0415 - see the class's docstring

        burst = max(1, self.per_second // _BURST)
        return AsyncLimiter(burst, burst / self.per_second)

    def dissolve(self) -> None:
        """End the waiting of all who wait, since nobody is to be asked any more."""
        while self._waiting:
            scope = self._waiting.pop()
            # One whose time is up, and who doesn't know it yet, is on the way already.
            if not scope.expired():
                # A deadline that is over.
                scope.reschedule(0)
