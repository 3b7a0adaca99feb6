"""Say how the bundled bot is, for its owner."""

from __future__ import annotations

import platform
from importlib import import_module
from typing import TYPE_CHECKING, Final, Protocol, runtime_checkable

import discord

from . import extension, rights, text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from discord.ext import commands

    from .config import Config
    from .i18n import Words
    from .syncing import Syncing

# A server's name may have 100 characters, twice that when each is escaped.
_SERVER_NAME: Final = 40
# What the names of another bot's commands may take together, before they're escaped.
_OTHERS: Final = 300


@runtime_checkable
class Reporting(Protocol):
    """Be a cog that tells the owner how it is; the class itself is another one after each reload."""

    config: Config

    async def report(self, words: Words, waiting: Sequence[str] = ()) -> list[str]:
        """Return lines of Markdown; `waiting` are keys that a reload can't put in force."""


async def lines(bot: commands.AutoShardedBot, syncing: Syncing, since: float, words: Words) -> list[str]:
    """Say which versions run, where, since when (in Unix seconds), and how the search is; as lines of Markdown."""
    started = _since(since)
    return [
        words(
            "discord-websearch {version}, discord.py {library}, Python {python}",
            version=getattr(import_module(extension.NAME), "__version__", "?"),
            library=discord.__version__,
            python=platform.python_version(),
        ),
        words("Started {when}", when=started),
        _servers(bot, words),
        _commands(syncing, words),
        *await _search(bot, words),
        *lacking(rights.lacking(bot.guilds), words),
    ]


def lacking(servers: Sequence[tuple[discord.Guild, list[str]]], words: Words) -> list[str]:
    """Say in which servers the bot lacks what, a line each below one that says what to do; none where all is well."""
    if not servers:
        return []
    head = words("Servers where the bot lacks a permission, which the server grants to the bot's role:")
    return [head, *(f"- {_name(guild)}: {rights.listed(labels, words)}" for guild, labels in servers)]


def not_loaded(words: Words) -> str:
    """Say that there's no web search since a reload failed, and what to do."""
    return words("Web search isn't loaded: mention me with “reload”, which says why.")


def _servers(bot: commands.AutoShardedBot, words: Words) -> str:
    count = len(bot.guilds)
    if len(bot.shards) <= 1:
        return words.plural("In {count} server", "In {count} servers", count)
    return words.plural(
        "In {count} server, on {shards} connections",
        "In {count} servers, on {shards} connections",
        count,
        shards=words.number(len(bot.shards)),
    )


def _commands(syncing: Syncing, words: Words) -> str:
    if syncing.others:
        names = text.escape(text.cut(", ".join(syncing.others), _OTHERS))
        return words(
            "Commands: not synced. Mentioned with “sync everywhere”, I'd delete this app's others: {names}", names=names
        )
    if syncing.at is None:
        return words("Commands: not synced since the start. Mention me with “sync everywhere” to do so.")
    names, synced = text.escape(", ".join(syncing.known)), _since(syncing.at)
    return words("Commands for all servers: {names}; synced {when}", names=names, when=synced)


async def _search(bot: commands.AutoShardedBot, words: Words) -> list[str]:
    for cog in bot.cogs.values():
        if isinstance(cog, Reporting):
            # The bot is connected with the token that it was started with, whatever the cog has read since.
            configured = cog.config.discord_token
            return await cog.report(words, ("discord-token",) if configured not in {"", bot.http.token} else ())
    return [not_loaded(words)]


def _since(seconds: float) -> str:
    return f"<t:{int(seconds)}:R>"


def _name(guild: discord.Guild) -> str:
    return text.escape(text.tidy(guild.name, _SERVER_NAME)) or str(guild.id)
