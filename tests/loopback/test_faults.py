"""Hold how a test disturbs requests."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import aiohttp
import discord
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cogs.websearch.playground.discord import Clock, NotOffered
from loopback.probe import Interaction, turning

if TYPE_CHECKING:
    from loopback.conftest import Scene

ORIGINAL = r"/webhooks/.*/messages/@original$"


async def deferred(scene: Scene) -> Interaction:
    """Let the bot acknowledge a command."""
    await scene.member.invoke(scene.channel, "probe")
    interaction = await scene.outcomes.received()
    await interaction.response.defer()
    return interaction


async def test_a_status(scene: Scene) -> None:
    """LOOP-25: a request fails as often as asked for, with the status and the code, and then works."""
    interaction = await deferred(scene)
    fault = scene.world.fail("PATCH", ORIGINAL, status=403, code=50013, times=2)
    for _ in range(2):
        with pytest.raises(discord.Forbidden) as refused:
            await interaction.edit_original_response(content="x")
        assert refused.value.code == 50013
    await interaction.edit_original_response(content="x")
    assert fault.hits == 2
    assert [request.status for request in scene.world.requests if request.method == "PATCH"] == [403, 403, 200]


async def test_too_many_requests(scene: Scene) -> None:
    """LOOP-25: a 429 looks as Discord's, so that discord.py waits as told and tries again."""
    interaction = await deferred(scene)
    fault = scene.world.fail("PATCH", ORIGINAL, retry_after=0.01, times=2)
    await interaction.edit_original_response(content="x")
    place = scene.bot.get_partial_messageable(scene.channel.id)
    scene.world.fail("POST", r"/channels/\d+/messages", retry_after=0.01)
    await place.send("hello")
    assert fault.hits == 2
    assert [r.status for r in scene.world.requests if "/channels/" in r.path] == [429, 200]


async def test_html(scene: Scene) -> None:
    """LOOP-25: an answer may be a page of a gateway instead of JSON."""
    interaction = await deferred(scene)
    scene.world.fail("PATCH", ORIGINAL, status=404, body="<html>not here</html>")
    with pytest.raises(discord.NotFound) as refused:
        await interaction.edit_original_response(content="x")
    assert "not here" in refused.value.text


@pytest.mark.parametrize("after", [False, True])
async def test_cut_connections(scene: Scene, *, after: bool) -> None:
    """LOOP-25: a connection is cut before a request takes effect, or after it."""
    interaction = await deferred(scene)
    scene.world.drop("PATCH", ORIGINAL, after=after)
    with pytest.raises(aiohttp.ClientError):
        await interaction.edit_original_response(content="x")
    original = scene.world.invocations[interaction.token].original
    assert original is not None
    assert original.content == ("x" if after else "")


@pytest.mark.parametrize("after", [False, True])
async def test_held_requests(scene: Scene, *, after: bool) -> None:
    """LOOP-25: a request, or its answer alone, is held until it's released."""
    interaction = await deferred(scene)
    hold = scene.world.hold("PATCH", ORIGINAL, after=after)
    edit = asyncio.create_task(interaction.edit_original_response(content="x"))
    original = scene.world.invocations[interaction.token].original
    assert original is not None
    await hold.reached()
    if after:
        await scene.world.until(lambda: original.content == "x", "the edit")
    else:
        assert original.loading
    assert not edit.done()
    hold.release()
    await edit
    assert original.content == "x"


async def test_lost_answer(scene: Scene) -> None:
    """LOOP-25: a failure after the effect leaves the effect in place."""
    interaction = await deferred(scene)
    scene.world.fail("PATCH", ORIGINAL, status=400, after=True)
    with pytest.raises(discord.HTTPException):
        await interaction.edit_original_response(content="x")
    original = scene.world.invocations[interaction.token].original
    assert original is not None
    assert original.content == "x"


