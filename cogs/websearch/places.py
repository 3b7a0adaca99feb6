"""Find out who an interaction is by, and where it happens: a thread, its channel, their category, the server."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final, TypeAlias

import discord
from discord.app_commands import AppCommandChannel, AppCommandThread

from .discord_faults import FAILURES
from .models import Asker
from .settings import Place, PlaceKind, Spot

if TYPE_CHECKING:
    from collections.abc import Callable

    from .replies import Interaction

# What a member may name in an option.
Named: TypeAlias = AppCommandChannel | AppCommandThread
_Threads: Final = (discord.Thread, AppCommandThread)
# What comes later than that is of no use to somebody who waits.
_FETCH_SECONDS: Final = 5.0


def here(interaction: Interaction) -> Place:
    """Tell where an interaction happens, by its payload and what is in memory."""
    if interaction.guild_id is None:
        return Place()
    return _place(interaction.guild, interaction.guild_id, interaction.channel)


def asker(interaction: Interaction) -> Asker:
    """Tell who an interaction is by, and where."""
    return Asker(
        user_id=interaction.user.id,
        channel_id=interaction.channel_id or 0,
        guild_id=interaction.guild_id,
        user_install=interaction.is_user_integration() and not _is_for_server(interaction),
    )


def _is_for_server(interaction: Interaction) -> bool:
    """Tell whether the app acts for a server, or as the bot that direct messages are written to."""
    if interaction.guild_id is not None:
        return interaction.is_guild_integration()
    # discord.py knows of no such thing outside of servers, but Discord names it there, too, with 0 for the server.
    return 0 in interaction._integration_owners  # noqa: SLF001 - nothing public tells


def named(interaction: Interaction, channel: Named) -> Place:
    """Tell where a channel, category or thread of an option is, by the interaction's payload and what is in memory."""
    return _place(interaction.guild, channel.guild_id, channel)


def server(guild_id: int) -> Place:
    """Name a whole server."""
    return Place(guild_id=guild_id, spots=(_spot(guild_id, PlaceKind.SERVER, guild_id),))


def by_ids(client: discord.Client, guild_id: int | None, channel_id: int) -> Place:
    """Tell where a channel or thread is by its id and what is in memory, which knows better than `guild_id` does."""
    guild = None if guild_id is None else client.get_guild(guild_id)
    channel = None if guild is None else guild.get_channel_or_thread(channel_id)
    found = channel or client.get_channel(channel_id)
    if isinstance(found, discord.abc.GuildChannel | discord.Thread):
        return _place(found.guild, found.guild.id, found)
    if found is not None or guild_id is None:
        return Place()
    return _place(guild, guild_id, None)


def is_seen(client: discord.Client, channel_id: int) -> bool:
    """Tell whether memory can know where a channel is: without the guilds intent, Discord tells of no server's.

    What is in memory as direct messages is known either way.
    """
    return client.intents.guilds or isinstance(client.get_channel(channel_id), discord.abc.PrivateChannel)


async def known(client: discord.Client, asker: Asker, place: Place, is_decided: Callable[[Place], bool]) -> Place:
    """Return the place where somebody is, once Discord was asked for what memory lacks, unless that `is_decided` so.

    What Discord doesn't tell stays missing.
    """
    if is_decided(place):
        return place
    guild_id = place.guild_id
    if PlaceKind.CHANNEL in place.missing and guild_id is not None:
        found = await _fetched(client, asker.channel_id)
        if isinstance(found, discord.abc.GuildChannel | discord.Thread) and found.guild.id == guild_id:
            place = _place(client.get_guild(guild_id), guild_id, found)
    return await complete(client, place)


async def complete(client: discord.Client, place: Place) -> Place:
    """Ask Discord for the category of a thread whose channel is not in memory; what it doesn't tell stays missing."""
    channel = next((spot for spot in place.spots if spot.kind is PlaceKind.CHANNEL), None)
    if PlaceKind.CATEGORY not in place.missing or channel is None or place.guild_id is None:
        return place
    fetched = await _fetched(client, channel.id)
    if fetched is None:
        return place
    category = _spots(place.guild_id, PlaceKind.CATEGORY, getattr(fetched, "category_id", None))
    spots = (*place.spots[:-1], *category, place.spots[-1])
    missing = place.missing - {PlaceKind.CATEGORY}
    return Place(guild_id=place.guild_id, spots=spots, missing=missing, age_restricted=_is_age_restricted(fetched))


async def _fetched(client: discord.Client, channel_id: int) -> object:
    try:
        async with asyncio.timeout(_FETCH_SECONDS):
            return await client.fetch_channel(channel_id)
    except FAILURES:
        return None


def channels_of(interaction: Interaction, spot: Spot) -> frozenset[int]:
    """Return the ids of the channels in a category, as far as they're in memory; of no other place there are any."""
    guild = interaction.guild
    if guild is None or spot.kind is not PlaceKind.CATEGORY:
        return frozenset()
    return frozenset(channel.id for channel in guild.channels if channel.category_id == spot.id)


def name(interaction: Interaction, spot: Spot, channel: Named | None = None) -> str:
    """Return the name of a place as its members wrote it, or nothing where it's not in memory."""
    guild = interaction.guild
    stored = guild.get_channel_or_thread(spot.id) if guild is not None else None
    candidates = (channel, stored, interaction.channel)
    return next(
        (str(one.name) for one in candidates if one is not None and one.id == spot.id and hasattr(one, "name")), ""
    )


def _place(guild: discord.Guild | None, guild_id: int, channel: Named | discord.abc.Snowflake | None) -> Place:
    top = server(guild_id).spots
    if isinstance(channel, _Threads):
        parent = guild.get_channel(channel.parent_id) if guild is not None else None
        above = _spots(guild_id, PlaceKind.CATEGORY, parent.category_id if parent is not None else None)
        thread = _spot(guild_id, PlaceKind.THREAD, channel.id, parent_id=channel.parent_id)
        spots = (thread, _spot(guild_id, PlaceKind.CHANNEL, channel.parent_id), *above, *top)
        missing = frozenset({PlaceKind.CATEGORY} if parent is None else ())
        return Place(guild_id=guild_id, spots=spots, missing=missing, age_restricted=_is_age_restricted(parent))
    if channel is None:
        # Not in memory, or of a kind that this version of discord.py doesn't know.
        return Place(guild_id=guild_id, spots=top, missing=frozenset(PlaceKind) - {PlaceKind.SERVER})
    if getattr(channel, "type", None) is discord.ChannelType.category:
        return Place(guild_id=guild_id, spots=(_spot(guild_id, PlaceKind.CATEGORY, channel.id), *top))
    above = _spots(guild_id, PlaceKind.CATEGORY, getattr(channel, "category_id", None))
    return Place(
        guild_id=guild_id,
        spots=(_spot(guild_id, PlaceKind.CHANNEL, channel.id), *above, *top),
        age_restricted=_is_age_restricted(channel),
    )


def _is_age_restricted(channel: object) -> bool:
    """Tell whether a channel is for adults alone; what isn't known, or has no such thing, is not."""
    return getattr(channel, "nsfw", False) is True


def _spots(guild_id: int, kind: PlaceKind, place_id: int | None) -> tuple[Spot, ...]:
    return () if place_id is None else (_spot(guild_id, kind, place_id),)


def _spot(guild_id: int, kind: PlaceKind, place_id: int, *, parent_id: int | None = None) -> Spot:
    return Spot(guild_id=guild_id, id=place_id, kind=kind, parent_id=parent_id)
