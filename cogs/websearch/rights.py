"""Know what the bot needs in a server, how it's invited, and where something is missing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import discord

from .i18n import N_

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from .i18n import Words

# What a reply takes; acknowledging a command takes none of it. By Discord's names for what a server grants.
NEEDED: Final[Mapping[str, str]] = {
    "view_channel": N_("View Channels"),
    "send_messages": N_("Send Messages"),
    "embed_links": N_("Embed Links"),
}
_SCOPES: Final = ("bot", "applications.commands")


def invitation(application_id: int | None) -> str:
    """Return the address at which the bot is invited to a server, with all that it needs there."""
    permissions = discord.Permissions(**dict.fromkeys(NEEDED, True))
    return discord.utils.oauth_url(application_id or 0, permissions=permissions, scopes=_SCOPES)


def missing(guild: discord.Guild) -> list[str]:
    """List the names of what the bot's roles lack in a server; nothing where Discord hasn't told of it yet."""
    if guild.unavailable:
        return []
    granted = guild.me.guild_permissions
    return [label for name, label in NEEDED.items() if not getattr(granted, name)]


def lacking(guilds: Iterable[discord.Guild]) -> list[tuple[discord.Guild, list[str]]]:
    """List the servers where something is missing, and what."""
    found = ((guild, missing(guild)) for guild in guilds)
    return [(guild, labels) for guild, labels in found if labels]


def listed(labels: Iterable[str], words: Words) -> str:
    """Write the names of rights in a row, as Discord's settings show them."""
    return ", ".join(words(label) for label in labels)
