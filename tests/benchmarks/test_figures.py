"""Hold the statistics and the table of the benchmarks."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

if not (Path(__file__).parents[2] / "benchmarks").is_dir():
    pytest.skip("the benchmarks are not beside these tests", allow_module_level=True)

from benchmarks.figures import Comparison, Cost, in_turns, table, timed


def compare(*ratios: float, budget: float | None = None, by_work: bool = False) -> Comparison:
    """Return rounds with these ratios of the time that passes, and ten times these of the CPU's time."""
    ours = [Cost(ratio * 2, ratio * 10) for ratio in ratios]
    theirs = [Cost(2, 1)] * len(ratios)
    return Comparison(what="this", beside="that", ours=ours, theirs=theirs, budget=budget, by_work=by_work)


def test_the_median_is_held_against_the_budget() -> None:
    """BEN-02: a few disturbed rounds neither meet a budget nor miss it, and without a budget nothing is said."""
    assert compare(1.0, 1.1, 1.2, 1.3, 90.0, budget=1.2).met is True
    assert compare(0.1, 1.1, 1.21, 1.3, 1.4, budget=1.2).met is False
    assert compare(1.0, 1.1).met is None


def test_quartiles_are_those_of_the_ratio() -> None:
    """BEN-02: what is compared is each round's ratio, by the time that passes or by that of the CPU."""
    assert compare(1.0, 2.0, 3.0, 4.0, 5.0).quartiles == (2.0, 3.0, 4.0)
    assert compare(1.0, 2.0, 3.0, 4.0, 5.0, by_work=True).quartiles == (20.0, 30.0, 40.0)
    assert compare(1.0, 2.0, 3.0).work == 20.0
    assert compare(1.0, 2.0, 3.0).times() == (4.0, 2)


def test_the_table_tells_all_of_it() -> None:
    """BEN-02: a line has the names, the median, the quartiles, the CPU's ratio, the budget and whether it's met."""
    lines = table([compare(1.0, 1.25, 1.5, budget=1.2), compare(2.0, 2.0)], times=True)
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    assert cells[0] == ["what", "beside", "ratio", "quartiles", "of CPU", "budget", "met", "µs", "µs beside"]
    assert cells[2] == ["this", "that", "1.25", "1.12 to 1.38", "12.50", "1.20", "no", "2500000.0", "2000000.0"]
    assert cells[3] == ["this", "that", "2.00", "2.00 to 2.00", "20.00", "", "", "4000000.0", "2000000.0"]
    assert len({len(line) for line in lines}) == 1


async def test_sides_take_turns() -> None:
    """BEN-02: each round measures every side, in an order that turns, after a round that isn't counted."""
    seen: list[str] = []

    async def left() -> Cost:
        seen.append("left")
        return Cost(1, 1)

    async def right() -> Cost:
        seen.append("right")
        return Cost(2, 2)

    costs = await in_turns(2, {"left": left, "right": right})
    assert seen == ["left", "right", "left", "right", "right", "left"]
    assert costs == {"left": [Cost(1, 1)] * 2, "right": [Cost(2, 2)] * 2}


async def test_work_is_done_as_often_and_as_many_at_once_as_asked() -> None:
    """BEN-02: what one piece of work takes is an average over so many, of which so many run at once."""
    running = most = done = 0

    async def work() -> None:
        nonlocal running, most, done
        running += 1
        most = max(most, running)
        await asyncio.sleep(0)
        running -= 1
        done += 1

    cost = await timed(work, 30, at_once=5)
    assert (done, most) == (30, 5)
    assert cost.passed > 0
    assert cost.worked >= 0
