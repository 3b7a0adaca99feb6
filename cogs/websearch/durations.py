"""Read a duration as a person types it."""

from __future__ import annotations

import re
from typing import Final

from . import errors, limits, text

_SECONDS: Final = {"m": 60, "h": 3600, "d": 86_400, "w": 604_800}
# Shorter is over before anybody has read that it began; what is longer is meant to last.
LEAST: Final = _SECONDS["m"]
MOST: Final = 365 * _SECONDS["d"]
# Nine digits are more minutes than anybody's life has; more of them would only cost time.
_PART: Final = re.compile(r"\s*([0-9]{1,9})\s*([mhdw])", re.IGNORECASE)
# Four such parts need less, with a space before and in each.
_LENGTH: Final = 100


def parse(typed: str) -> int:
    """Return the seconds that a text such as 30m, 2h, 7d, 1w or 1d 12h stands for, each unit at most once.

    Raise `InvalidDuration` for anything else, and for what is not from `LEAST` to `MOST`.
    """
    spaced = " ".join(typed.split())
    if len(spaced) > _LENGTH:
        raise _invalid(typed)
    found: dict[str, int] = {}
    at = 0
    while at < len(spaced):
        part = _PART.match(spaced, at)
        if part is None or part[2].lower() in found:
            raise _invalid(typed)
        found[part[2].lower()] = int(part[1])
        at = part.end()
    seconds = sum(count * _SECONDS[unit] for unit, count in found.items())
    if not LEAST <= seconds <= MOST:
        raise _invalid(typed)
    return seconds


def _invalid(typed: str) -> errors.InvalidDuration:
    return errors.InvalidDuration(text.tidy(typed, limits.ECHO))
