"""Open stores that are closed also where a test fails: a thread of theirs would keep the test run from ending."""

from __future__ import annotations

from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

import pytest

from cogs.websearch.store.sqlite import SqliteStore

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from store_sessions import Opener


@pytest.fixture
async def opened() -> AsyncIterator[Opener]:
    """Return a function that opens a store, to be closed at the end of the test at the latest."""
    async with AsyncExitStack() as stores:

        async def open_(path: str | Path) -> SqliteStore:
            store = await SqliteStore.open(path)
            stores.push_async_callback(store.close)
            return store

        yield open_


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Name a database that isn't there yet."""
    return tmp_path / "websearch.db"


@pytest.fixture
async def store(opened: Opener, path: Path) -> SqliteStore:
    """Open a store on that database."""
    return await opened(path)
