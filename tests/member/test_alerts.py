"""Hold what the bot's owner is told of trouble, how often, and what members read meanwhile."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

import discord
import pytest
from discord.ext import commands

import alert_tools
from alert_tools import BEGINS, CREDITS, DOWN, ENDS, KEY, QUERY, alerts_sent, direct, search
from bots import Place, RunBot, cog_of, connected_bot, sentence, titles
from cogs.websearch import WebSearch, WebSearchError, alerts
from cogs.websearch.troubles import Kind
from loopback_exa import faults
from staff import Staff, ask, line
from ticks import Ticks
from trouble import rename_table, settled

if TYPE_CHECKING:
    from pathlib import Path

    from cogs.websearch.playground.discord import LoopbackDiscord
    from loopback_exa import LoopbackExa

REFUSED = "Exa doesn't accept the bot's key: tell the bot's owner."
NO_CREDIT = "The bot's credit at Exa is used up: tell the bot's owner."
HOUR = 3600


@pytest.fixture(autouse=True)
def wide(settings: dict[str, object]) -> None:
    """Let a member search as often as a test likes."""
    settings["web-per-minute"] = settings["web-daily-per-user"] = 1000


@pytest.mark.parametrize("kind", list(Kind))
async def test_a_trouble_is_told_once_an_hour(
    run_bot: RunBot, settings: dict[str, object], place: Place, discord_: LoopbackDiscord, exa: LoopbackExa, kind: Kind
) -> None:
    """ALR-01, ALR-02, ALR-04, ALR-14: fifty searches at once bring one message, as do more, and an hour later one."""
    if kind is Kind.BUDGET:
        settings["web-daily-budget-usd"] = 0
    async with run_bot():
        await alert_tools.begin(kind, settings, exa)
        replies = await search(place, 50)
        assert all(reply.ephemeral for reply in replies)
        await alerts_sent()
        assert [text[: len(BEGINS[kind])] for text in direct(discord_)] == [BEGINS[kind]]
        await search(place, 5)
        discord_.clock.advance(HOUR - 10)
        await search(place)
        await alerts_sent()
        assert len(direct(discord_)) == 1
        discord_.clock.advance(20)
        await search(place)
        await alerts_sent()
        told = direct(discord_)
        assert len(told) == (1 if kind is Kind.BUDGET else 2)
        if kind is Kind.BUDGET:
            discord_.clock.advance(24 * HOUR)
            await search(place)
            await alerts_sent()
            assert len(direct(discord_)) == 2
        else:
            assert "57 searches have failed since <t:" in told[1]
        assert not any(QUERY in text or exa.key in text for text in direct(discord_))
    messages = discord_.open_dm(discord_.owner).messages
    assert all(message.allowed_mentions == {"parse": []} for message in messages)


async def test_searches_alone_count_as_failed(
    run_bot: RunBot, settings: dict[str, object], place: Place, discord_: LoopbackDiscord
) -> None:
    """ALR-19: presses that the database fails are told as trouble, not as searches."""
    async with run_bot() as bot:
        (reply,) = await search(place)
        await rename_table(settings, "session", "hidden")
        await settled(bot, discord_, await place.member.press(reply, "Next"))
        await alerts_sent()
        (told,) = direct(discord_)
        assert told.startswith(BEGINS[Kind.DATABASE])
        assert "failed since" not in told
        await rename_table(settings, "counter", "away")
        await search(place, 2)
        discord_.clock.advance(HOUR)
        await settled(bot, discord_, await place.member.press(reply, "Next"))
        await alerts_sent()
        assert "2 searches have failed since <t:" in direct(discord_)[1]


async def test_a_search_whose_reply_cannot_be_kept_counts_as_failed(
    run_bot: RunBot, settings: dict[str, object], place: Place, discord_: LoopbackDiscord
) -> None:
    """ALR-19: its member sees no results, though the engine found some."""
    async with run_bot():
        await rename_table(settings, "session", "hidden")
        await search(place)
        await alerts_sent()
        # The first alert may be that of the purge as the bot starts, which is no search.
        discord_.clock.advance(HOUR)
        await search(place)
        await alerts_sent()
        assert "2 searches have failed since <t:" in direct(discord_)[1]


async def test_a_search_that_is_counted_ends_no_other_trouble(
    run_bot: RunBot, settings: dict[str, object], place: Place, discord_: LoopbackDiscord
) -> None:
    """ALR-20: where replies alone can't be kept, that's told each hour, also restarted, and its end once they can."""
    for _ in range(2):
        async with run_bot() as bot:
            if not direct(discord_):
                await rename_table(settings, "session", "hidden")
            for _ in range(2):
                await search(place, 3)
                await cog_of(bot)._purge()  # noqa: SLF001 - what the cog does each hour
                await alerts_sent()
                discord_.clock.advance(HOUR)
    assert [text[: len(BEGINS[Kind.DATABASE])] for text in direct(discord_)] == [BEGINS[Kind.DATABASE]] * 4
    await rename_table(settings, "hidden", "session")
    async with run_bot() as bot:
        await cog_of(bot)._purge()  # noqa: SLF001 - likewise
        for _ in range(2):
            await search(place)
            await alerts_sent()
    assert [text.split(",")[0] for text in direct(discord_)[4:]] == [ENDS[Kind.DATABASE]]


async def test_a_search_that_was_counted_before_is_no_end(
    run_bot: RunBot, settings: dict[str, object], place: Place, discord_: LoopbackDiscord, exa: LoopbackExa
) -> None:
    """ALR-20: one that takes longer than the database took to fail says nothing of what became of it."""
    async with run_bot() as bot:
        exa.hold()
        slow = await place.member.invoke(place.channel, "search", query="counted before the trouble")
        await exa.received(1)
        discord_.clock.advance(1)
        await alert_tools.begin(Kind.DATABASE, settings, exa)
        await search(place)
        exa.release()
        assert titles(await slow.reply())
        await alerts_sent()
        assert [text[: len(BEGINS[Kind.DATABASE])] for text in direct(discord_)] == [BEGINS[Kind.DATABASE]]
        await alert_tools.end(Kind.DATABASE, settings, exa)
        discord_.clock.advance(1)
        # What the cog does each hour, and at its start, may have failed as well.
        await cog_of(bot)._purge()  # noqa: SLF001 - the loop itself has an hour to go
        await search(place)
        await alerts_sent()
        assert [text.split(",")[0] for text in direct(discord_)[1:]] == [ENDS[Kind.DATABASE]]


@pytest.mark.parametrize("kind", list(ENDS))
@pytest.mark.parametrize("how", ["runs", "restarts"])
async def test_the_end_is_told_once(
    run_bot: RunBot, settings: dict[str, object], place: Place, discord_: LoopbackDiscord, exa: LoopbackExa, *,
    kind: Kind, how: str,
) -> None:  # fmt: skip
    """ALR-03, ALR-06: what begins again within the hour is told neither as trouble nor as its end, also restarted."""
    async with run_bot() as bot:
        await alert_tools.begin(kind, settings, exa)
        await search(place, 7)
        await alerts_sent()
        await alert_tools.end(kind, settings, exa)
        if how == "runs":
            await mended(bot, place, discord_)
    async with run_bot() as bot:
        await mended(bot, place, discord_)
        told = direct(discord_)
        assert [text.split(",")[0] for text in told[1:]] == [ENDS[kind]]
        await alert_tools.begin(kind, settings, exa)
        await search(place, 7)
        await alert_tools.end(kind, settings, exa)
        await mended(bot, place, discord_)
        assert direct(discord_) == told


async def mended(bot: commands.Bot, place: Place, discord_: LoopbackDiscord) -> None:
    """Let the engine be asked again, search with success and wait for what is told."""
    service = cog_of(bot).service
    discord_.clock.advance(1)
    # It may have met the trouble at its start.
    await cog_of(bot)._purge()  # noqa: SLF001 - what the cog does each hour
    await service.reconfigure(service.config)
    for _ in range(2):
        (reply,) = await search(place)
        assert titles(reply)
        await alerts_sent()


@pytest.mark.parametrize("kind", [Kind.KEY, Kind.CREDITS, Kind.ENGINE, Kind.BUDGET])
async def test_a_restart_keeps_the_hour(
    run_bot: RunBot, settings: dict[str, object], place: Place, discord_: LoopbackDiscord, exa: LoopbackExa, kind: Kind
) -> None:
    """ALR-03, ALR-04, HLT-02: a bot that starts into the same trouble again, or reloads, asks again and tells once."""
    settings["web-daily-budget-usd"] = 0 if kind is Kind.BUDGET else 1000
    await alert_tools.begin(kind, settings, exa)
    for _ in range(3):
        async with run_bot() as bot:
            await search(place, 6)
            await alerts_sent()
            cog = cog_of(bot)
            await bot.remove_cog("WebSearch")
            await bot.add_cog(WebSearch(bot, cog.config, clock=discord_.clock.now))
            await search(place, 6)
            await alerts_sent()
    assert [text[: len(BEGINS[kind])] for text in direct(discord_)] == [BEGINS[kind]]
    asked = {Kind.KEY: range(6, 37), Kind.CREDITS: range(6, 37), Kind.ENGINE: range(30, 37), Kind.BUDGET: [0]}
    assert len(exa.requests) in asked[kind]


async def test_a_mended_key_is_used_at_once(
    settings: dict[str, object], place: Place, discord_: LoopbackDiscord, exa: LoopbackExa
) -> None:
    """HLT-01, HLT-02, ALR-06: a refused key stops all calls and charges; the new one brings results within seconds."""
    good = settings["exa-api-key"]
    settings["exa-api-key"] = "no-such-key-anywhere"
    ticks = Ticks()
    async with connected_bot(discord_) as bot:
        await bot.add_cog(WebSearch(bot, lambda: settings, clock=discord_.clock.now, sleep=ticks.sleep))
        await bot.tree.sync()
        for _ in range(3):
            (reply,) = await search(place)
            assert sentence(reply) == REFUSED
        assert len(exa.requests) == 1
        usage = await cog_of(bot).service.usage(user_id=place.member.id)
        assert (usage.member.searches, usage.total.cost) == (0, 0)
        settings["exa-api-key"] = good
        await ticks.seconds(2)
        (reply,) = await search(place)
        assert titles(reply)
        await alerts_sent()
    assert [text.split(",")[0] for text in direct(discord_)] == [BEGINS[Kind.KEY], ENDS[Kind.KEY]]


async def test_credit_is_asked_for_every_ten_minutes(
    run_bot: RunBot, place: Place, discord_: LoopbackDiscord, exa: LoopbackExa
) -> None:
    """HLT-03, HLT-04, ALR-06: one of many searches asks, the others fail without waiting, until one goes well."""
    async with run_bot():
        exa.fail(always=CREDITS)
        await search(place, 1)
        for asked in (2, 3):
            discord_.clock.advance(590)
            await search(place, 3)
            assert len(exa.requests) == asked - 1
            discord_.clock.advance(11)
            exa.hold()
            probe = await place.other.invoke(place.channel, "search", query=QUERY)
            await exa.received(asked)
            assert [sentence(reply) for reply in await search(place, 3)] == [NO_CREDIT] * 3
            exa.release()
            assert sentence(await probe.reply()) == NO_CREDIT
        discord_.clock.advance(601)
        exa.recover()
        for _ in range(2):
            (reply,) = await search(place)
            assert titles(reply)
            await alerts_sent()
    told = [text.split(",")[0].split(" again")[0] for text in direct(discord_)]
    assert told == [BEGINS[Kind.CREDITS], "The bot has credit at Exa"]


async def test_the_status_names_what_is_wrong(run_bot: RunBot, staff: Staff, place: Place, exa: LoopbackExa) -> None:
    """HLT-07: moderators read which engine it is, what is wrong with it, and since when."""
    for fault, wrong in (
        (KEY, ", which has refused the bot's key since <t:"),
        (CREDITS, ", where the bot's credit is used up since <t:"),
        (DOWN, ", which has failed 5 searches in a row since <t:"),
    ):
        async with run_bot():
            assert line(await ask(staff.moderator, staff.channel, "status"), "Engine: ") == "Exa"
            exa.fail(always=fault)
            await search(place, 5)
            told = line(await ask(staff.moderator, staff.channel, "status"), "Engine: Exa")
            assert told.startswith(wrong)
            exa.recover()


async def test_what_the_engine_said_is_dead(
    run_bot: RunBot, place: Place, discord_: LoopbackDiscord, exa: LoopbackExa
) -> None:
    """ALR-14: mentions, links and markup in an engine's words stay words, and no more than 200 of their characters."""
    words = "@everyone <@1> [click](https://evil.example) # **bold** https://evil.example " + "x" * 5000
    exa.fail(always=faults.error(401, "INVALID_API_KEY", words))
    async with run_bot():
        await search(place)
        await alerts_sent()
    (message,) = discord_.open_dm(discord_.owner).messages
    assert message.pings == frozenset()
    said = message.content.partition("“")[2]
    assert "\\*\\*bold" in said
    assert "https://" not in said
    assert "<@1>" not in said
    assert len(said) < 500


