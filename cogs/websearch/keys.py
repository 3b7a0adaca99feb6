"""Define the kinds of value that a configuration key takes, and how each is checked.

A kind's `read` returns the value as the program uses it, or raises the `InvalidValue` that names file, key, what was
found and what is expected. Kinds are no structs: the garbage collector doesn't look into one that holds nothing but
numbers and texts, and where a module keeps it, the module stays when the cog is loaded anew.
"""

from __future__ import annotations

import re
from ipaddress import ip_address
from os import fsencode
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol
from urllib.parse import urlsplit

import msgspec

from . import errors, links, masking
from .patterns import late_re

if TYPE_CHECKING:
    from collections.abc import Iterable

# Stands for the file's path where a value comes from an environment variable.
ENVIRONMENT: Final = "environment"
_UTC: Final = "UTC"
# What is compared of a zone that nobody knows: no name of one is as long.
_ZONE_LENGTH: Final = 60

# Far shorter than any key or token: what's shorter is a slip, and taking it out of log lines would take words out.
SECRET_LENGTH: Final = 8
_SECRET: Final = late_re(rf"[!-~]{{{SECRET_LENGTH},}}")
# What Discord and some engines want in front of it in a header, which is put there by who sends it.
_SCHEME: Final = late_re(r"(Bot|Bearer)\s+\S", re.IGNORECASE)
# As README.md and other examples have it.
_PLACEHOLDER: Final = late_re(r"[\"'<]*your[-_ ](?:\w+[-_ ])*(?:key|token)\b", re.IGNORECASE)
# The longest names of models that are offered have half as many characters.
_NAME_LENGTH: Final = 100
_NAME: Final = late_re(rf"[!-~]{{1,{_NAME_LENGTH}}}")
# A snowflake counts milliseconds from 2015 on, shifted by 22 bits: fifteen digits came within its first hours, and what
# has more than 63 bits is none that Discord's documentation knows.
_ID: Final = late_re(r"[0-9]{15,19}", re.ASCII)
_FIRST_ID: Final = 10**14
_LAST_ID: Final = 2**63 - 1
# Where a path is expected, by the key of its phrase.
_PATHS: Final = frozenset({"folder", "database"})


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """Name where a value stands: the file's path as shown, the key, and the folder that relative paths start from."""

    path: str
    name: str
    folder: Path

    def invalid(
        self,
        value: object,
        expected: str,
        *,
        show: bool = True,
        least: float | None = None,
        most: float | None = None,
        choices: tuple[str, ...] = (),
    ) -> errors.InvalidValue:
        """Make the error that says what was found here and what is expected."""
        found = masking.found_as(value, is_path=expected in _PATHS) if show else masking.type_of(value)
        return errors.InvalidValue(self.path, self.name, found, expected, least, most, choices)


class Kind(Protocol):
    """Check one value and bring it into the shape that the program uses."""

    def read(self, value: object, place: Place) -> object:
        """Return the value; raise `InvalidValue`."""


class Flag:
    """Take true or false."""

    def read(self, value: object, place: Place) -> bool:
        """Return the value; raise `InvalidValue`."""
        if not isinstance(value, bool):
            raise place.invalid(value, "flag")
        return value


class Number:
    """Take a number from `least` to `most`, a whole one unless `fractions`."""

    def __init__(self, least: int, most: int, *, fractions: bool = False) -> None:
        self.least, self.most, self.fractions = least, most, fractions

    def read(self, value: object, place: Place) -> float:
        """Return the value; raise `InvalidValue`."""
        expected = "number" if self.fractions else "whole-number"
        allowed = int | float if self.fractions else int
        # True is an int to Python, not to whoever wrote it. NaN is in no range.
        if isinstance(value, bool) or not isinstance(value, allowed) or not self.least <= value <= self.most:
            raise place.invalid(value, expected, least=self.least, most=self.most)
        return float(value) if self.fractions else value


class Channel:
    """Take the id of a channel or thread as Discord's client copies it, as a number or a text. Blank means left out."""

    def read(self, value: object, place: Place) -> int | None:
        """Return the id; raise `InvalidValue`."""
        if isinstance(value, str) and not value.strip():
            return None
        if isinstance(value, str) and _ID.fullmatch(value.strip()):
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int) or not _FIRST_ID <= value <= _LAST_ID:
            raise place.invalid(value, "channel")
        return value


class Zone:
    """Take the name of a time zone of the IANA database, such as Europe/Berlin."""

    def read(self, value: object, place: Place) -> str:
        """Return the name; raise `InvalidValue`, which names the most similar zone."""
        if value == _UTC:
            return _UTC
        # The names of all zones are looked up in many folders: only who names one waits for that.
        from zoneinfo import available_timezones  # noqa: PLC0415 - see above

        zones = available_timezones()
        if not isinstance(value, str):
            raise place.invalid(value, "zone", choices=(_UTC,))
        if value not in zones:
            raise place.invalid(value, "zone", choices=(_nearest_zone(value, zones),))
        return value


class Choice:
    """Take one of a few words."""

    def __init__(self, choices: tuple[str, ...]) -> None:
        self.choices = choices

    def read(self, value: object, place: Place) -> str:
        """Return the value; raise `InvalidValue`."""
        if not isinstance(value, str) or value not in self.choices:
            raise place.invalid(value, "choice", choices=self.choices)
        return value


class Choices:
    """Take a list of a few words, each at most once."""

    def __init__(self, choices: tuple[str, ...]) -> None:
        self.choices = choices

    def read(self, value: object, place: Place) -> tuple[str, ...]:
        """Return the words in their order; raise `InvalidValue`."""
        if not isinstance(value, list | tuple):
            raise place.invalid(value, "choices", choices=self.choices)
        for number, item in enumerate(value):
            if not isinstance(item, str) or item not in self.choices or item in value[:number]:
                raise place.invalid(item, "choices", choices=self.choices)
        return tuple(value)


