"""Take a search its one way: policy, meter, cache, engine, record."""

from __future__ import annotations

import asyncio
import dataclasses
import time
from contextlib import asynccontextmanager, contextmanager
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Final, Self, cast

from msgspec.structs import replace

from . import errors, hosts, links, policy, store
from .answers import Answers, grow
from .backends import base
from .charges import Act, Limit
from .failover import Failover, Task, first, within
from .journal import Journal
from .lineup import SHARE, Lineup
from .meter import Meter, quota_of
from .models import Answered, Asker, Outcome, Reading
from .notices import Notices
from .own_searches import OwnSearches
from .recent import Recent
from .repeats import Repeats
from .requests import to_request
from .sessions import Sessions, new_session_id
from .switchboard import Switchboard
from .troubles import Kind, Trouble
from .underway import Interruption

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence

    from .answers import Grown
    from .charges import Bills, Quota, Usage
    from .config import Config
    from .engine_slot import Engine, Tool
    from .failover import Found, Hold
    from .health import Signs
    from .meter import Receipt
    from .models import Answer, FetchedPage, SearchPage, SearchRequest
    from .settings import Place
    from .store.base import Store


# The engines' own deadline comes first: they know what they were asked by then, and what was the matter.
_GRACE_S: Final = 0.5


async def ask(searcher: base.Searcher, request: SearchRequest, *, timeout_s: float) -> Outcome:
    """Ask an engine for as long as that many seconds and return results, at least one.

    Raise `OptionUnsupported`, `OptionsExclusive`, `NoResults` or `BackendError`; the latter is logged, too.
    """
    base.require(searcher, request)
    return _to_outcome(request, await within(timeout_s, searcher.name, searcher.search(request)))


def _unseen(_answer: Answer) -> None:
    """Take no notice of an answer that grows."""


def _to_outcome(request: SearchRequest, page: SearchPage) -> Outcome:
    if not page.found:
        raise errors.NothingFound(request.sites)
    if not page.results:
        raise errors.NothingUsable(page.found)
    return Outcome(request=request, page=page)


