"""Wait for the world to change, without sleeping and without waiting for ever."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class StillWaiting(AssertionError):
    """Say what did not happen within the patience, in real seconds."""


class Changes:
    """Wake those who wait each time something in the world has changed."""

    def __init__(self, patience: float) -> None:
        """Give up after `patience` real seconds: a safety net, never part of a passing test."""
        self.patience = patience
        self._waiters: set[asyncio.Future[None]] = set()

    def notify(self) -> None:
        """Say that something has changed."""
        for waiter in self._waiters:
            if not waiter.done():
                waiter.set_result(None)
        self._waiters.clear()

    async def until(self, holds: Callable[[], bool], what: str | Callable[[], str]) -> None:
        """Return once `holds()` is true; raise `StillWaiting`, naming `what`, where it never is."""
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(self.patience):
                while not holds():
                    waiter: asyncio.Future[None] = loop.create_future()
                    self._waiters.add(waiter)
                    try:
                        await waiter
                    finally:
                        self._waiters.discard(waiter)
        except TimeoutError:
            said = what if isinstance(what, str) else what()
            message = f"still waiting after {self.patience} s: {said}"
            raise StillWaiting(message) from None
