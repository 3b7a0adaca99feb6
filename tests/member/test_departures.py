"""Hold what becomes of settings when places and servers go, and of places that the bot can't see."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from discord.ext import commands

from bots import Place, RunBot, cog_of, connected_bot, sentence, titles
from cogs.websearch import WebSearch
from cogs.websearch.playground.discord import Member, Permission
from staff import OFF_IN_CHANNEL

if TYPE_CHECKING:
    from cogs.websearch.playground.discord import Channel, LoopbackDiscord

QUERY = "pictures of a distant galaxy"
DAY = 86_400
UNSEEN = "here: the bot can't see the channel that this thread follows. Search in another channel, or tell a moderator."


@pytest.fixture
def keeper(place: Place) -> Member:
    """Make a moderator of every channel."""
    return place.guild.add_member("keeper", permissions=Permission.MANAGE_CHANNELS | Permission.MANAGE_GUILD)


async def switch_off(keeper: Member, where: Channel) -> None:
    """Switch searching off in a place, by a command in another one if nobody can write there."""
    reply = await (await keeper.invoke(where, "websearch off")).reply()
    assert "**off**" in reply.embeds[0]["description"]


async def search(member: Member, where: Channel) -> str:
    """Search, and return the sentence that refuses it, or nothing where there are results."""
    reply = await (await member.invoke(where, "search", query=QUERY)).reply()
    return "" if titles(reply) else sentence(reply)


def stored(settings: dict[str, object]) -> set[int]:
    """Return the ids of the places that have settings in the database."""
    with closing(sqlite3.connect(str(settings["web-database"]))) as connection:
        return {place_id for (place_id,) in connection.execute("SELECT place_id FROM setting")}


async def gone(bot: commands.Bot, settings: dict[str, object], kept: set[int]) -> None:
    """Wait until only these places have settings; an event of Discord's has no answer to wait for."""
    board = cog_of(bot).service.switchboard
    known: set[int] = set()
    while known != kept:
        board.settings = await board._store.load()  # noqa: SLF001 - each look is a turn of the database's thread
        known = {one.spot.id for guild_id in board.settings.guild_ids for one in board.settings.of_guild(guild_id)}
    assert stored(settings) == kept


async def test_what_is_deleted_takes_its_settings_along(
    bot: commands.Bot, place: Place, keeper: Member, settings: dict[str, object]
) -> None:
    """SW-18: a channel with its threads, archived ones too; a category, whose channels keep theirs; a thread."""
    category = place.guild.add_category("Staff")
    kept = place.guild.add_text_channel("kept", category=category)
    thread, channel = place.channel.add_thread("talk"), place.guild.add_text_channel("desk")
    inside, archived = channel.add_thread("inside"), channel.add_thread("archived")
    for where in (kept, thread, channel, inside, archived):
        await switch_off(keeper, where)
    await (await keeper.invoke(kept, "websearch off", channel=category)).reply()
    archived.archived = True
    archived.tell("UPDATE")
    channel.delete()
    await gone(bot, settings, {kept.id, thread.id, category.id})
    thread.delete()
    await gone(bot, settings, {kept.id, category.id})
    category.delete()
    await gone(bot, settings, {kept.id})
    assert await search(place.member, kept) == OFF_IN_CHANNEL


async def test_what_is_archived_or_out_of_sight_is_not_gone(
    run_bot: RunBot, place: Place, keeper: Member, settings: dict[str, object], discord_: LoopbackDiscord
) -> None:
    """SW-18, SW-19: the next start asks Discord about what it doesn't see, and forgets only what is unknown there."""
    archived, hidden = place.channel.add_thread("archived"), place.guild.add_text_channel("hidden")
    deleted, thread = place.guild.add_text_channel("deleted"), place.channel.add_thread("deleted")
    async with run_bot():
        for where in (archived, hidden, deleted, thread):
            await switch_off(keeper, where)
    archived.archived = True
    hidden.deny(place.guild.everyone, Permission.VIEW_CHANNEL)
    deleted.delete()
    thread.delete()
    async with run_bot() as bot:
        await gone(bot, settings, {archived.id, hidden.id})
    assert {request.status for request in discord_.requests if request.path == f"/channels/{hidden.id}"} == {403}


