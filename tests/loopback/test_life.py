"""Hold how an interaction lives: acknowledged, answered, followed up, and too late."""

from __future__ import annotations

from typing import TYPE_CHECKING

import discord
import pytest

from cogs.websearch.playground.discord import State, StillWaiting
from loopback.probe import Interaction, turning

if TYPE_CHECKING:
    from loopback.conftest import Scene


async def test_defer_and_edit(scene: Scene) -> None:
    """LOOP-01: an unmodified client acknowledges, edits its reply, and the member sees the edit."""

    async def behave(interaction: Interaction) -> None:
        await interaction.response.defer()
        await interaction.edit_original_response(embed=discord.Embed(title=" cats ", description="about cats"))

    scene.outcomes.behave = behave
    inv = await scene.member.invoke(scene.channel, "probe", text="cats")
    await inv.acknowledged()
    reply = await inv.reply()
    assert reply.embeds == [{"type": "rich", "title": "cats", "description": "about cats"}]
    assert reply is inv.original
    assert not reply.loading
    assert len(reply.edits) == 1
    assert scene.outcomes.seen[0].extras["text"] == "cats"


async def test_immediate_answer(scene: Scene) -> None:
    """LOOP-01: an answer without a deferral is there at once, and the client learns its id."""

    async def behave(interaction: Interaction) -> int | None:
        response = await interaction.response.send_message("hello", ephemeral=True)
        return response.message_id

    scene.outcomes.behave = behave
    inv = await scene.member.invoke(scene.channel, "probe")
    reply = await inv.reply()
    assert (reply.content, reply.ephemeral) == ("hello", True)
    assert await scene.outcomes.next() == reply.id


async def test_three_seconds(scene: Scene) -> None:
    """LOOP-08: what is not acknowledged within three seconds of the clock has failed, and the client hears 10062."""
    inv = await scene.member.invoke(scene.channel, "probe")
    interaction = await scene.outcomes.received()
    scene.world.clock.advance(3)
    assert inv.state is State.FAILED
    with pytest.raises(StillWaiting, match="did not respond within 3 s"):
        await inv.acknowledged()
    with pytest.raises(discord.NotFound) as refused:
        await interaction.response.send_message("late")
    assert refused.value.code == 10062


async def test_just_in_time(scene: Scene) -> None:
    """LOOP-08: just under three seconds is in time, since real time does not count."""
    inv = await scene.member.invoke(scene.channel, "probe")
    interaction = await scene.outcomes.received()
    scene.world.clock.advance(2.999)
    await interaction.response.send_message("in time")
    assert (await inv.reply()).content == "in time"


async def test_fifteen_minutes(scene: Scene) -> None:
    """LOOP-09: after fifteen minutes the token opens nothing any more, and a reply that still thinks has failed."""
    inv = await scene.member.invoke(scene.channel, "probe")
    interaction = await scene.outcomes.received()
    await interaction.response.defer()
    scene.world.clock.advance(15 * 60 - 1)
    states = [inv.state]
    scene.world.clock.advance(1)
    assert [*states, inv.state] == [State.DEFERRED, State.FAILED]
    for attempt in (
        interaction.edit_original_response(content="late"),
        interaction.delete_original_response(),
        interaction.followup.send("late"),
    ):
        with pytest.raises(discord.HTTPException) as refused:
            await attempt
        assert (refused.value.status, refused.value.code) == (401, 50027)


async def test_one_acknowledgement(scene: Scene) -> None:
    """LOOP-10: a second acknowledgement is refused with 40060, and is a problem."""
    inv = await scene.member.invoke(scene.channel, "probe")
    interaction = await scene.outcomes.received()
    await interaction.response.defer()
    inv.deliver()
    again = await scene.outcomes.received()
    assert again.id == interaction.id
    with pytest.raises(discord.HTTPException) as refused:
        await again.response.defer()
    assert refused.value.code == 40060
    assert "acknowledged" in str(scene.world.problems.pop())


@pytest.mark.parametrize("private", [False, True])
async def test_first_follow_up_is_the_reply(scene: Scene, *, private: bool) -> None:
    """LOOP-11: the first follow-up after a deferral is the reply itself and has the deferral's privacy, not its own."""

    async def behave(interaction: Interaction) -> None:
        await interaction.response.defer(ephemeral=private)
        await interaction.followup.send("first", ephemeral=not private)
        await interaction.followup.send("second", ephemeral=not private)

    scene.outcomes.behave = behave
    inv = await scene.member.invoke(scene.channel, "probe")
    await scene.outcomes.next()
    assert [(message.content, message.ephemeral) for message in inv.followups] == [
        ("first", private),
        ("second", not private),
    ]
    assert inv.followups[0] is inv.original
    assert await inv.reply() is inv.original


