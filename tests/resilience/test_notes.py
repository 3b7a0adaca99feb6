"""Hold what the service notes of its engines: when, in which processes, and what of it is lost when."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import sys
from contextlib import asynccontextmanager, closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import cogs
from cogs.websearch import errors
from cogs.websearch.breaker import State
from cogs.websearch.charges import Act
from cogs.websearch.config import Config
from cogs.websearch.health import DOWN_AFTER, Note
from cogs.websearch.journal import NOTE_SECONDS, Journal
from cogs.websearch.models import Asker, SearchRequest
from cogs.websearch.service import SearchService
from cogs.websearch.settings import Place
from cogs.websearch.spending import Spending
from cogs.websearch.store.database import Database
from cogs.websearch.store.engines import SqliteEngines
from cogs.websearch.store.inspection import notes
from cogs.websearch.troubles import Kind
from engine_tools import NOW, FakeTime
from loopback_engine import faults
from loopback_exa import faults as exa_faults
from loopback_tavily import faults as tavily_faults
from meter_tools import DAY
from resilience.asking import search
from ticks import Ticks

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from loopback_exa import LoopbackExa
    from loopback_tavily import LoopbackTavily

HERE = Path(__file__).parent
PRICE = 7000


@pytest.fixture
def ticks() -> Ticks:
    """Give the sleep of whoever notes."""
    return Ticks(NOTE_SECONDS)


@asynccontextmanager
async def opened_service(
    given: dict[str, Any], time_: FakeTime, ticks: Ticks | None = None, **settings: object
) -> AsyncIterator[SearchService]:
    """Open a service, which notes when `ticks` say so, else at its end alone."""
    given = {**given, **{name.replace("_", "-"): value for name, value in settings.items()}}
    sleep = (ticks or Ticks(NOTE_SECONDS)).sleep
    service = await SearchService.open(Config.from_mapping(given, env={}), clock=time_.wall_clock, sleep=sleep)
    try:
        yield service
    finally:
        await service.close()


def noted(path: Path, day: int = DAY) -> dict[str, Note]:
    """Return what `doctor` reads of searches."""
    return {key: note for (key, act), note in notes(str(path), day=day).items() if act is Act.SEARCH}


async def test_changes_are_noted(
    given_: dict[str, Any], time_: FakeTime, ticks: Ticks, exa: LoopbackExa, tavily: LoopbackTavily, path: Path
) -> None:
    """NOTE-01: not with each search, but at the next look: who answered, who failed by what, and who's left alone."""
    async with opened_service(given_, time_, ticks) as service:
        await search(service)
        assert noted(path) == {}
        await ticks.seconds(1)
        found = noted(path)
        assert list(found) == ["exa"]
        assert (found["exa"].at, found["exa"].signs.succeeded, found["exa"].signs.cost) == (NOW, NOW, PRICE)
        assert found["exa"].signs.latency is not None
        time_.passed = 50
        exa.fail(always=faults.html())
        tavily.fail(tavily_faults.error(401))
        for _ in range(DOWN_AFTER):
            with suppress(errors.BackendError):
                await search(service)
        assert noted(path) == found
        await ticks.seconds(1)
        first, second = (noted(path)[key] for key in ("exa", "tavily"))
        assert (first.at, first.signs.state, first.signs.failure) == (NOW + 50, State.OPEN, "backend-invalid-answer")
        assert first.signs.trouble is not None
        assert (first.signs.trouble.kind, first.signs.trouble.since) == (Kind.ENGINE, NOW + 50)
        assert first.signs.trouble.count == DOWN_AFTER
        assert (first.signs.succeeded, first.signs.failed) == (NOW, NOW + 50)
        assert second.signs.trouble is not None
        assert (second.signs.name, second.signs.trouble.kind) == ("Tavily", Kind.KEY)


async def test_nothing_is_written_where_nothing_has_changed(
    given_: dict[str, Any], time_: FakeTime, ticks: Ticks, path: Path
) -> None:
    """NOTE-01: whatever time passes, the note stays as old as what it says."""
    async with opened_service(given_, time_, ticks) as service:
        await search(service)
        await ticks.seconds(1)
        time_.passed = 100
        await ticks.seconds(3)
        assert noted(path)["exa"].at == NOW
    assert noted(path)["exa"].at == NOW


async def test_the_end_is_noted(given_: dict[str, Any], time_: FakeTime, exa: LoopbackExa, path: Path) -> None:
    """NOTE-01, NOTE-04: when it ends, what's left is written, and so is the cost of a search that's cut off then."""
    async with opened_service(given_, time_) as service:
        await search(service)
        exa.hold()
        cut_off = asyncio.ensure_future(search(service))
        await exa.received(2)
        await service.close()
        exa.release()
        with pytest.raises(errors.SearchInterrupted):
            await cut_off
    assert noted(path)["exa"].signs.succeeded == NOW
    assert noted(path)["exa"].signs.cost == 2 * PRICE


