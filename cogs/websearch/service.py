"""Take a search its one way: policy, meter, cache, engine, record."""

from __future__ import annotations

import asyncio
import dataclasses
import secrets
import time
from contextlib import contextmanager
from pathlib import PurePath
from typing import TYPE_CHECKING, Final, Self

from msgspec.structs import replace

from . import errors, policy, store
from .backends import base
from .charges import Limit
from .failover import Failover, fetch
from .journal import Journal
from .lineup import SHARE, Lineup
from .meter import Meter, quota_of
from .models import Asker, Outcome, Session
from .notices import Notices
from .repeats import Repeats
from .requests import to_request
from .switchboard import Switchboard
from .troubles import Kind, Trouble
from .underway import Interruption

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

    from .charges import Bills, Quota, Usage
    from .config import Config
    from .health import Signs
    from .meter import Receipt
    from .models import SearchPage, SearchRequest
    from .settings import Place
    from .store.base import Store


# The engines' own deadline comes first: they know what they were asked by then, and what was the matter.
_GRACE_S: Final = 0.5


def new_session_id() -> str:
    """Make an id of 22 URL-safe characters that nobody can guess (128 bits)."""
    return secrets.token_urlsafe(16)


async def ask(searcher: base.Searcher, request: SearchRequest, *, timeout_s: float) -> Outcome:
    """Ask an engine for as long as that many seconds and return results, at least one.

    Raise `OptionUnsupported`, `OptionsExclusive`, `NoResults` or `BackendError`; the latter is logged, too.
    """
    base.require(searcher, request)
    return _to_outcome(request, await fetch(searcher, request, timeout_s))


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
        self._failover = Failover(lineup, self.notices)
        self._repeats = Repeats(config, clock=clock)
        self._store = kept
        self._meter = Meter(kept.meters, clock=clock)
        self._journal = Journal(
            kept.engines,
            self._meter.spending,
            lambda: {engine.key: engine.signs for engine in self._lineup.engines},
            lambda: self._meter.today(self.config).number,
            clock=clock,
            sleep=sleep,
        )
        self._interruption = Interruption()
        self._clock = clock
        self._new_id = new_id

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
        lineup = Lineup(clock=clock, sleep=sleep)
        try:
            lineup.take(config, await lineup.open(config))
        except BaseException:
            await kept.close()
            raise
        service = cls(config, lineup, kept, clock=clock, sleep=sleep)
        try:
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
        opened = await self._lineup.open(config)
        self.config = config
        self._lineup.take(config, opened)
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
        """Tell how each engine does, in the order in which they're asked: none where searching is switched off."""
        return tuple(
            dataclasses.replace(
                engine.signs,
                stands_in=number > 0,
                cost=self._meter.spent(self.config, engine.key),
            )
            for number, engine in enumerate(self._lineup.engines)
        )

    @property
    def quota(self) -> Quota:
        """Tell how much may be searched."""
        return quota_of(self.config)

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
    ) -> SearchRequest:
        """Return the request that the options stand for, where the asker may search and the engine can honour it.

        Touch neither network nor database: where the place isn't fully known, `search` decides. Raise `SearchRefused`
        or `InvalidSearch`.
        """
        policy.check_early(self.config, self.switchboard.settings, asker, place, self._clock())
        request = to_request(self.config, query=query, count=count, category=category, period=period, sites=sites)
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
        config = self.config
        # What counting takes is a part of the search's time, too, where a thousand come at once.
        deadline = asyncio.get_running_loop().time() + config.web_timeout_s
        policy.check(config, self.switchboard.settings, asker, place, self._clock())
        with self._noticing():
            if not self._repeats.covers(request):
                self._failover.check(request)
            first = None if self._repeats.keeps(request) else self._failover.first(request)
            counted_by = deadline - config.web_timeout_s * (1 - SHARE)
            async with (
                self._meter.charged(asker, config, first, by=counted_by) as receipt,
                self._interruption.guard(),
            ):
                page = await self._ask(request, receipt, deadline)
        return _to_outcome(request, page)

    async def _ask(self, request: SearchRequest, receipt: Receipt, deadline: float) -> SearchPage:
        """Return the page that answers a request, and note in the receipt which engines were asked, at what cost.

        `deadline` is on the event loop's clock. Raise `BackendTimeout` where a call that's shared takes longer.
        """

        async def hold(bills: Bills, engine: str) -> None:
            # By the configuration that the engine is asked by, also where it has changed since the search was charged.
            await self._meter.hold(receipt, bills, self.config, engine)

        try:
            async with asyncio.timeout_at(deadline + _GRACE_S):
                return await self._repeats.ask(
                    request,
                    receipt.bills,
                    lambda own: self._failover.ask(request, own, deadline=deadline, hold=hold),
                    deadline=deadline,
                )
        except TimeoutError:
            # Whoever began the call came later, since counting a search takes one member longer than another.
            engines = self._lineup.engines
            raise errors.BackendTimeout(engines[0].slot.name) if engines else errors.SearchDisabled from None

    async def usage(self, *, user_id: int | None = None, guild_id: int | None = None) -> Usage:
        """Return what was used today, by a member and a server where they are named; raise `StoreFailed`."""
        with self._noticing(searches=0):
            return await self._meter.usage(self.config, user_id=user_id, guild_id=guild_id)

    async def keep(self, outcome: Outcome, asker: Asker, locale: str) -> Session:
        """Store what the buttons need for `web-session-hours`; raise `StoreFailed`."""
        now = self._clock()
        expires = now + self.config.web_session_hours * 3600
        # Up to `limits.BLOCKED_SITES` domains, and no button reads them.
        outcome = replace(outcome, request=replace(outcome.request, blocked=()))
        session = Session(id=self._new_id(), asker=asker, outcome=outcome, expires=expires, locale=locale)
        with self._noticing():
            await self._store.sessions.save(session)
        return session

    async def recall(self, session_id: str, channel_id: int) -> Session | None:
        """Return the session of a reply in that channel, or None where it ended; raise `StoreFailed`.

        Its request has the sites as blocked that are by now: what was found there before is not to be shown again.
        """
        with self._noticing():
            session = await self._store.sessions.load(session_id, now=self._clock())
        if session is None or session.asker.channel_id != channel_id:
            return None
        request = replace(session.outcome.request, blocked=self.config.web_block_sites)
        return replace(session, outcome=replace(session.outcome, request=request))

    async def forget(self, session: Session) -> None:
        """Delete the session of a reply that is gone; raise `StoreFailed`."""
        await self._store.sessions.delete(session.id)

    async def purge(self) -> None:
        """Delete what has ended; raise `StoreFailed`."""
        now = self._clock()
        with self._noticing(searches=0):
            await self._store.sessions.purge(now=now)
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
