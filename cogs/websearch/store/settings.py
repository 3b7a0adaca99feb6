"""Keep what moderators have set in SQLite, each change in one statement."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import TYPE_CHECKING, Any, Final

from .. import limits
from ..settings import Choice, PlaceKind, Settings, SiteRule, Spot, SpotSettings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .database import Database

# Ended settings that one step of a purge deletes: a few milliseconds' work.
_PURGED: Final = 200

# More rows than these are turned into values on another thread: the event loop has other things to do.
_HANDFUL: Final = 100
# Tells the revisions of a file from those of the one that replaced it; no file sees as many changes.
_FILE: Final = 1 << 48

# One statement, so that settings, rules on sites and revision are of the same moment. A row without a domain is one of
# settings, and is without a place where there are none.
_LOAD: Final = """
SELECT revision, NULL AS domain, guild_id, place_id, kind, parent_id, lasting, lasting_by, lasting_at,
    timed, timed_by, timed_at, timed_until, private, private_by, private_at
FROM setting_revision LEFT JOIN setting ON TRUE
UNION ALL
SELECT revision, domain, guild_id, allowed, made_by, made_at, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM setting_revision JOIN site_rule ON TRUE
ORDER BY domain
"""
# What is meant to last ends what was meant for a time: whoever says "on" means now.
_LASTING: Final = """
INSERT INTO setting (guild_id, place_id, kind, parent_id, lasting, lasting_by, lasting_at) VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (guild_id, place_id, kind) DO UPDATE SET
    lasting = excluded.lasting, lasting_by = excluded.lasting_by, lasting_at = excluded.lasting_at,
    timed = NULL, timed_by = NULL, timed_at = NULL, timed_until = NULL
