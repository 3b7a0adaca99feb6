"""Keep what must outlive the process in one SQLite file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from . import backup
from .alerts import SqliteAlerts
from .connection import MEMORY
from .database import Database
from .engines import SqliteEngines
from .meters import SqliteMeters
from .pauses import SqlitePauses
from .sessions import SqliteSessions
from .settings import SqliteSettings

if TYPE_CHECKING:
    from pathlib import Path


class SqliteStore:
    """Be a `Store` in one SQLite file, which several processes may share.

    `reader` is a second connection, so that settings are followed also while a write waits for another process; what is
    in memory has one connection alone.
    """

    def __init__(self, path: str, database: Database, reader: Database) -> None:
        self._path = path
        self._database = database
        self._reader = reader
        self.sessions = SqliteSessions(database)
        self.meters = SqliteMeters(database)
        self.settings = SqliteSettings(database, reader)
        self.alerts = SqliteAlerts(database)
        self.engines = SqliteEngines(database)
        self.pauses = SqlitePauses(database)

    @classmethod
    async def open(cls, path: str | Path) -> Self:
        """Open or make the database at `path`, or one in memory for `:memory:`; raise `DatabaseUnusable`."""
        database = await Database.open(path)
        if str(path) == MEMORY:
            return cls(str(path), database, database)
        try:
            return cls(str(path), database, await Database.open(path))
        except BaseException:
            await database.close()
            raise

    async def backup(self, path: Path) -> int:
        """Write a copy to a new file; return its size in bytes, and raise as `backup.copy` does."""
        return await backup.copy(self._path, path)

    async def close(self) -> None:
        """Close the database after the writes under way; closing twice does no harm."""
        # The reader last, whatever becomes of the other: each has a thread that would keep the process alive.
        try:
            await self._database.close()
        finally:
            await self._reader.close()
