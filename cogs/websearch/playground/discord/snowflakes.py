"""Make Discord's ids: 42 bits of milliseconds since 2015, then a counter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from .clock import Clock

EPOCH_MS: Final = 1_420_070_400_000


def time_of(number: int) -> float:
    """Tell the time that an id holds, in Unix seconds."""
    return ((number >> 22) + EPOCH_MS) / 1000


class Snowflakes:
    """Make ids that grow, each holding the clock's time."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._counter = 0

    def next(self) -> int:
        """Make the next id."""
        self._counter += 1
        return (int(self._clock.now() * 1000) - EPOCH_MS << 22) + (self._counter & 0x3FFFFF)
