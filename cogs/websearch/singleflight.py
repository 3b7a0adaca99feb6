"""Let searches that are the same and under way share one call."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from . import errors
from .charges import Bills

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Hashable

    from .models import SearchPage

    # Asks the engines, and notes in the bills what that comes to.
    Call = Callable[[Bills], Awaitable[SearchPage]]


class _Flight:
    """Make one call in a task of its own, for the bills of all who wait for it, whoever came first first."""

    def __init__(self, call: Call, land: Callable[[_Flight], None]) -> None:
        self.waiting: list[Bills] = []
        self._bills = Bills()
        self._land = land
        self.task = asyncio.create_task(self._fly(call), name="websearch call")

    async def _fly(self, call: Call) -> SearchPage:
        try:
            return await call(self._bills)
        finally:
            self._land(self)
            self.book()

    def book(self) -> None:
        """Note what the call has come to in the bills of who has waited longest, and in the others that it's paid."""
        for number, bills in enumerate(self.waiting):
            bills.add(Bills(named=dict.fromkeys(self._bills.named, 0.0)) if number else self._bills)


class SingleFlight:
    """Make each call once for all who ask for the same while it's under way."""

    def __init__(self) -> None:
        self._flights: dict[Hashable, _Flight] = {}
        self._tasks: set[asyncio.Task[SearchPage]] = set()
        self._closed = False

    def __contains__(self, key: Hashable) -> bool:
        """Tell whether a call for that key is under way."""
        return key in self._flights

    async def share(self, key: Hashable, bills: Bills, call: Call) -> SearchPage:
        """Return what the call that's under way for a key brings, or else begin one; raise what it raises.

        Whoever is cancelled leaves alone: the call goes on while somebody waits for it, and is cancelled with the last.
        Its cost is noted once, in the bills of who has waited longest of those who are left when it ends. Raise
        `SearchInterrupted` where `close` ends it, or has been called.
        """
        if self._closed:
            raise errors.SearchInterrupted
        flight = self._flights.get(key) or self._begin(key, call)
        flight.waiting.append(bills)
        try:
            await asyncio.wait({flight.task})
        except asyncio.CancelledError:
            await self._leave(key, flight, bills)
            raise
        if flight.task.cancelled():
            raise errors.SearchInterrupted
        return flight.task.result()

    async def close(self) -> None:
        """Cancel every call and wait until it has ended, and begin no more; closing twice does no harm."""
        self._closed = True
        self._flights.clear()
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(set(self._tasks))

    def _begin(self, key: Hashable, call: Call) -> _Flight:
        flight = self._flights[key] = _Flight(call, lambda landed: self._forget(key, landed))
        self._tasks.add(flight.task)
        flight.task.add_done_callback(self._end)
        return flight

    async def _leave(self, key: Hashable, flight: _Flight, bills: Bills) -> None:
        """Stop waiting; the last one cancels the call and takes its cost so far."""
        if flight.task.done():
            # Cancelled at the very moment, and booked already.
            return
        if len(flight.waiting) == 1:
            flight.book()
            self._forget(key, flight)
            flight.task.cancel()
        flight.waiting.remove(bills)
        if not flight.waiting:
            await asyncio.wait({flight.task})

    def _forget(self, key: Hashable, flight: _Flight) -> None:
        # After a call that was cancelled, another may have begun.
        if self._flights.get(key) is flight:
            del self._flights[key]

    def _end(self, task: asyncio.Task[SearchPage]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            # Taken note of also where nobody waits for it any more: whoever made the call has logged it.
            task.exception()
