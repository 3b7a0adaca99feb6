"""Hold how settings are stored, changed and deleted."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from cogs.websearch.errors import StoreFailed
from cogs.websearch.settings import PlaceKind, Settings, Spot, SpotSettings
from cogs.websearch.store import settings as kept
from store_sessions import a_session
from switch_tools import CATEGORY, CHAIN, CHANNEL, GUILD, OFF, ON, SERVER, THREAD, chosen, off_until

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    from cogs.websearch.store.sqlite import SqliteStore
    from store_sessions import Opener

OTHER_GUILD = GUILD + 1


def rows(path: Path) -> list[tuple[object, ...]]:
    """Return every row that is kept of settings."""
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute("SELECT * FROM setting").fetchall()


async def test_settings_come_back_as_they_were_stored(opened: Opener, path: Path, store: SqliteStore) -> None:
    """SW-14: who, when and what of each setting are there for the next process, for ids of any size."""
    large = Spot(guild_id=2**63 - 1, id=2**63 - 2, kind=PlaceKind.THREAD, parent_id=2**63 - 3)
    for number, spot in enumerate((*CHAIN, large)):
        await store.settings.switch(spot, chosen(value=True, by=number, when=1.5))
        await store.settings.switch(spot, chosen(value=False, by=number + 1, when=2.5, until=99.5))
        await store.settings.hide(spot, chosen(value=True, by=number + 2, when=3.5))
    other = await (await opened(path)).settings.load()
    for number, spot in enumerate((*CHAIN, large)):
        assert other.of(spot) == SpotSettings(
            spot=spot,
            lasting=chosen(value=True, by=number, when=1.5),
            timed=chosen(value=False, by=number + 1, when=2.5, until=99.5),
            private=chosen(value=True, by=number + 2, when=3.5),
        )
    assert other.guild_ids == {GUILD, large.guild_id}


async def test_an_empty_store_has_no_settings(store: SqliteStore) -> None:
    """SW-01: nothing stored is nothing decided."""
    settings = await store.settings.load()
    assert settings.guild_ids == frozenset()
    assert settings.of(CHANNEL) is None


async def test_a_lasting_setting_ends_the_timed_one(store: SqliteStore) -> None:
    """SW-03: and leaves what was said about replies; a timed one leaves the lasting one."""
    await store.settings.hide(CHANNEL, ON)
    await store.settings.switch(CHANNEL, off_until(99.0))
    await store.settings.switch(CHANNEL, ON)
    assert (await store.settings.load()).of(CHANNEL) == SpotSettings(spot=CHANNEL, lasting=ON, private=ON)
    await store.settings.switch(CHANNEL, off_until(50.0))
    one = (await store.settings.load()).of(CHANNEL)
    assert one == SpotSettings(spot=CHANNEL, lasting=ON, timed=off_until(50.0), private=ON)


async def test_a_cleared_place_leaves_no_row(store: SqliteStore, path: Path) -> None:
    """SW-25, SW-22: its own settings alone go, not those of the server with the same id, nor those of its threads."""
    first = Spot(guild_id=GUILD, id=GUILD, kind=PlaceKind.CHANNEL)
    for spot in (*CHAIN, first):
        await store.settings.switch(spot, OFF)
        await store.settings.switch(spot, off_until(99.0))
        await store.settings.hide(spot, ON)
    for spot in (first, CHANNEL):
        await store.settings.clear(spot)
    settings = await store.settings.load()
    assert [spot for spot in (*CHAIN, first) if settings.of(spot) is None] == [CHANNEL, first]
    assert len(rows(path)) == 3
    await store.settings.clear(first)
    assert (await store.settings.load()).revision == settings.revision


async def test_the_revision_follows_settings_alone(store: SqliteStore) -> None:
    """SW-16: each change of a setting moves it; sessions and departures don't."""
    seen = [await store.settings.revision()]
    changes: list[Callable[[], Awaitable[Any]]] = [
        lambda: store.settings.switch(CHANNEL, ON),
        lambda: store.settings.switch(CHANNEL, OFF),
        lambda: store.settings.switch(THREAD, off_until(5.0)),
        lambda: store.settings.hide(SERVER, ON),
        lambda: store.settings.clear(SERVER),
        lambda: store.settings.purge(now=9.0),
        lambda: store.settings.forget_place(GUILD, CHANNEL.id),
    ]
    for change in changes:
        await change()
        seen.append(await store.settings.revision())
    assert len(set(seen)) == len(seen)
    await store.sessions.save(a_session())
    await store.settings.depart(GUILD, now=0.0)
    await store.settings.purge(now=9.0)
    await store.settings.forget_place(GUILD, 12345)
    assert await store.settings.revision() == seen[-1]


async def test_a_deleted_channel_takes_its_threads_along(store: SqliteStore, path: Path) -> None:
    """SW-18: and nothing else, also where an old server has the channel's id."""
    first = Spot(guild_id=GUILD, id=GUILD, kind=PlaceKind.CHANNEL)
    elsewhere = Spot(guild_id=OTHER_GUILD, id=CHANNEL.id, kind=PlaceKind.CHANNEL)
    for spot in (*CHAIN, first, elsewhere):
        await store.settings.switch(spot, OFF)
    await store.settings.forget_place(GUILD, CHANNEL.id)
    await store.settings.forget_place(GUILD, GUILD)
    settings = await store.settings.load()
    gone = [spot for spot in (*CHAIN, first, elsewhere) if settings.of(spot) is None]
    assert gone == [THREAD, CHANNEL, first]
    assert len(rows(path)) == 3


