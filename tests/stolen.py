"""Tell how long others on the machine kept a test from running, so that no deadline is measured by it."""

from __future__ import annotations

import asyncio
import math
import time
from bisect import bisect
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator


# Long enough for several turns of each process on the machine.
_WORK_S: Final = 0.3


def crowding() -> float:
    """Tell how many times as long as on an idle machine whatever this process does takes now, at least once."""
    began, worked = time.monotonic(), time.process_time()
    while time.process_time() - worked < _WORK_S:
        pass
    return max((time.monotonic() - began) / _WORK_S, 1.0)


class Stolen:
    """Count the seconds in which this process neither worked nor waited for something.

    It waits where its event loop does, no longer than that was to wait; it works as long as the system counted of all
    its threads. What's left of the time went to other processes. On a machine that's idle it's next to nothing.
    """

    def __init__(self) -> None:
        self._idle = 0.0
        self._most = 0.0
        # When, and how many there were by then: one for each turn of the loop.
        self._turns: list[tuple[float, float]] = []
        self._began = time.monotonic() - time.process_time()

    def seconds(self) -> float:
        """Tell how many there were so far, or fewer: what threads work while the loop waits is counted twice."""
        self._most = max(self._most, time.monotonic() - time.process_time() - self._began - self._idle)
        return self._most

    def between(self, start: float, end: float) -> float:
        """Tell how many there were from a moment on, of which the loop's turn began before, to another, monotonic."""
        return self._by(end) - self._by(start)

    def _by(self, moment: float) -> float:
        place = bisect(self._turns, (moment, math.inf))
        return self._turns[place - 1][1] if place else 0.0

    def wait(self, select: object, timeout: float | None) -> object:
        """Wait by that function as the event loop does, and count it."""
        began = time.monotonic()
        self._turns.append((began, self.seconds()))
        worked = time.process_time()
        ready = select(timeout)  # type: ignore[operator] # of a selector, whichever it is
        passed = time.monotonic() - began - (time.process_time() - worked)
        self._idle += max(passed if timeout is None else min(passed, timeout), 0.0)
        return ready


@contextmanager
def counting() -> Iterator[Stolen]:
    """Count while the context lasts, on the event loop that runs."""
    stolen = Stolen()
    selector = asyncio.get_running_loop()._selector  # type: ignore[attr-defined] # noqa: SLF001 - it waits nowhere else
    select = selector.select
    selector.select = lambda timeout=None: stolen.wait(select, timeout)
    try:
        yield stolen
    finally:
        del selector.select
