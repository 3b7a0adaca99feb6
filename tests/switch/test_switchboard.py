"""Hold that settings in memory follow what any process stores."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import sys
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import cogs
from cogs.websearch import limits
from cogs.websearch.errors import StoreFailed, TooManySiteRules
from cogs.websearch.settings import PlaceKind, Settings, SiteRule, Spot, SpotSettings
from cogs.websearch.switchboard import POLL_SECONDS, Switchboard
from store_sessions import a_session
from switch_tools import CHANNEL, GUILD, OFF, ON, SERVER, THREAD

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from cogs.websearch.store.sqlite import SqliteStore
    from store_sessions import Opener

FOLLOWER = Path(__file__).parent / "follower.py"
NOW = 1000.0


def a_server(guild_id: int) -> Spot:
    """Name a server."""
    return Spot(guild_id=guild_id, id=guild_id, kind=PlaceKind.SERVER)


class Pulse:
    """Be the sleep of a switchboard: it ends when the test says so."""

    def __init__(self) -> None:
        self.asked: list[float] = []
        self._asleep = asyncio.Event()
        self._go = asyncio.Event()

    async def sleep(self, seconds: float) -> None:
        """Sleep until the next beat."""
        self.asked.append(seconds)
        self._asleep.set()
        await self._go.wait()
        self._go.clear()

    async def beat(self) -> None:
        """End the sleep, and wait for the next one."""
        await self._asleep.wait()
        self._asleep.clear()
        self._go.set()
        await self._asleep.wait()


class Watched:
    """Be the settings of a store, and count how often all of them are read."""

    def __init__(self, store: SqliteStore) -> None:
        self._settings = store.settings
        self.loads = 0
        self.failing = False

    def __getattr__(self, name: str) -> object:
        """Pass everything else on."""
        return getattr(self._settings, name)

    async def load(self, *, quiet: bool = False) -> Settings:
        """Read all settings, unless that is to fail."""
        self.loads += 1
        if self.failing:
            raise StoreFailed
        return await self._settings.load(quiet=quiet)


@pytest.fixture
def pulse() -> Pulse:
    """Make the sleep of the switchboard under test."""
    return Pulse()


@pytest.fixture
async def board(store: SqliteStore, pulse: Pulse) -> AsyncIterator[Switchboard]:
    """Open a switchboard whose sleep the test ends."""
    board = Switchboard(store.settings, clock=lambda: NOW, sleep=pulse.sleep)
    await board.open()
    yield board
    await board.close()


def is_on(board: Switchboard) -> bool | None:
    """Tell what a switchboard knows of the channel."""
    one = board.settings.of(CHANNEL)
    choice = None if one is None else one.switch(NOW)
    return None if choice is None else choice.value


@asynccontextmanager
async def following(path: Path) -> AsyncIterator[Callable[[], Awaitable[str]]]:
    """Run another process that follows settings; give what waits for the next change that it tells."""
    search = [str(Path(folder).parent) for folder in cogs.__path__] + [str(FOLLOWER.parent.parent)]
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        str(FOLLOWER),
        str(path),
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(search)},
    )
    stdout = process.stdout
    assert stdout is not None

    async def told() -> str:
        return (await stdout.readline()).decode().strip()

    try:
        yield told
    finally:
        process.kill()
        await process.communicate()


async def test_a_change_is_known_once_it_is_stored(board: Switchboard) -> None:
    """SW-14: who asked reads it at once, without any poll, with its end and who set it."""
    await board.switch(CHANNEL, on=False, by=7, seconds=60)
    one = board.settings.of(CHANNEL)
    assert one is not None
    assert one.timed is not None
    assert (one.timed.value, one.timed.by, one.timed.at, one.timed.until) == (False, 7, NOW, NOW + 60)
    await board.hide(SERVER, private=True, by=8)
    server = board.settings.of(SERVER)
    assert server is not None
    assert server.private is not None
    assert (server.private.value, server.private.by, server.private.until) == (True, 8, None)


async def test_another_stores_change_is_seen_at_the_next_poll(
    opened: Opener, path: Path, board: Switchboard, pulse: Pulse
) -> None:
    """SW-15: one poll is enough, and polls are less than a second apart."""
    other = Switchboard((await opened(path)).settings, clock=lambda: NOW)
    for on in (False, True):
        await other.switch(CHANNEL, on=on, by=7)
        await pulse.beat()
        assert is_on(board) is on
    await other.forget_place(GUILD, CHANNEL.id)
    await pulse.beat()
    assert is_on(board) is None
    assert set(pulse.asked) == {POLL_SECONDS}
    assert 0.5 <= POLL_SECONDS < 1


async def test_two_processes_see_each_others_changes(path: Path, store: SqliteStore) -> None:
    """SW-15: on a real clock, what this process stores the other tells, and the last stored wins for both."""
    board = Switchboard(store.settings)
    async with following(path) as told:
        assert await told() == "none"
        for on in (False, True):
            await board.switch(CHANNEL, on=on, by=7)
            assert await told() == ("on" if on else "off")


async def test_nothing_is_read_where_no_setting_changed(store: SqliteStore, pulse: Pulse) -> None:
    """SW-16: a poll reads one number, and all settings only after that has moved."""
    watched = Watched(store)
    board = Switchboard(watched, clock=lambda: NOW, sleep=pulse.sleep)  # type: ignore[arg-type] # the rest is passed on
    await board.open()
    for _ in range(5):
        await pulse.beat()
    assert watched.loads == 1
    await board.switch(CHANNEL, on=True, by=7)
    await pulse.beat()
    assert watched.loads == 2
    await store.settings.hide(SERVER, ON)
    await pulse.beat()
    assert watched.loads == 3
    await board.close()


async def test_closing_ends_the_task(store: SqliteStore) -> None:
    """SW-16: nothing goes on after closing, twice does no harm, and neither does closing what was never opened."""
    before = asyncio.all_tasks()
    board = Switchboard(store.settings)
    await board.close()
    await board.open()
    assert len(asyncio.all_tasks() - before) == 1
    await board.close()
    await board.close()
    assert asyncio.all_tasks() == before


async def test_a_failing_database_is_logged_once_and_recovers(
    path: Path, store: SqliteStore, board: Switchboard, pulse: Pulse, caplog: pytest.LogCaptureFixture
) -> None:
    """SW-17: what was known is kept meanwhile; once the database answers, changes are followed again."""
    caplog.set_level("INFO", "cogs")
    await board.switch(CHANNEL, on=False, by=7)
    for failures in (1, 2):
        with closing(sqlite3.connect(path)) as vandal:
            vandal.execute("ALTER TABLE setting_revision RENAME TO hidden")
            for _ in range(5):
                await pulse.beat()
            assert is_on(board) is (failures == 2)
            assert len([record for record in caplog.records if record.levelname == "ERROR"]) == failures
            vandal.execute("ALTER TABLE hidden RENAME TO setting_revision")
        await store.settings.switch(CHANNEL, ON)
        await pulse.beat()
        assert is_on(board) is True
    assert len([record for record in caplog.records if "answers again" in record.message]) == 2


async def test_a_fault_in_following_is_no_end(
    store: SqliteStore, board: Switchboard, pulse: Pulse, caplog: pytest.LogCaptureFixture
) -> None:
    """SW-17: what nobody foresaw is logged, and following goes on."""
    known, board.settings = board.settings, None  # type: ignore[assignment] # what only a fault would do
    await pulse.beat()
    assert "following the settings of other processes failed by AttributeError" in caplog.text
    board.settings = known
    await store.settings.switch(CHANNEL, OFF)
    await pulse.beat()
    assert is_on(board) is False


async def test_an_unstored_change_changes_nothing(store: SqliteStore, path: Path) -> None:
    """SW-14: where the database fails, the error says so and memory stays as it was."""
    board = Switchboard(store.settings)
    await board.switch(CHANNEL, on=False, by=7)
    with closing(sqlite3.connect(path)) as vandal:
        vandal.execute("ALTER TABLE setting RENAME TO hidden")
    with pytest.raises(StoreFailed):
        await board.switch(CHANNEL, on=True, by=7)
    assert is_on(board) is False


async def test_what_is_forgotten_need_not_be_known(store: SqliteStore, pulse: Pulse) -> None:
    """SW-18: what was stored a moment ago and not read yet goes too; all is read again only where it was known."""
    watched = Watched(store)
    board = Switchboard(watched, sleep=pulse.sleep)  # type: ignore[arg-type] # the rest is passed on
    await store.settings.switch(THREAD, OFF)
    await board.forget_place(GUILD, CHANNEL.id)
    assert watched.loads == 0
    assert (await store.settings.load()).of(THREAD) is None
    await board.switch(THREAD, on=False, by=7)
    await board.forget_place(GUILD, CHANNEL.id)
    assert watched.loads == 2
    assert board.settings.of(THREAD) is None
    await store.close()
    with pytest.raises(StoreFailed):
        await board.forget_place(GUILD, 12345)


async def test_a_channel_that_goes_while_it_is_switched(store: SqliteStore, board: Switchboard, path: Path) -> None:
    """SW-18: what waits for another process to write, as the channel is deleted, leaves nothing behind."""
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        switching = asyncio.ensure_future(board.switch(CHANNEL, on=False, by=7))
        forgetting = asyncio.ensure_future(board.forget_place(GUILD, CHANNEL.id))
        await asyncio.wait({forgetting}, timeout=0.05)
        assert not switching.done()
        other.execute("COMMIT")
    await asyncio.gather(switching, forgetting)
    assert (await store.settings.load()).of(CHANNEL) is None


async def test_what_is_stored_but_cannot_be_read_is_known(store: SqliteStore, pulse: Pulse) -> None:
    """SW-14: a change that is stored holds at once, though reading failed after it; the next poll reads all."""
    watched = Watched(store)
    board = Switchboard(watched, clock=lambda: NOW, sleep=pulse.sleep)  # type: ignore[arg-type] # the rest is passed on
    await board.open()
    await store.settings.hide(SERVER, ON)
    watched.failing = True
    await board.switch(CHANNEL, on=False, by=7, seconds=60)
    await board.switch(CHANNEL, on=True, by=7, seconds=60)
    await board.hide(CHANNEL, private=True, by=7)
    await board.switch(CHANNEL, on=False, by=7)
    await board.switch(THREAD, on=True, by=7)
    await board.clear(THREAD)
    assert board.settings.of(THREAD) in {None, SpotSettings(spot=THREAD)}
    await board.switch(THREAD, on=True, by=7)
    told = board.settings.of_guild(GUILD)
    assert len(told) == 2
    watched.failing = False
    await pulse.beat()
    stored = board.settings.of_guild(GUILD)
    assert len(stored) == 3
    assert set(told) < set(stored)
    await board.close()


async def test_a_change_is_seen_while_a_write_waits(
    opened: Opener, path: Path, store: SqliteStore, board: Switchboard, pulse: Pulse
) -> None:
    """SW-15: reading doesn't wait for what this process can't write yet."""
    await (await opened(path)).settings.switch(CHANNEL, OFF)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        saving = asyncio.ensure_future(store.sessions.save(a_session()))
        await pulse.beat()
        assert is_on(board) is False
        assert not saving.done()
        other.execute("ROLLBACK")
    await saving


async def test_a_replaced_database_is_read(opened: Opener, path: Path, board: Switchboard, pulse: Pulse) -> None:
    """SW-15: also where its settings were changed just as often as those of the one that was there before."""
    backup = path.with_name("backup.db")
    for place, on in ((path, True), (backup, False)):
        store = await opened(place)
        await Switchboard(store.settings, clock=lambda: NOW).switch(CHANNEL, on=on, by=7)
        await store.close()
    await pulse.beat()
    assert is_on(board) is True
    backup.replace(path)
    await pulse.beat()
    assert is_on(board) is False
    before = board.settings
    await pulse.beat()
    assert board.settings is before


async def test_the_comparison_judges_own_servers_alone(store: SqliteStore) -> None:
    """SW-20, SW-21: a server with settings that isn't there was left, if it would be there; one that is, is back."""
    board = Switchboard(store.settings, clock=lambda: NOW)
    foreign, left, back, here = (number << 22 for number in (1, 2, 3, 4))
    for guild_id in (foreign, left, back, here):
        await store.settings.switch(a_server(guild_id), OFF)
    board.settings = await store.settings.load()
    await store.settings.depart(back, now=1.0)
    await board.compare({back, here}, lambda guild_id: guild_id != foreign)
    assert await store.settings.departed() == [left]
    await board.compare({back, here}, lambda guild_id: guild_id != foreign)
    assert await store.settings.departed(until=NOW - 1) == []


