"""Take a search its one way: policy, meter, cache, engine, record."""

from __future__ import annotations

import asyncio
import time
from contextlib import contextmanager
from pathlib import PurePath
from typing import TYPE_CHECKING, Self

from msgspec.structs import replace

from . import errors, policy, site_rules, store
from .backends import base
from .charges import Limit
from .engines import Engines
from .failover import within
from .journal import Journal
from .lineup import Lineup
from .meter import Meter, quota_of
from .models import Answered, Asker, Outcome, Reading
from .notices import Notices
from .own_searches import OwnSearches
from .recent import Recent
from .requests import to_request
from .sessions import Sessions, new_session_id
from .switchboard import Switchboard
from .troubles import Kind, Part, Trouble

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

    from .answers import Grown
    from .charges import Quota, Usage
    from .config import Config
    from .models import Answer, Content, SearchPage, SearchRequest, SiteRules
    from .settings import Place
    from .store.base import Store


async def ask(searcher: base.Searcher, request: SearchRequest, *, timeout_s: float) -> Outcome:
    """Ask an engine for as long as that many seconds and return results, at least one.

    Raise `OptionUnsupported`, `OptionsExclusive`, `NoResults` or `BackendError`; the latter is logged, too.
    """
    base.require(searcher, request)
    return _to_outcome(request, await within(timeout_s, searcher.name, searcher.search(request)))


def _unseen(_answer: Answer) -> None:
    """Take no notice of an answer that grows."""


def _to_outcome(request: SearchRequest, page: SearchPage) -> Outcome:
    if not page.results and request.rules.allowed and not request.sites:
        raise errors.NothingAllowed
    if not page.found:
        raise errors.NothingFound(request.sites)
    if not page.results:
        raise errors.NothingUsable(page.found)
    return Outcome(request=request, page=page)


