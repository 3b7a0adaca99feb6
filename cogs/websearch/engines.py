"""Hold the engine in use, and let another take its place without cutting off a search."""

from __future__ import annotations

import asyncio
import logging
from contextlib import contextmanager
from typing import TYPE_CHECKING

from . import errors

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .backends.base import Searcher

_log = logging.getLogger(__name__)


class _Tenure:
    """Count the searches on one engine, from when it's taken into use."""

    def __init__(self, searcher: Searcher) -> None:
        self.searcher = searcher
        self.searches = 0


class EngineSlot:
    """Lend the engine in use to searches; it takes over every engine that it's given, and closes it."""

    def __init__(self, searcher: Searcher | None = None) -> None:
        self._current = None if searcher is None else _Tenure(searcher)
        # Replaced, but searches on them are under way.
        self._retired: set[_Tenure] = set()
        self._closing: set[asyncio.Task[None]] = set()

    @property
    def name(self) -> str:
        """Tell the name of the engine in use as it is shown, or nothing where there is none."""
        return "" if self._current is None else self._current.searcher.name

    @contextmanager
    def use(self) -> Iterator[Searcher]:
        """Lend the engine, which stays open until the context ends; raise `SearchDisabled` where there is none."""
        tenure = self._current
        if tenure is None:
            raise errors.SearchDisabled
        tenure.searches += 1
        try:
            yield tenure.searcher
        finally:
            tenure.searches -= 1
            if tenure in self._retired and not tenure.searches:
                self._close(tenure)

    def put(self, searcher: Searcher | None) -> None:
        """Use another engine, or none, from now on; the one before is closed when the searches on it have ended."""
        old, self._current = self._current, None if searcher is None else _Tenure(searcher)
        if old is None:
            return
        self._retired.add(old)
        if not old.searches:
            self._close(old)

    async def close(self) -> None:
        """Close every engine, also under searches, which fail then; closing twice does no harm."""
        self.put(None)
        for tenure in tuple(self._retired):
            self._close(tenure)
        if self._closing:
            await asyncio.wait(set(self._closing))

    def _close(self, tenure: _Tenure) -> None:
        self._retired.discard(tenure)
        closing = asyncio.create_task(tenure.searcher.close(), name="websearch engine closing")
        self._closing.add(closing)
        closing.add_done_callback(self._closed)

    def _closed(self, closing: asyncio.Task[None]) -> None:
        self._closing.discard(closing)
        if not closing.cancelled() and (error := closing.exception()) is not None:
            # Nobody waits for it who could do anything about it.
            _log.error("an engine that's no longer used could not be closed: %s", type(error).__name__)