class SearchService:
    """Search within what owner and moderators allow, and keep what the buttons of a reply need.

    `lineup` holds the engines, of which there are none where the configuration switches searching off. `clock` tells
    Unix seconds, `sleep` waits for so many, `new_id` makes the ids of sessions. `switchboard` holds what moderators
    have set, `notices` what its owner is told of.
    """

    def __init__(
        self,
        config: Config,
        lineup: Lineup,
        kept: Store,
        *,
        clock: Callable[[], float] = time.time,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        new_id: Callable[[], str] = new_session_id,
    ) -> None:
        self.config = config
        self.switchboard = Switchboard(kept.settings, clock=clock, sleep=sleep)
        self.notices = Notices(kept.alerts, clock=clock)
        self._lineup = lineup
        self._answers = Answers(lineup, clock=clock)
        self._failover = Failover(self.notices)
        self._repeats = Repeats(config, clock=clock)
        self._store = kept
        self._meter = Meter(kept.meters, clock=clock)
        self._journal = Journal(
            kept.engines,
            self._meter.spending,
            self._signs,
            lambda: self._meter.today(self.config).number,
            clock=clock,
            sleep=sleep,
        )
        self._interruption = Interruption()
        self._clock = clock
        self._recent = Recent()
        self.own = OwnSearches(
            kept, self._meter, self._recent, lambda: self.config, lambda: self._noticing(searches=0), clock=clock
        )
        self.sessions = Sessions(kept.sessions, lambda: self.config, self._noticing, clock=clock, new_id=new_id)

    @classmethod
    async def open(
        cls,
        config: Config,
        *,
        clock: Callable[[], float] = time.time,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> Self:
        """Open the database and the engines that the configuration names, and follow what moderators set.

        Raise `DatabaseUnusable`, `StoreFailed`, `ConfigError` or `BackendError`; whatever was opened by then is closed.
        """
        kept = await store.open_store(config)
        service = cls(config, Lineup(clock=clock, sleep=sleep), kept, clock=clock, sleep=sleep)
        try:
            await service.reconfigure(config)
            await service.switchboard.open()
            await service._journal.open()
        except BaseException:
            await service.close()
            raise
        return service

    def interrupt(self) -> None:
        """End searches under way, and all that come, by `SearchInterrupted`; they don't count, but for their cost."""
        self._interruption.end()

    async def close(self) -> None:
        """Interrupt searches, stop following settings, close engines and database; closing twice does no harm."""
        self.interrupt()
        try:
            await self.notices.close()
            await self.switchboard.close()
            await self._repeats.close()
            self._journal.stop()
            await self._answers.close()
            await self._lineup.close()
        finally:
            await self._meter.close()
            await self._journal.close()
            await self._store.close()

    async def reconfigure(self, config: Config) -> None:
        """Search by another configuration from now on; searches under way end as they began.

        The database stays the one that's open. Where an engine must be opened for it, the one before goes on until
        that's done. Raise `ConfigError` or `BackendError` where it can't be, and nothing has changed.
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

    def switch_at(self, place: Place) -> policy.Decision:
        """Tell whether moderators let search at a place, and by which rule."""
        return policy.switch(self.config, self.switchboard.settings, place, self._clock())

    def privacy_at(self, place: Place) -> policy.Decision:
        """Tell whether replies at a place are for the asker alone, and by which rule."""
        return policy.replies(self.switchboard.settings, place)

    def is_decided(self, place: Place) -> bool:
        """Tell whether nothing that is missing of a place can change whether searching is on there."""
        return self.switch_at(place).rule is not policy.Rule.UNKNOWN

    @property
    def engines(self) -> tuple[Signs, ...]:
        """Tell how each engine does, in the order in which they're asked: none where searching is switched off.

        One that answers questions and isn't searched with comes last.
        """
        first = next(iter(self._lineup.engines), None)
        return tuple(
            dataclasses.replace(
                signs,
                stands_in=not signs.answers and first is not None and key != first.key,
                cost=self._meter.spent(self.config, key),
            )
            for key, signs in self._signs().items()
        )

    def _signs(self) -> dict[str, Signs]:
        own = self._answers.own_signs
        return {engine.key: engine.signs for engine in self._lineup.engines} | own

    @property
    def quota(self) -> Quota:
        """Tell how much may be searched."""
        return quota_of(self.config)

    def permit(self, asker: Asker, place: Place) -> None:
        """Raise `SearchRefused` where it's known already that the asker may not search; touch no database."""
        policy.check_early(self.config, self.switchboard.settings, asker, place, self._clock())

    def prepare(  # noqa: PLR0913 - who, where, and the options of a search
        self,
        asker: Asker,
        place: Place,
        *,
        query: str,
        count: int | None = None,
        category: str | None = None,
        period: str | None = None,
        sites: str = "",
        answering: bool = False,
    ) -> SearchRequest:
        """Return the request that the options stand for, where the asker may search and the engine can honour it.

        With `answering` it's the engine that answers, where there is one. Touch neither network nor database: where the
        place isn't fully known, `search` decides. Raise `SearchRefused` or `InvalidSearch`.
        """
        self.permit(asker, place)
        safe = policy.is_safe(self.config, place)
        request = to_request(
            self.config, query=query, count=count, category=category, period=period, sites=sites, safe=safe
        )
        if answering and self.answers:
            self._answers.check(request)
        else:
            self._lineup.fit(request)
        return request

    async def search(self, request: SearchRequest, asker: Asker, place: Place) -> Outcome:
        """Ask the engines within `web-timeout-s` and return results, at least one.

        A repeat within `web-cache-minutes` is answered from memory, and searches that are the same and under way share
        a call: each is charged, and the cost is counted once. An engine that refused the bot's key isn't asked again
        before the configuration changes, nor, but by a search every ten minutes, one where the credit is used up, nor,
        for a while, one that's down: where all are like that, searches fail at once, and nothing is charged. A search
        that the engines failed, or that is cancelled, isn't counted, but for what it may have cost; one that found
        nothing, or that the engine refuses to make, is. Counting may take two thirds of the time. Raise `NoResults`,
        `BackendError`, `SearchRefused`, `InvalidSearch`, `SearchInterrupted` or `StoreFailed`.
        """
        request = self._made_safe(request, place)
        with self._permitted(asker, place, self.config.web_timeout_s) as deadline:
            engines = self._lineup.fit(request)
            if not self._repeats.covers(request):
                self._failover.check(engines, Act.SEARCH)
            engine = None if self._repeats.keeps(request) else first(engines, Act.SEARCH)
            async with self._charged(asker, engine, Act.SEARCH, deadline) as receipt:
                page = await self._ask(request, receipt, deadline)
        self._recent.note(asker.user_id, page)
        return _to_outcome(request, page)

    async def _ask(self, request: SearchRequest, receipt: Receipt, deadline: float) -> SearchPage:
        """Return the page that answers a request, and note in the receipt which engines were asked, at what cost.

        `deadline` is on the event loop's clock. Raise `BackendTimeout` where a call that's shared takes longer.
        """
        task: Task[base.Searcher, SearchPage] = Task(Act.SEARCH, lambda searcher, _: searcher.search(request))

        async def call(own: Bills) -> SearchPage:
            # The engines of now: others may have taken their places since the search was charged.
            engines = self._lineup.fit(request)
            return await self._failover.ask(engines, task, own, deadline=deadline, hold=self._holding(receipt))

        try:
            async with asyncio.timeout_at(deadline + _GRACE_S):
                return await self._repeats.ask(request, receipt.bills, call, deadline=deadline)
        except TimeoutError:
            # Whoever began the call came later, since counting a search takes one member longer than another.
            engines = self._lineup.engines
            raise errors.BackendTimeout(engines[0].slot.name) if engines else errors.SearchDisabled from None

    async def answer(
        self, request: SearchRequest, asker: Asker, place: Place, *, grown: Grown = _unseen
    ) -> Answered | Outcome:
        """Ask for an answer within `web-answer-timeout-s`, and return it, or results where no engine answers.

        It's charged as a search is. `grown` is told of it while it grows, where the engine sends it piece by piece; one
        that broke off isn't `complete`. Raise what `search` does.
        """
        engine = self._answers.engine
        if engine is None:
            outcome = await self.search(request, asker, place)
            return replace(outcome, unanswered=self._lineup.engines[0].slot.name if self._lineup.engines else "")
        request = self._made_safe(request, place)
        self._answers.check(request)
        task: Task[base.Answerer, Answer] = Task(
            Act.ANSWER, lambda answerer, seconds: grow(answerer, request, seconds, grown)
        )
        answer = await self._alone(asker, place, [engine], task, self.config.web_answer_timeout_s)
        return Answered(request=request, answer=answer)

    async def read(self, url: str, asker: Asker, place: Place) -> Reading:
        """Ask the engines that can for the text of a page within `web-timeout-s`, and return it.

        It's charged as a search is. Raise `InvalidAddress`, `ReadingUnsupported`, `SiteBlocked`, or what `search` does
        but for `NoResults`.
        """
        link = base.vetted(url)
        for site in self.config.web_block_sites:
            if links.matches(hosts.normalise(link.host) or link.host, site):
                raise errors.SiteBlocked(link.host)
        task: Task[base.Searcher, FetchedPage] = Task(
            Act.READ, lambda searcher, _: cast("base.Fetcher", searcher).fetch(link.url)
        )
        return Reading(page=await self._alone(asker, place, self._lineup.readers(), task, self.config.web_timeout_s))

    def is_usable(self, act: Act) -> bool:
        """Tell whether an engine is there for something that has refused neither the bot's key nor its credit.

        One that's down counts: that's over in a minute or two.
        """
        engines: Sequence[Engine[Any]] = self._lineup.engines
        if act is Act.READ:
            engines = [engine for engine in self._lineup.engines if engine.fetches]
        elif act is Act.ANSWER:
            engines = [] if self._answers.engine is None else [self._answers.engine]
        refused = (errors.KeyRefused, errors.CreditsExhausted)
        return any(engine.slot.name and not isinstance(engine.slot.health(act).refusal, refused) for engine in engines)

    @property
    def reads(self) -> bool:
        """Tell whether an engine is there that can read pages."""
        return any(engine.fetches for engine in self._lineup.engines)

    @property
    def answers(self) -> bool:
        """Tell whether an engine is there that answers questions."""
        return self._answers.engine is not None

    def can_answer(self, request: SearchRequest) -> bool:
        """Tell whether an engine is there that answers questions narrowed as a request is."""
        try:
            self._answers.check(request)
        except errors.InvalidSearch:
            return False
        return self.answers

    async def _alone(
        self, asker: Asker, place: Place, engines: Sequence[Engine[Tool]], task: Task[Tool, Found], seconds: float
    ) -> Found:
        """Ask for what nobody shares, and charge it."""
        with self._permitted(asker, place, seconds) as deadline:
            self._failover.check(engines, task.act)
            async with self._charged(asker, first(engines, task.act), task.act, deadline) as receipt:
                return await self._failover.ask(
                    engines, task, receipt.bills, deadline=deadline, hold=self._holding(receipt)
                )

    def _made_safe(self, request: SearchRequest, place: Place) -> SearchRequest:
        """Return the request as it may be made by now: its channel needn't be age-restricted any more."""
        return request if request.safe else replace(request, safe=policy.is_safe(self.config, place))

    @contextmanager
    def _permitted(self, asker: Asker, place: Place, seconds: float) -> Iterator[float]:
        """Give the moment, on the event loop's clock, until which there's time for what is asked inside.

        Counting is a part of that time, too, where a thousand come at once. Raise `SearchRefused`.
        """
        policy.check(self.config, self.switchboard.settings, asker, place, self._clock())
        with self._noticing():
            yield asyncio.get_running_loop().time() + seconds

    @asynccontextmanager
    async def _charged(self, asker: Asker, engine: str | None, act: Act, deadline: float) -> AsyncIterator[Receipt]:
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

    async def usage(self, *, user_id: int | None = None, guild_id: int | None = None) -> Usage:
        """Return what was used today, by a member and a server where they are named; raise `StoreFailed`."""
        with self._noticing(searches=0):
            return await self._meter.usage(self.config, user_id=user_id, guild_id=guild_id)

    async def pause(self, user_id: int) -> None:
        """Keep chat bots from searching for a member, in every server, until `resume`; raise `StoreFailed`.

        What the member searches for by commands and buttons isn't touched by it.
        """
        with self._noticing(searches=0):
            await self._store.pauses.pause(user_id, now=self._clock())

    async def resume(self, user_id: int) -> None:
        """Let chat bots search for a member again; raise `StoreFailed`."""
        with self._noticing(searches=0):
            await self._store.pauses.resume(user_id)

    async def is_paused(self, user_id: int) -> bool:
        """Tell whether chat bots may not search for a member; raise `StoreFailed`."""
        with self._noticing():
            return await self._store.pauses.is_paused(user_id)

    async def purge(self) -> None:
        """Delete what has ended; raise `StoreFailed`."""
        now = self._clock()
        with self._noticing(searches=0):
            await self.sessions.purge()
            await self._meter.purge(self.config)
            await self._journal.purge(days=self.config.web_retention_days)
            await self._store.settings.purge(now=now)

    @contextmanager
    def _noticing(self, *, searches: int = 1) -> Iterator[None]:
        """Let the owner learn that the database fails so many searches, or that the budget of the day is spent."""
        try:
            yield
        except errors.StoreFailed:
            if self.config.enable_web_search:
                self.notices.report_database(PurePath(self.config.web_database).name, searches=searches)
            raise
        except errors.LimitReached as error:
            if error.limit is Limit.BUDGET:
                day = self._meter.today(self.config)
                spent = Trouble(kind=Kind.BUDGET, since=self._clock(), day=day, sum=error.most)
                self.notices.report(spent)
            raise
