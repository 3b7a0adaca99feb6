"""Hold the engine in use, and let another take its place without cutting off a search."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import defaultdict
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Generic, TypeVar

import msgspec

from . import errors
from .account import Account
from .charges import Act
from .health import Health
from .pacing import Pace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .backends.base import Answerer, Searcher

_log = logging.getLogger(__name__)

# What an engine does its work with.
Backend = TypeVar("Backend", bound="Searcher | Answerer")


class _Tenure(Generic[Backend]):
    """Count the searches on one engine, and know its health, from when it's taken into use.

    Each thing that it's asked to do has a health of its own: where pages can't be read, searches may go well. A refused
    key and used-up credit are those of the engine.
    """

    def __init__(self, backend: Backend, clock: Callable[[], float]) -> None:
        self.backend = backend
        self.searches = 0
        self._clock = clock
        self.forgive()

    def forgive(self) -> None:
        """Begin with a health that knows nothing."""
        account = Account(clock=self._clock)
        self.healths: defaultdict[Act, Health] = defaultdict(partial(Health, account=account, clock=self._clock))


class EngineSlot(Generic[Backend]):
    """Lend the engine in use to searches; it takes over every engine that it's given, and closes it.

    `clock` tells Unix seconds.
    """

    def __init__(self, backend: Backend | None = None, *, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._current = self._begin(backend)
        # Replaced, but searches on them are under way.
        self._retired: set[_Tenure[Backend]] = set()
        self._closing: set[asyncio.Task[None]] = set()
        self._shut = False

    @property
    def name(self) -> str:
        """Tell the name of the engine in use as it is shown, or nothing where there is none."""
        return "" if self._current is None else self._current.backend.name

    @property
    def current(self) -> Backend | None:
        """Give the engine in use to be looked at, not to be asked: it may be closed at any moment."""
        return None if self._current is None else self._current.backend

    def health(self, act: Act = Act.SEARCH) -> Health:
        """Give the health of the engine in use at something, or that of one which was never asked."""
        return Health(clock=self._clock) if self._current is None else self._current.healths[act]

    def forgive(self) -> None:
        """Forget how the engine in use has answered so far, since what it's asked with may be another now."""
        if self._current is not None:
            self._current.forgive()

    @contextmanager
    def use(self) -> Iterator[Backend]:
        """Lend the engine, which stays open until the context ends; raise `SearchDisabled` where there is none."""
        tenure = self._current
        if tenure is None:
            raise errors.SearchDisabled
        tenure.searches += 1
        try:
            yield tenure.backend
        finally:
            tenure.searches -= 1
            if tenure in self._retired and not tenure.searches:
                self._close(tenure)

    def put(self, backend: Backend | None) -> None:
        """Use another engine, or none, from now on; the one before is closed when the searches on it have ended.

        After `close` no engine is used any more: one that's given then is closed, too.
        """
        old, self._current = self._current, self._begin(backend)
        if self._shut and old is None:
            old, self._current = self._current, None
        if old is None:
            return
        self._retired.add(old)
        if not old.searches:
            self._close(old)

    async def close(self) -> None:
        """Close every engine, also under searches, which fail then; closing twice does no harm."""
        self._shut = True
        self.put(None)
        for tenure in tuple(self._retired):
            self._close(tenure)
        if self._closing:
            await asyncio.wait(set(self._closing))

    def _begin(self, backend: Backend | None) -> _Tenure[Backend] | None:
        return None if backend is None else _Tenure(backend, self._clock)

    def _close(self, tenure: _Tenure[Backend]) -> None:
        self._retired.discard(tenure)
        closing = asyncio.create_task(tenure.backend.close(), name="websearch engine closing")
        self._closing.add(closing)
        closing.add_done_callback(self._closed)

    def _closed(self, closing: asyncio.Task[None]) -> None:
        self._closing.discard(closing)
        if not closing.cancelled() and (error := closing.exception()) is not None:
            # Nobody waits for it who could do anything about it.
            _log.error("an engine that's no longer used could not be closed: %s", type(error).__name__)


class Engine(msgspec.Struct, Generic[Backend], eq=False):
    """Hold one engine in use: its name in the configuration, what is lent to searches, and the pace of those."""

    key: str
    slot: EngineSlot[Backend]
    pace: Pace
