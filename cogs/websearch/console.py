"""Write to standard output and standard error, whatever has become of them."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from . import errors

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TextIO


def prepare_streams() -> None:
    """Make both streams such that writing to them raises no more than `show` and `tell` deal with."""
    if sys.stderr is None:
        # Started without one: whatever is told, nobody hears it.
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - it's open for as long as the process
    for stream in (sys.stdout, sys.stderr):
        # A terminal that can't show a letter shows a question mark, rather than nothing at all.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


def abandon(stream: TextIO | None) -> None:
    """Let what is still to be written go nowhere: the interpreter flushes once more when it ends."""
    if stream is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def show(text_: str) -> None:
    """Write to standard output; raise `OutputFailed`, or BrokenPipeError where nobody reads any more."""
    if sys.stdout is None:
        raise errors.OutputFailed("")
    with _writing():
        sys.stdout.write(text_)
    flush()


def flush() -> None:
    """Let out what was written to standard output; raise as `show` does."""
    if sys.stdout is not None:
        with _writing():
            sys.stdout.flush()


@contextmanager
def _writing() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise errors.OutputFailed(error.strerror or "") from None


def tell(sentence: str) -> None:
    """Write a line to standard error, where it can be written."""
    try:
        sys.stderr.write(f"{sentence}\n")
        sys.stderr.flush()
    except OSError:
        abandon(sys.stderr)


def printable(text: str) -> str:
    """Return text, such as a file's name, without what could drive a terminal."""
    return "".join(sign if sign.isprintable() else "?" for sign in text)
