"""Keep what must outlive the process."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..config import Config
    from .base import Store


async def open_store(config: Config) -> Store:
    """Open the database that the configuration names; raise `DatabaseUnusable`."""
    # The terminal search keeps nothing, and needn't wait for a database's driver.
    from .sqlite import SqliteStore  # noqa: PLC0415 - see above

    return await SqliteStore.open(config.web_database)
