"""Hold what is noted of engines, by one process or several, and what is read of it from outside."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from cogs.websearch.breaker import State
from cogs.websearch.charges import Act
from cogs.websearch.errors import DatabaseUnusable, StoreFailed
from cogs.websearch.health import Note, Signs
from cogs.websearch.store import engines
from cogs.websearch.store.inspection import notes
from cogs.websearch.store.migrations import APPLICATION_ID, migrate, read_migrations
from cogs.websearch.store.sqlite import SqliteStore
from cogs.websearch.troubles import Kind, Trouble
from meter_tools import DAY

if TYPE_CHECKING:
    from store_sessions import Opener

HOUR = 3600.0
DOWN = Signs(
    name="Exa",
    state=State.OPEN,
    trouble=Trouble(kind=Kind.ENGINE, since=5.0, count=7, where="Exa"),
    succeeded=4.0,
    failed=9.5,
    failure="backend-down",
    latency=0.25,
)


def noted(path: Path, *, day: int = DAY) -> dict[str, Note]:
    """Return what `doctor` reads of searches."""
    return {key: note for (key, act), note in notes(str(path), day=day).items() if act is Act.SEARCH}


async def test_what_is_noted_is_read(opened: Opener, store: SqliteStore, path: Path) -> None:
    """NOTE-01, NOTE-04, DOC-18: all of it, with the cost of the day alone, while it's open and once it's closed."""
    shut = Signs(name="tavily", is_open=False, failed=2.0, failure="backend-unreachable")
    await store.engines.note("exa", Note(signs=DOWN, at=10.0))
    await store.engines.note("tavily", Note(signs=shut, at=11.0))
    assert await store.engines.spend(DAY, "exa", 7000) == 7000
    assert await store.engines.spend(DAY, "exa", 5) == 7005
    assert await store.engines.spend(DAY - 1, "tavily", 8000) == 8000
    assert await store.engines.spent(DAY) == {"exa": 7005}
    expected = {"exa": Note(signs=replace(DOWN, cost=7005), at=10.0), "tavily": Note(signs=shut, at=11.0)}
    assert noted(path) == expected
    await store.close()
    assert noted(path) == expected
    assert noted(path, day=DAY - 1)["tavily"].signs.cost == 8000
    assert await (await opened(path)).engines.spent(DAY) == {"exa": 7005}


async def test_each_act_is_noted_for_itself(store: SqliteStore, path: Path) -> None:
    """NOTE-08: what fails at answering changes nothing of what is known of searching; the cost is the engine's."""
    fine = Signs(name="Exa", succeeded=9.0, latency=0.5)
    for act, signs in ((Act.SEARCH, fine), (Act.ANSWER, DOWN), (Act.ANSWER, replace(DOWN, failed=9.75))):
        await store.engines.note("exa", Note(signs=signs, at=10.0), act=act)
    await store.engines.spend(DAY, "exa", 7)
    assert notes(str(path), day=DAY) == {
        ("exa", Act.SEARCH): Note(signs=replace(fine, cost=7), at=10.0),
        ("exa", Act.ANSWER): Note(signs=replace(DOWN, failed=9.75, cost=7), at=10.0),
    }
    await store.engines.purge(before=DAY, until=11.0)
    assert notes(str(path), day=DAY) == {}


async def test_what_was_noted_before_stays(opened: Opener, path: Path) -> None:
    """NOTE-08: of searches, and of answers where an engine does nothing else."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        migrate(connection, read_migrations()[:8], str(path))
        for key in ("exa", "chat"):
            row = (
                key,
                key.title(),
                10.0,
                1,
                State.OPEN.value,
                Kind.ENGINE.value,
                5.0,
                7,
                0.25,
                4.0,
                9.5,
                "backend-down",
            )
            connection.execute(f"INSERT INTO engine VALUES ({', '.join('?' * len(row))})", row)  # noqa: S608 - marks alone
    assert notes(str(path), day=DAY) == {}
    await opened(path)
    found = notes(str(path), day=DAY)
    assert found["exa", Act.SEARCH] == Note(signs=DOWN, at=10.0)
    assert set(found) == {("exa", Act.SEARCH), ("chat", Act.ANSWER)}


async def test_the_latest_of_two_processes(store: SqliteStore, opened: Opener, path: Path) -> None:
    """NOTE-03: success and failure are the latest of both, the state is that of the last, and so is what it knows."""
    other = await opened(path)
    await store.engines.note("exa", Note(signs=DOWN, at=10.0))
    later = Signs(name="Exa", succeeded=9.0, failed=8.0, failure="backend-timeout")
    await other.engines.note("exa", Note(signs=later, at=12.0))
    expected = replace(later, failed=9.5, failure="backend-down", latency=0.25)
    assert noted(path)["exa"] == Note(signs=expected, at=12.0)
    await store.engines.note("exa", Note(signs=replace(DOWN, failed=None, failure=""), at=13.0))
    assert noted(path)["exa"] == Note(signs=replace(DOWN, succeeded=9.0), at=13.0)


async def test_a_moment_that_lies_ahead(store: SqliteStore, path: Path) -> None:
    """NOTE-03: what a wrong clock noted gives way once it's right; a few seconds between two clocks change nothing."""
    ahead = replace(DOWN, succeeded=30 * HOUR, failed=30 * HOUR, failure="backend-timeout")
    await store.engines.note("exa", Note(signs=ahead, at=30 * HOUR))
    await store.engines.note("exa", Note(signs=DOWN, at=10.0))
    assert noted(path)["exa"].signs == DOWN
    await store.engines.note("exa", Note(signs=replace(DOWN, succeeded=15.0), at=15.0))
    await store.engines.note("exa", Note(signs=DOWN, at=10.0))
    assert noted(path)["exa"].signs.succeeded == 15.0


