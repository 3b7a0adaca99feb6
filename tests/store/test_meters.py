"""Hold what is counted, what stops a search, and what is given back, against a count that is plain to see."""

from __future__ import annotations

import asyncio
import re
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cogs.websearch.charges import Charge, Limit, Quota, Stop, Usage, Use
from cogs.websearch.errors import StoreFailed
from cogs.websearch.store import meters
from cogs.websearch.store.database import Database
from cogs.websearch.store.meters import SqliteMeters
from meter_tools import DAY, MINUTE, NOON, WIDE, Model, a_charge, rows

if TYPE_CHECKING:
    from pathlib import Path

    from cogs.websearch.store.sqlite import SqliteStore
    from store_sessions import Opener

MEMBER, SERVER, TOTAL = 1, 2, 3


async def charged(store: SqliteStore, charge: Charge, quota: Quota = WIDE) -> Charge:
    """Count a search that no limit stops."""
    assert await store.meters.charge(charge, quota) is None
    return charge


async def test_a_search_counts_everywhere_at_once(store: SqliteStore, path: Path) -> None:
    """MET-01: one charge counts for the member, the server and all together, with its cost."""
    await charged(store, a_charge(1, 9))
    await charged(store, a_charge(2, 9, cost=4000))
    assert rows(path) == {
        (DAY, MEMBER, 1): (1, 7000),
        (DAY, MEMBER, 2): (1, 4000),
        (DAY, SERVER, 9): (2, 11_000),
        (DAY, TOTAL, 0): (2, 11_000),
    }


async def test_a_direct_message_counts_for_no_server(store: SqliteStore, path: Path) -> None:
    """MET-03: without a server there is no server's counter, and its limit stops nothing."""
    for number in range(3):
        await charged(store, a_charge(number, None), Quota(per_minute=9, per_member=9, per_server=1))
    assert {scope for _, scope, _ in rows(path)} == {MEMBER, TOTAL}


@pytest.mark.parametrize(
    ("quota", "stop"),
    [
        (Quota(per_minute=2, per_member=9), Stop(limit=Limit.MINUTE, until=NOON + MINUTE)),
        (Quota(per_minute=9, per_member=2), Stop(limit=Limit.MEMBER)),
        (Quota(per_minute=9, per_member=9, per_server=2), Stop(limit=Limit.SERVER)),
        (Quota(per_minute=9, per_member=9, budget=20_999), Stop(limit=Limit.BUDGET, spent=14_000)),
        (Quota(per_minute=2, per_member=2, per_server=2, budget=14_000), Stop(limit=Limit.MEMBER)),
    ],
)
async def test_what_stops_a_search_changes_nothing(store: SqliteStore, path: Path, quota: Quota, stop: Stop) -> None:
    """MET-01, MET-06, MET-07: the third search is stopped by its limit and moves no counter, however often it comes."""
    await charged(store, a_charge(at=NOON), quota)
    await charged(store, a_charge(at=NOON + 1), quota)
    before = rows(path)
    for number in range(5):
        assert await store.meters.charge(a_charge(at=NOON + 2 + number), quota) == stop
    assert rows(path) == before
    assert before[DAY, TOTAL, 0] == (2, 14_000)


async def test_a_budget_below_one_search_stops_the_first(store: SqliteStore, path: Path) -> None:
    """MET-04: what can't be paid isn't begun, and what costs nothing goes on."""
    quota = Quota(per_minute=9, per_member=9, budget=6999)
    assert await store.meters.charge(a_charge(), quota) == Stop(limit=Limit.BUDGET)
    assert {searches for searches, _ in rows(path).values()} <= {0}
    await charged(store, a_charge(cost=0), quota)


async def test_a_minute_slides(store: SqliteStore) -> None:
    """MET-02: a place in the minute is free again exactly a minute after its search, not at a full minute."""
    quota = Quota(per_minute=2, per_member=99)
    await charged(store, a_charge(at=NOON), quota)
    await charged(store, a_charge(at=NOON + 59_000), quota)
    assert isinstance(await store.meters.charge(a_charge(at=NOON + MINUTE - 1), quota), Stop)
    await charged(store, a_charge(at=NOON + MINUTE), quota)
    stop = await store.meters.charge(a_charge(at=NOON + MINUTE + 1), quota)
    assert stop == Stop(limit=Limit.MINUTE, until=NOON + 59_000 + MINUTE)


