"""Read a TOML file, and say of one that's none where it stops being one, with a hint at the slip."""

from __future__ import annotations

import os
import re
import select
import time
from typing import TYPE_CHECKING, Any, Final

import tomli

from . import errors, limits, text
from .patterns import late_re

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

# Far more than anybody configures; what's larger is another file, or none that ends.
_FILE_BYTES: Final = 1024 * 1024
# How long a pipe or a device is waited for, in seconds: whoever writes into one may have to decrypt it first.
_PATIENCE: Final = 5.0
_PIECE: Final = 65536
# How Python and some people write what TOML writes small.
_CAPITAL_FLAG: Final = late_re(r"(?:true|false)\b", re.IGNORECASE)
# What phones and word processors make of straight quotes.
_CURLY: Final = frozenset(map(chr, (*range(0x2018, 0x2020), 0xAB, 0xBB)))
_REST_OF_LINE: Final = late_re(r"[^\n]*")
_NO_END: Final = "Expected newline or end of document after a statement"
# What the reader says, and the key of a sentence in `owner_wording` for the slip behind it.
_HINTS: Final[tuple[tuple[str, str], ...]] = (
    ("Cannot overwrite", "twice"),
    ("Cannot declare", "twice"),
    ("Expected '=' after a key", "equals"),
    ("Illegal character '\\n'", "unclosed"),
    ("Unterminated string", "unclosed"),
)
# A value, or an item of a list, that begins like a number and goes on like a key or an address.
_RUN_ON: Final = late_re(r"[\s\[,]*[\w.+-]+\Z")


def parse(file: Path, *, seconds: float = _PATIENCE) -> dict[str, Any]:
    """Read the file, whatever its keys; raise `ConfigError` where it can't be read or is no TOML.

    A pipe or a device that doesn't end is waited for so many seconds, and can't be read then.
    """
    path = str(file)
    try:
        content = _content(file, seconds)
    except (FileNotFoundError, NotADirectoryError):
        raise errors.ConfigMissing(path) from None
    except TimeoutError:
        raise errors.ConfigUnreadable(path, "silent") from None
    except OSError as error:
        raise errors.ConfigUnreadable(path, error.strerror or "") from None
    except ValueError:
        # A path that no operating system takes.
        raise errors.ConfigMissing(text.clean(path, limits.DETAIL)) from None
    if len(content) > _FILE_BYTES:
        raise errors.ConfigUnreadable(path, "too-large")
    try:
        # With or without the mark that some editors put first.
        return tomli.loads(content.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise errors.ConfigUnreadable(path, "not-utf-8") from None
    except tomli.TOMLDecodeError as error:
        raise errors.ConfigSyntax(path, error.lineno, error.colno, _hint(error)) from None
    except (ValueError, RecursionError):
        # A number of thousands of digits, or brackets without end.
        raise errors.ConfigSyntax(path, 0, 0) from None


def _content(file: Path, seconds: float, clock: Callable[[], float] = time.monotonic) -> bytes:
    """Return as much of the file as counts; raise OSError, also TimeoutError where no more comes of a pipe in time."""
    # Opening a pipe would otherwise wait for whoever writes into it, for ever. Windows has no such thing.
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    descriptor, until, content = os.open(file, flags), clock() + seconds, b""
    try:
        while len(content) <= _FILE_BYTES:
            if not _is_ready(descriptor, until - clock()):
                raise TimeoutError
            piece = os.read(descriptor, _PIECE)
            if not piece:
                break
            content += piece
    finally:
        os.close(descriptor)
    return content


def _is_ready(descriptor: int, seconds: float) -> bool:
    """Tell whether something, or an end, can be read within so many seconds; of a file, something can at once."""
    if not hasattr(select, "poll"):
        return True
    waiting = select.poll()
    waiting.register(descriptor, select.POLLIN)
    return bool(waiting.poll(max(0.0, seconds) * 1000))


def _hint(error: tomli.TOMLDecodeError) -> str:
    """Return the key of a sentence in `owner_wording` for a slip that people make, or nothing."""
    here = error.doc[error.pos : error.pos + 1]
    if here in _CURLY:
        return "curly"
    if error.msg == "Invalid value":
        return _no_value(error)
    if error.msg == _NO_END:
        before = error.doc[: error.pos].rpartition("\n")[2].partition("=")[2]
        return "unquoted" if here.isalnum() and _RUN_ON.match(before) else ""
    return next((hint for start, hint in _HINTS if error.msg.startswith(start)), "")


def _no_value(error: tomli.TOMLDecodeError) -> str:
    found = _REST_OF_LINE.match(error.doc, error.pos)
    rest = found.group().strip() if found else ""
    if _CAPITAL_FLAG.match(rest):
        return "capital"
    if not rest or rest.startswith("#"):
        return "empty"
    return "unquoted" if rest[0].isalpha() or rest[0] in "~/<$." else ""