async def test_presses_that_can_not_be(scene: Scene) -> None:
    """LOOP-14: what is not on the message, disabled, deleted or another's can't be pressed; a forged press is sent."""

    async def behave(interaction: Interaction) -> None:
        view = turning(2)
        off: discord.ui.Button[discord.ui.View] = discord.ui.Button(label="Off", custom_id="turn:9", disabled=True)
        link: discord.ui.Button[discord.ui.View] = discord.ui.Button(label="Link", url="https://a.example/")
        await interaction.response.send_message("page 1", view=view.add_item(off).add_item(link), ephemeral=True)

    scene.outcomes.behave = behave
    reply = await (await scene.member.invoke(scene.channel, "probe")).reply()
    other = scene.guild.add_member("other", owner=True)
    for who, name in ((scene.member, "turn:3"), (scene.member, "Off"), (scene.member, "Link"), (other, "Page 2")):
        with pytest.raises(NotOffered):
            await who.press(reply, name)
    forged = await scene.member.press(reply, "Off", force=True)
    assert (await forged.reply()).content == "page 9"
    unknown = await scene.member.press(reply, "turn:4", force=True)
    assert unknown.sent["data"]["custom_id"] == "turn:4"
    reply.delete()
    with pytest.raises(NotOffered):
        await scene.member.press(reply, "Page 2", force=True)


async def test_menus(scene: Scene) -> None:
    """LOOP-14: a member chooses among what a menu offers, as many as it allows."""
    chosen: asyncio.Queue[list[str]] = asyncio.Queue()

    class Menu(discord.ui.Select[discord.ui.View]):
        async def callback(self, interaction: Interaction) -> None:
            chosen.put_nowait(self.values)
            await interaction.response.edit_message(content="chosen")

    async def behave(interaction: Interaction) -> None:
        options = [discord.SelectOption(label=f"Label {value}", value=value) for value in "abc"]
        select = Menu(custom_id="menu", options=options, max_values=2)
        await interaction.response.send_message("choose", view=discord.ui.View(timeout=None).add_item(select))

    scene.outcomes.behave = behave
    reply = await (await scene.member.invoke(scene.channel, "probe")).reply()
    for values in ([], ["d"], ["a", "b", "c"]):
        with pytest.raises(NotOffered):
            await scene.member.choose(reply, "menu", values)
    await (await scene.member.choose(reply, "menu", ["a", "Label b"])).reply()
    assert await chosen.get() == ["a", "b"]


async def test_modals(scene: Scene) -> None:
    """LOOP-26: a modal that the bot shows is filled in and sent off."""

    class Form(discord.ui.Modal, title="Form"):
        name: discord.ui.TextInput[discord.ui.View] = discord.ui.TextInput(label="Name", custom_id="name", max_length=5)

        async def on_submit(self, interaction: Interaction, /) -> None:
            await interaction.response.send_message(f"hello {self.name.value}")

    async def behave(interaction: Interaction) -> None:
        await interaction.response.send_modal(Form())

    scene.outcomes.behave = behave
    inv = await (await scene.member.invoke(scene.channel, "probe")).acknowledged()
    for value in ("", "too long"):
        with pytest.raises(NotOffered):
            await scene.member.submit(inv, {"Name": value})
    submitted = await scene.member.submit(inv, {"Name": "you"})
    assert (await submitted.reply()).content == "hello you"


def test_the_clock_fires_in_order() -> None:
    """LOOP-29: what is due fires in order, at its own time, and time never runs backwards."""
    clock = Clock(100.0)
    fired: list[tuple[str, float]] = []
    clock.call_at(103, lambda: fired.append(("three", clock.now())))
    clock.call_at(102, lambda: fired.append(("two", clock.now())))
    clock.call_at(102, lambda: fired.append(("two again", clock.now())))
    clock.call_at(106, lambda: fired.append(("six", clock.now())))
    clock.advance(5)
    assert fired == [("two", 102), ("two again", 102), ("three", 103)]
    assert clock.now() == 105
    with pytest.raises(ValueError, match="backwards"):
        clock.advance(-1)


@settings(deadline=None)
@given(
    st.lists(st.floats(min_value=0, max_value=1000), max_size=10),
    st.lists(st.floats(min_value=0, max_value=300), min_size=1),
)
def test_any_times(dues: list[float], steps: list[float]) -> None:
    """LOOP-29: however the clock is moved, everything that is due has fired once, in order, and nothing else has."""
    clock = Clock(0.0)
    fired: list[float] = []
    for due in dues:
        clock.call_at(due, lambda due=due: fired.append(due))  # type: ignore[misc]  # mypy does not infer a lambda's default
    for step in steps:
        clock.advance(step)
    assert fired == sorted(due for due in dues if due <= clock.now())
