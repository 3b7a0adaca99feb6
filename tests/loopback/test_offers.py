"""Hold who is offered which command where, and which options a client lets through."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import discord
import pytest
from discord import app_commands

from cogs.websearch.playground.discord import LoopbackDiscord, NotOffered, Permission
from loopback.probe import Interaction, make, running

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cogs.websearch.playground.discord import Channel, Member
    from loopback.conftest import Scene


async def nothing(interaction: Interaction) -> None:
    """Be a command."""


async def offered(member: Member, where: Channel, name: str, options: Mapping[str, Any] | None = None) -> bool:
    """Tell whether the member's client offers a command."""
    try:
        await member.invoke(where, name, **(options or {}))
    except NotOffered:
        return False
    return True


async def test_only_what_is_synced(world: LoopbackDiscord) -> None:
    """LOOP-07: a command is offered once it's synced, not before."""
    guild = world.add_guild("Library")
    channel, member = guild.add_text_channel("general"), guild.add_member("reader")
    with pytest.raises(NotOffered, match="there is no CHAT_INPUT command probe"):
        await member.invoke(channel, "probe")
    async with running(world, make()):
        await member.invoke(channel, "probe")


async def test_syncing_keeps_ids(scene: Scene) -> None:
    """LOOP-07: a command that is synced again keeps its id; those of one server are there alone."""
    tree = scene.bot.tree
    first = {command.name: command.id for command in await tree.fetch_commands()}
    assert {command.name: command.id for command in await tree.sync()} == first
    local = discord.Object(scene.guild.id)
    tree.copy_global_to(guild=local)
    assert len(await tree.sync(guild=local)) == len(first)
    elsewhere = scene.world.add_guild("Elsewhere")
    tree.clear_commands(guild=None)
    await tree.sync()
    assert await offered(scene.member, scene.channel, "probe")
    assert not await offered(elsewhere.add_member("other"), elsewhere.add_text_channel("there"), "probe")


async def test_commands_one_by_one(scene: Scene) -> None:
    """LOOP-07: a command is created, changed, fetched and deleted by itself, and what is gone is refused with 10063."""
    http, app = scene.bot.http, scene.world.application_id
    extra: app_commands.Command[Any, ..., None] = app_commands.Command(
        name="extra", description="one", callback=nothing
    )
    made = await http.upsert_global_command(app, extra.to_dict(scene.bot.tree))  # type: ignore[arg-type]  # discord.py's own types of this dict differ
    number = int(made["id"])
    assert await offered(scene.member, scene.channel, "extra")
    await http.edit_global_command(app, number, {"name": "changed", "description": "two", "options": []})
    assert (await scene.bot.tree.fetch_command(number)).name == "changed"
    await http.delete_global_command(app, number)
    with pytest.raises(discord.NotFound) as refused:
        await scene.bot.tree.fetch_command(number)
    assert refused.value.code == 10063


async def test_default_permissions(scene: Scene) -> None:
    """LOOP-07: default permissions decide until the server's own rules say otherwise; administrators may always."""
    options = {"channel": scene.channel}
    moderator = scene.guild.add_member("moderator", permissions=Permission.MANAGE_CHANNELS)
    boss = scene.guild.add_member("boss", permissions=Permission.ADMINISTRATOR)
    asked = (scene.member, moderator, boss)
    assert [await offered(one, scene.channel, "admin on", options) for one in asked] == [False, True, True]
    scene.channel.deny(moderator, Permission.MANAGE_CHANNELS)
    assert not await offered(moderator, scene.channel, "admin on", options)
    scene.guild.allow_command("admin", scene.member)
    scene.guild.allow_command("admin", boss, allowed=False)
    assert [await offered(one, scene.channel, "admin on", options) for one in asked] == [True, False, True]
    scene.guild.allow_command("admin", scene.channel, allowed=False)
    assert not await offered(scene.member, scene.channel, "admin on", options)


async def test_rules_for_roles(scene: Scene) -> None:
    """LOOP-07: a rule for a role holds for its members, and one for a member goes before it."""
    role = scene.guild.add_role("guide")
    guide = scene.guild.add_member("guide", roles=[role])
    scene.guild.allow_command("probe", scene.guild.everyone, allowed=False)
    scene.guild.allow_command("probe", role)
    assert [await offered(one, scene.channel, "probe") for one in (scene.member, guide)] == [False, True]
    scene.guild.allow_command("probe", guide, allowed=False)
    assert not await offered(guide, scene.channel, "probe")


async def test_where_commands_are(scene: Scene) -> None:
    """LOOP-07: contexts, age limits, the right to use commands and unseen channels hide a command."""
    user = scene.member.user
    dm = scene.world.open_dm(user)
    assert await offered(scene.member, dm, "probe")
    assert not await offered(scene.member, dm, "required", {"text": "x"})
    assert not await offered(scene.member, scene.channel, "adult")
    adult = scene.guild.add_text_channel("adult", nsfw=True)
    assert await offered(scene.member, adult, "adult")
    assert await offered(scene.member, adult.add_thread("thread"), "adult")
    scene.channel.deny(scene.guild.everyone, Permission.USE_APPLICATION_COMMANDS)
    assert not await offered(scene.member, scene.channel, "probe")
    adult.deny(scene.member, Permission.VIEW_CHANNEL)
    assert not await offered(scene.member, adult, "probe")


