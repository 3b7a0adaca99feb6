"""Run the cog in an unmodified discord.py client against a loopback Discord and a loopback engine."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING

import discord.webhook.async_
import pytest

from bots import Place, RunBot, searching_bot, settings_for
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
def settings(exa: LoopbackExa, tmp_path: Path) -> dict[str, object]:
    """Configure the cog for the stand-in; a test may change the mapping before it starts a bot."""
    return settings_for(exa, tmp_path)


@pytest.fixture
def run_bot(discord_: LoopbackDiscord, settings: dict[str, object]) -> RunBot:
    """Give a context in which a bot with the cog is connected and its commands are synced."""
    return partial(searching_bot, discord_, settings)


@pytest.fixture
async def bot(run_bot: RunBot) -> AsyncIterator[commands.Bot]:
    """Run a bot with the cog."""
    async with run_bot() as running:
        yield running


@pytest.fixture
def staff(place: Place) -> Staff:
    """Make a category with channels of each kind, and moderators of different reach."""
    return Staff.make(place)


@pytest.fixture
def no_mistakes(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Hold that a test leaves neither an error nor a traceback in any log."""
    yield
    assert mistakes(caplog) == []


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let discord.py repeat what Discord refused for the moment without the seconds that it waits in between."""

    class Hurried:
        """Be asyncio to discord.py's requests, but for its sleep."""

        def __getattr__(self, name: str) -> object:
            return getattr(asyncio, name)

        @staticmethod
        async def sleep(_seconds: float) -> None:
            await asyncio.sleep(0)

    monkeypatch.setattr(discord.webhook.async_, "asyncio", Hurried())
