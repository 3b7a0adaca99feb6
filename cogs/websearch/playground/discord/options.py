"""Turn what a member types into the options of a command, as far as the member's client would let it through."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from .channels import Channel
from .command_rules import GROUP, SUBCOMMAND
from .people import Someone
from .roles import Role

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from .channels import ChannelKind
    from .commands import Command
    from .refusals import Json
    from .users import User

Value = str | int | float | bool | Someone | Role | Channel

STRING, INTEGER, BOOLEAN, USER, CHANNEL, ROLE, MENTIONABLE, NUMBER = 3, 4, 5, 6, 7, 8, 9, 10
_LONGEST: Final = 6000
# The largest integer that a client's JSON holds exactly.
_LARGEST: Final = 2**53


class NotOffered(AssertionError):
    """Say why a member's client would not let this happen."""


@dataclass
class Resolved:
    """Collect what the options name, as Discord sends it along; `actor` is who chooses."""

    actor: User
    parts: dict[str, Json] = field(default_factory=dict)

    def add(self, value: Someone | Role | Channel) -> str:
        """Take note of a thing and return its id."""
        key = str(value.id)
        if isinstance(value, Channel):
            self.parts.setdefault("channels", {})[key] = value.partial(self.actor)
        elif isinstance(value, Role):
            self.parts.setdefault("roles", {})[key] = value.payload()
        else:
            self.parts.setdefault("users", {})[key] = value.user.payload()
            member = value.member_part()
            if member is not None:
                self.parts.setdefault("members", {})[key] = member
        return key


def descend(command: Command, path: Iterable[str]) -> tuple[list[Json], list[Json]]:
    """Follow the names of subcommands: return the subcommands on the way and the options at their end."""
    steps: list[Json] = []
    options = command.options
    for name in path:
        found = [o for o in options if o["name"] == name and o["type"] in (SUBCOMMAND, GROUP)]
        if not found:
            message = f"/{command.name} has no subcommand {name}"
            raise NotOffered(message)
        steps.append(found[0])
        options = found[0].get("options") or []
    if any(option["type"] in (SUBCOMMAND, GROUP) for option in options):
        message = f"/{command.name} needs one of its subcommands"
        raise NotOffered(message)
    return steps, options


def wrapped(steps: Iterable[Json], options: list[Json]) -> list[Json]:
    """Put the options into the subcommands that they belong to."""
    for step in reversed(list(steps)):
        options = [{"name": step["name"], "type": step["type"], "options": options}]
    return options


def filled(
    offered: list[Json], values: Mapping[str, Value], resolved: Resolved, *, force: bool, partly: bool = False
) -> list[Json]:
    """Build the options of a payload; raise `NotOffered` where a client would not send them.

    With `force` they are sent as they are. With `partly` required ones may still be missing, as while one types.
    """
    known = {option["name"]: option for option in offered}
    missing = [o["name"] for o in offered if o.get("required") and o["name"] not in values]
    if not force and not partly and missing:
        message = f"required: {', '.join(missing)}"
        raise NotOffered(message)
    answer = []
    for name, value in values.items():
        option = known.get(name) or {"name": name, "type": _guessed(value)}
        if not force and name not in known:
            message = f"there is no option {name}; there are {', '.join(known) or 'none'}"
            raise NotOffered(message)
        chosen = value if force else _checked(option, value)
        sent = resolved.add(chosen) if isinstance(chosen, Someone | Role | Channel) else chosen
        answer.append({"name": name, "type": option["type"], "value": sent})
    return answer


def _guessed(value: Value) -> int:
    for kind, types in _TYPES.items():
        if isinstance(value, types) and (kind == BOOLEAN) == isinstance(value, bool):
            return kind
    return STRING


_TYPES: dict[int, type | tuple[type, ...]] = {
    STRING: str,
    INTEGER: int,
    BOOLEAN: bool,
    USER: Someone,
    CHANNEL: Channel,
    ROLE: Role,
    MENTIONABLE: (Someone, Role),
    NUMBER: (int, float),
}


def _checked(option: Json, value: Value) -> Value:
    chosen = _chosen(option, value)
    _check(option, chosen)
    return chosen


def _chosen(option: Json, value: Value) -> Value:
    choices = option.get("choices")
    if not choices:
        return value
    for choice in choices:
        names = {choice["name"], *(choice.get("name_localizations") or {}).values()}
        if value == choice["value"] or value in names:
            chosen: Value = choice["value"]
            return chosen
    message = f"{option['name']} offers {', '.join(str(choice['value']) for choice in choices)}, not {value!r}"
    raise NotOffered(message)


def _check(option: Json, value: Value) -> None:
    name, kind = option["name"], option["type"]
    if not isinstance(value, _TYPES[kind]) or (kind != BOOLEAN and isinstance(value, bool)):
        message = f"{name} takes no {type(value).__name__}"
        raise NotOffered(message)
    if isinstance(value, str):
        _check_range(name, len(value), option.get("min_length") or 0, option.get("max_length") or _LONGEST)
        if option.get("required") and not value.strip():
            message = f"{name} is required and may not be empty"
            raise NotOffered(message)
    elif kind in (INTEGER, NUMBER) and isinstance(value, int | float):
        low, high = option.get("min_value"), option.get("max_value")
        _check_range(name, value, -_LARGEST if low is None else low, _LARGEST if high is None else high)
    elif isinstance(value, Channel):
        _check_channel(option, value.kind)


def _check_range(name: str, size: float, least: float, most: float) -> None:
    if not least <= size <= most:
        message = f"{name} must be from {least} to {most}, not {size}"
        raise NotOffered(message)


def _check_channel(option: Json, kind: ChannelKind) -> None:
    kinds = option.get("channel_types")
    if kinds and kind not in kinds:
        message = f"{option['name']} takes no {kind.name}"
        raise NotOffered(message)
