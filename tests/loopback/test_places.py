"""Hold places and permissions: overwrites, threads, forums, direct messages, and where the bot is not."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import discord
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cogs.websearch.playground.discord import LoopbackDiscord, NotOffered, Permission
from loopback.probe import Interaction, turning

if TYPE_CHECKING:
    from cogs.websearch.playground.discord import Channel
    from loopback.conftest import Scene

BITS = st.integers(min_value=0, max_value=(1 << 53) - 1).map(Permission)


@settings(deadline=None)
@given(everyone=BITS, role=BITS, denied=BITS, allowed=BITS, own=BITS, back=BITS)
def test_overwrites(everyone: int, role: int, denied: int, allowed: int, own: int, back: int) -> None:
    """LOOP-21: @everyone's overwrite comes first, then those of roles, then the member's own; an allowance wins."""
    world = LoopbackDiscord()
    guild = world.add_guild("Library", installed=False)
    guild.everyone.permissions = Permission(everyone & ~Permission.ADMINISTRATOR)
    guide = guild.add_role("guide", Permission(role & ~Permission.ADMINISTRATOR))
    member, channel = guild.add_member("reader", roles=[guide]), guild.add_text_channel("general")
    channel.deny(guild.everyone, Permission(denied))
    channel.allow(guide, Permission(allowed))
    channel.deny(member, Permission(own))
    channel.allow(member, Permission(back))
    expected = (((guild.everyone.permissions | guide.permissions) & ~denied | allowed) & ~own) | back
    seen = expected if expected & Permission.VIEW_CHANNEL else 0
    assert member.permissions_in(channel) == seen
    assert member.permissions_in(channel.add_thread("thread")) == seen


async def test_owners_and_administrators(scene: Scene) -> None:
    """LOOP-21: the owner and administrators may do everything, whatever a channel denies."""
    owner = scene.guild.add_member("owner", owner=True)
    boss = scene.guild.add_member("boss", permissions=Permission.ADMINISTRATOR)
    scene.channel.deny(scene.guild.everyone, Permission.VIEW_CHANNEL)
    for one in (owner, boss):
        assert one.permissions_in(scene.channel) & Permission.MANAGE_GUILD
    assert scene.member.permissions_in(scene.channel) == 0


async def test_payload_permissions(scene: Scene) -> None:
    """LOOP-21: the client reads the member's and its own permissions, as discord.py computes them itself."""
    scene.channel.deny(scene.guild.bot_member, Permission.EMBED_LINKS)
    scene.channel.deny(scene.guild.everyone, Permission.ADD_REACTIONS)
    await scene.member.invoke(scene.channel, "probe")
    interaction = await scene.outcomes.received()
    assert interaction.permissions.value == scene.member.permissions_in(scene.channel)
    assert not interaction.app_permissions.embed_links
    assert not interaction.permissions.add_reactions
    assert isinstance(interaction.channel, discord.TextChannel)
    assert interaction.guild is not None
    computed = interaction.channel.permissions_for(interaction.guild.me)
    assert computed.embed_links is interaction.app_permissions.embed_links
    assert computed.add_reactions is interaction.app_permissions.add_reactions


async def test_categories(scene: Scene) -> None:
    """LOOP-21: a channel starts with its category's overwrites, and the client knows the category."""
    category = scene.guild.add_category("staff")
    category.deny(scene.guild.everyone, Permission.VIEW_CHANNEL)
    category.allow(scene.member, Permission.VIEW_CHANNEL)
    category.allow(scene.guild.bot_member, Permission.VIEW_CHANNEL)
    channel = scene.guild.add_text_channel("staff-room", category=category)
    assert not channel.seen_by(scene.guild.add_member("other"))
    await scene.member.invoke(channel, "probe")
    found = (await scene.outcomes.received()).channel
    assert isinstance(found, discord.TextChannel)
    assert found.category_id == category.id


def kinds_of_place(scene: Scene) -> dict[str, Channel]:
    """Make a place of each kind."""
    forum = scene.guild.add_forum("questions")
    private = scene.channel.add_thread("private", private=True, owner=scene.member)
    private.add(scene.world.bot)
    return {
        "thread": scene.channel.add_thread("thread"),
        "private": private,
        "post": forum.add_post("How?", owner=scene.member),
        "voice": scene.guild.add_voice_channel("voice"),
        "dm": scene.world.open_dm(scene.member.user),
    }


@pytest.mark.parametrize("kind", ["thread", "private", "post", "voice", "dm"])
async def test_places(scene: Scene, kind: str) -> None:
    """LOOP-23: commands and buttons work in threads, posts, voice channels and direct messages."""

    async def behave(interaction: Interaction) -> None:
        await interaction.response.defer()
        await interaction.edit_original_response(content="page 1", view=turning(2))

    scene.outcomes.behave = behave
    place = kinds_of_place(scene)[kind]
    reply = await (await scene.member.invoke(place, "probe")).reply()
    interaction = await scene.outcomes.received()
    assert interaction.channel_id == place.id
    if kind in ("thread", "private", "post"):
        assert isinstance(interaction.channel, discord.Thread)
        assert place.parent is not None
        assert interaction.channel.parent_id == place.parent.id
    await (await scene.member.press(reply, "Page 2")).reply()
    assert reply.content == "page 2"
    assert reply.channel is place


