"""Hold what becomes of a database whose file is deleted, replaced, moved, locked or taken over while it's open."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
import threading
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from cogs.websearch.errors import StoreFailed
from meter_tools import DAY, WIDE, a_charge, rows

if TYPE_CHECKING:
    from cogs.websearch.store.sqlite import SqliteStore
    from store_sessions import Opener

BESIDE = ("", "-wal", "-shm")
# The threads of an open store: of the connection that writes, and of the one that settings are read by.
OPEN = 2


def threads() -> int:
    """Count the threads of open databases, once those that were told to end have ended."""
    workers = [thread for thread in threading.enumerate() if "_connection_worker_thread" in thread.name]
    for worker in workers:
        worker.join(0.05)
    return sum(worker.is_alive() for worker in workers)


async def count(store: SqliteStore, *users: int) -> None:
    """Count a search of each of these members."""
    for user_id in users:
        assert await store.meters.charge(a_charge(user_id, None), WIDE) is None


def counted(path: Path) -> set[int]:
    """Return the members for whom a sound database has a search."""
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    return {id_ for _, scope, id_ in rows(path) if scope == 1}


async def made(opened: Opener, path: Path, *users: int) -> Path:
    """Make a database in which these members have searched."""
    store = await opened(path)
    await count(store, *users)
    await store.close()
    return path


@pytest.mark.parametrize("ends", [("",), BESIDE])
async def test_a_deleted_file_is_told_once(store: SqliteStore, path: Path, ends: tuple[str, ...]) -> None:
    """FIL-01, MET-14: the first search after the deletion fails, the next one is counted in a new, sound database."""
    await count(store, 1, 2)
    for end in ends:
        Path(f"{path}{end}").unlink()
    with pytest.raises(StoreFailed):
        await store.meters.charge(a_charge(3, None), WIDE)
    await count(store, 4)
    await store.close()
    assert counted(path) == {4}
    assert [file.name for file in path.parent.iterdir()] == [path.name]


async def test_a_replaced_file_is_opened(opened: Opener, store: SqliteStore, path: Path, tmp_path: Path) -> None:
    """FIL-02: the very next search is counted in the file that's there now, where none of the old one's pages get."""
    backup = await made(opened, tmp_path / "backup.db", 7)
    await count(store, *range(10, 60))
    backup.replace(path)
    await count(store, 8)
    assert (await store.meters.usage(day=DAY, user_id=7)).member.searches == 1
    await store.close()
    assert counted(path) == {7, 8}


async def test_a_replaced_file_without_a_thread(
    opened: Opener, store: SqliteStore, path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """FIL-06: where the system gives no thread to open it in, the database fails, and works once there is one."""
    backup = await made(opened, tmp_path / "backup.db", 7)
    backup.replace(path)
    before = threads()

    def refuse(_thread: threading.Thread) -> None:
        raise RuntimeError

    with monkeypatch.context() as without:
        without.setattr(threading.Thread, "start", refuse)
        for _ in range(2):
            with pytest.raises(StoreFailed):
                await count(store, 8)
    await count(store, 9)
    assert threads() == before
    await store.close()
    assert counted(path) == {7, 9}


async def test_two_stores_meet_a_replaced_file(opened: Opener, path: Path, tmp_path: Path) -> None:
    """FIL-02: whoever notices first takes nothing from whoever notices later."""
    first, second, third = [await opened(path) for _ in range(3)]
    backup = await made(opened, tmp_path / "backup.db", 7)
    for store in (first, second, third):
        await count(store, 1, 2)
    backup.replace(path)
    await count(first, 11, 12)
    await count(second, 21)
    await count(first, 13)
    await third.close()
    await count(second, 22)
    await first.close()
    await second.close()
    assert counted(path) == {7, 11, 12, 13, 21, 22}


async def test_a_file_that_is_replaced_under_many_searches(
    opened: Opener, store: SqliteStore, path: Path, tmp_path: Path
) -> None:
    """FIL-02, FIL-06: searches under way all go to the new file or fail, and no connection more is left."""
    backup = await made(opened, tmp_path / "backup.db")
    under_way = [asyncio.ensure_future(count(store, user_id)) for user_id in range(100)]
    await asyncio.sleep(0)
    backup.replace(path)
    await asyncio.gather(*under_way)
    await count(store, 100)
    assert threads() == OPEN
    await store.close()
    assert 100 in counted(path)


@pytest.mark.parametrize("searches", [1, 3])
@pytest.mark.parametrize("ends", [("",), BESIDE])
async def test_a_file_that_is_moved_away_and_back(
    store: SqliteStore, path: Path, tmp_path: Path, searches: int, ends: tuple[str, ...]
) -> None:
    """FIL-03: whether a new database was made meanwhile or not, the old one has all its counts and counts on."""
    await count(store, *range(50))
    (tmp_path / "away").mkdir()
    for end in ends:
        Path(f"{path}{end}").rename(tmp_path / "away" / f"{path.name}{end}")
    for user_id in range(searches):
        with suppress(StoreFailed):
            await store.meters.charge(a_charge(100 + user_id, None), WIDE)
    for end in ends:
        moved = tmp_path / "away" / f"{path.name}{end}"
        if moved.exists():
            moved.replace(f"{path}{end}")
    await count(store, 200)
    await store.close()
    assert counted(path) >= {*range(50), 200}


async def test_a_newer_program_takes_over(store: SqliteStore, path: Path) -> None:
    """FIL-04: once the version in the file is a newer one, nothing is read or written any more."""
    await count(store, 1)
    with closing(sqlite3.connect(path)) as newer:
        newer.execute("PRAGMA user_version = 9999")
        for _ in range(2):
            with pytest.raises(StoreFailed):
                await store.meters.charge(a_charge(2, None), WIDE)
    assert counted(path) == {1}


async def test_a_newer_file_is_put_in_its_place(
    opened: Opener, store: SqliteStore, path: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """FIL-04, FIL-06: it's refused and left as it is; with one of our version in its place everything works again."""
    newer, older = await made(opened, tmp_path / "newer.db", 7), await made(opened, tmp_path / "older.db", 8)
    with closing(sqlite3.connect(newer)) as connection:
        connection.execute("PRAGMA user_version = 9999")
    content = newer.read_bytes()
    newer.replace(path)
    for _ in range(3):
        with pytest.raises(StoreFailed):
            await store.meters.charge(a_charge(2, None), WIDE)
    assert path.read_bytes() == content
    assert "count a search: newer" in caplog.text
    assert threads() == OPEN - 1
    older.replace(path)
    await count(store, 9)
    await store.close()
    assert counted(path) == {8, 9}


