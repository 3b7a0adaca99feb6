"""Compute what a member may do in a channel, as Discord documents it under Permissions."""

from __future__ import annotations

from enum import IntFlag
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from .channels import Channel
    from .guilds import Guild, Member


class Permission(IntFlag):
    """Name the bits of Discord's permissions that matter to a bot that answers in channels."""

    CREATE_INSTANT_INVITE = 1 << 0
    ADMINISTRATOR = 1 << 3
    MANAGE_CHANNELS = 1 << 4
    MANAGE_GUILD = 1 << 5
    ADD_REACTIONS = 1 << 6
    VIEW_CHANNEL = 1 << 10
    SEND_MESSAGES = 1 << 11
    MANAGE_MESSAGES = 1 << 13
    EMBED_LINKS = 1 << 14
    ATTACH_FILES = 1 << 15
    READ_MESSAGE_HISTORY = 1 << 16
    MENTION_EVERYONE = 1 << 17
    USE_EXTERNAL_EMOJIS = 1 << 18
    CONNECT = 1 << 20
    SPEAK = 1 << 21
    CHANGE_NICKNAME = 1 << 26
    USE_APPLICATION_COMMANDS = 1 << 31
    MANAGE_THREADS = 1 << 34
    CREATE_PUBLIC_THREADS = 1 << 35
    CREATE_PRIVATE_THREADS = 1 << 36
    USE_EXTERNAL_STICKERS = 1 << 37
    SEND_MESSAGES_IN_THREADS = 1 << 38
    SEND_POLLS = 1 << 49
    USE_EXTERNAL_APPS = 1 << 50


# Every bit that Discord documents up to 52; an administrator's permissions hold those without a name here as well.
ALL: Final = Permission((1 << 53) - 1)
NONE: Final = Permission(0)

# What @everyone has in a new server, as far as it is named above.
EVERYONE: Final = (
    Permission.CREATE_INSTANT_INVITE
    | Permission.ADD_REACTIONS
    | Permission.VIEW_CHANNEL
    | Permission.SEND_MESSAGES
    | Permission.EMBED_LINKS
    | Permission.ATTACH_FILES
    | Permission.READ_MESSAGE_HISTORY
    | Permission.MENTION_EVERYONE
    | Permission.USE_EXTERNAL_EMOJIS
    | Permission.CONNECT
    | Permission.SPEAK
    | Permission.CHANGE_NICKNAME
    | Permission.USE_APPLICATION_COMMANDS
    | Permission.CREATE_PUBLIC_THREADS
    | Permission.CREATE_PRIVATE_THREADS
    | Permission.USE_EXTERNAL_STICKERS
    | Permission.SEND_MESSAGES_IN_THREADS
    | Permission.SEND_POLLS
    | Permission.USE_EXTERNAL_APPS
)

# What an app has in the direct messages of others, and in its own; the latter is what it may have at most where it acts
# for a user alone.
BETWEEN_USERS: Final = Permission.EMBED_LINKS | Permission.ATTACH_FILES | Permission.MENTION_EVERYONE
DIRECT: Final = BETWEEN_USERS | Permission.USE_EXTERNAL_EMOJIS


def in_guild(guild: Guild, member: Member) -> Permission:
    """Compute the permissions of a member without looking at any channel."""
    if guild.owner is not None and member.user is guild.owner:
        return ALL
    granted = guild.everyone.permissions
    for role in member.roles:
        granted |= role.permissions
    return ALL if granted & Permission.ADMINISTRATOR else granted


def in_channel(channel: Channel, member: Member) -> Permission:
    """Compute the permissions of a member in a channel of the guild, overwrites included.

    A thread has its parent's. Who can't see a channel can do nothing in it.
    """
    place = channel.place
    granted = in_guild(member.guild, member)
    if granted == ALL:
        return granted
    granted = _overwritten(granted, place, (member.guild.id,))
    granted = _overwritten(granted, place, tuple(role.id for role in member.roles))
    granted = _overwritten(granted, place, (member.user.id,))
    return granted if granted & Permission.VIEW_CHANNEL else NONE


def _overwritten(granted: Permission, channel: Channel, ids: tuple[int, ...]) -> Permission:
    allow = deny = NONE
    for target in ids:
        overwrite = channel.overwrites.get(target)
        if overwrite is not None:
            allow |= overwrite.allow
            deny |= overwrite.deny
    return (granted & ~deny) | allow
