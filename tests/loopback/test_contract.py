"""Hold the check of bodies against Discord's API document."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import discord
import pytest
from aiohttp import ClientSession, FormData
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cogs.websearch.playground.discord import LoopbackDiscord, connect
from cogs.websearch.playground.discord.contract import Contract, find_document
from loopback.conftest import Scene, wrong_answers

if TYPE_CHECKING:
    from loopback.probe import Interaction

DOCUMENT = find_document()
needs_document = pytest.mark.skipif(DOCUMENT is None, reason="Discord's API document is not here (WEBSEARCH_CONTRACTS)")
CALLBACK = "/interactions/{interaction_id}/{interaction_token}/callback"


@pytest.fixture(scope="module")
def contract() -> Contract:
    """Read the document."""
    assert DOCUMENT is not None
    return Contract(DOCUMENT)


@needs_document
@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"type": 4, "data": {"content": 5}}, ("data", "content")),
        ({"type": 4, "data": {"embeds": [{"title": "x" * 257}]}}, ("data", "embeds", 0, "title")),
        ({"type": 4, "data": {"embeds": [{"fields": [{"name": "n"}]}]}}, ("data", "embeds", 0, "fields", 0)),
        (
            {"type": 4, "data": {"components": [{"type": 1, "components": [{"type": 2, "style": 9}]}]}},
            ("data", "components", 0, "components", 0, "style"),
        ),
        ({"type": 4, "data": {"flags": "64"}}, ("data", "flags")),
        ({"type": 8, "data": {"choices": [{"name": "n" * 101, "value": "v"}]}}, ("data", "choices", 0, "name")),
    ],
)
def test_flaws_are_found(contract: Contract, body: dict[str, Any], path: tuple[str | int, ...]) -> None:
    """LOOP-16: what breaks the document is named at its own place, also deep within unions."""
    flaws = contract.check_request("POST", CALLBACK, body)
    assert path in [flaw.path for flaw in flaws]


@needs_document
def test_right_bodies(contract: Contract) -> None:
    """LOOP-16: what the document allows, and an id as a number, has no flaw; an unknown path is not judged."""
    message = {"content": "c", "embeds": [{"title": "t", "color": 1}], "allowed_mentions": {"parse": []}}
    assert contract.check_request("POST", CALLBACK, {"type": 4, "data": message}) == []
    assert contract.check_request("POST", CALLBACK, {"type": 5, "data": {"flags": 64}}) == []
    assert contract.check_request("POST", "/users/@me/channels", {"recipient_id": 5}) == []
    assert contract.check_request("POST", "/nowhere", {"what": "ever"}) == []
    assert contract.check_answer("GET", "/users/@me", 200, {"id": 5}) != []


@needs_document
async def test_a_broken_body_is_refused(scene: Scene) -> None:
    """LOOP-16: a body that breaks the document gets 50035, and the problem says where."""

    async def behave(interaction: Interaction) -> None:
        await interaction.response.send_message(embed=discord.Embed(title="x" * 257))

    scene.outcomes.behave = behave
    await scene.member.invoke(scene.channel, "probe")
    assert (await scene.outcomes.error()).code == 50035
    assert "data.embeds.0.title" in str(scene.world.problems.pop())


@needs_document
async def test_multipart_bodies(scene: Scene) -> None:
    """LOOP-16 and LOOP-27: a body that comes with files is checked as well."""
    async with ClientSession(headers={"Authorization": f"Bot {scene.world.token}"}) as session:
        form = FormData()
        form.add_field("payload_json", json.dumps({"embeds": [{"color": -1}]}), content_type="application/json")
        form.add_field("files[0]", b"data", filename="x.txt")
        url = f"{scene.world.api_url}/channels/{scene.channel.id}/messages"
        async with session.post(url, data=form) as response:
            assert (response.status, response.headers["Content-Type"]) == (400, "application/json")
    assert "embeds.0.color" in str(scene.world.problems.pop())


async def test_rules_are_checked_without_the_document(scene: Scene) -> None:
    """LOOP-18: what the document leaves out is refused whether the document is here or not."""

    async def behave(interaction: Interaction) -> None:
        await interaction.response.send_message(embeds=[discord.Embed(description="x" * 3001)] * 2)

    scene.outcomes.behave = behave
    scene.world.contract = None
    await scene.member.invoke(scene.channel, "probe")
    assert (await scene.outcomes.error()).code == 50035
    assert "6000" in str(scene.world.problems.pop())


async def test_what_is_no_json(scene: Scene) -> None:
    """LOOP-28: a body that is no JSON gets 50109, and a route that is not here gets 404; both are problems."""
    async with ClientSession(headers={"Authorization": f"Bot {scene.world.token}"}) as session:
        url = f"{scene.world.api_url}/channels/{scene.channel.id}/messages"
        async with session.post(url, data=b"{", headers={"Content-Type": "application/json"}) as response:
            assert (await response.json())["code"] == 50109
        async with session.get(f"{scene.world.api_url}/nowhere") as response:
            assert response.status == 404
    assert len(scene.world.problems) == 2
    scene.world.problems.clear()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
KEYS = st.sampled_from(("content", "embeds", "components", "attachments", "flags", "type", "data", "name", "messages"))
ROUTES = (
    ("POST", "/channels/{channel}/messages"),
    ("PATCH", "/channels/{channel}/messages/{message}"),
    ("POST", "/interactions/{interaction}/{token}/callback"),
    ("PATCH", "/webhooks/{app}/{token}/messages/@original"),
    ("POST", "/webhooks/{app}/{token}"),
    ("PUT", "/applications/{app}/commands"),
    ("POST", "/applications/{app}/commands"),
    ("POST", "/channels/{channel}/threads"),
    ("POST", "/channels/{channel}/messages/bulk-delete"),
    ("POST", "/users/@me/channels"),
)


@needs_document
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.sampled_from(ROUTES), JSON | st.dictionaries(KEYS, JSON, max_size=4)), max_size=12))
def test_any_body(requests: list[tuple[tuple[str, str], Any]]) -> None:
    """LOOP-28: whatever JSON a client sends is answered with success or a refusal, never an error of the loopback."""
    asyncio.run(_send_all(requests))


async def _send_all(requests: list[tuple[tuple[str, str], Any]]) -> None:
    async with LoopbackDiscord() as world:
        guild = world.add_guild("Library")
        channel, member = guild.add_text_channel("general"), guild.add_member("reader")
        world.commands.overwrite(None, [{"name": "probe", "description": "x", "type": 1}])
        inv = await member.invoke(channel, "probe")
        message = member.send(channel, "hello")
        names = {"channel": channel.id, "message": message.id, "interaction": inv.id, "token": inv.token}
        names["app"] = world.application_id
        async with ClientSession(headers={"Authorization": f"Bot {world.token}"}) as session:
            for (method, path), body in requests:
                async with session.request(method, world.api_url + path.format(**names), json=body) as response:
                    assert 200 <= response.status < 500, (method, path, body, world.problems)
        assert wrong_answers(world) == []


async def test_a_world_without_a_client(world: LoopbackDiscord) -> None:
    """LOOP-28: a world that no client ever reaches serves and closes all the same."""
    with connect(world):
        assert world.requests == []