async def test_a_file_that_is_no_database_is_put_in_its_place(store: SqliteStore, path: Path, tmp_path: Path) -> None:
    """FIL-02, MET-14: each search fails while it's there, and closing is still possible."""
    await count(store, 1)
    (tmp_path / "text").write_text("no database " * 999, "utf-8")
    (tmp_path / "text").replace(path)
    for _ in range(2):
        with pytest.raises(StoreFailed):
            await store.meters.charge(a_charge(2, None), WIDE)
    await store.close()
    with pytest.raises(StoreFailed):
        await store.meters.charge(a_charge(2, None), WIDE)


async def test_the_folder_vanishes_and_comes_back(store: SqliteStore, path: Path, tmp_path: Path) -> None:
    """FIL-03, MET-14: while a mount is gone every search fails, and once it's back the counts go on."""
    home, away = path.parent, tmp_path.with_name("elsewhere")
    await count(store, 1)
    home.rename(away)
    try:
        for _ in range(3):
            with pytest.raises(StoreFailed):
                await store.meters.charge(a_charge(2, None), WIDE)
    finally:
        away.rename(home)
    await count(store, 3)
    await store.close()
    assert counted(path) == {1, 3}


@pytest.mark.parametrize("turns", range(0, 400, 40))
async def test_whoever_is_cancelled_while_it_is_opened_anew(
    opened: Opener, store: SqliteStore, path: Path, tmp_path: Path, turns: int
) -> None:
    """FIL-06: at whatever point a search is cancelled, the next one finds the new file, and nothing stays open."""
    (await made(opened, tmp_path / "backup.db")).replace(path)
    searching = asyncio.ensure_future(count(store, 1))
    for _ in range(turns):
        await asyncio.sleep(0)
    searching.cancel()
    with suppress(asyncio.CancelledError):
        await searching
    await count(store, 2)
    assert threads() == OPEN
    await store.close()
    assert threads() == 0
    assert 2 in counted(path)


@pytest.mark.parametrize("turns", range(0, 400, 40))
async def test_closing_while_it_is_opened_anew(
    opened: Opener, store: SqliteStore, path: Path, tmp_path: Path, turns: int
) -> None:
    """FIL-06: at whatever point a store is closed, it leaves no thread, and the search is counted or fails."""
    (await made(opened, tmp_path / "backup.db")).replace(path)
    searching = asyncio.ensure_future(count(store, 1))
    for _ in range(turns):
        await asyncio.sleep(0)
    await store.close()
    with suppress(StoreFailed):
        await searching
    assert threads() == 0


async def test_a_lock_is_waited_for_once(store: SqliteStore, path: Path) -> None:
    """FIL-05, MET-14: behind a write that waited in vain others fail soon; once the lock is gone all is as before."""
    loop = asyncio.get_running_loop()
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        begun = loop.time()
        found = await asyncio.gather(*(count(store, user_id) for user_id in range(20)), return_exceptions=True)
        took = loop.time() - begun
        other.execute("ROLLBACK")
    assert all(isinstance(one, StoreFailed) for one in found)
    assert 4.5 < took < 10
    await count(store, 50)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        waiting = asyncio.ensure_future(count(store, 51))
        # Twenty times as long as a write waits that another has waited for in vain.
        await asyncio.wait({waiting}, timeout=1)
        assert not waiting.done()
        other.execute("ROLLBACK")
        await waiting
    assert counted(path) == {50, 51}


async def test_a_full_disk_counts_nothing(store: SqliteStore, path: Path) -> None:
    """MET-14: where no page can be added the search fails, and works once there's room."""
    await count(store, 1)
    connection = store._database._connection  # noqa: SLF001 - the limit is this connection's own
    assert connection is not None
    ((pages,),) = await connection.execute_fetchall("PRAGMA page_count")
    await connection.execute_fetchall(f"PRAGMA max_page_count = {pages}")
    failures = 0
    for user_id in range(1000):
        try:
            await count(store, user_id)
        except StoreFailed:
            failures += 1
    assert failures > 0
    before = counted(path)
    await connection.execute_fetchall("PRAGMA max_page_count = 1000000")
    await count(store, 5000)
    assert counted(path) == before | {5000}


async def test_a_copy_beside_it_is_nobodys_business(store: SqliteStore, path: Path, tmp_path: Path) -> None:
    """FIL-02: copying or linking the file elsewhere changes nothing for the open one."""
    await count(store, 1)
    shutil.copy(path, tmp_path / "copy.db")
    (tmp_path / "link.db").hardlink_to(path)
    await count(store, 2)
    await store.close()
    assert counted(path) == {1, 2}
