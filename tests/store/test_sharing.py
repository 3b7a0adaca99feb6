"""Hold the store against other stores, other processes, failures and cancellation."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import sys
import threading
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import cogs
from cogs.websearch.errors import StoreFailed
from store_sessions import a_session

if TYPE_CHECKING:
    from cogs.websearch.store.sqlite import SqliteStore
    from store_sessions import Opener

WRITER = Path(__file__).parent / "writer.py"


async def start_writer(path: Path, prefix: str, most: int = 0) -> asyncio.subprocess.Process:
    """Start a process that saves sessions; `most` 0 means until it's killed."""
    # A namespace package knows its folders; the tests' own are beside this one.
    search = [str(Path(folder).parent) for folder in cogs.__path__] + [str(WRITER.parent.parent)]
    return await asyncio.create_subprocess_exec(
        sys.executable,
        str(WRITER),
        str(path),
        prefix,
        str(most),
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(search)},
    )


async def test_two_stores_share_a_file(opened: Opener, path: Path, store: SqliteStore) -> None:
    """STO-05: what one store saves, the other loads, while both write."""
    other = await opened(path)
    await asyncio.gather(
        *(store.sessions.save(a_session(f"a{number}")) for number in range(50)),
        *(other.sessions.save(a_session(f"b{number}")) for number in range(50)),
    )
    for number in range(50):
        assert await other.sessions.load(f"a{number}", now=0.0) is not None
        assert await store.sessions.load(f"b{number}", now=0.0) is not None
    await other.close()


@pytest.mark.parametrize("attempt", range(5))
async def test_stores_open_a_new_file_at_once(opened: Opener, tmp_path: Path, attempt: int) -> None:
    """STO-05: stores that make the same database at the same moment all come up."""
    path = tmp_path / f"new-{attempt}.db"

    async def open_and_save(session_id: str) -> SqliteStore:
        store = await opened(path)
        await store.sessions.save(a_session(session_id))
        return store

    stores = await asyncio.gather(*(open_and_save(str(index)) for index in range(8)))
    for index in range(8):
        assert await stores[0].sessions.load(str(index), now=0.0) is not None


async def test_two_processes_share_a_file(path: Path, store: SqliteStore) -> None:
    """STO-05: processes that write to one file at the same time lose nothing."""
    writers = await asyncio.gather(start_writer(path, "a", 60), start_writer(path, "b", 60))
    for number in range(60):
        await store.sessions.save(a_session(f"c-{number}"))
    for writer in writers:
        await writer.communicate()
        assert writer.returncode == 0
    for prefix in "abc":
        for number in range(60):
            assert await store.sessions.load(f"{prefix}-{number}", now=0.0) is not None


@pytest.mark.parametrize("saved", [1, 7, 40])
async def test_a_killed_process_leaves_a_sound_database(opened: Opener, path: Path, saved: int) -> None:
    """STO-06: after a kill in the midst of writing, the database is whole and has all that was reported as saved."""
    writer = await start_writer(path, "a")
    assert writer.stdout is not None
    reported = [(await writer.stdout.readline()).decode().strip() for _ in range(saved)]
    writer.kill()
    reported += (await writer.stdout.read()).decode().split("\n")[:-1]
    await writer.wait()
    store = await opened(path)
    for session_id in reported:
        assert await store.sessions.load(session_id, now=0.0) is not None, session_id
    await store.sessions.save(a_session("after"))
    await store.close()
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


async def test_an_error_of_sqlite_is_told_without_values(
    path: Path, store: SqliteStore, caplog: pytest.LogCaptureFixture
) -> None:
    """STO-10: a failing write, read and purge raise `StoreFailed` and log one line each, without the query."""
    with closing(sqlite3.connect(path)) as other:
        other.execute("ALTER TABLE session RENAME TO hidden")
    with pytest.raises(StoreFailed):
        await store.sessions.save(a_session(query="a private question"))
    assert caplog.messages == ["the database failed to save a session: SQLITE_ERROR"]
    with pytest.raises(StoreFailed):
        await store.sessions.load("private-id", now=0.0)
    with pytest.raises(StoreFailed):
        await store.sessions.delete("private-id")
    with pytest.raises(StoreFailed):
        await store.sessions.purge(now=0.0)
    assert len(caplog.records) == 4
    assert "private" not in caplog.text
    assert "save a session" in caplog.text


