"""Keep what must outlive the process."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .base import Store
from .sqlite import SqliteStore

if TYPE_CHECKING:
    from ..config import Config

__all__ = ["SqliteStore", "Store", "open_store"]


async def open_store(config: Config) -> Store:
    """Open the database that the configuration names; raise `DatabaseUnusable`."""
    return await SqliteStore.open(config.web_database)
