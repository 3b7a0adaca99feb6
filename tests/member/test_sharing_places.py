"""Hold where a private reply may be shared and somebody else's be copied, and in which language it's shared."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bots import Place, RunBot, buttons, sentence, titles
from cogs.websearch.playground.discord import Permission
from staff import QUERY, Staff
from staff import ask as tell
from trouble import public, settled

if TYPE_CHECKING:
    from discord.ext import commands

    from cogs.websearch.playground.discord import Channel, Invocation, LoopbackDiscord, Message

pytestmark = pytest.mark.usefixtures("no_mistakes")

OFF_IN_CATEGORY = (
    "Web search is off in this category of channels: search in another channel, or ask a moderator to switch it on."
)
OFF_UNSEEN = (
    "Web search is off here: the bot can't see the channel that this thread follows."
    " Search in another channel, or tell a moderator."
)
SHARE, COPY = "Share", "Open it for me"


async def prepared(bot: commands.Bot, place: Place, discord_: LoopbackDiscord, thread: Channel, button: str) -> Message:
    """Search in a thread, and return the message that has the button."""
    inv = await place.member.invoke(thread, "search", query=QUERY, results=5, private=button == SHARE)
    reply = await inv.reply()
    if button == SHARE:
        return reply
    note = await place.other.press(reply, "Next")
    await settled(bot, discord_, note)
    return note.followups[0]


async def press(place: Place, has: Message, button: str) -> Invocation:
    """Press the button, as whoever it's for."""
    return await (place.member if button == SHARE else place.other).press(has, button)


def forget_parent(bot: commands.Bot, staff: Staff) -> None:
    """Take the threads' channel out of the bot's memory, as Discord names none that the bot can't see."""
    guild = bot.get_guild(staff.guild.id)
    assert guild is not None
    guild._channels.pop(staff.channel.id)  # noqa: SLF001 - nothing public takes one away


@pytest.mark.parametrize("seen", [True, False])
@pytest.mark.parametrize("button", [SHARE, COPY])
async def test_a_category_that_is_off_and_not_in_memory(
    bot: commands.Bot, place: Place, staff: Staff, discord_: LoopbackDiscord, button: str, *, seen: bool
) -> None:
    """REPLY-15: Discord is asked for it; what it doesn't tell counts as off."""
    has = await prepared(bot, place, discord_, staff.places["thread"], button)
    await tell(staff.moderator, staff.channel, "off", channel=staff.category)
    forget_parent(bot, staff)
    if not seen:
        discord_.fail("GET", r"/channels/\d+$", status=403, times=None)
    before = [message for message in public(discord_, place) if not message.ephemeral]
    pressed = await press(place, has, button)
    await settled(bot, discord_, pressed)
    (told,) = pressed.followups
    assert told.ephemeral
    assert sentence(told) == (OFF_IN_CATEGORY if seen else OFF_UNSEEN)
    assert [message for message in public(discord_, place) if not message.ephemeral] == before
    assert list(buttons(has))[-1] == ("Delete" if button == SHARE else COPY)


@pytest.mark.parametrize("button", [SHARE, COPY])
async def test_a_category_that_is_on_and_not_in_memory(
    bot: commands.Bot, place: Place, staff: Staff, discord_: LoopbackDiscord, button: str
) -> None:
    """REPLY-15: in a server that is off, it goes on once Discord has told of the category."""
    has = await prepared(bot, place, discord_, staff.places["thread"], button)
    await tell(staff.manager, staff.channel, "on", channel=staff.category)
    await tell(staff.manager, staff.channel, "off", server=True)
    forget_parent(bot, staff)
    pressed = await press(place, has, button)
    await settled(bot, discord_, pressed)
    assert titles(await pressed.reply())
    assert pressed.followups == []


async def test_without_external_apps_nothing_is_shared(
    run_bot: RunBot, settings: dict[str, object], discord_: LoopbackDiscord
) -> None:
    """REPLY-16: whoever may write there, but not by an app of their own, is told just that."""
    settings["web-user-install"] = True
    outside = discord_.add_guild("Outside", installed=False)
    den, visitor, onlooker = outside.add_text_channel("den"), outside.add_member("visitor"), outside.add_member("other")
    async with run_bot() as bot:
        reply = await (await visitor.invoke(den, "search", query=QUERY, user_install=True, private=True)).reply()
        den.deny(visitor, Permission.USE_EXTERNAL_APPS)
        pressed = await visitor.press(reply, "Share")
        told = await pressed.reply()
        await settled(bot, discord_, pressed)
        assert told.ephemeral
        assert sentence(told) == (
            "You may not use external apps in this channel, so Discord would show this to you alone:"
            " ask a moderator for that permission."
        )
        assert not any(message.visible_to(onlooker) for message in discord_.messages.values())
        den.allow(visitor, Permission.USE_EXTERNAL_APPS)
        await settled(bot, discord_, await visitor.press(reply, "Share"))
        assert any(message.visible_to(onlooker) for message in discord_.messages.values())


@pytest.mark.parametrize("server", ["en-US", "de"])
async def test_what_is_shared_is_in_the_servers_language(
    bot: commands.Bot, place: Place, discord_: LoopbackDiscord, server: str
) -> None:
    """I18N-17: a private reply in its reader's language is shared in that of the server."""
    place.guild.locale = server
    other, share = ("de", "Teilen") if server == "en-US" else ("en-US", "Share")
    inv = await place.member.invoke(place.channel, "search", query=QUERY, private=True, locale=other)
    reply = await inv.reply()
    await settled(bot, discord_, await place.member.press(reply, share, locale=other))
    (shared,) = public(discord_, place)
    labels = {"en-US": ["Previous", "Next", "Answer", "Delete"], "de": ["Zurück", "Weiter", "Antwort", "Löschen"]}
    assert list(buttons(shared)) == labels[server]
    await (await place.member.press(shared, labels[server][1], locale=other)).reply()
    assert list(buttons(shared)) == labels[server]
