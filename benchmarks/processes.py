"""Run the other side of a benchmark in a process of its own, so that its work isn't counted."""

from __future__ import annotations

import asyncio
import multiprocessing
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from multiprocessing.connection import Connection

# Whoever is told to end by a closed pipe needs a moment for it.
_PATIENCE_S: Final = 5.0


@contextmanager
def running(target: Callable[[Connection], None]) -> Iterator[Connection]:
    """Run a function in a fresh process and give a pipe to it; it ends with the context.

    The function must return once its pipe is closed, which also happens where this process is killed.
    """
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=target, args=(theirs,), daemon=True)
    process.start()
    # So that a read from a process that failed ends, too.
    theirs.close()
    try:
        yield ours
    finally:
        ours.close()
        process.join(_PATIENCE_S)
        if process.is_alive():
            process.terminate()
            process.join()


async def until_closed(pipe: Connection) -> None:
    """Wait until the other end of a pipe is closed."""
    with suppress(EOFError, OSError):
        await asyncio.to_thread(pipe.recv)