async def test_a_bot_that_loads_the_cog_first_compares_when_it_is_ready(
    run_bot: RunBot, place: Place, keeper: Member, settings: dict[str, object], discord_: LoopbackDiscord
) -> None:
    """SW-19, SW-20: as hosts do it, before there is a connection; nothing is judged until there is one."""
    deleted, other = place.guild.add_text_channel("deleted"), discord_.add_guild("Elsewhere")
    manager = other.add_member(keeper.user, permissions=Permission.MANAGE_CHANNELS)
    async with run_bot():
        await switch_off(keeper, deleted)
        await switch_off(manager, other.add_text_channel("general"))
    deleted.delete()
    other.kick_bot()

    class Early(commands.Bot):
        """Load the cog where hosts do."""

        async def setup_hook(self) -> None:
            """Load it, and hold that nothing is forgotten yet."""
            await self.add_cog(WebSearch(self, settings, clock=discord_.clock.now))
            await cog_of(self).compare(channels=True)
            assert len(stored(settings)) == 2

    async with connected_bot(discord_, Early) as bot:
        await departed(bot, {other.id})
        while deleted.id in stored(settings):
            await departed(bot, {other.id})


async def test_a_discord_that_fails_tells_nothing(
    run_bot: RunBot, place: Place, keeper: Member, settings: dict[str, object], discord_: LoopbackDiscord
) -> None:
    """SW-19: where Discord can't say whether a channel is there, its settings stay."""
    deleted, other = place.guild.add_text_channel("deleted"), place.guild.add_text_channel("other")
    async with run_bot():
        await switch_off(keeper, deleted)
        await switch_off(keeper, other)
    deleted.delete()
    other.delete()
    discord_.fail("GET", f"/channels/{deleted.id}", status=404, body={"message": "404: Not Found", "code": 0})
    async with run_bot() as bot:
        await gone(bot, settings, {deleted.id})


async def test_a_server_has_a_time_of_grace(
    run_bot: RunBot, place: Place, keeper: Member, settings: dict[str, object], discord_: LoopbackDiscord
) -> None:
    """SW-20: settings outlive a departure for as long as configured, and stay if the bot comes back before."""
    settings["web-guild-grace-days"] = 2
    async with run_bot() as bot:
        await switch_off(keeper, place.channel)
        cog = cog_of(bot)
        place.guild.kick_bot()
        await departed(bot, {place.guild.id})
        discord_.clock.advance(2 * DAY - 1)
        await cog.forget_left()
        place.guild.install()
        await departed(bot, set())
        discord_.clock.advance(DAY)
        await cog.forget_left()
        assert await search(place.member, place.channel) == OFF_IN_CHANNEL
        place.guild.kick_bot()
        await departed(bot, {place.guild.id})
        discord_.clock.advance(2 * DAY)
        await cog.forget_left()
        assert stored(settings) == set()
        await departed(bot, set())


async def departed(bot: commands.Bot, guild_ids: set[int]) -> None:
    """Wait until the database knows that just these servers were left."""
    kept = cog_of(bot).service.switchboard._store  # noqa: SLF001 - each look is a turn of the database's thread
    while set(await kept.departed()) != guild_ids:
        pass


async def test_a_departure_while_the_bot_was_down_is_found(
    run_bot: RunBot, place: Place, keeper: Member, discord_: LoopbackDiscord
) -> None:
    """SW-20: when it's ready, the grace begins; and ends where the server is back at the next start."""
    other = discord_.add_guild("Elsewhere")
    async with run_bot() as bot:
        await switch_off(keeper, place.channel)
        await departed(bot, set())
    place.guild.kick_bot()
    async with run_bot() as bot:
        await departed(bot, {place.guild.id})
    place.guild.install()
    async with run_bot() as bot:
        await departed(bot, set())
        assert bot.get_guild(other.id) is not None


async def test_a_server_that_came_back_while_the_bot_was_down(
    run_bot: RunBot, place: Place, keeper: Member, settings: dict[str, object], discord_: LoopbackDiscord
) -> None:
    """SW-20: what nobody has compared yet is never deleted, however long ago the bot was seen to leave."""
    async with run_bot() as bot:
        await switch_off(keeper, place.channel)
        place.guild.kick_bot()
        await departed(bot, {place.guild.id})
    discord_.clock.advance(29 * DAY)
    place.guild.install()
    discord_.clock.advance(2 * DAY)

    class Early(commands.Bot):
        """Load the cog where hosts do."""

        async def setup_hook(self) -> None:
            """Load it, and hold that the first purge leaves all of it."""
            await self.add_cog(WebSearch(self, settings, clock=discord_.clock.now))
            assert not await cog_of(self).compare(channels=True)
            await cog_of(self)._purge()  # noqa: SLF001 - what the loop does each hour

    async with connected_bot(discord_, Early) as bot:
        await departed(bot, set())
        await bot.tree.sync()
        assert await search(place.member, place.channel) == OFF_IN_CHANNEL


