"""Hold how moderators block sites in a server and allow some alone, over a loopback Discord."""

from __future__ import annotations

import asyncio
import dataclasses
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from discord.app_commands import Command

from bots import RunBot, cog_of, sentence, titles
from cogs.websearch import WebSearch, limits
from cogs.websearch.playground.discord import Permission
from loopback_exa import faults
from site_tools import ALL, CHANGES, lines, listed, rule
from staff import Staff, ask, line, search
from trouble import rename_table

if TYPE_CHECKING:
    from discord.ext import commands

    from cogs.websearch.playground.discord import LoopbackDiscord
    from loopback_exa import LoopbackExa

pytestmark = pytest.mark.usefixtures("no_mistakes")


@pytest.mark.usefixtures("bot")
async def test_each_reply_says_what_holds(staff: Staff) -> None:
    """RULE-01 RULE-13: what was changed, then what's shown and what never is, by the alphabet; the list likewise."""
    assert await listed(staff) == ALL
    assert lines(await rule(staff, "block", "example.org, https://Ads.example.net/x bücher.de")) == [
        "Blocked now: ads.example.net, bücher.de, example.org",
        "**Never shown here:** ads.example.net, bücher.de, example.org",
    ]
    assert lines(await rule(staff, "allow", "python.org;example.com")) == [
        "Allowed now: example.com, python.org",
        "**Only these sites are shown here:** example.com, python.org",
        "**Never shown here:** ads.example.net, bücher.de, example.org",
    ]
    assert await listed(staff) == [
        "**Only these sites are shown here:** example.com, python.org",
        "**Never shown here:** ads.example.net, bücher.de, example.org",
    ]
    assert lines(await rule(staff, "remove", "example.com, python.org, xn--bcher-kva.de")) == [
        "Rule removed: bücher.de, example.com, python.org",
        "**Never shown here:** ads.example.net, example.org",
    ]
    assert lines(await rule(staff, "remove", "ads.example.net example.org")) == [
        "Rule removed: ads.example.net, example.org",
        *ALL,
    ]


@pytest.mark.usefixtures("bot")
async def test_what_was_said_before_is_replaced(staff: Staff) -> None:
    """RULE-01 RULE-13: a site changes sides and that's said; what is removed without having been ruled on, too."""
    await rule(staff, "allow", "example.com example.org")
    assert lines(await rule(staff, "block", "example.com, example.net")) == [
        "Blocked now: example.net",
        "Blocked now, allowed before: example.com",
        "**Only these sites are shown here:** example.org",
        "**Never shown here:** example.com, example.net",
    ]
    assert lines(await rule(staff, "allow", "example.net"))[0] == "Allowed now, blocked before: example.net"
    assert lines(await rule(staff, "remove", "python.org, example.com, docs.example.com")) == [
        "Rule removed: example.com",
        "There was no rule for: docs.example.com, python.org",
        "**Only these sites are shown here:** example.net, example.org",
    ]


async def test_what_is_allowed_in_vain(bot: commands.Bot, staff: Staff) -> None:
    """RULE-03 RULE-13: it's named with who or what blocks it, in each reply; how much the owner blocks is a figure."""
    service = cog_of(bot).service
    blocked = ("bad.example.com", "evil.example.net")
    await service.reconfigure(dataclasses.replace(service.config, web_block_sites=blocked))
    assert await listed(staff) == ["All sites are shown here, but for 2 that the bot's owner blocks everywhere."]
    assert lines(await rule(staff, "block", "example.org")) == [
        "Blocked now: example.org",
        "**Never shown here:** example.org",
        "The bot's owner blocks 2 sites everywhere.",
    ]
    assert lines(await rule(staff, "allow", "docs.example.org, x.bad.example.com, example.com")) == [
        "Allowed now: docs.example.org, example.com, x.bad.example.com",
        "**Allowed, but not shown**, since the bot's owner blocks it: x.bad.example.com",
        "**Allowed, but not shown**, since example.org is blocked here: docs.example.org",
        "**Only these sites are shown here:** docs.example.org, example.com, x.bad.example.com",
        "**Never shown here:** example.org",
        "The bot's owner blocks 2 sites everywhere.",
    ]
    assert (await listed(staff))[:2] == [
        "**Allowed, but not shown**, since the bot's owner blocks it: x.bad.example.com",
        "**Allowed, but not shown**, since example.org is blocked here: docs.example.org",
    ]
    told = lines(await rule(staff, "block", "example.com"))
    assert told[0] == "Blocked now, allowed before: example.com"
    assert "evil.example.net" not in str(told)


