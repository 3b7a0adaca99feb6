"""Keep in SQLite how the engines do, and what each cost on a day."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ..breaker import State
from ..charges import Act
from ..health import Note, Signs
from ..troubles import Kind, Trouble

if TYPE_CHECKING:
    import sqlite3

    from .database import Database

# The first version of a database that has these tables as they are read.
VERSION: Final = 9

# Where several processes ask an engine, a moment is the latest that any of them noted, the last failure with its kind;
# all else is as the last one found it. A moment so far ahead that a clock must have been wrong gives way.
_LATER: Final = "engine.{0} <= :ahead AND (engine.{0} > excluded.{0} OR excluded.{0} IS NULL)"
_NOTE: Final = f"""
INSERT INTO engine (
    key, act, name, noted_at, is_open, state, trouble, since, failures, latency, succeeded, failed, failure
) VALUES (
    :key, :act, :name, :noted_at, :is_open, :state, :trouble, :since, :failures, :latency, :succeeded, :failed, :failure
)
ON CONFLICT (key, act) DO UPDATE SET
    name = excluded.name,
    noted_at = excluded.noted_at,
    is_open = excluded.is_open,
    state = excluded.state,
    trouble = excluded.trouble,
    since = excluded.since,
    failures = excluded.failures,
    latency = coalesce(excluded.latency, engine.latency),
    succeeded = iif({_LATER.format("succeeded")}, engine.succeeded, excluded.succeeded),
    failed = iif({_LATER.format("failed")}, engine.failed, excluded.failed),
    failure = iif({_LATER.format("failed")}, engine.failure, excluded.failure)
"""  # noqa: S608 - nothing but names of columns is put in

_SPEND: Final = """
INSERT INTO engine_cost (day, key, cost) VALUES (:day, :key, :cost)
ON CONFLICT (day, key) DO UPDATE SET cost = cost + excluded.cost
RETURNING cost
"""

_SPENT: Final = "SELECT key, cost FROM engine_cost WHERE day = :day"

_NOTES: Final = """
SELECT engine.key, act, name, noted_at, is_open, state, trouble, since, failures, latency, succeeded, failed, failure,
    coalesce(engine_cost.cost, 0)
FROM engine LEFT JOIN engine_cost ON engine_cost.key = engine.key AND engine_cost.day = :day
"""

# Few rows for each engine that was ever asked, and one more a day: no purge is long enough to be cut into steps.
_PURGE_COSTS: Final = "DELETE FROM engine_cost WHERE day < :before"
_PURGE_NOTES: Final = "DELETE FROM engine WHERE noted_at < :until"

# What was noted so many seconds from now was noted by a clock that was wrong.
_AHEAD_SECONDS: Final = 3600.0


class SqliteEngines:
    """Be an `EngineStore` over a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def note(self, key: str, note: Note, *, act: Act = Act.SEARCH, quiet: bool = False) -> None:
        """Keep how an engine does at something, with the latest moments that any process noted."""
        await self._database.run("note how an engine does", _NOTE, _row(key, act, note), quiet=quiet)

    async def spend(self, day: int, key: str, cost: int, *, quiet: bool = False) -> int:
        """Add to what an engine cost on a day; return the sum."""
        parameters = {"day": day, "key": key, "cost": cost}
        ((total,),) = await self._database.run("note what an engine cost", _SPEND, parameters, quiet=quiet)
        return int(total)

    async def spent(self, day: int, *, quiet: bool = False) -> dict[str, int]:
        """Map each engine to what it cost on a day."""
        rows = await self._database.run("read what engines cost", _SPENT, {"day": day}, quiet=quiet)
        return dict(rows)

    async def purge(self, *, before: int, until: float) -> None:
        """Delete the costs of days before that one, and what was last noted before `until`."""
        await self._database.run("delete old costs", _PURGE_COSTS, {"before": before})
        await self._database.run("delete old notes", _PURGE_NOTES, {"until": until})


def read(connection: sqlite3.Connection, day: int) -> dict[tuple[str, Act], Note]:
    """Map each engine and what it's asked to do to what was noted of that, with its whole cost on that day.

    Raise `sqlite3.Error`.
    """
    return {(key, Act(act)): _note(row) for key, act, *row in connection.execute(_NOTES, {"day": day})}


def _row(key: str, act: Act, note: Note) -> dict[str, object]:
    signs, trouble = note.signs, note.signs.trouble
    return {
        "key": key,
        "act": act.value,
        "name": signs.name,
        "noted_at": note.at,
        "is_open": signs.is_open,
        "state": signs.state.value,
        "trouble": None if trouble is None else trouble.kind.value,
        "since": None if trouble is None else trouble.since,
        "failures": 0 if trouble is None else trouble.count,
        "latency": signs.latency,
        "succeeded": signs.succeeded,
        "failed": signs.failed,
        "failure": signs.failure,
        "ahead": note.at + _AHEAD_SECONDS,
    }


def _note(row: list[Any]) -> Note:
    name, at, is_open, state, trouble, since, failures, latency, succeeded, failed, failure, cost = row
    signs = Signs(
        name=name,
        state=State(state),
        trouble=None if trouble is None else Trouble(kind=Kind(trouble), since=since, count=failures, where=name),
        succeeded=succeeded,
        failed=failed,
        failure=failure,
        latency=latency,
        cost=cost,
        is_open=bool(is_open),
    )
    return Note(signs=signs, at=at)
