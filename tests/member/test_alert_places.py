"""Hold where the bot's owner is told of trouble, and what happens where that can't be."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from alert_tools import BEGINS, ENDS, KEY, QUERY, alerts_sent, direct, said, search
from bots import Place, RunBot, cog_of, sentence, titles
from cogs.websearch.playground.discord import Permission
from cogs.websearch.troubles import Kind

if TYPE_CHECKING:
    from collections.abc import Callable

    from cogs.websearch.playground.discord import Channel, LoopbackDiscord
    from loopback_exa import LoopbackExa
    from staff import Staff

REFUSED = "Exa doesn't accept the bot's key: tell the bot's owner."


@pytest.fixture(autouse=True)
def refused(exa: LoopbackExa) -> None:
    """Let the engine refuse the key."""
    exa.fail(always=KEY)


def deleted(channel: Channel) -> None:
    """Take a channel away, which the bot hears of."""
    channel.delete()


def forbidden(channel: Channel) -> None:
    """Let the bot see a channel, and not write there."""
    assert channel.guild is not None
    channel.deny(channel.guild.everyone, Permission.SEND_MESSAGES)


def hidden(channel: Channel) -> None:
    """Hide a channel from the bot."""
    assert channel.guild is not None
    channel.deny(channel.guild.everyone, Permission.VIEW_CHANNEL)


@pytest.mark.parametrize("as_text", [False, True])
@pytest.mark.parametrize("name", ["channel", "thread", "forum post", "voice"])
async def test_a_channel_is_told(
    run_bot: RunBot, settings: dict[str, object], place: Place, discord_: LoopbackDiscord, staff: Staff, *,
    name: str, as_text: bool,
) -> None:  # fmt: skip
    """ALR-07, ALR-08: of whatever kind it is, also with an id that's a text; the owner gets no direct message."""
    channel = staff.places[name]
    settings["web-alert-channel"] = str(channel.id) if as_text else channel.id
    async with run_bot():
        await search(place)
        await alerts_sent()
    assert [text[: len(BEGINS[Kind.KEY])] for text in said(channel)] == [BEGINS[Kind.KEY]]
    assert direct(discord_) == []


async def test_a_channel_is_told_in_its_servers_language(
    run_bot: RunBot, settings: dict[str, object], place: Place, discord_: LoopbackDiscord, exa: LoopbackExa
) -> None:
    """ALR-08: also in another server than the one that's searched in; trouble and end."""
    abroad = discord_.add_guild("Bibliothek", locale="de").add_text_channel("technik")
    settings["web-alert-channel"] = abroad.id
    async with run_bot() as bot:
        await search(place)
        await alerts_sent()
        exa.recover()
        service = cog_of(bot).service
        await service.reconfigure(service.config)
        await search(place)
        await alerts_sent()
    assert [text.split(",")[0] for text in said(abroad)] == [
        "**Exa lehnt den Schlüssel des Bots ab",
        "Exa nimmt den Schlüssel des Bots wieder an",
    ]


@pytest.mark.parametrize("spoil", [deleted, forbidden, hidden])
async def test_a_channel_that_takes_nothing( run_bot: RunBot, settings: dict[str, object], place: Place,
    discord_: LoopbackDiscord, spoil: Callable[[Channel], None],
) -> None:  # fmt: skip
    """ALR-09: gone, closed or hidden, before the start or after it: the owner is told by direct message, in English."""
    for late in (False, True):
        channel = discord_.add_guild("Bibliothek", locale="de").add_text_channel("technik")
        settings |= {"web-alert-channel": channel.id, "web-database": f"{settings['web-database']}.{late}.db"}
        if not late:
            spoil(channel)
        async with run_bot():
            if late:
                spoil(channel)
            await search(place)
            await alerts_sent()
        assert said(channel) == []
        assert [text[: len(BEGINS[Kind.KEY])] for text in direct(discord_)] == [BEGINS[Kind.KEY]] * (1 + late)