async def test_age_restrictions(scene: Scene) -> None:
    """LOOP-07: a channel becomes age-restricted and open again, which its threads follow and the client hears of."""
    seen = scene.bot.get_channel(scene.channel.id)
    assert isinstance(seen, discord.TextChannel)
    thread = scene.channel.add_thread("thread")
    for restricted in (True, False):
        changed = asyncio.create_task(scene.bot.wait_for("guild_channel_update"))
        await asyncio.sleep(0)
        scene.channel.restrict_age(on=restricted)
        async with asyncio.timeout(10):
            assert [channel.nsfw for channel in await changed] == [not restricted, restricted]
        assert (await scene.member.invoke(scene.channel, "probe")).sent["channel"]["nsfw"] is restricted
        # A thread's payload doesn't say so, in Discord's document neither: it's the parent that knows.
        inv = await scene.member.invoke(thread, "probe")
        assert ("nsfw" in inv.sent["channel"], thread.age_restricted) == (False, restricted)
        assert await offered(scene.member, thread, "adult") is restricted


@pytest.mark.parametrize(
    ("command", "options"),
    [
        ("required", {}),
        ("required", {"text": ""}),
        ("required", {"text": "  "}),
        ("probe", {"count": 0}),
        ("probe", {"count": 11}),
        ("probe", {"count": 2**53 + 1}),
        ("probe", {"count": True}),
        ("probe", {"count": "3"}),
        ("probe", {"text": "x" * 401}),
        ("probe", {"text": ""}),
        ("probe", {"kind": "medium"}),
        ("probe", {"unknown": 1}),
        ("admin", {}),
        ("admin off", {}),
    ],
)
async def test_options_that_no_client_sends(scene: Scene, command: str, options: dict[str, Any]) -> None:
    """LOOP-20: a client keeps back what is missing, out of range, of a wrong type or not among the choices."""
    boss = scene.guild.add_member("boss", permissions=Permission.ADMINISTRATOR)
    assert not await offered(boss, scene.channel, command, options)
    if command == "probe":
        inv = await boss.invoke(scene.channel, command, force=True, **options)
        name, value = next(iter(options.items()))
        assert [(sent["name"], sent["value"]) for sent in inv.sent["data"]["options"]] == [(name, value)]


async def test_options_of_each_kind(scene: Scene) -> None:
    """LOOP-20: what a member types arrives as what it is, people and channels included."""
    await scene.member.invoke(
        scene.channel, "probe", text="x" * 400, count=10, kind="Long", user=scene.member, channel=scene.channel
    )
    extras = (await scene.outcomes.received()).extras
    assert (extras["text"], extras["count"], extras["kind"]) == ("x" * 400, 10, "l")
    assert isinstance(extras["user"], discord.Member)
    assert extras["user"].id == scene.member.id
    assert extras["channel"].id == scene.channel.id


async def test_channel_options(scene: Scene) -> None:
    """LOOP-20: a channel option takes the kinds that it names, and carries the invoker's permissions there."""
    other = scene.guild.add_text_channel("other")
    other.deny(scene.member, Permission.EMBED_LINKS)
    assert not await offered(scene.member, scene.channel, "probe", {"channel": scene.guild.add_category("category")})
    assert not await offered(scene.member, scene.channel, "probe", {"channel": other.add_thread("thread")})
    inv = await scene.member.invoke(scene.channel, "probe", channel=other)
    found = inv.sent["data"]["resolved"]["channels"][str(other.id)]
    assert int(found["permissions"]) == scene.member.permissions_in(other)
    assert not int(found["permissions"]) & Permission.EMBED_LINKS


async def test_subcommands_take_threads(scene: Scene) -> None:
    """LOOP-20: a subcommand's option takes a thread, which arrives with its parent."""
    boss = scene.guild.add_member("boss", owner=True)
    thread = scene.channel.add_thread("thread")
    inv = await boss.invoke(scene.channel, "admin on", channel=thread)
    found = (await scene.outcomes.received()).extras["channel"]
    assert (found.id, found.parent_id) == (thread.id, scene.channel.id)
    sent = inv.sent["data"]["resolved"]["channels"][str(thread.id)]
    assert int(sent["permissions"]) & Permission.ADMINISTRATOR


async def test_locales(scene: Scene) -> None:
    """LOOP-20: the member's and the server's languages reach the bot, and a client may be set to another one."""
    reader = scene.world.add_guild("Bibliothek", locale="de").add_member("leser", locale="fr")
    channel = reader.guild.add_text_channel("lesesaal")
    await reader.invoke(channel, "probe")
    first = await scene.outcomes.received()
    await reader.invoke(channel, "probe", locale="pl")
    second = await scene.outcomes.received()
    assert [first.locale.value, str(first.guild_locale), second.locale.value] == ["fr", "de", "pl"]


async def test_autocompletion(scene: Scene) -> None:
    """LOOP-26: what is being typed goes to the bot, and its choices come back."""
    choices = await scene.member.autocomplete(scene.channel, "probe", "hint", "ab", count=3)
    assert [choice["value"] for choice in choices] == ["ab1", "ab2"]
    with pytest.raises(NotOffered, match="does not complete text"):
        await scene.member.autocomplete(scene.channel, "probe", "text", "ab")


async def test_message_menus(scene: Scene) -> None:
    """LOOP-26: an entry of a message's menu brings the message along, also a text that the bot could not read."""
    message = scene.member.send(scene.channel, "look here")
    await scene.member.use_menu(message, "Look at it")
    assert (await scene.outcomes.received()).extras["message"].content == "look here"
    message.delete()
    with pytest.raises(NotOffered, match="does not see"):
        await scene.member.use_menu(message, "Look at it")
