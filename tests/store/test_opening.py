"""Hold what can't be opened, and that nothing is left behind or harmed by trying."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import threading
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import permissions
from cogs.websearch.errors import DatabaseUnusable
from cogs.websearch.store import inspection
from cogs.websearch.store.sqlite import SqliteStore
from store_sessions import a_session
from switch_tools import CHANNEL, OFF

if TYPE_CHECKING:
    from collections.abc import Iterator

    from store_sessions import Opener


def workers() -> set[threading.Thread]:
    """Return the threads of aiosqlite that are alive, once those that were told to end have ended."""
    threads = {thread for thread in threading.enumerate() if "_connection_worker_thread" in thread.name}
    for thread in threads:
        thread.join(1)
    return {thread for thread in threads if thread.is_alive()}


def open_files(folder: Path) -> list[str]:
    """List the files in a folder that this process holds open."""
    found = []
    for descriptor in Path("/proc/self/fd").iterdir():
        try:
            target = str(descriptor.readlink())
        except FileNotFoundError:
            # The descriptor of the listing itself.
            continue
        if target.startswith(str(folder)):
            found.append(target)
    return found


async def problem_of(path: str | Path) -> str:
    """Return the problem that keeps a database from being opened."""
    with pytest.raises(DatabaseUnusable) as caught:
        await SqliteStore.open(path)
    assert caught.value.path == str(path)
    return caught.value.problem


@pytest.fixture
def commoner(tmp_path: Path) -> Iterator[Path]:
    """Yield a folder, and let permissions hold for root too; the folder can be cleared away afterwards."""
    folder = tmp_path / "folder"
    folder.mkdir()
    with permissions.enforced():
        yield folder
    folder.chmod(0o700)


@pytest.fixture
def locked(commoner: Path) -> Path:
    """Return a folder in which no file can be made."""
    commoner.chmod(0o500)
    return commoner


def names(folder: Path) -> list[str]:
    """Name what is in a folder."""
    return [file.name for file in folder.iterdir()]


async def test_a_folder_is_no_database(tmp_path: Path) -> None:
    """STO-07: a directory is refused as one."""
    assert await problem_of(tmp_path) == "directory"
    assert names(tmp_path) == []


async def test_a_missing_folder_is_not_made(tmp_path: Path) -> None:
    """STO-07: a path in a folder that isn't there is refused, and the folder isn't made."""
    assert await problem_of(tmp_path / "missing" / "websearch.db") == "no-folder"
    assert names(tmp_path) == []


async def test_a_file_in_the_way_is_no_folder(tmp_path: Path) -> None:
    """STO-07: a path that leads through a file is refused."""
    (tmp_path / "file").write_text("text", "utf-8")
    assert await problem_of(tmp_path / "file" / "websearch.db") == "no-folder"


async def test_a_folder_without_write_permission(locked: Path) -> None:
    """STO-07: a folder in which no file can be made is refused as read-only."""
    assert await problem_of(locked / "websearch.db") == "read-only"


async def test_a_file_without_write_permission(opened: Opener, commoner: Path) -> None:
    """STO-07: a database that can be read but not written is refused as read-only."""
    path = commoner / "websearch.db"
    store = await opened(path)
    await store.close()
    path.chmod(0o444)
    assert await problem_of(path) == "read-only"


async def test_a_file_without_read_permission(commoner: Path) -> None:
    """STO-07: a database that can't be read is refused."""
    path = commoner / "websearch.db"
    path.touch()
    path.chmod(0)
    assert await problem_of(path) == "unusable"


@pytest.mark.parametrize(
    "content", [b"This is a text and no database at all. " * 99, b"SQLite format 3\0" + b"\xff" * 4096]
)
async def test_another_kind_of_file_is_left_alone(tmp_path: Path, content: bytes) -> None:
    """STO-07: a file that is no database is refused, and not a byte of it changes."""
    path = tmp_path / "websearch.db"
    path.write_bytes(content)
    assert await problem_of(path) == "not-a-database"
    assert path.read_bytes() == content


async def test_a_damaged_database_is_refused(opened: Opener, tmp_path: Path) -> None:
    """STO-07: a database of ours whose first page is overwritten behind its header is refused as corrupt."""
    path = tmp_path / "websearch.db"
    store = await opened(path)
    await store.close()
    damaged = bytearray(path.read_bytes())
    damaged[100:4096] = b"\xff" * 3996
    path.write_bytes(damaged)
    assert await problem_of(path) == "corrupt"


async def test_another_programs_database_is_left_alone(tmp_path: Path) -> None:
    """STO-07: a database with tables that aren't ours is refused, and nothing is added to it."""
    path = tmp_path / "host.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE host (id)")
    before = path.read_bytes()
    assert await problem_of(path) == "foreign"
    assert path.read_bytes() == before


async def test_a_newer_database_is_refused(opened: Opener, tmp_path: Path) -> None:
    """STO-07: an older program does not write to the database of a newer one."""
    path = tmp_path / "websearch.db"
    store = await opened(path)
    await store.close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 9999")
    assert await problem_of(path) == "newer"
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (9999,)


