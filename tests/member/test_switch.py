"""Hold where searching is on, and who may change that, over a loopback Discord."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bots import RunBot, sentence, titles
from cogs.websearch.playground.discord import Permission
from staff import OFF_IN_CHANNEL, QUERY, Staff, ask, line, search

if TYPE_CHECKING:
    from cogs.websearch.playground.discord import LoopbackDiscord
    from loopback_exa import LoopbackExa

KINDS = ["channel", "thread", "private thread", "forum post", "voice"]


@pytest.fixture(autouse=True)
def many_searches(settings: dict[str, object]) -> None:
    """Let a member search as often as these tests do, before a bot reads it."""
    settings["web-per-minute"] = 60


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.usefixtures("bot")
async def test_everything_under_a_switched_off_category_is_off(staff: Staff, exa: LoopbackExa, kind: str) -> None:
    """SW-01, SW-06: channels, threads, forum posts and voice channels, at once and privately; outside it's on."""
    where = staff.places[kind]
    await ask(staff.moderator, staff.channel, "off", channel=staff.category)
    inv = await staff.reader.invoke(where, "search", query=QUERY)
    reply = await inv.reply()
    assert inv.callbacks[0]["type"] == 4
    assert reply.ephemeral
    assert sentence(reply) == (
        "Web search is off in this category of channels: search in another channel, or ask a moderator to switch it on."
    )
    assert exa.requests == []
    outside = staff.guild.add_text_channel("outside")
    assert titles(await search(staff.reader, outside))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.usefixtures("bot")
async def test_the_nearest_setting_wins(staff: Staff, kind: str) -> None:
    """SW-01, SW-12, SW-27: category against server, channel against category, thread against channel, each named."""
    where = staff.places[kind]
    await ask(staff.manager, staff.channel, "off", server=True)
    assert line(await ask(staff.manager, where, "status")).startswith("**off** by this server, set by")
    await ask(staff.moderator, staff.channel, "on", channel=staff.category)
    said = line(await ask(staff.moderator, where, "status"))
    assert said.startswith(f"**on** by the category <#{staff.category.id}>, set by")
    parent = where.parent if where.is_thread else where
    assert parent is not None
    await ask(staff.moderator, staff.channel, "off", channel=parent)
    said = line(await ask(staff.moderator, where, "status"))
    shown = f"<#{parent.id}>" if where.is_thread else f"*{where.name}*"
    assert said.startswith(f"**off** by the channel {shown}, set by <@{staff.moderator.id}> on <t:")
    assert sentence(await search(staff.reader, where)) == OFF_IN_CHANNEL
    if where.is_thread:
        await ask(staff.moderator, where, "on")
        assert line(await ask(staff.moderator, where, "status")).startswith(f"**on** by the thread *{where.name}*")
        assert titles(await search(staff.reader, where))


async def test_the_configuration_decides_last(
    staff: Staff, settings: dict[str, object], run_bot: RunBot, discord_: LoopbackDiscord
) -> None:
    """SW-01: where channels start off, only what a moderator switches on is on, and direct messages stay off."""
    settings["web-default-on"] = False
    direct = discord_.open_dm(staff.reader.user)
    async with run_bot():
        assert sentence(await search(staff.reader, staff.channel)).startswith("Web search is off here until a mod")
        reply = await (await staff.reader.user.invoke(direct, "search", query=QUERY)).reply()
        assert sentence(reply).startswith("Web search is off in direct messages")
        assert line(await ask(staff.moderator, staff.channel, "status")) == "**off** by default"
        await ask(staff.moderator, staff.channel, "on")
        assert titles(await search(staff.reader, staff.channel))


async def test_a_timed_setting_ends_while_the_bot_is_down(
    staff: Staff, run_bot: RunBot, discord_: LoopbackDiscord
) -> None:
    """SW-02, SW-12: it holds through a restart until its end, and then the lasting one holds again."""
    async with run_bot():
        await ask(staff.moderator, staff.channel, "on")
        said = line(await ask(staff.moderator, staff.channel, "off", **{"for": "2h"}))
        ends = int(discord_.clock.now() + 7200)
        assert said.endswith(f", until <t:{ends}:f>")
    discord_.clock.advance(7199)
    async with run_bot():
        assert sentence(await search(staff.reader, staff.channel)) == OFF_IN_CHANNEL
    discord_.clock.advance(1)
    async with run_bot():
        assert titles(await search(staff.reader, staff.channel))
        assert "until" not in line(await ask(staff.moderator, staff.channel, "status"))


