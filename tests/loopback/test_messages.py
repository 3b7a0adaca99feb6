"""Hold what becomes of messages: what a reader sees of them, and what the bot is told."""

from __future__ import annotations

import asyncio
import io
import json
from typing import TYPE_CHECKING

import discord
import pytest
from aiohttp import ClientSession

from cogs.websearch.playground.discord import NotOffered, Permission, StillWaiting
from cogs.websearch.playground.discord.mentions import pinged
from loopback.conftest import wrong_answers
from loopback.probe import Interaction, Turn, turning

if TYPE_CHECKING:
    from loopback.conftest import Scene


async def test_embeds_come_back_as_discord_shows_them(scene: Scene) -> None:
    """LOOP-17 and LOOP-18: an embed comes back trimmed, with its type and the proxies of its pictures."""
    sent = discord.Embed(title=" t ", url="https://a.example/", description=" d\n", colour=7)
    sent.set_author(name=" a ", url="https://a.example/a", icon_url="https://a.example/i.png")
    sent.set_footer(text=" f ", icon_url="https://a.example/f.png").set_thumbnail(url="https://a.example/t.png")
    sent.add_field(name=" n ", value=" v ", inline=False)

    async def behave(interaction: Interaction) -> None:
        await interaction.response.send_message(embed=sent)

    scene.outcomes.behave = behave
    shown = (await (await scene.member.invoke(scene.channel, "probe")).reply()).embeds[0]
    assert {key: shown[key] for key in ("type", "title", "url", "description", "color")} == {
        "type": "rich",
        "title": "t",
        "url": "https://a.example/",
        "description": "d",
        "color": 7,
    }
    assert (shown["author"]["name"], shown["author"]["url"]) == ("a", "https://a.example/a")
    assert shown["footer"]["text"] == "f"
    assert shown["fields"] == [{"name": "n", "value": "v", "inline": False}]
    assert shown["thumbnail"]["proxy_url"].endswith("/https/a.example/t.png")


async def test_wrong_answers_would_be_seen(scene: Scene) -> None:
    """LOOP-17: an answer that breaks the document would be noticed at the end of every test here."""
    await scene.bot.fetch_user(scene.member.id)
    assert wrong_answers(scene.world) == []
    scene.world.requests[-1].answer = {"id": 5}
    assert (wrong_answers(scene.world) != []) is (scene.world.contract is not None)
    scene.world.requests.clear()


async def test_emptied_messages(scene: Scene) -> None:
    """LOOP-18: a reply, an edit or a follow-up with nothing to see is refused (50006) and changes nothing."""
    await scene.member.invoke(scene.channel, "probe")
    interaction = await scene.outcomes.received()
    with pytest.raises(discord.HTTPException) as refused:
        await interaction.response.send_message("  ")
    await interaction.response.send_message("text")
    original = scene.world.invocations[interaction.token].original
    assert original is not None
    for attempt in (interaction.edit_original_response(content=None), interaction.followup.send(" ")):
        with pytest.raises(discord.HTTPException) as again:
            await attempt
        assert again.value.code == refused.value.code == 50006
    assert (original.content, original.edits) == ("text", [])
    assert (await interaction.original_response()).content == "text"
    scene.world.problems.clear()


async def test_callbacks_that_do_not_fit(scene: Scene) -> None:
    """LOOP-10 and LOOP-13: a callback of a type that can't answer this, or to nothing at all, is refused."""
    inv = await scene.member.invoke(scene.channel, "probe")
    await scene.outcomes.received()
    path = f"{scene.world.api_url}/interactions/{inv.id}/{inv.token}/callback"
    too_many = [{"name": f"n{n}", "value": "v"} for n in range(26)]
    async with ClientSession() as session:
        for body in ({"type": 6}, {"type": 7, "data": {"content": "c"}}, {"type": 8, "data": {"choices": too_many}}):
            async with session.post(path, json=body) as response:
                assert (await response.json())["code"] == 50035
        async with session.post(path.replace("loopback-", "strange-"), json={"type": 5}) as response:
            assert (response.status, (await response.json())["code"]) == (404, 10062)
        webhook = f"{scene.world.api_url}/webhooks/{scene.world.application_id}"
        for token in ("strange", inv.token):
            async with session.post(f"{webhook}/{token}", json={"content": "c"}) as response:
                assert (response.status, (await response.json())["code"]) == (404, 10015)
    assert not inv.was_acknowledged
    assert inv.ephemeral is None
    scene.world.problems.clear()


async def test_half_a_character(scene: Scene) -> None:
    """LOOP-28: half of a surrogate pair is valid JSON and no text: it's refused."""
    headers = {"Authorization": f"Bot {scene.world.token}", "Content-Type": "application/json"}
    url = f"{scene.world.api_url}/channels/{scene.channel.id}/messages"
    async with ClientSession(headers=headers) as session:
        async with session.post(url, data=json.dumps({"content": "\ud83d"})) as response:
            assert (await response.json())["code"] == 50109
        async with session.put(f"{scene.world.api_url}/applications/{scene.world.application_id}/commands") as response:
            assert (await response.json())["code"] == 50035
    scene.world.problems.clear()


