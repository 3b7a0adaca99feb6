"""Hold how a server's rules on sites are stored, counted and deleted."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import sys
import threading
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import cogs
from cogs.websearch import limits
from cogs.websearch.errors import StoreFailed
from cogs.websearch.settings import Settings, SiteRule, SpotSettings
from cogs.websearch.store import settings as kept
from cogs.websearch.store.migrations import migrate, read_migrations
from store.ruler import TURNS
from switch_tools import CHANNEL, GUILD, OFF, chosen

if TYPE_CHECKING:
    from cogs.websearch.store.sqlite import SqliteStore
    from store_sessions import Opener

RULER = Path(__file__).parent / "ruler.py"
OTHER_GUILD = GUILD + 1
# As many as there's room for, and half as many again.
DOMAINS = [f"{number:03}.example" for number in range(150)]


def a_rule(domain: str, *, guild_id: int = GUILD, allowed: bool = False, by: int = 7, at: float = 1.5) -> SiteRule:
    """Make a rule."""
    return SiteRule(guild_id=guild_id, domain=domain, allowed=allowed, by=by, at=at)


async def ruled(store: SqliteStore, *domains: str, guild_id: int = GUILD, allowed: bool = False) -> bool:
    """Store rules as `a_rule` makes them."""
    return await store.settings.rule_sites(guild_id, domains, allowed=allowed, by=7, at=1.5)


def count(path: Path) -> int:
    """Count the rules in a database by another connection."""
    with closing(sqlite3.connect(path)) as connection:
        ((number,),) = connection.execute("SELECT count(*) FROM site_rule")
    return int(number)


async def test_rules_come_back_as_they_were_stored(opened: Opener, path: Path, store: SqliteStore) -> None:
    """RULE-01, RULE-10: who, when and what are there after a restart, by the alphabet, for ids of any size."""
    large = 2**63 - 1
    assert await store.settings.rule_sites(large, ["xn--bcher-kva.de", "b.example"], allowed=True, by=2**63 - 2, at=1e9)
    assert await ruled(store, "c.example", "a.example")
    assert await ruled(store, "b.example", allowed=True)
    await store.settings.switch(CHANNEL, OFF)
    await store.close()
    found = await (await opened(path)).settings.load()
    assert found.sites_of(GUILD) == (a_rule("a.example"), a_rule("b.example", allowed=True), a_rule("c.example"))
    assert found.sites_of(large) == tuple(
        a_rule(domain, guild_id=large, allowed=True, by=2**63 - 2, at=1e9)
        for domain in ("b.example", "xn--bcher-kva.de")
    )
    assert found.of(CHANNEL) == SpotSettings(spot=CHANNEL, lasting=OFF)
    assert found.guild_ids == {GUILD, large}


async def test_an_older_database_gets_room_for_them(opened: Opener, path: Path) -> None:
    """RULE-10: one of the version before keeps its settings, and takes rules."""
    with closing(sqlite3.connect(path, isolation_level=None)) as older:
        migrate(older, read_migrations()[:7], str(path))
        older.execute("INSERT INTO setting (guild_id, place_id, kind, lasting, lasting_by, lasting_at)"
                      " VALUES (?, 3, 'channel', 0, 7, 10.0)", (GUILD,))  # fmt: skip
    store = await opened(path)
    assert await ruled(store, "a.example")
    found = await store.settings.load()
    assert found.of(CHANNEL) == SpotSettings(spot=CHANNEL, lasting=OFF)
    assert found.sites_of(GUILD) == (a_rule("a.example"),)


async def test_what_is_said_of_a_site_replaces_what_was_said(store: SqliteStore, path: Path) -> None:
    """RULE-01: a site is blocked or allowed, as was said last and by whom; one that's named twice counts once."""
    assert await ruled(store, "a.example", "b.example", "a.example")
    assert count(path) == 2
    assert await store.settings.rule_sites(GUILD, ["a.example"] * 999, allowed=True, by=8, at=2.5)
    assert (await store.settings.load()).sites_of(GUILD) == (
        a_rule("a.example", allowed=True, by=8, at=2.5),
        a_rule("b.example"),
    )