async def test_a_minute_goes_on_at_midnight(store: SqliteStore) -> None:
    """MET-02: the searches of the old day's last seconds count in the new day's first minute, its own count is new."""
    quota = Quota(per_minute=2, per_member=2)
    await charged(store, a_charge(at=NOON), quota)
    await charged(store, a_charge(at=NOON + 1), quota)
    tomorrow = a_charge(day=DAY + 1, at=NOON + 2)
    assert await store.meters.charge(tomorrow, quota) == Stop(limit=Limit.MINUTE, until=NOON + MINUTE)
    await charged(store, msgspec.structs.replace(tomorrow, instant=NOON + MINUTE), quota)


async def test_limits_that_change_hold_at_once(store: SqliteStore) -> None:
    """MET-02: a minute that's narrowed and widened again still knows every search that counts."""
    wide, narrow = Quota(per_minute=5, per_member=99), Quota(per_minute=2, per_member=99)
    for number in range(4):
        await charged(store, a_charge(at=NOON + number), wide)
    stop = await store.meters.charge(a_charge(at=NOON + 9), narrow)
    assert stop == Stop(limit=Limit.MINUTE, until=NOON + 2 + MINUTE)
    await charged(store, a_charge(at=NOON + 10), wide)
    assert isinstance(await store.meters.charge(a_charge(at=NOON + 11), wide), Stop)


async def test_a_clock_that_was_put_back_a_little(store: SqliteStore) -> None:
    """MET-12: a search that seems to come before the last one is counted at the last one's moment."""
    quota = Quota(per_minute=2, per_member=99)
    await charged(store, a_charge(at=NOON), quota)
    await charged(store, a_charge(at=NOON - 30_000), quota)
    stop = Stop(limit=Limit.MINUTE, until=NOON + MINUTE)
    assert await store.meters.charge(a_charge(at=NOON - 20_000), quota) == stop
    assert await store.meters.charge(a_charge(at=NOON + MINUTE - 1), quota) == stop
    await charged(store, a_charge(at=NOON + MINUTE), quota)


async def test_a_clock_that_ran_ahead_locks_nobody_out(store: SqliteStore) -> None:
    """MET-12: searches of a time that hasn't come yet hold nobody up."""
    quota = Quota(per_minute=1, per_member=99)
    await charged(store, a_charge(at=NOON + 400 * 24 * 60 * MINUTE), quota)
    await charged(store, a_charge(at=NOON), quota)
    assert isinstance(await store.meters.charge(a_charge(at=NOON), quota), Stop)


async def test_a_refund_undoes_a_charge(store: SqliteStore, path: Path) -> None:
    """MET-09: count, cost and place in the minute are as before, and the next search takes the place."""
    quota = Quota(per_minute=2, per_member=2, per_server=2, budget=14_000)
    await charged(store, a_charge(at=NOON), quota)
    before = rows(path)
    second = await charged(store, a_charge(at=NOON), quota)
    await store.meters.refund(second)
    assert rows(path) == before
    await charged(store, a_charge(at=NOON + 1), quota)
    assert isinstance(await store.meters.charge(a_charge(at=NOON + 2), quota), Stop)


async def test_a_refund_may_keep_cost_and_place(store: SqliteStore, path: Path) -> None:
    """MET-21, MET-23: what a failed search cost stays counted, more than its estimate too, and its place if asked."""
    quota = Quota(per_minute=2, per_member=9)
    first, second = await charged(store, a_charge(), quota), await charged(store, a_charge(), quota)
    await store.meters.refund(first, cost=12_000)
    assert set(rows(path).values()) == {(1, 19_000)}
    await store.meters.refund(second, placed=True)
    assert set(rows(path).values()) == {(0, 12_000)}
    await charged(store, a_charge(), quota)
    assert await store.meters.charge(a_charge(), quota) == Stop(limit=Limit.MINUTE, until=NOON + MINUTE)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT searches, cost FROM counter WHERE day = 0").fetchall() == [(0, 0)]


async def test_a_minute_in_another_form(store: SqliteStore, path: Path) -> None:
    """MET-25: instants without names, as an early version wrote them, are replaced by the first search."""
    quota = Quota(per_minute=2, per_member=9)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("INSERT INTO counter VALUES (0, 0, 1, 0, 0, ?)", (f",{NOON - 1:013d}" * 6,))
        connection.commit()
    for _ in range(2):
        await charged(store, a_charge(), quota)
    assert await store.meters.charge(a_charge(), quota) == Stop(limit=Limit.MINUTE, until=NOON + MINUTE)