async def test_places_apart_are_listed_as_of_now(store: SqliteStore) -> None:
    """SW-24: what was set for a time counts until it ends, for who sees replies and for the switch by themselves."""
    now = [NOW]
    board = Switchboard(store.settings, clock=lambda: now[0])
    await board.switch(SERVER, on=False, by=7)
    await board.switch(CHANNEL, on=True, by=7, seconds=60)
    await board.hide(THREAD, private=True, by=7)
    nothing: frozenset[int] = frozenset()
    assert board.switched_apart(SERVER, on=False, channels=nothing) == [CHANNEL]
    assert board.switched_apart(SERVER, on=True, channels=nothing) == []
    assert board.hidden_apart(SERVER, private=False, channels=nothing) == [THREAD]
    now[0] += 60
    assert board.switched_apart(SERVER, on=False, channels=nothing) == []
    await board.clear(THREAD)
    assert board.hidden_apart(SERVER, private=False, channels=nothing) == []


def a_rule(domain: str, *, allowed: bool = False, by: int = 7) -> SiteRule:
    """Make a rule as this switchboard's clock makes it."""
    return SiteRule(guild_id=GUILD, domain=domain, allowed=allowed, by=by, at=NOW)


async def test_what_is_said_of_sites_is_known_once_it_is_stored(board: Switchboard) -> None:
    """RULE-01, RULE-10: with who said so and when, without any poll; the last word on a site holds."""
    await board.switch(CHANNEL, on=False, by=7)
    await board.rule_sites(GUILD, ["b.example", "a.example"], allowed=False, by=7)
    await board.rule_sites(GUILD, ["b.example"], allowed=True, by=8)
    assert board.settings.sites_of(GUILD) == (a_rule("a.example"), a_rule("b.example", allowed=True, by=8))
    assert board.settings.sites_of(GUILD + 1) == board.settings.sites_of(None) == ()
    await board.free_sites(GUILD, ["b.example", "c.example"])
    assert board.settings.sites_of(GUILD) == (a_rule("a.example"),)
    assert is_on(board) is False