class SearchService:
    """Search within what owner and moderators allow, and keep what the buttons of a reply need.

    `lineup` holds the engines that are searched with. `clock` tells Unix seconds, `sleep` waits for so many, `new_id`
    makes the ids of sessions. `engines` are those that are asked, `switchboard` holds what moderators have set, `own`
    what members see of themselves, `notices` what the owner is told of.
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
        self.switchboard = Switchboard(kept.settings, clock=clock, sleep=sleep)
        self.notices = Notices(kept.alerts, clock=clock)
        self._store = kept
        self._meter = Meter(kept.meters, clock=clock)
        self.engines = Engines(config, self._meter, self.notices, lineup, clock=clock)
        self._journal = Journal(
            kept.engines,
            self._meter.spending,
            lambda: self.engines.known,
            lambda: self._meter.today(self.config).number,
            clock=clock,
            sleep=sleep,
        )
        self._clock = clock
        self._recent = Recent()
        self.own = OwnSearches(
            kept,
            self._meter,
            self._recent,
            lambda: self.config,
            lambda part: self._noticing(part, searches=0),
            clock=clock,
        )
        self.sessions = Sessions(
            kept.sessions,
            lambda: self.config,
            self.site_rules,
            lambda searches: self._noticing(Part.SESSIONS, searches=searches),
            clock=clock,
            new_id=new_id,
        )

    @property
    def config(self) -> Config:
        """Give the configuration that's in force."""
        return self.engines.config

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
        self.engines.interrupt()

    async def close(self) -> None:
        """Interrupt searches, stop following settings, close engines and database; closing twice does no harm."""
        self.interrupt()
        try:
            await self.notices.close()
            await self.switchboard.close()
            self._journal.stop()
            await self.engines.close()
        finally:
            await self._meter.close()
            await self._journal.close()
            await self._store.close()

    async def reconfigure(self, config: Config) -> None:
        """Search by another configuration from now on; searches under way end as they began.

        The database stays the one that's open. Where an engine must be opened for it, the one before goes on until
        that's done. Raise `ConfigError` or `BackendError` where it can't be, and nothing has changed.
        """
        await self.engines.reconfigure(config)

    def switch_at(self, place: Place) -> policy.Decision:
        """Tell whether moderators let search at a place, and by which rule."""
        return policy.switch(self.config, self.switchboard.settings, place, self._clock())

    def privacy_at(self, place: Place) -> policy.Decision:
        """Tell whether replies at a place are for the asker alone, and by which rule."""
        return policy.replies(self.switchboard.settings, place)

    def is_decided(self, place: Place) -> bool:
        """Tell whether nothing that is missing of a place can change whether searching is on there."""
        return self.switch_at(place).rule is not policy.Rule.UNKNOWN

    def site_rules(self, guild_id: int | None) -> SiteRules:
        """Tell which sites may be shown in a server, or outside of any."""
        return policy.sites(self.config, self.switchboard.settings, guild_id)

    def offered_sites(self, asker: Asker) -> Iterator[str]:
        """Find the sites that an asker may mean, as they're shown, from memory alone.

        They're the hosts of what was found lately, the latest first, then the sites that alone are allowed there.
        """
        return site_rules.offered(self.site_rules(asker.guild_id), self._recent.hosts(asker.user_id))

    def found_sites(self, user_id: int) -> Iterator[str]:
        """Find the hosts of what somebody found lately, as they're shown, the latest first, from memory alone.

        What the bot's owner blocks is left out, and nothing that a server has a rule for.
        """
        return site_rules.offered(self.site_rules(None), self._recent.hosts(user_id))

    @property
    def quota(self) -> Quota:
        """Tell how much may be searched."""
        return quota_of(self.config)

    def permit(self, asker: Asker, place: Place) -> None:
        """Raise `SearchRefused` where it's known already that the asker may not search; touch no database."""
        policy.check_early(self.config, self.switchboard.settings, asker, place, self._clock())

    def require_fit(self, content: Content, asker: Asker, place: Place) -> None:
        """Raise an error where what was found before may not be shown anew, at a place that is known by now.

        That's `SearchRefused` where the asker may not search there, and `Unfiltered` where it was found without a
        filter in what isn't age-restricted any more.
        """
        self._require(asker, place)
        if not isinstance(content, Reading) and not content.request.safe and policy.is_safe(self.config, place):
            raise errors.Unfiltered

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
        request = to_request(
            self.config,
            query=query,
            count=count,
            category=category,
            period=period,
            sites=sites,
            safe=policy.is_safe(self.config, place),
            rules=self.site_rules(asker.guild_id),
        )
        if answering and count is not None and self.engines.answers:
            # An answer has no number of results; those that are shown where nothing answers do.
            raise errors.OptionsExclusive("results", "mode", "answer")
        self.engines.require(request, answering=answering)
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
        self._require(asker, place)
        request = self._renewed(request, asker, place)
        with self._noticing(Part.SEARCHES):
            page = await self.engines.search(request, asker)
        request = self._renewed(request, asker, place)
        shown = tuple(one for one in page.results if site_rules.shows(request.rules, one.host))
        if len(shown) < len(page.results):
            page = replace(page, results=shown)
        self._recent.note(asker.user_id, page)
        return _to_outcome(request, page)

    async def answer(
        self, request: SearchRequest, asker: Asker, place: Place, *, grown: Grown = _unseen
    ) -> Answered | Outcome:
        """Ask for an answer within `web-answer-timeout-s`, and return it, or results where no engine answers.

        It's charged as a search is. `grown` is told of it while it grows, where the engine sends it piece by piece; one
        that broke off isn't `complete`. Raise what `search` does.
        """
        if not self.engines.answers:
            outcome = await self.search(request, asker, place)
            return replace(outcome, unanswered=self.engines.answerer_name)
        self._require(asker, place)
        request = self._renewed(request, asker, place)
        with self._noticing(Part.SEARCHES):
            answer = await self.engines.answer(request, asker, grown)
        return Answered(request=self._renewed(request, asker, place), answer=answer)

    async def read(self, url: str, asker: Asker, place: Place) -> Reading:
        """Ask the engines that can for the text of a page within `web-timeout-s`, and return it.

        It's charged as a search is. Raise `InvalidAddress`, `ReadingUnsupported`, `SiteBlocked`, `SiteHidden`, or what
        `search` does but for `NoResults`.
        """
        link = base.vetted(url)
        site_rules.require(self.site_rules(asker.guild_id), link.host)
        self._require(asker, place)
        with self._noticing(Part.SEARCHES):
            page = await self.engines.read(link, asker)
        # The engine may have been led on to elsewhere.
        site_rules.require(self.site_rules(asker.guild_id), page.host)
        return Reading(page=page)

    def _require(self, asker: Asker, place: Place) -> None:
        """Raise `SearchRefused` where the asker may not search."""
        policy.check(self.config, self.switchboard.settings, asker, place, self._clock())

    def _renewed(self, request: SearchRequest, asker: Asker, place: Place) -> SearchRequest:
        """Return the request as it may be made, or what it brought may be shown, by now.

        That may be some time after it was prepared: its channel needn't be age-restricted any more, and sites may be
        hidden that were shown.
        """
        rules = self.site_rules(asker.guild_id)
        site_rules.narrow(rules, request.sites)
        return replace(request, safe=request.safe or policy.is_safe(self.config, place), rules=rules)

    async def usage(self, *, user_id: int | None = None, guild_id: int | None = None) -> Usage:
        """Return what was used today, by a member and a server where they are named; raise `StoreFailed`."""
        with self._noticing(Part.USAGE, searches=0):
            return await self._meter.usage(self.config, user_id=user_id, guild_id=guild_id)

    async def purge(self) -> None:
        """Delete what has ended; raise `StoreFailed`."""
        now = self._clock()
        with self._noticing(Part.TIDYING, searches=0):
            await self.sessions.purge()
            await self._meter.purge(self.config)
            await self._journal.purge(days=self.config.web_retention_days)
            await self._store.settings.purge(now=now)

    @contextmanager
    def _noticing(self, part: Part, *, searches: int = 1) -> Iterator[None]:
        """Let the owner learn that the database fails at this, and so many searches by it, or does it again.

        Likewise that the budget of the day is spent.
        """
        began = self._clock()
        try:
            yield
        except errors.StoreFailed:
            if self.config.enable_web_search:
                self.notices.report_database(part, PurePath(self.config.web_database).name, searches=searches)
            raise
        except errors.LimitReached as error:
            if error.limit is Limit.BUDGET:
                day = self._meter.today(self.config)
                spent = Trouble(kind=Kind.BUDGET, since=self._clock(), day=day, sum=error.most)
                self.notices.report(spent)
            raise
        else:
            self.notices.database_works(part, began=began)