async def test_a_refund_goes_to_its_own_day(store: SqliteStore, path: Path) -> None:
    """MET-09: what was counted before midnight is given back to that day."""
    search = await charged(store, a_charge())
    await charged(store, a_charge(day=DAY + 1, at=NOON + 1))
    await store.meters.refund(search)
    assert rows(path)[DAY, MEMBER, 1] == (0, 0)
    assert rows(path)[DAY + 1, MEMBER, 1] == (1, 7000)


async def test_no_counter_falls_below_zero(store: SqliteStore, path: Path) -> None:
    """MET-09: giving back what isn't there, or settling it, leaves zero."""
    await store.meters.refund(a_charge())
    assert rows(path) == {}
    search = await charged(store, a_charge())
    for _ in range(3):
        await store.meters.refund(search)
        await store.meters.settle(search, 0)
    assert set(rows(path).values()) == {(0, 0)}


async def test_only_what_was_counted_is_undone(store: SqliteStore, path: Path) -> None:
    """MET-10: a search that was stopped changes nothing when it's undone, one that was counted is undone once."""
    quota = Quota(per_minute=2, per_member=9)
    first, second, third = a_charge(at=NOON), a_charge(at=NOON), a_charge(at=NOON)
    await charged(store, first, quota)
    await charged(store, second, quota)
    assert isinstance(await store.meters.charge(third, quota), Stop)
    await store.meters.undo(third)
    assert rows(path)[DAY, MEMBER, 1] == (2, 14_000)
    for _ in range(2):
        await store.meters.undo(first)
        assert rows(path)[DAY, MEMBER, 1] == rows(path)[DAY, SERVER, 9] == rows(path)[DAY, TOTAL, 0] == (1, 7000)
    await charged(store, third, quota)


async def test_settling_replaces_the_estimate(store: SqliteStore, path: Path) -> None:
    """MET-08: the real cost stands in all counters of the day, and the count stays."""
    search = await charged(store, a_charge())
    await store.meters.settle(search, 12_345)
    assert set(rows(path).values()) == {(1, 12_345)}
    await store.meters.settle(await charged(store, a_charge(at=NOON + 1)), 0)
    assert set(rows(path).values()) == {(2, 12_345)}


async def test_todays_use_is_told(store: SqliteStore) -> None:
    """MET-19: each counter is told, and nothing where nobody searched or was named."""
    await charged(store, a_charge(1, 9))
    await charged(store, a_charge(2, 9))
    await charged(store, a_charge(1, None))
    assert await store.meters.usage(day=DAY, user_id=1, guild_id=9) == Usage(
        member=Use(searches=2, cost=14_000), server=Use(searches=2, cost=14_000), total=Use(searches=3, cost=21_000)
    )
    assert await store.meters.usage(day=DAY) == Usage(total=Use(searches=3, cost=21_000))
    assert await store.meters.usage(day=DAY + 1, user_id=1, guild_id=9) == Usage()


async def test_old_days_and_minutes_are_deleted(store: SqliteStore, path: Path) -> None:
    """MET-13: what is older goes, more of it than one step takes, and everything else stays."""
    for number in range(700):
        await charged(store, a_charge(number, None, day=DAY - 2))
    await charged(store, a_charge(1, None, day=DAY - 1))
    await charged(store, a_charge(1, None, at=NOON + 60 * MINUTE))
    await store.meters.purge(before=DAY - 1, now=NOON + 60 * MINUTE)
    assert {day for day, _, _ in rows(path)} == {DAY - 1, DAY}
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT id FROM counter WHERE day = 0").fetchall() == [(1,)]


