"""Hold what members read of a search that was made before, or is being made for others."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from bots import Place, RunBot, cog_of, sentence, titles
from cogs.websearch.charges import Use
from loopback_exa import LoopbackExa, faults

if TYPE_CHECKING:
    from cogs.websearch.service import SearchService

QUERY = "pictures of a distant galaxy"


@pytest.fixture(autouse=True)
def kept(settings: dict[str, object]) -> None:
    """Keep results, as a bot does that nobody has told otherwise."""
    del settings["web-cache-minutes"]


async def counted(service: SearchService, searches: int) -> None:
    """Wait until so many searches were counted."""
    while (await service.usage()).total.searches < searches:
        continue


async def test_a_repeat_reads_like_the_first(run_bot: RunBot, place: Place, exa: LoopbackExa) -> None:
    """CACHE-01 CACHE-03: another member gets the same results, with buttons of their own, for one call."""
    async with run_bot() as bot:
        first = await (await place.member.invoke(place.channel, "search", query=QUERY)).reply()
        repeat = await (await place.other.invoke(place.channel, "search", query=f" {QUERY} ", private=True)).reply()
        assert titles(first) == titles(repeat) != []
        assert (first.ephemeral, repeat.ephemeral) == (False, True)
        buttons = [{part["custom_id"] for part in row["components"]} for row in (first.components + repeat.components)]
        assert not buttons[0] & buttons[1]
        assert len(exa.requests) == 1
        assert (await cog_of(bot).service.usage()).total == Use(searches=2, cost=7000)


async def test_members_who_ask_at_once(run_bot: RunBot, place: Place, exa: LoopbackExa) -> None:
    """CACHE-20 CACHE-23: one call brings all of them results, or each of them the same sentence."""
    async with run_bot() as bot:
        service = cog_of(bot).service
        for number, fault in enumerate((None, faults.error(404, "NOT_FOUND"))):
            exa.hold()
            if fault is not None:
                exa.fail(fault)
            query = f"{QUERY} {number}"
            asked = [await who.invoke(place.channel, "search", query=query) for who in (place.member, place.other)]
            await counted(service, 2 * number + 2)
            exa.release()
            replies = await asyncio.gather(*(one.reply() for one in asked))
            said = [titles(reply) if fault is None else sentence(reply) for reply in replies]
            assert said[0] == said[1]
            assert len(exa.requests) == number + 1
