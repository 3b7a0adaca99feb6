"""Keep in SQLite what the bot's owner was told of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from .database import Database

# One statement looks and takes: of several processes that see the same trouble, one tells it.
_CLAIM: Final = """
INSERT INTO alert (kind, place, told_at, lasts) VALUES (:kind, :place, :now, :lasts)
ON CONFLICT (kind, place) DO UPDATE SET told_at = excluded.told_at, lasts = excluded.lasts
WHERE alert.told_at <= :before OR alert.told_at > :ahead
RETURNING 1
"""

_MEND: Final = "UPDATE alert SET lasts = 0 WHERE place IN ('', :place) AND lasts = 1 RETURNING kind, place"

# What was told so many seconds from now was told by a clock that was wrong.
_AHEAD_SECONDS: Final = 3600.0


class SqliteAlerts:
    """Be an `AlertStore` over a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def claim(self, kind: str, place: str, *, now: float, before: float, lasts: bool) -> bool:
        """Take it on to tell of a trouble, unless it was told after `before`; tell whether it was taken."""
        parameters = {"kind": kind, "place": place, "now": now, "before": before}
        parameters |= {"ahead": now + _AHEAD_SECONDS, "lasts": int(lasts)}
        return bool(await self._database.run("note an alert", _CLAIM, parameters))

    async def mend(self, place: str) -> list[tuple[str, str]]:
        """Note that what was told of a place, and of none, is over; return kind and place of what wasn't yet."""
        rows = await self._database.run("note the end of an alert", _MEND, {"place": place})
        return [(kind, where) for kind, where in rows]
