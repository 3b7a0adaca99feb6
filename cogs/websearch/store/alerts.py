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

# `lasts` is 0 where it's over or has no end, 1 where whoever finds it over ends it, 2 where that's for those to say who
# met it.
_HELD: Final = 2

_MEND: Final = """
UPDATE alert SET lasts = 0
WHERE place = :place AND (lasts = 1 OR lasts = 2 AND told_at <= :held)
RETURNING kind, place
"""

# What fails in part has a row for each part that fails, beside its own, whose place is empty. No engine's name looks
# like a part's.
_PART: Final = "part:"

_FAIL_PART: Final = """
INSERT INTO alert (kind, place, told_at, lasts) VALUES (:kind, :part, :now, 1)
ON CONFLICT (kind, place) DO UPDATE SET told_at = excluded.told_at, lasts = 1
"""

# One statement, so that of several processes whose parts work again one finds that none fails any more.
_MEND_PART: Final = """
UPDATE alert SET lasts = 0
WHERE kind = :kind AND lasts = 1 AND (
    place = :part
    OR place = '' AND NOT EXISTS (
        SELECT 1 FROM alert AS other
        WHERE other.kind = :kind AND other.place NOT IN ('', :part) AND other.lasts = 1
        AND other.told_at > :stale AND other.told_at <= :ahead
    )
)
RETURNING place
"""

_RELEASE: Final = "UPDATE alert SET lasts = 1 WHERE kind = :kind AND place = :place AND lasts = 2"

_WITHDRAW: Final = "UPDATE alert SET told_at = 0, lasts = 0 WHERE kind = :kind AND place = :place AND told_at = :now"

# What was told so many seconds from now was told by a clock that was wrong.
_AHEAD_SECONDS: Final = 3600.0


class SqliteAlerts:
    """Be an `AlertStore` over a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def claim(self, kind: str, place: str, *, now: float, before: float, lasts: bool, held: bool = False) -> bool:
        """Take it on to tell of a trouble, unless it was told after `before`; tell whether it was taken."""
        parameters = {"kind": kind, "place": place, "now": now, "before": before}
        parameters |= {"ahead": now + _AHEAD_SECONDS, "lasts": _HELD if held else int(lasts)}
        return bool(await self._database.run("note an alert", _CLAIM, parameters))

    async def mend(self, place: str, *, held: float = 0.0) -> list[tuple[str, str]]:
        """Note that what was told of a place is over; return kind and place of what wasn't yet."""
        rows = await self._database.run("note the end of an alert", _MEND, {"place": place, "held": held})
        return [(kind, where) for kind, where in rows]

    async def fail_part(self, kind: str, part: str, *, now: float) -> None:
        """Note that a part of something fails, of which a kind of trouble without a place is told."""
        await self._database.run("note what fails", _FAIL_PART, {"kind": kind, "part": _PART + part, "now": now})

    async def mend_part(self, kind: str, part: str, *, now: float, stale: float) -> bool:
        """Note that this part works, and the trouble is over where no other fails; tell whether it wasn't over yet."""
        parameters = {"kind": kind, "part": _PART + part, "stale": stale, "ahead": now + _AHEAD_SECONDS}
        return ("",) in await self._database.run("note what works again", _MEND_PART, parameters)

    async def release(self, kind: str, place: str) -> None:
        """Let anybody end what was held."""
        await self._database.run("release an alert", _RELEASE, {"kind": kind, "place": place})

    async def withdraw(self, kind: str, place: str, *, now: float) -> None:
        """Give back what was claimed at `now`, since it wasn't told."""
        await self._database.run("withdraw an alert", _WITHDRAW, {"kind": kind, "place": place, "now": now})