async def test_what_is_too_much_is_refused(board: Switchboard) -> None:
    """RULE-11: the error says how many there may be, and neither memory nor database has any of it."""
    most = limits.SITE_RULES
    await board.rule_sites(GUILD, [f"{number}.example" for number in range(most)], allowed=False, by=7)
    before = board.settings.sites_of(GUILD)
    with pytest.raises(TooManySiteRules) as caught:
        await board.rule_sites(GUILD, ["0.example", "more.example"], allowed=True, by=8)
    assert caught.value.most == most == len(before)
    assert board.settings.sites_of(GUILD) == before
    await board.rule_sites(GUILD, ["0.example"], allowed=True, by=8)
    assert board.settings.sites_of(GUILD)[0] == a_rule("0.example", allowed=True, by=8)


async def test_another_stores_rules_are_seen_at_the_next_poll(
    opened: Opener, path: Path, board: Switchboard, pulse: Pulse
) -> None:
    """RULE-10: one poll is enough, also where what is said of a site changes alone, and where a server is forgotten."""
    other = Switchboard((await opened(path)).settings, clock=lambda: NOW)
    for allowed in (False, True):
        await other.rule_sites(GUILD, ["a.example"], allowed=allowed, by=7)
        await pulse.beat()
        assert board.settings.sites_of(GUILD) == (a_rule("a.example", allowed=allowed),)
    await other.depart(GUILD)
    await other.forget_left(0, lambda _: True)
    await pulse.beat()
    assert board.settings.sites_of(GUILD) == ()


