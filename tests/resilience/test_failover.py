"""Hold which engine is asked after one that failed, and what the member reads of it."""

from __future__ import annotations

import asyncio
import dataclasses
from typing import TYPE_CHECKING, Any

import pytest

from cogs.websearch import errors, render
from cogs.websearch.charges import Use
from cogs.websearch.config import Config
from cogs.websearch.health import DOWN_AFTER
from cogs.websearch.i18n import Words
from cogs.websearch.models import Category
from engine_tools import in_time
from loopback_engine import faults
from loopback_exa import faults as exa_faults
from loopback_tavily import faults as tavily_faults
from resilience.asking import search

if TYPE_CHECKING:
    from cogs.websearch.service import SearchService
    from engine_tools import FakeTime
    from loopback_exa import Fault, LoopbackExa
    from loopback_tavily import LoopbackTavily
    from meter_tools import OpenService

# What isn't tried again.
DOWN = faults.html()
# What tells nothing against the search, each in another way.
PASSED_ON: dict[str, Fault] = {
    "a gateway's page": faults.html(502),
    "nonsense": faults.answer(b"{"),
    "an answer that is too large": faults.answer(b" " * (4 * 1024 * 1024 + 1)),
    "a redirect": faults.redirect("https://example.org/"),
    "a refused key": exa_faults.error(401, "INVALID_API_KEY"),
    "no credit": exa_faults.error(402, "NO_MORE_CREDITS"),
    "a feature that's off": exa_faults.error(403, "FEATURE_DISABLED"),
    "no such address": exa_faults.error(404, "NOT_FOUND"),
    "a long wait": exa_faults.error(429, "RATE_LIMIT_EXCEEDED", headers={"Retry-After": "60"}),
    "no response": exa_faults.error(501, "UNABLE_TO_GENERATE_RESPONSE"),
    "an overload": exa_faults.error(503, "SERVICE_OVERLOADED"),
    "a reset": faults.reset,
    "no answer": faults.hang,
    "an answer without an end": faults.drip,
}


async def narrowed(service: SearchService) -> str:
    """Search for publications, which Tavily doesn't tell apart, and return who answered."""
    return (await search(service, category=Category.PUBLICATION)).page.backend


@pytest.mark.parametrize("what", PASSED_ON)
async def test_another_engine_answers(
    open_service: OpenService, exa: LoopbackExa, tavily: LoopbackTavily, what: str
) -> None:
    """RES-02, RES-07: whatever Exa does, the results are Tavily's, and the reply says for whom it stood in."""
    service = await open_service(web_timeout_s=3)
    exa.fail(always=PASSED_ON[what])
    outcome = await search(service)
    assert (outcome.page.backend, outcome.page.instead_of) == ("Tavily", "Exa")
    assert len(tavily.requests) == 1
    assert "Tavily, since Exa didn't answer" in render.facts(outcome, 0, Words())


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (exa_faults.error(400, "INVALID_REQUEST_BODY"), errors.RequestRejected),
        (exa_faults.error(403, "PROHIBITED_CONTENT"), errors.ContentProhibited),
        (exa_faults.error(403, "CONTENT_FILTER_ERROR"), errors.ContentProhibited),
    ],
)
async def test_what_an_engine_will_not_search_for(
    open_service: OpenService,
    exa: LoopbackExa,
    tavily: LoopbackTavily,
    fault: Fault,
    error: type[errors.BackendError],
) -> None:
    """RES-03: it's said, and no other engine is asked for it; it counts, and costs nothing."""
    service = await open_service()
    exa.fail(fault)
    with pytest.raises(error):
        await search(service)
    assert tavily.requests == []
    assert (await service.usage()).total == Use(searches=1)


async def test_nothing_found_is_an_answer(open_service: OpenService, exa: LoopbackExa, tavily: LoopbackTavily) -> None:
    """RES-02: an engine that knows no page hasn't failed."""
    service = await open_service()
    exa.fail(exa_faults.rows())
    with pytest.raises(errors.NothingFound):
        await search(service)
    assert tavily.requests == []


