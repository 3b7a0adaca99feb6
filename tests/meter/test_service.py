"""Hold that every search is charged before the engine is asked, settled afterwards, and given back where it fails."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing, suppress
from typing import TYPE_CHECKING

import pytest

from cogs.websearch import errors
from cogs.websearch.charges import Limit, Use
from cogs.websearch.config import Config
from cogs.websearch.meter import price_of
from cogs.websearch.models import Asker, Category, Period, SearchRequest
from cogs.websearch.settings import Place
from engine_tools import NOW
from loopback_exa import Fault, LoopbackExa, faults
from meter_tools import DAY, rows, search

if TYPE_CHECKING:
    from pathlib import Path

    from cogs.websearch.service import SearchService
    from engine_tools import FakeTime
    from meter_tools import OpenService

MEMBER, SERVER, TOTAL = 1, 2, 3
MIDNIGHT = int(NOW) + 12 * 3600


async def refused(service: SearchService, user_id: int = 1, guild_id: int | None = None) -> tuple[Limit, float, int]:
    """Search where a limit stops it; return which, its size, and when it ends."""
    with pytest.raises(errors.LimitReached) as caught:
        await search(service, user_id, guild_id)
    return caught.value.limit, caught.value.most, caught.value.resets


async def use(service: SearchService, user_id: int = 1) -> Use:
    """Return what a member used today."""
    return (await service.usage(user_id=user_id)).member


def billed(dollars: float | None) -> Fault:
    """Answer with one result and what the search cost."""
    return faults.rows({"url": "https://example.com"}, costDollars=None if dollars is None else {"total": dollars})


async def test_the_engine_is_asked_as_often_as_is_charged(
    open_service: OpenService, exa: LoopbackExa, time_: FakeTime
) -> None:
    """MET-02, MET-06: a minute's limit stops the next search until its oldest is a minute old; others go on."""
    service = await open_service(web_per_minute=2)
    await search(service)
    time_.passed += 10.25
    await search(service)
    assert await refused(service) == (Limit.MINUTE, 2, int(NOW) + 60)
    await search(service, user_id=2)
    assert len(exa.requests) == 3
    time_.passed += 49.75
    await search(service)
    assert await refused(service) == (Limit.MINUTE, 2, int(NOW) + 71)


async def test_days_are_counted_by_member_and_server(open_service: OpenService, time_: FakeTime) -> None:
    """MET-03, MET-06: both end at midnight of the zone, and the next day begins with nothing used."""
    service = await open_service(web_daily_per_user=2, web_daily_per_guild=3)
    await search(service, 1, 9)
    await search(service, 1, None)
    assert await refused(service, 1, 9) == (Limit.MEMBER, 2, MIDNIGHT)
    await search(service, 2, 9)
    await search(service, 2, 9)
    assert await refused(service, 3, 9) == (Limit.SERVER, 3, MIDNIGHT)
    await search(service, 3, None)
    time_.passed = 12 * 3600
    await search(service, 1, 9)
    assert await use(service) == Use(searches=1, cost=7000)


async def test_a_day_ends_by_the_configured_zone(open_service: OpenService, time_: FakeTime) -> None:
    """MET-11: at noon in London it's another day in Auckland, whose midnight comes first."""
    service = await open_service(web_daily_per_user=1, web_timezone="Pacific/Auckland")
    await search(service)
    time_.passed = 23 * 3600 - 1
    assert await refused(service) == (Limit.MEMBER, 1, int(NOW) + 23 * 3600)
    time_.passed += 1
    await search(service)


async def test_money_is_held_against_the_budget(open_service: OpenService, exa: LoopbackExa, time_: FakeTime) -> None:
    """MET-04, MET-06, MET-08: the real cost counts, and what would pass the budget isn't begun before the next day."""
    service = await open_service(web_daily_budget_usd=0.05)
    exa.fail(billed(0.02), billed(0.01), billed(0.015))
    await search(service)
    await search(service, 2)
    await search(service, 3)
    assert await refused(service, 4) == (Limit.BUDGET, 0.05, MIDNIGHT)
    assert (await service.usage()).total == Use(searches=3, cost=45_000)
    time_.passed = 12 * 3600
    await search(service, 4)


async def test_reserves_count_while_searches_are_under_way(open_service: OpenService, exa: LoopbackExa) -> None:
    """MET-04, MET-27: of many at once only those are begun that the budget can pay; the others may soon come back."""
    service = await open_service(web_daily_budget_usd=0.03)
    exa.hold()
    searching = [asyncio.ensure_future(search(service, user_id)) for user_id in range(10)]
    await exa.received(4)
    refused = await asyncio.gather(*searching[4:], return_exceptions=True)
    assert [type(one) for one in refused] == [errors.BudgetHeld] * 6
    exa.release()
    await asyncio.gather(*searching[:4])
    assert len(exa.requests) == 4