async def test_a_pipe_and_a_device_are_refused_at_once(tmp_path: Path) -> None:
    """STO-07: what is no regular file is refused without being opened, since a pipe would be waited for."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert await problem_of(pipe) == "not-a-database"
    assert await problem_of("/dev/null") == "not-a-database"


@pytest.mark.parametrize("to", ["missing/websearch.db", "websearch.db"])
async def test_a_link_that_leads_nowhere(tmp_path: Path, to: str) -> None:
    """STO-07, DOC-08: a link in a circle or into a missing folder is named, by whoever opens and whoever only looks."""
    link = tmp_path / "websearch.db"
    link.symlink_to(to)
    assert await problem_of(link) == "link"
    with pytest.raises(DatabaseUnusable) as caught:
        inspection.inspect(str(link), seconds=1.0)
    assert caught.value.problem == "link"
    assert [file.name for file in tmp_path.iterdir()] == ["websearch.db"]


async def test_a_link_to_where_a_database_can_be_made(opened: Opener, tmp_path: Path) -> None:
    """STO-07, DOC-08: there SQLite makes one, and the look at it finds what's at the link's end."""
    (tmp_path / "disk").mkdir()
    link = tmp_path / "websearch.db"
    link.symlink_to("disk/websearch.db")
    assert inspection.inspect(str(link), seconds=1.0).version is None
    store = await opened(link)
    await store.sessions.save(a_session())
    files = [Path(f"{tmp_path}/disk/websearch.db{end}") for end in ("", "-wal", "-shm")]
    assert inspection.inspect(str(link), seconds=1.0).size == sum(file.stat().st_size for file in files)


async def test_an_empty_file_becomes_a_database(opened: Opener, tmp_path: Path) -> None:
    """STO-07: an empty file, as a mount or `touch` leaves it, is taken."""
    path = tmp_path / "websearch.db"
    path.touch()
    store = await opened(path)
    await store.sessions.save(a_session())
    await store.close()


async def test_a_failure_leaves_nothing_open(tmp_path: Path) -> None:
    """STO-08: after a refusal no thread and no file of the store is left."""
    before = workers()
    path = tmp_path / "websearch.db"
    path.write_bytes(b"no database " * 999)
    assert await problem_of(path) == "not-a-database"
    assert await problem_of(tmp_path) == "directory"
    assert workers() == before
    assert open_files(tmp_path) == []


@pytest.mark.parametrize("turns", range(6))
async def test_a_cancelled_opening_leaves_nothing_open(tmp_path: Path, turns: int) -> None:
    """STO-08: an opening that is cancelled at any point, while another process holds the file, leaves nothing."""
    before = workers()
    path = tmp_path / "websearch.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        opening = asyncio.ensure_future(SqliteStore.open(path))
        for _ in range(turns):
            await asyncio.sleep(0)
        opening.cancel()
        other.execute("COMMIT")
        with pytest.raises(asyncio.CancelledError):
            await opening
    assert workers() == before
    assert open_files(tmp_path) == []


@pytest.mark.parametrize("turns", range(0, 400, 40))
async def test_an_opening_that_is_cancelled_later_leaves_nothing_open(tmp_path: Path, turns: int) -> None:
    """STO-08: also between its two connections."""
    before = workers()
    opening = asyncio.ensure_future(SqliteStore.open(tmp_path / "websearch.db"))
    for _ in range(turns):
        await asyncio.sleep(0)
    if opening.cancel():
        with pytest.raises(asyncio.CancelledError):
            await opening
    else:
        await opening.result().close()
    assert workers() == before
    assert open_files(tmp_path) == []


async def test_a_database_in_memory_is_one(opened: Opener, tmp_path: Path) -> None:
    """SW-14: its settings are read from where they were written, and it leaves nothing either."""
    before = workers()
    store = await opened(":memory:")
    await store.settings.switch(CHANNEL, OFF)
    assert (await store.settings.load()).of(CHANNEL) is not None
    await store.close()
    await store.close()
    assert workers() == before
    assert names(tmp_path) == []


async def test_closing_leaves_nothing_open(opened: Opener, tmp_path: Path) -> None:
    """STO-08: a store that was used and closed leaves no thread and no file, not even SQLite's own beside it."""
    before = workers()
    store = await opened(tmp_path / "websearch.db")
    await store.sessions.save(a_session())
    await store.close()
    assert workers() == before
    assert open_files(tmp_path) == []
    assert names(tmp_path) == ["websearch.db"]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=st.binary(max_size=300), header=st.booleans())
async def test_any_file_is_opened_or_refused(opened: Opener, tmp_path: Path, content: bytes, header: bool) -> None:  # noqa: FBT001 - drawn by hypothesis
    """STO-07: whatever a file holds, it's opened or refused with a problem, and nothing else happens."""
    path = tmp_path / "any.db"
    path.write_bytes((b"SQLite format 3\0" if header else b"") + content)
    try:
        store = await opened(path)
    except DatabaseUnusable as refused:
        problem = refused.problem
    else:
        problem = ""
        await store.close()
    assert problem in {"", "not-a-database", "corrupt", "foreign", "newer", "unusable"}


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(name=st.text(min_size=1, max_size=300))
async def test_any_path_is_opened_or_refused(opened: Opener, tmp_path: Path, name: str) -> None:
    """STO-07: whatever a path holds, it's opened or refused."""
    folder = tmp_path / "any"
    folder.mkdir(exist_ok=True)
    try:
        store = await opened(f"{folder}/{name.replace('..', '')}")
    except DatabaseUnusable:
        return
    await store.close()
