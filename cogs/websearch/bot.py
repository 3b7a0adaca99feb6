"""Be the bundled bot: this cog and nothing else, for owners who have no bot of their own."""

from __future__ import annotations

import asyncio
import logging
import signal
from typing import TYPE_CHECKING, Final

import aiohttp
import discord
from discord.ext import commands

from . import errors
from .translator import CommandTranslator

if TYPE_CHECKING:
    from .config import Config

_log = logging.getLogger(__name__)

# What a reply takes; acknowledging a command takes none of it.
_PERMISSIONS: Final = discord.Permissions(view_channel=True, send_messages=True, embed_links=True)
_SCOPES: Final = ("bot", "applications.commands")
# The package as it is called here: a host may have dropped the folder into a package of another name.
_EXTENSION: Final = __package__


class SearchBot(commands.Bot):
    """Load the cog, translate its commands and tell Discord of them; needs no privileged intent."""

    def __init__(self) -> None:
        intents = discord.Intents.none()
        intents.guilds = True
        super().__init__(
            command_prefix=commands.when_mentioned,
            help_command=None,
            intents=intents,
            allowed_mentions=discord.AllowedMentions.none(),
        )
        self._synced: list[str] = []

    async def setup_hook(self) -> None:
        """Load the cog and sync its commands; raise `WebSearchError` where the cog can't be loaded."""
        await self.tree.set_translator(CommandTranslator())
        try:
            await self.load_extension(_EXTENSION)
        except commands.ExtensionFailed as error:
            if isinstance(error.original, errors.WebSearchError):
                raise error.original from None
            raise
        self._synced = sorted(command.name for command in await self.tree.sync())

    async def on_ready(self) -> None:
        """Tell the owner who the bot is, what it knows, and how it's invited."""
        _log.info(
            "ready as %s; servers: %d; commands: %s; invite it with %s",
            self.user,
            len(self.guilds),
            ", ".join(self._synced),
            discord.utils.oauth_url(self.application_id or 0, permissions=_PERMISSIONS, scopes=_SCOPES),
        )


def run(config: Config) -> None:
    """Run the bundled bot until it is told to end.

    Raise `TokenRefused`, `DiscordUnreachable`, or the `WebSearchError` that keeps the cog from loading.
    """
    discord.utils.setup_logging()
    asyncio.run(_run(config.discord_token))


async def _run(token: str) -> None:
    bot = SearchBot()
    loop = asyncio.get_running_loop()
    stopped = asyncio.create_task(_serve(bot, token))
    for signal_ in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(signal_, stopped.cancel)
    try:
        await stopped
    except asyncio.CancelledError:
        return


async def _serve(bot: SearchBot, token: str) -> None:
    try:
        async with bot:
            await bot.start(token)
    except discord.LoginFailure:
        raise errors.TokenRefused from None
    except aiohttp.ClientConnectionError:
        raise errors.DiscordUnreachable from None
