"""Hold what the store knows of members who keep chat bots from searching."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from cogs.websearch.errors import StoreFailed

if TYPE_CHECKING:
    from pathlib import Path

    from cogs.websearch.store.sqlite import SqliteStore
    from store_sessions import Opener

MEMBER = 80351110224678912
OTHER = 80351110224678913


async def test_a_pause_is_one_members_until_it_is_ended(store: SqliteStore) -> None:
    """STO-16: whoever pauses is paused, nobody else is, and ending it ends it; ending it again is no error."""
    assert not await store.pauses.is_paused(MEMBER)
    await store.pauses.pause(MEMBER, now=1.0)
    assert await store.pauses.is_paused(MEMBER)
    assert not await store.pauses.is_paused(OTHER)
    await store.pauses.resume(OTHER)
    await store.pauses.pause(OTHER, now=1.0)
    assert await store.pauses.resume(MEMBER)
    assert await store.pauses.is_paused(OTHER)
    assert not await store.pauses.resume(MEMBER)
    assert not await store.pauses.is_paused(MEMBER)


async def test_a_pause_is_there_after_a_restart_and_for_others(opened: Opener, path: Path) -> None:
    """STO-16: a database that's opened again still knows it, and another store on it sees each change at once."""
    first = await opened(path)
    await first.pauses.pause(MEMBER, now=1.0)
    await first.close()
    second, other = await opened(path), await opened(path)
    assert await second.pauses.is_paused(MEMBER)
    await second.pauses.resume(MEMBER)
    assert not await other.pauses.is_paused(MEMBER)


async def test_pausing_again_keeps_the_first_moment(store: SqliteStore, path: Path) -> None:
    """STO-16: there's one row a member, with when they first said so."""
    await store.pauses.pause(MEMBER, now=1.0)
    await store.pauses.pause(MEMBER, now=2.0)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT user_id, since FROM pause").fetchall() == [(MEMBER, 1.0)]


async def test_a_failing_database_names_no_member(
    store: SqliteStore, path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """STO-10: each operation on pauses becomes `StoreFailed`, with a log line that holds no id."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DROP TABLE pause")
    with pytest.raises(StoreFailed):
        await store.pauses.pause(MEMBER, now=1.0)
    with pytest.raises(StoreFailed):
        await store.pauses.resume(MEMBER)
    with pytest.raises(StoreFailed):
        await store.pauses.is_paused(MEMBER)
    assert [message.partition(":")[0] for message in caplog.messages] == [
        "the database failed to pause searching for a member",
        "the database failed to end a member's pause",
        "the database failed to look for a member's pause",
    ]
    assert str(MEMBER) not in caplog.text
