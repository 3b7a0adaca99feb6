"""Hold where engines are asked to leave out what isn't fit for everybody."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bots import Place, RunBot, cog_of, titles
from cogs.websearch.models import Answered, Asker, SearchRequest
from cogs.websearch.settings import Place as Where
from staff import QUERY, Staff
from trouble import QUERY as OTHER
from trouble import public, settled

if TYPE_CHECKING:
    from cogs.websearch.events import WebSearchEvent
    from cogs.websearch.playground.discord import Channel, LoopbackDiscord, User
    from loopback_exa import LoopbackExa

KINDS = ["channel", "thread", "private thread", "forum post", "voice"]


async def filtered(who: User, where: Channel, exa: LoopbackExa, query: str = QUERY) -> bool:
    """Search, and tell whether the engine was asked to filter."""
    before = len(exa.requests)
    assert titles(await (await who.invoke(where, "search", query=query)).reply())
    (call,) = exa.requests[before:]
    return bool(call.json["moderation"])


@pytest.mark.parametrize("kind", KINDS)
async def test_age_restricted_channels(
    run_bot: RunBot, settings: dict[str, object], staff: Staff, exa: LoopbackExa, kind: str
) -> None:
    """SAFE-02: a channel's own mark decides, of threads and posts that of their channel, from the moment it changes."""
    settings |= {"web-safe-search": "except-age-restricted", "web-per-minute": 60}
    where = staff.places[kind]
    async with run_bot():
        assert await filtered(staff.reader.user, where, exa)
        where.place.restrict_age()
        assert not await filtered(staff.reader.user, where, exa)
        outside = staff.guild.add_text_channel("outside")
        assert await filtered(staff.reader.user, outside, exa)
        where.place.restrict_age(on=False)
        assert await filtered(staff.reader.user, where, exa)


@pytest.mark.usefixtures("bot")
async def test_always_is_the_default(staff: Staff, exa: LoopbackExa) -> None:
    """SAFE-01: nothing but the owner's word takes the filter away."""
    staff.channel.restrict_age()
    assert await filtered(staff.reader.user, staff.channel, exa)


async def test_direct_messages_and_menus(
    run_bot: RunBot, settings: dict[str, object], place: Place, exa: LoopbackExa, discord_: LoopbackDiscord
) -> None:
    """SAFE-02: direct messages are filtered, and the menu of a message does as `/search` does."""
    settings["web-safe-search"] = "except-age-restricted"
    async with run_bot():
        place.channel.restrict_age()
        assert await filtered(place.member.user, discord_.open_dm(place.member.user), exa)
        message = place.other.send(place.channel, QUERY)
        await (await place.member.use_menu(message, "Search the web")).reply()
        assert exa.requests[-1].json["moderation"] is False


async def test_a_repeat_elsewhere_is_asked_anew(
    run_bot: RunBot, settings: dict[str, object], place: Place, exa: LoopbackExa
) -> None:
    """SAFE-03: what was kept in memory of a search without a filter answers none with one."""
    settings |= {"web-safe-search": "except-age-restricted", "web-cache-minutes": 10}
    adults = place.guild.add_text_channel("adults", nsfw=True)
    async with run_bot():
        assert not await filtered(place.member.user, adults, exa)
        assert await filtered(place.member.user, place.channel, exa)
        again = await (await place.member.invoke(adults, "search", query=QUERY)).reply()
        assert titles(again)
        assert len(exa.requests) == 2
        assert not await filtered(place.member.user, adults, exa, OTHER)


async def test_a_request_of_before(
    run_bot: RunBot, settings: dict[str, object], place: Place, exa: LoopbackExa
) -> None:
    """SAFE-03: what was asked for without a filter is asked with one where its channel, by now, isn't restricted."""
    settings["web-safe-search"] = "except-age-restricted"
    async with run_bot() as bot:
        service = cog_of(bot).service
        request = SearchRequest(query=QUERY, count=3, safe=False)
        asker = Asker(user_id=place.member.id, channel_id=place.channel.id)
        for restricted in (True, False):
            outcome = await service.search(request, asker, Where(age_restricted=restricted))
            assert outcome.request.safe is not restricted
            assert exa.requests[-1].json["moderation"] is not restricted


async def test_an_answer_to_a_request_of_before(
    run_bot: RunBot, settings: dict[str, object], place: Place, discord_: LoopbackDiscord
) -> None:
    """SAFE-03: so is an answer that a button asks for: it's fit for everybody, and may be shared."""
    settings["web-safe-search"] = "except-age-restricted"
    place.channel.restrict_age()
    async with run_bot() as bot:
        answered: list[WebSearchEvent] = []

        async def on_web_answer(event: WebSearchEvent) -> None:
            answered.append(event)

        bot.add_listener(on_web_answer)
        reply = await (await place.member.invoke(place.channel, "search", query=QUERY, private=True)).reply()
        answers = []
        for restricted in (True, False):
            place.channel.restrict_age(on=restricted)
            press = await place.member.press(reply, "Answer")
            await settled(bot, discord_, press)
            answers.append(await press.reply())
        for answer in answers:
            await settled(bot, discord_, await place.member.press(answer, "Share"))
        assert [isinstance(one.content, Answered) and one.content.request.safe for one in answered] == [False, True]
        (shared,) = public(discord_, place)
        assert shared.embeds == answers[1].embeds
