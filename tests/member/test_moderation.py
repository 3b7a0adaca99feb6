"""Hold what moderators read of /websearch, over a loopback Discord."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from bots import RunBot, cog_of, sentence
from cogs.websearch.i18n import Catalogues
from cogs.websearch.playground.discord import Permission
from loopback_exa import faults
from staff import QUERY, Staff, ask, line, search
from trouble import rename_table

if TYPE_CHECKING:
    from pathlib import Path

    from discord.ext import commands

    from cogs.websearch.playground.discord import LoopbackDiscord
    from loopback_exa import LoopbackExa


@pytest.fixture(autouse=True)
def many_searches(settings: dict[str, object]) -> None:
    """Let a member search as often as these tests do, before a bot reads it."""
    settings["web-per-minute"] = 60


@pytest.mark.usefixtures("bot")
async def test_status_is_told_of_what_one_sees(staff: Staff) -> None:
    """SW-09, SW-12: a channel that somebody can't see, named by a forged client, is not told about."""
    hidden = staff.guild.add_text_channel("hidden")
    hidden.deny(staff.guild.everyone, Permission.VIEW_CHANNEL)
    keeper = staff.guild.add_member("keeper of the desk")
    staff.channel.allow(keeper, Permission.MANAGE_CHANNELS)
    assert "permission to view" in sentence(await ask(keeper, staff.channel, "status", channel=hidden))
    other = staff.guild.add_text_channel("other")
    assert line(await ask(keeper, staff.channel, "status", channel=other)) == "**on** by default"


@pytest.mark.parametrize(
    ("command", "options"),
    [("status", {}), ("off", {}), ("on", {}), ("inherit", {}), ("replies", {"visibility": "private"})],
)
@pytest.mark.usefixtures("bot")
async def test_a_private_thread_is_for_who_sees_it(staff: Staff, command: str, options: dict[str, str]) -> None:
    """SW-09, SW-12: named from elsewhere it's told to who may manage threads; who is in it asks there."""
    hidden = staff.places["private thread"]
    keeper = staff.guild.add_member("keeper of the desk")
    staff.channel.allow(keeper, Permission.MANAGE_CHANNELS)
    reply = await ask(keeper, staff.channel, command, channel=hidden, **options)
    assert "permission to view" in sentence(reply)
    assert "hidden" not in str(reply.embeds)
    manager = staff.guild.add_member("manager", permissions=Permission.MANAGE_CHANNELS | Permission.MANAGE_THREADS)
    hidden.add(keeper)
    for member, where in ((manager, staff.channel), (keeper, hidden)):
        reply = await ask(member, where, command, channel=hidden, **options)
        assert reply.embeds[0]["title"] == "hidden talk"
    assert (await ask(keeper, hidden, command, **options)).embeds[0]["title"] == "hidden talk"


@pytest.mark.usefixtures("bot")
async def test_a_channel_whose_name_cannot_be_seen(staff: Staff) -> None:
    """SW-12: it's not taken for the server."""
    channel = staff.guild.add_text_channel("\u3164")
    assert (await ask(staff.manager, staff.channel, "status", channel=channel)).embeds[0]["title"] == "This channel"
    reply = await ask(staff.manager, staff.channel, "off", server=True)
    assert reply.embeds[0]["title"] == "This server"


@pytest.mark.usefixtures("bot")
async def test_the_group_is_offered_to_moderators_in_servers(discord_: LoopbackDiscord) -> None:
    """SW-08: by Discord itself, and not where the app is installed to a member."""
    command = next(command for command in discord_.commands.all() if command.name == "websearch")
    assert command.default_permissions == Permission.MANAGE_CHANNELS
    assert set(command.installs) == {0}
    assert set(command.contexts) == {0}


@pytest.mark.usefixtures("bot")
async def test_a_channel_and_the_server_are_not_named_at_once(staff: Staff) -> None:
    """SW-07: one of them would be a mistake."""
    for command in ("off", "inherit", "status"):
        reply = await ask(staff.manager, staff.channel, command, channel=staff.forum, server=True)
        assert sentence(reply).startswith("A channel and the whole server can't be named at once")


@pytest.mark.parametrize("typed", ["soon", "0m", "9999d", "**1h** @everyone"])
@pytest.mark.usefixtures("bot")
async def test_a_duration_that_is_none_is_said(staff: Staff, typed: str) -> None:
    """SW-10: at once and privately, and nothing is changed."""
    reply = await ask(staff.moderator, staff.channel, "off", **{"for": typed})
    assert "can't be taken as a duration: type one such as 30m" in sentence(reply)
    assert line(await ask(staff.moderator, staff.channel, "status")) == "**on** by default"


