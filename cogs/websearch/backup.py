"""Make a backup for whoever asks on the command line."""

from __future__ import annotations

import asyncio
import signal
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from . import config, console, exitcodes, shutdown_signals, store

if TYPE_CHECKING:
    from .i18n import Words


def run(file: str, words: Words) -> int:
    """Copy the configured database to a new file, and say where it is; return an exit code.

    SIGINT, SIGQUIT, SIGTERM and a hang-up end it by KeyboardInterrupt, and nothing is left of it. Raise
    `WebSearchError`.
    """
    # Whoever reads where it is may be in another folder than they think.
    path = Path(file).absolute()
    try:
        size = asyncio.run(_back_up(path))
    except asyncio.CancelledError:
        # By another signal; SIGINT has become this by itself.
        raise KeyboardInterrupt from None
    console.show(
        words(
            "The database is backed up: {path}, {size}.",
            path=console.printable(str(path)),
            size=words.size(size),
        )
        + "\n"
    )
    return exitcodes.DONE


async def _back_up(path: Path) -> int:
    loop = asyncio.get_running_loop()
    task = asyncio.current_task()
    quit_ = getattr(signal, "SIGQUIT", signal.SIGTERM)
    # Windows has neither this nor a SIGTERM that a process could answer.
    with suppress(NotImplementedError):
        if task is not None:
            for each in {quit_, *shutdown_signals.ending()}:
                loop.add_signal_handler(each, task.cancel)
    # Whoever backs up from a timer may have no keys in the environment.
    return await store.back_up(config.load_switched_off(), path)
