"""End the bundled bot within a second of being told to, whatever hangs by then."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import threading
from typing import TYPE_CHECKING, Any, Final

from . import shutdown_signals

if TYPE_CHECKING:
    from discord.ext import commands

_log = logging.getLogger(__name__)

# The second, in seconds from when the bot is told: until then whoever waits for a search is told, the database closed
# and Discord left; what hasn't ended is cancelled, which closes the database without waiting for anything else; at
# last the process ends, also where a thread hangs that can't be cancelled, such as one that looks up a name.
_ORDERLY: Final = 0.75
_CANCELLED: Final = 0.9
_DROPPED: Final = 0.92
_LAST: Final = 0.95
# How long what serves the bot has to end by being cancelled.
_HEEDED: Final = 0.1


def heed_signals() -> asyncio.Event:
    """Return what SIGTERM, SIGINT or a hang-up sets, once and for the rest of the process: what comes then is ignored.

    Not by the event loop, which would give the signals their own meaning back when it closes: a second one that comes
    then would kill the process.
    """
    loop, told = asyncio.get_running_loop(), asyncio.Event()
    heeded = (signal.SIGINT, *shutdown_signals.ending())

    def hear(_number: int, _frame: object) -> None:
        for each in heeded:
            signal.signal(each, signal.SIG_IGN)
        loop.call_soon_threadsafe(told.set)

    for each in heeded:
        signal.signal(each, hear)
    return told


async def end(bot: commands.AutoShardedBot, serving: asyncio.Task[None]) -> None:
    """End what serves the bot, and close it; the process is over within a second, if need be from here."""
    last = threading.Timer(_LAST, os._exit, (0,))
    last.daemon = True
    last.start()
    closing = asyncio.create_task(_close(bot, serving), name="websearch bot closing")
    _, late = await asyncio.wait({closing}, timeout=_ORDERLY)
    if late:
        _log.warning("something doesn't answer, so the bot ends without waiting for it")
        closing.cancel()
        await asyncio.wait(late, timeout=_CANCELLED - _ORDERLY)
        # Replies that Discord doesn't take would be tried again on a connection that is closed.
        await _drop(asyncio.all_tasks() - {asyncio.current_task()})
        await bot.http.close()


async def _drop(tasks: set[asyncio.Task[Any]]) -> None:
    """Cancel tasks, and give them a moment."""
    for task in tasks:
        task.cancel()
    if tasks:
        await asyncio.wait(tasks, timeout=_DROPPED - _CANCELLED)


async def _close(bot: commands.AutoShardedBot, serving: asyncio.Task[None]) -> None:
    serving.cancel()
    # It cleans up what it was about to open. Where it reconnects, discord.py pays no heed until the bot is closed.
    await asyncio.wait({serving}, timeout=_HEEDED)
    await bot.close()
    serving.cancel()
    await asyncio.wait({serving})
    if not serving.cancelled():
        # Whatever kept the bot from Discord at this very moment, nobody needs to hear it.
        serving.exception()
