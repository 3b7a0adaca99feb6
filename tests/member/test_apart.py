"""Hold how moderators learn of places that keep settings of their own, and take them away, over a loopback Discord."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bots import cog_of, sentence, titles
from cogs.websearch.playground.discord import Permission
from staff import Staff, ask, line, search

if TYPE_CHECKING:
    from discord.ext import commands

    from cogs.websearch.playground.discord import Channel, Message

HINT = "/websearch inherit takes such a setting away."


@pytest.fixture(autouse=True)
def many_searches(settings: dict[str, object]) -> None:
    """Let a member search as often as these tests do, before a bot reads it."""
    settings["web-per-minute"] = 60


def lines(reply: Message) -> list[str]:
    """Return the lines of a panel."""
    (embed,) = reply.embeds
    return str(embed["description"]).splitlines()


def mentions(*channels: Channel) -> str:
    """Write places as a panel does."""
    return ", ".join(f"<#{channel.id}>" for channel in channels)


@pytest.mark.usefixtures("bot")
async def test_what_stays_on_is_named_and_can_be_ended(staff: Staff) -> None:
    """SW-24, SW-25: after the server is switched off, each place with an "on" of its own is named until it follows."""
    desk, thread, lounge = staff.channel, staff.places["thread"], staff.places["voice"]
    for where in (thread, desk, staff.category):
        await ask(staff.moderator, desk, "on", channel=where)
    await ask(staff.moderator, desk, "off", channel=lounge)
    reply = await ask(staff.manager, desk, "off", server=True)
    assert lines(reply)[1:] == [f"Still **on** in: {mentions(staff.category, desk, thread)}", HINT]
    assert titles(await search(staff.reader, desk))
    status = await ask(staff.manager, desk, "status", server=True)
    assert lines(status)[:3] == lines(reply)
    for where in (staff.category, desk, thread):
        told = await ask(staff.moderator, desk, "inherit", channel=where)
        assert line(told).startswith("**off** by this server, set by")
    assert lines(await ask(staff.manager, desk, "off", server=True))[1:] == []
    assert sentence(await search(staff.reader, desk)) == (
        "Web search is off in this server: search in a direct message to the bot, or ask a moderator to switch it on."
    )


@pytest.mark.usefixtures("bot")
async def test_a_category_names_what_is_in_it(staff: Staff) -> None:
    """SW-24: its channels and their threads, none outside; a channel names its threads."""
    outside = staff.guild.add_text_channel("outside")
    post = staff.places["forum post"]
    for where in (outside, outside.add_thread("talk"), staff.channel, post):
        await ask(staff.moderator, staff.channel, "on", channel=where)
    reply = await ask(staff.moderator, staff.channel, "off", channel=staff.category)
    assert lines(reply)[1] == f"Still **on** in: {mentions(staff.channel, post)}"
    assert lines(await ask(staff.moderator, staff.channel, "off", channel=staff.forum))[1] == (
        f"Still **on** in: {mentions(post)}"
    )
    assert len(lines(await ask(staff.moderator, staff.channel, "off", channel=post))) == 1


@pytest.mark.usefixtures("bot")
async def test_replies_that_stay_otherwise_are_named(staff: Staff) -> None:
    """SW-24: for who sees replies, too; both lists share one way out."""
    await ask(staff.moderator, staff.channel, "replies", visibility="private")
    reply = await ask(staff.manager, staff.channel, "replies", visibility="public", server=True)
    assert lines(reply)[1:] == [f"Still **private** in: {mentions(staff.channel)}", HINT]
    await ask(staff.moderator, staff.channel, "off")
    told = lines(await ask(staff.manager, staff.channel, "status", server=True))
    assert f"Still **off** in: {mentions(staff.channel)}" in told
    assert f"Still **private** in: {mentions(staff.channel)}" in told
    assert told.count(HINT) == 1


@pytest.mark.usefixtures("bot")
async def test_many_places_are_counted(staff: Staff) -> None:
    """SW-24: four are named, the rest is counted."""
    channels = [staff.guild.add_text_channel(f"room-{number}") for number in range(13)]
    for channel in channels:
        await ask(staff.moderator, channel, "off")
    told = lines(await ask(staff.moderator, staff.channel, "status", server=True))
    assert told[1] == f"Still **off** in: {mentions(*channels[:4])} and 9 more"


@pytest.mark.usefixtures("bot")
async def test_no_name_is_told_of_what_one_cannot_see(staff: Staff) -> None:
    """SW-24: a hidden channel and a private thread are mentions, which Discord resolves for who sees them."""
    hidden = staff.guild.add_text_channel("vault")
    await ask(staff.manager, hidden, "off")
    await ask(staff.manager, staff.places["private thread"], "off")
    hidden.deny(staff.guild.everyone, Permission.VIEW_CHANNEL)
    keeper = staff.guild.add_member("keeper of the desk")
    staff.channel.allow(keeper, Permission.MANAGE_CHANNELS)
    reply = await ask(keeper, staff.channel, "status", server=True)
    assert lines(reply)[1] == f"Still **off** in: {mentions(hidden, staff.places['private thread'])}"
    assert "vault" not in str(reply.embeds)
    assert "hidden talk" not in str(reply.embeds)
    assert reply.pings == frozenset()


@pytest.mark.usefixtures("bot")
async def test_inherit_takes_all_of_a_place_away(staff: Staff) -> None:
    """SW-25: the lasting setting, the timed one and that of replies; what's above decides, and is named."""
    desk = staff.channel
    await ask(staff.moderator, desk, "off")
    await ask(staff.moderator, desk, "on", **{"for": "2 hours"})
    await ask(staff.moderator, desk, "replies", visibility="private")
    reply = await ask(staff.moderator, desk, "inherit")
    assert lines(reply) == ["Web search: **on** by default", "Replies: **public** by default"]
    assert reply.embeds[0]["title"] == "desk"
    await ask(staff.moderator, desk, "off", channel=staff.category)
    above = f"**off** by the category <#{staff.category.id}>"
    assert line(await ask(staff.moderator, desk, "inherit")).startswith(above)
    await ask(staff.manager, desk, "off", server=True)
    assert line(await ask(staff.manager, desk, "inherit", server=True)) == "**on** by default"
    assert line(await ask(staff.moderator, desk, "status")).startswith(above)


async def test_off_everywhere_is_not_misread(bot: commands.Bot, staff: Staff, settings: dict[str, object]) -> None:
    """SW-26: what a moderator has set is told as what would be, here and below."""
    await ask(staff.moderator, staff.channel, "on")
    settings["enable-web-search"] = False
    service = cog_of(bot).service
    service.engines.config = type(service.config).from_mapping(settings)
    first, second, *_ = lines(await ask(staff.moderator, staff.channel, "status"))
    assert first == "The bot's owner has switched web search off everywhere."
    assert second.startswith("Otherwise it would be **on** by the channel *desk*, set by <@")
    _, second, third, hint = lines(await ask(staff.manager, staff.channel, "off", server=True))
    assert second.startswith("Otherwise it would be **off** by this server")
    assert (third, hint) == (f"It would still be **on** in: {mentions(staff.channel)}", HINT)
