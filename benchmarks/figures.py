"""Time work in turns, and say how many times as long one takes as the other.

What is compared is measured side by side in one run, so that a ratio says much the same on any machine. Each round
gives one ratio; their median and quartiles are shown, since a mean would tell of whatever else the machine did.
"""

from __future__ import annotations

import asyncio
import gc
import statistics
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence

_HEAD: Final = ("what", "beside", "ratio", "quartiles", "of CPU", "budget", "met")


class Cost(NamedTuple):
    """Hold what one piece of work takes: seconds that pass, and seconds that this process works."""

    passed: float
    worked: float


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Hold rounds of two things, and at most how many times as much the first may take as the second.

    With `by_work` it's the CPU's time that is compared, else the time that passes. Without a budget, a ratio is told
    for orientation.
    """

    what: str
    beside: str
    ours: Sequence[Cost]
    theirs: Sequence[Cost]
    budget: float | None = None
    by_work: bool = False

    @property
    def quartiles(self) -> tuple[float, float, float]:
        """Return the lower quartile, the median and the upper quartile of the ratio."""
        ratios = [ours / theirs for ours, theirs in zip(self._of(self.ours), self._of(self.theirs), strict=True)]
        low, middle, high = statistics.quantiles(ratios, n=4, method="inclusive")
        return low, middle, high

    @property
    def work(self) -> float:
        """Return the median ratio of the CPU's time."""
        return statistics.median(
            ours.worked / theirs.worked for ours, theirs in zip(self.ours, self.theirs, strict=True)
        )

    @property
    def met(self) -> bool | None:
        """Tell whether the median is within the budget; None where there is none."""
        return None if self.budget is None else self.quartiles[1] <= self.budget

    def times(self) -> tuple[float, float]:
        """Return the median seconds of both sides, in what is compared."""
        return statistics.median(self._of(self.ours)), statistics.median(self._of(self.theirs))

    def _of(self, costs: Iterable[Cost]) -> list[float]:
        return [cost.worked if self.by_work else cost.passed for cost in costs]


async def timed(work: Callable[[], Awaitable[object]], count: int, *, at_once: int = 1) -> Cost:
    """Do a piece of work `count` times, so many at once, and return what one takes on average."""

    async def worker() -> None:
        for _ in range(count // at_once):
            await work()

    # Nobody pays for the garbage of whoever had the turn before.
    gc.collect()
    passed, worked = time.perf_counter(), time.process_time()
    await asyncio.gather(*(worker() for _ in range(at_once)))
    return Cost((time.perf_counter() - passed) / count, (time.process_time() - worked) / count)


async def in_turns(rounds: int, sides: Mapping[str, Callable[[], Awaitable[Cost]]]) -> dict[str, list[Cost]]:
    """Measure each side once a round, every other round in reverse order, after one that isn't counted."""
    costs: dict[str, list[Cost]] = {name: [] for name in sides}
    for side in sides.values():
        await side()
    # What is there by now is there for good: looking through it before each turn would take longer than the turns.
    gc.freeze()
    try:
        for number in range(rounds):
            for name in list(sides)[:: -1 if number % 2 else 1]:
                costs[name].append(await sides[name]())
    finally:
        gc.unfreeze()
    return costs


def table(comparisons: Iterable[Comparison], *, times: bool = False) -> list[str]:
    """Return the lines of a Markdown table; `times` adds this machine's own microseconds."""
    head = (*_HEAD, "µs", "µs beside") if times else _HEAD
    rows = [_cells(comparison, times=times) for comparison in comparisons]
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    rule = ["-" * width for width in widths]
    return [
        f"| {' | '.join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))} |"
        for row in (head, rule, *rows)
    ]


def _cells(comparison: Comparison, *, times: bool) -> tuple[str, ...]:
    low, middle, high = comparison.quartiles
    cells = (
        comparison.what,
        comparison.beside,
        f"{middle:.2f}",
        f"{low:.2f} to {high:.2f}",
        f"{comparison.work:.2f}",
        "" if comparison.budget is None else f"{comparison.budget:.2f}",
        {True: "yes", False: "no", None: ""}[comparison.met],
    )
    return (*cells, *(f"{seconds * 1e6:.1f}" for seconds in comparison.times())) if times else cells