async def test_an_option_is_never_dropped(open_service: OpenService, exa: LoopbackExa, tavily: LoopbackTavily) -> None:
    """RES-04, RES-05: a fallback that can't honour it isn't asked, and the first engine's failure is told."""
    service = await open_service()
    assert await narrowed(service) == "Exa"
    exa.fail(always=DOWN)
    with pytest.raises(errors.InvalidAnswer) as caught:
        await narrowed(service)
    assert caught.value.backend == "Exa"
    assert tavily.requests == []


async def test_a_fallback_that_can_is_asked_where_the_first_cant(
    open_service: OpenService, exa: LoopbackExa, tavily: LoopbackTavily
) -> None:
    """RES-04, RES-07: it's asked at once, and stands in for nobody; where none can, the first one's refusal is told."""
    service = await open_service(web_backend="tavily", web_fallbacks=["exa"])
    assert await narrowed(service) == "Exa"
    assert tavily.requests == []
    service = await open_service(web_backend="tavily", web_fallbacks=[])
    with pytest.raises(errors.OptionUnsupported) as caught:
        await narrowed(service)
    assert caught.value.backend == "Tavily"
    assert len(exa.requests) == 1


async def test_where_all_fail_the_first_is_told(
    open_service: OpenService, exa: LoopbackExa, tavily: LoopbackTavily
) -> None:
    """RES-05: whatever the second one did; the search is given back, and what may be billed stays spent."""
    service = await open_service()
    exa.fail(always=DOWN)
    tavily.fail(always=tavily_faults.error(401))
    with pytest.raises(errors.InvalidAnswer) as caught:
        await search(service)
    assert caught.value.backend == "Exa"
    assert (await service.usage()).total == Use(searches=0, cost=7000)
    assert [signs.cost for signs in service.engines.signs.values()] == [7000, 0]


async def test_a_dead_engine_costs_no_time(
    open_service: OpenService, exa: LoopbackExa, tavily: LoopbackTavily, time_: FakeTime
) -> None:
    """RES-10, RES-11: once it's known to be down it isn't asked, and when it's back, one search finds out."""
    service = await open_service()
    exa.fail(always=DOWN)
    for _ in range(DOWN_AFTER + 3):
        assert (await search(service)).page.instead_of == "Exa"
    assert len(exa.requests) == DOWN_AFTER
    exa.recover()
    time_.passed += 60
    assert (await search(service)).page.backend == "Exa"
    assert len(tavily.requests) == DOWN_AFTER + 3


async def test_down_without_a_fallback(open_service: OpenService, exa: LoopbackExa) -> None:
    """RES-10: a search that isn't made fails at once, is charged nothing, and says when to come back."""
    service = await open_service(web_fallbacks=[], web_per_minute=DOWN_AFTER)
    exa.fail(always=exa_faults.error(404, "NOT_FOUND"))
    for _ in range(DOWN_AFTER):
        with pytest.raises(errors.EndpointMissing):
            await search(service)
    for _ in range(3):
        with pytest.raises(errors.BackendDown):
            await search(service)
    assert len(exa.requests) == DOWN_AFTER


async def test_one_deadline_for_all(open_service: OpenService, exa: LoopbackExa, tavily: LoopbackTavily) -> None:
    """RES-06: an engine that hangs leaves the next one time; where both hang, the search ends in time."""
    service = await open_service(web_timeout_s=2)
    clock = asyncio.get_running_loop().time
    exa.fail(always=faults.hang)
    began = clock()
    assert (await search(service)).page.backend == "Tavily"
    assert clock() - began > 1
    tavily.fail(always=faults.hang)
    with in_time(2), pytest.raises(errors.BackendTimeout) as caught:
        await search(service)
    assert caught.value.backend == "Exa"


async def test_an_engine_that_nobody_can_stand_in_for_has_all_the_time(
    open_service: OpenService, exa: LoopbackExa, tavily: LoopbackTavily
) -> None:
    """RES-06: a fallback that can't honour an option takes nothing of the time of the engine that can."""
    service = await open_service(web_timeout_s=1)
    clock = asyncio.get_running_loop().time
    exa.fail(always=faults.hang)
    began = clock()
    with pytest.raises(errors.BackendTimeout):
        await search(service, category=Category.COMPANY)
    assert 0.9 < clock() - began < 1 + 3
    assert tavily.requests == []


