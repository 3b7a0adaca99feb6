"""Compare charging a search with the least that a write through aiosqlite takes, and many counters with few."""

from __future__ import annotations

import asyncio
import os
import random
import sqlite3
from contextlib import AsyncExitStack, closing, contextmanager
from functools import partial
from itertools import count, cycle
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

import aiosqlite

from cogs.websearch.config import Config
from cogs.websearch.meter import Meter
from cogs.websearch.models import Asker
from cogs.websearch.store.sqlite import SqliteStore

from .figures import Comparison, in_turns, timed

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

    Charge = Callable[[], Awaitable[object]]

ABOUT: Final = (
    "**A charge** counts a search against minute, member, server and budget, for one member after another. Beside it"
    " stands one begin, upsert and commit over a bare `aiosqlite` connection, which counts one thing and holds it"
    " against nothing. Both files write ahead and hold 10,000 counters, of ninety days. Then ten million counters stand"
    " beside 10,000. The ratios are of the CPU's time of both threads, on one core."
    " What they wait for each other is the system's business."
)
_BUDGET: Final = 1.0
_GROWTH_BUDGET: Final = 1.3
# Short turns and many, since whatever else runs disturbs threads that wait for each other.
_ROUNDS: Final = 200
_COUNT: Final = 25
_FEW: Final = 10_000
_MANY: Final = 10_000_000
# Enough for `--quick`, where only the way is tried.
_SOME: Final = 100_000
_DAYS: Final = 90
# 2026-11-30 as `date.toordinal` counts, and its start in UTC in Unix seconds.
_TODAY: Final = 739_950
_START: Final = 1_795_996_800
# As long as a snowflake.
_FIRST_ID: Final = 10**17
_SERVER: Final = _FIRST_ID
_PRICE: Final = 7_000

# In the order of the primary key, as counters come to be: on each day those of nine members to one of a server.
_FILL: Final = """
WITH RECURSIVE number (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM number WHERE n + 1 < :rows)
INSERT INTO counter (day, scope, id, searches, cost, recent)
SELECT :first + n / :a_day, iif(n % :a_day < :members, 1, 2), :id + n % :a_day, 5, 35000, '' FROM number
"""
_UPSERT: Final = """
INSERT INTO counter (day, scope, id, searches, cost, recent) VALUES (?, 1, ?, 1, ?, '')
ON CONFLICT (day, scope, id) DO UPDATE SET searches = searches + 1, cost = cost + excluded.cost
"""


def measure(*, quick: bool) -> list[Comparison]:
    """Fill databases in a temporary folder and measure."""
    with TemporaryDirectory() as folder, _one_core():
        return asyncio.run(_measure(Path(folder), quick=quick))


@contextmanager
def _one_core() -> Iterator[None]:
    """Keep this process on one core, where the system lets it: whether two threads share one changes a hop's price."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


async def _measure(folder: Path, *, quick: bool) -> list[Comparison]:
    rounds, times = (3, 20) if quick else (_ROUNDS, _COUNT)
    async with AsyncExitStack() as stack:
        bare = await _bare(folder / "bare.db", stack)
        few = await _meter(folder / "few.db", _FEW, stack)
        many = await _meter(folder / "many.db", _SOME if quick else _MANY, stack)
        floor = await in_turns(rounds, {"bare": partial(timed, bare, times), "charge": partial(timed, few, times)})
        growth = await in_turns(rounds, {"few": partial(timed, few, times), "many": partial(timed, many, times)})
    beside = "a bare `aiosqlite` begin, upsert, commit"
    return [
        Comparison(
            what="a charge", beside=beside, ours=floor["charge"], theirs=floor["bare"], budget=_BUDGET, by_work=True
        ),
        Comparison(
            what=f"a charge with {_SOME if quick else _MANY:,} counters",
            beside=f"with {_FEW:,}",
            ours=growth["many"],
            theirs=growth["few"],
            budget=_GROWTH_BUDGET,
            by_work=True,
        ),
    ]


async def _bare(path: Path, stack: AsyncExitStack) -> Charge:
    members = await _fill(path, _FEW)
    connection = await stack.enter_async_context(aiosqlite.connect(path, isolation_level=None))
    await connection.execute("PRAGMA journal_mode = WAL")
    await connection.execute("PRAGMA synchronous = NORMAL")

    async def upsert() -> None:
        await connection.execute("BEGIN IMMEDIATE")
        await connection.execute(_UPSERT, (_TODAY, next(members), _PRICE))
        await connection.commit()

    return upsert


async def _meter(path: Path, rows: int, stack: AsyncExitStack) -> Charge:
    members = await _fill(path, rows)
    store = await SqliteStore.open(path)
    stack.push_async_callback(store.close)
    # A second passes between two searches: all of them fit into the day.
    seconds = count(_START)
    now = next(seconds)
    meter = Meter(store.meters, clock=lambda: now)
    config = Config(
        enable_web_search=True, web_daily_per_user=100_000, web_daily_per_guild=10_000_000, web_daily_budget_usd=100_000
    )

    async def charge() -> None:
        nonlocal now
        now = next(seconds)
        await meter.charge(Asker(user_id=next(members), channel_id=_SERVER, guild_id=_SERVER), config, "exa")

    return charge


async def _fill(path: Path, rows: int) -> Iterator[int]:
    """Make a database with so many counters, and return today's members in no order, over and over."""
    await (await SqliteStore.open(path)).close()
    a_day = rows // _DAYS
    members = a_day * 9 // 10
    filling = {"rows": a_day * _DAYS, "a_day": a_day, "members": members, "id": _FIRST_ID, "first": _TODAY - _DAYS + 1}
    with closing(sqlite3.connect(path)) as connection:
        # Nobody needs it back if this fails.
        connection.execute("PRAGMA journal_mode = OFF")
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute(_FILL, filling)
        connection.commit()
    today = list(range(_FIRST_ID, _FIRST_ID + members))
    random.Random(0).shuffle(today)  # noqa: S311 - the same order in each run, for nobody to guess
    return cycle(today)
