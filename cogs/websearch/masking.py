"""Show what stands in a configuration without giving a secret away that was pasted in the wrong place."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, time
from typing import Final
from urllib.parse import urlsplit

from . import text
from .patterns import late_re

# What is shown of a value: a name, a number, a domain, a path; more is noise in a sentence.
_SHOWN: Final = 60
_NAME_SEARCHED: Final = 200
# What may be a secret in the wrong place: a password before an @, a long word, one that mixes letters and digits. The
# folders of a path may be named so; Exa's keys have 36 characters and the parts of Discord's tokens 24 and more.
_LOOKS_SECRET: Final = late_re(r"@|[\w+=-]{16,}|(?=[\w+=-]*[^\W\d])(?=[\w+=-]*\d)[\w+=-]{8,}")
_LOOKS_SECRET_NAME: Final = late_re(r"@|(?=[\w+=-]*[^\W\d])(?=[\w+=-]*\d)[\w+=-]{16,}")
_LOOKS_SECRET_IN_PATH: Final = late_re(r"@|[\w+=-]{24,}")
# True is an int to Python, so it comes first.
_TYPES: Final[tuple[tuple[type, str], ...]] = (
    (bool, "flag"),
    (int, "number"),
    (float, "number"),
    (str, "text"),
    (list, "list"),
    (tuple, "list"),
    (Mapping, "table"),
    (date, "date"),
    (time, "date"),
    (type(None), "nothing"),
)


def found_as(value: object, *, is_path: bool = False) -> str:
    """Show a value as TOML writes it, or its type alone where it's long or may be a secret; of an address, its host.

    `is_path` says that a path stands there, whose folders may be named as secrets are.
    """
    match value:
        case bool():
            return "true" if value else "false"
        case float():
            return str(value)
        case int() if abs(value) < 10**18:
            return str(value)
        case str():
            shown = _text_as(value, is_path=is_path)
            return f'"{shown}"' if shown else type_of(value)
        case _:
            return type_of(value)


def _text_as(value: str, *, is_path: bool) -> str:
    if "://" in value or any(sign in value for sign in "?#@"):
        return _address_as(value)
    looks_secret = _LOOKS_SECRET_IN_PATH if is_path and "/" in value else _LOOKS_SECRET
    return "" if looks_secret.search(value) else text.clean(value, _SHOWN)


def _address_as(value: str) -> str:
    """Show scheme and host alone, or nothing: what follows, and who stands in front, may be a key of any shape."""
    try:
        parts = urlsplit(value)
        host = parts.hostname or ""
    except ValueError:
        return ""
    if not host or parts.scheme not in {"http", "https"} or _LOOKS_SECRET.search(host):
        return ""
    start = f"{parts.scheme}://[{host}]" if ":" in host else f"{parts.scheme}://{host}"
    shown = text.clean(start, _SHOWN)
    return shown if value.rstrip("/") == shown or shown.endswith("…") else f"{shown}/…"


def name_as(name: str) -> str:
    """Show a key that is none of ours, or an ellipsis where a secret was pasted in its place."""
    # No key is nearly as long; the search for secrets takes its time with what is.
    name = name[:_NAME_SEARCHED]
    return "…" if _LOOKS_SECRET_NAME.search(name) else text.clean(name, _SHOWN) or "…"


def type_of(value: object) -> str:
    """Name the type of a value by the key of a phrase in `owner_wording`."""
    if isinstance(value, str) and not value.strip():
        return "blank"
    return next((name for type_, name in _TYPES if isinstance(value, type_)), "something")
