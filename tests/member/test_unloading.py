"""Hold that nobody is left waiting where the cog is unloaded or reloaded, or the bot ends."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from bots import Place, RunBot, cog_of, sentence, titles
from cogs.websearch import cog as cog_module
from cogs.websearch import views
from loopback_exa import LoopbackExa, faults

if TYPE_CHECKING:
    from discord.ext import commands

    from cogs.websearch.playground.discord import LoopbackDiscord

QUERY = "a search that an unload cuts short"
RESTARTED = "Web search is being restarted: try again in a moment."
COG = "WebSearch"

pytestmark = pytest.mark.usefixtures("no_mistakes")


def counted(settings: dict[str, object]) -> tuple[int, int]:
    """Tell the searches, and their cost, that the database has counted for all members together."""
    with closing(sqlite3.connect(str(settings["web-database"]))) as database:
        searches, cost = database.execute("SELECT max(searches), max(cost) FROM counter WHERE day > 0").fetchone()
    return searches or 0, cost or 0


@pytest.mark.parametrize("how", ["unload", "end"])
async def test_searches_under_way_end_in_a_sentence(
    run_bot: RunBot, place: Place, discord_: LoopbackDiscord, exa: LoopbackExa, settings: dict[str, object], how: str
) -> None:
    """FLT-23: whether cog or bot goes, each asker reads why, alone, and only what may be billed counts."""
    exa.hold()
    async with run_bot() as bot:
        asked = [
            await who.invoke(place.channel, "search", query=f"{QUERY} {who.id}", private=private)
            for who, private in ((place.member, False), (place.other, True), (place.moderator, False))
        ]
        await exa.received(3)
        if how == "unload":
            await bot.remove_cog(COG)
    replies = [await inv.reply() for inv in asked]
    assert [sentence(reply) for reply in replies] == [RESTARTED] * 3
    assert all(reply.ephemeral for reply in replies)
    assert not any(message.loading for message in discord_.messages.values() if not message.deleted)
    # Three at Exa's price of a search, since the engine was asked.
    assert counted(settings) == (0, 21_000)


async def test_a_search_that_is_being_charged_is_given_back(
    bot: commands.Bot, place: Place, settings: dict[str, object], exa: LoopbackExa
) -> None:
    """FLT-23: an unload while the database still counts the search lets it count for nothing, and asks no engine."""
    with closing(sqlite3.connect(str(settings["web-database"]), isolation_level=None)) as blocker:
        blocker.execute("BEGIN IMMEDIATE")
        inv = await place.member.invoke(place.channel, "search", query=QUERY)
        await inv.acknowledged()
        unloading = asyncio.create_task(bot.remove_cog(COG))
        # In its first turn it tells the search that it's over.
        await asyncio.sleep(0)
        blocker.execute("ROLLBACK")
        await unloading
    assert sentence(await inv.reply()) == RESTARTED
    assert counted(settings) == (0, 0)
    assert exa.requests == []


async def test_a_search_that_has_its_results_shows_them(
    bot: commands.Bot, place: Place, discord_: LoopbackDiscord, settings: dict[str, object]
) -> None:
    """FLT-23: an unload waits for a reply that is on its way."""
    hold = discord_.hold("PATCH", r"/messages/@original$")
    inv = await place.member.invoke(place.channel, "search", query=QUERY)
    await hold.reached()
    unloading = asyncio.create_task(bot.remove_cog(COG))
    await asyncio.sleep(0)
    assert not unloading.done()
    hold.release()
    await unloading
    assert titles(await inv.reply())
    assert counted(settings)[0] == 1


async def test_an_unload_does_not_wait_for_ever(
    bot: commands.Bot, place: Place, discord_: LoopbackDiscord, exa: LoopbackExa, monkeypatch: pytest.MonkeyPatch
) -> None:
    """FLT-25: neither for an engine that hangs nor for a Discord that does; no task stays."""
    monkeypatch.setattr(cog_module, "_UNLOAD_SECONDS", 0.05)
    before = asyncio.all_tasks()
    exa.fail(faults.hang)
    hold = discord_.hold("*", r"/messages/@original$", after=True)
    for who in (place.member, place.other):
        await who.invoke(place.channel, "search", query=f"{QUERY} {who.id}")
    await hold.reached()
    await bot.remove_cog(COG)
    left = {task.get_name() for task in asyncio.all_tasks() - before}
    assert not {name for name in left if "CommandTree" in name or "websearch" in name}
    assert sum("original" in request.path for request in discord_.requests) == 2
    hold.release()


@pytest.mark.parametrize("how", ["unload", "reload"])
@pytest.mark.parametrize("button", ["Next", "Delete"])
async def test_a_press_under_way_is_answered(
    bot: commands.Bot, place: Place, discord_: LoopbackDiscord, how: str, button: str
) -> None:
    """FLT-24: the page turns, or the reply goes, and an unload waits for that."""
    reply = await (await place.member.invoke(place.channel, "search", query=QUERY)).reply()
    hold = discord_.hold("POST", r"/callback$")
    press = await place.member.press(reply, button)
    await hold.reached()
    cog = cog_of(bot)
    unloading = asyncio.create_task(bot.remove_cog(COG))
    await asyncio.sleep(0)
    hold.release()
    await unloading
    if how == "reload":
        await bot.add_cog(type(cog)(bot, cog.config, clock=discord_.clock.now))
    await press.reply()
    assert reply.deleted if button == "Delete" else "page 2 of 2" in reply.embeds[0]["description"]
    assert press.followups == []


async def test_a_press_that_comes_as_the_cog_goes_is_told(
    bot: commands.Bot, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """FLT-24: a button that was found before the cog went, and runs after, says that search is being restarted."""
    reply = await (await place.member.invoke(place.channel, "search", query=QUERY)).reply()
    # As for a press whose task begins in the very moment of the unload.
    monkeypatch.setattr(bot, "remove_dynamic_items", lambda *_: None)
    await bot.remove_cog(COG)
    told = await (await place.member.press(reply, "Next")).reply()
    assert (sentence(told), told.ephemeral) == (RESTARTED, True)
    monkeypatch.undo()
    bot.remove_dynamic_items(*views.BUTTONS)


async def test_a_press_while_the_cog_is_away_does_nothing(
    bot: commands.Bot, place: Place, discord_: LoopbackDiscord, exa: LoopbackExa
) -> None:
    """FLT-24: nobody answers then; once the cog is back, the same button works."""
    reply = await (await place.member.invoke(place.channel, "search", query=QUERY)).reply()
    cog = cog_of(bot)
    await bot.remove_cog(COG)
    lost = await place.member.press(reply, "Next")
    await bot.add_cog(type(cog)(bot, cog.config, clock=discord_.clock.now))
    await (await place.member.press(reply, "Next")).reply()
    assert "page 2 of 2" in reply.embeds[0]["description"]
    assert not lost.was_acknowledged
    assert len(exa.requests) == 1
