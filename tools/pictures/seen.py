"""Hold a message as a member sees it at one moment, since the message itself goes on to change."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum, auto
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from cogs.websearch.playground.discord import Message


class Above(Enum):
    """Name what Discord shows above a message: who used a command, or what it replies to."""

    NOTHING = auto()
    COMMAND = auto()
    REPLY = auto()
    REPLY_TO_DELETED = auto()


@dataclass(frozen=True, kw_only=True)
class Seen:
    """Hold one message; `embeds` and `components` are as Discord's answers hold them, `names` are people's by id."""

    above: Above
    command: str
    member: str
    bot: str
    created: datetime
    content: str
    embeds: list[dict[str, Any]]
    components: list[dict[str, Any]]
    private: bool
    thinking: bool
    menu: bool = False
    opened: bool = False
    names: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, message: Message, *, opened: bool = False) -> Self:
        """Look at a message now; with `opened`, at what its menu offers, too."""
        asked = message.interaction
        return cls(
            above=_above(message),
            command=asked.name if asked else "",
            menu=asked is not None and asked.menu,
            member=asked.user.name if asked else "",
            bot=message.author.name,
            created=datetime.fromisoformat(message.created),
            content=message.content,
            embeds=copy.deepcopy(message.embeds),
            components=copy.deepcopy(message.components),
            private=message.ephemeral,
            thinking=message.loading,
            opened=opened,
            names={str(user.id): user.name for user in message.world.users.values()},
        )


def _above(message: Message) -> Above:
    asked = message.interaction
    if asked is None:
        return Above.NOTHING
    if asked.source is not None and asked.original is message:
        return Above.REPLY_TO_DELETED if asked.source.deleted else Above.REPLY
    if asked.original is None or asked.original is message:
        return Above.COMMAND
    # A follow-up replies to the first reply, and says so too where that is gone.
    return Above.REPLY_TO_DELETED if asked.original.deleted else Above.REPLY


@dataclass(frozen=True, kw_only=True)
class Shot:
    """Hold what one picture shows: `name` is the file's, `caption` stands in the overview."""

    name: str
    caption: str
    messages: tuple[Seen, ...]
