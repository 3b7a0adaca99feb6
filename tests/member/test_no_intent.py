"""Hold what commands and buttons do in a bot without the guilds intent, which learns of places by payloads alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bots import buttons, cog_of, searching_bot, sentence, titles
from cogs.websearch.playground.discord import Permission
from staff import QUERY
from staff import ask as tell
from trouble import public, settled

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from discord.ext import commands

    from bots import Place
    from cogs.websearch.playground.discord import LoopbackDiscord
    from staff import Staff

pytestmark = pytest.mark.usefixtures("no_mistakes")


@pytest.fixture
async def blind(
    discord_: LoopbackDiscord,
    settings: dict[str, object],
    place: Place,  # noqa: ARG001 - made before the bot comes
    staff: Staff,  # noqa: ARG001 - likewise
) -> AsyncIterator[commands.Bot]:
    """Run a bot with the cog, without the guilds intent."""
    async with searching_bot(discord_, settings, guilds=False) as bot:
        yield bot


@pytest.mark.parametrize("where", ["channel", "thread", "forum post", "voice"])
async def test_searching_and_pressing_work_by_payloads(
    blind: commands.Bot, place: Place, staff: Staff, discord_: LoopbackDiscord, where: str
) -> None:
    """SW-28: no server is in memory, and a search is made, paged, answered and shared all the same."""
    assert all(guild.unavailable and not guild.channels for guild in blind.guilds)
    channel = staff.places[where]
    reply = await (await place.member.invoke(channel, "search", query=QUERY, private=True)).reply()
    assert titles(reply)
    assert {"Next", "Answer", "Share"} <= set(buttons(reply))
    before = public(discord_, place)
    await settled(blind, discord_, await place.member.press(reply, "Share"))
    assert len(public(discord_, place)) == len(before) + 1
    (shared,) = [message for message in public(discord_, place) if message not in before]
    await settled(blind, discord_, await place.member.press(shared, "Next"))
    await settled(blind, discord_, await place.member.press(shared, "Answer"))


@pytest.mark.parametrize("off", ["channel", "category", "server"])
@pytest.mark.parametrize("where", ["channel", "thread"])
async def test_what_is_off_stays_off_without_the_intent(
    blind: commands.Bot, place: Place, staff: Staff, discord_: LoopbackDiscord, off: str, where: str
) -> None:
    """SW-28: the switches of a channel, its category and the server hold for commands and for buttons of before."""
    channel = staff.places[where]
    reply = await (await place.member.invoke(channel, "search", query=QUERY, private=True)).reply()
    if off == "server":
        await tell(staff.manager, staff.channel, "off", server=True)
    else:
        await tell(
            staff.moderator, staff.channel, "off", channel=staff.category if off == "category" else staff.channel
        )
    again = await (await place.member.invoke(channel, "search", query="another question")).reply()
    assert again.ephemeral
    assert "Web search is off" in sentence(again)
    before = public(discord_, place)
    for button in ("Answer", "Share"):
        await settled(blind, discord_, await place.member.press(reply, button))
    assert public(discord_, place) == before


async def test_a_server_that_joined_later_keeps_its_settings(blind: commands.Bot, discord_: LoopbackDiscord) -> None:
    """SW-28: nobody takes a server for left of which Discord just didn't tell."""
    later = discord_.add_guild("Annex")
    channel = later.add_text_channel("hall")
    keeper = later.add_member("keeper", permissions=Permission.MANAGE_CHANNELS)
    await tell(keeper, channel, "off")
    assert blind.get_guild(later.id) is None
    assert not await cog_of(blind).compare(channels=True)
    kept = cog_of(blind).service.switchboard._store  # noqa: SLF001 - nothing else shows a departure before its end
    assert not await kept.departed()
