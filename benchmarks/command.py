"""Compare the work of a bot for `/search` with its work for a command that only sends the same reply."""

from __future__ import annotations

import asyncio
import time
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

import discord
from discord.ext import commands

from cogs.websearch import WebSearch
from cogs.websearch.playground.discord import connect

from . import engine, world
from .figures import Comparison, Cost, in_turns
from .processes import running

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from multiprocessing.connection import Connection

ABOUT: Final = (
    "**`/search`** is used by members of a loopback Discord, which runs with the engine in a process of its own, and so"
    " is a minimal command of the same bot that defers and then edits the same embeds, made beforehand, into its reply."
    " The ratio is of the CPU's time of the bot's process with all its threads: for `/search` that includes policy, the"
    " charge, the call to the engine, cleaning, the session for the buttons, and the buttons."
)
_BUDGET: Final = 1.8
_ROUNDS: Final = 25
_COUNT: Final = 40


def measure(*, quick: bool) -> list[Comparison]:
    """Connect a bot to a loopback Discord and measure."""
    with running(world.serve) as pipe, TemporaryDirectory() as folder:
        return asyncio.run(_measure(pipe, Path(folder), quick=quick))


async def _measure(pipe: Connection, folder: Path, *, quick: bool) -> list[Comparison]:
    addresses: world.Addresses = pipe.recv()
    settings = {
        "enable-web-search": True,
        "exa-api-key": engine.KEY,
        "exa-base-url": addresses.engine_url,
        "web-database": str(folder / "websearch.db"),
        # All ask the same, and none is to be answered by what another was told.
        "web-cache-minutes": 0,
        # All four limits are held against, and none is met.
        "web-per-minute": 1000,
        "web-pace-per-second": 1000,
        "web-daily-per-user": 100_000,
        "web-daily-per-guild": 10_000_000,
        "web-daily-budget-usd": 100_000,
    }
    with connect(addresses):
        async with _connected(addresses.token) as bot:
            shown: list[discord.Embed] = []

            @bot.tree.command(name="minimal")
            async def minimal(interaction: discord.Interaction[Any], query: str) -> None:  # noqa: ARG001 - a search has one
                """Reply with what is there already."""
                await interaction.response.defer(thinking=True)
                await interaction.edit_original_response(embeds=shown)

            await bot.add_cog(WebSearch(bot, settings))
            await bot.tree.sync()
            shown += map(discord.Embed.from_dict, await _use(pipe, world.Asked("search", 1)))
            count = 5 if quick else _COUNT
            sides = {name: partial(_cost, pipe, world.Asked(name, count)) for name in ("minimal", "search")}
            costs = await in_turns(3 if quick else _ROUNDS, sides)
    return [
        Comparison(
            what="`/search`",
            beside="a minimal command",
            ours=costs["search"],
            theirs=costs["minimal"],
            budget=_BUDGET,
            by_work=True,
        )
    ]


async def _cost(pipe: Connection, asked: world.Asked) -> Cost:
    passed, worked = time.perf_counter(), time.process_time()
    await _use(pipe, asked)
    return Cost((time.perf_counter() - passed) / asked.count, (time.process_time() - worked) / asked.count)


async def _use(pipe: Connection, asked: world.Asked) -> list[dict[str, Any]]:
    pipe.send(asked)
    embeds: list[dict[str, Any]] = await asyncio.to_thread(pipe.recv)
    return embeds


@asynccontextmanager
async def _connected(token: str) -> AsyncIterator[commands.Bot]:
    """Connect a bot without privileged intents, and disconnect it."""
    bot = commands.Bot(command_prefix="!", intents=discord.Intents(guilds=True), guild_ready_timeout=0.01)
    async with bot:
        running_ = asyncio.create_task(bot.start(token))
        ready = asyncio.create_task(bot.wait_until_ready())
        await asyncio.wait({running_, ready}, return_when=asyncio.FIRST_COMPLETED)
        if running_.done():
            ready.cancel()
            running_.result()
        yield bot
        await bot.close()
        await running_