async def test_nothing_is_told_while_searching_is_off(
    run_bot: RunBot, settings: dict[str, object], discord_: LoopbackDiscord
) -> None:
    """ALR-15: a database that fails at its hourly tidying is no trouble of a bot that doesn't search."""
    settings["enable-web-search"] = False
    async with run_bot() as bot:
        await rename_table(settings, "session", "hidden")
        await cog_of(bot)._purge()  # noqa: SLF001 - what the cog does each hour
        await alerts_sent()
    assert direct(discord_) == []


async def test_nobody_waits_for_an_alert(
    run_bot: RunBot, place: Place, discord_: LoopbackDiscord, exa: LoopbackExa
) -> None:
    """ALR-12: while Discord takes its time for an alert, members read their replies."""
    async with run_bot():
        hold = discord_.hold("POST", r"^/users/@me/channels$")
        exa.fail(KEY)
        (reply,) = await search(place)
        assert sentence(reply) == REFUSED
        await hold.reached()
        (reply,) = await search(place)
        assert sentence(reply) == REFUSED
        hold.release()
        await alerts_sent()
    assert len(direct(discord_)) == 1


async def test_an_unload_ends_what_is_being_told(
    bot: commands.Bot, place: Place, discord_: LoopbackDiscord, exa: LoopbackExa, caplog: pytest.LogCaptureFixture
) -> None:
    """ALR-13: an alert that Discord holds back ends with the cog, and no task of it stays."""
    hold = discord_.hold("POST", r"^/users/@me/channels$", after=True)
    exa.fail(KEY)
    await search(place)
    await hold.reached()
    await bot.remove_cog("WebSearch")
    assert [task for task in asyncio.all_tasks() if "websearch" in task.get_name()] == []
    hold.release()
    assert [record for record in caplog.records if record.levelno >= logging.ERROR] == []
    assert direct(discord_) == []