async def test_another_process_sees_what_is_said_of_sites(path: Path, store: SqliteStore) -> None:
    """RULE-10: on a real clock, beside a setting, each change of it by itself."""
    board = Switchboard(store.settings)
    async with following(path) as told:
        assert await told() == "none"
        await board.rule_sites(GUILD, ["b.example", "a.example"], allowed=False, by=7)
        assert await told() == "none -a.example -b.example"
        await board.rule_sites(GUILD, ["b.example"], allowed=True, by=7)
        assert await told() == "none -a.example +b.example"
        await board.switch(CHANNEL, on=False, by=7)
        assert await told() == "off -a.example +b.example"
        await board.free_sites(GUILD, ["a.example"])
        assert await told() == "off +b.example"


async def test_rules_that_cannot_be_read_are_known(store: SqliteStore, pulse: Pulse) -> None:
    """RULE-10: what is stored holds at once, though reading failed after it; the next poll reads all."""
    watched = Watched(store)
    board = Switchboard(watched, clock=lambda: NOW, sleep=pulse.sleep)  # type: ignore[arg-type] # the rest is passed on
    await board.open()
    await store.settings.hide(SERVER, ON)
    watched.failing = True
    await board.switch(CHANNEL, on=False, by=7)
    await board.rule_sites(GUILD, ["c.example", "a.example", "b.example"], allowed=False, by=7)
    await board.rule_sites(GUILD, ["b.example"], allowed=True, by=8)
    await board.free_sites(GUILD, ["a.example", "d.example"])
    told = board.settings.sites_of(GUILD)
    assert told == (a_rule("b.example", allowed=True, by=8), a_rule("c.example"))
    await board.hide(CHANNEL, private=True, by=7)
    assert board.settings.sites_of(GUILD) == told
    assert is_on(board) is False
    assert board.settings.of(SERVER) is None
    watched.failing = False
    await pulse.beat()
    assert board.settings.sites_of(GUILD) == told
    assert board.settings.of(SERVER) is not None
    await board.close()


