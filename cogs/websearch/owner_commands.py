"""Do what the owner of the bundled bot says by mentioning it: sync, reload, status. Nobody else is answered."""

from __future__ import annotations

import asyncio
import logging
import time
from typing import TYPE_CHECKING, Final

import discord

from . import discord_faults, extension, limits, owner_status, replies, text, wording
from .i18n import N_, Catalogues, Words

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from discord.ext import commands

    from .syncing import Syncing

_log = logging.getLogger(__name__)

# What Discord answers about a server whose invitation had no `applications.commands`.
_MISSING_ACCESS: Final = 50001
# Of a team, these may do anything with its apps; others may only read.
_MANAGING: Final = frozenset({discord.TeamMemberRole.admin, discord.TeamMemberRole.developer})

# What is left of a message for the line that says how much was left out.
_MORE: Final = 40

_USAGE: Final = (
    N_("Mention me with one of these:"),
    N_("- “sync everywhere”: tell Discord of my commands, for all servers and direct messages"),
    N_("- “sync here”: give this server its own copy of them at once; “sync clear” takes that away"),
    N_("- “reload”: load web search anew, with its configuration"),
    N_("- “status”: say how I am"),
)


class OwnerCommands:
    """Hear messages that mention the bot, and answer its owner in the language of the server.

    `translate` is called after each reload, to renew what translates the names of commands. `clock` tells Unix seconds.
    """

    def __init__(
        self,
        bot: commands.AutoShardedBot,
        syncing: Syncing,
        translate: Callable[[], Awaitable[None]],
        *,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._bot = bot
        self._syncing = syncing
        self._translate = translate
        self._catalogues = Catalogues()
        self._application: discord.AppInfo | None = None
        self._since = clock()
        # One after the other: a reload takes away what the others use.
        self._turn = asyncio.Lock()

    async def hear(self, message: discord.Message) -> None:
        """Do what a message says, where the bot's owner wrote it to the bot."""
        said = self._said(message)
        if said is None or not await self._obeys(message.author.id):
            return
        words = Words() if message.guild is None else self._catalogues.words(str(message.guild.preferred_locale))
        async with self._turn:
            await self._reply(message, await self._answer(said, message.guild, words), words)

    async def _obeys(self, user_id: int) -> bool:
        """Tell whether somebody owns the bot: by what was known last, and then by what Discord says now.

        Strangers cost no request, and who has left the team isn't obeyed any more.
        """
        if not is_owner(self._application or self._bot.application, user_id):
            return False
        try:
            self._application = await self._bot.application_info()
        except discord_faults.FAILURES as error:
            _log.warning("Discord doesn't say who owns the bot now: %s", type(error).__name__)
        return is_owner(self._application or self._bot.application, user_id)

    def _said(self, message: discord.Message) -> list[str] | None:
        """Return the words that follow the mention, or None where nobody of flesh and blood speaks to the bot."""
        if message.author.bot or message.webhook_id is not None or message.is_system() or self._bot.user is None:
            return None
        return addressed(message.content, self._bot.user.id)

    async def _answer(self, said: Sequence[str], guild: discord.Guild | None, words: Words) -> list[str]:
        match [word.lower() for word in said]:
            case ["status"]:
                return await owner_status.lines(self._bot, self._syncing, self._since, words)
            case ["reload"]:
                return await self._reload(words)
            case ["sync"]:
                return await self._sync("everywhere", guild, words)
            case ["sync", "everywhere" | "here" | "clear" as where]:
                return await self._sync(where, guild, words)
            case _:
                return [words(line) for line in _USAGE]

    async def _reload(self, words: Words) -> list[str]:
        try:
            await extension.reload(self._bot, words)
        except extension.ReloadFailed as error:
            if extension.is_loaded(self._bot):
                return [str(error), words("Web search goes on as before.")]
            return [str(error), words("There's no web search until that's mended and I'm told to “reload” again.")]
        await self._translate()
        return [words("Web search is loaded anew. Where its commands have changed, mention me with “sync everywhere”.")]

    async def _sync(self, where: str, guild: discord.Guild | None, words: Words) -> list[str]:
        if where != "clear" and not extension.is_loaded(self._bot):
            # It has no commands now, and a sync would take them away from Discord, too.
            return [owner_status.not_loaded(words)]
        try:
            if where == "everywhere":
                return [await self._everywhere(words)]
            if guild is None:
                return [words("That's for a server: mention me in one, or say “sync everywhere”.")]
            return [await (self._here if where == "here" else self._clear)(guild, words)]
        except discord_faults.FAILURES as error:
            return [self._failure(error, words)]

    async def _everywhere(self, words: Words) -> str:
        return words.plural(
            "Discord knows {count} command for all servers and direct messages now. Whoever doesn't see it reloads "
            "Discord.",
            "Discord knows {count} commands for all servers and direct messages now. Whoever doesn't see them reloads "
            "Discord.",
            await self._syncing.everywhere(),
        )

    async def _here(self, guild: discord.Guild, words: Words) -> str:
        return words.plural(
            "This server has its own copy of {count} command now. Where a command shows twice, mention me with "
            "“sync clear”.",
            "This server has its own copy of {count} commands now. Where commands show twice, mention me with "
            "“sync clear”.",
            await self._syncing.here(guild),
        )

    async def _clear(self, guild: discord.Guild, words: Words) -> str:
        await self._syncing.clear(guild)
        return words(
            "This server has no copy of my commands any more. Where they're missing now, mention me with "
            "“sync everywhere”."
        )

    def _failure(self, error: BaseException, words: Words) -> str:
        if isinstance(error, discord.Forbidden) and error.code == _MISSING_ACCESS:
            return words(
                "I may not have commands in this server: invite me again with the address that my log names at each "
                "start."
            )
        fault = discord_faults.explain(error) if isinstance(error, Exception) else None
        if isinstance(error, discord.app_commands.CommandSyncFailure) or fault is None:
            _log.error("Discord doesn't take the commands: %s", error)
            return words("Discord doesn't take my commands: my log says why.")
        return text.escape(wording.explain(fault, words))

    async def _reply(self, message: discord.Message, lines: Sequence[str], words: Words) -> None:
        """Answer where the owner asked, or where the bot may not write there, by a direct message."""
        said = fit(lines, words)
        if await replies.post(message.channel, said) is replies.Sent.TAKEN or message.guild is None:
            return
        if await replies.post(message.author, said) is not replies.Sent.TAKEN:
            _log.warning("the owner can be answered neither where they asked nor by direct message")


def addressed(content: str, user_id: int) -> list[str] | None:
    """Return the words that follow a mention of a user at the start of a message, or None where there's none."""
    first, *rest = content.split() or [""]
    return rest if first in {f"<@{user_id}>", f"<@!{user_id}>"} else None


def is_owner(application: discord.AppInfo | None, user_id: int) -> bool:
    """Tell whether somebody owns the app, or is in the team that does and may change it."""
    if application is None:
        return False
    if application.team is None:
        return application.owner.id == user_id
    return user_id == application.team.owner_id or any(
        member.id == user_id
        and member.role in _MANAGING
        and member.membership_state is discord.TeamMembershipState.accepted
        for member in application.team.members
    )


def fit(lines: Sequence[str], words: Words) -> str:
    """Join lines to a message that Discord takes; where they're too many, say how many more there are."""
    kept: list[str] = []
    room = limits.MESSAGE_CONTENT - _MORE
    for line in lines:
        room -= len(line) + 1
        if room < 0:
            left = len(lines) - len(kept)
            kept.append(words.plural("… and {count} more", "… and {count} more", left))
            break
        kept.append(line)
    return "\n".join(kept)
