"""Read a duration as a person types it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from . import errors, limits, text
from .patterns import late_re

if TYPE_CHECKING:
    from collections.abc import Mapping

_SECONDS: Final = {"m": 60, "h": 3600, "d": 86_400, "w": 604_800}
# What people write for them, in the languages of the catalogues.
_SPELLED: Final[Mapping[str, str]] = {
    "m": "m min mins minute minutes minuten",
    "h": "h hr hrs hour hours std stunde stunden",
    "d": "d day days tag tage tagen",
    "w": "w wk wks week weeks woche wochen",
}
_UNITS: Final[Mapping[str, str]] = {word: unit for unit, words in _SPELLED.items() for word in words.split()}
# Shorter is over before anybody has read that it began; what is longer is meant to last.
LEAST: Final = _SECONDS["m"]
MOST: Final = 365 * _SECONDS["d"]
# Nine digits are more minutes than anybody's life has; more of them would only cost time. A point may end what is cut
# short, such as “2 Std.”
_PART: Final = late_re(r"\s*+([0-9]{1,9}+)\s*+([a-z]{1,8}+)\.?+", re.ASCII | re.IGNORECASE)
# Four such parts need less, with a space before and in each.
_LENGTH: Final = 100


def parse(typed: str) -> int:
    """Return the seconds that a text such as 30m, 2h, 1d 12h or 2 hours stands for, each unit at most once.

    Units may be spelled out in English or German. Raise `InvalidDuration` for anything else, and for what is not from
    `LEAST` to `MOST`.
    """
    spaced = " ".join(typed.split())
    if len(spaced) > _LENGTH:
        raise _invalid(typed)
    found: dict[str, int] = {}
    at = 0
    while at < len(spaced):
        part = _PART.match(spaced, at)
        unit = _UNITS.get(part[2].lower()) if part is not None else None
        if part is None or unit is None or unit in found:
            raise _invalid(typed)
        found[unit] = int(part[1])
        at = part.end()
    seconds = sum(count * _SECONDS[unit] for unit, count in found.items())
    if not LEAST <= seconds <= MOST:
        raise _invalid(typed)
    return seconds


def _invalid(typed: str) -> errors.InvalidDuration:
    return errors.InvalidDuration(text.tidy(typed, limits.ECHO))
