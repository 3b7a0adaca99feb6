"""Hold what tools do for a host that doesn't see its servers, or that names nobody."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import pytest

from bots import cog_of, searching_bot
from chatting import QUERY, Chat

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from discord.ext import commands

    from bots import Place
    from cogs.websearch.playground.discord import LoopbackDiscord
    from loopback_exa import LoopbackExa
    from staff import Staff

pytestmark = pytest.mark.usefixtures("no_mistakes")

IDS = ["1", "", b"1", 1.0, float("nan"), True, None, [], {}, {1}, -1, 2**63, 10**5000, object()]
# No server is right for direct messages.
CASES = [
    (name, value)
    for name in ("guild_id", "channel_id", "user_id")
    for value in IDS
    if name != "guild_id" or value is not None
]


@pytest.fixture
async def blind(
    discord_: LoopbackDiscord,
    settings: dict[str, object],
    place: Place,  # noqa: ARG001 - made before the bot comes
) -> AsyncIterator[commands.Bot]:
    """Run a bot with the cog, without the guilds intent."""
    async with searching_bot(discord_, settings, guilds=False) as bot:
        yield bot


@pytest.mark.parametrize("named", ["server", "none", "other"])
@pytest.mark.parametrize("where", ["channel", "thread"])
async def test_nothing_is_searched_where_no_server_is_seen(
    blind: commands.Bot, place: Place, staff: Staff, exa: LoopbackExa, named: str, where: str
) -> None:
    """TOOL-09: without the guilds intent nothing is listed, and a call says why, whatever guild_id the host passes."""
    guild_id = {"server": place.guild.id, "none": None, "other": place.guild.id + 1}[named]
    for installed in (False, True):
        given: dict[str, Any] = {
            "guild_id": guild_id,
            "channel_id": staff.places[where].id,
            "user_id": place.member.id,
            "user_install": installed,
        }
        assert await cog_of(blind).tools(**given) == []
        said = await cog_of(blind).call_tool("web_search", {"query": QUERY}, **given)
        assert "discord.Intents(guilds=True)" in said["error"]
        assert "answer without the web" in said["error"]
    assert exa.requests == []


async def test_known_direct_messages_are_searched_without_the_intent(
    blind: commands.Bot, place: Place, discord_: LoopbackDiscord
) -> None:
    """TOOL-09: what the client itself knows to be direct messages is no server's channel."""
    direct = discord_.open_dm(place.member.user)
    chat = Chat(blind, None, direct.id, place.member.id)
    assert await chat.names() == []
    await (await blind.fetch_user(place.member.id)).create_dm()
    assert "web_search" in await chat.names()
    assert (await chat.call("web_search", query=QUERY))["results"]


async def test_the_log_says_once_that_the_intent_lacks(
    blind: commands.Bot, place: Place, caplog: pytest.LogCaptureFixture
) -> None:
    """TOOL-09: whoever runs the host finds one line, with the first use."""
    lines = [record for record in caplog.records if "guilds" in record.getMessage()]
    assert lines == []
    chat = Chat.of(blind, place)
    for _ in range(3):
        await chat.names()
        await chat.call("web_search", query=QUERY)
    lines = [record for record in caplog.records if "intent “guilds”" in record.getMessage()]
    assert [record.levelno for record in lines] == [logging.WARNING]


@pytest.mark.parametrize(("name", "value"), CASES, ids=range(len(CASES)))
@pytest.mark.parametrize("tool", ["web_search", "web_search_pause", "web_unknown"])
async def test_ids_that_are_none(bot: commands.Bot, exa: LoopbackExa, tool: str, name: str, value: Any) -> None:  # noqa: ANN401 - a host passes anything
    """TOOL-13: whatever a host passes for an id, nothing raises: the sentence says which, and nothing is done."""
    ids = {"guild_id": None, "channel_id": 1, "user_id": 1, name: value}
    said = await cog_of(bot).call_tool(tool, {"query": QUERY, "paused": True}, **ids)
    assert f"no whole number as {name}:" in said["error"]
    assert await cog_of(bot).tools(**ids) == []
    assert exa.requests == []