async def test_update_of_what_is_gone(scene: Scene) -> None:
    """LOOP-13: a press whose message was deleted meanwhile is refused with 10008."""

    async def behave(interaction: Interaction) -> None:
        await interaction.response.send_message("page 1", view=turning(2))

    scene.outcomes.behave = behave
    reply = await (await scene.member.invoke(scene.channel, "probe")).reply()
    scene.bot.remove_dynamic_items(Turn)
    heard: asyncio.Queue[Interaction] = asyncio.Queue()

    async def listen(interaction: Interaction) -> None:
        heard.put_nowait(interaction)

    scene.bot.add_listener(listen, "on_interaction")
    await scene.member.press(reply, "Page 2")
    press = await heard.get()
    reply.delete()
    with pytest.raises(discord.NotFound) as refused:
        await press.response.edit_message(content="x")
    assert refused.value.code == 10008


async def test_answering_a_message(scene: Scene) -> None:
    """LOOP-22: the bot types, answers a message, and the answer says which one it answers."""
    heard = asyncio.create_task(scene.bot.wait_for("message"))
    await asyncio.sleep(0)
    asked = scene.member.send(scene.channel, f"{scene.world.bot.mention} hello")
    message = await heard
    async with message.channel.typing():
        answer = await message.reply("yes?")
    assert scene.world.messages[answer.id].reference == asked.id
    assert answer.type is discord.MessageType.reply


async def test_many_messages(scene: Scene) -> None:
    """LOOP-22: messages are read page by page and deleted together where the bot may."""
    place = scene.bot.get_channel(scene.channel.id)
    assert isinstance(place, discord.TextChannel)
    sent = [scene.member.send(scene.channel, str(number)) for number in range(5)]
    older = [m.content async for m in place.history(limit=2, before=discord.Object(sent[3].id))]
    newer = [m.content async for m in place.history(limit=2, after=discord.Object(sent[1].id))]
    assert (older, newer) == (["2", "1"], ["2", "3"])
    with pytest.raises(discord.Forbidden):
        await place.delete_messages([discord.Object(message.id) for message in sent])
    scene.channel.allow(scene.guild.bot_member, Permission.MANAGE_MESSAGES)
    await place.delete_messages([discord.Object(message.id) for message in sent])
    assert all(message.deleted for message in sent)


async def test_threads_of_messages(scene: Scene) -> None:
    """LOOP-23: the bot opens a thread at a message, joins another, and deletes a channel where it may."""
    place = scene.bot.get_channel(scene.channel.id)
    assert isinstance(place, discord.TextChannel)
    message = await place.send("hello")
    thread = await message.create_thread(name="about it")
    assert scene.world.channels[thread.id].parent is scene.channel
    other = scene.channel.add_thread("other", owner=scene.member)
    await (await scene.bot.fetch_channel(other.id)).join()  # type: ignore[union-attr]  # it's a thread
    assert scene.world.bot.id in other.members
    with pytest.raises(discord.Forbidden):
        await place.delete()
    scene.channel.allow(scene.guild.bot_member, Permission.MANAGE_CHANNELS)
    await place.delete()
    assert other.deleted
    assert scene.channel.deleted


async def test_places_without_messages(scene: Scene) -> None:
    """LOOP-22: nothing is sent to a category or straight to a forum, and files need a permission."""
    for place in (scene.guild.add_category("category"), scene.guild.add_forum("forum")):
        with pytest.raises(discord.HTTPException) as refused:
            await scene.bot.get_partial_messageable(place.id).send("hello")
        assert refused.value.code == 50008
    scene.channel.deny(scene.guild.bot_member, Permission.ATTACH_FILES)
    file = discord.File(io.BytesIO(b"x"), "x.txt")
    with pytest.raises(discord.Forbidden):
        await scene.bot.get_partial_messageable(scene.channel.id).send(file=file)


async def test_what_a_member_may_not_write(scene: Scene) -> None:
    """LOOP-22: a member writes where the permissions allow it alone."""
    scene.channel.deny(scene.member, Permission.SEND_MESSAGES)
    with pytest.raises(NotOffered, match="may not write"):
        scene.member.send(scene.channel, "hello")
    scene.member.send(scene.channel.add_thread("thread"), "hello")


async def test_people_come_and_go(scene: Scene) -> None:
    """LOOP-05 and LOOP-21: roles change and members leave, and what they may do changes at once."""
    role = scene.guild.add_role("guide")
    guide = scene.guild.add_member("guide", roles=[role])
    role.grant(Permission.MANAGE_MESSAGES)
    assert guide.permissions_in(scene.channel) & Permission.MANAGE_MESSAGES
    scene.guild.remove_member(guide)
    assert not scene.channel.seen_by(guide)
    category = scene.guild.add_category("category")
    moved = scene.guild.add_text_channel("moved", category=category)
    category.delete()
    assert moved.parent is None


async def test_a_reply_that_lapses(scene: Scene) -> None:
    """LOOP-09: waiting for a reply that can't come any more fails at once."""
    inv = await scene.member.invoke(scene.channel, "probe")
    await (await scene.outcomes.received()).response.defer()
    scene.world.clock.advance(15 * 60)
    with pytest.raises(StillWaiting, match="did not respond"):
        await inv.reply()


@pytest.mark.parametrize(
    ("content", "allowed", "expected"),
    [
        ("<@1> <@!2> <@&3> @here", None, {"1", "2", "3", "everyone"}),
        ("<@1> <@&3> @everyone", {"parse": []}, set()),
        ("<@1> <@&3> @everyone", {"parse": ["roles"]}, {"3"}),
        ("<@1> <@2>", {"parse": [], "users": [2]}, {"2"}),
        ("1 @ everyone", None, set()),
    ],
)
def test_mentions(content: str, allowed: dict[str, list[str]] | None, expected: set[str]) -> None:
    """LOOP-05: a text mentions whom it names, as far as the body allows it."""
    assert pinged(content, allowed) == expected