async def test_a_wait_that_an_engine_asks_for_is_not_sat_out(open_service: OpenService, exa: LoopbackExa) -> None:
    """RES-06: where it leaves no time to another, that one is asked at once."""
    service = await open_service(web_timeout_s=9)
    exa.fail(always=exa_faults.error(429, "RATE_LIMIT_EXCEEDED", headers={"Retry-After": "7"}))
    clock = asyncio.get_running_loop().time
    began = clock()
    assert (await search(service)).page.backend == "Tavily"
    assert clock() - began < 5


async def test_money_of_all_engines(open_service: OpenService, exa: LoopbackExa) -> None:
    """RES-09: an answer that can't be used may be billed, and so is the one that is shown."""
    service = await open_service(web_daily_budget_usd=0.05)
    exa.fail(always=exa_faults.answer({"costDollars": {"total": 0.02}}))
    page = (await search(service)).page
    total = (await service.usage()).total
    assert (total.searches, total.cost) == (1, 20_000 + round((page.cost or 0) * 1_000_000))


async def test_the_dearest_engine_is_reserved(open_service: OpenService, exa: LoopbackExa) -> None:
    """RES-09: with a dear fallback, a budget that couldn't pay for it begins no search."""
    service = await open_service(web_backend="tavily", web_fallbacks=["exa"], web_daily_budget_usd=0.0069)
    with pytest.raises(errors.LimitReached):
        await search(service)
    assert exa.requests == []


async def test_only_what_is_configured_is_open(
    open_service: OpenService, given_: dict[str, Any], exa: LoopbackExa, tavily: LoopbackTavily
) -> None:
    """RES-08: a fallback comes and goes with the configuration while the first engine stays open."""
    service = await open_service(web_fallbacks=[])
    assert [signs.name for signs in service.engines.signs.values()] == ["Exa"]
    await service.reconfigure(Config.from_mapping(given_, env={}))
    assert [(signs.name, signs.stands_in) for signs in service.engines.signs.values()] == [
        ("Exa", False),
        ("Tavily", True),
    ]
    exa.fail(always=DOWN)
    assert (await search(service)).page.backend == "Tavily"
    turned = Config.from_mapping({**given_, "web-backend": "tavily", "web-fallbacks": ["exa"]}, env={})
    await service.reconfigure(turned)
    assert [signs.name for signs in service.engines.signs.values()] == ["Tavily", "Exa"]
    await service.reconfigure(dataclasses.replace(turned, enable_web_search=False))
    assert service.engines.signs == {}
    with pytest.raises(errors.SearchDisabled):
        await search(service)
    assert len(tavily.requests) == 1


async def test_a_change_while_an_engine_is_asked(
    open_service: OpenService, given_: dict[str, Any], exa: LoopbackExa, tavily: LoopbackTavily
) -> None:
    """RES-08: the search ends as it began, and a fallback that's gone by then isn't asked."""
    service = await open_service()
    exa.hold()
    exa.fail(always=DOWN)
    searching = asyncio.ensure_future(search(service))
    await exa.received(1)
    await service.reconfigure(Config.from_mapping({**given_, "web-fallbacks": []}, env={}))
    exa.release()
    with pytest.raises(errors.InvalidAnswer):
        await searching
    assert tavily.requests == []


@pytest.mark.parametrize(
    "value", ["tavily", [7], ["bing"], ["exa"], ["tavily", "tavily"], [["tavily"]], None, {"tavily": 1}]
)
def test_fallbacks_are_engines(given_: dict[str, Any], value: object) -> None:
    """RES-01: anything else is refused, and the key is named."""
    with pytest.raises(errors.InvalidValue) as caught:
        Config.from_mapping({**given_, "web-fallbacks": value}, env={})
    assert (caught.value.name, caught.value.expected) == ("web-fallbacks", "choices")


def test_a_fallback_needs_its_key(given_: dict[str, Any]) -> None:
    """RES-01: the one that's missing is named, unless searching is off."""
    given = {**given_, "tavily-api-key": ""}
    with pytest.raises(errors.KeyNeeded) as caught:
        Config.from_mapping(given, env={})
    assert caught.value.name == "tavily-api-key"
    assert Config.from_mapping({**given, "enable-web-search": False}, env={}).web_fallbacks == ("tavily",)
