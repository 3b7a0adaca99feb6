"""Hold servers with their roles and members, and build them as Discord's answers hold them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from . import permissions
from .actions import Actor
from .channels import Channel, ChannelKind, Overwrite
from .roles import Role
from .users import User

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .permissions import Permission
    from .refusals import Json
    from .world import World


class Member(Actor):
    """Be a user in a server."""

    def __init__(self, guild: Guild, user: User, roles: Iterable[Role]) -> None:
        self.guild = guild
        self.world = guild.world
        self._user = user
        self.id = user.id
        self.roles = list(roles)
        self.joined = guild.world.clock.timestamp()

    @property
    def user(self) -> User:
        """Tell who acts."""
        return self._user

    def __repr__(self) -> str:
        """Show the name and the server."""
        return f"<Member {self._user.name} of {self.guild.name}>"

    def permissions_in(self, channel: Channel) -> Permission:
        """Compute what this member may do in the channel."""
        return permissions.in_channel(channel, self)

    def member_part(self) -> Json:
        """Build what an interaction says about a member beside the account."""
        return self.payload(user=False)

    def payload(self, *, user: bool = True) -> Json:
        """Build the member as Discord's answers hold it, with or without the user inside."""
        payload: Json = {
            "roles": [str(role.id) for role in self.roles],
            "joined_at": self.joined,
            "nick": None,
            "avatar": None,
            "banner": None,
            "communication_disabled_until": None,
            "premium_since": None,
            "pending": False,
            "flags": 0,
            "mute": False,
            "deaf": False,
        }
        if user:
            payload["user"] = self._user.payload()
        return payload