async def test_what_is_taken_back_is_gone(store: SqliteStore) -> None:
    """RULE-01, RULE-04: of that server alone; a site of which nothing is said, and none at all, are no error."""
    for guild_id in (GUILD, OTHER_GUILD):
        assert await ruled(store, "a.example", "www.a.example", "b.example", guild_id=guild_id)
    await store.settings.free_sites(GUILD, ["a.example", "b.example", "c.example", "a.example"])
    await store.settings.free_sites(GUILD, [])
    found = await store.settings.load()
    assert [rule.domain for rule in found.sites_of(GUILD)] == ["www.a.example"]
    assert [rule.domain for rule in found.sites_of(OTHER_GUILD)] == ["a.example", "b.example", "www.a.example"]


async def test_there_is_room_for_so_many_in_each_server(store: SqliteStore, path: Path) -> None:
    """RULE-11: what goes beyond is refused whole; a full server still changes its mind, and others aren't full."""
    most = limits.SITE_RULES
    assert most == 100
    assert not await ruled(store, *DOMAINS[: most + 1])
    assert count(path) == 0
    assert await ruled(store, *DOMAINS[: most - 1])
    before = await store.settings.load()
    assert not await ruled(store, *DOMAINS[most - 1 : most + 1])
    assert not await ruled(store, DOMAINS[0], *DOMAINS[most - 1 : most + 1], allowed=True)
    assert (await store.settings.load()).sites_of(GUILD) == before.sites_of(GUILD)
    assert await store.settings.revision() == before.revision
    assert await ruled(store, DOMAINS[most - 1])
    assert await ruled(store, *DOMAINS[:most], allowed=True)
    assert not await ruled(store, DOMAINS[most])
    assert {rule.allowed for rule in (await store.settings.load()).sites_of(GUILD)} == {True}
    assert await ruled(store, *DOMAINS[:most], guild_id=OTHER_GUILD)
    await store.settings.free_sites(GUILD, [DOMAINS[0]])
    assert await ruled(store, DOMAINS[most])
    assert count(path) == 2 * most


# Which server, from which domain, how many, and whether they're blocked, allowed or taken back.
STEPS = st.lists(
    st.tuples(
        st.sampled_from([GUILD, OTHER_GUILD]),
        st.integers(0, len(DOMAINS) - 1),
        st.integers(1, 110),
        st.sampled_from([False, True, None]),
    ),
    max_size=12,
)