"""
_TIMED: Final = """
INSERT INTO setting (guild_id, place_id, kind, parent_id, timed, timed_by, timed_at, timed_until)
VALUES (?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (guild_id, place_id, kind) DO UPDATE SET
    timed = excluded.timed, timed_by = excluded.timed_by, timed_at = excluded.timed_at,
    timed_until = excluded.timed_until
"""
_PRIVATE: Final = """
INSERT INTO setting (guild_id, place_id, kind, parent_id, private, private_by, private_at) VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (guild_id, place_id, kind) DO UPDATE SET
    private = excluded.private, private_by = excluded.private_by, private_at = excluded.private_at
"""
# An INSERT takes SQLite's write lock before it reads, so that between counting and storing nobody else stores. What is
# counted is what there will be: a domain that the server has already needs no more room.
_RULE_SITES: Final = """
WITH named (domain) AS MATERIALIZED (SELECT value FROM json_each(:domains))
INSERT INTO site_rule (guild_id, domain, allowed, made_by, made_at)
SELECT :guild, domain, :allowed, :by, :at FROM named
WHERE (
    SELECT count(*) FROM (SELECT domain FROM site_rule WHERE guild_id = :guild UNION SELECT domain FROM named)
) <= :most
ON CONFLICT (guild_id, domain) DO UPDATE SET
    allowed = excluded.allowed, made_by = excluded.made_by, made_at = excluded.made_at
RETURNING 1
"""
_FREE_SITES: Final = """
DELETE FROM site_rule WHERE guild_id = :guild AND domain IN (SELECT value FROM json_each(:domains))
"""
# A place's row has up to three settings, each by somebody. Whatever is counted is held in memory too, so it's no long
# table.
_COUNT: Final = """
SELECT (
    SELECT coalesce(sum((lasting_by IS :user) + (timed_by IS :user) + (private_by IS :user)), 0) FROM setting
) + (SELECT count(*) FROM site_rule WHERE made_by = :user)
"""
# In two steps, each right by itself: a row with nothing left in it counts as none.
_END_TIMED: Final = """
UPDATE setting SET timed = NULL, timed_by = NULL, timed_at = NULL, timed_until = NULL
WHERE (guild_id, place_id, kind) IN
    (SELECT guild_id, place_id, kind FROM setting WHERE timed_until <= ? LIMIT ?)
RETURNING 1
"""
_DELETE_EMPTY: Final = """
DELETE FROM setting WHERE (guild_id, place_id, kind) IN
    (SELECT guild_id, place_id, kind FROM setting
     WHERE lasting IS NULL AND timed IS NULL AND private IS NULL LIMIT ?)
RETURNING 1
"""


class SqliteSettings:
    """Be a `SettingStore` over a database; what is followed is read by `reader`, another connection to it."""

    def __init__(self, database: Database, reader: Database) -> None:
        self._database = database
        self._reader = reader

    async def revision(self, *, quiet: bool = False) -> int:
        """Return a number that every change of a setting moves; with `quiet`, a failure is not logged."""
        statement = "SELECT revision FROM setting_revision"
        ((revision,),) = await self._reader.run("look for changed settings", statement, quiet=quiet)
        return self._reader.renewals * _FILE + int(revision)

    async def load(self, *, quiet: bool = False) -> Settings:
        """Return all settings; with `quiet`, a failure is not logged."""
        # Before the rows: a file that replaces theirs meanwhile is one more, and what's in it is still to be read.
        base = self._reader.renewals * _FILE
        rows = await self._reader.run("load the settings", _LOAD, quiet=quiet)
        return _collect(base, rows) if len(rows) <= _HANDFUL else await asyncio.to_thread(_collect, base, rows)

    async def switch(self, spot: Spot, choice: Choice) -> None:
        """Store whether searching is on at a place; without an end, what was set for a time is gone."""
        values = (*_place(spot), choice.value, choice.by, choice.at)
        if choice.until is None:
            await self._database.run("switch a place", _LASTING, values)
        else:
            await self._database.run("switch a place for a time", _TIMED, (*values, choice.until))

    async def hide(self, spot: Spot, choice: Choice) -> None:
        """Store whether replies at a place are for the asker alone."""
        values = (*_place(spot), choice.value, choice.by, choice.at)
        await self._database.run("set the privacy of replies", _PRIVATE, values)

    async def clear(self, spot: Spot) -> None:
        """Delete what was set for a place itself, which follows the one above then; nothing set is no error."""
        statement = "DELETE FROM setting WHERE guild_id = ? AND place_id = ? AND kind = ?"
        await self._database.run("let a place follow", statement, (spot.guild_id, spot.id, spot.kind.value))

    async def rule_sites(self, guild_id: int, domains: Sequence[str], *, allowed: bool, by: int, at: float) -> bool:
        """Store what a server says of these domains, all or none of it; tell whether there was room."""
        parameters = {
            "guild": guild_id,
            "domains": json.dumps([*domains]),
            "allowed": allowed,
            "by": by,
            "at": at,
            "most": limits.SITE_RULES,
        }
        return bool(await self._database.run("store rules on sites", _RULE_SITES, parameters))

    async def free_sites(self, guild_id: int, domains: Sequence[str]) -> None:
        """Delete what a server says of these domains; one of which it says nothing is no error."""
        parameters = {"guild": guild_id, "domains": json.dumps([*domains])}
        await self._database.run("delete rules on sites", _FREE_SITES, parameters)

    async def count(self, user_id: int) -> int:
        """Tell how many settings and rules on sites name a moderator as the one who made them, in all servers."""
        ((count,),) = await self._database.run("count a moderator's settings", _COUNT, {"user": user_id})
        return int(count)

    async def forget_place(self, guild_id: int, place_id: int) -> None:
        """Delete the settings of a channel, category or thread that is gone, and of the threads in it."""
        statement = "DELETE FROM setting WHERE guild_id = ? AND kind <> 'server' AND (place_id = ? OR parent_id = ?)"
        await self._database.run("forget a deleted place", statement, (guild_id, place_id, place_id))

    async def forget_guild(self, guild_id: int) -> None:
        """Delete the settings of a server that the bot left, and that it did; one that is back keeps them."""
        operation = "forget a server"
        for statement in (
            "DELETE FROM setting WHERE guild_id IN (SELECT guild_id FROM departure WHERE guild_id = ?)",
            "DELETE FROM site_rule WHERE guild_id IN (SELECT guild_id FROM departure WHERE guild_id = ?)",
        ):
            await self._database.run(operation, statement, (guild_id,))
        # Last: while it's there, what raised is tried again.
        await self._database.run(operation, "DELETE FROM departure WHERE guild_id = ?", (guild_id,))

    async def depart(self, guild_id: int, *, now: float) -> None:
        """Note that the bot left a server, at `now` (Unix seconds)."""
        statement = (
            "INSERT INTO departure (guild_id, left_at) VALUES (?, ?)"
            " ON CONFLICT (guild_id) DO UPDATE SET left_at = excluded.left_at"
        )
        await self._database.run("note that a server was left", statement, (guild_id, now))

    async def come_back(self, guild_id: int) -> None:
        """Note that the bot is in a server again; one that it never left is no error."""
        statement = "DELETE FROM departure WHERE guild_id = ?"
        await self._database.run("note that a server is back", statement, (guild_id,))

    async def departed(self, *, until: float | None = None) -> list[int]:
        """Return the servers that the bot left, or those alone that it left at `until` or before (Unix seconds)."""
        statement = "SELECT guild_id FROM departure WHERE ? IS NULL OR left_at <= ?"
        rows = await self._database.run("list the servers that were left", statement, (until, until))
        return [int(guild_id) for (guild_id,) in rows]

    async def purge(self, *, now: float) -> None:
        """Delete what was set for a time that ended at `now` or before, in steps as those of sessions."""
        await self._in_steps(_END_TIMED, (now, _PURGED))
        await self._in_steps(_DELETE_EMPTY, (_PURGED,))

    async def _in_steps(self, statement: str, parameters: Sequence[object]) -> None:
        deleted = _PURGED
        while deleted == _PURGED:
            deleted = len(await self._database.run("delete ended settings", statement, parameters))


def _place(spot: Spot) -> tuple[int, int, str, int | None]:
    return spot.guild_id, spot.id, spot.kind.value, spot.parent_id


def _collect(base: int, rows: list[tuple[Any, ...]]) -> Settings:
    return Settings(
        base + int(rows[0][0]),
        tuple(_to_settings(row) for row in rows if row[1] is None and row[2] is not None),
        tuple(_to_rule(row) for row in rows if row[1] is not None),
    )


def _to_rule(row: tuple[Any, ...]) -> SiteRule:
    domain, guild_id, allowed, by, at = row[1:6]
    # Kept results name the rules that they were found under: each reading would bring names of its own.
    return SiteRule(guild_id=guild_id, domain=sys.intern(domain), allowed=bool(allowed), by=by, at=at)


def _to_settings(row: tuple[Any, ...]) -> SpotSettings:
    guild_id, place_id, kind, parent_id = row[2:6]
    return SpotSettings(
        spot=Spot(guild_id=guild_id, id=place_id, kind=PlaceKind(kind), parent_id=parent_id),
        lasting=_to_choice(*row[6:9]),
        timed=_to_choice(*row[9:13]),
        private=_to_choice(*row[13:16]),
    )


def _to_choice(value: int | None, by: int, at: float, until: float | None = None) -> Choice | None:
    return None if value is None else Choice(value=bool(value), by=by, at=at, until=until)
