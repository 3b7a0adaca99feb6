"""Be a host bot in a process of its own: three lines for the cog, and the addresses of a loopback Discord."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import signal
import sys
from contextlib import suppress

import discord
from discord.ext import commands

from addresses import connected


def tell_blocks() -> None:
    """Say how many blocks of memory Python holds once its garbage is gone: the system has no part in that."""
    gc.collect()
    sys.stderr.write(f"blocks {sys.getallocatedblocks()}\n")


async def main() -> None:
    """Run until SIGTERM; at SIGUSR1, tell the memory in use."""
    logging.basicConfig(format="%(levelname)s %(name)s: %(message)s")
    bot = commands.Bot(command_prefix="!", intents=discord.Intents(guilds=True), guild_ready_timeout=0.01)

    @bot.event
    async def setup_hook() -> None:
        await bot.load_extension("cogs.websearch")
        await bot.tree.sync()

    async with bot:
        running = asyncio.create_task(bot.start(os.environ["DISCORD_TOKEN"]))
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGTERM, running.cancel)
        loop.add_signal_handler(signal.SIGUSR1, tell_blocks)
        with suppress(asyncio.CancelledError):
            await running


if __name__ == "__main__":
    with connected():
        asyncio.run(main())