@example(steps=[(GUILD, 0, 100, False), (GUILD, 50, 60, True), (GUILD, 50, 50, True), (GUILD, 99, 2, False)])
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS)
async def test_any_changes_are_those_of_a_plain_list(
    store: SqliteStore, path: Path, steps: list[tuple[int, int, int, bool | None]]
) -> None:
    """RULE-01, RULE-11: whatever is named and taken back, all of it holds or none, as in a list of at most 100."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DELETE FROM site_rule")
        connection.commit()
    # From memory alone it must come to the same.
    known = await store.settings.load()
    model: dict[int, dict[str, SiteRule]] = {GUILD: {}, OTHER_GUILD: {}}
    for when, (guild_id, first, length, allowed) in enumerate(steps):
        named, has = DOMAINS[first : first + length], model[guild_id]
        if allowed is None:
            await store.settings.free_sites(guild_id, named)
            model[guild_id] = {domain: rule for domain, rule in has.items() if domain not in named}
            known = known.freed(guild_id, named)
            continue
        stored = await store.settings.rule_sites(guild_id, named, allowed=allowed, by=when, at=float(when))
        assert stored == (not named or len({*has, *named}) <= 100)
        if stored:
            has |= {one: a_rule(one, guild_id=guild_id, allowed=allowed, by=when, at=float(when)) for one in named}
            known = known.ruled(guild_id, named, allowed=allowed, by=when, at=float(when))
    found = await store.settings.load()
    for guild_id, has in model.items():
        assert found.sites_of(guild_id) == known.sites_of(guild_id) == tuple(has[domain] for domain in sorted(has))


async def test_each_change_moves_the_revision(store: SqliteStore) -> None:
    """RULE-10: also where a site is only said once more, or of the other kind; what changes nothing moves nothing."""
    seen = [await store.settings.revision()]
    for change in (
        lambda: ruled(store, "a.example"),
        lambda: ruled(store, "a.example", allowed=True),
        lambda: ruled(store, "a.example", "b.example"),
        lambda: store.settings.free_sites(GUILD, ["b.example"]),
        lambda: store.settings.depart(GUILD, now=1.0),
        lambda: store.settings.forget_guild(GUILD),
    ):
        await change()
        seen.append(await store.settings.revision())
    assert seen[4] == seen[5]
    assert len(set(seen)) == len(seen) - 1
    await store.settings.free_sites(GUILD, ["a.example"])
    await store.settings.forget_guild(OTHER_GUILD)
    assert await store.settings.revision() == seen[-1]


async def test_a_server_that_was_left_is_forgotten(store: SqliteStore) -> None:
    """RULE-10: with its settings; one that's back keeps its rules, and those of others stay."""
    await store.settings.switch(CHANNEL, OFF)
    for guild_id in (GUILD, OTHER_GUILD):
        assert await ruled(store, "a.example", guild_id=guild_id)
    await store.settings.depart(GUILD, now=10.0)
    await store.settings.come_back(GUILD)
    await store.settings.forget_guild(GUILD)
    assert (await store.settings.load()).sites_of(GUILD) == (a_rule("a.example"),)
    await store.settings.depart(GUILD, now=20.0)
    await store.settings.forget_guild(GUILD)
    found = await store.settings.load()
    assert found.of(CHANNEL) is None
    assert found.guild_ids == {OTHER_GUILD}
    assert await store.settings.departed() == []


async def test_a_deleted_channel_takes_no_rules_along(store: SqliteStore) -> None:
    """RULE-10: not even the first channel of an old server, which has the server's own id."""
    assert await ruled(store, "a.example")
    await store.settings.forget_place(GUILD, GUILD)
    await store.settings.purge(now=99.0)
    assert (await store.settings.load()).sites_of(GUILD) == (a_rule("a.example"),)


async def test_processes_that_name_sites_at_once_keep_to_the_limit(path: Path, store: SqliteStore) -> None:
    """RULE-11: whoever else stores or deletes at that moment, there are never more than 100, and no call is torn."""
    assert await ruled(store, *DOMAINS[:94])
    search = [str(Path(folder).parent) for folder in cogs.__path__] + [str(RULER.parent.parent)]
    rulers = [
        await asyncio.create_subprocess_exec(
            *(sys.executable, str(RULER), str(path), str(number)),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(search)},
        )
        for number in range(3)
    ]
    try:
        for ruler in rulers:
            assert ruler.stdout is not None
            assert await ruler.stdout.readline() == b"ready\n"
        saying = asyncio.gather(*(ruler.communicate(b"go\n") for ruler in rulers))
        counts = set()
        while not saying.done():
            counts.add(count(path))
            await asyncio.wait({saying}, timeout=0.002)
        said = [output.decode().splitlines() for output, _ in await saying]
    finally:
        for ruler in rulers:
            if ruler.returncode is None:
                ruler.kill()
                await ruler.wait()
    assert max(counts) <= 100
    # By whoever was there too late: without a limit, each would have stored the names of all its turns.
    stored = sum(line.startswith("+") for lines in said for line in lines)
    assert stored < len(rulers) * TURNS
    told = set(DOMAINS[:94])
    for lines in said:
        assert any(line.startswith("-") for line in lines)
        for line in lines:
            sign, *domains = line.split()
            told = told | {*domains} if sign == "+" else told - {*domains}
    assert {rule.domain for rule in (await store.settings.load()).sites_of(GUILD)} == told


