"""Be a host bot, run as discord.py's guide has it, that can't load the cog: it `raises` the error, or `logs` it."""

from __future__ import annotations

import logging
import os
import sys

import discord
from discord.ext import commands

from addresses import connected


class Host(commands.Bot):
    """Load the cog at the start."""

    async def setup_hook(self) -> None:
        """Load it, or end."""
        try:
            await self.load_extension("cogs.websearch")
        except commands.ExtensionError as error:
            if sys.argv[1] == "raises":
                raise
            logging.getLogger("host").error("can't load: %s", error)  # noqa: TRY400 - a host that shows the text alone
            raise SystemExit(1) from None


if __name__ == "__main__":
    with connected():
        Host("!", intents=discord.Intents.none()).run(os.environ["DISCORD_TOKEN"])
