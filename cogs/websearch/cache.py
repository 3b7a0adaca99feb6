"""Keep what engines answered, for some minutes, in memory alone."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from sys import getsizeof
from typing import TYPE_CHECKING, Final

import msgspec

from . import limits
from .clocks import steady
from .models import SearchPage

if TYPE_CHECKING:
    from collections.abc import Callable

    from .models import SearchRequest

# What an entry takes beside its texts, and each of its results: the structs, a moment, their places in tuples and in
# the table, in bytes as `tracemalloc` tells them with Python 3.11. A test holds both.
_ENTRY: Final = 600
_ROW: Final = 250


def _call_later(seconds: float, work: Callable[[], None]) -> asyncio.TimerHandle:
    return asyncio.get_running_loop().call_later(seconds, work)


def weigh(request: SearchRequest, page: SearchPage) -> int:
    """Return about how many bytes a request and its page take; the names in its rules are those of the settings."""
    texts = sum(map(getsizeof, (request.query, request.rules.blocked, request.rules.allowed, *request.sites)))
    for row in page.results:
        texts += getsizeof(row.title) + getsizeof(row.url) + getsizeof(row.host) + getsizeof(row.snippet)
        if row.image is not None:
            texts += getsizeof(row.image)
    return texts + _ENTRY + _ROW * len(page.results)


class _Entry(msgspec.Struct):
    page: SearchPage
    since: float
    seconds: float
    weight: int

    def left(self, now: float) -> float:
        """Tell for how many seconds the page may be used; a clock that was put back ends it, too."""
        age = now - self.since
        return self.seconds - age if age >= 0 else 0.0


class Cache:
    """Keep pages by their requests for so many seconds, none where that's zero, and no more than `most` bytes of them.

    What wasn't used for longest goes first where they get too many. What is over is gone from memory by a timer, also
    where nobody searches any more. `clock` tells seconds, and is taken as `clocks.steady` does; `later` calls something
    in so many seconds.
    """

    def __init__(
        self,
        seconds: float,
        *,
        most: int = limits.CACHE_BYTES,
        clock: Callable[[], float] = time.time,
        later: Callable[[float, Callable[[], None]], asyncio.TimerHandle] = _call_later,
    ) -> None:
        self._seconds = seconds
        self._most = most
        self._clock = steady(clock)
        self._later = later
        self._entries: OrderedDict[SearchRequest, _Entry] = OrderedDict()
        self._weight = 0
        self._timer: asyncio.TimerHandle | None = None
        # When that is due.
        self._due = 0.0

    @property
    def weight(self) -> int:
        """Tell about how many bytes are kept."""
        return self._weight

    def __len__(self) -> int:
        """Count the pages that are in memory."""
        return len(self._entries)

    def get(self, request: SearchRequest) -> SearchPage | None:
        """Return the page of a request, or None where there is none any more."""
        entry = self._entries.get(request)
        if entry is None:
            return None
        if entry.left(self._clock()) <= 0:
            self._drop(request)
            return None
        self._entries.move_to_end(request)
        return entry.page

    def put(self, request: SearchRequest, page: SearchPage, *, most_s: float = float("inf")) -> None:
        """Keep a page in place of the one before, for `most_s` seconds at most."""
        if request in self._entries:
            self._drop(request)
        seconds, weight = min(self._seconds, most_s), weigh(request, page)
        if seconds <= 0 or weight > self._most:
            return
        while self._weight + weight > self._most:
            self._drop(next(iter(self._entries)))
        now = self._clock()
        self._entries[request] = _Entry(page, now, seconds, weight)
        self._weight += weight
        if self._timer is None or now + seconds < self._due:
            self._wake_in(seconds, now)

    def clear(self) -> None:
        """Keep nothing of what was kept so far."""
        self._entries.clear()
        self._weight = 0
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _drop(self, request: SearchRequest) -> None:
        self._weight -= self._entries.pop(request).weight

    def _sweep(self) -> None:
        """Drop what is over, and come back when the next one will be."""
        now = self._clock()
        left = {request: entry.left(now) for request, entry in self._entries.items()}
        for request, seconds in left.items():
            if seconds <= 0:
                self._drop(request)
        soonest = min((seconds for seconds in left.values() if seconds > 0), default=None)
        self._timer = None
        if soonest is not None:
            self._wake_in(soonest, now)

    def _wake_in(self, seconds: float, now: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer, self._due = self._later(seconds, self._sweep), now + seconds
