"""Hold that money is held before an engine is asked, told from what is spent, and that counting takes its time."""

from __future__ import annotations

import asyncio
import dataclasses
import sqlite3
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

import pytest

from cogs.websearch import errors
from cogs.websearch.charges import Limit, Use
from cogs.websearch.config import Config
from cogs.websearch.meter import Meter
from cogs.websearch.models import Asker, SearchRequest
from cogs.websearch.settings import Place
from cogs.websearch.store.database import Database
from cogs.websearch.store.meters import SqliteMeters
from cogs.websearch.troubles import Kind, Trouble
from loopback_exa import LoopbackExa, faults
from loopback_searxng import LoopbackSearxng
from meter_tools import rows, search

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from pathlib import Path

    from cogs.websearch.charges import Charge
    from engine_tools import FakeTime
    from meter_tools import OpenService

SOMEBODY = Asker(user_id=1, channel_id=5)


@pytest.fixture
async def searxng() -> AsyncIterator[LoopbackSearxng]:
    """Run a stand-in for an instance of SearXNG."""
    async with LoopbackSearxng() as running:
        yield running


@contextmanager
def held(path: Path) -> Iterator[None]:
    """Keep everybody else from writing to the database."""
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")


async def test_what_is_held_is_not_spent(open_service: OpenService, exa: LoopbackExa) -> None:
    """MET-27: while a search is under way another comes back in a moment; once it's made, the owner reads why."""
    told: list[Kind] = []
    telling = asyncio.Event()

    async def tell(trouble: Trouble, _over: bool) -> None:  # noqa: FBT001 - as the notices call it
        told.append(trouble.kind)
        telling.set()

    service = await open_service(web_daily_budget_usd=0.01)
    service.notices.teller = tell
    exa.hold()
    first = asyncio.ensure_future(search(service, 1))
    await exa.received(1)
    with pytest.raises(errors.BudgetHeld):
        await search(service, 2)
    exa.release()
    await first
    assert told == []
    with pytest.raises(errors.LimitReached) as caught:
        await search(service, 2)
    assert caught.value.limit is Limit.BUDGET
    await asyncio.wait_for(telling.wait(), 5)
    assert told == [Kind.BUDGET]


async def test_what_is_free_holds_nothing(open_service: OpenService, searxng: LoopbackSearxng) -> None:
    """MET-28: beside a dear fallback, any number of free searches are made at once."""
    service = await open_service(
        web_backend="searxng", web_fallbacks=["exa"], searxng_url=searxng.url, web_daily_budget_usd=0.007
    )
    await asyncio.gather(*(search(service, user_id) for user_id in range(10)))
    assert (await service.usage()).total == Use(searches=10)


async def test_repeats_hold_nothing(open_service: OpenService, exa: LoopbackExa) -> None:
    """MET-28: where the budget is spent to the cent, what's kept is still shown."""
    service = await open_service(web_daily_budget_usd=0.007)
    request = SearchRequest(query="pictures of a distant galaxy", count=1)
    for _ in range(3):
        await service.search(request, SOMEBODY, Place())
    assert len(exa.requests) == 1
    assert (await service.usage()).total == Use(searches=3, cost=7000)


async def test_a_change_while_a_search_is_counted(
    open_service: OpenService, exa: LoopbackExa, searxng: LoopbackSearxng, path: Path
) -> None:
    """MET-29: what was counted for a free engine pays for the one that's asked, and none is asked past the budget."""
    service = await open_service(web_backend="searxng", searxng_url=searxng.url, web_daily_budget_usd=0.02)
    with held(path):
        searching = [asyncio.ensure_future(search(service, user_id)) for user_id in range(10)]
        await asyncio.sleep(0)
        await service.reconfigure(dataclasses.replace(service.config, web_backend="exa"))
    found = await asyncio.gather(*searching, return_exceptions=True)
    assert sum(isinstance(one, errors.LimitReached | errors.BudgetHeld) for one in found) == 8
    assert (len(exa.requests), searxng.requests) == (2, [])
    assert (await service.usage()).total == Use(searches=2, cost=14_000)


async def test_tries_that_were_lost_stay_spent(open_service: OpenService, exa: LoopbackExa) -> None:
    """MET-26: two that the engine took and hung up on are paid beside the one that it answered, or refused."""
    service = await open_service()
    exa.fail(faults.hang_up, faults.hang_up)
    await search(service)
    assert (await service.usage()).total == Use(searches=1, cost=21_000)
    exa.fail(faults.hang_up, faults.error(401, "INVALID_API_KEY"))
    with pytest.raises(errors.KeyRefused):
        await search(service)
    assert (await service.usage()).total == Use(searches=1, cost=28_000)


async def test_lost_tries_of_a_search_that_fails(open_service: OpenService, exa: LoopbackExa) -> None:
    """MET-26: where all are lost, all are paid."""
    service = await open_service()
    exa.fail(always=faults.hang_up)
    with pytest.raises(errors.BackendUnreachable):
        await search(service)
    assert (await service.usage()).total == Use(cost=7000 * len(exa.requests))


async def test_counting_ends_in_time(open_service: OpenService, exa: LoopbackExa, path: Path) -> None:
    """MET-30: a database that's held costs two thirds of the time, no call and no count."""
    service = await open_service(web_timeout_s=3)
    clock = asyncio.get_running_loop().time
    began = clock()
    with held(path):
        with pytest.raises(errors.StoreFailed):
            await search(service)
        assert clock() - began < 3
    assert (await service.usage(user_id=1)).member == Use()
    assert exa.requests == []


class Forgetful(SqliteMeters):
    """Fail to give back what is given back first."""

    failures = 0

    async def refund(self, charge: Charge, *, cost: int = 0, placed: bool = False) -> None:
        """Fail once."""
        self.failures += 1
        if self.failures == 1:
            raise errors.StoreFailed
        await super().refund(charge, cost=cost, placed=placed)


async def test_closing_catches_up(path: Path, time_: FakeTime) -> None:
    """MET-31: what the database failed to give back is given back by closing."""
    database = await Database.open(path)
    counters = Forgetful(database)
    meter = Meter(counters, clock=time_.wall_clock)
    await meter.charge(SOMEBODY, Config(), "exa")
    await meter.close()
    assert counters.failures == 2
    await database.close()
    assert set(rows(path).values()) == {(0, 0)}


async def test_yesterdays_search_ends_today(open_service: OpenService, exa: LoopbackExa, time_: FakeTime) -> None:
    """MET-32: what an engine cost today stays what it was."""
    service = await open_service()
    gate = asyncio.Event()

    async def late(call: faults.Call) -> object:
        await gate.wait()
        return exa.answer(call)

    exa.fail(late)  # type: ignore[arg-type] # whatever answers
    first = asyncio.ensure_future(search(service, 1))
    await exa.received(1)
    time_.passed = 12 * 3600
    await search(service, 2)
    gate.set()
    await first
    assert service.engines.signs["exa"].cost == 7000
