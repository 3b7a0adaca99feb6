"""Hold messages: what they are, who sees them, what was done to them, and how Discord's answers hold them."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from enum import IntFlag
from typing import TYPE_CHECKING, Final

from . import components, embeds, mentions, refusals

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .channels import Channel
    from .interactions import Invocation
    from .people import Someone
    from .refusals import Json
    from .users import User


class Flag(IntFlag):
    """Name the bits of a message's flags."""

    SUPPRESS_EMBEDS = 1 << 2
    EPHEMERAL = 1 << 6
    LOADING = 1 << 7
    SUPPRESS_NOTIFICATIONS = 1 << 12
    COMPONENTS_V2 = 1 << 15


NO_FLAGS: Final = Flag(0)
# What a client may set by itself when it creates a message; the others are Discord's own.
SETTABLE: Final = Flag.SUPPRESS_EMBEDS | Flag.EPHEMERAL | Flag.SUPPRESS_NOTIFICATIONS | Flag.COMPONENTS_V2


@dataclass(frozen=True)
class Attachment:
    """Hold a file of a message."""

    id: int
    filename: str
    data: bytes
    description: str | None = None


class Message:
    """Be a message.

    `embeds` and `components` are lists of dicts as Discord's answers hold them; where the bot may not embed links, an
    embed is dropped. `edits` holds the body of each edit, in order. `allowed_mentions` is what the last body said, None
    where it said nothing. `pings` are the ids, or "everyone", that the text really mentions.
    """

    def __init__(
        self, channel: Channel, author: User, *, flags: Flag = NO_FLAGS, interaction: Invocation | None = None
    ) -> None:
        """Make an empty message with the next id; it's not told to anyone yet."""
        self.world = channel.world
        self.id = self.world.ids.next()
        self.channel = channel
        self.author = author
        self.flags = flags
        self.interaction = interaction
        self.content = ""
        self.embeds: list[Json] = []
        self.components: list[Json] = []
        self.attachments: list[Attachment] = []
        self.allowed_mentions: Json | None = None
        self.pings: frozenset[str] = frozenset()
        self.reference: int | None = None
        self.deleted = False
        self.edited: str | None = None
        self.edits: list[Json] = []
        self.created = self.world.clock.timestamp()

    def __repr__(self) -> str:
        """Show what tells messages apart in a failed test."""
        state = "deleted " if self.deleted else ""
        kind = "private" if self.ephemeral else "public"
        return f"<{state}{kind} message {self.id}: {self.content!r}, {len(self.embeds)} embeds>"

    @property
    def ephemeral(self) -> bool:
        """Tell whether only the member who asked sees it."""
        return bool(self.flags & Flag.EPHEMERAL)

    @property
    def loading(self) -> bool:
        """Tell whether it still says that the bot is thinking."""
        return bool(self.flags & Flag.LOADING)

    def visible_to(self, who: Someone) -> bool:
        """Tell whether someone sees the message now."""
        if self.deleted or self.channel.deleted:
            return False
        if self.ephemeral:
            return self.interaction is not None and self.interaction.user is who.user
        return self.channel.seen_by(who.user)

    def forgettable(self) -> bool:
        """Tell whether nobody but who sees it reaches it any more."""
        expired = self.interaction is not None and self.interaction.expired
        return self.deleted or self.channel.deleted or (self.ephemeral and expired)

    def component(self, name: str) -> Json:
        """Return the component with this custom id, label or placeholder; raise KeyError where there is none."""
        for found in components.walk(self.components):
            if name in (found.get("custom_id"), found.get("label"), found.get("placeholder")):
                return found
        raise KeyError(name)

    def buttons(self) -> list[Json]:
        """List the message's buttons from left to right, top to bottom."""
        return [found for found in components.walk(self.components) if found["type"] == components.BUTTON]

    def menus(self) -> list[Json]:
        """List the message's select menus from top to bottom."""
        return [found for found in components.walk(self.components) if found["type"] in components.SELECTS]

    def write(self, body: Json, files: Sequence[tuple[str, bytes]], *, may_embed: bool) -> None:
        """Take over what a checked body says; what it leaves out stays as it is."""
        if "content" in body:
            self.content = (body["content"] or "").strip()
        if "embeds" in body:
            self.embeds = [embeds.returned(embed) for embed in body["embeds"] or ()] if may_embed else []
        if "components" in body:
            self.components = components.returned(body["components"] or ())
        if "attachments" in body or files:
            self._attach(body.get("attachments"), files)
        if "allowed_mentions" in body:
            self.allowed_mentions = body["allowed_mentions"]
        self.pings = mentions.pinged(self.content, self.allowed_mentions)

    def _attach(self, listed: Sequence[Json] | None, files: Sequence[tuple[str, bytes]]) -> None:
        kept = {attachment.id: attachment for attachment in self.attachments}
        if listed is None:
            listed = [{"id": attachment.id} for attachment in self.attachments]
            listed += [{"id": index} for index in range(len(files))]
        self.attachments = []
        for item in listed:
            number = int(item["id"])
            if number in kept:
                self.attachments.append(kept[number])
            elif number < len(files):
                name, data = files[number]
                described = item.get("description")
                self.attachments.append(Attachment(self.world.ids.next(), item.get("filename", name), data, described))

    def is_empty(self) -> bool:
        """Tell whether there is nothing to see."""
        return not (self.content or self.embeds or self.components or self.attachments)

    def post(self) -> None:
        """Put the message into its channel, and tell the bot."""
        self.channel.messages.append(self)
        self.world.messages[self.id] = self
        self.world.tell("MESSAGE_CREATE", self)

    def edit(self, body: Json, files: Sequence[tuple[str, bytes]] = (), *, may_embed: bool = True) -> None:
        """Apply an edit, remember its body, and tell the bot; raise `Refusal` where nothing would be left to see."""
        preview = copy.copy(self)
        preview.write(body, files, may_embed=may_embed)
        if preview.is_empty():
            raise refusals.empty_message()
        self.edits.append(body)
        self.write(body, files, may_embed=may_embed)
        if self.loading:
            self.flags &= ~Flag.LOADING
        else:
            self.edited = self.world.clock.timestamp()
        if "flags" in body and body["flags"] is not None:
            kept = self.flags & ~(Flag.SUPPRESS_EMBEDS | Flag.COMPONENTS_V2)
            self.flags = kept | (Flag(body["flags"]) & (Flag.SUPPRESS_EMBEDS | Flag.COMPONENTS_V2))
        self.world.tell("MESSAGE_UPDATE", self)

    def delete(self) -> None:
        """Delete the message, and tell the bot; deleting twice does nothing."""
        if not self.deleted:
            self.deleted = True
            self.world.tell("MESSAGE_DELETE", self)

    def payload(self) -> Json:
        """Build the message as Discord's answers hold it."""
        payload: Json = {
            "id": str(self.id),
            "channel_id": str(self.channel.id),
            "type": 0,
            "content": self.content,
            "author": self.author.payload(),
            "mentions": [],
            "mention_roles": [],
            "mention_everyone": "everyone" in self.pings,
            "attachments": [self._attachment(attachment) for attachment in self.attachments],
            "embeds": self.embeds,
            "components": self.components,
            "timestamp": self.created,
            "edited_timestamp": self.edited,
            "flags": int(self.flags),
            "pinned": False,
            "tts": False,
        }
        payload["mentions"] = [
            self.world.users[int(ping)].payload() for ping in sorted(self.pings) if self._is_user(ping)
        ]
        if self.reference is not None:
            payload["type"] = 19
            payload["message_reference"] = {
                "type": 0,
                "channel_id": str(self.channel.id),
                "message_id": str(self.reference),
            }
        if self.interaction is not None:
            payload |= self.interaction.message_part(self)
        return payload

    def _is_user(self, ping: str) -> bool:
        return ping.isdecimal() and int(ping) in self.world.users

    def _attachment(self, attachment: Attachment) -> Json:
        path = f"attachments/{self.channel.id}/{attachment.id}/{attachment.filename}"
        payload: Json = {
            "id": str(attachment.id),
            "filename": attachment.filename,
            "size": len(attachment.data),
            "url": f"https://cdn.discordapp.com/{path}",
            "proxy_url": f"https://media.discordapp.net/{path}",
        }
        if self.ephemeral:
            payload["ephemeral"] = True
        if attachment.description is not None:
            payload["description"] = attachment.description
        return payload