async def test_status_tells_engine_limits_and_use(
    staff: Staff, settings: dict[str, object], run_bot: RunBot, exa: LoopbackExa
) -> None:
    """SW-12, SW-26: also that the owner has switched everything off, above all rules; never a key."""
    settings["web-daily-per-guild"] = 1000
    async with run_bot() as bot:
        await search(staff.reader, staff.channel)
        await search(staff.reader, staff.channel)
        reply = await ask(staff.moderator, staff.channel, "status")
        assert line(reply, "Engine: ") == "Exa"
        assert line(reply, "Limits of each member: ") == "60 a minute, 30 a day"
        assert line(reply, "Limit of this server: ") == "1,000 a day"
        assert line(reply, "Today in this server: ").startswith("2 searches, 0.0")
        assert exa.key not in str(reply.embeds)
        service = cog_of(bot).service
        settings["enable-web-search"] = False
        service.engines.config = type(service.config).from_mapping(settings)
        reply = await ask(staff.moderator, staff.channel, "status")
        said = reply.embeds[0]["description"]
        assert said.startswith(
            "The bot's owner has switched web search off everywhere.\nOtherwise it would be **on** by default\n"
        )
        assert "Web search: " not in said


@pytest.mark.usefixtures("bot")
async def test_status_tells_of_answers_that_fail(staff: Staff, exa: LoopbackExa) -> None:
    """RES-23: below all else, with the engine's searches in good health, and only while it's so."""
    await search(staff.reader, staff.channel)
    reply = await ask(staff.moderator, staff.channel, "status")
    assert "Answers by" not in str(reply.embeds)
    exa.fail(always=faults.error(403, "FEATURE_DISABLED"))
    await (await staff.reader.invoke(staff.channel, "search", query=QUERY, mode="answer")).reply()
    reply = await ask(staff.moderator, staff.channel, "status")
    assert line(reply, "Engine: ") == "Exa"
    last = reply.embeds[0]["description"].rpartition("\n")[2]
    assert re.fullmatch(r"Answers by Exa: last failed <t:\d+:R>, backend-feature-disabled", last)


@pytest.mark.usefixtures("bot")
async def test_names_are_dead_and_nobody_is_pinged(staff: Staff, discord_: LoopbackDiscord) -> None:
    """SW-12, SW-13, SW-27: what a place is called is foreign text, and who set something is named without a ping."""
    category = staff.guild.add_category("@everyone **[x](https://example.com)** <@1> `code`")
    channel = staff.guild.add_text_channel("_under_ ||line||", category=category)
    await ask(staff.moderator, staff.channel, "off", channel=category)
    reply = await ask(staff.moderator, channel, "status", channel=category)
    dead = r"\@everyone \*\*\[x\]\(https\://example.com)\*\* \<\@1> \`code\`"
    assert line(reply).startswith(f"**off** by the category *{dead}*, set by <@{staff.moderator.id}> on")
    reply = await ask(staff.moderator, channel, "status")
    assert line(reply).startswith(f"**off** by the category <#{category.id}>, set by")
    assert reply.embeds[0]["title"] == r"\_under\_ \|\|line\|\|"
    assert all(not message.pings for message in discord_.messages.values())


async def test_replies_speak_the_moderators_language(bot: commands.Bot, staff: Staff, tmp_path: Path) -> None:
    """SW-13: whatever the language of the server is."""
    catalogue = tmp_path / "de" / "LC_MESSAGES" / "websearch.po"
    catalogue.parent.mkdir(parents=True)
    catalogue.write_text('msgid "Engine: {name}"\nmsgstr "Suchmaschine: {name}"\n', "utf-8")
    cog_of(bot).catalogues = Catalogues(tmp_path)
    reply = await ask(staff.moderator, staff.channel, "status", locale="de")
    assert line(reply, "Suchmaschine: ") == "Exa"
    reply = await ask(staff.moderator, staff.channel, "status")
    assert line(reply, "Engine: ") == "Exa"


async def test_a_change_is_acknowledged_before_it_is_stored(
    bot: commands.Bot, staff: Staff, settings: dict[str, object]
) -> None:
    """SW-14: while another process holds the database, the command thinks, and tells only what is stored."""
    with closing(sqlite3.connect(str(settings["web-database"]), isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        inv = await staff.moderator.invoke(staff.channel, "websearch off")
        await inv.acknowledged()
        assert inv.callbacks[0]["type"] == 5
        assert inv.ephemeral
        assert inv.answer is None
        assert cog_of(bot).service.switchboard.settings.of_guild(staff.guild.id) == ()
        other.execute("COMMIT")
    assert line(await inv.reply()).startswith("**off** by the channel")


@pytest.mark.usefixtures("bot")
async def test_a_failing_database_is_said(staff: Staff, settings: dict[str, object]) -> None:
    """SW-14, SW-12: nothing has changed then; status still tells what is in memory."""
    await rename_table(settings, "setting", "hidden")
    await rename_table(settings, "counter", "hidden_too")
    for command, options in (("off", {}), ("inherit", {}), ("replies", {"visibility": "private"})):
        assert sentence(await ask(staff.moderator, staff.channel, command, **options)).startswith("The bot's database")
    reply = await ask(staff.moderator, staff.channel, "status")
    assert line(reply) == "**on** by default"
    assert line(reply, "Today in this server: ") == "the bot's database can't tell"
    await rename_table(settings, "hidden", "setting")
    assert line(await ask(staff.moderator, staff.channel, "off")).startswith("**off**")
