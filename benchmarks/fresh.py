"""Import and load in a fresh interpreter, and print the seconds that passed and those that were worked.

`python -m benchmarks.fresh cog` loads the cog into a bot that isn't connected; `alone` makes the same bot and no more.
"""

from __future__ import annotations

import sys
import time

STARTED = time.perf_counter(), time.process_time()


async def main(*, cog: bool) -> None:
    """Make a bot, load the cog, and print what it took; then unload it."""
    bot = commands.Bot(command_prefix="!", intents=discord.Intents(guilds=True))
    if cog:
        await bot.load_extension("cogs.websearch")
    passed, worked = time.perf_counter() - STARTED[0], time.process_time() - STARTED[1]
    sys.stdout.write(f"{passed} {worked}\n")
    await bot.close()


if __name__ == "__main__":
    import asyncio

    import discord
    from discord.ext import commands

    if sys.argv[1] == "cog":
        import cogs.websearch  # noqa: F401 - what a host bot that has its own configuration does first
    asyncio.run(main(cog=sys.argv[1] == "cog"))
