"""Hold the menus of messages: which entries there are, and what using one sends."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import discord
import pytest

from cogs.websearch.playground.discord import NotOffered

if TYPE_CHECKING:
    from cogs.websearch.playground.discord import Invocation
    from loopback.conftest import Scene
    from loopback.probe import Interaction


def entries(count: int, **changes: object) -> list[Any]:
    """Make entries of messages' menus, as a client sends them."""
    return [{"name": f"Entry {number}", "type": 3, **changes} for number in range(count)]


async def synced(scene: Scene, bodies: list[Any]) -> int | None:
    """Sync these commands and no others; tell the code where that is refused."""
    try:
        await scene.bot.http.bulk_upsert_global_commands(scene.world.application_id, bodies)
    except discord.HTTPException as error:
        scene.world.problems.clear()
        return error.code
    return None


def target(inv: Invocation) -> dict[str, Any]:
    """Return the message that an interaction brought along, which must be all that it brought."""
    data = inv.sent["data"]
    assert (data["type"], "options" in data, list(data["resolved"])) == (3, False, ["messages"])
    found: dict[str, Any] = data["resolved"]["messages"][data["target_id"]]
    return found


async def test_five_entries(scene: Scene) -> None:
    """LOOP-19: a client syncs five entries of a message's menu and no sixth (30032), which changes nothing."""
    assert await synced(scene, entries(5)) is None
    message = scene.member.send(scene.channel, "look")
    for number in range(5):
        assert (await scene.member.use_menu(message, f"Entry {number}")).sent["data"]["name"] == f"Entry {number}"
    assert await synced(scene, entries(6)) == 30032
    assert len(scene.world.commands.all()) == 5
    one = entries(1, name="Sixth")[0]
    with pytest.raises(discord.HTTPException) as refused:
        await scene.bot.http.upsert_global_command(scene.world.application_id, one)
    assert refused.value.code == 30032
    scene.world.problems.clear()


@pytest.mark.parametrize("changes", [{"name": "n" * 33}, {"name": ""}, {"description": "no"}, {"options": [{}]}])
async def test_entries_that_can_not_be(scene: Scene, changes: dict[str, object]) -> None:
    """LOOP-19: an entry has a name of at most 32 characters, and neither a description nor options (50035)."""
    assert await synced(scene, entries(1, **changes)) == 50035


async def test_what_an_entry_sends(scene: Scene) -> None:
    """LOOP-26: an entry brings the message alone, whole, and says who used it where."""
    author = scene.guild.add_member("author")
    message = author.send(scene.channel, "what is a quasar?")
    inv = await scene.member.use_menu(message, "Look at it")
    found = target(inv)
    assert (found["id"], found["content"], found["author"]["id"]) == (
        str(message.id),
        "what is a quasar?",
        str(author.id),
    )
    assert inv.sent["member"]["user"]["id"] == str(scene.member.id)
    assert inv.sent["channel"]["id"] == str(scene.channel.id)
    seen = (await scene.outcomes.received()).extras["message"]
    assert (seen.content, seen.author.id, seen.channel.id) == ("what is a quasar?", author.id, scene.channel.id)


async def test_messages_without_text(scene: Scene) -> None:
    """LOOP-26: a message of embeds or files alone arrives without a text."""
    place = scene.bot.get_partial_messageable(scene.channel.id)
    for parts in ({"embed": discord.Embed(title="t")}, {"file": discord.File(io.BytesIO(b"x"), "x.txt")}):
        sent = await place.send(**parts)
        found = target(await scene.member.use_menu(scene.world.messages[sent.id], "Look at it"))
        assert found["content"] == ""


async def test_an_entry_is_answered_as_a_command(scene: Scene) -> None:
    """LOOP-26: an entry is answered in private as well, and its reply says that an entry brought it."""

    async def behave(interaction: Interaction) -> None:
        await interaction.response.defer(ephemeral=True)
        await interaction.edit_original_response(content="found")

    scene.outcomes.behave = behave
    inv = await scene.member.use_menu(scene.member.send(scene.channel, "x"), "Look at it")
    reply = await inv.reply()
    assert (reply.content, reply.ephemeral, reply.payload()["type"]) == ("found", True, 23)
    assert not reply.visible_to(scene.guild.add_member("other"))


async def test_entries_where_the_bot_is_not(scene: Scene) -> None:
    """LOOP-24 and LOOP-26: an entry of an app that is installed to its user works where the bot is not."""
    elsewhere = scene.world.add_guild("Elsewhere", installed=False)
    reader, channel = elsewhere.add_member("reader"), elsewhere.add_text_channel("there")
    message = elsewhere.add_member("author").send(channel, "look here")
    with pytest.raises(NotOffered, match="neither here nor"):
        await reader.use_menu(message, "Look at it")
    inv = await reader.use_menu(message, "Look at it", user_install=True)
    assert target(inv)["content"] == "look here"
    assert inv.sent["authorizing_integration_owners"] == {"1": str(reader.id)}
    assert (await scene.outcomes.received()).extras["message"].content == "look here"