async def test_others_write_during_a_purge(path: Path) -> None:
    """MET-13: between two steps of a purge there's a pause in which others write."""
    pauses: list[float] = []

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)
        with closing(sqlite3.connect(path, timeout=0, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            other.execute("ROLLBACK")

    database = await Database.open(path)
    sleepy = SqliteMeters(database, sleep=sleep)
    for number in range(1200):
        await sleepy.charge(a_charge(number, None, day=DAY - 9), WIDE)
    await sleepy.purge(before=DAY, now=NOON)
    await database.close()
    assert len(pauses) >= 2
    assert min(pauses) > 0
    assert rows(path) == {}


async def test_a_failing_database_counts_nothing(
    store: SqliteStore, path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """MET-14: each operation raises `StoreFailed`, names no member in the log, and works again afterwards."""
    search = await charged(store, a_charge(1_234_567))
    with closing(sqlite3.connect(path)) as other:
        other.execute("ALTER TABLE counter RENAME TO hidden")
    for operation in (
        store.meters.charge(search, WIDE),
        store.meters.settle(search, 1),
        store.meters.refund(search),
        store.meters.usage(day=DAY),
        store.meters.purge(before=DAY, now=NOON),
    ):
        with pytest.raises(StoreFailed):
            await operation
    assert len(caplog.records) == 5
    assert "1234567" not in caplog.text
    with closing(sqlite3.connect(path)) as other:
        other.execute("ALTER TABLE hidden RENAME TO counter")
    await charged(store, a_charge(1_234_567, at=NOON + 1))
    assert rows(path)[DAY, MEMBER, 1_234_567] == (2, 14_000)


async def test_an_id_that_no_counter_takes_is_a_failure(store: SqliteStore) -> None:
    """MET-14: an id beyond 63 bits raises `StoreFailed` and nothing else."""
    with pytest.raises(StoreFailed):
        await store.meters.charge(a_charge(2**64), WIDE)
    await charged(store, a_charge(2**63 - 1, 2**63 - 1))


async def test_two_stores_share_every_limit(opened: Opener, path: Path, store: SqliteStore) -> None:
    """MET-05: of many searches through two stores at once exactly as many pass as the limit says."""
    other = await opened(path)
    quota = Quota(per_minute=999, per_member=30)
    found = await asyncio.gather(
        *(one.meters.charge(a_charge(at=NOON + number), quota) for number in range(50) for one in (store, other))
    )
    assert found.count(None) == 30
    assert rows(path)[DAY, MEMBER, 1] == (30, 210_000)


@pytest.mark.usefixtures("store")
@pytest.mark.parametrize("name", ["_CHARGE", "_SETTLE", "_REFUND", "_UNDO", "_USAGE"])
def test_only_its_own_rows_are_read(path: Path, name: str) -> None:
    """MET-20: every look into the table is by the whole key, so that its size doesn't matter."""
    statement = getattr(meters, name)
    parameters = dict.fromkeys(re.findall(r":(\w+)", statement), 1)
    with closing(sqlite3.connect(path)) as connection:
        steps = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {statement}", parameters)]
    looks = [step for step in steps if re.search(r"\bcounter\b", step)]
    assert looks
    assert set(looks) == {"SEARCH counter USING PRIMARY KEY (day=? AND scope=? AND id=?)"}


STEPS = st.lists(
    st.tuples(
        st.integers(1, 3),
        st.sampled_from([None, 8, 9]),
        st.sampled_from([0, 1, 700, 20_000, 59_999, MINUTE]),
        st.sampled_from([0, 4000, 7000]),
        st.sampled_from(["keep", "keep", "keep", "refund", "settle", "undo"]),
    ),
    max_size=40,
)
QUOTAS = st.builds(
    Quota,
    per_minute=st.integers(1, 4),
    per_member=st.integers(1, 12),
    per_server=st.none() | st.integers(1, 12),
    budget=st.none() | st.integers(0, 90_000),
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS, quota=QUOTAS)
async def test_any_searches_are_counted_as_plainly_as_can_be(
    store: SqliteStore, path: Path, steps: list[tuple[int, int | None, int, int, str]], quota: Quota
) -> None:
    """MET-01, MET-02, MET-03, MET-04, MET-06, MET-09: whoever searches when, it's decided as by counting a list."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DELETE FROM counter")
        connection.commit()
    model, now = Model(), NOON
    for user_id, guild_id, wait, cost, then in steps:
        now += wait
        # A day of the test lasts two minutes, so that searches come on both sides of midnight.
        asked = a_charge(user_id, guild_id, day=DAY + (now - NOON) // (2 * MINUTE), at=now, cost=cost)
        stop = await store.meters.charge(asked, quota)
        assert stop == model.charge(asked, quota)
        if then == "undo":
            # Whether it was counted or not.
            await store.meters.undo(asked)
            model.charges = [one for one in model.charges if one is not asked]
        elif stop is None and then != "keep":
            model.charges.remove(asked)
            if then == "refund":
                await store.meters.refund(asked)
            else:
                await store.meters.settle(asked, 5000)
                model.charges.append(msgspec.structs.replace(asked, cost=5000))
    for day in {one.day for one in model.charges}:
        total = [one for one in model.charges if one.day == day]
        assert rows(path)[day, TOTAL, 0] == (len(total), sum(one.cost for one in total))
