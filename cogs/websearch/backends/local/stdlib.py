"""Offer the documentation strings of this Python's standard library, under their public names.

A documented name without a text in this Python is left out, and so is a text whose name has no page.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import subprocess
import sys
import threading
from typing import TYPE_CHECKING, Final

from ...i18n import N_
from . import inventory
from .documents import Document, digest, plain
from .formats import unmark

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from .documents import Progress

_log = logging.getLogger(__name__)

_SCRIPT: Final = inventory.LIST.with_name("collect.py")
# Nobody who asks a question means these: the interpreter's own tests, its editor, demos, a translator from Python 2.
_LEFT_OUT: Final = frozenset({"test", "idlelib", "turtledemo", "lib2to3", "__main__"})
# What Python 3.11 documents as deprecated (PEP 594, PEP 632), low-level twins of other modules, and graphics.
_SECOND_CHOICE: Final = frozenset({
    *("_thread", "aifc", "asynchat", "asyncore", "audioop", "cgi", "cgitb", "chunk", "crypt", "distutils", "imghdr"),
    *("imp", "mailcap", "msilib", "nis", "nntplib", "ossaudiodev", "pipes", "posix", "smtpd", "sndhdr", "spwd"),
    *("sunau", "telnetlib", "tkinter", "turtle", "uu", "xdrlib"),
})  # fmt: skip
_SECOND_CHOICE_WEIGHT: Final = 0.6
# What few people ask about who don't name it: the interpreter's own workings, terminals, old protocols and formats.
_SPECIAL: Final = frozenset({
    *("ast", "bdb", "binascii", "code", "codeop", "ctypes", "curses", "dbm", "dis", "faulthandler", "fcntl", "ftplib"),
    *("imaplib", "importlib", "linecache", "mailbox", "mmap", "modulefinder", "netrc", "pickletools", "pkgutil"),
    *("plistlib", "poplib", "pty", "py_compile", "pyclbr", "quopri", "readline", "resource", "rlcompleter", "runpy"),
    *("site", "stringprep", "symtable", "sysconfig", "termios", "token", "tokenize", "tracemalloc", "tty", "wsgiref"),
    *("xmlrpc", "zipimport"),
})  # fmt: skip
_SPECIAL_WEIGHT: Final = 0.8
# A question is more often about a function or a class than about one of the many methods.
_WEIGHTS: Final = {"module": 0.9, "function": 1.0, "class": 1.0, "method": 0.85}
_OTHER_WEIGHT: Final = 0.7
# Importing everything took a quarter of a second, and 1.2 seconds where Python had to compile it first; slow disks take
# longer.
_SECONDS: Final = 120.0


class StandardLibrary:
    """Be the source of the standard library's documentation strings, and the state of it: it never changes."""

    # One for each Python that's installed, which its virtual environments share.
    identity = f"python-{'.'.join(map(str, sys.version_info[:3]))}-{digest(sys.base_prefix)}"
    name = N_("Python documentation")
    empty = False

    def __init__(self) -> None:
        self._list = inventory.LIST.read_text(encoding="utf-8")

    def survey(self) -> StandardLibrary:
        """Return itself: a running interpreter keeps its library."""
        return self

    @property
    def fingerprint(self) -> str:
        """Tell the interpreter and the list of pages, on which all documents depend."""
        return digest(repr((sys.version, sys.base_prefix, self._list)))

    def documents(self, progress: Progress) -> Generator[Document, None, None]:
        """Read the texts in a process of its own, module by module; raise OSError where that fails."""
        modules = _by_module(inventory.load())
        progress(0, len(modules))
        for done, (entries, texts) in enumerate(zip(modules.values(), _collect(modules), strict=True), start=1):
            for entry in entries:
                text = plain(unmark(texts.get(entry.name, "")))
                if text:
                    place = entry.name.rpartition(".")[0]
                    yield Document(title=entry.name, url=entry.url, text=text, place=place, weight=_weight(entry))
            progress(done, len(modules))


def _by_module(entries: tuple[inventory.Entry, ...]) -> dict[str, list[inventory.Entry]]:
    """Group names by the longest documented module that they begin with; the others are built in."""
    modules = {entry.name for entry in entries if entry.kind == "module"}
    grouped: dict[str, list[inventory.Entry]] = {}
    for entry in entries:
        module = entry.name
        while module and module not in modules:
            module = module.rpartition(".")[0]
        if module.partition(".")[0] not in _LEFT_OUT:
            grouped.setdefault(module or "builtins", []).append(entry)
    return grouped


def _weight(entry: inventory.Entry) -> float:
    weight = _WEIGHTS.get(entry.kind, _OTHER_WEIGHT)
    package = entry.name.partition(".")[0]
    if package in _SECOND_CHOICE:
        return weight * _SECOND_CHOICE_WEIGHT
    return weight * _SPECIAL_WEIGHT if package in _SPECIAL else weight


def _collect(modules: dict[str, list[inventory.Entry]]) -> Iterator[dict[str, str]]:
    """Yield the texts of each module by name, in order; see `collect`."""
    if not sys.executable or getattr(sys, "frozen", False):
        message = "this program holds no Python interpreter that can be started"
        raise OSError(message)
    asked = json.dumps([(module, [entry.name for entry in entries]) for module, entries in modules.items()])
    process = subprocess.Popen(  # noqa: S603 - this very interpreter and a script of this package, no shell
        [sys.executable, "-I", "-S", os.fspath(_SCRIPT)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=_SCRIPT.parent,
        encoding="utf-8",
    )
    # A module that hangs while it's imported must not hang us.
    watchdog = threading.Timer(_SECONDS, process.kill)
    watchdog.daemon = True
    watchdog.start()
    try:
        assert process.stdin is not None and process.stdout is not None  # noqa: S101,PT018
        with contextlib.suppress(BrokenPipeError), process.stdin:
            process.stdin.write(asked)
        for line in process.stdout:
            yield dict(json.loads(line))
        if process.wait():
            message = f"reading the standard library ended with exit code {process.returncode}"
            raise OSError(message)
    finally:
        watchdog.cancel()
        process.kill()
        with process:
            pass
