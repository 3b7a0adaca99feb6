"""Keep an engine that is down from being asked by everybody: a circuit breaker."""

from __future__ import annotations

import random as _random
import time
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from .clocks import steady

if TYPE_CHECKING:
    from collections.abc import Callable

# How long an engine is left alone at first, in seconds: what is over sooner, the tries of one search outlast.
FIRST_SECONDS: Final = 5.0
# The longest, after it has doubled each time: so long may members wait at most after an engine is back.
LONGEST_SECONDS: Final = 60.0


class State(StrEnum):
    """Name who may ask: everybody, nobody, or one search that finds out."""

    CLOSED = "closed"
    OPEN = "open"
    HALF_OPEN = "half-open"


class Breaker:
    """Open for a while that grows each time in a row, then let one search through, alone, as a probe.

    When to open and close it, its holder knows. `clock` tells seconds, and is taken as `clocks.steady` does;
    `random` is in [0, 1).
    """

    def __init__(self, *, clock: Callable[[], float] = time.time, random: Callable[[], float] = _random.random) -> None:
        self._clock = steady(clock)
        self._random = random
        self._openings = 0
        self._opened_at = 0.0
        self._seconds = 0.0
        self._probing = False

    @property
    def state(self) -> State:
        """Tell who may ask now."""
        if not self._openings:
            return State.CLOSED
        return State.OPEN if self._left() else State.HALF_OPEN

    @property
    def wait(self) -> float | None:
        """Tell in how many seconds it's worth coming back, or None where a search may ask now."""
        left = self._left() if self._openings else 0.0
        # How long a probe takes, nobody knows: a second is what engines take.
        return left or (1.0 if self._probing else None)

    def open(self) -> None:
        """Let nobody through for a while, which is longer than the last one unless the breaker was closed since."""
        seconds = min(FIRST_SECONDS * 2.0**self._openings, LONGEST_SECONDS)
        # Between a half and the whole, so that the processes of one bot don't probe together.
        self._seconds = seconds * (0.5 + self._random() / 2)
        self._openings += 1
        self._opened_at = self._clock()

    def close(self) -> None:
        """Let everybody through again."""
        self._openings = 0

    def begin_probe(self) -> None:
        """Claim the one search that is let through."""
        self._probing = True

    def end_probe(self) -> None:
        """Let another search probe, unless this one has opened or closed the breaker."""
        self._probing = False

    def _left(self) -> float:
        passed = self._clock() - self._opened_at
        # A clock that was put back must not keep it open for longer.
        return max(self._seconds - passed, 0.0) if passed >= 0 else 0.0
