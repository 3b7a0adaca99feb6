"""Be a host bot in a process of its own whose `setup_hook` is the code that it's given; say what came of it."""

from __future__ import annotations

import ast
import asyncio
import os
import sys

import discord
from discord.ext import commands

from addresses import connected


async def main(code: str) -> None:
    """Run until the bot is ready."""
    bot = commands.Bot("!", intents=discord.Intents(guilds=True), help_command=None, guild_ready_timeout=0.01)
    compiled = compile(code, "page", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)

    @bot.event
    async def setup_hook() -> None:
        awaitable = eval(compiled, {"bot": bot})  # noqa: S307 - the code of our own pages
        if awaitable is not None:
            await awaitable

    @bot.event
    async def on_ready() -> None:
        loaded = "loaded" if bot.get_cog("WebSearch") is not None else "without the cog"
        sys.stdout.write(f"{loaded}{', translated' if bot.tree.translator is not None else ''}\n")
        await bot.close()

    async with bot:
        await bot.start(os.environ["DISCORD_TOKEN"])


if __name__ == "__main__":
    with connected():
        asyncio.run(main(sys.argv[1]))