MOMENTS = st.none() | st.integers(0, 3000).map(float)
SIGNS = st.builds(
    lambda succeeded, failed, latency, state: Signs(
        name="Exa",
        state=state,
        succeeded=succeeded,
        failed=failed,
        failure="" if failed is None else f"error-{failed:.0f}",
        latency=latency,
    ),
    MOMENTS,
    MOMENTS,
    MOMENTS,
    st.sampled_from(State),
)


@settings(max_examples=50, deadline=None)
@given(st.lists(SIGNS, min_size=1, max_size=6))
async def test_any_order_of_notes(given_: list[Signs]) -> None:
    """NOTE-03: whoever notes what in which order, the latest moments stay, each failure with its own kind."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "any.db"
        store = await SqliteStore.open(path)
        try:
            for at, signs in enumerate(given_):
                await store.engines.note("exa", Note(signs=signs, at=float(at)))
        finally:
            await store.close()
        found = noted(path)["exa"].signs
    failed = max((one.failed for one in given_ if one.failed is not None), default=None)
    assert found.succeeded == max((one.succeeded for one in given_ if one.succeeded is not None), default=None)
    assert (found.failed, found.failure) == (failed, "" if failed is None else f"error-{failed:.0f}")
    assert found.state is given_[-1].state
    assert found.latency == next((one.latency for one in reversed(given_) if one.latency is not None), None)


async def test_many_add_at_once(store: SqliteStore, opened: Opener, path: Path) -> None:
    """NOTE-04: no cost is lost, however many connections add."""
    other = await opened(path)
    adding = (one.engines.spend(DAY, "exa", cost) for one in (store, other) for cost in range(100))
    await asyncio.gather(*adding)
    assert await store.engines.spent(DAY) == {"exa": 2 * sum(range(100))}


async def test_old_notes_are_deleted(store: SqliteStore, path: Path) -> None:
    """NOTE-07: costs of days before, and engines that nobody asks any more; what's newer stays."""
    for key, at in (("exa", 10.0), ("jina", 9.0)):
        await store.engines.note(key, Note(signs=Signs(name=key, succeeded=1.0), at=at))
    for day in range(DAY - 3, DAY + 1):
        await store.engines.spend(day, "exa", 1)
    await store.engines.purge(before=DAY - 1, until=10.0)
    assert list(noted(path)) == ["exa"]
    assert [await store.engines.spent(day) for day in range(DAY - 3, DAY + 1)] == [{}, {}, {"exa": 1}, {"exa": 1}]


async def test_a_failure_is_logged_unless_quiet(store: SqliteStore, caplog: pytest.LogCaptureFixture) -> None:
    """NOTE-05: what is tried again doesn't fill the log."""
    await store.close()
    for quiet in (True, False):
        with pytest.raises(StoreFailed):
            await store.engines.note("exa", Note(signs=DOWN, at=10.0), quiet=quiet)
        with pytest.raises(StoreFailed):
            await store.engines.spend(DAY, "exa", 1, quiet=quiet)
        with pytest.raises(StoreFailed):
            await store.engines.spent(DAY, quiet=quiet)
        assert len([record for record in caplog.records if record.levelname == "ERROR"]) == (0 if quiet else 3)


@pytest.mark.parametrize("kind", ["missing", "empty", "older"])
def test_where_nothing_can_have_been_noted(path: Path, kind: str) -> None:
    """DOC-19: nothing is known, and nothing is made or migrated."""
    if kind == "empty":
        path.touch()
    if kind == "older":
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            migrate(connection, read_migrations()[: engines.VERSION - 1], str(path))
    before = path.read_bytes() if path.exists() else None
    assert noted(path) == {}
    assert (path.read_bytes() if path.exists() else None) == before


@pytest.mark.parametrize("content", ["text", "another program's"])
def test_what_isnt_ours_is_refused(path: Path, content: str) -> None:
    """DOC-19: an error of ours says what's the matter, and the file stays as it was."""
    if content == "text":
        path.write_text("no database at all " * 999, "utf-8")
    else:
        with closing(sqlite3.connect(path)) as connection:
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID + 1}")
    before = path.read_bytes()
    with pytest.raises(DatabaseUnusable):
        noted(path)
    assert path.read_bytes() == before
