"""Hold that a repeat asks no engine, is charged all the same, and never comes from another configuration."""

from __future__ import annotations

import asyncio
import dataclasses
import unicodedata
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cogs.websearch import errors
from cogs.websearch.charges import Limit, Use
from cogs.websearch.config import Config
from cogs.websearch.models import Asker, Category, Outcome, Period, SearchRequest, SiteRules
from cogs.websearch.repeats import STANDING_IN_SECONDS, key_of
from cogs.websearch.requests import to_request
from cogs.websearch.settings import Place
from loopback_exa import faults
from loopback_tavily import LoopbackTavily

if TYPE_CHECKING:
    from cogs.websearch.service import SearchService
    from engine_tools import FakeTime
    from loopback_exa import LoopbackExa
    from meter_tools import OpenService

QUERY = "pictures of a distant galaxy"


async def search(service: SearchService, user_id: int = 1, query: str = QUERY, **options: object) -> Outcome:
    """Search as a member of a server, by options as they're typed."""
    asker = Asker(user_id=user_id, channel_id=user_id, guild_id=9)
    request = service.prepare(asker, Place(), query=query, **options)  # type: ignore[arg-type] # options by their names
    return await service.search(request, asker, Place())


async def use(service: SearchService, user_id: int) -> Use:
    """Return what a member used today."""
    return (await service.usage(user_id=user_id)).member


async def counted(service: SearchService, searches: int) -> None:
    """Wait until so many searches were counted, and so wait for their call: the database answers in turn."""
    while (await service.usage()).total.searches < searches:
        continue


async def test_a_repeat_asks_no_engine(open_service: OpenService, exa: LoopbackExa, time_: FakeTime) -> None:
    """CACHE-01 CACHE-02: other members elsewhere get the same results until ten minutes are over."""
    service = await open_service()
    first = await search(service)
    time_.passed = 599
    assert (await search(service, 2)).page is first.page
    assert len(exa.requests) == 1
    time_.passed = 600
    await search(service, 3)
    assert len(exa.requests) == 2


async def test_the_owner_says_for_how_long(open_service: OpenService, exa: LoopbackExa, time_: FakeTime) -> None:
    """CACHE-01 CACHE-08: as many minutes as are configured, and none at zero."""
    service = await open_service(web_cache_minutes=1)
    await search(service)
    time_.passed = 59
    await search(service)
    assert len(exa.requests) == 1
    await service.reconfigure(dataclasses.replace(service.config, web_cache_minutes=0))
    await search(service)
    await search(service)
    assert len(exa.requests) == 3


async def test_a_repeat_is_charged_and_costs_nothing(open_service: OpenService, exa: LoopbackExa) -> None:
    """CACHE-03: it counts for its member and server, stops at a limit, and adds nothing to what was spent."""
    service = await open_service(web_daily_per_user=2, web_daily_budget_usd=0.014)
    await search(service, 1)
    for _ in range(2):
        await search(service, 2)
    assert await use(service, 1) == Use(searches=1, cost=7000)
    assert await use(service, 2) == Use(searches=2)
    everything = await service.usage(guild_id=9)
    assert everything.server == everything.total == Use(searches=3, cost=7000)
    with pytest.raises(errors.LimitReached) as caught:
        await search(service, 2)
    assert caught.value.limit is Limit.MEMBER
    assert len(exa.requests) == 1


@pytest.mark.parametrize("typed", ["  pictures of\ta  distant galaxy ", "pictures of a\u200b distant galaxy"])
async def test_the_same_however_it_is_typed(open_service: OpenService, exa: LoopbackExa, typed: str) -> None:
    """CACHE-02: spaces and what can't be seen make no other search, nor do the sites in another order."""
    service = await open_service()
    outcome = await search(service, sites="example.com example.org")
    repeat = await search(service, query=typed, sites="example.org, EXAMPLE.com")
    assert repeat.page is outcome.page
    assert repeat.request.sites == ("example.org", "example.com")
    assert len(exa.requests) == 1


@pytest.mark.parametrize(
    "options",
    [{"query": QUERY.upper()}, {"count": 4}, {"category": "news"}, {"period": "year"}, {"sites": "example.com"}],
)
async def test_other_searches_are_made(open_service: OpenService, exa: LoopbackExa, options: dict[str, object]) -> None:
    """CACHE-02: what an engine heeds makes another search: case, number, category, period and sites."""
    service = await open_service()
    await search(service)
    with suppress(errors.NoResults):
        await search(service, **options)  # type: ignore[arg-type] # options by their names
    assert len(exa.requests) == 2