@pytest.mark.usefixtures("bot")
async def test_the_rules_hold_for_searches(staff: Staff, exa: LoopbackExa) -> None:
    """RULE-02 RULE-03 RULE-04: from the next search on, and in no other server."""
    rows = [{"title": host, "url": f"https://{host}/", "text": "x"} for host in ("example.com", "a.example.org")]
    exa.fail(always=faults.rows(*rows))
    await rule(staff, "block", "example.org")
    assert [title[4:] for title in titles(await search(staff.reader, staff.channel))] == ["example.com"]
    await rule(staff, "allow", "a.example.org")
    await rule(staff, "remove", "example.org")
    assert [title[4:] for title in titles(await search(staff.reader, staff.channel))] == ["a.example.org"]
    other = staff.guild.world.add_guild("Elsewhere")
    reply = await search(other.add_member("reader"), other.add_text_channel("there"))
    assert len(titles(reply)) == 2


@pytest.mark.parametrize("command", CHANGES)
@pytest.mark.usefixtures("bot")
async def test_it_takes_the_permission_to_manage_the_server(staff: Staff, command: str) -> None:
    """RULE-12: who may manage channels alone is refused at once and privately, whatever they type, and may look."""
    for domains in ("example.com", "no domain"):
        reply = await rule(staff, command, domains, by=staff.moderator)
        assert sentence(reply) == "That takes the permission to manage this server, which you don't have."
    assert await listed(staff) == ALL
    chief = staff.guild.add_member("chief", permissions=Permission.ADMINISTRATOR)
    assert len(lines(await rule(staff, command, "example.com", by=chief))) == 2


@pytest.mark.parametrize("command", CHANGES)
@pytest.mark.parametrize(
    ("typed", "told"),
    [
        (
            "example.com, **no** @everyone",
            r"“\*\*no\*\*” is no domain of the public web, so nothing is changed: type one such as example.com.",
        ),
        ("127.0.0.1", "“127.0.0.1” is no domain of the public web, so nothing is changed: type one such as"),
        (" ,; ", "No site is named: type a domain such as example.com."),
        (" ".join(f"a{n}.org" for n in range(101)), "At most 100 sites can be named at once: name fewer."),
    ],
)
@pytest.mark.usefixtures("bot")
async def test_what_cant_be_read_is_said(staff: Staff, command: str, typed: str, told: str) -> None:
    """RULE-13: at once and privately, and nothing is changed, whatever else was typed beside it."""
    inv = await staff.manager.invoke(staff.channel, f"websearch sites {command}", force=True, domains=typed)
    reply = await inv.reply()
    assert inv.callbacks[0]["type"] == 4
    assert reply.ephemeral
    assert sentence(reply).startswith(told)
    assert await listed(staff) == ALL


@pytest.mark.usefixtures("bot")
async def test_a_full_server_is_told(staff: Staff) -> None:
    """RULE-11: what goes beyond a hundred is refused whole; what is there already can still change sides."""
    names = [f"a{n:02}.example.com" for n in range(limits.SITE_RULES)]
    told = lines(await rule(staff, "block", " ".join(names)))
    assert told[1] == f"**Never shown here:** {', '.join(names)}"
    assert told[0].startswith("Blocked now: a00.example.com, ")
    assert told[0].endswith(" more")
    reply = await rule(staff, "allow", "a00.example.com, example.org")
    assert sentence(reply) == "A server can block or allow at most 100 sites: remove some of them first."
    assert await listed(staff) == told[1:]
    assert lines(await rule(staff, "allow", "a00.example.com"))[0] == "Allowed now, blocked before: a00.example.com"
    await rule(staff, "remove", "a01.example.com")
    assert lines(await rule(staff, "allow", "example.org"))[0] == "Allowed now: example.org"


@pytest.mark.usefixtures("bot")
async def test_moderators_at_once_never_pass_the_limit(staff: Staff) -> None:
    """RULE-11: of several that each would fit alone, those that don't fit any more are refused whole."""
    asked = [
        await staff.manager.invoke(
            staff.channel, "websearch sites block", domains=" ".join(f"a{n}.m{one}.org" for n in range(30))
        )
        for one in range(5)
    ]
    told = [str((await inv.reply()).embeds[0]["description"]) for inv in asked]
    assert sum(said.startswith("A server can block") for said in told) == 2
    (status,) = [one for one in (await status_lines(staff)) if one.startswith("Sites")]
    assert status == "Sites: 90 blocked"


async def status_lines(staff: Staff) -> list[str]:
    """Read the status of the channel."""
    return str((await ask(staff.moderator, staff.channel, "status")).embeds[0]["description"]).splitlines()


