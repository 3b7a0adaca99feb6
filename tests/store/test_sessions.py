"""Hold what the store keeps, and for how long."""

from __future__ import annotations

import asyncio
import os
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from cogs.websearch.config import Config
from cogs.websearch.store import open_store
from cogs.websearch.store.sessions import CLAIM_SECONDS
from store_sessions import a_session

if TYPE_CHECKING:
    from pathlib import Path

    from cogs.websearch.store.sqlite import SqliteStore
    from store_sessions import Opener


def content(path: Path) -> bytes:
    """Read a database's file."""
    return path.read_bytes()


def count(path: Path) -> int:
    """Count the sessions in a database by another connection."""
    with closing(sqlite3.connect(path)) as connection:
        ((number,),) = connection.execute("SELECT count(*) FROM session")
    return int(number)


async def test_a_session_comes_back_as_it_was(store: SqliteStore) -> None:
    """STO-01: every field of a session survives."""
    await store.sessions.save(a_session())
    assert await store.sessions.load("id", now=50.0) == a_session()


async def test_a_session_outlives_the_store(opened: Opener, path: Path) -> None:
    """STO-01: a database that is opened again still has its sessions."""
    first = await opened(path)
    await first.sessions.save(a_session())
    await first.close()
    second = await opened(path)
    assert await second.sessions.load("id", now=50.0) == a_session()
    await second.close()


async def test_the_configured_database_is_opened(path: Path) -> None:
    """STO-01: `open_store` opens the file that the configuration names."""
    store = await open_store(Config(web_database=str(path)))
    await store.sessions.save(a_session())
    await store.close()
    assert count(path) == 1


async def test_memory_serves_as_a_database(opened: Opener, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """STO-01: `:memory:` keeps sessions and makes no file."""
    monkeypatch.chdir(tmp_path)
    store = await opened(":memory:")
    await store.sessions.save(a_session())
    assert await store.sessions.load("id", now=50.0) == a_session()
    await store.close()
    assert not any(os.scandir(tmp_path))


async def test_saving_again_replaces(store: SqliteStore, path: Path) -> None:
    """STO-01: a session that is saved again is the newer one."""
    await store.sessions.save(a_session(query="one"))
    await store.sessions.save(a_session(query="two"))
    assert await store.sessions.load("id", now=0.0) == a_session(query="two")
    assert count(path) == 1


@pytest.mark.parametrize(("now", "there"), [(99.9, True), (100.0, True), (100.1, False)])
async def test_a_session_ends(store: SqliteStore, now: float, there: bool) -> None:  # noqa: FBT001 - a parameter of the test
    """STO-02: a session is loaded up to its end and not after it."""
    await store.sessions.save(a_session(expires=100.0))
    assert (await store.sessions.load("id", now=now) is not None) == there


async def test_a_deleted_session_is_gone(store: SqliteStore) -> None:
    """STO-02: a deleted session is not loaded, the others are, and deleting it again is no error."""
    await store.sessions.save(a_session("one"))
    await store.sessions.save(a_session("two"))
    await store.sessions.delete("one")
    await store.sessions.delete("one")
    assert await store.sessions.load("one", now=0.0) is None
    assert await store.sessions.load("two", now=0.0) == a_session("two")


async def test_purge_deletes_what_ended(store: SqliteStore, path: Path) -> None:
    """STO-03: `purge` deletes more ended sessions than one step takes, and none that goes on."""
    for number in range(450):
        await store.sessions.save(a_session(f"ended-{number}", expires=10.0))
    await store.sessions.save(a_session("goes on", expires=30.0))
    await store.sessions.purge(now=20.0)
    assert count(path) == 1
    assert await store.sessions.load("goes on", now=20.0) is not None


async def test_others_write_during_a_purge(store: SqliteStore, path: Path) -> None:
    """STO-03: a write that comes during a long purge doesn't wait for its end."""
    for number in range(1000):
        await store.sessions.save(a_session(f"ended-{number}", expires=10.0))
    purging = asyncio.ensure_future(store.sessions.purge(now=20.0))
    await asyncio.sleep(0)
    await store.sessions.save(a_session("meanwhile"))
    assert not purging.done()
    assert 1 < count(path) < 1000
    await purging
    assert count(path) == 1


async def test_a_session_of_another_shape_counts_as_ended(
    store: SqliteStore, path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """STO-15: a payload that this version can't read is no session, and the log says so without showing it."""
    await store.sessions.save(a_session("good"))
    with closing(sqlite3.connect(path)) as other:
        other.execute(
            "INSERT INTO session (id, expires, payload) VALUES ('odd', 100.0, ?)", (b'{"query": "a secret question"}',)
        )
        other.execute("INSERT INTO session (id, expires, payload) VALUES ('broken', 100.0, ?)", (b"\xff\x00",))
        other.commit()
    assert await store.sessions.load("odd", now=0.0) is None
    assert await store.sessions.load("broken", now=0.0) is None
    assert await store.sessions.load("good", now=0.0) is not None
    assert len(caplog.records) == 2
    assert "secret question" not in caplog.text


async def test_what_is_deleted_is_overwritten(opened: Opener, path: Path) -> None:
    """STO-14: a deleted session's query is nowhere in the database's file."""
    store = await opened(path)
    await store.sessions.save(a_session(query="find me if you can"))
    await store.sessions.save(a_session("other"))
    await store.sessions.delete("id")
    await store.close()
    assert b"find me if you can" not in content(path)
    assert b"why is the sky blue" in content(path)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    session_id=st.text(st.characters(exclude_categories=["Cs"])),
    query=st.text(st.characters(exclude_categories=["Cs"])),
)
async def test_any_text_is_kept(store: SqliteStore, session_id: str, query: str) -> None:
    """STO-01: whatever an id and a query hold, they come back as they were."""
    session = a_session(session_id, query=query)
    await store.sessions.save(session)
    assert await store.sessions.load(session_id, now=0.0) == session


async def test_one_of_many_shares_a_reply(opened: Opener, path: Path) -> None:
    """STO-17: of any number that claim it, in any process, one does; a claim that nobody settles ends in a minute."""
    one, other = await opened(path), await opened(path)
    session = a_session()
    await one.sessions.save(session)
    claims = [store.sessions.claim_share(session.id, now=10) for store in (one, other) * 5]
    assert sorted(await asyncio.gather(*claims)) == [False] * 9 + [True]
    assert not await other.sessions.claim_share(session.id, now=10 + CLAIM_SECONDS)
    assert await other.sessions.claim_share(session.id, now=11 + CLAIM_SECONDS)
    await other.sessions.settle_share(session.id, shared=False)
    assert await one.sessions.claim_share(session.id, now=12 + CLAIM_SECONDS)
    await one.sessions.settle_share(session.id, shared=True)
    assert not await other.sessions.claim_share(session.id, now=90)
    found = await one.sessions.load(session.id, now=0)
    assert found is not None
    assert found.shared
    assert not await one.sessions.claim_share("a session that isn't there", now=10)


async def test_saving_again_keeps_what_is_noted_of_sharing(store: SqliteStore) -> None:
    """STO-17: neither a claim nor a share is forgotten by it, and whoever saves learns whether it was shared."""
    assert not await store.sessions.save(a_session(query="one"))
    assert await store.sessions.claim_share("id", now=10)
    assert not await store.sessions.save(a_session(query="two"))
    assert not await store.sessions.claim_share("id", now=11)
    await store.sessions.settle_share("id", shared=True)
    assert await store.sessions.save(a_session(query="three", expires=900))
    found = await store.sessions.load("id", now=800)
    assert found == replace(a_session(query="three", expires=900), shared=True)
