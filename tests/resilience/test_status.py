"""Hold what a status says of each engine."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from cogs.websearch import errors, owner_report
from cogs.websearch.config_source import source_of
from cogs.websearch.health import DOWN_AFTER
from cogs.websearch.i18n import Words
from cogs.websearch.models import Answered, Asker, SearchRequest
from cogs.websearch.reload import Reloader
from cogs.websearch.settings import Place
from engine_tools import NOW
from loopback_engine import PAGES, faults
from loopback_tavily import faults as tavily_faults
from resilience.asking import search

if TYPE_CHECKING:
    from cogs.websearch.config import Config
    from cogs.websearch.service import SearchService
    from engine_tools import FakeTime
    from loopback_exa import LoopbackExa
    from loopback_tavily import LoopbackTavily
    from meter_tools import OpenService

AT = int(NOW)


async def told(service: SearchService) -> list[str]:
    """Return what the bot's owner reads."""

    async def never(_config: Config) -> None:
        raise AssertionError

    reloader = Reloader(source_of(service.config), service.config, never)
    return await owner_report.lines(service, reloader, Words())


async def test_nothing_is_known_at_first(open_service: OpenService) -> None:
    """RES-18: then the names alone stand there, in the order in which they're asked."""
    assert (await told(await open_service()))[:2] == ["Engine: Exa", "Fallback: Tavily"]


async def test_each_engine_has_its_signs(
    open_service: OpenService, exa: LoopbackExa, tavily: LoopbackTavily, time_: FakeTime
) -> None:
    """RES-18: of one that's down since when and by what, of the other when it answered; of both what they cost."""
    service = await open_service()
    await search(service)
    time_.passed = 100
    exa.fail(always=faults.html())
    for _ in range(DOWN_AFTER):
        await search(service)
    tavily.fail(tavily_faults.error(401))
    time_.passed = 101
    with suppress(errors.BackendError):
        await search(service)
    lines = await told(service)
    assert lines[0] == f"Engine: Exa, which has failed {DOWN_AFTER + 1} searches in a row since <t:{AT + 100}:f>"
    assert lines[1] == (
        f"not asked for now · usually takes 0 s · last answered <t:{AT}:R> · last failed <t:{AT + 100}:R>, "
        "backend-invalid-answer · 0.042 US dollars today"
    )
    assert lines[2] == f"Engine: Tavily, which has refused the bot's key since <t:{AT + 101}:f>"
    assert lines[3].startswith(f"not asked for now · usually takes 0 s · last answered <t:{AT + 100}:R> · last failed")
    time_.passed = 200
    assert (await told(service))[1].startswith("to be tried by one search · ")


async def test_todays_cost_ends_with_the_day(open_service: OpenService, time_: FakeTime) -> None:
    """RES-18: a new day begins with nothing spent."""
    service = await open_service()
    await search(service)
    assert [signs.cost for signs in service.engines.signs.values()] == [7000, 0]
    time_.passed = 13 * 3600
    assert [signs.cost for signs in service.engines.signs.values()] == [0, 0]
    await search(service)
    assert [signs.cost for signs in service.engines.signs.values()] == [7000, 0]


async def test_one_that_answers_has_its_signs(
    open_service: OpenService, exa: LoopbackExa, tavily: LoopbackTavily, time_: FakeTime
) -> None:
    """RES-18: where it isn't searched with, it has a line of its own, with what went wrong at answering."""
    service = await open_service(web_fallbacks=[], web_answer_backend="tavily")
    assert (await told(service))[:2] == ["Engine: Exa", "Answers: Tavily"]
    request, asker = SearchRequest(query="why is the sky blue", count=1), Asker(user_id=1, channel_id=5)
    assert isinstance(await service.answer(request, asker, Place()), Answered)
    time_.passed = 100
    assert (await told(service))[:3] == [
        "Engine: Exa",
        "Answers: Tavily",
        f"usually takes 0 s · last answered <t:{AT}:R> · 0.008 US dollars today",
    ]
    tavily.fail(tavily_faults.error(401))
    with suppress(errors.KeyRefused):
        await service.answer(request, asker, Place())
    assert (await told(service))[1] == f"Answers by Tavily: the bot's key has been refused since <t:{AT + 100}:f>"
    assert exa.requests == []
    assert (await search(service)).page.backend == "Exa"


async def test_answers_that_fail_are_told_beside_searches(
    open_service: OpenService, exa: LoopbackExa, time_: FakeTime
) -> None:
    """RES-23: since when, by what, and that they aren't asked for, below a healthy search, until one comes again."""
    service = await open_service(web_fallbacks=[])
    request, asker = SearchRequest(query="why is the sky blue", count=1), Asker(user_id=1, channel_id=5)
    await search(service)
    await service.answer(request, asker, Place())
    await service.read(PAGES[0].url, asker, Place())
    assert len([line for line in await told(service) if "Exa" in line]) == 1
    time_.passed = 100
    exa.fail(*[faults.html()] * DOWN_AFTER)
    for _ in range(DOWN_AFTER):
        with suppress(errors.BackendError):
            await service.answer(request, asker, Place())
    lines = await told(service)
    assert lines[0] == "Engine: Exa"
    assert lines[1].startswith(f"usually takes 0 s · last answered <t:{AT}:R> · ")
    assert lines[-1] == (
        f"Answers by Exa: failed {DOWN_AFTER} times in a row since <t:{AT + 100}:f> · not asked for now · "
        f"last failed <t:{AT + 100}:R>, backend-invalid-answer"
    )
    time_.passed = 200
    assert "to be tried once" in (await told(service))[-1]
    await service.answer(request, asker, Place())
    assert not [line for line in await told(service) if "Answers by" in line]


async def test_a_page_that_failed_last_is_told(open_service: OpenService, exa: LoopbackExa, time_: FakeTime) -> None:
    """RES-23: a single failure is told until the next page is read."""
    service = await open_service(web_fallbacks=[])
    asker = Asker(user_id=1, channel_id=5)
    exa.fail(faults.html(403))
    with suppress(errors.BackendError):
        await service.read(PAGES[0].url, asker, Place())
    assert f"Pages by Exa: last failed <t:{AT}:R>, backend-feature-disabled" in await told(service)
    time_.passed = 1
    await service.read(PAGES[0].url, asker, Place())
    assert not [line for line in await told(service) if "Pages by" in line]


async def test_what_holds_for_all_is_told_once(open_service: OpenService, exa: LoopbackExa) -> None:
    """RES-23: that the key is refused stands with the engine, however many things it was asked for."""
    service = await open_service(web_fallbacks=[])
    asker = Asker(user_id=1, channel_id=5)
    exa.fail(always=faults.html(401))
    for _ in range(2):
        with suppress(errors.BackendError):
            await search(service)
        with suppress(errors.BackendError):
            await service.read(PAGES[0].url, asker, Place())
    refused = [line for line in await told(service) if "refused" in line and "Exa" in line]
    assert refused == [f"Engine: Exa, which has refused the bot's key since <t:{AT}:f>"]
