"""Tell Discord of the bundled bot's commands, and never take another bot's away unasked."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING, Any

from . import discord_faults, wording
from .i18n import Words

if TYPE_CHECKING:
    from collections.abc import Callable

    import discord
    from discord import app_commands

_log = logging.getLogger(__name__)


class Syncing:
    """Sync the commands of a tree, for all servers or a copy for one; `clock` tells Unix seconds.

    `known` are the names that Discord had from this process last, for all servers, and `at` when that was; both are
    empty until then. `others` are the names of commands that were spared at the start. What fails raises one of
    `discord_faults.FAILURES`.
    """

    def __init__(self, tree: app_commands.CommandTree[Any], *, clock: Callable[[], float] = time.time) -> None:
        self.known: tuple[str, ...] = ()
        self.others: tuple[str, ...] = ()
        self.at: float | None = None
        self._tree = tree
        self._clock = clock

    async def at_start(self) -> None:
        """Sync for all servers, unless the app has commands that aren't ours; what fails is logged.

        The bot goes on without: what it synced the last time is still there.
        """
        try:
            self.others = await self._others()
            if not self.others:
                await self.everywhere()
        except discord_faults.FAILURES as error:
            fault = discord_faults.explain(error)
            why = type(error).__name__ if fault is None else wording.explain(fault, Words())
            _log.warning("the commands were not synced; once this is mended, say sync to the bot: %s", why)
            return
        if self.others:
            _log.warning(
                "the commands were not synced, for this app has others that would be deleted: %s. Where another bot "
                "needs them, give this bot an app of its own; where none does, say sync everywhere to the bot",
                ", ".join(self.others),
            )

    async def everywhere(self) -> int:
        """Replace all commands of the app for all servers and direct messages; return how many there are now."""
        self.known = tuple(sorted(command.name for command in await self._tree.sync()))
        self.at, self.others = self._clock(), ()
        return len(self.known)

    async def here(self, guild: discord.abc.Snowflake) -> int:
        """Give a server a copy of the commands, which it has at once; return how many there are."""
        self._tree.copy_global_to(guild=guild)
        try:
            return len(await self._tree.sync(guild=guild))
        finally:
            # A command that Discord calls by the copy is found without one here, and a reload has less to replace.
            self._tree.clear_commands(guild=guild)

    async def clear(self, guild: discord.abc.Snowflake) -> None:
        """Take a server's copy away; what is there for all servers stays."""
        self._tree.clear_commands(guild=guild)
        await self._tree.sync(guild=guild)

    async def _others(self) -> tuple[str, ...]:
        """Name the commands for all servers that Discord has, but not the tree."""
        ours = {command.name for command in self._tree.get_commands()}
        return tuple(sorted({command.name for command in await self._tree.fetch_commands()} - ours))
