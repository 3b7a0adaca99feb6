"""Check the fields of a request as an engine's reference describes them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Final

Check = Callable[[object], bool]

_DOMAIN: Final = re.compile(r"(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)+(/\S*)?", re.IGNORECASE)


def boolean(value: object) -> bool:
    """Take true and false."""
    return isinstance(value, bool)


def string(value: object) -> bool:
    """Take a text."""
    return isinstance(value, str)


def integer(least: int, most: int) -> Check:
    """Take a whole number from `least` to `most`."""
    return lambda value: isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def choice(*choices: str) -> Check:
    """Take one of these texts."""
    return lambda value: isinstance(value, str) and value in choices


def listed(check: Check, most: int, least: int = 0) -> Check:
    """Take a list of so many values, each of which passes a check."""
    return lambda value: isinstance(value, list) and least <= len(value) <= most and all(map(check, value))


def either(*checks: Check) -> Check:
    """Take what passes any of these checks."""
    return lambda value: any(check(value) for check in checks)


def domain(value: object) -> bool:
    """Take a domain, with a path or a star where it has one."""
    return isinstance(value, str) and _DOMAIN.fullmatch(value) is not None


def date_time(value: object) -> bool:
    """Take a date-time with a zone in ISO 8601."""
    if not isinstance(value, str) or "T" not in value:
        return False
    try:
        return datetime.fromisoformat(value).tzinfo is not None
    except ValueError:
        return False


def fields(checks: Mapping[str, Check]) -> Check:
    """Take an object whose fields are all known, and each of them null or as its check wants it."""
    # Stricter than the API, which says nothing of unknown fields: a misspelt field must not pass in silence.
    return lambda value: (
        isinstance(value, dict)
        and all(name in checks and (field is None or checks[name](field)) for name, field in value.items())
    )