@pytest.mark.parametrize(
    ("config", "price"),
    [
        (Config(exa_search_type="auto"), 7000),
        (Config(exa_search_type="instant"), 7000),
        (Config(exa_search_type="lite"), 4000),
        (Config(exa_search_type="deep"), 12_000),
        (Config(web_backend="tavily"), 8000),
        (Config(web_backend="jina", exa_search_type="deep"), 500),
        (Config(web_backend="searxng"), 0),
        (Config(web_backend="local"), 0),
    ],
)
def test_the_price_is_estimated(config: Config, price: int) -> None:
    """MET-18: each engine and kind of search has its price, and SearXNG and local documents have none."""
    assert price_of(config, config.web_backend) == price


@pytest.mark.parametrize("cost", [None, 7e9, -1])
async def test_the_estimate_stands_where_no_cost_is_told(
    open_service: OpenService, exa: LoopbackExa, cost: float | None
) -> None:
    """MET-08, MET-18: without a cost that could be one, the price of the configured kind of search counts."""
    service = await open_service(exa_search_type="lite")
    exa.fail(billed(cost))
    await search(service)
    assert await use(service) == Use(searches=1, cost=4000)


@pytest.mark.parametrize("fault", [faults.rows(), faults.rows({"url": "nowhere"}, costDollars={"total": 0.007})])
async def test_a_search_without_results_was_billed(open_service: OpenService, exa: LoopbackExa, fault: Fault) -> None:
    """MET-08: what the engine answered counts with its cost, also where there's nothing to show."""
    service = await open_service()
    exa.fail(fault)
    with pytest.raises(errors.NoResults):
        await search(service)
    assert await use(service) == Use(searches=1, cost=7000)


@pytest.mark.parametrize(
    "fault", [faults.error(404, "NOT_FOUND"), faults.redirect("https://example.org/"), faults.html(502)]
)
async def test_a_search_that_the_engine_failed_is_given_back(
    open_service: OpenService, exa: LoopbackExa, fault: Fault
) -> None:
    """MET-09: a limit of one a day is whole again after a failure that cost nothing, and so is the budget."""
    service = await open_service(web_daily_per_user=1, web_daily_budget_usd=0.007)
    exa.fail(always=fault)
    with pytest.raises(errors.BackendError):
        await search(service)
    assert await use(service) == Use()
    exa.recover()
    await search(service)
    assert (await refused(service))[0] is Limit.MEMBER


async def test_midnight_between_charge_and_refund(
    open_service: OpenService, exa: LoopbackExa, path: Path, time_: FakeTime
) -> None:
    """MET-09: a search that fails after midnight is given back to the day that it was counted on."""
    service = await open_service()
    exa.hold()
    exa.fail(faults.error(404, "NOT_FOUND"))
    searching = asyncio.ensure_future(search(service))
    await exa.received(1)
    time_.passed = 12 * 3600 + 1
    exa.release()
    with pytest.raises(errors.EndpointMissing):
        await searching
    await search(service)
    await service.close()
    assert rows(path)[DAY, MEMBER, 1] == (0, 0)
    assert rows(path)[DAY + 1, MEMBER, 1] == (1, 7000)


async def test_a_cancelled_search_is_given_back(open_service: OpenService, exa: LoopbackExa) -> None:
    """MET-09, MET-23: whoever is cancelled while the engine works has a search left; what it may cost stays spent."""
    service = await open_service(web_daily_per_user=1)
    exa.hold()
    searching = asyncio.ensure_future(search(service))
    await exa.received(1)
    searching.cancel()
    with pytest.raises(asyncio.CancelledError):
        await searching
    exa.release()
    await search(service)
    assert await use(service) == Use(searches=1, cost=14_000)


@pytest.mark.parametrize("turns", [*range(12), 20, 40, 80])
async def test_cancelled_at_any_point(open_service: OpenService, path: Path, exa: LoopbackExa, turns: int) -> None:
    """MET-10: while it's being counted, made or given back: once all is quiet, only what was answered is counted."""
    service = await open_service()
    exa.fail(always=faults.error(404, "NOT_FOUND"))
    searching = asyncio.ensure_future(search(service))
    for _ in range(turns):
        await asyncio.sleep(0)
    searching.cancel()
    with suppress(asyncio.CancelledError, errors.EndpointMissing):
        await searching
    await service.close()
    assert {searches for searches, _ in rows(path).values()} <= {0}


