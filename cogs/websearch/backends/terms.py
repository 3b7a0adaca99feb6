"""Tell a search's transport, past the engine's adapter, how much time it has and when it may try again.

Both differ from search to search, and adapters have nothing to do with either. An answer that has begun to come has
more time than one of which nothing was seen yet.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Final

import msgspec

from .. import errors

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator


class Terms(msgspec.Struct, frozen=True):
    """Hold the seconds that all tries of a call have together, and what waits for the turn of each further try.

    `turn` is called with the seconds that are left; it returns whether there's to be another try. `more_s` is how many
    more seconds there are once a part of what was asked for has come, since nobody else is asked for it then.
    """

    timeout_s: float
    turn: Callable[[float], Awaitable[bool]]
    more_s: float = 0.0
    _limits: set[asyncio.Timeout] = msgspec.field(default_factory=set)
    _bills: list[Callable[[errors.BackendError], None]] = msgspec.field(default_factory=list)

    @asynccontextmanager
    async def limit(self, seconds: float) -> AsyncIterator[None]:
        """Raise `TimeoutError` where what's done inside takes longer than so many seconds, and those of `prolong`."""
        async with asyncio.timeout(seconds) as limit:
            self._limits.add(limit)
            try:
                yield
            finally:
                self._limits.discard(limit)

    def begin(self, bill: Callable[[errors.BackendError], None]) -> None:
        """Have `bill` note in an error what a call may be billed for that begins now."""
        self._bills.append(bill)

    def bill(self, error: errors.BackendError) -> None:
        """Note in an error what the last call may be billed for; what doesn't tell leaves it as it is."""
        if self._bills:
            self._bills[-1](error)

    def prolong(self) -> None:
        """Let what's under way go on for `more_s`; called once, with the first part that has come."""
        for limit in self._limits:
            when = limit.when()
            if when is not None and not limit.expired():
                limit.reschedule(when + self.more_s)


_CURRENT: Final[ContextVar[Terms | None]] = ContextVar("terms of a search", default=None)


def current() -> Terms | None:
    """Return the terms of the search that's under way in this task, or None where nobody set any."""
    return _CURRENT.get()


@contextmanager
def under(terms: Terms) -> Iterator[None]:
    """Let what is asked inside keep these terms."""
    token = _CURRENT.set(terms)
    try:
        yield
    finally:
        _CURRENT.reset(token)
