"""Hold one SQLite file open, on the thread of one aiosqlite connection."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

import aiosqlite

from .. import errors
from .migrations import migrate, read_migrations

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_log = logging.getLogger(__name__)

MEMORY: Final = ":memory:"
# How long a write waits for another process that writes.
_BUSY_SECONDS: Final = 5.0
# How often the switch to write-ahead logging is tried; each failure waits for the write that was in its way.
_SWITCHES: Final = 50
# Rows that one hop into the thread fetches while iterating; aiosqlite's own default.
_ROWS_A_HOP: Final = 64

_PROBLEMS: Final = {
    sqlite3.SQLITE_READONLY: "read-only",
    sqlite3.SQLITE_NOTADB: "not-a-database",
    sqlite3.SQLITE_CORRUPT: "corrupt",
    sqlite3.SQLITE_BUSY: "busy",
    sqlite3.SQLITE_LOCKED: "busy",
    sqlite3.SQLITE_FULL: "full",
}


def failed(operation: str, kind: str, *, quiet: bool = False) -> errors.StoreFailed:
    """Log what failed, never the values that were to be written, and return the error to raise.

    With `quiet` it's logged as detail alone: what is tried again each second would fill the log.
    """
    _log.log(logging.DEBUG if quiet else logging.ERROR, "the database failed to %s: %s", operation, kind)
    return errors.StoreFailed(operation)


class Database:
    """Run statements on one SQLite file; several processes may share it.

    Each write is one statement and one hop into the connection's thread: a busy event loop never holds the lock.
    """

    def __init__(self, connection: aiosqlite.Connection) -> None:
        self._connection = connection
        self._closing: asyncio.Future[None] | None = None

    @classmethod
    async def open(cls, path: str | Path) -> Self:
        """Open or make the database at `path`, or one in memory for `:memory:`; raise `DatabaseUnusable`."""
        failed: list[errors.DatabaseUnusable] = []

        def connect() -> sqlite3.Connection:
            try:
                return _connect(str(path))
            except errors.DatabaseUnusable as error:
                # Told through the list: after a connector that raises, aiosqlite doesn't wait for its thread to end.
                failed.append(error)
                return sqlite3.connect(MEMORY)

        connection = aiosqlite.Connection(connect, _ROWS_A_HOP)
        database = cls(connection)
        opening = asyncio.ensure_future(connection)
        try:
            await asyncio.shield(opening)
        except asyncio.CancelledError:
            # The thread can't be interrupted: what it opens is closed as soon as it's there.
            await asyncio.wait({opening})
            await database.close()
            raise
        if failed:
            await database.close()
            raise failed[0]
        return database

    async def run(
        self,
        operation: str,
        statement: str,
        parameters: Sequence[object] | Mapping[str, object] = (),
        *,
        quiet: bool = False,
    ) -> list[tuple[Any, ...]]:
        """Run one statement by itself and return its rows.

        `operation` completes "failed to" in the log. Raise `StoreFailed` for what SQLite raises; its kind is logged,
        never the values, and as detail alone where it's to be `quiet`.
        """
        try:
            return list(await self._connection.execute_fetchall(statement, parameters))  # type: ignore[arg-type] # its own stubs want the rows' type
        except (sqlite3.Error, ValueError) as error:
            # ValueError is aiosqlite's word for a closed connection.
            raise failed(operation, getattr(error, "sqlite_errorname", type(error).__name__), quiet=quiet) from None

    async def close(self) -> None:
        """Close the database after the writes under way; closing twice does no harm."""
        if self._closing is None:
            self._closing = asyncio.ensure_future(self._connection.close())
        # Whoever is cancelled while waiting must not leave the thread behind: it would keep the process alive.
        await asyncio.shield(self._closing)


def _connect(path: str) -> sqlite3.Connection:
    """Open, migrate and set up the database, on the thread that will use it; raise `DatabaseUnusable`."""
    problem = None if path == MEMORY else _problem_of(path)
    if problem is not None:
        raise errors.DatabaseUnusable(path, problem)
    migrations = read_migrations()
    with ExitStack() as undo:
        try:
            connection = sqlite3.connect(path, timeout=_BUSY_SECONDS, isolation_level=None)
            undo.callback(connection.close)
            migrate(connection, migrations, path)
            _write_ahead(connection)
            # What is deleted was a member's question: it's overwritten, not only forgotten.
            connection.execute("PRAGMA secure_delete = ON")
        except (sqlite3.Error, ValueError) as error:
            # ValueError: a path that can't be a file's name.
            raise errors.DatabaseUnusable(path, _problem(error, path)) from error
        undo.pop_all()
    return connection


def _write_ahead(connection: sqlite3.Connection) -> None:
    """Let readers not wait for writers; a killed process loses nothing, a power cut at most the last writes."""
    for attempt in range(1, _SWITCHES + 1):
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            break
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or attempt == _SWITCHES:
                raise
        # Unlike a write, the switch doesn't wait for others that open the same new file: a write waits in its place.
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("ROLLBACK")
    connection.execute("PRAGMA synchronous = NORMAL")


def _problem_of(path: str) -> str | None:
    """Name what is wrong with a path before SQLite sees it, whose own message would be the same for all."""
    try:
        file = Path(path)
        if file.is_dir():
            return "directory"
        if not file.parent.is_dir():
            return "no-folder"
        # SQLite takes a device for an empty database, and waits for a pipe for ever.
        return "not-a-database" if file.exists() and not file.is_file() else None
    except (OSError, ValueError):
        return "unusable"


def _problem(error: Exception, path: str) -> str:
    """Name what SQLite says, by its primary result code (the lowest 8 bits of the extended one)."""
    code: int = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
    if code == sqlite3.SQLITE_CANTOPEN and not Path(path).exists():
        # The folder is there, yet no file can be made in it.
        return "read-only"
    return _PROBLEMS.get(code, "unusable")