class Guild:
    """Be a server.

    `installed` is true where the bot is a member; `bot_member` is that member. `command_rules` holds what the server's
    Integrations page says: for a command's name, who (an id of a role, a member or a channel) may or may not use it.
    """

    def __init__(self, world: World, name: str, *, installed: bool, locale: str) -> None:
        """Make a server with @everyone and, where it's installed, the bot."""
        self.world = world
        self.id = world.ids.next()
        self.name = name
        self.locale = locale
        self.owner: User | None = None
        self.everyone = Role(self, "@everyone", permissions.EVERYONE, self.id)
        self.roles = [self.everyone]
        self.members: dict[int, Member] = {}
        self.channels: dict[int, Channel] = {}
        self.command_rules: dict[str, dict[int, bool]] = {}
        self.installed = False
        if installed:
            self._seat_bot()

    def _seat_bot(self) -> None:
        self.installed = True
        self.bot_role = self.add_role(self.world.bot.name, permissions.NONE)
        self.members[self.world.bot.id] = Member(self, self.world.bot, [self.bot_role])

    @property
    def bot_member(self) -> Member:
        """Return the bot as a member; raise KeyError where it's none."""
        return self.members[self.world.bot.id]

    def install(self) -> None:
        """Add the bot to the server, and tell it."""
        self._seat_bot()
        self.world.emit("GUILD_CREATE", self.create_payload(), guild=self)

    def kick_bot(self) -> None:
        """Remove the bot from the server, and tell it."""
        self.world.emit("GUILD_DELETE", {"id": str(self.id)}, guild=self)
        self.installed = False
        del self.members[self.world.bot.id]

    def add_role(self, name: str, granted: Permission = permissions.NONE) -> Role:
        """Add a role, and tell the bot."""
        role = Role(self, name, granted, self.world.ids.next())
        self.roles.append(role)
        self.world.emit("GUILD_ROLE_CREATE", {"guild_id": str(self.id), "role": role.payload()}, guild=self)
        return role

    def add_member(
        self,
        who: str | User,
        *,
        permissions: Permission = permissions.NONE,
        roles: Iterable[Role] = (),
        owner: bool = False,
        locale: str = "en-US",
    ) -> Member:
        """Add a member: an account, or a new one of that name with that locale.

        `permissions` come as a role of the member's own; the owner may do everything.
        """
        user = who if isinstance(who, User) else self.world.add_user(who, locale=locale)
        held = list(roles)
        if permissions:
            held.append(self.add_role(f"{user.name}'s own", permissions))
        member = self.members[user.id] = Member(self, user, held)
        if owner:
            self.owner = user
        self.world.emit(
            "GUILD_MEMBER_ADD", {"guild_id": str(self.id), **member.payload()}, guild=self, intents=_MEMBERS
        )
        return member

    def remove_member(self, member: Member) -> None:
        """Let a member leave, and tell the bot."""
        del self.members[member.id]
        payload = {"guild_id": str(self.id), "user": member.user.payload()}
        self.world.emit("GUILD_MEMBER_REMOVE", payload, guild=self, intents=_MEMBERS)

    def allow_command(self, name: str, target: Role | Member | Channel, *, allowed: bool = True) -> None:
        """Say on the Integrations page who may use a command, whatever its default permissions are."""
        self.command_rules.setdefault(name, {})[target.id] = allowed

    def add_category(self, name: str) -> Channel:
        """Add a category."""
        return self._add(ChannelKind.CATEGORY, name, None, nsfw=False)

    def add_text_channel(self, name: str, *, category: Channel | None = None, nsfw: bool = False) -> Channel:
        """Add a text channel; in a category it starts with the category's overwrites."""
        return self._add(ChannelKind.TEXT, name, category, nsfw=nsfw)

    def add_voice_channel(self, name: str, *, category: Channel | None = None, nsfw: bool = False) -> Channel:
        """Add a voice channel, which holds messages as well."""
        return self._add(ChannelKind.VOICE, name, category, nsfw=nsfw)

    def add_forum(self, name: str, *, category: Channel | None = None, nsfw: bool = False) -> Channel:
        """Add a forum, whose messages all live in posts (`add_post`)."""
        return self._add(ChannelKind.FORUM, name, category, nsfw=nsfw)

    def _add(self, kind: ChannelKind, name: str, parent: Channel | None, *, nsfw: bool) -> Channel:
        channel = Channel(self.world, kind, name, guild=self, parent=parent)
        channel.nsfw = nsfw
        if parent is not None:
            channel.overwrites = {target: Overwrite(o.kind, o.allow, o.deny) for target, o in parent.overwrites.items()}
        self.channels[channel.id] = channel
        self.world.emit("CHANNEL_CREATE", channel.payload(), guild=self)
        return channel

    def partial(self) -> Json:
        """Build the part of the server that an interaction's payload holds."""
        return {"id": str(self.id), "locale": self.locale, "features": []}

    def payload(self) -> Json:
        """Build the server as the REST route answers it."""
        nothing = (
            "icon description home_header splash discovery_splash banner application_id afk_channel_id"
            " system_channel_id widget_channel_id max_presences vanity_url_code rules_channel_id"
            " safety_alerts_channel_id public_updates_channel_id incidents_data"
        )
        owner = self.owner.id if self.owner is not None else self.id
        return {
            "id": str(self.id),
            "name": self.name,
            **dict.fromkeys(nothing.split()),
            "features": [],
            "owner_id": str(owner),
            "region": "deprecated",
            "afk_timeout": 300,
            "system_channel_flags": 0,
            "widget_enabled": False,
            "verification_level": 0,
            "roles": [role.payload() for role in self.roles],
            "default_message_notifications": 0,
            "mfa_level": 0,
            "explicit_content_filter": 0,
            "max_members": 500_000,
            "max_stage_video_channel_users": 50,
            "max_video_channel_users": 25,
            "premium_tier": 0,
            "premium_subscription_count": 0,
            "preferred_locale": self.locale,
            "premium_progress_bar_enabled": False,
            "nsfw": False,
            "nsfw_level": 0,
            "emojis": [],
            "stickers": [],
        }

    def create_payload(self) -> Json:
        """Build what the gateway sends when the bot sees this server first: channels, threads and the bot itself."""
        seen = [channel for channel in self.channels.values() if channel.seen_by_bot()]
        return {
            **self.payload(),
            "joined_at": self.bot_member.joined,
            "large": False,
            "member_count": len(self.members),
            "voice_states": [],
            "members": [self.bot_member.payload()],
            "channels": [channel.payload() for channel in seen if not channel.is_thread],
            "threads": [channel.payload() for channel in seen if channel.is_thread],
            "presences": [],
            "stage_instances": [],
            "guild_scheduled_events": [],
            "soundboard_sounds": [],
        }


# The privileged intent that a bot needs to hear of members; Discord documents the bit under Gateway Intents.
_MEMBERS: Final = 1 << 1
