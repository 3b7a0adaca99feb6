"""Define what a REST request and its answer are, and find the handler of a path."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from . import refusals
from .refusals import Flaw, Json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from .channels import Channel
    from .guilds import Guild, Member
    from .messages import Message
    from .world import World


@dataclass
class Call:
    """Hold a request: `params` are the path's, `body` is what its JSON (or its `payload_json`) said."""

    world: World
    method: str
    path: str
    params: Mapping[str, str]
    query: Mapping[str, str]
    body: object = None
    files: Sequence[tuple[str, bytes]] = ()

    @property
    def data(self) -> Json:
        """Return the body, which must be an object."""
        if not isinstance(self.body, dict):
            raise refusals.invalid_body([Flaw((), "DICT_TYPE_CONVERT", "Only dictionaries may be used here")])
        return self.body

    @property
    def items(self) -> list[Json]:
        """Return the body, which must be a list of objects."""
        if not isinstance(self.body, list) or not all(isinstance(item, dict) for item in self.body):
            raise refusals.invalid_body([Flaw((), "LIST_TYPE_CONVERT", "Only lists may be used here")])
        return self.body

    def snowflake(self, name: str) -> int:
        """Return an id that the body must hold, as a number or a text of digits."""
        value = self.data.get(name)
        if not str(value).isdecimal():
            raise refusals.invalid_body([Flaw((name,), "NUMBER_TYPE_COERCE", f'Value "{value}" is not snowflake.')])
        return int(str(value))

    def number(self, name: str) -> int:
        """Return an id of the path; one that is no number is an id of nothing."""
        text = self.params[name]
        return int(text) if text.isdecimal() else 0

    def flag(self, name: str) -> bool:
        """Tell whether the query says yes to something."""
        return self.query.get(name, "").lower() in ("1", "true")

    def channel(self) -> Channel:
        """Return the channel of the path; raise `Refusal` where the bot can't know it."""
        channel = self.world.channels.get(self.number("channel_id"))
        if channel is None:
            raise refusals.unknown(refusals.UNKNOWN_CHANNEL)
        if not channel.seen_by_bot():
            raise refusals.missing_access()
        return channel

    def guild(self) -> Guild:
        """Return the server of the path; raise `Refusal` where the bot is not in it."""
        guild = self.world.guilds.get(self.number("guild_id"))
        if guild is None:
            raise refusals.unknown(refusals.UNKNOWN_GUILD)
        if not guild.installed:
            raise refusals.missing_access()
        return guild

    def member(self) -> Member:
        """Return the member of the path; raise `Refusal` where there is none."""
        guild = self.guild()
        me = self.params.get("user_id") == "@me"
        member = guild.bot_member if me else guild.members.get(self.number("user_id"))
        if member is None:
            raise refusals.unknown(refusals.UNKNOWN_MEMBER)
        return member

    def message(self) -> Message:
        """Return the message of the path; raise `Refusal` where channel routes can't reach it, as private ones."""
        channel = self.channel()
        message = self.world.messages.get(self.number("message_id"))
        if message is None or message.channel is not channel or message.deleted:
            raise refusals.unknown(refusals.UNKNOWN_MESSAGE)
        if message.ephemeral:
            where = f"{self.method} {self.path}"
            self.world.report(where, "a private message is reached by an interaction's token alone")
            raise refusals.unknown(refusals.UNKNOWN_MESSAGE)
        return message


@dataclass(frozen=True)
class Answer:
    """Hold the answer to a request; without a body it's empty, with status 204."""

    body: object = None
    status: int = 200


@dataclass(frozen=True)
class Route:
    """Hold a handler and the path that leads to it, as Discord's document writes it.

    `public` is true where no bot token is asked for, because the path holds an interaction's.
    """

    method: str
    template: str
    handler: Callable[[Call], Answer]
    public: bool = False
    pattern: re.Pattern[str] = field(init=False)

    def __post_init__(self) -> None:
        """Turn the template into a pattern."""
        pattern = re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", self.template)
        object.__setattr__(self, "pattern", re.compile(pattern))


class Router:
    """Find the route of a request."""

    def __init__(self, routes: Iterable[Route]) -> None:
        """Take the routes; the first that fits counts."""
        self._routes = tuple(routes)

    def find(self, method: str, path: str) -> tuple[Route, dict[str, str]] | None:
        """Return the route and the parameters in its path, or None."""
        for route in self._routes:
            if route.method == method and (match := route.pattern.fullmatch(path)):
                return route, match.groupdict()
        return None
