"""Wait for the world to change, without sleeping and without waiting for ever."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class StillWaiting(AssertionError):
    """Say what did not happen within the patience, in real seconds."""


class Changes:
    """Wake those who wait each time something in the world has changed.

    Who waits for one thing is woken by changes of that thing alone, so that many may wait for as many things.
    """

    def __init__(self, patience: float) -> None:
        """Give up after `patience` real seconds: a safety net, never part of a passing test."""
        self.patience = patience
        self._waiters: dict[object, set[asyncio.Future[None]]] = {}

    def notify(self, thing: object = None) -> None:
        """Say that something has changed, namely `thing`."""
        for waiter in self._waiters.pop(None, set()) | self._waiters.pop(thing, set()):
            if not waiter.done():
                waiter.set_result(None)

    async def until(self, holds: Callable[[], bool], what: str | Callable[[], str], thing: object = None) -> None:
        """Return once `holds()` is true; raise `StillWaiting`, naming `what`, where it never is.

        With `thing`, it's looked at anew only when that has changed.
        """
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(self.patience):
                while not holds():
                    waiter: asyncio.Future[None] = loop.create_future()
                    self._waiters.setdefault(thing, set()).add(waiter)
                    try:
                        await waiter
                    finally:
                        self._leave(waiter, thing)
        except TimeoutError:
            said = what if isinstance(what, str) else what()
            message = f"still waiting after {self.patience} s: {said}"
            raise StillWaiting(message) from None

    def _leave(self, waiter: asyncio.Future[None], thing: object) -> None:
        left = self._waiters.get(thing, set())
        left.discard(waiter)
        if not left:
            self._waiters.pop(thing, None)
