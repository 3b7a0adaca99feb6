"""Hold what a search that the engine failed still takes: its place in the minute, and money that may be billed."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from cogs.websearch import errors
from cogs.websearch.charges import Limit, Use
from cogs.websearch.config import Config
from cogs.websearch.meter import Meter
from cogs.websearch.models import Asker
from cogs.websearch.store.database import Database
from cogs.websearch.store.meters import SqliteMeters
from engine_tools import NOW
from loopback_exa import Fault, LoopbackExa, faults
from meter_tools import rows, search

if TYPE_CHECKING:
    from pathlib import Path

    from cogs.websearch.charges import Charge, Quota
    from cogs.websearch.service import SearchService
    from engine_tools import FakeTime
    from meter_tools import OpenService


async def refusal(service: SearchService, user_id: int = 1) -> errors.LimitReached:
    """Search where a limit stops it, and return the refusal."""
    with pytest.raises(errors.LimitReached) as caught:
        await search(service, user_id)
    return caught.value


async def test_searches_at_once_are_reserved_what_the_last_one_cost(
    open_service: OpenService, exa: LoopbackExa, time_: FakeTime
) -> None:
    """MET-04, MET-18: where the engine names more than its price, no crowd passes the budget; a new day starts anew."""
    service = await open_service(web_daily_budget_usd=0.1, web_per_minute=100, web_daily_per_user=100)
    exa.fail(always=faults.rows({"url": "https://example.com"}, costDollars={"total": 0.05}))
    await search(service)
    found = await asyncio.gather(*(search(service) for _ in range(20)), return_exceptions=True)
    assert sum(isinstance(one, errors.LimitReached | errors.BudgetHeld) for one in found) == 19
    assert (await service.usage()).total == Use(searches=2, cost=100_000)
    time_.passed = 12 * 3600
    exa.hold()
    searching = asyncio.ensure_future(search(service))
    await exa.received(3)
    assert (await service.usage()).total == Use(searches=1, cost=7000)
    exa.release()
    await searching


async def test_a_dead_engine_is_not_asked_without_end(open_service: OpenService, exa: LoopbackExa) -> None:
    """MET-21: a search that the engine failed keeps its place in the minute, so that its member soon has to wait."""
    service = await open_service(web_per_minute=2)
    exa.fail(always=faults.error(404, "NOT_FOUND"))
    for _ in range(2):
        with pytest.raises(errors.EndpointMissing):
            await search(service)
    stopped = await refusal(service)
    assert (stopped.limit, stopped.most, stopped.resets) == (Limit.MINUTE, 2, int(NOW) + 60)
    assert len(exa.requests) == 2


@pytest.mark.parametrize("fault", [faults.error(403, "PROHIBITED_CONTENT"), faults.error(400, "INVALID_REQUEST_BODY")])
async def test_what_the_engine_will_not_search_for_counts(
    open_service: OpenService, exa: LoopbackExa, fault: Fault
) -> None:
    """MET-22: what the engine refuses uses up the minute and the day, and costs nothing."""
    service = await open_service(web_per_minute=9, web_daily_per_user=2)
    exa.fail(always=fault)
    for _ in range(2):
        with pytest.raises((errors.ContentProhibited, errors.RequestRejected)):
            await search(service)
    assert (await refusal(service)).limit is Limit.MEMBER
    assert (await service.usage(user_id=1)).member == Use(searches=2, cost=0)


@pytest.mark.parametrize(
    ("fault", "cost"),
    [
        (faults.html(), 7000),
        (faults.answer(b"[]"), 7000),
        (faults.answer({"results": None, "costDollars": {"total": 0.01}}), 10_000),
        (faults.answer(b" " * (4 * 1024 * 1024 + 1)), 7000),
        (faults.zipped(b"nothing of the kind"), 7000),
        (faults.gibberish, 7000),
        (faults.reset_midway, 7000),
        (faults.cut_short, 7000),
        (faults.hang_midway, 7000),
        (faults.hang, 7000),
    ],
)
async def test_what_may_have_been_billed_stays_spent(
    open_service: OpenService, exa: LoopbackExa, fault: Fault, cost: int
) -> None:
    """MET-23: where the engine was asked and nothing says that it's free, the budget pays and the count is whole."""
    service = await open_service(web_daily_per_user=1, web_daily_budget_usd=0.01, web_timeout_s=1)
    exa.fail(always=fault)
    with pytest.raises(errors.BackendError):
        await search(service)
    assert len(exa.requests) == 1
    assert (await service.usage(user_id=1)).member == Use(searches=0, cost=cost)
    assert (await refusal(service, 2)).limit is Limit.BUDGET


async def test_what_was_never_sent_is_free(open_service: OpenService, unused_tcp_port: int) -> None:
    """MET-23: without a connection nothing can have been billed."""
    service = await open_service(exa_base_url=f"http://127.0.0.1:{unused_tcp_port}")
    with pytest.raises(errors.BackendUnreachable):
        await search(service)
    assert (await service.usage()).total == Use()


class OddMeters(SqliteMeters):
    """Count, and then fail in a way that no database does."""

    async def charge(self, charge: Charge, quota: Quota) -> None:
        """Raise what nobody expects."""
        await super().charge(charge, quota)
        raise RuntimeError


async def test_a_charge_that_fails_otherwise_is_forgotten(path: Path, time_: FakeTime) -> None:
    """MET-10: whatever a charge fails with, its search isn't open any more, so that closing gives nothing back."""
    database = await Database.open(path)
    meter = Meter(OddMeters(database), clock=time_.wall_clock)
    with pytest.raises(RuntimeError):
        await meter.charge(Asker(user_id=1, channel_id=5), Config(), "exa")
    await meter.close()
    await database.close()
    assert {searches for searches, _ in rows(path).values()} == {1}


async def test_who_meets_another_ones_probe_is_not_held_back(
    open_service: OpenService, exa: LoopbackExa, time_: FakeTime
) -> None:
    """HLT-01, HLT-03: of two who search as the credit is due to be probed, one asks; the other's minute stays free."""
    service = await open_service(web_per_minute=1)
    exa.fail(always=faults.error(402, "NO_MORE_CREDITS"))
    with pytest.raises(errors.CreditsExhausted):
        await search(service, 9)
    time_.passed = 601
    found = await asyncio.gather(search(service, 1), search(service, 2), return_exceptions=True)
    assert [type(one) for one in found] == [errors.CreditsExhausted] * 2
    assert len(exa.requests) == 2
    exa.recover()
    await service.reconfigure(service.config)
    again = await asyncio.gather(search(service, 1), search(service, 2), return_exceptions=True)
    assert sorted(type(one).__name__ for one in again) == ["LimitReached", "Outcome"]
