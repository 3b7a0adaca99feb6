"""Be the bundled bot: this cog and nothing else, for owners who have no bot of their own."""

from __future__ import annotations

import asyncio
import logging
import time
from importlib import import_module
from math import ceil
from typing import TYPE_CHECKING, Final

import discord
from discord.ext import commands

from . import discord_faults, errors, extension, owner_status, rights, shutdown
from .i18n import Words
from .owner_commands import OwnerCommands
from .syncing import Syncing

if TYPE_CHECKING:
    from collections.abc import Callable

    from .config import Config

_log = logging.getLogger(__name__)

# Servers that a line of the log names.
_NAMED: Final = 20
_HOUR_MS: Final = 3_600_000


class SearchBot(commands.AutoShardedBot):
    """Load the cog, translate its commands, tell Discord of them, and obey the owner; needs no privileged intent.

    Discord sends the text of messages that mention the bot, and of direct messages, to any bot. As many connections
    are opened as Discord asks for. `clock` tells Unix seconds.
    """

    def __init__(self, *, clock: Callable[[], float] = time.time) -> None:
        intents = discord.Intents.none()
        intents.guilds = intents.guild_messages = intents.dm_messages = True
        super().__init__(
            command_prefix=commands.when_mentioned,
            help_command=None,
            intents=intents,
            # What members write is none of ours.
            max_messages=None,
            allowed_mentions=discord.AllowedMentions.none(),
        )
        self._syncing = Syncing(self.tree, clock=clock)
        self._owner = OwnerCommands(self, self._syncing, self._translate, clock=clock)
        self._told_of_rights = False

    async def setup_hook(self) -> None:
        """Load the cog and sync its commands; raise `WebSearchError` where the bot can't start."""
        limits = await self.fetch_session_start_limits()
        if limits.remaining < 1:
            # One more, and Discord takes the token back.
            raise errors.DiscordUnusable("starts", max(1, ceil(limits.reset_after / _HOUR_MS)))
        await self._translate()
        await extension.load(self)
        await self._syncing.at_start()

    async def _translate(self) -> None:
        # By name, since a reload brings another class.
        await self.tree.set_translator(import_module(extension.NAME).CommandTranslator())

    async def on_ready(self) -> None:
        """Tell the owner who the bot is, what it knows, how it's invited, and what it lacks."""
        _log.info(
            "ready as %s; servers: %d; commands: %s; invite it with %s",
            self.user,
            len(self.guilds),
            ", ".join(self._syncing.known) or "not synced",
            rights.invitation(self.application_id),
        )
        if not self._told_of_rights:
            self._told_of_rights = True
            self._tell_of_rights()

    def _tell_of_rights(self) -> None:
        found = rights.lacking(self.guilds)
        if found:
            _, *lines = owner_status.lacking(found[:_NAMED], Words())
            more = f"; and {len(found) - _NAMED} more" if len(found) > _NAMED else ""
            _log.warning(
                "the bot lacks permissions, which a server grants to the bot's role: %s%s",
                "; ".join(line.removeprefix("- ") for line in lines),
                more,
            )

    async def on_message(self, message: discord.Message) -> None:
        """Obey the owner; there are no commands by prefix."""
        await self._owner.hear(message)


def run(config: Config) -> None:
    """Run the bundled bot until SIGTERM or SIGINT, after which the process lasts a second at the most.

    Raise `TokenRefused`, `DiscordUnreachable`, `DiscordUnusable`, or the `WebSearchError` that keeps the cog from
    loading.
    """
    token = config.discord_token
    discord_faults.check_token(token)
    # Its warnings of what voice would need help nobody here.
    discord.VoiceClient.warn_nacl = discord.VoiceClient.warn_dave = False
    discord.utils.setup_logging()
    logging.getLogger("discord.shard").addFilter(discord_faults.Reconnections())
    asyncio.run(_run(token))


async def _run(token: str) -> None:
    told = shutdown.heed_signals()
    bot = SearchBot()
    serving = asyncio.create_task(_serve(bot, token), name="websearch bot")
    waiting = asyncio.create_task(told.wait())
    await asyncio.wait({serving, waiting}, return_when=asyncio.FIRST_COMPLETED)
    if told.is_set():
        await shutdown.end(bot, serving)
        return
    waiting.cancel()
    await serving


async def _serve(bot: SearchBot, token: str) -> None:
    """Serve until the bot is closed; where it fails by itself, close it and raise what that means to its owner."""
    try:
        await bot.start(token)
    except Exception as error:
        await bot.close()
        fault = discord_faults.explain(error)
        if fault is None:
            raise
        raise fault from None