@pytest.mark.parametrize("kind", ["category", "forum", "no channel"])
async def test_what_is_no_channel_to_write_in(
    run_bot: RunBot, settings: dict[str, object], place: Place, discord_: LoopbackDiscord, staff: Staff, kind: str
) -> None:
    """ALR-09: a category, a forum and an id that nothing has: likewise, and the log says why."""
    settings["web-alert-channel"] = {
        "category": staff.category.id, "forum": staff.forum.id, "no channel": 10**17
    }[kind]  # fmt: skip
    async with run_bot():
        await search(place)
        await alerts_sent()
    assert len(direct(discord_)) == 1


async def test_whom_the_host_names_is_told(run_bot: RunBot, place: Place, discord_: LoopbackDiscord) -> None:
    """ALR-10: the owners that the host gave its bot, all of them, and nobody else."""
    async with run_bot() as bot:
        bot.owner_ids = {place.other.id, place.moderator.id}
        await search(place)
        await alerts_sent()
    assert direct(discord_) == []
    assert [len(said(discord_.open_dm(who.user))) for who in (place.other, place.moderator)] == [1, 1]


async def test_one_owner_of_several_takes_it(
    run_bot: RunBot, place: Place, discord_: LoopbackDiscord, caplog: pytest.LogCaptureFixture
) -> None:
    """ALR-10, ALR-11: it counts as told where one of them takes direct messages."""
    place.other.user.open_to_messages = False
    async with run_bot() as bot:
        bot.owner_ids = {place.other.id, place.moderator.id}
        await search(place)
        await alerts_sent()
    assert said(discord_.open_dm(place.moderator.user))
    assert "nobody could be told" not in caplog.text


@pytest.mark.parametrize("how", ["closed", "no owner", "no channel"])
async def test_nobody_takes_it(
    run_bot: RunBot, place: Place, discord_: LoopbackDiscord, caplog: pytest.LogCaptureFixture, how: str
) -> None:
    """ALR-11, ALR-14: one line an hour in the log, whatever was in the way; members read what they always do."""
    if how == "closed":
        discord_.owner.open_to_messages = False
    async with run_bot():
        if how == "no owner":
            discord_.fail("GET", "/oauth2/applications/@me", status=403, times=None)
        if how == "no channel":
            discord_.fail("POST", "/users/@me/channels", status=403, times=None)
        for hours in (0, 0, 1, 0):
            discord_.clock.advance(hours * 3600)
            (reply,) = await search(place)
            assert sentence(reply) == REFUSED
            await alerts_sent()
    lines = [record.getMessage() for record in caplog.records if "nobody could be told" in record.getMessage()]
    assert lines == ["nobody could be told of trouble: key-refused Exa"] * 2
    assert QUERY not in caplog.text
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


@pytest.mark.usefixtures("bot")
async def test_a_locked_database_delays_no_member(
    place: Place, discord_: LoopbackDiscord, exa: LoopbackExa, settings: dict[str, object]
) -> None:
    """ALR-12: while another process writes, the member reads why; the alert follows when it's done."""
    exa.hold()
    inv = await place.member.invoke(place.channel, "search", query=QUERY)
    await exa.received(1)
    with closing(sqlite3.connect(str(settings["web-database"]), isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        exa.release()
        assert sentence(await inv.reply()) == REFUSED
        # For as long as the lock is held nobody has the hour.
        assert [task for task in asyncio.all_tasks() if task.get_name() == "websearch alert"]
        assert direct(discord_) == []
        other.execute("ROLLBACK")
    await alerts_sent()
    assert len(direct(discord_)) == 1


async def test_the_channel_changes_while_the_bot_runs(
    run_bot: RunBot, settings: dict[str, object], place: Place, discord_: LoopbackDiscord, exa: LoopbackExa
) -> None:
    """ALR-08: what is told next is told where the configuration says by then."""
    async with run_bot() as bot:
        await search(place)
        await alerts_sent()
        exa.recover()
        cog = cog_of(bot)
        given = {**settings, "web-alert-channel": place.channel.id}
        await cog._reconfigure(type(cog.config).from_mapping(given, env={}))  # noqa: SLF001 - what a change of the file calls
        (reply,) = await search(place)
        assert titles(reply)
        await alerts_sent()
    assert len(direct(discord_)) == 1
    assert [text.split(",")[0] for text in said(place.channel)] == [ENDS[Kind.KEY]]
