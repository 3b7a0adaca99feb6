"""Hold what happens to a page, an answer and a share whose place, reply or token goes meanwhile."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bots import Place, buttons
from trouble import EDIT, ask, counted, public, sessions, settled

if TYPE_CHECKING:
    from discord.ext import commands

    from cogs.websearch.playground.discord import Invocation, LoopbackDiscord, Message
    from loopback_exa import LoopbackExa

pytestmark = pytest.mark.usefixtures("no_mistakes")

ASKING = ("Answer", "Read a page…")


async def press(place: Place, reply: Message, name: str) -> Invocation:
    """Press a button as the member, or choose the first page of the menu."""
    if name in buttons(reply):
        return await place.member.press(reply, name)
    return await place.member.choose(reply, name, ["1"])


@pytest.mark.parametrize("name", ASKING)
@pytest.mark.parametrize("gone", ["token", "reply", "channel"])
async def test_what_goes_while_the_engine_works(
    bot: commands.Bot, place: Place, discord_: LoopbackDiscord, exa: LoopbackExa, settings: dict[str, object],
    *, name: str, gone: str,
) -> None:  # fmt: skip
    """REPLY-13: nothing is said, nothing is kept beyond the results, and it counts: the engine answered."""
    reply = await (await ask(place)).reply()
    exa.hold()
    inv = await press(place, reply, name)
    await exa.received(2)
    if gone == "token":
        discord_.clock.advance(15 * 60 + 1)
    elif gone == "reply":
        assert inv.original is not None
        inv.original.delete()
    else:
        place.channel.delete()
        # As Discord answers about a message whose channel is no more.
        discord_.fail("*", r"^/webhooks/", status=404, code=10003, times=None)
    exa.release()
    await settled(bot, discord_, inv)
    assert inv.followups == []
    assert sessions(settings) == 1
    assert await counted(bot, place) == 2


@pytest.mark.parametrize("name", ASKING)
async def test_the_results_are_deleted_while_the_engine_works(
    bot: commands.Bot, place: Place, discord_: LoopbackDiscord, exa: LoopbackExa, *, name: str
) -> None:
    """REPLY-13: what was asked for comes all the same, and its buttons work."""
    reply = await (await ask(place)).reply()
    exa.hold()
    inv = await press(place, reply, name)
    await exa.received(2)
    await place.member.press(reply, "Delete")
    await discord_.until(lambda: reply.deleted)
    exa.release()
    await settled(bot, discord_, inv)
    shown = await inv.reply()
    await place.member.press(shown, "Delete")
    await discord_.until(lambda: shown.deleted)


@pytest.mark.parametrize("name", [*ASKING, "Share"])
async def test_an_acknowledgement_that_comes_too_late(
    bot: commands.Bot, place: Place, discord_: LoopbackDiscord, exa: LoopbackExa, *, name: str
) -> None:
    """REPLY-13: who pressed has read that the bot did not respond: nothing is asked, charged or shared."""
    reply = await (await ask(place, private=True)).reply()
    hold = discord_.hold("POST", r"/callback$")
    inv = await press(place, reply, name)
    await hold.reached()
    discord_.clock.advance(3.5)
    hold.release()
    await settled(bot, discord_, inv)
    assert len(exa.requests) == 1
    assert await counted(bot, place) == 1
    assert public(discord_, place) == []
    # It wasn't begun, so it can be pressed again.
    if name == "Share":
        assert (await (await press(place, reply, name)).reply()).visible_to(place.other)


@pytest.mark.parametrize("private", [False, True])
async def test_delete_and_share_at_once(
    bot: commands.Bot, place: Place, discord_: LoopbackDiscord, settings: dict[str, object], *, private: bool
) -> None:
    """REPLY-13: a reply that is deleted while it's shared leaves the shared one, or while another is opened, that."""
    reply = await (await ask(place, private=private)).reply()
    hold = discord_.hold(*EDIT)
    if private:
        first = await place.member.press(reply, "Share")
    else:
        note = await place.other.press(reply, "Next")
        await settled(bot, discord_, note)
        first = await place.other.press(note.followups[0], "Open it for me")
    await hold.reached()
    await place.member.press(reply, "Delete")
    await discord_.until(lambda: reply.deleted)
    hold.release()
    await settled(bot, discord_, first)
    assert sessions(settings) == 1
    left = await first.reply()
    who, where = (place.member, "Next") if private else (place.other, "Previous")
    await (await who.press(left, where)).reply()