async def test_a_new_process_knows_nothing(
    given_: dict[str, Any], time_: FakeTime, ticks: Ticks, exa: LoopbackExa, path: Path
) -> None:
    """NOTE-02: what others found stays until it has asked itself; then the trouble that's over is gone."""
    async with opened_service(given_, time_, web_fallbacks=[]) as service:
        exa.fail(exa_faults.error(401, "INVALID_API_KEY"))
        with pytest.raises(errors.KeyRefused):
            await search(service)
    before = noted(path)
    assert before["exa"].signs.trouble is not None
    time_.passed = 100
    async with opened_service(given_, time_, ticks) as service:
        await ticks.seconds(2)
        assert noted(path) == before
        await search(service)
    found = noted(path)["exa"]
    assert (found.at, found.signs.trouble, found.signs.state) == (NOW + 100, None, State.CLOSED)
    assert (found.signs.failed, found.signs.failure) == (NOW, "backend-key-refused")


async def test_each_act_is_noted(
    given_: dict[str, Any], time_: FakeTime, ticks: Ticks, exa: LoopbackExa, path: Path
) -> None:
    """NOTE-08: how an engine answers is noted beside how it searches, and one that's only asked to answer as that."""
    request, asker = SearchRequest(query="why is the sky blue", count=1), Asker(user_id=1, channel_id=5)
    async with opened_service(given_, time_, ticks, web_fallbacks=[]) as service:
        await search(service)
        exa.fail(exa_faults.html())
        with pytest.raises(errors.InvalidAnswer):
            await service.answer(request, asker, Place())
        await ticks.seconds(1)
        found = notes(str(path), day=DAY)
        assert set(found) == {("exa", Act.SEARCH), ("exa", Act.ANSWER)}
        assert found["exa", Act.SEARCH].signs.failed is None
        assert found["exa", Act.ANSWER].signs.failure == "backend-invalid-answer"
    own: dict[str, Any] = {"web_fallbacks": [], "web_answer_backend": "tavily"}
    async with opened_service(given_, time_, **own) as service:
        await service.answer(request, asker, Place())
    found = notes(str(path), day=DAY)
    assert (found["tavily", Act.ANSWER].at, found["tavily", Act.ANSWER].signs.succeeded) == (NOW, NOW)
    time_.passed = 100
    async with opened_service(given_, time_, ticks, **own):
        await ticks.seconds(2)
    assert notes(str(path), day=DAY) == found


async def test_a_reload_forgives(
    given_: dict[str, Any], time_: FakeTime, ticks: Ticks, exa: LoopbackExa, path: Path
) -> None:
    """NOTE-01: a process that has forgotten a trouble, since its configuration is another, takes the note back."""
    async with opened_service(given_, time_, ticks, web_fallbacks=[]) as service:
        exa.fail(exa_faults.error(401, "INVALID_API_KEY"))
        with pytest.raises(errors.KeyRefused):
            await search(service)
        await ticks.seconds(1)
        assert noted(path)["exa"].signs.trouble is not None
        await service.reconfigure(service.config)
        await ticks.seconds(1)
    found = noted(path)["exa"].signs
    assert (found.trouble, found.state, found.failed) == (None, State.CLOSED, NOW)


async def test_costs_outlive_a_restart(given_: dict[str, Any], time_: FakeTime, ticks: Ticks, path: Path) -> None:
    """NOTE-04: what was spent before a service begins is told, and what others spend; a new day begins with nothing."""
    async with opened_service(given_, time_) as service:
        await search(service)
    async with opened_service(given_, time_, ticks) as service, opened_service(given_, time_) as other:
        assert [signs.cost for signs in service.engines.signs.values()] == [PRICE, 0]
        await search(service)
        assert [signs.cost for signs in service.engines.signs.values()] == [2 * PRICE, 0]
        await search(other)
        await other.close()
        await ticks.seconds(1)
        assert [signs.cost for signs in service.engines.signs.values()] == [3 * PRICE, 0]
        time_.passed = 13 * 3600
        assert [signs.cost for signs in service.engines.signs.values()] == [0, 0]
        await search(service)
        await ticks.seconds(1)
        assert [signs.cost for signs in service.engines.signs.values()] == [PRICE, 0]
    assert [noted(path, day)["exa"].signs.cost for day in (DAY, DAY + 1)] == [3 * PRICE, PRICE]