async def test_a_database_that_cannot_be_opened(
    settings: dict[str, object], discord_: LoopbackDiscord, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """ALR-17: told once in an hour of starts, also by a bot that isn't connected; the error is raised as ever."""
    settings["web-database"] = str(tmp_path / "nowhere" / "websearch.db")
    for hours in (0, 0, 1, 0):
        discord_.clock.advance(hours * HOUR)
        async with commands.Bot(command_prefix="!", intents=discord.Intents.none()) as bot:
            await bot.login(discord_.token)
            with pytest.raises(WebSearchError, match="its folder isn't there"):
                await bot.add_cog(WebSearch(bot, settings, clock=discord_.clock.now))
            assert bot.cogs == {}
    assert [text[: len(BEGINS[Kind.DATABASE])] for text in direct(discord_)] == [BEGINS[Kind.DATABASE]] * 2
    assert not any("nowhere" in text or "-# " in text for text in direct(discord_))
    assert [record for record in caplog.records if record.levelno >= logging.ERROR] == []


async def test_a_load_that_fails_waits_for_no_alert(
    settings: dict[str, object], discord_: LoopbackDiscord, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """ALR-12, ALR-17: neither for a Discord that hangs nor where nobody is logged in, and nothing is told when off."""
    monkeypatch.setattr(alerts, "_LOAD_SECONDS", 0.05)
    settings["web-database"] = str(tmp_path / "nowhere" / "websearch.db")
    hold = discord_.hold("GET", r"^/oauth2/applications/@me$", after=True)
    async with commands.Bot(command_prefix="!", intents=discord.Intents.none()) as bot:
        with pytest.raises(WebSearchError, match="its folder isn't there"):
            await bot.add_cog(WebSearch(bot, settings))
        hold.release()
        await bot.login(discord_.token)
        again = discord_.hold("GET", r"^/oauth2/applications/@me$", after=True)
        for switch in (False, True):
            settings["enable-web-search"] = switch
            with pytest.raises(WebSearchError, match="its folder isn't there"):
                await bot.add_cog(WebSearch(bot, settings))
            assert again.hits == switch
        again.release()
    assert direct(discord_) == []