async def test_private_threads(scene: Scene) -> None:
    """LOOP-23: a private thread is seen by its members and by who manages threads."""
    other = scene.guild.add_member("other")
    manager = scene.guild.add_member("manager", permissions=Permission.MANAGE_THREADS)
    thread = scene.channel.add_thread("private", private=True, owner=scene.member)
    assert [thread.seen_by(one) for one in (scene.member, other, manager)] == [True, False, True]
    with pytest.raises(NotOffered, match="does not see"):
        await other.invoke(thread, "probe")
    thread.add(other)
    assert thread.seen_by(other)


async def test_an_unseen_thread(scene: Scene) -> None:
    """LOOP-23: in a private thread that the bot is not in, the client makes do with what the payload says."""
    thread = scene.channel.add_thread("private", private=True, owner=scene.member)
    await scene.member.invoke(thread, "probe")
    found = (await scene.outcomes.received()).channel
    assert isinstance(found, discord.Thread)
    assert found.parent_id == scene.channel.id
    with pytest.raises(discord.Forbidden) as refused:
        await scene.bot.fetch_channel(thread.id)
    assert refused.value.code == 50001


async def test_what_the_bot_writes(scene: Scene) -> None:
    """LOOP-22: the bot writes, edits, reads and deletes its messages; others' it deletes with the permission alone."""
    place = scene.bot.get_channel(scene.channel.id)
    assert isinstance(place, discord.TextChannel)
    sent = await place.send("hello @everyone", embed=discord.Embed(title="t"))
    shown = scene.world.messages[sent.id]
    assert shown.pings == {"everyone"}
    await sent.edit(content="bye", allowed_mentions=discord.AllowedMentions.none())
    assert (shown.content, shown.allowed_mentions) == ("bye", {"parse": []})
    foreign = scene.member.send(scene.channel, "mine")
    assert [message.id async for message in place.history()] == [foreign.id, sent.id]
    with pytest.raises(discord.Forbidden) as refused:
        await place.get_partial_message(foreign.id).delete()
    assert refused.value.code == 50013
    scene.channel.allow(scene.guild.bot_member, Permission.MANAGE_MESSAGES)
    await place.get_partial_message(foreign.id).delete()
    await sent.delete()
    assert foreign.deleted
    assert shown.deleted
    with pytest.raises(discord.NotFound) as gone:
        await sent.edit(content="again")
    assert gone.value.code == 10008


async def test_places_that_are_closed(scene: Scene) -> None:
    """LOOP-13 and LOOP-22: where the bot may not write it gets 50013, where it can't look 50001, what is gone 10003."""
    place = scene.bot.get_partial_messageable(scene.channel.id)
    for denied, code in ((Permission.SEND_MESSAGES, 50013), (Permission.VIEW_CHANNEL, 50001)):
        scene.channel.deny(scene.guild.bot_member, denied)
        with pytest.raises(discord.Forbidden) as refused:
            await place.send("hello")
        assert refused.value.code == code
    scene.channel.delete()
    with pytest.raises(discord.NotFound) as gone:
        await place.send("hello")
    assert gone.value.code == 10003


async def test_embeds_that_may_not_be(scene: Scene) -> None:
    """LOOP-22: without the right to embed links, embeds are dropped, and a message with nothing left is refused."""
    scene.channel.deny(scene.guild.bot_member, Permission.EMBED_LINKS)

    async def behave(interaction: Interaction) -> None:
        await interaction.response.send_message("text", embed=discord.Embed(title="t"))
        await scene.bot.get_partial_messageable(scene.channel.id).send(embed=discord.Embed(title="t"))

    scene.outcomes.behave = behave
    reply = await (await scene.member.invoke(scene.channel, "probe")).reply()
    assert (reply.content, reply.embeds) == ("text", [])
    assert (await scene.outcomes.error()).code == 50006
    scene.world.problems.clear()


async def test_files(scene: Scene) -> None:
    """LOOP-27: a file arrives with a reply and stays through an edit of the text."""

    async def behave(interaction: Interaction) -> None:
        file = discord.File(io.BytesIO(b"figures"), "usage.csv")
        await interaction.response.send_message("usage", file=file, ephemeral=True)
        await interaction.edit_original_response(content="usage of today")

    scene.outcomes.behave = behave
    inv = await scene.member.invoke(scene.channel, "probe")
    await scene.outcomes.next()
    reply = await inv.reply()
    assert reply.content == "usage of today"
    assert [(file.filename, file.data) for file in reply.attachments] == [("usage.csv", b"figures")]


