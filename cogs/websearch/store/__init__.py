"""Keep what must outlive the process."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from ..config import Config
    from .base import Store


async def open_store(config: Config) -> Store:
    """Open the database that the configuration names; raise `DatabaseUnusable`."""
    # The terminal search keeps nothing, and needn't wait for a database's driver.
    from .sqlite import SqliteStore  # noqa: PLC0415 - see above

    return await SqliteStore.open(config.web_database)


async def back_up(config: Config, path: Path) -> int:
    """Copy the database that the configuration names to a new file, as `Store.backup` does; return its size in bytes.

    The database is neither made nor brought to this program's version: a backup comes before an update.
    """
    from . import backup  # noqa: PLC0415 - as above

    return await backup.copy(config.web_database, path)
