"""Hold one SQLite file open, on the thread of one aiosqlite connection."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from typing import TYPE_CHECKING, Any, Final, Self

import aiosqlite

from .. import errors
from .connection import MEMORY, FileReplaced, connect

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    Parameters = Sequence[object] | Mapping[str, object]

_log = logging.getLogger(__name__)

# Rows that one hop into the thread fetches while iterating; aiosqlite's own default.
_ROWS_A_HOP: Final = 64


def failed(operation: str, kind: str, *, quiet: bool = False) -> errors.StoreFailed:
    """Log what failed, never the values that were to be written, and return the error to raise.

    With `quiet` it's logged as detail alone: what is tried again each second would fill the log.
    """
    _log.log(logging.DEBUG if quiet else logging.ERROR, "the database failed to %s: %s", operation, kind)
    return errors.StoreFailed()


class Database:
    """Run statements on one SQLite file; several processes may share it.

    Each write is one statement and one hop into the connection's thread: a busy event loop never holds the lock. Where
    the file was replaced, the one that's there now is opened.
    """

    def __init__(self, path: str, connection: aiosqlite.Connection) -> None:
        self._path = path
        # None while a file that was replaced couldn't be opened yet.
        self._connection: aiosqlite.Connection | None = connection
        self._renewing: asyncio.Future[None] | None = None
        self._closing: asyncio.Future[None] | None = None
        # How often another file was opened: what was read before is of a file that was replaced.
        self.renewals = 0

    @classmethod
    async def open(cls, path: str | Path) -> Self:
        """Open or make the database at `path`, or one in memory for `:memory:`; raise `DatabaseUnusable`."""
        return cls(str(path), await _open(str(path)))

    async def run(
        self, operation: str, statement: str, parameters: Parameters = (), *, quiet: bool = False
    ) -> list[tuple[Any, ...]]:
        """Run one statement by itself and return its rows.

        `operation` completes "failed to" in the log. Raise `StoreFailed` for what SQLite raises; its kind is logged,
        never the values, and as detail alone where it's to be `quiet`.
        """
        try:
            return await self._run(statement, parameters)
        except errors.DatabaseUnusable as error:
            raise failed(operation, error.problem, quiet=quiet) from None
        except (sqlite3.Error, ValueError, OverflowError, RuntimeError) as error:
            # ValueError is aiosqlite's word for a closed connection, OverflowError Python's for a number of 64 bits,
            # RuntimeError for a thread that the system doesn't let it start.
            raise failed(operation, getattr(error, "sqlite_errorname", type(error).__name__), quiet=quiet) from None

    async def close(self) -> None:
        """Close the database after the writes under way; closing twice does no harm."""
        if self._closing is None:
            self._closing = asyncio.ensure_future(self._close())
        # Whoever is cancelled while waiting must not leave the thread behind: it would keep the process alive.
        await asyncio.shield(self._closing)

    async def _run(self, statement: str, parameters: Parameters) -> list[tuple[Any, ...]]:
        connection = self._connection
        if connection is not None:
            try:
                return await _fetch(connection, statement, parameters)
            except FileReplaced:
                _log.warning("the database's file was replaced, so it's opened anew")
        return await _fetch(await self._renewed(connection), statement, parameters)

    async def _renewed(self, left: aiosqlite.Connection | None) -> aiosqlite.Connection:
        """Return the connection to what is at the path now, one for all who left the same; raise `DatabaseUnusable`."""
        if self._closing is not None:
            raise sqlite3.ProgrammingError
        if self._renewing is None and self._connection is left:
            self._renewing = asyncio.ensure_future(self._renew(left))
        if self._renewing is not None:
            await asyncio.shield(self._renewing)
        if self._connection is None:
            raise sqlite3.ProgrammingError
        return self._connection

    async def _renew(self, left: aiosqlite.Connection | None) -> None:
        try:
            self._connection = None
            if left is not None:
                await left.close()
            self._connection = await _open(self._path)
            self.renewals += 1
        finally:
            self._renewing = None

    async def _close(self) -> None:
        if self._renewing is not None:
            await asyncio.wait({self._renewing})
        if self._connection is not None:
            await self._connection.close()


async def _open(path: str) -> aiosqlite.Connection:
    """Open or make the database; raise `DatabaseUnusable`, leaving nothing open."""
    refused: list[errors.DatabaseUnusable] = []

    def connector() -> sqlite3.Connection:
        try:
            return connect(path)
        except errors.DatabaseUnusable as error:
            # Told through the list: after a connector that raises, aiosqlite doesn't wait for its thread to end.
            refused.append(error)
            return sqlite3.connect(MEMORY)

    connection = aiosqlite.Connection(connector, _ROWS_A_HOP)
    opening = asyncio.ensure_future(connection)
    try:
        await asyncio.shield(opening)
    except asyncio.CancelledError:
        # The thread can't be interrupted: what it opens is closed as soon as it's there.
        await asyncio.wait({opening})
        await connection.close()
        raise
    if refused:
        await connection.close()
        raise refused[0]
    return connection


async def _fetch(connection: aiosqlite.Connection, statement: str, parameters: Parameters) -> list[tuple[Any, ...]]:
    return list(await connection.execute_fetchall(statement, parameters))  # type: ignore[arg-type] # its own stubs want the rows' type
