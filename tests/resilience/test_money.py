"""Hold that no engine is asked past the budget, past the time, or for what it can't be asked."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from cogs.websearch import errors
from cogs.websearch.backends import http
from cogs.websearch.charges import Act, Bills, Use
from cogs.websearch.config import Config
from cogs.websearch.failover import EngineCall, Failover
from cogs.websearch.lineup import Lineup
from cogs.websearch.models import Asker, SearchRequest
from cogs.websearch.settings import Place
from loopback_engine import faults as engine_faults
from loopback_exa import LoopbackExa, faults
from loopback_searxng import LoopbackSearxng
from resilience.asking import search

if TYPE_CHECKING:
    from cogs.websearch.backends.base import Searcher
    from cogs.websearch.models import SearchPage
    from loopback_tavily import LoopbackTavily
    from meter_tools import OpenService

SOMEBODY = Asker(user_id=1, channel_id=5)


async def test_a_fallback_is_paid_for_before_it_is_asked(
    open_service: OpenService, exa: LoopbackExa, tavily: LoopbackTavily
) -> None:
    """RES-09: where the first engine may bill and the rest can't pay for the next, that one isn't asked."""
    service = await open_service(web_daily_budget_usd=0.014, web_timeout_s=1)
    exa.fail(always=faults.hang)
    with pytest.raises(errors.BackendTimeout):
        await search(service)
    assert tavily.requests == []
    assert (await service.usage()).total == Use(cost=7000)


async def test_a_crowd_passes_no_budget(open_service: OpenService, exa: LoopbackExa, tavily: LoopbackTavily) -> None:
    """RES-09: where both engines bill each search, what is spent stays within the budget, and nothing stays held."""
    service = await open_service(web_daily_budget_usd=0.08, web_timeout_s=1.5)
    exa.fail(always=faults.hang)
    await asyncio.gather(*(search(service, user_id) for user_id in range(20)), return_exceptions=True)
    total = (await service.usage()).total
    assert total.cost == 7000 * len(exa.requests) + 8000 * len(tavily.requests)
    assert total.cost <= 80_000


async def test_a_query_that_an_engine_cannot_be_asked(open_service: OpenService, exa: LoopbackExa) -> None:
    """RES-04: a fallback that reads nothing in a query isn't asked, and a first one that doesn't is left out."""
    request = SearchRequest(query="!", count=1)
    async with LoopbackSearxng() as searxng:
        service = await open_service(web_fallbacks=["searxng"], searxng_url=searxng.url, web_per_minute=1)
        exa.fail(always=faults.error(401, "INVALID_API_KEY"))
        with pytest.raises(errors.KeyRefused):
            await service.search(request, SOMEBODY, Place())
        exa.recover()
        turned = await open_service(web_backend="searxng", web_fallbacks=["exa"], searxng_url=searxng.url)
        asker = Asker(user_id=2, channel_id=5)
        assert (await turned.search(request, asker, Place())).page.backend == "Exa"
        alone = await open_service(web_backend="searxng", web_fallbacks=[], searxng_url=searxng.url)
        with pytest.raises(errors.EmptyQuery):
            alone.prepare(asker, Place(), query="!")
        assert searxng.requests == []


async def test_nobody_is_asked_when_time_is_up(
    open_service: OpenService, given_: dict[str, Any], exa: LoopbackExa
) -> None:
    """RES-21: the search fails as one that came too late, and the engine stays as good as it was."""
    service = await open_service()
    config = Config.from_mapping(given_, env={})
    lineup = Lineup()
    lineup.take(config, await lineup.open(config))
    bills = Bills()

    async def hold(_bills: Bills, _engine: str) -> None:
        """Have money for everything."""

    request = SearchRequest(query="pictures", count=1)
    task: EngineCall[Searcher, SearchPage] = EngineCall(Act.SEARCH, lambda searcher: searcher.search(request))
    with pytest.raises(errors.BackendBusy):
        await Failover(service.notices).ask(lineup.fit(request), task, bills, deadline=0.0, hold=hold)
    await lineup.close()
    assert (exa.requests, bills.named) == ([], {})
    assert all(engine.slot.health().trouble is None for engine in lineup.engines)


async def test_what_is_given_up_is_billed_by_what_was_sent(
    open_service: OpenService, given_: dict[str, Any], exa: LoopbackExa, monkeypatch: pytest.MonkeyPatch
) -> None:
    """RES-38: the search that has the only connection may be billed, and the one that waits for it isn't."""
    monkeypatch.setattr(http, "CONNECTIONS", 1)
    service = await open_service()
    lineup = Lineup()
    config = Config.from_mapping(given_, env={})
    lineup.take(config, await lineup.open(config))
    exa.fail(always=engine_faults.hang)

    async def hold(bills: Bills, engine: str) -> None:
        bills.estimates[engine] = 7000

    async def ask(seconds: float) -> Bills:
        request, bills = SearchRequest(query="pictures", count=1), Bills()
        # Whoever waits gives up half a second before the engine's own deadline.
        task: EngineCall[Searcher, SearchPage] = EngineCall(
            Act.SEARCH, lambda searcher: searcher.search(request), grace_s=-0.5
        )
        deadline = asyncio.get_running_loop().time() + seconds
        with pytest.raises(errors.BackendTimeout):
            await Failover(service.notices).ask(lineup.engines[:1], task, bills, deadline=deadline, hold=hold)
        return bills

    first = asyncio.ensure_future(ask(4))
    await exa.received(1)
    waiting = await ask(1)
    assert len(exa.requests) == 1
    assert [sum(bills.costs.values()) for bills in (waiting, await first)] == [0, 7000]
    await lineup.close()
