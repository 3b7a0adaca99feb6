"""Know in which servers a host adds the cog, and whether there's room for its commands there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self, TypeAlias

import discord
from discord.ext import commands

from . import errors, limits

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from discord.abc import Snowflake
    from discord.ext.commands.bot import BotBase

    # A server that has commands of its own, or None for the commands that are everywhere.
    Scope: TypeAlias = Snowflake | None


class Scoped(commands.Cog):
    """Be the part of the cog that knows where its commands are: everywhere, or in the servers that a host named."""

    bot: commands.Bot
    scopes: Sequence[Scope] = (None,)

    async def _inject(self, bot: BotBase, override: bool, guild: Scope, guilds: Sequence[Snowflake]) -> Self:  # noqa: FBT001 - discord.py's own
        # There's no other way to learn it before the commands are added, which nothing takes back where one clashes.
        self.scopes = _scopes(guild, guilds)
        return await super()._inject(bot, override, guild, guilds)

    async def _eject(self, bot: BotBase, guild_ids: Iterable[int] | None) -> None:
        # A host that doesn't say again where it added the cog leaves no command that does nothing.
        own = [scope.id for scope in self.scopes if scope is not None]
        await super()._eject(bot, own or guild_ids)

    def make_sure_of_room(self) -> None:
        """Raise `CommandClash` or `CommandsFull` where discord.py would only after `cog_load`, and not unload then."""
        ours = self.get_app_commands()
        for scope in self.scopes:
            theirs = self.bot.tree.get_commands(guild=scope, type=discord.AppCommandType.chat_input)
            taken = {command.name for command in theirs}
            for command in ours:
                if command.name in taken:
                    raise errors.CommandClash(command.name)
            if len(ours) + len(theirs) > limits.COMMANDS:
                raise errors.CommandsFull(limits.COMMANDS)


def _scopes(guild: Any, guilds: Any) -> Sequence[Scope]:  # noqa: ANN401 - what isn't given is an object of discord.py's
    """Tell where a host adds a cog that says so by `guild` or `guilds`, as `Bot.add_cog` takes them."""
    missing = discord.utils.MISSING
    if guild is not missing:
        return (guild,)
    named = {one.id: one for one in (() if guilds is missing else guilds)}
    return tuple(named.values()) or (None,)
