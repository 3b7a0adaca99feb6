"""Hold what many members at once cost, what goes wrong now and then meanwhile, and what stays afterwards."""

from __future__ import annotations

import asyncio
import gc
import weakref
from collections import Counter
from random import Random
from typing import TYPE_CHECKING

import aiohttp
import discord
import pytest
from yarl import URL

from cogs.websearch.playground.discord import LoopbackDiscord
from cogs.websearch.playground.discord.changes import Changes
from loopback.probe import Interaction, turning

if TYPE_CHECKING:
    from cogs.websearch.playground.discord import Invocation, Message
    from loopback.conftest import Scene

FOLLOW_UP = r"^/webhooks/\d+/[^/]+$"
SHARE = 0.2


async def deferred(scene: Scene) -> Interaction:
    """Let the bot acknowledge a command, and reply."""
    await scene.member.invoke(scene.channel, "probe")
    interaction = await scene.outcomes.received()
    await interaction.response.send_message("page 1", view=turning(2))
    return interaction


async def test_faults_of_follow_ups(scene: Scene) -> None:
    """LOOP-25: a follow-up and its edit fail, are limited, cut off or late as any other request."""
    interaction = await deferred(scene)
    sent = await interaction.followup.send("one", wait=True)
    for path, attempt in (
        (FOLLOW_UP, lambda: interaction.followup.send("x")),
        (rf"/{sent.id}$", lambda: sent.edit(content="x")),
    ):
        scene.world.fail("*", path, status=400)
        with pytest.raises(discord.HTTPException):
            await attempt()
        scene.world.drop("*", path)
        with pytest.raises(aiohttp.ClientError):
            await attempt()
        limited = scene.world.fail("*", path, retry_after=0.01)
        late = scene.world.slow("*", path, 0.01)
        await attempt()
        assert (limited.hits, late.hits) == (1, 1)
    assert [message.content for message in scene.world.invocations[interaction.token].followups] == ["x", "x"]


@pytest.mark.parametrize("after", [False, True])
async def test_a_slow_answer(scene: Scene, *, after: bool) -> None:
    """LOOP-25: a slow request is late with its effect or with its answer, and others pass it meanwhile."""
    interaction, other = await deferred(scene), await deferred(scene)
    original = scene.world.invocations[interaction.token].original
    assert original is not None
    slow = scene.world.slow("PATCH", "@original", 0.5, after=after)
    late = asyncio.create_task(interaction.edit_original_response(content="late"))
    await slow.reached()
    await other.edit_original_response(content="meanwhile")
    assert (original.content == "late", late.done()) == (after, False)
    await late
    assert original.content == "late"


async def test_a_client_that_goes(scene: Scene) -> None:
    """LOOP-28: a client that goes in the middle of a request is no error of the loopback, nor of the client."""
    address = URL(scene.world.api_url)
    late = scene.world.slow("POST", "/typing$", 0.05)
    _, writer = await asyncio.open_connection(address.host, address.port)
    head = f"POST {address.path}/channels/{scene.channel.id}/typing HTTP/1.1\r\nHost: loopback\r\n"
    head += f"Authorization: Bot {scene.world.token}\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n"
    writer.write(head.encode() + b"{")
    await late.reached()
    writer.transport.abort()
    await scene.world.until(lambda: scene.world.requests[-1].status == 0, "the end of the request")
    assert scene.world.problems == []


def test_what_goes_wrong_now_and_then() -> None:
    """LOOP-25: a share of the requests goes wrong, in each of four ways about as often, the same for the same seed."""
    world = LoopbackDiscord()

    def rolled(seed: int) -> list[int]:
        faults = world.disturb(Random(seed), SHARE)  # noqa: S311 - the same each time, and nobody's secret
        taken = [world.faults.take("POST", "/webhooks/1/token") for _ in range(4000)]
        assert world.faults.take("GET", "/gateway/bot") is None
        world.faults.clear()
        return [faults.index(fault) if fault is not None else -1 for fault in taken]

    first = Counter(rolled(1))
    assert rolled(1) == rolled(1) != rolled(2)
    assert all(abs(first[way] / 4000 - SHARE / 4) < 0.02 for way in range(4))