async def test_a_server_that_is_known_to_be_there_is_never_forgotten(
    run_bot: RunBot, place: Place, keeper: Member, settings: dict[str, object], discord_: LoopbackDiscord
) -> None:
    """SW-20: not even where the database says that it was left; one that was left is forgotten by the hourly purge."""
    other = discord_.add_guild("Elsewhere")
    async with run_bot() as bot:
        await switch_off(keeper, place.channel)
        board, cog = cog_of(bot).service.switchboard, cog_of(bot)
        await board.depart(place.guild.id)
        discord_.clock.advance(99 * DAY)
        await cog.forget_left()
        assert stored(settings) == {place.channel.id}
        await board.come_back(place.guild.id)
        place.guild.kick_bot()
        await departed(bot, {place.guild.id})
        discord_.clock.advance(99 * DAY)
        await cog._purge()  # noqa: SLF001 - what the loop does each hour
        assert stored(settings) == set()
        assert bot.get_guild(other.id) is not None


async def test_another_shards_server_is_left_alone(
    run_bot: RunBot, place: Place, keeper: Member, settings: dict[str, object], discord_: LoopbackDiscord
) -> None:
    """SW-21: a process that doesn't have a server's shard takes it neither for left nor its channels for deleted."""
    async with run_bot():
        await switch_off(keeper, place.channel)
    mine = (place.guild.id >> 22) % 2
    for shard, left in ((1 - mine, set()), (mine, {place.guild.id})):
        place.guild.installed = False

        def sharded(*args: object, shard: int = shard, **options: object) -> commands.Bot:
            return commands.Bot(*args, shard_id=shard, shard_count=2, **options)  # type: ignore[arg-type] # passed on

        async with connected_bot(discord_, sharded) as bot:  # type: ignore[arg-type] # what makes a bot does as well
            await bot.add_cog(WebSearch(bot, settings, clock=discord_.clock.now))
            await cog_of(bot).compare(channels=True)
            await departed(bot, left)
            if not left:
                board = cog_of(bot).service.switchboard
                await board.depart(place.guild.id)
                discord_.clock.advance(99 * DAY)
                await cog_of(bot).forget_left()
                await board.come_back(place.guild.id)
        assert stored(settings) == {place.channel.id}


@pytest.mark.parametrize("seen", [True, False])
async def test_a_thread_whose_channel_is_not_in_memory(
    run_bot: RunBot, place: Place, keeper: Member, discord_: LoopbackDiscord, *, seen: bool
) -> None:
    """SW-04, SW-05: its category is asked for after the acknowledgement; if that stays unknown, searching is off."""
    category = place.guild.add_category("Staff")
    channel = place.guild.add_text_channel("desk", category=category)
    channel.deny(place.guild.bot_role, Permission.VIEW_CHANNEL)
    thread = channel.add_thread("talk")
    async with run_bot() as bot:
        # From now on Discord would answer, while what was announced at the start is all that the bot remembers.
        channel.allow(place.guild.bot_role, Permission.VIEW_CHANNEL)
        if not seen:
            discord_.fail("GET", f"/channels/{channel.id}", status=403, code=50001, times=None)
        guild = bot.get_guild(place.guild.id)
        assert guild is not None
        assert guild.get_channel(channel.id) is None
        # No category has a setting: nobody needs to know which one this is.
        assert await search(place.member, thread) == ""
        asked = [request for request in discord_.requests if request.path == f"/channels/{channel.id}"]
        assert asked == []
        other = place.guild.add_category("Other")
        await (await keeper.invoke(place.channel, "websearch on", channel=other)).reply()
        said = await search(place.member, thread)
        assert said == ("" if seen else f"Web search is off {UNSEEN}")
        await (await keeper.invoke(place.channel, "websearch off", channel=category)).reply()
        inv = await place.member.invoke(thread, "search", query=QUERY)
        reply = await inv.reply()
        assert inv.callbacks[0]["type"] == 5
        assert reply.ephemeral
        category_rule = "in this category of channels: search in another channel, or ask a moderator to switch it on."
        assert sentence(reply) == f"Web search is off {category_rule if seen else UNSEEN}"
