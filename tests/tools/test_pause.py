"""Hold what a member's pause stops, and what it doesn't."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from bots import Place, RunBot, cog_of, titles
from chatting import ALL, PAUSE, QUERY, Chat

if TYPE_CHECKING:
    from discord.ext import commands

    from cogs.websearch.playground.discord import LoopbackDiscord
    from loopback_exa import LoopbackExa

pytestmark = pytest.mark.usefixtures("no_mistakes")

REFUSED = (
    "The member asked for no web search, so nothing was searched: answer without it. Only once they ask to search"
    " again, call web_search_pause with paused set to false."
)


async def test_a_pause_leaves_the_way_back_alone(chat: Chat, exa: LoopbackExa) -> None:
    """TOOL-06, TOOL-07: listed is what ends it, described as that; each other call is refused, at no cost."""
    assert await chat.call("web_search_pause", paused=True) == {"paused": True}
    assert await chat.call("web_search_pause", paused=True) == {"paused": True}
    assert await chat.names() == PAUSE
    (only,) = await cog_of(chat.bot).tools(**chat.where)
    assert "only when they ask to search again" in only["function"]["description"]
    for name in ("web_search", "web_answer", "web_fetch"):
        assert await chat.call(name, query=QUERY, url="https://docs.example.org") == {"error": REFUSED}
    assert exa.requests == []
    assert await chat.counted() == 0
    assert await chat.call("web_search_pause", paused=False) == {"paused": False}
    assert await chat.names() == ALL
    assert "results" in await chat.call("web_search", query=QUERY)


async def test_it_holds_everywhere_and_for_one_member(bot: commands.Bot, place: Place, chat: Chat) -> None:
    """TOOL-07: in every server and in direct messages, and for nobody else."""
    await chat.call("web_search_pause", paused=True)
    assert await Chat(bot, None, 5, place.member.id).names() == PAUSE
    assert await Chat(bot, place.guild.id, place.channel.id, place.other.id).names() == ALL


async def test_members_search_by_themselves_all_the_same(place: Place, chat: Chat, discord_: LoopbackDiscord) -> None:
    """TOOL-07: commands and buttons of the member's own aren't touched."""
    await chat.call("web_search_pause", paused=True)
    reply = await (await place.member.invoke(place.channel, "search", query=QUERY)).reply()
    first = titles(reply)
    await place.member.press(reply, "Next")
    await discord_.until(lambda: titles(reply) != first)


async def test_it_outlives_a_restart(run_bot: RunBot, place: Place) -> None:
    """TOOL-08: another bot on the same database knows it, also after an unload and a load."""
    async with run_bot() as bot:
        await Chat.of(bot, place).call("web_search_pause", paused=True)
    async with run_bot() as bot:
        chat = Chat.of(bot, place)
        assert await chat.names() == PAUSE
        await chat.call("web_search_pause", paused=False)
        assert await chat.names() == ALL


async def test_it_can_be_said_where_searching_is_off(
    run_bot: RunBot, settings: dict[str, object], place: Place
) -> None:
    """TOOL-08: a member's word counts also where nothing is listed, and holds where searching is on later."""
    settings["enable-web-search"] = False
    async with run_bot() as bot:
        assert await Chat.of(bot, place).call("web_search_pause", paused=True) == {"paused": True}
    settings["enable-web-search"] = True
    async with run_bot() as bot:
        assert await Chat.of(bot, place).names() == PAUSE


async def test_calls_at_once_end_in_one_state(chat: Chat) -> None:
    """TOOL-08: a model that pauses and searches in one breath gets a result of each, and the pause holds then."""
    calls = [("web_search_pause", {"paused": True}), *[("web_search", {"query": f"{QUERY} {n}"}) for n in range(5)]]
    paused, *searched = await asyncio.gather(*(chat.call(name, given) for name, given in calls))
    assert paused == {"paused": True}
    assert all("results" in one or one == {"error": REFUSED} for one in searched)
    assert await chat.counted() == sum("results" in one for one in searched)
    assert await chat.names() == PAUSE