async def test_settings_and_rules_are_of_one_moment(opened: Opener, path: Path, store: SqliteStore) -> None:
    """RULE-10: what is loaded while another store changes both is what was there after one of its changes."""
    other = await opened(path)
    first = await store.settings.revision()

    async def change() -> None:
        # Turn by turn, so that after so many changes it's known what both say.
        for turn in range(150):
            await other.settings.switch(CHANNEL, chosen(value=True, when=float(turn)))
            await other.settings.rule_sites(GUILD, ["a.example"], allowed=True, by=7, at=float(turn))

    changing = asyncio.ensure_future(change())
    seen = set()
    while not changing.done():
        found = await store.settings.load()
        seen.add(found.revision)
        one, rules = found.of(CHANNEL), found.sites_of(GUILD)
        turns = (0 if one is None or one.lasting is None else one.lasting.at + 1) + sum(rule.at + 1 for rule in rules)
        assert turns == found.revision - first
    await changing
    assert len(seen) > 10


async def test_ten_thousand_rules_are_put_together_beside_the_loop(
    store: SqliteStore, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """RULE-10: the event loop goes on while they're read and made values."""
    threads: list[threading.Thread] = []
    collect = kept._collect  # noqa: SLF001 - where it runs is what must hold

    def watched(base: int, rows: list[tuple[Any, ...]]) -> Settings:
        threads.append(threading.current_thread())
        return collect(base, rows)

    monkeypatch.setattr(kept, "_collect", watched)
    with closing(sqlite3.connect(path)) as connection:
        connection.executemany(
            "INSERT INTO site_rule (guild_id, domain, allowed, made_by, made_at) VALUES (?, ?, 0, 7, 1.5)",
            [(guild_id, domain) for guild_id in range(1, 101) for domain in DOMAINS[:100]],
        )
        connection.commit()
    found = await store.settings.load()
    assert len(found.guild_ids) == 100
    for guild_id in found.guild_ids:
        assert found.sites_of(guild_id) == tuple(a_rule(domain, guild_id=guild_id) for domain in DOMAINS[:100])
    assert [thread is threading.main_thread() for thread in threads] == [False]


async def test_a_backup_has_them(opened: Opener, store: SqliteStore, tmp_path: Path) -> None:
    """RULE-10: a copy that's restored still says what is blocked and allowed."""
    assert await ruled(store, "a.example")
    assert await ruled(store, "b.example", allowed=True)
    await store.backup(tmp_path / "copy.db")
    restored = await (await opened(tmp_path / "copy.db")).settings.load()
    assert restored.sites_of(GUILD) == (a_rule("a.example"), a_rule("b.example", allowed=True))


async def test_a_failing_database_names_no_site(
    store: SqliteStore, path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """RULE-10, STO-10: each operation becomes `StoreFailed`, with a log line that names neither server nor site."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DROP TABLE site_rule")
    with pytest.raises(StoreFailed):
        await ruled(store, "a.example")
    with pytest.raises(StoreFailed):
        await store.settings.free_sites(GUILD, ["a.example"])
    await store.settings.depart(GUILD, now=1.0)
    with pytest.raises(StoreFailed):
        await store.settings.forget_guild(GUILD)
    # What raised is tried again.
    assert await store.settings.departed() == [GUILD]
    assert [message.partition(":")[0] for message in caplog.messages] == [
        "the database failed to store rules on sites",
        "the database failed to delete rules on sites",
        "the database failed to forget a server",
    ]
    assert "a.example" not in caplog.text
    assert str(GUILD) not in caplog.text
