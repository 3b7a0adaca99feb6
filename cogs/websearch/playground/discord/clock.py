"""Keep the time of the loopback Discord: it stands still until a test moves it."""

from __future__ import annotations

import heapq
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(order=True)
class _Timer:
    """Hold a callback that is due at `when` (Unix seconds)."""

    when: float
    order: int
    callback: Callable[[], None] = field(compare=False)


class Clock:
    """Tell the time in Unix seconds and fire deadlines, both only as `advance` says.

    It starts at the machine's own time unless `start` is given, since discord.py compares the time in an id with it.
    """

    def __init__(self, start: float | None = None) -> None:
        self._now = time.time() if start is None else start
        self._timers: list[_Timer] = []
        self._order = 0

    def now(self) -> float:
        """Tell the time in Unix seconds."""
        return self._now

    def timestamp(self) -> str:
        """Tell the time in ISO 8601, as Discord's answers hold it."""
        return datetime.fromtimestamp(self._now, UTC).isoformat(timespec="microseconds")

    def call_at(self, when: float, callback: Callable[[], None]) -> None:
        """Call back once the clock has reached `when`."""
        self._order += 1
        heapq.heappush(self._timers, _Timer(when, self._order, callback))

    def advance(self, seconds: float) -> None:
        """Move the clock forward and fire, in order, what became due on the way."""
        if seconds < 0:
            message = "time does not run backwards"
            raise ValueError(message)
        end = self._now + seconds
        while self._timers and self._timers[0].when <= end:
            timer = heapq.heappop(self._timers)
            self._now = max(self._now, timer.when)
            timer.callback()
        self._now = end
