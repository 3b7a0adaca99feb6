"""Hold how a bot may answer a press: with a reply of its own, by the pressed message, and with follow-ups."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import discord
import pytest
from aiohttp import ClientSession

from cogs.websearch.playground.discord import NotOffered, Permission
from cogs.websearch.playground.discord.permissions import NONE
from loopback.test_components import Button, presses, shown, view

if TYPE_CHECKING:
    from cogs.websearch.playground.discord import Invocation, Member, Message
    from loopback.conftest import Scene
    from loopback.probe import Interaction


@dataclass
class Press:
    """Hold a press as the member's side and as the bot's side see it, and the message that was pressed."""

    inv: Invocation
    interaction: Interaction
    message: Message

    @property
    def follow(self) -> discord.Webhook:
        """Return what sends follow-ups."""
        return self.interaction.followup


async def pressed(scene: Scene, *, private: bool = False) -> Press:
    """Let a member press a button."""
    message = await shown(scene, Button(label="Go", custom_id="go"), private=private)
    heard = presses(scene)
    inv = await scene.member.press(message, "Go")
    return Press(inv, await heard.get(), message)


async def abroad(scene: Scene, denied: Permission) -> tuple[Member, Message]:
    """Let the bot show a button in a server that it's not in, to a member to whom something is denied."""
    guild = scene.world.add_guild("Elsewhere", installed=False)
    channel = guild.add_text_channel("there")
    channel.deny(guild.everyone, denied)
    traveller = guild.add_member("traveller")

    async def behave(interaction: Interaction) -> None:
        await interaction.response.send_message("start", view=view(Button(label="Go", custom_id="go")))

    scene.outcomes.behave = behave
    return traveller, await (await traveller.invoke(channel, "probe", user_install=True)).reply()


async def refusal(attempt: object) -> int:
    """Tell the code with which an attempt is refused."""
    with pytest.raises(discord.HTTPException) as refused:
        await attempt  # type: ignore[misc]  # whatever a test awaits
    return refused.value.code


@pytest.mark.parametrize("private", [False, True])
async def test_a_new_reply_to_a_press(scene: Scene, *, private: bool) -> None:
    """LOOP-32: a press may be deferred with a new reply, which is then the original; the pressed message stays."""
    press = await pressed(scene, private=not private)
    await press.interaction.response.defer(thinking=True, ephemeral=private)
    thinking = press.inv.original
    assert thinking is not None
    assert (thinking is press.message, thinking.loading, thinking.ephemeral) == (False, True, private)
    await press.interaction.edit_original_response(content="page")
    assert await press.inv.reply() is thinking
    assert (thinking.content, press.message.content, press.message.edits) == ("page", "start", [])
    await press.follow.edit_message(press.message.id, content="read")
    assert (thinking.content, press.message.content) == ("page", "read")
    await press.interaction.delete_original_response()
    assert (thinking.deleted, press.message.deleted) == (True, False)


@pytest.mark.parametrize("update", [False, True])
@pytest.mark.parametrize("source", [False, True])
async def test_follow_ups_to_an_update(scene: Scene, *, update: bool, source: bool) -> None:
    """LOOP-32: after an update the pressed message is the original, and each follow-up has the privacy it asks for."""
    press = await pressed(scene, private=source)
    if update:
        await press.interaction.response.edit_message(content="more")
    else:
        await press.interaction.response.defer()
    assert press.inv.original is press.message
    for private in (False, True, False):
        await press.follow.send("shared", ephemeral=private)
    assert [one.ephemeral for one in press.inv.followups] == [False, True, False]
    other = scene.guild.add_member("other")
    assert [one.visible_to(other) for one in press.inv.followups] == [True, False, True]
    await press.interaction.edit_original_response(content="end")
    assert (press.message.content, press.message.ephemeral) == ("end", source)
    await press.interaction.delete_original_response()
    assert press.message.deleted


async def test_a_press_opens_a_private_message_anew(scene: Scene) -> None:
    """LOOP-09 and LOOP-12: a private message outlives the token it came with, and a press on it opens it again."""
    message = await shown(scene, Button(label="Go", custom_id="go"), private=True)
    scene.world.clock.advance(15 * 60)
    assert await refusal(scene.outcomes.seen[-1].followup.edit_message(message.id, content="late")) == 50027
    heard = presses(scene)
    await scene.member.press(message, "Go")
    press = await heard.get()
    await press.response.defer()
    await press.edit_original_response(content="in time")
    assert message.content == "in time"
    scene.world.clock.advance(15 * 60)
    for attempt in (
        press.edit_original_response(content="late"),
        press.followup.edit_message(message.id, content="late"),
        press.delete_original_response(),
        press.followup.send("late"),
    ):
        assert await refusal(attempt) == 50027
    assert (message.content, message.deleted) == ("in time", False)


async def test_tokens_reach_their_own_messages(scene: Scene) -> None:
    """LOOP-12: the token of one press reaches neither another's private message nor another's follow-up."""
    one = await pressed(scene, private=True)
    two = await pressed(scene, private=True)
    for press in (one, two):
        await press.interaction.response.defer()
        await press.follow.send("psst", ephemeral=True)
    for message in (one.message, one.inv.followups[0]):
        assert await refusal(two.follow.edit_message(message.id, content="x")) == 10008
        assert await refusal(two.follow.delete_message(message.id)) == 10008
        assert not message.deleted


