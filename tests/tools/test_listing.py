"""Hold which tools are listed, for whom and where."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from bots import Place, RunBot, cog_of
from chatting import ALL, PAUSE, QUERY, Chat
from cogs.websearch import WebSearch
from cogs.websearch.settings import PlaceKind, Spot
from loopback_exa import LoopbackExa, faults
from loopback_searxng import LoopbackSearxng

if TYPE_CHECKING:
    from discord.ext import commands

    from cogs.websearch.playground.discord import LoopbackDiscord
    from staff import Staff

pytestmark = pytest.mark.usefixtures("no_mistakes")

# A private thread that the bot is not in is one that it can't see.
KINDS = ["channel", "thread", "forum post", "voice"]


async def switch(bot: commands.Bot, spot: Spot, *, on: bool) -> None:
    """Switch searching on or off at a place, as a moderator does."""
    await cog_of(bot).service.switchboard.switch(spot, on=on, by=1)


def spot(place: Place, kind: PlaceKind, id_: int, parent: int | None = None) -> Spot:
    """Name a place of the server."""
    return Spot(guild_id=place.guild.id, id=id_, kind=kind, parent_id=parent)


async def test_all_are_listed_where_all_can_be_used(chat: Chat, bot: commands.Bot, place: Place) -> None:
    """TOOL-01: with an engine that searches, reads and answers, in a server and in direct messages."""
    assert await chat.names() == ALL
    direct = Chat(bot, None, place.channel.id + 1, place.member.id)
    assert await direct.names() == ALL


async def test_the_main_switch_takes_all_away(
    run_bot: RunBot, settings: dict[str, object], place: Place, exa: LoopbackExa
) -> None:
    """TOOL-02: where the owner has it off, nothing is listed, and a call says so and asks nobody."""
    settings["enable-web-search"] = False
    async with run_bot() as bot:
        chat = Chat.of(bot, place)
        assert await chat.names() == []
        assert "only the bot's owner" in (await chat.call("web_search", query=QUERY))["error"]
    assert exa.requests == []


@pytest.mark.parametrize("kind", KINDS)
async def test_a_place_that_is_off_lists_none(staff: Staff, bot: commands.Bot, place: Place, kind: str) -> None:
    """TOOL-02: a thread follows its channel, a channel its category, by what the bot knows of them, from ids alone."""
    chat = Chat(bot, place.guild.id, staff.places[kind].id, place.member.id)
    assert await chat.names() == ALL
    await switch(bot, spot(place, PlaceKind.CATEGORY, staff.category.id), on=False)
    assert await chat.names() == []
    assert (await chat.call("web_search", query=QUERY))["error"].startswith("Web search is off in this category")
    where = staff.places[kind]
    nearest = where.parent.id if where.is_thread and where.parent else where.id
    await switch(bot, spot(place, PlaceKind.CHANNEL, nearest), on=True)
    assert await chat.names() == ALL


async def test_a_host_that_names_no_server_does_not_get_around_its_switch(
    bot: commands.Bot, place: Place, exa: LoopbackExa
) -> None:
    """TOOL-02: the channel's own server counts, whatever the host says, also for the server's limit."""
    await switch(bot, spot(place, PlaceKind.SERVER, place.guild.id), on=False)
    for said in (None, place.guild.id + 1):
        chat = Chat(bot, said, place.channel.id, place.member.id)
        assert await chat.names() == []
        assert "off in this server" in (await chat.call("web_search", query=QUERY))["error"]
    assert exa.requests == []
    await switch(bot, spot(place, PlaceKind.SERVER, place.guild.id), on=True)
    await Chat(bot, None, place.channel.id, place.member.id).call("web_search", query=QUERY)
    assert (await cog_of(bot).service.usage(guild_id=place.guild.id)).server.searches == 1


async def test_what_memory_lacks_is_asked_of_discord(
    staff: Staff, bot: commands.Bot, place: Place, discord_: LoopbackDiscord
) -> None:
    """TOOL-02: of a thread that isn't in memory, channel and category are fetched, and only where they matter."""
    thread = staff.places["thread"]
    guild = bot.get_guild(place.guild.id)
    assert guild is not None
    known = guild.get_thread(thread.id)
    assert known is not None
    guild._remove_thread(known)  # noqa: SLF001 - nothing public forgets a thread
    chat = Chat(bot, place.guild.id, thread.id, place.member.id)
    asked = len(discord_.requests)
    assert await chat.names() == ALL
    assert len(discord_.requests) == asked
    await switch(bot, spot(place, PlaceKind.CATEGORY, staff.category.id), on=False)
    assert await chat.names() == []
    assert [request.path for request in discord_.requests[asked:]] == [f"/channels/{thread.id}"]
    await switch(bot, spot(place, PlaceKind.THREAD, thread.id, staff.channel.id), on=True)
    assert await chat.names() == ALL