async def test_the_store_works_again_after_a_failure(path: Path, store: SqliteStore) -> None:
    """STO-10, STO-12: once the cause is gone, the next write succeeds: no transaction was left open."""
    with closing(sqlite3.connect(path)) as other:
        other.execute("ALTER TABLE session RENAME TO hidden")
        with pytest.raises(StoreFailed):
            await store.sessions.save(a_session())
        other.execute("ALTER TABLE hidden RENAME TO session")
    await store.sessions.save(a_session())
    assert await store.sessions.load("id", now=0.0) is not None


async def test_text_that_no_database_takes_is_a_failure(store: SqliteStore) -> None:
    """STO-10: an id with a lone surrogate raises `StoreFailed` and nothing else."""
    with pytest.raises(StoreFailed):
        await store.sessions.load("\ud800", now=0.0)
    with pytest.raises(StoreFailed):
        await store.sessions.save(a_session("\ud800"))
    await store.sessions.save(a_session())


async def test_closing_twice_does_no_harm(opened: Opener, path: Path) -> None:
    """STO-11: a store may be closed at once by several and again later."""
    store = await opened(path)
    await asyncio.gather(store.close(), store.close(), store.close())
    await store.close()


async def test_a_closed_store_fails(opened: Opener, path: Path) -> None:
    """STO-11: what comes after closing is `StoreFailed`, for each operation."""
    store = await opened(path)
    await store.close()
    with pytest.raises(StoreFailed):
        await store.sessions.save(a_session())
    with pytest.raises(StoreFailed):
        await store.sessions.load("id", now=0.0)
    with pytest.raises(StoreFailed):
        await store.sessions.delete("id")
    with pytest.raises(StoreFailed):
        await store.sessions.purge(now=0.0)


async def test_closing_waits_for_writes_under_way(opened: Opener, path: Path) -> None:
    """STO-11: a write that began before closing is either done or `StoreFailed`, and closing ends."""
    store = await opened(path)
    writes = [asyncio.ensure_future(store.sessions.save(a_session(str(number)))) for number in range(20)]
    await asyncio.sleep(0)
    await store.close()
    results = await asyncio.gather(*writes, return_exceptions=True)
    assert all(result is False or isinstance(result, StoreFailed) for result in results)
    again = await opened(path)
    for number, result in enumerate(results):
        assert (await again.sessions.load(str(number), now=0.0) is not None) == (result is False)
    await again.close()


async def test_cancelled_closing_still_closes(opened: Opener, path: Path) -> None:
    """STO-11: where whoever closes is cancelled, the database is closed all the same."""
    store = await opened(path)
    closing_ = asyncio.ensure_future(store.close())
    await asyncio.sleep(0)
    closing_.cancel()
    with suppress(asyncio.CancelledError):
        await closing_
    await store.close()
    with pytest.raises(StoreFailed):
        await store.sessions.load("id", now=0.0)


@pytest.mark.parametrize("turns", range(8))
async def test_a_cancelled_write_leaves_no_transaction(store: SqliteStore, path: Path, turns: int) -> None:
    """STO-12: a write that is cancelled at any point does not keep this store or another from writing."""
    writing = asyncio.ensure_future(store.sessions.save(a_session("cancelled")))
    for _ in range(turns):
        await asyncio.sleep(0)
    writing.cancel()
    with suppress(asyncio.CancelledError):
        await writing
    await store.sessions.save(a_session("next"))
    with closing(sqlite3.connect(path, timeout=0, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        other.execute("ROLLBACK")
        assert ("next",) in other.execute("SELECT id FROM session").fetchall()


async def test_the_loop_turns_while_the_database_waits(path: Path, store: SqliteStore) -> None:
    """STO-13: while another process holds the database, the loop goes on, and the write ends when it lets go."""
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        writing = asyncio.ensure_future(store.sessions.save(a_session()))
        for _ in range(50):
            await asyncio.sleep(0)
        assert not writing.done()
        other.execute("COMMIT")
        await writing
    assert await store.sessions.load("id", now=0.0) is not None


async def test_sqlite_is_never_called_on_the_loops_thread(
    opened: Opener, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """STO-13: connecting happens on another thread, and SQLite itself refuses any other thread than that."""
    threads: list[threading.Thread] = []
    connect = sqlite3.connect

    def watched(*args: object, **options: object) -> sqlite3.Connection:
        threads.append(threading.current_thread())
        return connect(*args, **options)  # type: ignore[call-overload,no-any-return] # passed on as they came

    monkeypatch.setattr(sqlite3, "connect", watched)
    store = await opened(path)
    await store.sessions.save(a_session())
    await store.sessions.purge(now=0.0)
    await store.close()
    assert threads
    assert threading.main_thread() not in threads
