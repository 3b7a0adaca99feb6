"""Hold after what an engine is left alone, and after what it isn't: what a page or a search brings about."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import pytest

from cogs.websearch import errors
from cogs.websearch.account import PROBE_SECONDS
from cogs.websearch.charges import Use
from cogs.websearch.config import Config
from cogs.websearch.health import DOWN_AFTER
from cogs.websearch.i18n import Words
from cogs.websearch.models import Answered, Asker, SearchRequest
from cogs.websearch.settings import Place
from cogs.websearch.wording import explain
from loopback_engine import faults
from loopback_exa import faults as exa_faults
from loopback_searxng import LoopbackSearxng
from resilience.asking import search

if TYPE_CHECKING:
    from cogs.websearch.service import SearchService
    from cogs.websearch.troubles import Trouble
    from engine_tools import FakeTime
    from loopback_exa import Fault, LoopbackExa
    from loopback_tavily import LoopbackTavily
    from meter_tools import OpenService

SOMEBODY: Final = Asker(user_id=1, channel_id=5)
PAGE: Final = "https://example.com/about"
UNREADABLE: Final = exa_faults.rows(
    statuses=[{"id": PAGE, "status": "error", "error": {"tag": "CRAWL_HTTP_403", "httpStatusCode": 403}}]
)


def tell(service: SearchService) -> list[Trouble]:
    """Note what the owner is told of, in the list that is returned."""
    told: list[Trouble] = []

    async def teller(trouble: Trouble, _over: bool) -> None:  # noqa: FBT001 - as it's called
        told.append(trouble)

    service.notices.teller = teller
    return told


async def every_act(service: SearchService) -> list[type[BaseException] | None]:
    """Search, ask and read, one after the other; return how each failed."""
    acts = (
        partial(search, service),
        partial(service.answer, SearchRequest(query="why", count=1), SOMEBODY, Place()),
        partial(service.read, PAGE, SOMEBODY, Place()),
    )
    failed: list[type[BaseException] | None] = []
    for act in acts:
        found = (await asyncio.gather(act(), return_exceptions=True))[0]
        failed.append(type(found) if isinstance(found, BaseException) else None)
    return failed


async def test_pages_that_cannot_be_read(open_service: OpenService, exa: LoopbackExa) -> None:
    """RES-13: however many there are, other pages are read, and the owner isn't told that the engine fails."""
    service = await open_service(web_fallbacks=[])
    told = tell(service)
    exa.fail(*[UNREADABLE] * 2 * DOWN_AFTER)
    for _ in range(2 * DOWN_AFTER):
        with pytest.raises(errors.PageUnreadable):
            await service.read(PAGE, SOMEBODY, Place())
    assert (await service.read(PAGE, SOMEBODY, Place())).page.backend == "Exa"
    assert told == []


async def test_nothing_found_by_a_part_of_an_engine(open_service: OpenService, tavily: LoopbackTavily) -> None:
    """RES-13: the next engine is asked what it knows, and the first one for all that others search for."""
    silent = faults.answer({"query": "q", "results": [], "unresponsive_engines": [["some", "CAPTCHA"]]})
    async with LoopbackSearxng(limiter=False) as searxng:
        service = await open_service(web_backend="searxng", searxng_url=searxng.url)
        told = tell(service)
        searxng.fail(*[silent] * 2 * DOWN_AFTER)
        for _ in range(2 * DOWN_AFTER):
            assert (await search(service)).page.instead_of == "SearXNG"
        assert (await search(service)).page.backend == "SearXNG"
        assert len(tavily.requests) == 2 * DOWN_AFTER
        alone = await open_service(web_backend="searxng", web_fallbacks=[], searxng_url=searxng.url)
        searxng.fail(silent)
        with pytest.raises(errors.PartsSilent) as caught:
            await search(alone)
        assert "parts of it didn't answer" in explain(caught.value, Words())
    assert told == []


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (exa_faults.error(429, "RATE_LIMIT_EXCEEDED", headers={"Retry-After": "600"}), errors.RateLimited),
        (exa_faults.error(503, "SERVICE_OVERLOADED", headers={"Retry-After": "600"}), errors.BackendOverloaded),
    ],
)
async def test_an_engine_that_asks_to_wait(
    open_service: OpenService, exa: LoopbackExa, time_: FakeTime, fault: Fault, kind: type[errors.BackendError]
) -> None:
    """RES-35, HTTP-04: nobody asks it before that; each reads how long it still is, and is charged nothing."""
    service = await open_service(web_fallbacks=[], web_per_minute=1)
    exa.fail(fault)
    for minutes in (10, 9, 8):
        for _ in range(2):
            with pytest.raises(kind) as caught:
                await search(service)
            assert explain(caught.value, Words()).endswith(f"try again in about {minutes} minutes.")
        time_.passed += 60
    assert len(exa.requests) == 1
    assert (await service.usage()).total == Use()
    # Nobody but whoever asked has used a place in the minute, and what else it does goes on.
    answered = await service.answer(SearchRequest(query="why", count=1), Asker(user_id=7, channel_id=5), Place())
    assert isinstance(answered, Answered)
    time_.passed += 7 * 60
    assert (await search(service)).page.backend == "Exa"


async def test_a_fallback_is_asked_while_an_engine_waits(
    open_service: OpenService, exa: LoopbackExa, tavily: LoopbackTavily
) -> None:
    """RES-35, RES-02: it's asked at once."""
    service = await open_service()
    exa.fail(exa_faults.error(429, "RATE_LIMIT_EXCEEDED", headers={"Retry-After": "60"}))
    for _ in range(4):
        assert (await search(service)).page.instead_of == "Exa"
    assert (len(exa.requests), len(tavily.requests)) == (1, 4)


async def test_a_refused_key_ends_all_calls(
    open_service: OpenService, given_: dict[str, Any], exa: LoopbackExa
) -> None:
    """HLT-01, HLT-02: whatever is asked next isn't, until the configuration changes."""
    service = await open_service(web_fallbacks=[])
    exa.fail(exa_faults.error(401, "INVALID_API_KEY"))
    assert await every_act(service) == [errors.KeyRefused] * 3
    assert len(exa.requests) == 1
    await service.reconfigure(Config.from_mapping({**given_, "web-fallbacks": []}, env={}))
    assert await every_act(service) == [None] * 3


async def test_one_call_finds_out_whether_there_is_credit(
    open_service: OpenService, exa: LoopbackExa, time_: FakeTime
) -> None:
    """HLT-03, HLT-04: one in ten minutes, whatever it asks for."""
    service = await open_service(web_fallbacks=[])
    exa.fail(always=exa_faults.error(402, "NO_MORE_CREDITS"))
    for number in range(1, 4):
        assert await every_act(service) == [errors.CreditsExhausted] * 3
        assert len(exa.requests) == number
        time_.passed += PROBE_SECONDS
    exa.recover()
    assert await every_act(service) == [None] * 3