@given(query=st.text(min_size=1, max_size=40), sites=st.permutations(["a.example.com", "b.example.com", "c.org"]))
def test_a_key_is_what_was_asked_for(query: str, sites: list[str]) -> None:
    """CACHE-02: however accents are typed and sites are ordered, the key is the same, and it's its own key."""
    typed = f"a {query}"
    composed, apart = (
        to_request(Config(), query=form, sites=" ".join(order))
        for form, order in (
            (unicodedata.normalize("NFC", typed), sorted(sites)),
            (unicodedata.normalize("NFD", typed), sites),
        )
    )
    assert key_of(composed) == key_of(apart) == key_of(key_of(apart))
    assert hash(key_of(composed)) == hash(key_of(apart))


@given(
    first=st.builds(
        SearchRequest,
        query=st.sampled_from(["a", "A", "b"]),
        count=st.integers(1, 2),
        category=st.sampled_from([None, Category.NEWS]),
        period=st.sampled_from([None, Period.DAY]),
        sites=st.sampled_from([(), ("a.org",), ("a.org", "b.org")]),
        rules=st.sampled_from([SiteRules(), SiteRules(owner_blocked=("c.org",)), SiteRules(allowed=("c.org",))]),
    ),
    second=st.builds(SearchRequest, query=st.sampled_from(["a", "A", "b"]), count=st.integers(1, 2)),
)
def test_different_requests_have_different_keys(first: SearchRequest, second: SearchRequest) -> None:
    """CACHE-02: two requests whose sites are in one order share a key only where they're equal."""
    assert (key_of(first) == key_of(second)) == (first == second)


@pytest.mark.parametrize("fault", [faults.error(404, "NOT_FOUND"), faults.rows(), faults.rows({"url": "nowhere"})])
async def test_only_results_are_kept(open_service: OpenService, exa: LoopbackExa, fault: faults.Fault) -> None:
    """CACHE-04: after a failure, and where there was nothing to show, the engine is asked again."""
    service = await open_service()
    exa.fail(fault)
    with pytest.raises((errors.BackendError, errors.NoResults)):
        await search(service)
    assert (await search(service)).page.results
    assert len(exa.requests) == 2


async def test_what_a_fallback_answered(open_service: OpenService, exa: LoopbackExa, time_: FakeTime) -> None:
    """CACHE-05: it's kept for a minute, after which the first engine is asked again."""
    async with LoopbackTavily() as tavily:
        service = await open_service(web_fallbacks=["tavily"], tavily_api_key=tavily.key, tavily_base_url=tavily.url)
        exa.fail(faults.error(404, "NOT_FOUND"))
        assert (await search(service)).page.instead_of == "Exa"
        time_.passed = STANDING_IN_SECONDS - 1
        assert (await search(service)).page.backend == "Tavily"
        time_.passed = STANDING_IN_SECONDS
        assert (await search(service)).page.backend == "Exa"
        assert (len(exa.requests), len(tavily.requests)) == (2, 1)


@pytest.mark.parametrize(
    "change", [{"web_snippet_chars": 100}, {"web_block_sites": ("example.org",)}, {"exa_search_type": "deep"}, {}]
)
async def test_another_configuration(open_service: OpenService, exa: LoopbackExa, change: dict[str, object]) -> None:
    """CACHE-09: after a change nothing that was kept answers, and nothing that comes of a call begun before."""
    service = await open_service()
    await search(service)
    exa.hold()
    begun = asyncio.ensure_future(search(service, query="a galaxy far away"))
    await exa.received(2)
    await service.reconfigure(dataclasses.replace(service.config, **change))  # type: ignore[arg-type] # by their names
    joining = [asyncio.ensure_future(search(service, 2, query)) for query in (QUERY, "a galaxy far away")]
    await exa.received(4)
    exa.release()
    await asyncio.gather(begun, *joining)
    await search(service, 3, "a galaxy far away")
    assert len(exa.requests) == 4


async def test_a_repeat_while_the_engine_is_shut(open_service: OpenService, exa: LoopbackExa) -> None:
    """CACHE-11: where the key is refused by now, what is kept still answers, and everything else fails."""
    service = await open_service()
    kept = await search(service)
    exa.fail(always=faults.error(401, "INVALID_API_KEY"))
    for _ in range(2):
        with pytest.raises(errors.KeyRefused):
            await search(service, query="a galaxy far away")
    assert (await search(service, 2)).page is kept.page
    assert len(exa.requests) == 2


