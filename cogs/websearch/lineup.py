"""Keep the engines that the configuration names open, in the order in which they're asked."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Final, TypeAlias

import msgspec

from . import backends, errors
from .backends import base
from .charges import Act
from .engine_slot import Engine, EngineSlot
from .health import Signs
from .opening import Opening
from .pacing import Pace

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Mapping

    from .config import Config
    from .models import SearchRequest

# How much of what's left of a search's time an engine gets while another may stand in: most, since it's the one that
# was chosen, and so much that the others can still answer. At the default of 15 seconds that's 10, and 5 for the next.
SHARE: Final = 2 / 3
# How long the first engine waits, in seconds, for those that may stand in for it: most are open in no time, and what
# takes longer goes on in the background.
_PATIENCE: Final = 0.5

# An engine by its name in the configuration, or what opens it.
Opened: TypeAlias = "Mapping[str, base.Searcher | Opening]"


class SearchEngine(Engine["base.Searcher"], eq=False):
    """Hold one engine that's searched with.

    `opening` is there while the engine isn't: it can only be one that stands in for another.
    """

    opening: Opening | None = None

    @property
    def signs(self) -> Signs:
        """Tell how the engine does; one that isn't open goes by its name in the configuration."""
        if self.opening is None:
            known = {act: self.slot.health(act).signs(self.slot.name) for act in Act}
            return msgspec.structs.replace(known.pop(Act.SEARCH), beside=known)
        return Signs(name=self.key, is_open=False, failed=self.opening.failed, failure=self.opening.failure)

    def honours(self, request: SearchRequest) -> bool:
        """Tell whether the engine is there and can honour every option of a request."""
        searcher = self.slot.current
        if searcher is None:
            return False
        try:
            base.require(searcher, request)
        except errors.InvalidSearch:
            return False
        return True

    @property
    def fetches(self) -> bool:
        """Tell whether the engine is there and can read pages."""
        searcher = self.slot.current
        return searcher is not None and searcher.capabilities.fetches

    def begin(self, found: base.Searcher | Opening) -> None:
        """Use an engine from now on, or from when it's open."""
        if not isinstance(found, Opening):
            self.slot.put(found)
            return
        self.slot.put(None)
        self.opening = found
        found.hand_to(self._opened)

    def _opened(self, searcher: base.Searcher) -> None:
        self.opening = None
        self.slot.put(searcher)


