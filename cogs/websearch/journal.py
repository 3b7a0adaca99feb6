"""Write down how the engines do and what they cost: for `doctor`, for the bot's other processes, and for later ones."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from . import errors
from .charges import Act
from .following import Following
from .health import Note, Signs

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from .spending import Spending
    from .store.base import EngineStore

# What a process that's killed loses at most, in seconds; a busy bot writes so rarely, however much is searched.
NOTE_SECONDS: Final = 10.0


class Journal:
    """Look every few seconds at the engines and at what was spent, and write down what has changed since.

    `look` tells how each engine does, by its name in the configuration; `today` is the day as `date.toordinal` counts.
    `clock` tells Unix seconds, `sleep` waits for so many. No search waits for it. What the database fails to take down
    is tried again; the store logs the first of such failures.
    """

    def __init__(
        self,
        kept: EngineStore,
        spending: Spending,
        look: Callable[[], Mapping[str, Signs]],
        today: Callable[[], int],
        *,
        clock: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]],
    ) -> None:
        self._kept = kept
        self._spending = spending
        self._look = look
        self._today = today
        self._clock = clock
        self._sleep = sleep
        self._following = Following("websearch journal", "engines")
        self._noted: dict[tuple[str, Act], Signs] = {}
        self._last: Mapping[str, Signs] | None = None
        self._writing: asyncio.Future[None] | None = None
        self._failing = False
        self._closed = False

    async def open(self) -> None:
        """Read what was spent today before, and begin to look."""
        await self._keep()
        self._following.start(self._follow)

    def stop(self) -> None:
        """Look at the engines a last time, since they're about to be closed; `close` writes it down."""
        if self._last is None:
            self._last = self._look()

    async def close(self) -> None:
        """End looking, and write down what is left; closing twice does no harm."""
        self.stop()
        await self._following.close()
        if self._writing is not None:
            await asyncio.wait({self._writing})
        if not self._closed:
            self._closed = True
            await self._keep(reads=False)

    async def purge(self, *, days: int) -> None:
        """Delete what is older than so many days; raise `StoreFailed`."""
        await self._kept.purge(before=self._today() - days, until=self._clock() - days * 86400)

    async def _follow(self) -> None:
        while True:
            await self._sleep(NOTE_SECONDS)
            self._writing = asyncio.ensure_future(self._keep())
            # To its end: a cost whose writing is cancelled may be written all the same, and would be once more.
            await asyncio.shield(self._writing)

    async def _keep(self, *, reads: bool = True) -> None:
        """Write down what has changed, and read what others spent; leave it for later where the database fails."""
        try:
            await self._note()
            await self._spend()
            if reads:
                today = self._today()
                self._spending.learn(today, await self._kept.spent(today, quiet=self._failing))
        except errors.StoreFailed:
            self._failing = True
        else:
            self._failing = False

    async def _note(self) -> None:
        seen = self._look() if self._last is None else self._last
        each = [(key, act, own) for key, signs in seen.items() for act, own in _by_act(signs).items()]
        for key, act, signs in each:
            # A process that has just begun, and knows nothing, leaves what others know.
            if signs != self._noted.get((key, act), Signs(name=signs.name)):
                await self._kept.note(key, Note(signs=signs, at=self._clock()), act=act, quiet=self._failing)
                self._noted[key, act] = signs

    async def _spend(self) -> None:
        for (day, key), cost in self._spending.pending.items():
            total = await self._kept.spend(day, key, cost, quiet=self._failing)
            self._spending.wrote(day, key, cost, total)


def _by_act(signs: Signs) -> dict[Act, Signs]:
    """Map what an engine is asked to do to how it does at that."""
    own = replace(signs, beside={}, answers=False)
    return {Act.ANSWER if signs.answers else Act.SEARCH: own, **signs.beside}
