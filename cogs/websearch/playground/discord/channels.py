"""Hold channels, threads and direct messages, and build them as Discord's answers hold them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Final

from . import permissions
from .people import Someone
from .permissions import Permission

if TYPE_CHECKING:
    from .guilds import Guild, Member
    from .messages import Message
    from .refusals import Json
    from .roles import Role
    from .users import User
    from .world import World


class ChannelKind(IntEnum):
    """Name Discord's types of channel."""

    TEXT = 0
    DM = 1
    VOICE = 2
    CATEGORY = 4
    PUBLIC_THREAD = 11
    PRIVATE_THREAD = 12
    FORUM = 15


THREADS: Final = (ChannelKind.PUBLIC_THREAD, ChannelKind.PRIVATE_THREAD)


@dataclass
class Overwrite:
    """Hold what a channel allows and denies to a role (kind 0) or a member (kind 1)."""

    kind: int
    allow: Permission
    deny: Permission


class Channel:
    """Be a place: a channel, a category, a thread, a forum post or direct messages.

    `parent` is a channel's category or a thread's channel. `members` are those of a thread, or the two sides of direct
    messages. `messages` holds every message that was ever here, the deleted and the private ones included.
    """

    def __init__(
        self,
        world: World,
        kind: ChannelKind,
        name: str,
        *,
        guild: Guild | None = None,
        parent: Channel | None = None,
    ) -> None:
        self.world = world
        self.id = world.ids.next()
        self.kind = kind
        self.name = name
        self.guild = guild
        self.parent = parent
        self.nsfw = False
        self.archived = False
        self.deleted = False
        self.owner: User | None = None
        self.created = world.clock.timestamp()
        self.overwrites: dict[int, Overwrite] = {}
        self.members: dict[int, User] = {}
        self.messages: list[Message] = []
        world.channels[self.id] = self

    def __repr__(self) -> str:
        """Show the kind and the name."""
        return f"<{self.kind.name} {self.name}>"

    @property
    def is_thread(self) -> bool:
        """Tell whether this is a thread or a forum post."""
        return self.kind in THREADS

    @property
    def place(self) -> Channel:
        """Return the channel whose overwrites count here: a thread's parent, else the channel itself."""
        return self.parent if self.is_thread and self.parent is not None else self

    @property
    def age_restricted(self) -> bool:
        """Tell whether only adults may see this place; a thread follows its channel."""
        return self.place.nsfw

    @property
    def mention(self) -> str:
        """Tell the text that links to this channel."""
        return f"<#{self.id}>"

    def allow(self, target: Role | Member, granted: Permission) -> None:
        """Allow something here to a role or a member."""
        overwrite = self._overwrite(target)
        overwrite.allow |= granted
        overwrite.deny &= ~granted
        self.tell("UPDATE")

    def deny(self, target: Role | Member, refused: Permission) -> None:
        """Deny something here to a role or a member."""
        overwrite = self._overwrite(target)
        overwrite.deny |= refused
        overwrite.allow &= ~refused
        self.tell("UPDATE")

    def _overwrite(self, target: Role | Member) -> Overwrite:
        kind = int(isinstance(target, Someone))
        return self.overwrites.setdefault(target.id, Overwrite(kind, permissions.NONE, permissions.NONE))

    def add_thread(self, name: str, *, private: bool = False, owner: Someone | None = None) -> Channel:
        """Open a thread; a private one is seen by those who are added (`add`) and by who manages threads."""
        kind = ChannelKind.PRIVATE_THREAD if private else ChannelKind.PUBLIC_THREAD
        thread = Channel(self.world, kind, name, guild=self.guild, parent=self)
        thread.owner = owner.user if owner is not None else None
        if thread.owner is not None:
            thread.members[thread.owner.id] = thread.owner
        if self.guild is not None:
            self.guild.channels[thread.id] = thread
        thread.tell("CREATE")
        return thread

    def add_post(self, name: str, *, owner: Someone | None = None) -> Channel:
        """Open a post in a forum, which is a public thread."""
        return self.add_thread(name, owner=owner)

    def add(self, *who: Someone) -> None:
        """Add people to a thread, and tell the bot of the thread once it may see it."""
        before = self.seen_by_bot()
        self.members.update({someone.user.id: someone.user for someone in who})
        if not before:
            self.tell("CREATE")

    def restrict_age(self, *, on: bool = True) -> None:
        """Say that only adults may see the channel, or that all may again, and tell the bot."""
        self.nsfw = on
        self.tell("UPDATE")

    def move(self, category: Channel | None) -> None:
        """Move the channel into another category, its overwrites as they are."""
        self.parent = category
        self.tell("UPDATE")

    def delete(self) -> None:
        """Delete the channel and its threads, and tell the bot."""
        self.tell("DELETE")
        self.deleted = True
        self.world.channels.pop(self.id, None)
        if self.guild is None:
            return
        self.guild.channels.pop(self.id, None)
        for channel in [c for c in self.guild.channels.values() if c.parent is self]:
            if channel.is_thread:
                channel.delete()
            else:
                channel.move(None)

    def tell(self, what: str) -> None:
        """Tell the bot that this place was created, updated or deleted, where it may see it."""
        if self.guild is None or not self.seen_by_bot():
            return
        noun = "THREAD" if self.is_thread else "CHANNEL"
        payload = self.payload()
        if self.is_thread and what == "CREATE":
            payload["newly_created"] = True
        self.world.emit(f"{noun}_{what}", payload, guild=self.guild)

    def seen_by(self, who: Someone) -> bool:
        """Tell whether someone may see what is written here for all."""
        if self.deleted:
            return False
        if self.guild is None:
            return who.id in self.members
        member = self.guild.members.get(who.id)
        if member is None:
            return False
        granted = permissions.in_channel(self, member)
        if self.kind is ChannelKind.PRIVATE_THREAD and who.id not in self.members:
            return bool(granted & Permission.MANAGE_THREADS)
        return bool(granted & Permission.VIEW_CHANNEL)

    def seen_by_bot(self) -> bool:
        """Tell whether the bot may see what is written here for all."""
        return self.seen_by(self.world.bot)

    def granted_to(self, who: Someone) -> Permission:
        """Compute what someone may do here; in direct messages everyone may write."""
        if self.guild is None:
            return permissions.DIRECT | Permission.VIEW_CHANNEL | Permission.SEND_MESSAGES
        return permissions.in_channel(self, self.guild.members[who.id])

    def partial(self, who: Someone | None = None) -> Json:
        """Build the part that an interaction holds, with the permissions that `who` has here."""
        payload = self.payload()
        payload.pop("permission_overwrites", None)
        if who is not None:
            payload["permissions"] = str(int(self.granted_to(who)))
        return payload

    def payload(self) -> Json:
        """Build the channel as Discord's answers hold it."""
        payload: Json = {
            "id": str(self.id),
            "type": int(self.kind),
            "flags": 0,
            "last_message_id": str(self.messages[-1].id) if self.messages else None,
        }
        if self.guild is None:
            others = [user for user in self.members.values() if user is not self.world.bot]
            return {**payload, "recipients": [user.payload() for user in others]}
        payload |= {
            "guild_id": str(self.guild.id),
            "name": self.name,
            "parent_id": str(self.parent.id) if self.parent is not None else None,
            "rate_limit_per_user": 0,
        }
        return payload | (self._thread_part() if self.is_thread else self._channel_part(self.guild))

    def _thread_part(self) -> Json:
        return {
            "owner_id": str((self.owner or self.world.bot).id),
            "message_count": len(self.messages),
            "total_message_sent": len(self.messages),
            "member_count": len(self.members),
            "thread_metadata": {
                "archived": self.archived,
                "locked": False,
                "archive_timestamp": self.created,
                "create_timestamp": self.created,
                "auto_archive_duration": 1440,
                **({"invitable": True} if self.kind is ChannelKind.PRIVATE_THREAD else {}),
            },
        }

    def _channel_part(self, guild: Guild) -> Json:
        payload: Json = {
            "position": list(guild.channels).index(self.id) if self.id in guild.channels else 0,
            "permission_overwrites": [
                {"id": str(target), "type": o.kind, "allow": str(int(o.allow)), "deny": str(int(o.deny))}
                for target, o in self.overwrites.items()
            ],
            "nsfw": self.nsfw,
        }
        if self.kind is ChannelKind.VOICE:
            payload |= {"bitrate": 64_000, "user_limit": 0, "rtc_region": None}
        if self.kind in (ChannelKind.TEXT, ChannelKind.FORUM):
            payload["topic"] = None
        if self.kind is ChannelKind.FORUM:
            payload |= {"available_tags": [], "default_reaction_emoji": None, "default_sort_order": None}
        return payload
