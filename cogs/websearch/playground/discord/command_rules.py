"""Check commands against the rules that Discord documents under Application Commands."""

from __future__ import annotations

import unicodedata
from collections import Counter
from typing import TYPE_CHECKING, Final

from . import refusals
from .lengths import length_flaws
from .refusals import Flaw, Json

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Path = tuple[str | int, ...]

SUBCOMMAND: Final = 1
GROUP: Final = 2
STRING: Final = 3
INTEGER: Final = 4
NUMBER: Final = 10
_CHAT_INPUT: Final = 1
_MOST_OF_KIND: Final = {1: 100, 2: 5, 3: 5}
_NAME: Final = 32
_DESCRIPTION: Final = 100
_OPTIONS: Final = 25
_CHOICES: Final = 25
_CHOICE: Final = 100
# Names, descriptions and values of one command together, the longest translation of each.
_TOTAL: Final = 8000
_DEPTH: Final = 2
_VALUES: Final[dict[int | None, tuple[type, ...]]] = {STRING: (str,), INTEGER: (int,), NUMBER: (int, float)}


def check_together(bodies: Sequence[Json]) -> None:
    """Refuse two commands of one name, or more of a kind than an app may have."""
    kinds = Counter(body.get("type") or _CHAT_INPUT for body in bodies)
    for kind, count in kinds.items():
        if count > _MOST_OF_KIND.get(kind, 0):
            raise refusals.too_many_commands(_MOST_OF_KIND.get(kind, 0))
    seen: set[tuple[str, int]] = set()
    for index, body in enumerate(bodies):
        identity = (body["name"], body.get("type") or _CHAT_INPUT)
        if identity in seen:
            code = "APPLICATION_COMMANDS_DUPLICATE_NAME"
            raise refusals.invalid_body([Flaw((index, "name"), code, "Application command names must be unique")])
        seen.add(identity)


def check_command(body: Json, at: Path) -> list[Flaw]:
    """List what is wrong with one command."""
    return list(_command(body, at))


def _command(body: Json, at: Path) -> Iterator[Flaw]:
    if (body.get("type") or _CHAT_INPUT) != _CHAT_INPUT:
        yield from _menu(body, at)
        return
    yield from _named(body, at)
    yield from _options(body.get("options") or (), (*at, "options"), depth=0)
    size = _size(body)
    if size > _TOTAL:
        yield Flaw(at, "APPLICATION_COMMAND_TOO_LARGE", f"Command exceeds maximum size ({size} > {_TOTAL})")


def _menu(body: Json, at: Path) -> Iterator[Flaw]:
    # Unlike a slash command's, its names may hold capitals and spaces.
    for where, name in _names(body).items():
        yield from length_flaws(name, (*at, *where), 1, _NAME, needed=True)
    for key in ("description", "description_localizations"):
        if body.get(key):
            yield Flaw((*at, key), "APPLICATION_COMMAND_INVALID_DESCRIPTION", "A menu has no description")
    if body.get("options"):
        yield Flaw((*at, "options"), "APPLICATION_COMMAND_INVALID_OPTIONS", "A menu has no options")


def _names(thing: Json) -> dict[Path, object]:
    translated = (thing.get("name_localizations") or {}).items()
    return {("name",): thing.get("name")} | {("name_localizations", key): text for key, text in translated}


def _named(thing: Json, at: Path) -> Iterator[Flaw]:
    for where, name in _names(thing).items():
        yield from length_flaws(name, (*at, *where), 1, _NAME, needed=True)
        if isinstance(name, str) and (name != name.lower() or not all(map(_may_name, name))):
            yield Flaw((*at, *where), "APPLICATION_COMMAND_INVALID_NAME", "Command name is invalid")
    described: dict[Path, object] = {("description",): thing.get("description")}
    described |= {
        ("description_localizations", key): text for key, text in (thing.get("description_localizations") or {}).items()
    }
    for where, text in described.items():
        yield from length_flaws(text, (*at, *where), 1, _DESCRIPTION, needed=True)


