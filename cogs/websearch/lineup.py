"""Keep the engines that the configuration names open, in the order in which they're asked."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from . import backends, errors
from .backends import base
from .engine_slot import EngineSlot
from .pacing import Pace

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from .config import Config
    from .models import SearchRequest

# How much of what's left of a search's time an engine gets while another may stand in: most, since it's the one that
# was chosen, and so much that the others can still answer. At the default of 15 seconds that's 10, and 5 for the next.
SHARE: Final = 2 / 3


@dataclass(eq=False)
class Engine:
    """Hold one engine in use: its name in the configuration, what is lent to searches, and the pace of those."""

    key: str
    slot: EngineSlot
    pace: Pace

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


class Lineup:
    """Hold the engine of `web-backend` and those of `web-fallbacks`, each with a health of its own.

    Only those are open. `clock` tells Unix seconds.
    """

    def __init__(self, *, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._order: tuple[Engine, ...] = ()
        # Every engine that was ever in use: one that comes back takes its old place.
        self._engines: dict[str, Engine] = {}
        self._opened_with: dict[str, tuple[object, ...]] = {}

    @property
    def engines(self) -> tuple[Engine, ...]:
        """List the engines in use, in their order: none while searching is switched off."""
        return self._order

    def fit(self, request: SearchRequest) -> tuple[Engine, ...]:
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

    async def open(self, config: Config) -> dict[str, base.Searcher]:
        """Open what a configuration names and isn't open as it says, for `take`.

        Raise `ConfigError` or `BackendError`; then, and where it's cancelled, what was opened is closed.
        """
        opened: dict[str, base.Searcher] = {}
        try:
            for key, own in configs_of(config).items():
                if self._opened_with.get(key) != backends.opened_with(own):
                    opened[key] = await backends.open_searcher(own)
        except BaseException:
            for searcher in opened.values():
                await searcher.close()
            raise
        return opened

    def take(self, config: Config, opened: Mapping[str, base.Searcher]) -> None:
        """Use the engines that a configuration names from now on, those that `opened` has in place of their former.

        Searches on others end as they began. The ones that stay are forgiven.
        """
        wanted = configs_of(config)
        for key in self._engines.keys() | wanted.keys():
            engine = self._engine(key, config.web_pace_per_second)
            if key not in wanted:
                self._opened_with.pop(key, None)
                engine.slot.put(None)
            elif key in opened:
                self._opened_with[key] = backends.opened_with(wanted[key])
                engine.slot.put(opened[key])
            else:
                engine.slot.forgive()
        self._order = tuple(self._engines[key] for key in wanted)

    async def close(self) -> None:
        """Close every engine, also under searches, which fail then; closing twice does no harm."""
        self._order = ()
        self._opened_with.clear()
        for engine in self._engines.values():
            await engine.slot.close()

    def _engine(self, key: str, per_second: int) -> Engine:
        engine = self._engines.get(key)
        if engine is None:
            engine = self._engines[key] = Engine(key, EngineSlot(clock=self._clock), Pace(per_second))
        elif engine.pace.per_second != per_second:
            engine.pace.change(per_second)
        return engine


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