async def test_a_thinking_that_was_deleted(scene: Scene) -> None:
    """LOOP-11: where somebody deletes the "thinking", an edit and a follow-up are refused with 10008."""
    press = await pressed(scene)
    await press.interaction.response.defer(thinking=True)
    assert press.inv.original is not None
    press.inv.original.delete()
    assert await refusal(press.interaction.edit_original_response(content="x")) == 10008
    assert await refusal(press.follow.send("x", ephemeral=True)) == 10008
    await press.follow.edit_message(press.message.id, content="still here")
    assert press.message.content == "still here"


async def test_a_deferral_says_privacy_alone(scene: Scene) -> None:
    """LOOP-32: a deferral's other flags are Discord's own to set."""
    press = await pressed(scene)
    body = {"type": 5, "data": {"flags": 64 | 1 << 2 | 1 << 15}}
    path = f"{scene.world.api_url}/interactions/{press.inv.id}/{press.inv.token}/callback"
    async with ClientSession() as session, session.post(path, json=body) as response:
        assert response.status == 204
    assert press.inv.original is not None
    assert press.inv.original.flags == 64 | 1 << 7


async def test_a_channel_that_is_gone(scene: Scene) -> None:
    """LOOP-13: in a channel that was deleted meanwhile nothing is acknowledged, edited or sent (10003) or pressed."""
    one, two = await pressed(scene), await pressed(scene, private=True)
    await one.interaction.response.defer()
    scene.channel.delete()
    assert await refusal(two.interaction.response.defer()) == 10003
    assert await refusal(two.interaction.response.send_message("x")) == 10003
    for attempt in (
        one.interaction.edit_original_response(content="x"),
        one.follow.send("x"),
        one.interaction.delete_original_response(),
    ):
        assert await refusal(attempt) == 10003
    for message in (one.message, two.message):
        assert not message.visible_to(scene.member)
        with pytest.raises(NotOffered):
            await scene.member.press(message, "Go")


async def test_five_follow_ups_to_a_press(scene: Scene) -> None:
    """LOOP-24: five follow-ups to each press are what a user's own installation gets, the completed reply aside."""
    traveller, message = await abroad(scene, NONE)
    heard = presses(scene)
    for _ in range(2):
        inv = await traveller.press(message, "Go")
        press = await heard.get()
        await press.response.defer(thinking=True)
        for number in range(6):
            await press.followup.send(str(number))
        assert await refusal(press.followup.send("6")) == 40094
        assert len({one.id for one in inv.followups}) == 6
    scene.world.problems.clear()


async def test_follow_ups_where_the_bot_is(scene: Scene) -> None:
    """LOOP-24: where the app is installed to the server, a press is followed up as often as the bot likes."""
    press = await pressed(scene)
    await press.interaction.response.defer()
    for number in range(7):
        await press.follow.send(str(number))
    assert len(press.inv.followups) == 7


async def test_presses_that_must_stay_private(scene: Scene) -> None:
    """LOOP-24: where external apps are denied, a press brings nothing but private messages, whatever it asks for."""
    traveller, message = await abroad(scene, Permission.USE_EXTERNAL_APPS)
    heard = presses(scene)
    inv = await traveller.press(message, "Go")
    press = await heard.get()
    assert not press.permissions.use_external_apps
    await press.response.defer(thinking=True)
    await press.edit_original_response(content="page")
    await press.followup.send("shared")
    assert [message.ephemeral, inv.ephemeral, *(one.ephemeral for one in inv.followups)] == [True, True, True]


@pytest.mark.parametrize("in_thread", [False, True])
async def test_what_a_press_says_of_permissions(scene: Scene, *, in_thread: bool) -> None:
    """LOOP-21: a press says what the member and the app may do here, and the app answers who may not write as well."""
    scene.channel.deny(scene.guild.everyone, Permission.SEND_MESSAGES | Permission.SEND_MESSAGES_IN_THREADS)
    scene.channel.allow(scene.guild.bot_member, Permission.SEND_MESSAGES_IN_THREADS)
    scene.channel.deny(scene.guild.bot_member, Permission.EMBED_LINKS | Permission.USE_EXTERNAL_APPS)
    if in_thread:
        scene.channel = scene.channel.add_thread("thread")
    press = await pressed(scene)
    member, app = press.interaction.permissions, press.interaction.app_permissions
    assert (member.send_messages, member.send_messages_in_threads, member.embed_links) == (False, False, True)
    assert (app.send_messages, app.send_messages_in_threads, app.embed_links) == (False, True, False)
    assert (member.use_external_apps, app.use_external_apps) == (True, False)
    await press.interaction.response.defer()
    await press.follow.send("shared")
    assert press.inv.followups[0].visible_to(scene.guild.add_member("other"))


async def test_app_permissions_in_direct_messages(scene: Scene) -> None:
    """LOOP-21: in direct messages an app has what Discord documents, which with the bot is one thing more."""
    one, two = scene.world.add_user("one"), scene.world.add_user("two")
    between = Permission.ATTACH_FILES | Permission.EMBED_LINKS | Permission.MENTION_EVERYONE
    inv = await one.invoke(scene.world.open_dm(one, two), "probe", user_install=True)
    assert inv.sent["app_permissions"] == str(int(between))
    inv = await one.invoke(scene.world.open_dm(one), "probe")
    assert inv.sent["app_permissions"] == str(int(between | Permission.USE_EXTERNAL_EMOJIS))