class Word:
    """Take a name as a service gives it: printable ASCII without spaces. Blank means left out."""

    def read(self, value: object, place: Place) -> str:
        """Return the name without white space around it; raise `InvalidValue`."""
        stripped = value.strip() if isinstance(value, str) else None
        if stripped is None or (stripped and not _NAME.fullmatch(stripped)):
            raise place.invalid(value, "word", most=_NAME_LENGTH)
        return stripped


class Secret:
    """Take what may travel in a header: printable ASCII without spaces, of a key's length. Blank means left out.

    The placeholder of an example is none, nor is what has the name of its scheme in front.
    """

    def read(self, value: object, place: Place) -> str:
        """Return the value without white space around it; raise `InvalidValue`, which shows the type alone."""
        stripped = value.strip() if isinstance(value, str) else None
        if stripped and _PLACEHOLDER.match(stripped):
            raise errors.InvalidValue(place.path, place.name, "placeholder", "own-secret")
        if stripped and (scheme := _SCHEME.match(stripped)):
            raise place.invalid(value, "bare-secret", show=False, choices=(scheme[1].title(),))
        if stripped is None or (stripped and not _SECRET.fullmatch(stripped)):
            raise place.invalid(value, "secret", show=False, least=SECRET_LENGTH)
        return stripped


class Url:
    """Take an http or https address without user, query or fragment.

    With `guarded`, plain http is taken for this machine alone: a key travels there, and nobody on the way may read it.
    With `public`, only what a result may link to is taken. With `blank`, a blank one means left out.
    """

    def __init__(self, *, guarded: bool = False, public: bool = False, blank: bool = False) -> None:
        self.guarded, self.public, self.blank = guarded, public, blank

    def read(self, value: object, place: Place) -> str:
        """Return the address without a slash at its end; raise `InvalidValue`."""
        if self.blank and isinstance(value, str) and not value.strip():
            return ""
        if not isinstance(value, str) or not self._usable(value):
            raise place.invalid(value, "guarded-url" if self.guarded else "public-url" if self.public else "url")
        return value.rstrip("/")

    def _usable(self, value: str) -> bool:
        if not value.isascii() or not value.isprintable() or any(sign in value for sign in ' \\"<>?#@'):
            return False
        try:
            parts = urlsplit(value)
            host = parts.hostname
            _ = parts.port
        except ValueError:
            return False
        if not host or parts.scheme not in {"http", "https"}:
            return False
        if self.public and links.vet(value) is None:
            return False
        return parts.scheme == "https" or not self.guarded or _is_this_machine(host)


class Domains:
    """Take a list of domains, at most `most`."""

    def __init__(self, most: int) -> None:
        self.most = most

    def read(self, value: object, place: Place) -> tuple[str, ...]:
        """Return the domains as `links.parse_domain` does, each once; raise `InvalidValue`."""
        if not isinstance(value, list | tuple) or len(value) > self.most:
            raise place.invalid(value, "domains", most=self.most)
        domains: dict[str, None] = {}
        for item in value:
            domain = links.parse_domain(item) if isinstance(item, str) else None
            if domain is None:
                raise place.invalid(item, "domain")
            domains[domain] = None
        return tuple(domains)


class Folder:
    """Take the path of a folder; a relative one starts at the configuration file. Blank means none."""

    def read(self, value: object, place: Place) -> Path | None:
        """Return the path, or None for a blank one; raise `InvalidValue`. Whether it's there, `is_folder` tells."""
        if isinstance(value, str) and not value.strip():
            return None
        path = _to_path(value, place.folder) if isinstance(value, str) else None
        if path is None:
            raise place.invalid(value, "folder")
        return path


class Database:
    """Take the path of an SQLite file; a relative one starts at the configuration file."""

    def read(self, value: object, place: Place) -> str:
        """Return the path; raise `InvalidValue`. `:memory:` stands for a database that ends with the process."""
        if not isinstance(value, str) or not value.strip():
            raise place.invalid(value, "database")
        if value == ":memory:":
            return value
        if "://" in value:
            # It may hold a password.
            raise place.invalid(value, "database-file", show=False)
        path = _to_path(value, place.folder)
        if path is None:
            raise place.invalid(value, "database")
        return str(path)


def nearest(word: str, names: Iterable[str], *, likeness: float = 0.6) -> str:
    """Return the name that is most like a word, or nothing where none is as like it."""
    try:
        from difflib import get_close_matches  # noqa: PLC0415 - only who made a slip waits for it
    except OSError:
        # A process out of descriptors gives no hint.
        return ""
    return next(iter(get_close_matches(word, list(names), n=1, cutoff=likeness)), "")


def _nearest_zone(value: str, zones: set[str]) -> str:
    """Return the zone that was probably meant: people leave the continent out, or write in another case."""
    typed = value[:_ZONE_LENGTH].replace(" ", "_").lower()
    names = {part.lower(): zone for zone in sorted(zones) for part in (zone, zone.rpartition("/")[2])}
    return names.get(nearest(typed, names), _UTC)


def _to_path(value: str, folder: Path) -> Path | None:
    try:
        # Neither SQLite nor the operating system takes these.
        if "\0" in value or not fsencode(value):
            return None
        return folder / Path(value).expanduser()
    except (ValueError, RuntimeError):
        return None


def is_folder(path: Path) -> bool:
    """Tell whether a folder is there."""
    try:
        return path.is_dir()
    except OSError:
        # A name that is too long, a loop of links: whatever it is, it's no folder to search.
        return False


def _is_this_machine(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
