"""Keep what must outlive the process in one SQLite file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from .database import Database
from .meters import SqliteMeters
from .sessions import SqliteSessions
from .settings import SqliteSettings

if TYPE_CHECKING:
    from pathlib import Path


class SqliteStore:
    """Be a `Store` in one SQLite file, which several processes may share."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.sessions = SqliteSessions(database)
        self.meters = SqliteMeters(database)
        self.settings = SqliteSettings(database)

    @classmethod
    async def open(cls, path: str | Path) -> Self:
        """Open or make the database at `path`, or one in memory for `:memory:`; raise `DatabaseUnusable`."""
        return cls(await Database.open(path))

    async def close(self) -> None:
        """Close the database after the writes under way; closing twice does no harm."""
        await self._database.close()
