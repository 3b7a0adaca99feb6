"""Find out where a configuration comes from, and notice when it may have changed there."""

from __future__ import annotations

import asyncio
import inspect
import os
import stat
from collections.abc import Awaitable, Callable, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias

import msgspec

from . import config, errors, slips, tomlfile
from .config import Config
from .slips import Slip

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


# A file that differs at each of so many looks is read although it isn't at rest: on some network drives none ever is.
_PATIENCE: Final = 5

Mark: TypeAlias = tuple[int, ...]

# The mark of what's neither file nor folder, such as a pipe or a device: it's read but once, or never ends.
_SPECIAL: Final[Mark] = (-1,)


class Unread(msgspec.Struct, frozen=True):
    """Hold keys that aren't read, and the path of the file that they stand in, empty where there's none."""

    path: str = ""
    slips: tuple[Slip, ...] = ()


def _unread(given: object, path: str = "") -> Unread:
    return Unread(path, slips.find(given, bundled=False) if isinstance(given, Mapping) else ())


class Source(Protocol):
    """Give a configuration, and look for changes of it."""

    @property
    def fixed(self) -> bool:
        """Tell whether it never changes, so that nobody need look."""

    @property
    def unread(self) -> Unread:
        """Tell what of the last configuration isn't read, though it was probably meant to be."""

    def first(self) -> Config:
        """Return the configuration as it is now; raise `ConfigError`."""

    async def look(self, *, again: bool = False) -> Config | None:
        """Return the configuration where it may differ from what was last read, or with `again` anyway; else None.

        Raise `ConfigError` where it can't be used. One look may be under way at a time.
        """


# What a host may hand over. A mapping is read once, at construction; a function is called in the event loop.
Given: TypeAlias = "ConfigFile | Config | Mapping[str, object] | Callable[[], Config | Mapping[str, object]]"


class ConfigFile:
    """Read the file at `path`, by default the one that `config.find` names, and notice when it's another.

    A change is read once it has lasted from one look to the next: a file that's being written is half a file. Where
    it had keys of ours, it's broken without any: an editor on a full disk leaves an empty file, which would switch the
    search off.
    """

    fixed = False

    def __init__(self, path: Path | None = None, env: Mapping[str, str] = os.environ) -> None:
        self.unread = Unread()
        # Whoever changes the working directory later doesn't mean another file by that.
        self._path = (path or config.find(env)).absolute()
        self._env = env
        self._known: Mark | None = None
        self._seen: Mark | None = None
        self._restless = 0
        # What was a pipe at first is never read again; what has become one is told, and never opened.
        self._read_once = False
        self._named_keys = False

    def first(self) -> Config:
        """Return the configuration as it is now; raise `ConfigError`."""
        # The first look reads it once more: what's written between these two lines might leave no mark.
        self._known, self._seen = None, _mark(self._path)
        self._read_once, self._named_keys = self._seen == _SPECIAL, False
        return self._load()

    async def look(self, *, again: bool = False) -> Config | None:
        """Return the configuration where the file has changed, in a thread: a network drive may take its time."""
        return await asyncio.to_thread(self._look, again=again)

    def _look(self, *, again: bool) -> Config | None:
        mark = _mark(self._path)
        at_rest, self._seen = mark == self._seen, mark
        if (mark == _SPECIAL and self._read_once) or (mark == self._known and not again):
            self._restless = 0
            return None
        if not at_rest and self._restless < _PATIENCE:
            self._restless += 1
            return None
        self._restless = 0
        self._known = mark
        self._read_once = False
        if mark == _SPECIAL:
            raise errors.ConfigUnreadable(str(self._path), "no-file")
        return self._load()

    def _load(self) -> Config:
        mapping = tomlfile.parse(self._path)
        found = Config.from_mapping(mapping, env=self._env, path=str(self._path))
        names_keys = config.names_keys(mapping)
        if self._named_keys and not names_keys:
            raise errors.ConfigUnreadable(str(self._path), "no-keys")
        self._named_keys = names_keys
        self.unread = _unread(mapping, str(self._path))
        return found


class ConfigCall:
    """Ask a function of the host; it's called in the event loop, so that it must neither wait nor be asynchronous.

    What it returns is checked where it differs from before: the names of time zones alone take some milliseconds.
    """

    fixed = False

    def __init__(self, call: Callable[[], Config | Mapping[str, object]]) -> None:
        self.unread = Unread()
        self._call = call
        self._known: str | None = None

    def first(self) -> Config:
        """Return the configuration as it is now; raise `ConfigError`."""
        with _told_of_the_host():
            return self._read(self._call())

    async def look(self, *, again: bool = False) -> Config | None:
        """Return the configuration where it differs from the one before."""
        known, self._known = self._known, None
        with _told_of_the_host():
            given = self._call()
            if not again and known is not None and isinstance(given, Mapping) and config.excerpt(given) == known:
                self._known = known
                return None
            return self._read(given)

    def _read(self, given: Config | Mapping[str, object] | Awaitable[object]) -> Config:
        if isinstance(given, Config):
            self.unread = Unread()
            return given
        if inspect.isawaitable(given):
            if inspect.iscoroutine(given):
                # Nobody will await it, and Python would say so in the log each time.
                given.close()
            raise errors.ConfigNotGiven("awaitable")
        self._known = config.excerpt(given)
        found = Config.from_mapping(given)
        self.unread = _unread(given)
        return found


class ConfigValue:
    """Give a configuration that never changes: a mapping is copied, and whoever changes it later changes nothing."""

    fixed = True

    def __init__(self, given: Config | Mapping[str, object]) -> None:
        self._config = given if isinstance(given, Config) else Config.from_mapping(given)
        self.unread = _unread(given)

    def first(self) -> Config:
        """Return the configuration."""
        return self._config

    async def look(self, *, again: bool = False) -> Config | None:
        """Return it where it's asked for."""
        return self._config if again else None


def source_of(given: Given) -> Source:
    """Return the source that a host has handed over; raise `ConfigError` where it's a value that can't be used."""
    if isinstance(given, ConfigFile):
        return given
    if callable(given) and not isinstance(given, Mapping):
        return ConfigCall(given)
    return ConfigValue(given)


def _mark(path: Path) -> Mark:
    """Return what's another number where the file is another, `_SPECIAL` for all that's no file.

    Symbolic links are followed, so that one that's switched is noticed. The time of the last change of the inode tells
    of what keeps size and time of the content: a right to read, a copy with its old time.
    """
    try:
        found = path.stat()
    except OSError as error:
        return (error.errno or 0,)
    except ValueError:
        # A path that no operating system takes.
        return (0,)
    if not (stat.S_ISREG(found.st_mode) or stat.S_ISDIR(found.st_mode)):
        return _SPECIAL
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


@contextmanager
def _told_of_the_host() -> Iterator[None]:
    """Raise `ConfigNotGiven` for whatever the host's own code raises.

    Nothing waits inside, so that even a `CancelledError` is the host's own.
    """
    try:
        yield
    except errors.ConfigError:
        raise
    except (Exception, asyncio.CancelledError) as error:
        raise errors.ConfigNotGiven(type(error).__name__) from error