def _may_name(character: str) -> bool:
    return character in "-_'" or unicodedata.category(character)[0] in "LNM"


def _options(options: Sequence[Json], at: Path, *, depth: int) -> Iterator[Flaw]:
    if len(options) > _OPTIONS:
        yield Flaw(at, "BASE_TYPE_MAX_LENGTH", f"Must be {_OPTIONS} or fewer in length.")
    names = [option.get("name") for option in options]
    if len(set(names)) < len(names):
        yield Flaw(at, "APPLICATION_COMMAND_OPTIONS_NAME_ALREADY_EXISTS", "Option name already exists")
    optional = False
    nested = {option.get("type") in (SUBCOMMAND, GROUP) for option in options}
    if len(nested) > 1:
        yield Flaw(at, "APPLICATION_COMMAND_OPTIONS_TYPE_INVALID", "Subcommands and options don't mix")
    for index, option in enumerate(options):
        here = (*at, index)
        yield from _named(option, here)
        if option.get("type") in (SUBCOMMAND, GROUP):
            if depth >= _DEPTH or (option["type"] == GROUP and depth > 0):
                yield Flaw(here, "APPLICATION_COMMAND_OPTIONS_TYPE_INVALID", "Subcommands are nested too deeply")
            yield from _options(option.get("options") or (), (*here, "options"), depth=depth + 1)
            continue
        if option.get("required") and optional:
            yield Flaw(
                here, "APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID", "Required options must be placed before others"
            )
        optional = optional or not option.get("required")
        yield from _values(option, here)


def _values(option: Json, at: Path) -> Iterator[Flaw]:
    choices = option.get("choices") or ()
    if len(choices) > _CHOICES:
        yield Flaw((*at, "choices"), "BASE_TYPE_MAX_LENGTH", f"Must be {_CHOICES} or fewer in length.")
    if choices and option.get("autocomplete"):
        yield Flaw((*at, "choices"), "APPLICATION_COMMAND_OPTION_CHOICES_INVALID", "Choices exclude autocomplete")
    yield from check_choices(choices, (*at, "choices"), option.get("type"))
    for least, most in (("min_value", "max_value"), ("min_length", "max_length")):
        low, high = option.get(least), option.get(most)
        if low is not None and high is not None and low > high:
            yield Flaw((*at, least), "APPLICATION_COMMAND_OPTION_RANGE_INVALID", f"{least} is above {most}")


def check_choices(choices: Sequence[Json], at: Path, kind: int | None = None) -> Iterator[Flaw]:
    """List what is wrong with the choices of an option or of an autocompletion; `kind` is the option's, where known."""
    for index, choice in enumerate(choices):
        yield from length_flaws(choice.get("name"), (*at, index, "name"), 1, _CHOICE, needed=True)
        value = choice.get("value")
        if isinstance(value, str):
            yield from length_flaws(value, (*at, index, "value"), 0, _CHOICE, needed=True)
        if isinstance(value, bool) or not isinstance(value, _VALUES.get(kind, (str, int, float))):
            said = f"A choice of this option can't be {value!r}."
            yield Flaw((*at, index, "value"), "APPLICATION_COMMAND_OPTIONS_CHOICE_VALUE_TYPE_INVALID", said[:200])
    names = [choice.get("name") for choice in choices]
    if len(set(names)) < len(names):
        yield Flaw(at, "APPLICATION_COMMAND_OPTIONS_CHOICE_NAME_ALREADY_EXISTS", "Option choice name already exists")


def _size(thing: Json) -> int:
    total = 0
    for key in ("name", "description", "value"):
        texts = [thing.get(key), *(thing.get(f"{key}_localizations") or {}).values()]
        total += max((len(text) for text in texts if isinstance(text, str)), default=0)
    parts = (*(thing.get("options") or ()), *(thing.get("choices") or ()))
    return total + sum(_size(part) for part in parts)
