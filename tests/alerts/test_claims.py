"""Hold that of all who see the same trouble, one tells it."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

import cogs
from cogs.websearch.store.sqlite import SqliteStore

if TYPE_CHECKING:
    from store_sessions import Opener

HERE = Path(__file__).parent
HOUR = 3600.0
PROCESSES = 3


async def claim(
    store: SqliteStore, now: float, *, kind: str = "key-refused", place: str = "Exa", since: float = HOUR
) -> bool:
    """Try to take on an alert that was told an hour ago at the latest."""
    return await store.alerts.claim(kind, place, now=now, before=now - since, lasts=True)


async def test_an_hour_belongs_to_one(store: SqliteStore, opened: Opener, path: Path) -> None:
    """ALR-03: also by another connection and after the store was opened anew; each kind and engine has its own hour."""
    now = 1_000_000.0
    assert await claim(store, now)
    other = await opened(path)
    assert not await claim(other, now + HOUR - 1)
    assert await claim(other, now, kind="credits-exhausted")
    assert await claim(other, now, place="Tavily")
    await store.close()
    again = await opened(path)
    assert not await claim(again, now + HOUR - 1)
    assert await claim(again, now + HOUR)
    assert not await claim(other, now + HOUR + 1)


async def test_a_wrong_clock_claims_no_other_hour(store: SqliteStore) -> None:
    """ALR-16: what was told in the far future is told again; a clock that's ahead by seconds claims as others do."""
    now = 1_000_000.0
    assert await claim(store, now + 5)
    assert not await claim(store, now)
    assert await claim(store, now + 30 * HOUR)
    assert await claim(store, now)


async def test_the_end_is_claimed_once(store: SqliteStore, opened: Opener, path: Path) -> None:
    """ALR-06: by one of all; other engines' troubles go on, and what was told without an end has none."""
    other = await opened(path)
    await claim(store, 1.0)
    await claim(store, 1.0, place="Tavily")
    await store.alerts.claim("budget-spent", "", now=1.0, before=0.0, lasts=False)
    found = await asyncio.gather(store.alerts.mend("Exa"), other.alerts.mend("Exa"))
    assert sorted(found[0] + found[1]) == [("key-refused", "Exa")]
    assert await store.alerts.mend("Exa") == []
    assert await store.alerts.mend("Tavily") == [("key-refused", "Tavily")]
    # The end of a trouble doesn't end its hour.
    assert not await claim(store, 2.0)


@given(st.lists(st.tuples(st.sampled_from("abc"), st.booleans(), st.booleans()), max_size=30))
async def test_a_trouble_in_parts_ends_with_the_last(steps: list[tuple[str, bool, bool]]) -> None:
    """ALR-20: whatever fails and works, in any order: the end is claimed once, when nothing fails that did."""
    store = await SqliteStore.open(":memory:")
    try:
        failing: set[str] = set()
        told = False
        for now, (part, fails, tells) in enumerate(steps):
            if fails:
                await store.alerts.fail_part("database-failing", part, now=now)
                failing.add(part)
                if tells:
                    assert await claim(store, float(now), kind="database-failing", place="", since=0)
                    told = True
            else:
                failing.discard(part)
                over = await store.alerts.mend_part("database-failing", part, now=now, stale=-1.0)
                assert over == (told and not failing)
                told = told and not over
    finally:
        await store.close()


async def test_the_last_part_is_one_processs(store: SqliteStore, opened: Opener, path: Path) -> None:
    """ALR-20: where two processes find two parts working at once, one of them tells the end."""
    other = await opened(path)
    for part in ("a", "b"):
        await store.alerts.fail_part("database-failing", part, now=1.0)
    await claim(store, 1.0, kind="database-failing", place="")
    found = await asyncio.gather(
        *(
            each.alerts.mend_part("database-failing", part, now=2.0, stale=0.0)
            for each, part in ((store, "a"), (other, "b"))
        )
    )
    assert sorted(found) == [False, True]


async def test_a_part_that_nobody_tries_again(store: SqliteStore) -> None:
    """ALR-16, ALR-20: what failed before a moment isn't waited for, nor what a wrong clock noted in the far future."""
    for part, now in (("a", 100.0), ("b", 100.0 + 30 * HOUR)):
        await store.alerts.fail_part("database-failing", part, now=now)
    await claim(store, 100.0, kind="database-failing", place="")
    assert not await store.alerts.mend_part("database-failing", "c", now=200.0, stale=99.0)
    assert await store.alerts.mend_part("database-failing", "c", now=200.0, stale=100.0)


async def test_processes_share_the_hour(store: SqliteStore, path: Path) -> None:
    """ALR-03: of three processes that try at once, again and again, one is told to tell."""
    folders = [str(Path(folder).parent) for folder in cogs.__path__]
    processes = [
        await asyncio.create_subprocess_exec(
            sys.executable, str(HERE / "claimer.py"), str(path),
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(folders)},
        )
        for _ in range(PROCESSES)
    ]  # fmt: skip
    taken = 0
    for process in processes:
        assert process.stdout is not None
        assert await process.stdout.readline() == b"ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write(b"go\n")
    for process in processes:
        output, _ = await process.communicate()
        taken += int(output)
    assert taken == 1
    assert not await claim(store, 10_001.0)


@given(st.lists(st.integers(0, 3 * 3600), min_size=1, max_size=20).map(sorted))
async def test_no_hour_holds_two(moments: list[int]) -> None:
    """ALR-02: whenever it's tried, two that went well are an hour apart, and none is refused for longer."""
    store = await SqliteStore.open(":memory:")
    try:
        last: int | None = None
        for moment in moments:
            taken = await claim(store, float(moment))
            assert taken == (last is None or moment - last >= HOUR)
            last = moment if taken else last
    finally:
        await store.close()