async def test_direct_messages(scene: Scene) -> None:
    """LOOP-23: the bot opens direct messages with someone, who may take none (50007)."""
    user = await scene.bot.fetch_user(scene.member.id)
    sent = await user.send("hello")
    assert scene.world.messages[sent.id].channel is scene.world.open_dm(scene.member.user)
    assert not scene.world.messages[sent.id].visible_to(scene.world.owner)
    scene.member.user.open_to_messages = False
    with pytest.raises(discord.Forbidden) as refused:
        await user.send("hello?")
    assert refused.value.code == 50007


async def test_threads_by_the_bot(scene: Scene) -> None:
    """LOOP-23: the bot opens threads and posts, lists the open ones, and leaves them."""
    place = scene.bot.get_channel(scene.channel.id)
    assert isinstance(place, discord.TextChannel)
    thread = await place.create_thread(name="thread", type=discord.ChannelType.public_thread)
    forum = scene.bot.get_channel(scene.guild.add_forum("questions").id) or await scene.bot.fetch_channel(
        next(c.id for c in scene.guild.channels.values() if c.name == "questions")
    )
    assert isinstance(forum, discord.ForumChannel)
    post = await forum.create_thread(name="How?", content="like this")
    assert [one.id for one in await place.guild.active_threads()] == [thread.id, post.thread.id]
    await thread.leave()
    assert scene.world.bot.id not in scene.world.channels[thread.id].members


async def test_what_can_be_fetched(scene: Scene) -> None:
    """LOOP-13: servers, channels, members, roles and people are fetched, and what is not there has its own code."""
    guild = await scene.bot.fetch_guild(scene.guild.id)
    assert (await guild.fetch_member(scene.member.id)).name == "reader"
    assert len(await guild.fetch_channels()) == 1
    assert len(await guild.fetch_roles()) == 2
    assert [one.id async for one in scene.bot.fetch_guilds()] == [guild.id]
    listed = await scene.bot.http.get_members(guild.id, 1000, None)
    assert {member["user"]["username"] for member in listed} == {"reader", "loopback"}
    assert (await scene.bot.application_info()).owner.name == "owner"
    nobody = 1
    for attempt, code in (
        (guild.fetch_member(nobody), 10007),
        (scene.bot.fetch_user(nobody), 10013),
        (scene.bot.fetch_guild(nobody), 10004),
        (scene.bot.fetch_channel(nobody), 10003),
    ):
        with pytest.raises(discord.NotFound) as refused:
            await attempt
        assert refused.value.code == code


async def test_installed_to_a_user(scene: Scene) -> None:
    """LOOP-24: an app that is installed to a user alone works where the bot is not, with at most five follow-ups."""
    elsewhere = scene.world.add_guild("Elsewhere", installed=False)
    reader, channel = elsewhere.add_member("reader"), elsewhere.add_text_channel("there")
    with pytest.raises(NotOffered, match="neither here nor"):
        await reader.invoke(channel, "probe")

    async def behave(interaction: Interaction) -> None:
        assert not interaction.is_guild_integration()
        assert interaction.is_user_integration()
        await interaction.response.send_message("hello", view=turning(3))
        for number in range(6):
            await interaction.followup.send(str(number))

    scene.outcomes.behave = behave
    inv = await reader.invoke(channel, "probe", user_install=True)
    assert (await scene.outcomes.error()).code == 40094
    assert len(inv.followups) == 5
    scene.world.problems.clear()
    reply = await inv.reply()
    assert not reply.ephemeral
    await (await reader.press(reply, "Page 3")).reply()
    assert reply.content == "page 3"
    assert inv.sent["authorizing_integration_owners"] == {"1": str(reader.id)}


async def test_replies_that_must_be_private(scene: Scene) -> None:
    """LOOP-24: where members may not use external apps, replies are private whatever the bot says."""
    elsewhere = scene.world.add_guild("Elsewhere", installed=False)
    reader, channel = elsewhere.add_member("reader"), elsewhere.add_text_channel("there")
    channel.deny(elsewhere.everyone, Permission.USE_EXTERNAL_APPS | Permission.EMBED_LINKS)

    async def behave(interaction: Interaction) -> bool:
        await interaction.response.send_message("hello")
        return interaction.app_permissions.embed_links

    scene.outcomes.behave = behave
    reply = await (await reader.invoke(channel, "probe", user_install=True)).reply()
    assert reply.ephemeral
    assert await scene.outcomes.next() is False


async def test_between_users(scene: Scene) -> None:
    """LOOP-24: in direct messages between users an app of one of them works, and both see a public reply."""
    one, two = scene.world.add_user("one"), scene.world.add_user("two")
    place = scene.world.open_dm(one, two)

    async def behave(interaction: Interaction) -> None:
        assert interaction.context.private_channel
        await interaction.response.send_message("hello")

    scene.outcomes.behave = behave
    reply = await (await one.invoke(place, "probe", user_install=True)).reply()
    assert [reply.visible_to(who) for who in (one, two, scene.member)] == [True, True, False]