class Lineup:
    """Hold the engine of `web-backend` and those of `web-fallbacks`, each with a health of its own.

    Only those are open. A fallback that can't be opened, or not soon, keeps no other from being asked: it's opened in
    the background. `clock` tells Unix seconds, `sleep` waits for so many.
    """

    def __init__(
        self, *, clock: Callable[[], float] = time.time, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    ) -> None:
        self._clock = clock
        self._sleep = sleep
        self._closed = False
        self._order: tuple[SearchEngine, ...] = ()
        # Every engine that was ever in use: one that comes back takes its old place.
        self._engines: dict[str, SearchEngine] = {}
        self._opened_with: dict[str, tuple[object, ...]] = {}
        # What was being opened and isn't needed any more.
        self._dropped: set[Opening] = set()

    @property
    def engines(self) -> tuple[SearchEngine, ...]:
        """List the engines in use, in their order: none while searching is switched off."""
        return self._order

    def fit(self, request: SearchRequest) -> tuple[SearchEngine, ...]:
        """List the engines that can honour a request, in their order.

        Raise `OptionUnsupported` or `OptionsExclusive`, of the first, where there are none, and `SearchDisabled` where
        there's no engine at all.
        """
        order = self._order
        if not order:
            raise errors.SearchDisabled
        found = tuple(engine for engine in order if engine.honours(request))
        if not found:
            with order[0].slot.use() as searcher:
                base.require(searcher, request)
        return found

    def readers(self) -> tuple[SearchEngine, ...]:
        """List the engines that can read pages, in their order.

        Raise `ReadingUnsupported`, of the first engine, where there are none, and `SearchDisabled` where there's no
        engine at all.
        """
        if not self._order:
            raise errors.SearchDisabled
        found = tuple(engine for engine in self._order if engine.fetches)
        if not found:
            raise errors.ReadingUnsupported(self._order[0].slot.name)
        return found

    async def open(self, config: Config) -> Opened:
        """Open what a configuration names and isn't open as it says, for `take`.

        Raise `ConfigError` or `BackendError` where `web-backend` can't be opened, and `SearchInterrupted` after
        `close`; then, and where it's cancelled, what was opened is closed.
        """
        opened: dict[str, base.Searcher | Opening] = {}
        try:
            for key, own in configs_of(config).items():
                if key == config.web_backend:
                    if self._opened_with.get(key) != backends.opened_with(own) or self._is_opening(key):
                        opened[key] = await backends.open_searcher(own)
                elif self._opened_with.get(key) != backends.opened_with(own):
                    opened[key] = Opening(own, clock=self._clock, sleep=self._sleep)
            await _wait(opened.values())
            if self._closed:
                raise errors.SearchInterrupted  # noqa: TRY301 - one place closes what was opened
        except BaseException:
            await asyncio.gather(*(one.close() for one in opened.values()))
            raise
        return opened

    def take(self, config: Config, opened: Opened) -> None:
        """Use the engines that a configuration names from now on, those that `opened` has in place of their former.

        Searches on others end as they began. The ones that stay are forgiven. After `close` none is used, and what
        was opened is closed.
        """
        wanted = configs_of(config)
        for key in self._engines.keys() | wanted.keys():
            engine = self._engine(key, config.web_pace_per_second)
            if key not in wanted:
                self._opened_with.pop(key, None)
                self._drop(engine)
                engine.slot.put(None)
            elif key in opened:
                self._opened_with[key] = backends.opened_with(wanted[key])
                self._drop(engine)
                engine.begin(opened[key])
            else:
                engine.slot.forgive()
        self._order = tuple(self._engines[key] for key in wanted)
        if self._closed:
            self._forget()

    async def close(self) -> None:
        """Close every engine, also under searches, which fail then; closing twice does no harm."""
        self._closed = True
        self._forget()
        await asyncio.gather(*(opening.close() for opening in self._dropped))
        self._dropped.clear()
        for engine in self._engines.values():
            await engine.slot.close()

    def _is_opening(self, key: str) -> bool:
        return key in self._engines and self._engines[key].opening is not None

    def _forget(self) -> None:
        self._order = ()
        self._opened_with.clear()
        for engine in self._engines.values():
            self._drop(engine)

    def _drop(self, engine: SearchEngine) -> None:
        """End the opening of an engine; it's waited for by `close`."""
        opening, engine.opening = engine.opening, None
        if opening is not None:
            opening.cancel()
            self._dropped = {one for one in self._dropped if not one.is_over} | {opening}

    def _engine(self, key: str, per_second: int) -> SearchEngine:
        engine = self._engines.get(key)
        if engine is None:
            engine = self._engines[key] = SearchEngine(key, EngineSlot(clock=self._clock), Pace(per_second))
        elif engine.pace.per_second != per_second:
            engine.pace.change(per_second)
        return engine


async def _wait(opened: Iterable[object]) -> None:
    """Give fallbacks a moment to be open, all at once."""
    with suppress(TimeoutError):
        async with asyncio.timeout(_PATIENCE):
            for one in opened:
                if isinstance(one, Opening):
                    await one.wait()


def engines_of(config: Config) -> tuple[str, ...]:
    """Name the engines that may be asked for a search, in their order."""
    return config.web_backend, *config.web_fallbacks


def configs_of(config: Config) -> dict[str, Config]:
    """Map each engine that is asked, in its order, to the configuration that it's opened with.

    One that another may stand in for has less time: it must not sit out the wait that an engine asks for where the
    other could answer. What's left of a search's time bounds it, too.
    """
    if not config.enable_web_search:
        return {}
    *first, last = engines_of(config)
    times = dict.fromkeys(first, config.web_timeout_s * SHARE) | {last: config.web_timeout_s}
    return {name: replace(config, web_backend=name, web_timeout_s=seconds) for name, seconds in times.items()}