async def test_what_discord_does_not_tell_counts_as_off(
    bot: commands.Bot, place: Place, staff: Staff, discord_: LoopbackDiscord
) -> None:
    """TOOL-02: of a channel that can't be fetched nothing is listed where some channel of the server has a setting."""
    await switch(bot, spot(place, PlaceKind.CHANNEL, staff.channel.id), on=True)
    discord_.fail("GET", r"/channels/\d+$", status=403, times=None)
    chat = Chat(bot, place.guild.id, 1, place.member.id)
    assert await chat.names() == []
    assert "can't see the channel" in (await chat.call("web_search", query=QUERY))["error"]


async def test_a_thread_of_another_server_is_not_taken_for_one_of_this(
    staff: Staff, bot: commands.Bot, place: Place, discord_: LoopbackDiscord
) -> None:
    """TOOL-02: where Discord says that a thread is elsewhere than the host does, nobody knows what holds there."""
    thread = bot.get_guild(place.guild.id).get_thread(staff.places["thread"].id)  # type: ignore[union-attr] # it's there
    assert thread is not None
    thread.guild._remove_thread(thread)  # noqa: SLF001 - nothing public forgets a thread
    joined = asyncio.create_task(bot.wait_for("guild_join"))
    other = discord_.add_guild("Elsewhere")
    channel = other.add_text_channel("lounge")
    await joined
    here = Spot(guild_id=other.id, id=channel.id, kind=PlaceKind.CHANNEL)
    await switch(bot, here, on=True)
    chat = Chat(bot, other.id, thread.id, place.member.id)
    assert await chat.names() == []
    assert "can't see the channel" in (await chat.call("web_search", query=QUERY))["error"]


@pytest.mark.parametrize("fault", [faults.error(401, "INVALID_API_KEY"), faults.error(402, "NO_MORE_CREDITS")])
async def test_an_engine_that_refuses_is_not_offered(chat: Chat, exa: LoopbackExa, fault: faults.Fault) -> None:
    """TOOL-03: once the key or the credit was refused, a model isn't offered what can't work."""
    exa.fail(fault, always=fault)
    assert "tell the bot's owner" in (await chat.call("web_search", query=QUERY))["error"]
    names = await chat.names()
    assert "web_search" not in names
    assert "web_fetch" not in names


async def test_an_engine_that_is_down_is_offered(chat: Chat, exa: LoopbackExa) -> None:
    """TOOL-03: that's over in a minute, and a call says when to try again, without asking the engine."""
    exa.fail(always=faults.error(500))
    for _ in range(5):
        await chat.call("web_search", query=QUERY)
    asked = len(exa.requests)
    assert "web_search" in await chat.names()
    assert "try again in about" in (await chat.call("web_search", query=QUERY))["error"]
    assert len(exa.requests) == asked


async def test_what_an_engine_cannot_do_is_not_offered(
    run_bot: RunBot, settings: dict[str, object], place: Place
) -> None:
    """TOOL-03: SearXNG neither reads nor answers, and a call of what isn't listed says so and charges nothing."""
    async with LoopbackSearxng() as searxng:
        settings |= {"web-backend": "searxng", "searxng-url": searxng.url}
        async with run_bot() as bot:
            chat = Chat.of(bot, place)
            assert await chat.names() == ["web_search", "web_search_pause"]
            assert "call web_search" in (await chat.call("web_answer", query=QUERY))["error"]
            assert "can't read pages" in (await chat.call("web_fetch", url="https://example.com"))["error"]
            assert await chat.counted() == 0


