"""Hold a private copy of somebody else's reply that is opened more than once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bots import Place, buttons, sentence, titles
from trouble import EDIT, ask, sessions, settled

if TYPE_CHECKING:
    from discord.ext import commands

    from cogs.websearch.playground.discord import Invocation, LoopbackDiscord, Message

pytestmark = pytest.mark.usefixtures("no_mistakes")


async def note(bot: commands.Bot, place: Place, discord_: LoopbackDiscord, reply: Message) -> Message:
    """Have the other one press a button of the member's reply, and return what offers its second page for them."""
    press = await place.other.press(reply, "Next")
    await settled(bot, discord_, press)
    return press.followups[0]


async def open_copy(bot: commands.Bot, place: Place, discord_: LoopbackDiscord, reply: Message) -> Invocation:
    """Press what opens a reply of the member's for the other one, at its second page."""
    press = await place.other.press(await note(bot, place, discord_, reply), "Open it for me")
    await settled(bot, discord_, press)
    return press


async def opened(bot: commands.Bot, place: Place, discord_: LoopbackDiscord, reply: Message) -> Message:
    """Open it, and return the copy."""
    return await (await open_copy(bot, place, discord_, reply)).reply()


async def test_a_copy_is_shared_once(bot: commands.Bot, place: Place, discord_: LoopbackDiscord) -> None:
    """REPLY-07, REPLY-17: however often it's opened, also once it was deleted; a button of before says so."""
    reply = await (await ask(place)).reply()
    early, copy = [await opened(bot, place, discord_, reply) for _ in range(2)]
    await settled(bot, discord_, await place.other.press(copy, "Share"))
    for _ in range(2):
        again = await opened(bot, place, discord_, reply)
        assert len(titles(again)) == 2
        assert "Share" not in buttons(again)
        await settled(bot, discord_, await place.other.press(again, "Delete"))
    press = await place.other.press(early, "Share")
    await settled(bot, discord_, press)
    assert sentence(press.followups[0]) == "This is in the channel already."
    assert len([message for message in discord_.messages.values() if message.visible_to(place.member)]) == 2


async def test_a_copy_that_is_opened_while_it_is_shared(
    bot: commands.Bot, place: Place, discord_: LoopbackDiscord
) -> None:
    """REPLY-07, REPLY-17: what is under way is neither forgotten nor begun anew."""
    reply = await (await ask(place)).reply()
    copy = await opened(bot, place, discord_, reply)
    offer = await note(bot, place, discord_, reply)
    hold = discord_.hold(*EDIT, times=1)
    sharing = await place.other.press(copy, "Share")
    await hold.reached()
    again = await (await place.other.press(offer, "Open it for me")).reply()
    press = await place.other.press(again, "Share")
    told = await press.reply()
    hold.release()
    await settled(bot, discord_, sharing, press)
    assert sentence(told) == "That's on its way already: wait a moment."
    assert len([message for message in discord_.messages.values() if message.visible_to(place.member)]) == 2


async def test_one_of_two_is_deleted(
    bot: commands.Bot, place: Place, discord_: LoopbackDiscord, settings: dict[str, object]
) -> None:
    """REPLY-17: the other one's buttons work on, and what's kept of both ends as that of the reply does."""
    reply = await (await ask(place)).reply()
    first, second = [await opened(bot, place, discord_, reply) for _ in range(2)]
    await settled(bot, discord_, await place.other.press(first, "Delete"))
    assert first.deleted
    press = await place.other.press(second, "Previous")
    await settled(bot, discord_, press)
    assert press.followups == []
    assert titles(second) == titles(reply)
    assert sessions(settings) == 2
    discord_.clock.advance(24 * 3600 + 1)
    press = await place.other.press(second, "Next")
    await settled(bot, discord_, press)
    assert sentence(press.followups[0]).startswith("This search is too old")


async def test_a_second_one_that_discord_refuses(bot: commands.Bot, place: Place, discord_: LoopbackDiscord) -> None:
    """REPLY-13, REPLY-17: whoever wanted it is told so, and the first one's buttons work on."""
    reply = await (await ask(place)).reply()
    first = await opened(bot, place, discord_, reply)
    discord_.fail(*EDIT, status=400)
    press = await open_copy(bot, place, discord_, reply)
    assert sentence(press.followups[0]) == "Discord didn't take the reply: try again in a moment."
    await (await place.other.press(first, "Previous")).reply()
    assert titles(first) == titles(reply)