async def test_a_database_that_fails(
    given_: dict[str, Any], time_: FakeTime, ticks: Ticks, path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """NOTE-05: searches don't fail by it, one line is logged, and what's due is written later, each cost once."""
    async with opened_service(given_, time_, ticks) as service:
        with closing(sqlite3.connect(path, isolation_level=None)) as spoiler:
            spoiler.execute("ALTER TABLE engine_cost RENAME TO away")
            for _ in range(3):
                await search(service)
                await ticks.seconds(1)
            lines = [record.getMessage() for record in caplog.records if record.levelname == "ERROR"]
            assert lines == ["the database failed to note what an engine cost: SQLITE_ERROR"]
            assert service.engines.signs["exa"].cost == 3 * PRICE
            spoiler.execute("ALTER TABLE away RENAME TO engine_cost")
        await ticks.seconds(2)
        assert noted(path)["exa"].signs.cost == 3 * PRICE
        assert service.engines.signs["exa"].cost == 3 * PRICE
    assert noted(path)["exa"].signs.cost == 3 * PRICE


class Slow(SqliteEngines):
    """Come back from writing a cost when a test says so."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self.wrote = asyncio.Event()
        self.back = asyncio.Event()

    async def spend(self, day: int, key: str, cost: int, *, quiet: bool = False) -> int:
        """Write it at once."""
        total = await super().spend(day, key, cost, quiet=quiet)
        self.wrote.set()
        await self.back.wait()
        return total


async def test_closing_while_a_cost_is_written(time_: FakeTime, ticks: Ticks, path: Path) -> None:
    """NOTE-05: what's written isn't written once more, and what was spent meanwhile is written, too."""
    database, spending = await Database.open(path), Spending()
    slow = Slow(database)
    journal = Journal(slow, spending, dict, lambda: DAY, clock=time_.wall_clock, sleep=ticks.sleep)
    try:
        await journal.open()
        spending.add(DAY, "exa", PRICE)
        await ticks.begin()
        await slow.wrote.wait()
        spending.add(DAY, "exa", 1)
        assert spending.total(DAY, "exa") == PRICE + 1
        closing_ = asyncio.ensure_future(journal.close())
        await asyncio.sleep(0)
        slow.back.set()
        await closing_
        await journal.close()
    finally:
        await database.close()
    assert spent(path) == spending.total(DAY, "exa") == PRICE + 1


async def test_old_notes_go_with_the_days(given_: dict[str, Any], time_: FakeTime, ticks: Ticks, path: Path) -> None:
    """NOTE-07: the hourly purge deletes what's older than `web-retention-days`."""
    async with opened_service(given_, time_, ticks, web_retention_days=2) as service:
        await search(service)
        await ticks.seconds(1)
        for days, kept in ((2, PRICE), (3, 0)):
            time_.passed = days * 86400
            await service.purge()
            assert ("exa" in noted(path)) == (kept > 0)
            assert spent(path) == kept


async def start(exa: LoopbackExa, path: Path) -> asyncio.subprocess.Process:
    """Start a process of the bot that does what it's told by lines."""
    folders = [str(Path(folder).parent) for folder in cogs.__path__] + [str(HERE.parent)]
    return await asyncio.create_subprocess_exec(
        *(sys.executable, str(HERE / "noter.py"), str(path), exa.url, exa.key),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(folders)},
    )


async def tell(process: asyncio.subprocess.Process, line: str) -> None:
    """Tell a process what to do, and wait until it's done."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(f"{line}\n".encode())
    assert (await process.stdout.readline()).decode() == f"{line}\n"


async def test_processes_add_up(exa: LoopbackExa, path: Path) -> None:
    """NOTE-04, NOTE-06: two that search at once spend what both spent; of one that's killed, what it noted stays."""
    one, two = await asyncio.gather(start(exa, path), start(exa, path))
    try:
        await asyncio.gather(*(tell(process, "search") for process in (one, two)))
        for process in (one, two):
            await tell(process, "search")
        await asyncio.gather(tell(one, "note"), tell(two, "note"))
        assert spent(path) == 4 * PRICE
        await tell(one, "search")
        one.kill()
        await one.wait()
        assert spent(path) == 4 * PRICE
        await tell(two, "search")
        _, _ = await two.communicate(b"")
        assert two.returncode == 0
    finally:
        for process in (one, two):
            if process.returncode is None:
                process.kill()
                await process.communicate()
    assert spent(path) == 5 * PRICE
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def spent(path: Path) -> int:
    """Return what all days cost, since midnight may pass meanwhile."""
    with closing(sqlite3.connect(path)) as connection:
        ((found,),) = connection.execute("SELECT coalesce(sum(cost), 0) FROM engine_cost")
    return int(found)
