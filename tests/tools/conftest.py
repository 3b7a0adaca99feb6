"""Run the cog in an unmodified discord.py client, with a host that lists and calls its tools."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest

from bots import Place, RunBot, searching_bot, settings_for
from chatting import Chat
from staff import Staff
from trouble import mistakes

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from pathlib import Path

    from discord.ext import commands

    from cogs.websearch.playground.discord import LoopbackDiscord
    from loopback_exa import LoopbackExa


@pytest.fixture
def place(discord_: LoopbackDiscord) -> Place:
    """Make a server with a channel and two members."""
    return Place.make(discord_)


@pytest.fixture
def staff(place: Place) -> Staff:
    """Make a category with a channel of each kind."""
    return Staff.make(place)


@pytest.fixture
def settings(exa: LoopbackExa, tmp_path: Path) -> dict[str, object]:
    """Configure the cog for the stand-in; a test may change the mapping before it starts a bot."""
    return settings_for(exa, tmp_path) | {"web-per-minute": 1000, "web-daily-per-user": 1000}


@pytest.fixture
def run_bot(discord_: LoopbackDiscord, settings: dict[str, object]) -> RunBot:
    """Give a context in which a bot with the cog is connected."""
    return partial(searching_bot, discord_, settings)


@pytest.fixture
async def bot(place: Place, run_bot: RunBot) -> AsyncIterator[commands.Bot]:  # noqa: ARG001 - made before the bot comes
    """Run a bot with the cog, which is in the place's server."""
    async with run_bot() as running:
        yield running


@pytest.fixture
def chat(bot: commands.Bot, place: Place) -> Chat:
    """Talk to the member in the place's channel."""
    return Chat.of(bot, place)


@pytest.fixture
def no_mistakes(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Hold that a test leaves neither an error nor a traceback in any log."""
    yield
    assert mistakes(caplog) == []
