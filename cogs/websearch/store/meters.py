"""Count searches in SQLite: minute, member, server and money in one statement, whatever other processes do."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from ..charges import MINUTE_MS, TOKEN, Limit, Stop, Usage, Use, frees_at

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from ..charges import Charge, Quota
    from .database import Database

# A comma and 13 digits of Unix milliseconds, which have so many from 2001 to 2286: texts of one length sort as numbers.
_INSTANT: Final = ",{:013d}"
_AT: Final = 14
# What a search leaves in its minute: when it was made, and what tells it from others.
_ENTRY: Final = _INSTANT + ":{}"
_LENGTH: Final = _AT + 1 + TOKEN
# Sorts after every entry of the same instant.
_LAST: Final = _INSTANT + "~"
# Takes a free place in a minute, so that its row keeps its length: SQLite writes it over in place, which takes a third
# of the time that a row needs which grows.
_NEVER: Final = _ENTRY.format(0, "-" * TOKEN)

_MINUTE: Final = 0
_MEMBER: Final = 1
_SERVER: Final = 2
_TOTAL: Final = 3
_LIMITS: Final = {_MINUTE: Limit.MINUTE, _MEMBER: Limit.MEMBER, _SERVER: Limit.SERVER, _TOTAL: Limit.BUDGET}

# Old rows that one step of a purge deletes, and how long it then lets others write: each takes a few milliseconds, so
# others find the database free more often than not.
_PURGED: Final = 500
_PAUSE_S: Final = 0.02
# A minute's searches are kept that long after the last one, to spare busy members' rows.
_IDLE_MS: Final = 10 * MINUTE_MS

# The rows that a charge counts up.
_ROWS: Final = f"""(
    VALUES (0, {_MINUTE}, :member), (:day, {_MEMBER}, :member), (:day, {_SERVER}, :server), (:day, {_TOTAL}, 0)
)"""

# An INSERT takes SQLite's write lock before it reads, so that between looking and counting nobody else counts.
# `past` holds the member's last searches, unless they lie in the future, as they do once a clock that was wrong is put
# right, or are written in another form, as an early version did. `stopped` is the scope of the limit that stops the
# search, or NULL: of several, the one that ends last. Where none does, the rows of all four scopes are counted up; else
# the row that stops it is written as it was, since that's how the statement says which one it is.
_CHARGE: Final = f"""
WITH
past (recent) AS MATERIALIZED (
    SELECT coalesce((
        SELECT recent FROM counter
        WHERE day = 0 AND scope = {_MINUTE} AND id = :member AND substr(recent, -{_LENGTH}) <= :ahead
            AND substr(recent, -{TOKEN + 1}, 1) = ':'
    ), '')
),
stopped (scope) AS MATERIALIZED (
    SELECT CASE
        WHEN (SELECT searches FROM counter WHERE day = :day AND scope = {_MEMBER} AND id = :member) >= :per_member
            THEN {_MEMBER}
        WHEN (SELECT searches FROM counter WHERE day = :day AND scope = {_SERVER} AND id = :server) >= :per_server
            THEN {_SERVER}
        WHEN coalesce((SELECT cost FROM counter WHERE day = :day AND scope = {_TOTAL} AND id = 0), 0) + :cost > :budget
            THEN {_TOTAL}
        WHEN substr(:never || recent, -{_LENGTH} * :per_minute, {_LENGTH}) > :minute_ago
            THEN {_MINUTE}
    END FROM past
)
INSERT INTO counter (day, scope, id, searches, cost, recent)
SELECT
    counted.column1,
    counted.column2,
    counted.column3,
    stopped.scope IS NULL AND counted.column2 <> {_MINUTE},
    iif(stopped.scope IS NULL AND counted.column2 <> {_MINUTE}, :cost, 0),
    CASE
        WHEN counted.column2 <> {_MINUTE} THEN ''
        WHEN stopped.scope IS NOT NULL THEN past.recent
        ELSE substr(
            :never || past.recent || max(:now, substr(past.recent, -{_LENGTH}, {_AT})) || :name,
            -{_LENGTH} * :per_minute
        )
    END
FROM past, stopped, {_ROWS} AS counted
WHERE counted.column3 IS NOT NULL AND counted.column2 = coalesce(stopped.scope, counted.column2)
ON CONFLICT (day, scope, id) DO UPDATE SET
    searches = searches + excluded.searches,
    cost = cost + excluded.cost,
    recent = excluded.recent