async def test_a_call_is_shared(open_service: OpenService, exa: LoopbackExa) -> None:
    """CACHE-20 CACHE-24: twenty members who ask at once bring one call, which is paid once and charged to all."""
    service = await open_service()
    exa.hold()
    searching = [asyncio.ensure_future(search(service, number)) for number in range(20)]
    await exa.received(1)
    await counted(service, 20)
    exa.release()
    assert len({id(outcome.page) for outcome in await asyncio.gather(*searching)}) == 1
    assert len(exa.requests) == 1
    assert (await service.usage()).total == Use(searches=20, cost=7000)


async def test_one_of_many_leaves(open_service: OpenService, exa: LoopbackExa) -> None:
    """CACHE-21 CACHE-24: who began is cancelled and given back all; another pays, and the rest get their results."""
    service = await open_service()
    exa.hold()
    searching = [asyncio.ensure_future(search(service, 0))]
    await exa.received(1)
    searching += [asyncio.ensure_future(search(service, number)) for number in range(1, 4)]
    await counted(service, 4)
    searching[0].cancel()
    with pytest.raises(asyncio.CancelledError):
        await searching[0]
    exa.release()
    assert all(outcome.page.results for outcome in await asyncio.gather(*searching[1:]))
    assert len(exa.requests) == 1
    assert await use(service, 0) == Use()
    assert (await service.usage()).total == Use(searches=3, cost=7000)


async def test_a_failure_is_everybodys(open_service: OpenService, exa: LoopbackExa) -> None:
    """CACHE-23 CACHE-24: all who wait learn of it, nobody is charged, and what it may cost is counted once."""
    service = await open_service()
    exa.hold()
    exa.fail(faults.html(200))
    searching = [asyncio.ensure_future(search(service, number)) for number in range(5)]
    await exa.received(1)
    await counted(service, 5)
    exa.release()
    found = await asyncio.gather(*searching, return_exceptions=True)
    assert [type(one) for one in found] == [errors.InvalidAnswer] * 5
    assert len(exa.requests) == 1
    assert (await service.usage()).total == Use(searches=0, cost=7000)
    await search(service)
    assert len(exa.requests) == 2


async def test_an_unload_interrupts_all(open_service: OpenService, exa: LoopbackExa) -> None:
    """CACHE-10 CACHE-22 CACHE-25: each who waits is told so, no task of ours is left, and nothing is kept."""
    before = asyncio.all_tasks()
    service = await open_service()
    exa.hold()
    searching = [asyncio.ensure_future(search(service, number)) for number in range(5)]
    await exa.received(1)
    await counted(service, 5)
    await service.close()
    found = await asyncio.gather(*searching, return_exceptions=True)
    assert [type(one) for one in found] == [errors.SearchInterrupted] * 5
    exa.release()
    assert [task for task in asyncio.all_tasks() - before if task.get_name().startswith("websearch")] == []


async def test_who_joins_waits_no_longer(open_service: OpenService, exa: LoopbackExa) -> None:
    """CACHE-26: a call that was begun with more time is left when one's own is over, and goes on for the other."""
    service = await open_service(web_timeout_s=30)
    exa.hold()
    first = asyncio.ensure_future(search(service, 1))
    await exa.received(1)
    # As if it had been counted for so long.
    service.engines.config = dataclasses.replace(service.config, web_timeout_s=0.1)
    with pytest.raises(errors.BackendTimeout):
        await search(service, 2)
    exa.release()
    assert (await first).page.results
    assert (await service.usage()).total == Use(searches=1, cost=7000)


async def test_a_call_that_ran_out_of_time_is_made_once_more(open_service: OpenService, exa: LoopbackExa) -> None:
    """CACHE-27: two who joined it late share another, of which the cost is counted once."""
    service = await open_service()
    exa.fail(faults.hang)
    patient = service.config
    service.engines.config = dataclasses.replace(patient, web_timeout_s=0.5)
    first = asyncio.ensure_future(search(service, 1))
    await exa.received(1)
    service.engines.config = patient
    found = await asyncio.gather(first, search(service, 2), search(service, 3), return_exceptions=True)
    assert [type(one) for one in found] == [errors.BackendTimeout, Outcome, Outcome]
    assert len(exa.requests) == 2
    assert (await service.usage()).total == Use(searches=2, cost=14_000)