async def test_unstored_rules_change_nothing(store: SqliteStore, path: Path) -> None:
    """RULE-10: where the database fails, the error says so and memory stays as it was."""
    board = Switchboard(store.settings, clock=lambda: NOW)
    await board.rule_sites(GUILD, ["a.example"], allowed=False, by=7)
    with closing(sqlite3.connect(path)) as vandal:
        vandal.execute("ALTER TABLE site_rule RENAME TO hidden")
    with pytest.raises(StoreFailed):
        await board.rule_sites(GUILD, ["a.example"], allowed=True, by=7)
    with pytest.raises(StoreFailed):
        await board.free_sites(GUILD, ["a.example"])
    assert board.settings.sites_of(GUILD) == (a_rule("a.example"),)


async def test_a_server_with_rules_alone_is_compared(store: SqliteStore) -> None:
    """RULE-10: one that was left while nobody listened is noted, and forgotten after its days."""
    board = Switchboard(store.settings, clock=lambda: NOW)
    await board.rule_sites(GUILD, ["a.example"], allowed=False, by=7)
    await board.compare(set(), lambda _: True)
    assert await store.settings.departed() == [GUILD]
    await board.forget_left(1, lambda _: True)
    assert (await store.settings.load()).sites_of(GUILD) == (a_rule("a.example"),)
    await board.forget_left(0, lambda _: True)
    assert (await store.settings.load()).guild_ids == frozenset()


async def test_changes_at_once_are_read_together(
    store: SqliteStore, board: Switchboard, monkeypatch: pytest.MonkeyPatch
) -> None:
    """RULE-10: of many who change something at the same moment, each knows all that is stored, by a reading or two."""
    readings = 0
    load = store.settings.load

    async def counted(*, quiet: bool = False) -> Settings:
        nonlocal readings
        readings += 1
        return await load(quiet=quiet)

    monkeypatch.setattr(store.settings, "load", counted)
    domains = [f"s{number}.example.org" for number in range(40)]
    known: list[bool] = []

    async def rule(domain: str) -> None:
        await board.rule_sites(GUILD, [domain], allowed=False, by=1)
        known.append(domain in {one.domain for one in board.settings.sites_of(GUILD)})

    await asyncio.gather(*map(rule, domains))
    assert known == [True] * len(domains)
    assert {one.domain for one in board.settings.sites_of(GUILD)} == set(domains)
    assert readings < len(domains)