async def test_a_disturbed_crowd(scene: Scene) -> None:
    """LOOP-25 and LOOP-33: many members press while requests go wrong, and nothing is an error of the loopback."""
    scene.world.disturb(Random(5), SHARE, r"^/webhooks/", seconds=0.01)  # noqa: S311 - the same each time, and nobody's secret

    async def behave(interaction: Interaction) -> None:
        await interaction.response.send_message("page 1", view=turning(2))
        try:
            await interaction.followup.send("more", ephemeral=True)
        except aiohttp.ClientError:
            return

    scene.outcomes.behave = behave
    crowd = [scene.guild.add_member(f"reader {number}") for number in range(20)]
    replies = await asyncio.gather(*[(await one.invoke(scene.channel, "probe")).reply() for one in crowd])
    for _ in crowd:
        await scene.outcomes.next()
    presses = [await one.press(reply, "Page 2") for one, reply in zip(crowd, replies, strict=True)]
    assert [(await press.reply()).content for press in presses] == ["page 2"] * len(crowd)
    assert {0, 200, 429} <= {request.status for request in scene.world.requests}


async def test_who_waits_for_one_thing() -> None:
    """LOOP-33: who waits for one thing isn't woken by others, so that a crowd costs as much as its members alone."""
    changes = Changes(10)
    looked = Counter[int]()
    things = [object() for _ in range(50)]
    true: set[int] = set()

    def holds(number: int) -> bool:
        looked[number] += 1
        return number in true

    waiting = [
        asyncio.create_task(changes.until(lambda number=number: holds(number), "it", thing))  # type: ignore[misc]  # a lambda's default
        for number, thing in enumerate(things)
    ]
    anyone = asyncio.create_task(changes.until(lambda: len(true) == len(things), "all"))
    for number, thing in enumerate(things):
        await asyncio.sleep(0)
        true.add(number)
        changes.notify(thing)
        await waiting[number]
    await anyone
    assert set(looked.values()) == {2}


async def crowd_once(scene: Scene) -> tuple[list[Message], list[Invocation]]:
    """Let ten members search, be told something in private, and press; delete half of the replies."""

    async def behave(interaction: Interaction) -> None:
        await interaction.response.send_message("page 1", view=turning(2))
        await interaction.followup.send("psst", ephemeral=True)

    scene.outcomes.behave = behave
    crowd = [scene.guild.add_member(f"reader {number}") for number in range(10)]
    asked = [await one.invoke(scene.channel, "probe") for one in crowd]
    replies = [await inv.reply() for inv in asked]
    for _ in crowd:
        await scene.outcomes.next()
    asked += [await one.press(reply, "Page 2") for one, reply in zip(crowd, replies, strict=True)]
    for inv in asked:
        await inv.reply()
    for reply in replies[::2]:
        reply.delete()
    return replies, asked


async def test_what_is_forgotten(scene: Scene) -> None:
    """LOOP-33: what nobody reaches any more is forgotten on demand; what stays can still be pressed and edited."""
    replies, asked = await crowd_once(scene)
    scene.world.fail("GET", "nowhere", times=0)
    scene.world.forget()
    assert len(scene.world.invocations) == len(asked)
    assert (scene.world.requests, scene.world.faults.take("GET", "nowhere")) == ([], None)
    assert {message.content for message in scene.channel.messages} == {"page 2", "psst"}
    scene.world.clock.advance(15 * 60)
    scene.world.forget()
    assert scene.world.invocations == {}
    assert scene.channel.messages == list(scene.world.messages.values()) == replies[1::2]
    assert all(message.edits == [] for message in replies[1::2])
    with pytest.raises(discord.HTTPException) as refused:
        await scene.outcomes.seen[0].followup.send("late")
    assert (refused.value.status, refused.value.code) == (401, 50027)
    (again,) = [one for one in scene.guild.members.values() if one.user.name == "reader 1"]
    await (await again.press(replies[1], "Page 2")).reply()
    assert len(replies[1].edits) == 1


async def references(scene: Scene) -> list[weakref.ref[object]]:
    """Return references to what a crowd leaves behind: the deleted replies, and the presses."""
    replies, asked = await crowd_once(scene)
    return [weakref.ref(one) for one in (*replies[::2], *asked[len(replies) :])]


async def test_what_is_forgotten_is_gone(scene: Scene) -> None:
    """LOOP-33: what is forgotten takes no memory, so that a long run doesn't grow."""
    left = await references(scene)
    scene.world.clock.advance(15 * 60)
    gc.collect()
    assert None not in [one() for one in left]
    scene.world.forget()
    gc.collect()
    assert [one() for one in left] == [None] * len(left)