@pytest.mark.usefixtures("bot")
async def test_a_lasting_setting_ends_the_timed_one(staff: Staff) -> None:
    """SW-03: whoever says "on" means now."""
    await ask(staff.moderator, staff.channel, "off", **{"for": "1w"})
    assert line(await ask(staff.moderator, staff.channel, "on")).startswith("**on** by the channel")
    assert titles(await search(staff.reader, staff.channel))


@pytest.mark.usefixtures("bot")
async def test_a_moderator_of_one_channel_cannot_change_another(staff: Staff, exa: LoopbackExa) -> None:
    """SW-09: neither another channel, nor its threads, the category or the server, by any subcommand."""
    other = staff.guild.add_text_channel("elsewhere")
    thread = other.add_thread("talk")
    keeper = staff.guild.add_member("keeper of the desk")
    staff.channel.allow(keeper, Permission.MANAGE_CHANNELS)
    for command, options in (("off", {}), ("on", {}), ("inherit", {}), ("replies", {"visibility": "private"})):
        for target in (other, thread, staff.category):
            reply = await ask(keeper, staff.channel, command, channel=target, **options)
            kind = "that thread or its channel" if target is thread else "that channel"
            assert sentence(reply) == f"That takes the permission to manage {kind}, which you don't have."
        reply = await ask(keeper, staff.channel, command, server=True, **options)
        assert sentence(reply).startswith("That takes the permission to manage this server")
    assert titles(await search(staff.reader, other))
    await ask(keeper, staff.channel, "off")
    assert sentence(await search(staff.reader, staff.channel)) == OFF_IN_CHANNEL
    assert sentence(await search(staff.reader, staff.places["thread"])) == OFF_IN_CHANNEL
    assert len(exa.requests) == 1


@pytest.mark.usefixtures("bot")
async def test_rights_that_the_integrations_page_gives_are_checked(staff: Staff) -> None:
    """SW-09: who may use the command by the server's page alone changes threads that they may manage, and no more."""
    helper = staff.guild.add_member("helper", permissions=Permission.MANAGE_THREADS)
    staff.guild.allow_command("websearch", helper)
    assert "manage that channel" in sentence(await ask(helper, staff.channel, "off"))
    assert line(await ask(helper, staff.places["thread"], "off")).startswith("**off** by the thread")
    assert line(await ask(helper, staff.channel, "on", channel=staff.places["forum post"])).startswith("**on**")
    nobody = staff.guild.add_member("nobody")
    staff.guild.allow_command("websearch", nobody)
    assert "manage that thread or its channel" in sentence(await ask(nobody, staff.places["thread"], "on"))


@pytest.mark.usefixtures("bot")
async def test_private_replies_are_inherited(staff: Staff) -> None:
    """SW-11: a category's privacy holds below it, a nearer one wins, and a member's own choice stays possible."""
    thread = staff.places["thread"]
    assert not (await search(staff.reader, thread)).ephemeral
    said = line(await ask(staff.moderator, staff.channel, "replies", visibility="private", channel=staff.category),
                "Replies: ")  # fmt: skip
    assert said.startswith("**private** by the category *Staff*, set by")
    for where in staff.places.values():
        assert (await search(staff.reader, where)).ephemeral
    await ask(staff.moderator, thread, "replies", visibility="public")
    assert not (await search(staff.reader, thread)).ephemeral
    assert (await search(staff.reader, thread, private=True)).ephemeral
    await ask(staff.manager, thread, "replies", visibility="private", server=True)
    assert (await search(staff.reader, staff.guild.add_text_channel("outside"))).ephemeral
    assert not (await search(staff.reader, thread)).ephemeral


@pytest.mark.usefixtures("bot")
async def test_two_moderators_at_once(staff: Staff) -> None:
    """SW-23: whichever was stored last holds, and each reply tells what is stored."""
    second = staff.guild.add_member("second", permissions=Permission.MANAGE_CHANNELS)
    asked = [
        await member.invoke(staff.channel, f"websearch {command}")
        for _ in range(5)
        for member, command in ((staff.moderator, "on"), (second, "off"))
    ]
    told = [line(await inv.reply()) for inv in asked]
    final = line(await ask(staff.moderator, staff.channel, "status"))
    assert final in told
    who = {"on": staff.moderator.id, "off": second.id}
    assert all(f"set by <@{who['on' if said.startswith('**on**') else 'off']}>" in said for said in told)