@pytest.mark.parametrize("allowed", [False, True])
async def test_outside_of_the_bots_servers_the_owner_decides(
    run_bot: RunBot,
    settings: dict[str, object],
    place: Place,
    discord_: LoopbackDiscord,
    allowed: bool,  # noqa: FBT001 - pytest passes it by name
) -> None:
    """TOOL-04: in a server without the bot, and where the host says that it acts for the member alone."""
    settings["web-user-install"] = allowed
    elsewhere = discord_.add_guild("Elsewhere", installed=False)
    channel = elsewhere.add_text_channel("lounge")
    async with run_bot() as bot:
        cog = cog_of(bot)
        expected = 4 if allowed else 0
        assert len(await Chat(bot, elsewhere.id, channel.id, place.member.id).names()) == expected
        mine = {"guild_id": None, "channel_id": 5, "user_id": place.member.id, "user_install": True}
        assert len(await cog.tools(**mine)) == expected  # type: ignore[arg-type] # each is of its own type
        found = await cog.call_tool("web_search", {"query": QUERY}, **mine)  # type: ignore[arg-type] # likewise
        assert ("results" in found) == allowed


async def test_a_failing_database_lists_none(
    chat: Chat, settings: dict[str, object], caplog: pytest.LogCaptureFixture
) -> None:
    """TOOL-05: where nobody can tell whether the member paused, nothing is offered, and a call says what failed."""
    with closing(sqlite3.connect(str(settings["web-database"]))) as vandal:
        vandal.execute("ALTER TABLE pause RENAME TO hidden")
    assert await chat.names() == []
    assert "database failed" in (await chat.call("web_search", query=QUERY))["error"]
    assert "database failed" in (await chat.call("web_search_pause", paused=True))["error"]
    with closing(sqlite3.connect(str(settings["web-database"]))) as vandal:
        vandal.execute("ALTER TABLE hidden RENAME TO pause")
    assert await chat.names() == ALL
    caplog.clear()


async def test_before_it_is_loaded_and_after_it_was_unloaded(
    bot: commands.Bot, place: Place, settings: dict[str, object]
) -> None:
    """TOOL-05: whoever holds on to a cog that isn't loaded finds no tools, and reads that it's being restarted."""
    loaded = cog_of(bot)
    await bot.remove_cog("WebSearch")
    for cog in (loaded, WebSearch(bot, settings)):
        where = Chat.of(bot, place).where
        assert await cog.tools(**where) == []
        for name in ALL:
            said = await cog.call_tool(name, {"query": QUERY, "url": "https://example.com", "paused": True}, **where)
            assert said == {"error": "Web search is being restarted: try again in a moment."}


async def test_a_list_is_the_hosts_own(chat: Chat, bot: commands.Bot) -> None:
    """TOOL-01: a host may change what it got, and the next list is as the first."""
    cog = cog_of(bot)
    (first, *_) = await cog.tools(**chat.where)
    first["function"]["parameters"]["properties"].clear()
    (again, *_) = await cog.tools(**chat.where)
    assert set(again["function"]["parameters"]["properties"]) == {"query", "num_results"}
    with pytest.raises(ValueError, match="gemini"):
        await cog.tools(**chat.where, shape="gemini")


async def test_a_pause_is_seen_where_searching_is_off_later(chat: Chat, bot: commands.Bot, place: Place) -> None:
    """TOOL-06: a member who paused and a place that's off list nothing; on again it's the pause alone."""
    await chat.call("web_search_pause", paused=True)
    assert await chat.names() == PAUSE
    await switch(bot, spot(place, PlaceKind.SERVER, place.guild.id), on=False)
    assert await chat.names() == []
