"""Sum up what each engine costs a day: what the database knows, and what it's still to be told."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


class Spending:
    """Hold costs in millionths of a US dollar, by day, as `date.toordinal` counts, and engine in the configuration.

    What is added here is `pending` until somebody has written it down.
    """

    def __init__(self) -> None:
        self._pending = Counter[tuple[int, str]]()
        # What all processes wrote down, as far as that was read.
        self._written: dict[tuple[int, str], int] = {}

    @property
    def pending(self) -> dict[tuple[int, str], int]:
        """Map day and engine to what isn't written down yet."""
        return dict(self._pending)

    def add(self, day: int, engine: str, cost: int) -> None:
        """Add what an engine cost."""
        if cost:
            self._pending[day, engine] += cost

    def total(self, day: int, engine: str) -> int:
        """Return what an engine cost on a day, in all processes as far as is known."""
        return self._written.get((day, engine), 0) + self._pending[day, engine]

    def wrote(self, day: int, engine: str, cost: int, total: int) -> None:
        """Take note that so much of what is pending was written down, and what that sums up to with all others."""
        self._pending[day, engine] -= cost
        # Nothing of the days before is kept.
        self._pending += Counter()
        self._written[day, engine] = total

    def learn(self, day: int, written: Mapping[str, int]) -> None:
        """Take note of what all processes wrote down for the day that it is; those before are forgotten."""
        self._written = {(day, engine): cost for engine, cost in written.items()}