@pytest.mark.parametrize(("fault", "counted"), [(faults.error(404, "NOT_FOUND"), (0, 0)), (billed(0.01), (1, 10_000))])
async def test_nobody_waits_for_the_books(
    open_service: OpenService, exa: LoopbackExa, path: Path, fault: Fault, counted: tuple[int, int]
) -> None:
    """MET-10, MET-24: results and failures are there while the database is locked, which learns of them afterwards."""
    service = await open_service()
    exa.hold()
    exa.fail(fault)
    searching = asyncio.ensure_future(search(service))
    await exa.received(1)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        exa.release()
        await asyncio.wait({searching}, timeout=1)
        assert searching.done()
        assert isinstance(searching.exception(), errors.EndpointMissing | None)
        other.execute("ROLLBACK")
    await service.close()
    assert rows(path)[DAY, MEMBER, 1] == counted


@pytest.mark.parametrize("locked", [False, True])
async def test_closed_while_it_searches(
    open_service: OpenService, exa: LoopbackExa, path: Path, *, locked: bool
) -> None:
    """MET-09, MET-10: what nobody will see, since the cog is unloaded, is given back, also while it's being counted."""
    service = await open_service()
    exa.hold()
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        searching = [asyncio.ensure_future(search(service, user_id)) for user_id in range(3)]
        if not locked:
            await exa.received(3)
        other.execute("BEGIN IMMEDIATE")
        searching += [asyncio.ensure_future(search(service, user_id)) for user_id in range(3)]
        await asyncio.sleep(0)
        closing_ = asyncio.ensure_future(service.close())
        await asyncio.wait({closing_}, timeout=0.1)
        other.execute("ROLLBACK")
        await closing_
    exa.release()
    await asyncio.gather(*searching, return_exceptions=True)
    assert {searches for searches, _ in rows(path).values()} <= {0}


async def test_a_database_that_fails_stops_the_search(
    open_service: OpenService, exa: LoopbackExa, path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """MET-14: what can't be counted isn't made, and with the database back everything works."""
    service = await open_service()
    with closing(sqlite3.connect(path)) as other:
        other.execute("ALTER TABLE counter RENAME TO hidden")
        with pytest.raises(errors.StoreFailed):
            await search(service)
        assert exa.requests == []
        other.execute("ALTER TABLE hidden RENAME TO counter")
    await search(service)
    assert "count a search" in caplog.text


@pytest.mark.parametrize("again", ["search", "purge"])
@pytest.mark.parametrize("fault", [None, faults.error(404, "NOT_FOUND")])
async def test_a_database_that_fails_afterwards_changes_no_outcome(
    open_service: OpenService, exa: LoopbackExa, path: Path, fault: Fault | None, again: str
) -> None:
    """MET-08, MET-14, MET-24: the member gets results or failure, and with the database back the count is put right."""
    service = await open_service()
    exa.hold()
    exa.fail(fault or billed(0.05))
    searching = asyncio.ensure_future(search(service))
    await exa.received(1)
    with closing(sqlite3.connect(path)) as other:
        other.execute("ALTER TABLE counter RENAME TO hidden")
        exa.release()
        if fault is None:
            assert (await searching).page.results
        else:
            with pytest.raises(errors.EndpointMissing):
                await searching
        # Told by a failure of its own that the one before has been.
        with pytest.raises(errors.StoreFailed):
            await use(service)
        other.execute("ALTER TABLE hidden RENAME TO counter")
    assert await use(service) == Use(searches=1, cost=7000)
    if again == "search":
        await search(service, 2)
    else:
        await service.purge()
    assert await use(service) == (Use() if fault else Use(searches=1, cost=50_000))


async def test_what_the_engine_refuses_costs_nothing(open_service: OpenService, path: Path) -> None:
    """MET-01: options that can't be searched by are refused before anything is counted."""
    service = await open_service()
    request = SearchRequest(query="any", count=1, category=Category.COMPANY, period=Period.DAY)
    with pytest.raises(errors.OptionsExclusive):
        await service.search(request, Asker(user_id=1, channel_id=5), Place())
    assert rows(path) == {}


async def test_old_counts_go(open_service: OpenService, path: Path, time_: FakeTime) -> None:
    """MET-13: a purge keeps as many days as are configured, besides today."""
    service = await open_service(web_retention_days=2)
    for day in range(5):
        time_.passed = day * 86_400
        await search(service)
    await service.purge()
    assert {day - DAY for day, _, _ in rows(path)} == {2, 3, 4}
