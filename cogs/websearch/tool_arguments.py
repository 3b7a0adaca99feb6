"""Read the arguments that a language model wrote for a tool, and the ids of its host: checked, whatever they are."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from . import errors, limits
from .errors.tool import ArgumentKind
from .patterns import late_re

if TYPE_CHECKING:
    from .models import Asker

# More than any call needs; what is longer is no slip.
_MOST: Final = 64 * 1024
# Signs and digits that a number has which anybody means, with a point that says nothing.
_WHOLE: Final = late_re(r"[+-]?[0-9]{1,30}(?:\.0{0,30})?", re.ASCII)
# The largest that the database takes; Discord's ids are far below.
_LAST_ID: Final = 2**63 - 1
_FLAGS: Final = {"true": True, "false": False}


def require_ids(caller: Asker) -> None:
    """Raise `IdInvalid` where the host passed what can be no id of Discord's: their fields hold whatever it was."""
    given: dict[str, object] = {"channel_id": caller.channel_id, "user_id": caller.user_id}
    if caller.guild_id is not None:
        given["guild_id"] = caller.guild_id
    for name, value in given.items():
        # To Python, true and false are numbers.
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= _LAST_ID:
            raise errors.IdInvalid(name)


def parse(raw: object) -> Mapping[str, object]:
    """Return arguments by their names, of a mapping or of JSON; nothing at all is none.

    Raise `ArgumentsUnreadable`.
    """
    if raw is None or (isinstance(raw, str) and not raw.strip()):
        return {}
    if isinstance(raw, str):
        if len(raw) > _MOST:
            raise errors.ArgumentsUnreadable
        try:
            # Models leave line breaks in texts, and write NaN.
            raw = json.loads(raw, strict=False)
        except (ValueError, RecursionError):
            raise errors.ArgumentsUnreadable from None
    if not isinstance(raw, Mapping):
        raise errors.ArgumentsUnreadable
    return raw


def text(given: Mapping[str, object], name: str) -> str:
    """Return a text that's needed; raise `ArgumentMissing` or `ArgumentInvalid`."""
    value = given.get(name)
    if value is None:
        raise errors.ArgumentMissing(name)
    if not isinstance(value, str):
        raise errors.ArgumentInvalid(name, ArgumentKind.TEXT)
    return value


def count(given: Mapping[str, object], name: str) -> int | None:
    """Return a number of results from 1 to `limits.RESULTS`, the nearest to what's given, or None for the default.

    That's for 0, for nothing, and for an empty text. Raise `ArgumentInvalid` for what's no whole number.
    """
    value = given.get(name)
    if isinstance(value, str):
        typed = value.strip()
        if typed and not _WHOLE.fullmatch(typed):
            raise errors.ArgumentInvalid(name, ArgumentKind.NUMBER)
        value = int(typed.partition(".")[0]) if typed else None
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if value is None:
        return None
    # To Python, true and false are numbers.
    if not isinstance(value, int) or isinstance(value, bool):
        raise errors.ArgumentInvalid(name, ArgumentKind.NUMBER)
    return min(max(value, 1), limits.RESULTS) if value else None


def flag(given: Mapping[str, object], name: str) -> bool:
    """Return a switch that's needed; raise `ArgumentMissing` or `ArgumentInvalid`."""
    value = given.get(name)
    if isinstance(value, str):
        value = _FLAGS.get(value.strip().lower(), value)
    if value is None:
        raise errors.ArgumentMissing(name)
    if not isinstance(value, bool):
        raise errors.ArgumentInvalid(name, ArgumentKind.FLAG)
    return value
