"""Ask the engines for what their askers are charged for: results, answers, the text of pages."""

from __future__ import annotations

import asyncio
import time
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Final, cast

from msgspec.structs import replace

from . import errors
from .answers import Answers, StreamedAnswer
from .charges import Act
from .failover import GROWN_GRACE_S, EngineCall, Failover, first
from .lineup import SHARE
from .repeats import Repeats
from .underway import Interruption

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence

    from .answers import Grown
    from .backends import base
    from .charges import Bills
    from .config import Config
    from .engine_slot import Backend, Engine
    from .failover import Found, Hold
    from .health import Signs
    from .lineup import Lineup
    from .links import Link
    from .meter import Meter, Receipt
    from .models import Answer, Asker, FetchedPage, SearchPage, SearchRequest, SiteRules
    from .notices import Notices

# The engines' own deadline comes first: they know what they were asked by then, and what was the matter.
_GRACE_S: Final = 0.5


class Engines:
    """Hold the engines that a configuration names, none where it switches searching off or before `reconfigure`.

    What is asked is charged by `meter`, and what it says of an engine goes to `notices`; `lineup` holds those that are
    searched with. `clock` tells Unix seconds. `config` is the configuration that's in force.
    """

    def __init__(
        self,
        config: Config,
        meter: Meter,
        notices: Notices,
        lineup: Lineup,
        *,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.config = config
        self._meter = meter
        self._lineup = lineup
        self._answers = Answers(lineup, clock=clock)
        self._failover = Failover(notices)
        self._repeats = Repeats(config, clock=clock)
        self._interruption = Interruption()

    async def reconfigure(self, config: Config) -> None:
        """Ask by another configuration from now on; what's under way ends as it began.

        Where an engine must be opened for it, the one before goes on until that's done. Raise `ConfigError` or
        `BackendError` where it can't be, and nothing has changed.
        """
        answerer = await self._answers.open(config)
        try:
            opened = await self._lineup.open(config)
        except BaseException:
            if answerer is not None:
                await answerer.close()
            raise
        self.config = config
        self._lineup.take(config, opened)
        self._answers.take(config, answerer)
        self._repeats.renew(config)

    def interrupt(self) -> None:
        """End what's under way, and all that comes, by `SearchInterrupted`; it doesn't count, but for its cost."""
        self._interruption.end()

    async def close(self) -> None:
        """Interrupt what's under way, and close the engines; closing twice does no harm."""
        self.interrupt()
        await self._repeats.close()
        await self._answers.close()
        await self._lineup.close()

    @property
    def known(self) -> dict[str, Signs]:
        """Map each engine's name in the configuration to how it does, as this process alone knows it.

        They come in the order in which they're asked; one that answers questions and isn't searched with comes last.
        """
        return {engine.key: engine.signs for engine in self._lineup.engines} | self._answers.own_signs

    @property
    def signs(self) -> dict[str, Signs]:
        """Map them likewise, with what all processes have spent on each today, and which one stands in for another."""
        fallbacks = [engine.key for engine in self._lineup.engines[1:]]
        return {
            key: replace(signs, stands_in=key in fallbacks, cost=self._meter.spent(self.config, key))
            for key, signs in self.known.items()
        }

    @property
    def reads(self) -> bool:
        """Tell whether an engine is there that can read pages."""
        return any(engine.fetches for engine in self._lineup.engines)

    @property
    def answers(self) -> bool:
        """Tell whether an engine is there that answers questions."""
        return bool(self._answers.engines)

    @property
    def answerer_name(self) -> str:
        """Tell the name, as it's shown, of the engine that was to answer, or nothing where there's none at all."""
        return self._answers.name or next((engine.slot.name for engine in self._lineup.engines), "")

    def can_answer(self, request: SearchRequest) -> bool:
        """Tell whether an engine is there that answers questions narrowed as a request is."""
        try:
            self._answers.fit(request)
        except (errors.InvalidSearch, errors.SearchDisabled):
            return False
        return True

    def answers_within(self, rules: SiteRules) -> bool:
        """Tell whether an engine is there whose answers can be kept to the sites that may be shown."""
        return self._answers.keep_to(rules)

    def is_usable(self, act: Act) -> bool:
        """Tell whether an engine is there for something that has refused neither the bot's key nor its credit.

        One that's down counts: that's over in a minute or two.
        """
        engines: Sequence[Engine[Any]] = self._lineup.engines
        if act is Act.READ:
            engines = [engine for engine in self._lineup.engines if engine.fetches]
        elif act is Act.ANSWER:
            engines = self._answers.engines
        refused = (errors.KeyRefused, errors.CreditsExhausted)
        return any(engine.slot.name and not isinstance(engine.slot.health(act).refusal, refused) for engine in engines)

    def require(self, request: SearchRequest, *, answering: bool) -> None:
        """Raise `InvalidSearch` where nothing can honour a request, and `SearchDisabled` where nothing is there.

        With `answering` it's what answers, where there is something.
        """
        if answering and self.answers:
            self._answers.fit(request)
        else:
            self._lineup.fit(request)

    async def search(self, request: SearchRequest, asker: Asker) -> SearchPage:
        """Return what the first engine answers that does, within `web-timeout-s`, or what answered a repeat.

        Counting may take two thirds of the time. Raise `BackendError`, `LimitReached`, `BudgetHeld`, `InvalidSearch`,
        `SearchDisabled`, `SearchInterrupted` or `StoreFailed`.
        """
        deadline = _in(self.config.web_timeout_s)
        fit = self._lineup.fit(request)
        if not self._repeats.covers(request):
            self._failover.check(fit, Act.SEARCH)
        engine = None if self._repeats.keeps(request) else first(fit, Act.SEARCH)
        async with self._charged(asker, engine, Act.SEARCH, deadline) as receipt:
            return await self._ask(request, receipt, deadline)

    async def _ask(self, request: SearchRequest, receipt: Receipt, deadline: float) -> SearchPage:
        """Return the page that answers a request, and note in the receipt which engines were asked, at what cost.

        `deadline` is on the event loop's clock. Raise `BackendTimeout` where a call that's shared takes longer.
        """
        task: EngineCall[base.Searcher, SearchPage] = EngineCall(Act.SEARCH, lambda searcher: searcher.search(request))

        async def call(own: Bills) -> SearchPage:
            # The engines of now: others may have taken their places since the search was charged.
            fit = self._lineup.fit(request)
            return await self._failover.ask(fit, task, own, deadline=deadline, hold=self._holding(receipt))

        try:
            async with asyncio.timeout_at(deadline + _GRACE_S):
                return await self._repeats.ask(request, receipt.bills, call, deadline=deadline)
        except TimeoutError:
            # Whoever began the call came later, since counting a search takes one member longer than another.
            engines = self._lineup.engines
            raise errors.BackendTimeout(engines[0].slot.name) if engines else errors.SearchDisabled from None

    async def answer(self, request: SearchRequest, asker: Asker, grown: Grown) -> Answer:
        """Return what the first engine answers that does, within `web-answer-timeout-s`; `grown` is told how it grows.

        One that broke off isn't `complete`. Raise what `search` does.
        """
        fit = self._answers.fit(request)
        streamed = StreamedAnswer(request, grown)
        call: EngineCall[base.Answerer, Answer] = EngineCall(
            Act.ANSWER, streamed.ask, lambda: streamed.came, grace_s=GROWN_GRACE_S
        )
        return await self._alone(asker, fit, call, self.config.web_answer_timeout_s)

    async def read(self, link: Link, asker: Asker) -> FetchedPage:
        """Return the text of a page within `web-timeout-s`, by the first engine that can read it.

        Raise `ReadingUnsupported`, or what `search` does.
        """
        call: EngineCall[base.Searcher, FetchedPage] = EngineCall(
            Act.READ, lambda searcher: cast("base.Fetcher", searcher).fetch(link.url)
        )
        return await self._alone(asker, self._lineup.readers(), call, self.config.web_timeout_s)

    async def _alone(
        self, asker: Asker, engines: Sequence[Engine[Backend]], call: EngineCall[Backend, Found], seconds: float
    ) -> Found:
        """Ask for what nobody shares, and charge it."""
        deadline = _in(seconds)
        self._failover.check(engines, call.act)
        async with self._charged(asker, first(engines, call.act), call.act, deadline) as receipt:
            try:
                # An engine's own deadline comes first here, too.
                async with asyncio.timeout_at(deadline + call.grace_s + _GRACE_S):
                    return await self._failover.ask(
                        engines, call, receipt.bills, deadline=deadline, hold=self._holding(receipt)
                    )
            except TimeoutError:
                # Money took too long to be held.
                raise errors.BackendTimeout(engines[0].slot.name) from None

    @asynccontextmanager
    async def _charged(self, asker: Asker, engine: str | None, act: Act, deadline: float) -> AsyncIterator[Receipt]:
        # What counting takes is a part of the time, too, where a thousand come at once.
        now = asyncio.get_running_loop().time()
        counted_by = now + (deadline - now) * SHARE
        async with (
            self._meter.charged(asker, self.config, engine, by=counted_by, act=act) as receipt,
            self._interruption.guard(),
        ):
            yield receipt

    def _holding(self, receipt: Receipt) -> Hold:
        async def hold(bills: Bills, engine: str) -> None:
            # By the configuration that the engine is asked by, also where it has changed since the search was charged.
            await self._meter.hold(receipt, bills, self.config, engine)

        return hold


def _in(seconds: float) -> float:
    """Return the moment, on the event loop's clock, that many seconds from now."""
    return asyncio.get_running_loop().time() + seconds