async def test_follow_up_after_delete(scene: Scene) -> None:
    """LOOP-11: once the public "thinking" is deleted, a follow-up may be private."""

    async def behave(interaction: Interaction) -> None:
        await interaction.response.defer()
        await interaction.delete_original_response()
        await interaction.followup.send("sorry", ephemeral=True)

    scene.outcomes.behave = behave
    inv = await scene.member.invoke(scene.channel, "probe")
    reply = await inv.reply()
    assert (reply.content, reply.ephemeral) == ("sorry", True)
    assert inv.original is not None
    assert inv.original.deleted
    assert reply is not inv.original


async def test_private_replies(scene: Scene) -> None:
    """LOOP-12: a private reply is seen by who asked alone, and no channel route reaches it."""
    other = scene.guild.add_member("other", owner=True)

    async def behave(interaction: Interaction) -> None:
        await interaction.response.send_message("psst", ephemeral=True)
        await interaction.edit_original_response(content="psst!")

    scene.outcomes.behave = behave
    inv = await scene.member.invoke(scene.channel, "probe")
    await scene.outcomes.next()
    reply = await inv.reply()
    assert (reply.visible_to(scene.member), reply.visible_to(other)) == (True, False)
    place = scene.bot.get_partial_messageable(scene.channel.id)
    for attempt in (place.get_partial_message(reply.id).edit(content="x"), place.fetch_message(reply.id)):
        with pytest.raises(discord.NotFound) as refused:
            await attempt
        assert refused.value.code == 10008
        assert "private message" in str(scene.world.problems.pop())
    assert reply.content == "psst!"
    assert [message async for message in place.history()] == []


async def test_deleted_while_thinking(scene: Scene) -> None:
    """LOOP-13: an edit of a reply that someone deleted meanwhile is refused with 10008, which is no problem."""
    inv = await scene.member.invoke(scene.channel, "probe")
    interaction = await scene.outcomes.received()
    await interaction.response.defer()
    assert inv.original is not None
    inv.original.delete()
    with pytest.raises(discord.NotFound) as refused:
        await interaction.edit_original_response(content="late")
    assert refused.value.code == 10008


async def test_dynamic_items_survive(scene: Scene) -> None:
    """LOOP-14: a press reaches a dynamic item of the client, whose update is the answer."""

    async def behave(interaction: Interaction) -> None:
        await interaction.response.send_message("page 1", view=turning(2))

    scene.outcomes.behave = behave
    reply = await (await scene.member.invoke(scene.channel, "probe")).reply()
    press = await scene.member.press(reply, "Page 2")
    assert await press.reply() is reply
    assert reply.content == "page 2"


async def test_deferred_update(scene: Scene) -> None:
    """LOOP-14: a press that is deferred answers by an edit, a deletion or a follow-up, whichever comes first."""
    answers = iter(("edit", "follow", "delete"))

    async def press(interaction: Interaction) -> None:
        await interaction.response.defer()
        how = next(answers)
        if how == "edit":
            await interaction.edit_original_response(content="edited")
        elif how == "follow":
            await interaction.followup.send("not yours", ephemeral=True)
        else:
            await interaction.delete_original_response()

    async def behave(interaction: Interaction) -> None:
        view = discord.ui.View(timeout=None)
        button: discord.ui.Button[discord.ui.View] = discord.ui.Button(label="Go", custom_id="go")
        button.callback = press  # type: ignore[method-assign]  # as discord.py's own examples do
        await interaction.response.send_message("start", view=view.add_item(button))

    scene.outcomes.behave = behave
    reply = await (await scene.member.invoke(scene.channel, "probe")).reply()
    assert (await (await scene.member.press(reply, "go")).reply()).content == "edited"
    told = await (await scene.member.press(reply, "go")).reply()
    assert (told.content, told.ephemeral) == ("not yours", True)
    assert (await (await scene.member.press(reply, "go")).reply()).deleted


async def test_waiting_in_vain(scene: Scene) -> None:
    """LOOP-15: waiting for what never comes fails, and says what it waited for."""
    scene.world.changes.patience = 0.01
    inv = await scene.member.invoke(scene.channel, "probe")
    with pytest.raises(StillWaiting, match=r"an acknowledgement of <COMMAND 'probe' sent"):
        await inv.acknowledged()
    with pytest.raises(StillWaiting, match="the moon"):
        await scene.world.until(lambda: False, "the moon")