@pytest.mark.usefixtures("bot")
async def test_status_counts(staff: Staff) -> None:
    """RULE-15: how many sites the server blocks and allows, of a channel as of the server; nothing without any."""
    assert not any(one.startswith("Sites:") for one in await status_lines(staff))
    await rule(staff, "block", "example.com example.org example.net")
    assert line(await ask(staff.moderator, staff.channel, "status"), "Sites: ") == "3 blocked"
    await rule(staff, "allow", "example.org")
    reply = await ask(staff.moderator, staff.channel, "status", server=True)
    assert line(reply, "Sites: ") == "2 blocked · only 1 allowed"
    await rule(staff, "remove", "example.org example.com example.net")
    assert not any(one.startswith("Sites:") for one in await status_lines(staff))


async def test_a_restart_keeps_the_rules(staff: Staff, run_bot: RunBot) -> None:
    """RULE-10: whoever asks for the list after it reads the same."""
    async with run_bot():
        await rule(staff, "block", "example.com")
        told = lines(await rule(staff, "allow", "example.org"))
    async with run_bot():
        assert await listed(staff) == told[1:]


async def test_a_change_is_acknowledged_before_it_is_stored(
    bot: commands.Bot, staff: Staff, settings: dict[str, object]
) -> None:
    """RULE-13: while another process holds the database, the command thinks, and tells only what is stored."""
    with closing(sqlite3.connect(str(settings["web-database"]), isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        inv = await staff.manager.invoke(staff.channel, "websearch sites block", domains="example.com")
        await inv.acknowledged()
        assert inv.callbacks[0]["type"] == 5
        assert inv.ephemeral
        assert inv.answer is None
        assert cog_of(bot).service.site_rules(staff.guild.id).blocked == ()
        other.execute("COMMIT")
    assert lines(await inv.reply())[0] == "Blocked now: example.com"


@pytest.mark.usefixtures("bot")
async def test_a_failing_database_is_said(
    staff: Staff, settings: dict[str, object], caplog: pytest.LogCaptureFixture
) -> None:
    """RULE-13: nothing has changed then; the list still tells what is in memory."""
    await rule(staff, "block", "example.com")
    await rename_table(settings, "site_rule", "hidden")
    for command in CHANGES:
        assert sentence(await rule(staff, command, "example.org")).startswith("The bot's database failed")
    assert await listed(staff) == ["**Never shown here:** example.com"]
    await rename_table(settings, "hidden", "site_rule")
    assert lines(await rule(staff, "block", "example.org"))[1] == "**Never shown here:** example.com, example.org"
    caplog.clear()


@pytest.mark.usefixtures("bot")
async def test_where_embeds_are_not_shown(staff: Staff, discord_: LoopbackDiscord) -> None:
    """RULE-13: it's plain text then, of which nothing is left out but names, and these are counted."""
    staff.channel.deny(staff.guild.bot_role, Permission.EMBED_LINKS)
    names = " ".join(f"{'a_b-' * 12}{n}.{'x' * 60}.example.org" for n in range(40))
    replies = [await rule(staff, command, names.replace("example", command)) for command in ("block", "allow")]
    assert all(reply.embeds == [] and len(reply.content) <= limits.MESSAGE_CONTENT for reply in replies)
    told = replies[-1].content.splitlines()
    assert told[0] == "**This server**"
    assert [one.partition(":")[0] for one in told[1:]] == [
        "Allowed now",
        "",
        "**Only these sites are shown here",
        "**Never shown here",
    ]
    assert all(one.endswith(" more") for one in told[1:] if one)
    assert all(not message.pings for message in discord_.messages.values())


@pytest.mark.usefixtures("bot")
async def test_two_moderators_at_once(staff: Staff) -> None:
    """RULE-01 RULE-13: whichever was stored last holds, and each reply says what held then."""
    second = staff.guild.add_member("second", permissions=Permission.MANAGE_CHANNELS | Permission.MANAGE_GUILD)
    told = await asyncio.gather(
        *(
            rule(staff, command, "example.com", by=member)
            for _ in range(5)
            for member, command in ((staff.manager, "block"), (second, "allow"))
        )
    )
    final = await listed(staff)
    assert final in ([f"**{label}:** example.com"] for label in ("Never shown here", "Only these sites are shown here"))
    assert final in [lines(reply)[1:] for reply in told]


async def test_each_cog_has_commands_of_its_own(bot: commands.Bot) -> None:
    """LOAD-01: a second cog, as a reload makes one, leaves the first one's subcommands and their groups alone."""
    first, second = cog_of(bot), WebSearch(bot, {})
    for cog in (first, second):
        (group,) = [one for one in cog.get_app_commands() if one.name == "websearch"]
        assert not isinstance(group, Command)
        nested = {one.qualified_name: one for one in group.walk_commands()}
        assert {f"websearch sites {name}" for name in (*CHANGES, "list")} <= nested.keys()
        assert all(one.binding is cog for one in nested.values() if isinstance(one, Command))
        assert all(one.root_parent is group for one in nested.values())
    assert first.websearch is not second.websearch
