"""Compare the commands that Discord knows with ours."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import discord
from discord.ext import commands

from .. import limits
from ..cog import WebSearch

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..config import Config

# What Discord leaves out of its answers, or adds to them, where nothing else was said.
_DEFAULTS: Final[Mapping[str, object]] = {
    "type": 1,
    "description": "",
    "nsfw": False,
    "required": False,
    "autocomplete": False,
    "default_member_permissions": None,
}
_MESSAGE_MENU: Final = discord.AppCommandType.message.value
_BOUNDS: Final = ("min_value", "max_value", "min_length", "max_length")
# Lists in which the order says nothing. What's None here was not said by us, so that a host's own default is there.
_SETS: Final = ("contexts", "integration_types", "channel_types")


@dataclass(frozen=True, kw_only=True, slots=True)
class Comparison:
    """Hold the names of commands: ours that Discord lacks or has in another form, and those that aren't ours."""

    known: tuple[str, ...]
    missing: tuple[str, ...]
    different: tuple[str, ...]
    foreign: tuple[str, ...]


def ours(config: Config) -> list[dict[str, Any]]:
    """Return our commands as they are sent to Discord; nothing is opened for that."""
    bot = commands.Bot(command_prefix=commands.when_mentioned, intents=discord.Intents.none(), help_command=None)
    cog = WebSearch(bot, config)
    return [command.to_dict(bot.tree) for command in (*cog.get_app_commands(), cog.menu.command)]


def compare(expected: Iterable[Mapping[str, Any]], found: Iterable[Mapping[str, Any]]) -> Comparison:
    """Tell our commands from what Discord has, whatever that is; translations aren't compared."""
    theirs = {(one.get("type", 1), one.get("name")): one for one in found if _is_hashable(one)}
    wanted = {(one.get("type", 1), one["name"]): one for one in expected}
    if sum(kind == _MESSAGE_MENU for kind, _ in theirs.keys() - wanted.keys()) >= limits.MESSAGE_MENUS:
        # There's no room for ours, so that the cog leaves it out.
        wanted = {key: one for key, one in wanted.items() if key in theirs or key[0] != _MESSAGE_MENU}
    same = [key for key in wanted if key in theirs and _is_same(wanted[key], theirs[key])]
    return Comparison(
        known=tuple(sorted(name for _, name in same)),
        missing=tuple(sorted(name for kind, name in wanted if (kind, name) not in theirs)),
        different=tuple(sorted(name for kind, name in wanted if (kind, name) in theirs and (kind, name) not in same)),
        foreign=tuple(sorted(str(name) for kind, name in theirs if (kind, name) not in wanted)),
    )


def _is_hashable(one: Mapping[str, Any]) -> bool:
    return isinstance(one.get("type", 1), int) and isinstance(one.get("name"), str)


def _is_same(wanted: Mapping[str, Any], found: object) -> bool:
    if not isinstance(found, Mapping) or wanted["name"] != found.get("name"):
        return False
    plain = all(_text(wanted.get(name, value)) == _text(found.get(name, value)) for name, value in _DEFAULTS.items())
    bounds = all(wanted.get(name) == found.get(name) for name in _BOUNDS)
    sets = all(_set(wanted[name]) == _set(found.get(name)) for name in _SETS if wanted.get(name) is not None)
    return plain and bounds and sets and _choices(wanted) == _choices(found) and _same_options(wanted, found)


def _same_options(wanted: Mapping[str, Any], found: Mapping[str, Any]) -> bool:
    here, there = _list(wanted, "options"), _list(found, "options")
    return len(here) == len(there) and all(map(_is_same, here, there))


def _choices(option: Mapping[str, Any]) -> list[object]:
    return [
        (choice.get("name"), choice.get("value")) if isinstance(choice, Mapping) else None
        for choice in _list(option, "choices")
    ]


def _list(holder: Mapping[str, Any], name: str) -> list[Any]:
    value = holder.get(name)
    return value if isinstance(value, list) else []


def _set(value: object) -> set[str]:
    return {str(item) for item in value} if isinstance(value, list) else set()


def _text(value: object) -> str | None:
    """Return a value as text: permissions are a number here and a text at Discord. None and nothing said are one."""
    return None if value is None else str(value)
