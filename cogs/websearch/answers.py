"""Keep what answers questions open, and let an answer be seen while it grows."""

from __future__ import annotations

import time
from contextlib import aclosing
from typing import TYPE_CHECKING, Protocol, cast

from msgspec.structs import replace

from . import backends, errors
from .backends import base, terms
from .charges import Act
from .config import ANSWER_BACKENDS, Config
from .engine_slot import Engine, EngineSlot
from .lineup import engines_of
from .pacing import Pace

if TYPE_CHECKING:
    from collections.abc import Callable

    from .health import Signs
    from .lineup import Lineup
    from .models import Answer, SearchRequest, SiteRules


class Grown(Protocol):
    """Be told of an answer that grows: each one is whole and cleaned, and longer than the one before."""

    def __call__(self, answer: Answer, /) -> None:
        """Take what is there so far; it's called by whoever reads the stream, and mustn't take long."""


class Answers:
    """Hold the engines that answer questions, in the order in which they're asked.

    The first one is one of `lineup`, or one of its own; those of `web-fallbacks` that answer may stand in for it.
    `clock` tells Unix seconds.
    """

    def __init__(self, lineup: Lineup, *, clock: Callable[[], float] = time.time) -> None:
        self._lineup = lineup
        self._key: str | None = None
        self._own: EngineSlot[base.Answerer] = EngineSlot(clock=clock)
        self._pace = Pace(Config().web_pace_per_second)
        self._opened_with: tuple[object, ...] = ()

    @property
    def engines(self) -> tuple[Engine[base.Answerer], ...]:
        """List the engines that are there, none where nothing is to answer."""
        if self._key is None:
            return ()
        # What is named as an answerer is one, whatever else it does.
        able = [
            cast("Engine[base.Answerer]", engine)
            for engine in self._lineup.engines
            if engine.slot.name and engine.key in ANSWER_BACKENDS
        ]
        first = [engine for engine in able if engine.key == self._key]
        if not first and self._own.name:
            first = [Engine(self._key, self._own, self._pace)]
        fallbacks = {engine.key for engine in self._lineup.engines[1:]} - {self._key}
        return (*first, *(engine for engine in able if engine.key in fallbacks))

    @property
    def name(self) -> str:
        """Tell the name of what is asked first, as it's shown as far as that's known, or nothing."""
        engines = self.engines
        return engines[0].slot.name if engines else self._key or ""

    @property
    def own_signs(self) -> dict[str, Signs]:
        """Map an engine that isn't searched with, by its name in the configuration, to how it does at answering."""
        if self._key is None or not self._own.name:
            return {}
        return {self._key: replace(self._own.health(Act.ANSWER).signs(self._own.name), answers=True)}

    def keep_to(self, rules: SiteRules) -> bool:
        """Tell whether an engine is there whose answers come of the sites alone that may be shown."""
        return any(_keeps_to(engine.slot.current, rules) for engine in self.engines)

    def fit(self, request: SearchRequest) -> tuple[Engine[base.Answerer], ...]:
        """List the engines that can honour a request in their answers, in their order.

        Where there are none, raise what the first one can't: `AnswerUnsupported` for an option, `AnswersUnbound` where
        it can't keep to the sites that alone may be shown. Raise `SearchDisabled` where there's no engine at all.
        """
        refusal: errors.SearchError = errors.SearchDisabled()
        found = []
        for number, engine in enumerate(self.engines):
            try:
                _check(engine.slot.current, request)
            except errors.InvalidSearch as error:
                refusal = refusal if number else error
            else:
                found.append(engine)
        if not found:
            raise refusal
        return tuple(found)

    async def open(self, config: Config) -> base.Answerer | None:
        """Open what a configuration names and isn't open as it says, for `take`.

        Raise `ConfigError` or `BackendError`.
        """
        wanted = _opened_with(config)
        return await backends.open_answerer(config) if wanted and wanted != self._opened_with else None

    def take(self, config: Config, opened: base.Answerer | None) -> None:
        """Use what a configuration names from now on, `opened` where that's new; answers under way end as begun."""
        self._key = backends.answerer_of(config) if config.enable_web_search else None
        self._pace.change(config.web_pace_per_second)
        wanted = _opened_with(config)
        if wanted != self._opened_with:
            self._opened_with = wanted
            self._own.put(opened)
        else:
            self._own.forgive()

    async def close(self) -> None:
        """Close an engine of its own, also under answers, which fail then; closing twice does no harm."""
        self._key = None
        self._opened_with = ()
        await self._own.close()


def _keeps_to(answerer: base.Answerer | None, rules: SiteRules) -> bool:
    return answerer is not None and (not rules.allowed or answerer.answering.sites)


def _check(answerer: base.Answerer | None, request: SearchRequest) -> None:
    """Raise what keeps an engine from honouring a request in its answers."""
    if answerer is None:
        raise errors.AnswersMissing
    try:
        base.check(answerer.answering, answerer.name, request)
    except (errors.OptionUnsupported, errors.OptionsExclusive) as error:
        raise errors.AnswerUnsupported(error.option, answerer.name) from None
    if not _keeps_to(answerer, request.rules):
        raise errors.AnswersUnbound(answerer.name)


def _opened_with(config: Config) -> tuple[object, ...]:
    """Return what an engine is opened with that answers and isn't searched with; nothing where there's none."""
    return () if backends.answerer_of(config) in engines_of(config) else backends.answered_with(config)


class StreamedAnswer:
    """Let one answer to a request grow; `grown` is told as often as more of it has come.

    `came` is what has come so far, None where that's nothing. It's one engine's: once something is there, it's seen,
    and no other engine is to be asked.
    """

    def __init__(self, request: SearchRequest, grown: Grown) -> None:
        self.came: Answer | None = None
        self._request = request
        self._grown = grown

    async def ask(self, answerer: base.Answerer) -> Answer:
        """Return the answer; raise `BackendError` where it broke off or didn't come."""
        if not isinstance(answerer, base.Streamer):
            return await answerer.answer(self._request)
        async with aclosing(answerer.stream(self._request)) as stream:
            async for answer in stream:
                if self.came is None and (own := terms.current()) is not None:
                    own.prolong()
                self.came = answer
                self._grown(answer)
        if self.came is None:
            raise errors.BackendUnable(answerer.name, billed=True)
        return self.came