RETURNING scope, recent, cost
"""  # noqa: S608 - nothing but the numbers above is put in

_ONLY_ROWS: Final = (
    "WHERE counter.day = counted.column1 AND counter.scope = counted.column2 AND counter.id = counted.column3"
)

_HOLD: Final = f"""
UPDATE counter SET cost = max(cost + :cost, 0)
WHERE day = :day AND scope = {_TOTAL} AND id = 0 AND (:budget IS NULL OR cost + :cost <= :budget)
RETURNING 1
"""  # noqa: S608 - likewise

_SETTLE: Final = f"""
UPDATE counter SET cost = max(counter.cost + :difference - iif(counter.scope = {_TOTAL}, :held, 0), 0)
FROM {_ROWS} AS counted {_ONLY_ROWS} AND counter.scope <> {_MINUTE}
"""  # noqa: S608 - likewise

_REFUND: Final = f"""
UPDATE counter SET
    searches = max(counter.searches - 1, 0),
    cost = CASE counter.scope
        WHEN {_MINUTE} THEN 0
        WHEN {_TOTAL} THEN max(counter.cost + :difference - :held, 0)
        ELSE max(counter.cost + :difference, 0)
    END,
    recent = CASE
        WHEN :placed OR instr(counter.recent, :name) = 0 THEN counter.recent
        ELSE '{_NEVER}' || substr(counter.recent, 1, instr(counter.recent, :name) - {_AT + 1})
            || substr(counter.recent, instr(counter.recent, :name) + {_LENGTH - _AT})
    END
