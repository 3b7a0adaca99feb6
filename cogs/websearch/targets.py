"""Find the place that a moderator means, and tell whether they may change or see it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import discord

from . import errors, places
from .settings import PlaceKind

if TYPE_CHECKING:
    from .replies import Interaction
    from .settings import Place


def to_change(interaction: Interaction, channel: places.Named | None, *, server: bool) -> Place:
    """Return the place that is to be changed; raise the `SettingError` that says why it can't be.

    A channel or category is managed by who has that permission in it. A thread is, as on Discord, by who may manage
    threads, and also by who may manage its channel: its setting is less than what they may do anyway.
    """
    if server:
        whole = _server(interaction, channel)
        if not _may(interaction.permissions, manage_guild=True):
            raise errors.ServerNotManaged
        return whole
    place = _named_or_here(interaction, channel)
    permissions = interaction.permissions if channel is None else channel.permissions
    if place.spots[0].kind is PlaceKind.THREAD:
        if not _may(permissions, manage_threads=True) and not _may(permissions, manage_channels=True):
            raise errors.ThreadNotManaged
    elif not _may(permissions, manage_channels=True):
        raise errors.ChannelNotManaged
    return place


def to_see(interaction: Interaction, channel: places.Named | None, *, server: bool) -> Place:
    """Return the place that is asked about; raise the `SettingError` that says why it's not told."""
    return _server(interaction, channel) if server else _named_or_here(interaction, channel)


def _server(interaction: Interaction, channel: places.Named | None) -> Place:
    if channel is not None:
        raise errors.PlacesExclusive
    return places.server(interaction.guild_id or 0)


def _may_see(interaction: Interaction, channel: places.Named) -> bool:
    """Tell whether whoever asks is known to see what they named.

    What is sent of a private thread doesn't say who is in it: who may not manage threads asks in the thread itself.
    """
    if not _may(channel.permissions, view_channel=True):
        return False
    private = channel.type is discord.ChannelType.private_thread
    return not private or channel.id == interaction.channel_id or _may(channel.permissions, manage_threads=True)


def _named_or_here(interaction: Interaction, channel: places.Named | None) -> Place:
    place = places.here(interaction) if channel is None else places.named(interaction, channel)
    if channel is not None and not _may_see(interaction, channel):
        raise errors.ChannelNotSeen
    # A place of a kind that nobody knows is not the whole server.
    if not place.spots or PlaceKind.THREAD in place.missing:
        raise errors.PlaceUnknown
    return place


def _may(permissions: discord.Permissions, **needed: bool) -> bool:
    return permissions.administrator or permissions.is_superset(discord.Permissions(**needed))
