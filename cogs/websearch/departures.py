"""Listen for channels and servers that are gone: they take their settings along."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import aiohttp
import discord
from discord.ext import commands

from . import errors
from .settings import PlaceKind

if TYPE_CHECKING:
    from .service import SearchService

# What Discord answers about a channel that isn't there, other than about one that the bot may not see.
_UNKNOWN_CHANNEL: Final = 10003
# Discord's documentation: a server's shard is told by its id without the lower 22 bits.
_SHARD_BITS: Final = 22


class Departures(commands.Cog):
    """Be the part of the cog that tidies up; what the database refuses is found again by a later comparison."""

    bot: commands.Bot
    service: SearchService

    @commands.Cog.listener()
    async def on_guild_channel_delete(self, channel: discord.abc.GuildChannel) -> None:
        """Forget a channel or category, and the threads in it."""
        await self._forget(channel.guild.id, channel.id)

    @commands.Cog.listener()
    async def on_raw_thread_delete(self, payload: discord.RawThreadDeleteEvent) -> None:
        """Forget a thread; one that is archived isn't gone, and is not told here."""
        await self._forget(payload.guild_id, payload.thread_id)

    @commands.Cog.listener()
    async def on_guild_remove(self, guild: discord.Guild) -> None:
        """Note that a server was left: what is kept of it has a time of grace."""
        try:
            await self.service.switchboard.depart(guild.id)
        except errors.StoreFailed:
            # The store logged it, and the next comparison finds it.
            return

    @commands.Cog.listener()
    async def on_guild_join(self, guild: discord.Guild) -> None:
        """Note that a server is back: its settings hold again, and are kept."""
        try:
            await self.service.switchboard.come_back(guild.id)
        except errors.StoreFailed:
            # Likewise.
            return

    @commands.Cog.listener()
    async def on_ready(self) -> None:
        """Find out what happened while nobody listened."""
        await self.compare(channels=True)

    async def compare(self, *, channels: bool) -> bool:
        """Compare what is stored with the servers, and maybe the channels, that this process's shards see now.

        Servers cost one look into the database; what isn't in memory of their channels costs a request each. Return
        whether that was done: before the bot is ready nobody knows where it is, nor which servers it joined since then
        where Discord doesn't tell, without the intent.
        """
        if not self.bot.is_ready() or not self.bot.intents.guilds:
            return False
        try:
            await self.service.switchboard.compare({guild.id for guild in self.bot.guilds}, self._is_ours)
            for guild in self.bot.guilds if channels else ():
                if not guild.unavailable:
                    await self._compare_channels(guild)
        except errors.StoreFailed:
            # Likewise.
            return False
        return True

    async def forget_left(self) -> None:
        """Delete what is kept of servers that were left long ago; raise `StoreFailed`.

        Call it after a comparison alone: who was invited again while nobody listened keeps everything.
        """
        await self.service.switchboard.forget_left(self.service.config.web_guild_grace_days, self._is_left)

    async def _compare_channels(self, guild: discord.Guild) -> None:
        for stored in self.service.switchboard.settings.of_guild(guild.id):
            spot = stored.spot
            if spot.kind is PlaceKind.SERVER or guild.get_channel_or_thread(spot.id) is not None:
                continue
            # Not in memory may be archived, or out of the bot's sight: Discord knows.
            if await self._is_gone(spot.id):
                await self.service.switchboard.forget_place(guild.id, spot.id)

    async def _is_gone(self, channel_id: int) -> bool:
        try:
            await self.bot.fetch_channel(channel_id)
        except discord.NotFound as error:
            return error.code == _UNKNOWN_CHANNEL
        except (discord.DiscordException, aiohttp.ClientError, OSError):
            return False
        return False

    async def _forget(self, guild_id: int, place_id: int) -> None:
        try:
            await self.service.switchboard.forget_place(guild_id, place_id)
        except errors.StoreFailed:
            # Likewise.
            return

    def _is_left(self, guild_id: int) -> bool:
        return self._is_ours(guild_id) and self.bot.get_guild(guild_id) is None

    def _is_ours(self, guild_id: int) -> bool:
        """Tell whether a server belongs to a shard of this process."""
        shard = (guild_id >> _SHARD_BITS) % (self.bot.shard_count or 1)
        if isinstance(self.bot, commands.AutoShardedBot):
            return shard in self.bot.shards
        return shard == (self.bot.shard_id or 0)
