"""Hold what the store counts of one member, and how that is forgotten."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from cogs.websearch.charges import Quota
from cogs.websearch.settings import Choice
from meter_tools import DAY, MINUTE, NOON, WIDE, a_charge, rows
from store_sessions import a_session
from switch_tools import CHANNEL, GUILD

if TYPE_CHECKING:
    from pathlib import Path

    from cogs.websearch.models import Session
    from cogs.websearch.store.sqlite import SqliteStore
    from store_sessions import Opener

MEMBER = 1


def session_of(user_id: int, name: str, *, expires: float = 100.0) -> Session:
    """Make a session of a member."""
    session = a_session(name, expires=expires)
    return replace(session, asker=replace(session.asker, user_id=user_id))


async def test_sessions_are_counted_until_they_end(store: SqliteStore) -> None:
    """OWN-02: one's own alone, without those that have ended, and when the last one does."""
    assert await store.sessions.count(1, now=50.0) == (0, 0)
    for name, expires in (("a", 40.0), ("b", 100.0), ("c", 70.0)):
        await store.sessions.save(session_of(1, name, expires=expires))
    await store.sessions.save(session_of(2, "d", expires=900.0))
    assert await store.sessions.count(1, now=50.0) == (2, 100.0)


async def test_one_members_sessions_are_forgotten(store: SqliteStore, path: Path) -> None:
    """OWN-03: more than fit in a step, one of an older version among them; not those of others, nor a broken one."""
    for number in range(450):
        await store.sessions.save(session_of(1, f"own-{number}"))
    await store.sessions.save(session_of(1, "old"))
    await store.sessions.save(session_of(2, "other"))
    await store.sessions.save(session_of(2, "other-old"))
    with closing(sqlite3.connect(path)) as database:
        database.execute("UPDATE session SET user_id = NULL WHERE id IN ('old', 'other-old')")
        database.execute("INSERT INTO session (id, expires, payload) VALUES ('odd', 100, ?)", (b"\xff{",))
        database.commit()
    await store.sessions.forget(1)
    with closing(sqlite3.connect(path)) as database:
        left = {name for (name,) in database.execute("SELECT id FROM session")}
    assert left == {"other", "other-old", "odd"}
    await store.sessions.forget(1)


async def test_days_are_listed_and_forgotten(store: SqliteStore, path: Path) -> None:
    """OWN-02, OWN-03: the days before one go, of one member alone; that day, the minute and other counters stay."""
    for member in (1, 2):
        for day in (DAY - 40, DAY - 3, DAY):
            await store.meters.charge(a_charge(member, 9, day=day), WIDE)
    before = rows(path)
    assert await store.meters.days(1) == [DAY - 40, DAY - 3, DAY]
    assert await store.meters.days(3) == []
    await store.meters.forget(1, before=DAY)
    assert await store.meters.days(1) == [DAY]
    assert await store.meters.days(2) == [DAY - 40, DAY - 3, DAY]
    gone = {(DAY - 40, 1, 1), (DAY - 3, 1, 1)}
    assert rows(path) == {key: value for key, value in before.items() if key not in gone}
    assert len(await store.meters.minute(1, now=NOON)) == 3


async def test_forgetting_reads_no_other_member(store: SqliteStore, path: Path) -> None:
    """OWN-09: the plans of listing and forgetting look up a row a day, and never go through all rows."""
    await store.meters.charge(a_charge(), WIDE)
    from cogs.websearch.store import meters  # noqa: PLC0415 - its statements are its own

    with closing(sqlite3.connect(path)) as database:
        for statement in (meters._DAYS, meters._FORGET):  # noqa: SLF001 - likewise
            plan = database.execute(f"EXPLAIN QUERY PLAN {statement}", {"member": 1, "before": DAY}).fetchall()
            steps = [step for *_, step in plan if "counter" in step]
            assert steps
            assert [step for step in steps if not step.startswith("SEARCH")] == []
            assert any("day=? AND scope=? AND id=?" in step for step in steps)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(gaps=st.lists(st.integers(0, 40_000), max_size=12), per_minute=st.integers(1, 6), wait=st.integers(0, 90_000))
async def test_the_minute_is_what_the_limit_counts(opened: Opener, gaps: list[int], per_minute: int, wait: int) -> None:
    """OWN-01: as many searches are left in a minute as the next charges are let through."""
    store = await opened(":memory:")
    quota, now = Quota(per_minute=per_minute, per_member=1000), NOON
    for gap in gaps:
        now += gap
        await store.meters.charge(a_charge(at=now), quota)
    now += wait
    made = await store.meters.minute(MEMBER, now=now)
    assert made == sorted(made)
    assert all(now - MINUTE < instant <= now for instant in made)
    left = 0
    while await store.meters.charge(a_charge(at=now), quota) is None:
        left += 1
    assert left == max(per_minute - len(made), 0)
    await store.close()


async def test_a_minute_that_was_given_back_is_none(store: SqliteStore) -> None:
    """OWN-01: a search that's given back leaves its minute, and a clock that was wrong fills none."""
    charge = a_charge()
    await store.meters.charge(charge, WIDE)
    assert await store.meters.minute(MEMBER, now=NOON) == [NOON]
    await store.meters.refund(charge)
    assert await store.meters.minute(MEMBER, now=NOON) == []
    await store.meters.charge(a_charge(at=NOON + 10 * MINUTE), WIDE)
    assert await store.meters.minute(MEMBER, now=NOON) == []


async def test_settings_are_counted_by_who_made_them(store: SqliteStore) -> None:
    """OWN-02: each setting of a place by itself, and each rule on a site, of all servers; who replaced one made it."""
    assert await store.settings.count(MEMBER) == 0
    mine, theirs = Choice(value=False, by=MEMBER, at=1.0), Choice(value=True, by=MEMBER + 1, at=2.0)
    for spot in (CHANNEL, replace(CHANNEL, guild_id=GUILD + 1)):
        await store.settings.switch(spot, mine)
        await store.settings.switch(spot, replace(mine, until=9.0))
        await store.settings.hide(spot, mine)
    await store.settings.rule_sites(GUILD, ["a.example", "b.example"], allowed=True, by=MEMBER, at=1.0)
    assert await store.settings.count(MEMBER) == 8
    await store.settings.hide(CHANNEL, theirs)
    await store.settings.rule_sites(GUILD, ["a.example"], allowed=True, by=MEMBER + 1, at=1.0)
    await store.settings.clear(replace(CHANNEL, guild_id=GUILD + 1))
    assert (await store.settings.count(MEMBER), await store.settings.count(MEMBER + 1)) == (3, 2)