async def test_ended_settings_are_deleted(store: SqliteStore, path: Path) -> None:
    """SW-22: at their end and not before, however many; a place that has nothing else leaves no row."""
    for number in range(450):
        spot = Spot(guild_id=GUILD, id=1000 + number, kind=PlaceKind.CHANNEL)
        await store.settings.switch(spot, off_until(100.0))
    await store.settings.hide(CATEGORY, ON)
    await store.settings.switch(CATEGORY, off_until(100.0))
    await store.settings.switch(CHANNEL, off_until(100.5))
    await store.settings.purge(now=99.9)
    assert len(rows(path)) == 452
    await store.settings.purge(now=100.0)
    settings = await store.settings.load()
    assert len(rows(path)) == 2
    assert settings.of(CATEGORY) == SpotSettings(spot=CATEGORY, private=ON)
    assert settings.of(CHANNEL) == SpotSettings(spot=CHANNEL, timed=off_until(100.5))


async def test_a_server_that_came_back_keeps_its_settings(store: SqliteStore) -> None:
    """SW-20: forgetting begins with servers that were left; one that is back is none, even at the last moment."""
    await store.settings.switch(CHANNEL, OFF)
    await store.settings.depart(GUILD, now=10.0)
    await store.settings.depart(OTHER_GUILD, now=11.0)
    assert await store.settings.departed(until=9.9) == []
    assert await store.settings.departed(until=10.0) == [GUILD]
    assert sorted(await store.settings.departed()) == [GUILD, OTHER_GUILD]
    await store.settings.come_back(GUILD)
    await store.settings.forget_guild(GUILD)
    assert (await store.settings.load()).of(CHANNEL) is not None
    await store.settings.depart(GUILD, now=20.0)
    await store.settings.depart(GUILD, now=30.0)
    assert await store.settings.departed(until=20.0) == [OTHER_GUILD]
    await store.settings.forget_guild(GUILD)
    assert (await store.settings.load()).of(CHANNEL) is None
    assert await store.settings.departed() == [OTHER_GUILD]


async def test_many_moderators_at_once_lose_nothing(opened: Opener, path: Path, store: SqliteStore) -> None:
    """SW-23: changes of the same places by two stores at once are all stored, and no switch undoes a privacy."""
    other = await opened(path)
    spots = [Spot(guild_id=GUILD, id=1000 + number, kind=PlaceKind.CHANNEL) for number in range(40)]
    await asyncio.gather(
        *(store.settings.switch(spot, OFF) for spot in spots), *(other.settings.hide(spot, ON) for spot in spots)
    )
    settings = await store.settings.load()
    assert [settings.of(spot) for spot in spots] == [SpotSettings(spot=s, lasting=OFF, private=ON) for s in spots]


async def test_many_settings_are_put_together_beside_the_loop(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SW-16: the event loop goes on meanwhile; a handful isn't worth another thread."""
    threads: list[bool] = []
    collect = kept._collect  # noqa: SLF001 - where it runs is what must hold

    def watched(base: int, rows: list[tuple[Any, ...]]) -> Settings:
        threads.append(threading.current_thread() is threading.main_thread())
        return collect(base, rows)

    monkeypatch.setattr(kept, "_collect", watched)
    spots = [Spot(guild_id=GUILD, id=1000 + number, kind=PlaceKind.CHANNEL) for number in range(150)]
    await store.settings.switch(spots[0], OFF)
    await store.settings.load()
    for spot in spots:
        await store.settings.switch(spot, OFF)
    settings = await store.settings.load()
    assert all(settings.of(spot) == SpotSettings(spot=spot, lasting=OFF) for spot in spots)
    assert threads == [True, False]


async def test_what_fails_is_the_stores_failure(store: SqliteStore, caplog: pytest.LogCaptureFixture) -> None:
    """SW-14, SW-17: every method of a closed store raises `StoreFailed` and logs one line, unless it's to be quiet."""
    await store.close()
    failing: list[Callable[[], Awaitable[Any]]] = [
        store.settings.revision,
        store.settings.load,
        lambda: store.settings.switch(CHANNEL, ON),
        lambda: store.settings.switch(CHANNEL, off_until(1.0)),
        lambda: store.settings.hide(CHANNEL, ON),
        lambda: store.settings.rule_sites(GUILD, ["a.example"], allowed=True, by=7, at=0.0),
        lambda: store.settings.free_sites(GUILD, ["a.example"]),
        lambda: store.settings.forget_place(GUILD, 1),
        lambda: store.settings.forget_guild(GUILD),
        lambda: store.settings.depart(GUILD, now=0.0),
        lambda: store.settings.come_back(GUILD),
        store.settings.departed,
        lambda: store.settings.purge(now=0.0),
    ]
    for number, operation in enumerate(failing, 1):
        with pytest.raises(StoreFailed):
            await operation()
        assert len([r for r in caplog.records if r.levelname == "ERROR"]) == number
    with pytest.raises(StoreFailed):
        await store.settings.revision(quiet=True)
    with pytest.raises(StoreFailed):
        await store.settings.load(quiet=True)
    assert len([r for r in caplog.records if r.levelname == "ERROR"]) == len(failing)