FROM {_ROWS} AS counted {_ONLY_ROWS}
"""  # noqa: S608 - likewise

# Nothing pushes a search out of its minute before the minute is over: while it's there, it was counted.
_UNDO: Final = f"""
WITH made (yes) AS MATERIALIZED (
    SELECT instr(recent, :name) FROM counter WHERE day = 0 AND scope = {_MINUTE} AND id = :member
)
{_REFUND} AND (SELECT yes FROM made) > 0
"""  # noqa: S608 - likewise

_USAGE: Final = f"""
SELECT counter.scope, counter.searches, counter.cost FROM counter, {_ROWS} AS counted {_ONLY_ROWS}
"""  # noqa: S608 - likewise

_RECENT: Final = f"SELECT recent FROM counter WHERE day = 0 AND scope = {_MINUTE} AND id = :member"  # noqa: S608 - likewise

# Goes from each day that is kept to the next one: a member's rows lie apart, and all of them are far too many to read.
_KEPT: Final = """
WITH RECURSIVE kept (day) AS (
    SELECT min(day) FROM counter WHERE day > 0
    UNION ALL
    SELECT (SELECT min(day) FROM counter WHERE day > kept.day) FROM kept WHERE kept.day IS NOT NULL
)
"""
_DAYS: Final = f"""
{_KEPT}
SELECT counter.day FROM kept CROSS JOIN counter
ON counter.day = kept.day AND counter.scope = {_MEMBER} AND counter.id = :member ORDER BY counter.day
"""  # noqa: S608 - likewise
_FORGET: Final = f"""
{_KEPT}
DELETE FROM counter
WHERE day IN (SELECT day FROM kept WHERE day < :before) AND scope = {_MEMBER} AND id = :member
"""  # noqa: S608 - likewise

_PURGE_DAYS: Final = """
DELETE FROM counter WHERE (day, scope, id) IN (
    SELECT day, scope, id FROM counter WHERE day > 0 AND day < :before ORDER BY day LIMIT :most
) RETURNING 1
"""

_PURGE_MINUTES: Final = f"""
DELETE FROM counter WHERE (day, scope, id) IN (
    SELECT day, scope, id FROM counter
    WHERE day = 0 AND (substr(recent, -{_LENGTH}) < :idle OR substr(recent, -{_LENGTH}) > :ahead) LIMIT :most
) RETURNING 1
"""  # noqa: S608 - likewise


class SqliteMeters:
    """Be a `MeterStore` over a database. `sleep` waits for that many seconds."""

    def __init__(self, database: Database, *, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep) -> None:
        self._database = database
        self._sleep = sleep

    async def charge(self, charge: Charge, quota: Quota) -> Stop | None:
        """Count a search in all its counters at once, or in none; return what stops it, or None."""
        parameters = {
            **_named(charge),
            "now": _INSTANT.format(charge.instant),
            "minute_ago": _LAST.format(max(charge.instant - MINUTE_MS, 0)),
            "ahead": _LAST.format(charge.instant + MINUTE_MS),
            "never": _NEVER * quota.per_minute,
            "per_minute": quota.per_minute,
            "per_member": quota.per_member,
            "per_server": quota.per_server,
            "budget": quota.budget,
        }
        rows = await self._database.run("count a search", _CHARGE, parameters)
        if len(rows) > 1:
            return None
        ((scope, recent, cost),) = rows
        return Stop(
            limit=_LIMITS[scope],
            until=frees_at(_instants(recent), quota.per_minute) if scope == _MINUTE else None,
            spent=cost if scope == _TOTAL else 0,
        )

    async def hold(self, day: int, cost: int, budget: int | None) -> Stop | None:
        """Hold so much more of a day's budget, or nothing; return what stops it, or None."""
        parameters = {"day": day, "cost": cost, "budget": budget}
        if await self._database.run("hold a cost", _HOLD, parameters):
            return None
        return Stop(limit=Limit.BUDGET, spent=(await self.usage(day=day)).total.cost)

    async def settle(self, charge: Charge, cost: int) -> None:
        """Replace what a search was charged with, and what is held for it, by its cost."""
        if cost != charge.cost or charge.held:
            parameters = {**_named(charge), "difference": cost - charge.cost}
            await self._database.run("settle a search", _SETTLE, parameters)

    async def refund(self, charge: Charge, *, cost: int = 0, placed: bool = False) -> None:
        """Take a search out of its counters again, but for a cost, and for its place in the minute if it's `placed`."""
        parameters = {**_named(charge), "difference": cost - charge.cost, "placed": placed}
        await self._database.run("give a search back", _REFUND, parameters)

    async def undo(self, charge: Charge) -> None:
        """Take a search out of its counters again if it was counted, as is unknown of one that was cancelled."""
        parameters = {**_named(charge), "difference": -charge.cost, "placed": False}
        await self._database.run("undo a search", _UNDO, parameters)

    async def usage(self, *, day: int, user_id: int | None = None, guild_id: int | None = None) -> Usage:
        """Return what was used on a day."""
        parameters = {"day": day, "member": user_id, "server": guild_id}
        rows = await self._database.run("read counters", _USAGE, parameters)
        used = {scope: Use(searches=searches, cost=cost) for scope, searches, cost in rows}
        return Usage(member=used.get(_MEMBER, Use()), server=used.get(_SERVER, Use()), total=used.get(_TOTAL, Use()))

    async def minute(self, user_id: int, *, now: int) -> list[int]:
        """List when a member made the searches of the past minute, the first one first, in Unix milliseconds."""
        rows = await self._database.run("read a minute", _RECENT, {"member": user_id})
        # What the limit reads: nothing that lies in the future, or is written in another form.
        return [
            instant
            for (recent,) in rows
            if recent[-_LENGTH:] <= _LAST.format(now + MINUTE_MS) and recent[-TOKEN - 1 : -TOKEN] == ":"
            for instant in _instants(recent)
            if instant > now - MINUTE_MS
        ]

    async def days(self, user_id: int) -> list[int]:
        """List the days of which a member's counts are kept, the first one first."""
        return [day for (day,) in await self._database.run("list a member's days", _DAYS, {"member": user_id})]

    async def forget(self, user_id: int, *, before: int) -> None:
        """Delete a member's counts of the days before that one; none is no error."""
        parameters = {"member": user_id, "before": before}
        await self._database.run("delete a member's counts", _FORGET, parameters)

    async def purge(self, *, before: int, now: int) -> None:
        """Delete the days before that one, and minutes that are over, in steps that let others write in between."""
        await self._purge(_PURGE_DAYS, {"before": before})
        idle, ahead = (_LAST.format(max(instant, 0)) for instant in (now - _IDLE_MS, now + MINUTE_MS))
        await self._purge(_PURGE_MINUTES, {"idle": idle, "ahead": ahead})

    async def _purge(self, statement: str, parameters: dict[str, object]) -> None:
        step = {**parameters, "most": _PURGED}
        while len(await self._database.run("delete old counters", statement, step)) == _PURGED:
            await self._sleep(_PAUSE_S)


def _named(charge: Charge) -> dict[str, object]:
    """Return the parameters that name a search, its cost and the rows that it's counted in."""
    return {
        "day": charge.day,
        "member": charge.user_id,
        "server": charge.guild_id,
        "cost": charge.cost,
        "held": charge.held,
        "name": f":{charge.token}",
    }


def _instants(recent: str) -> list[int]:
    """List when the searches of a minute were made, in Unix milliseconds."""
    return [int(recent[start + 1 : start + _AT]) for start in range(0, len(recent), _LENGTH)]
