"""Be a host bot in a process of its own: three lines for the cog, and the addresses of a loopback Discord."""

from __future__ import annotations

import asyncio
import os
import signal
from contextlib import suppress

import discord
from discord.ext import commands

from addresses import connected


async def main() -> None:
    """Run until SIGTERM."""
    bot = commands.Bot(command_prefix="!", intents=discord.Intents(guilds=True), guild_ready_timeout=0.01)

    @bot.event
    async def setup_hook() -> None:
        await bot.load_extension("cogs.websearch")
        await bot.tree.sync()

    async with bot:
        running = asyncio.create_task(bot.start(os.environ["DISCORD_TOKEN"]))
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, running.cancel)
        with suppress(asyncio.CancelledError):
            await running


if __name__ == "__main__":
    with connected():
        asyncio.run(main())
