"""Build what the gateway tells the bot about an interaction."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from . import permissions
from .channels import ChannelKind
from .commands import GUILD_INSTALL, IN_BOT_DM, IN_GUILD, IN_PRIVATE, USER_INSTALL

if TYPE_CHECKING:
    from .channels import Channel
    from .interactions import Invocation
    from .permissions import Permission
    from .refusals import Json
    from .users import User
    from .world import World

# Ten mebibytes, what Discord allows without boosts.
_ATTACHMENT_LIMIT: Final = 10 * 1024 * 1024


def context_of(world: World, channel: Channel) -> int:
    """Tell Discord's word for where a channel is: a server, direct messages with the bot, or others'."""
    if channel.guild is not None:
        return IN_GUILD
    return IN_BOT_DM if world.bot.id in channel.members else IN_PRIVATE


def owners_of(world: World, channel: Channel, user: User, installs: frozenset[int]) -> dict[str, str]:
    """Tell for whom the app acts: by kind of installation, the server's id ("0" in direct messages) or the user's."""
    owners: dict[str, str] = {}
    if GUILD_INSTALL in installs:
        if channel.guild is not None and channel.guild.installed:
            owners[str(GUILD_INSTALL)] = str(channel.guild.id)
        elif context_of(world, channel) == IN_BOT_DM:
            owners[str(GUILD_INSTALL)] = "0"
    if USER_INSTALL in installs and user.app_installed:
        owners[str(USER_INSTALL)] = str(user.id)
    return owners


def app_permissions(world: World, channel: Channel, user: User) -> Permission:
    """Compute what the app may do in the place of an interaction.

    In direct messages that is a fixed set; in a server without the bot it's at most what the member may do.
    """
    if channel.guild is None:
        return permissions.DIRECT if context_of(world, channel) == IN_BOT_DM else permissions.BETWEEN_USERS
    if channel.guild.installed:
        return channel.granted_to(world.bot)
    return permissions.DIRECT & channel.granted_to(user)


def interaction(inv: Invocation, data: Json, locale: str) -> Json:
    """Build the payload of an interaction whose `owners` and `app_permissions` are set."""
    world, channel, user = inv.world, inv.channel, inv.user
    payload: Json = {
        "id": str(inv.id),
        "application_id": str(world.application_id),
        "type": int(inv.kind),
        "token": inv.token,
        "version": 1,
        "data": data,
        "channel_id": str(channel.id),
        "channel": channel.partial(user),
        "app_permissions": str(int(inv.app_permissions)),
        "locale": locale,
        "context": context_of(world, channel),
        "authorizing_integration_owners": inv.owners,
        "entitlements": [],
        "attachment_size_limit": _ATTACHMENT_LIMIT,
    }
    guild = channel.guild
    if guild is None:
        payload["user"] = user.payload()
        if channel.kind is ChannelKind.DM and context_of(world, channel) == IN_BOT_DM:
            payload["channel"]["recipients"] = [user.payload()]
    else:
        member = guild.members[user.id]
        payload["member"] = {**member.payload(), "permissions": str(int(channel.granted_to(user)))}
        payload |= {"guild_id": str(guild.id), "guild": guild.partial(), "guild_locale": guild.locale}
    if inv.source is not None:
        payload["message"] = inv.source.payload()
    return payload
