"""Take a search its one way: policy, meter, engine, record."""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from contextlib import contextmanager
from pathlib import PurePath
from typing import TYPE_CHECKING, Final, Self

from msgspec.structs import replace

from . import backends, errors, policy, store
from .backends import base
from .charges import Limit
from .engines import EngineSlot
from .meter import Meter, quota_of
from .models import Asker, Outcome, Session
from .notices import Notices
from .requests import to_request
from .switchboard import Switchboard
from .troubles import Kind, Trouble
from .underway import Interruption

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

    from .charges import Quota, Usage
    from .config import Config
    from .models import SearchPage, SearchRequest
    from .settings import Place
    from .store.base import Store

# An engine's own deadline comes first: only the engine knows whether anything was sent by then.
_GRACE_S: Final = 0.1

_log = logging.getLogger(__name__)


def new_session_id() -> str:
    """Make an id of 22 URL-safe characters that nobody can guess (128 bits)."""
    return secrets.token_urlsafe(16)


async def ask(searcher: base.Searcher, request: SearchRequest, *, timeout_s: float) -> Outcome:
    """Ask an engine for as long as that many seconds and return results, at least one.

    Raise `OptionUnsupported`, `OptionsExclusive`, `NoResults` or `BackendError`; the latter is logged, too.
    """
    base.require(searcher, request)
    return _to_outcome(request, await _fetch(searcher, request, timeout_s))


async def _fetch(searcher: base.Searcher, request: SearchRequest, timeout_s: float) -> SearchPage:
    try:
        async with asyncio.timeout(timeout_s + _GRACE_S):
            return await searcher.search(request)
    except TimeoutError:
        raise _logged(errors.BackendTimeout(searcher.name, billed=True)) from None
    except errors.BackendError as error:
        raise _logged(error) from None


async def _open_engine(config: Config) -> base.Searcher | None:
    return await backends.open_searcher(config) if config.enable_web_search else None


def _to_outcome(request: SearchRequest, page: SearchPage) -> Outcome:
    if not page.found:
        raise errors.NothingFound(request.sites)
    if not page.results:
        raise errors.NothingUsable(page.found)
    return Outcome(request=request, page=page)


def _logged(error: errors.BackendError) -> errors.BackendError:
    # The detail was stripped of query and keys by the engine's adapter. Not the error itself: what keeps log records
    # would keep its traceback, and all that the search held.
    _log.warning("%s failed: %s %s %s", error.backend, error.key, error.tag, error.detail)
    return error


class SearchService:
    """Search within what owner and moderators allow, and keep what the buttons of a reply need.

    `searcher` is None where the configuration switches searching off: then nothing is opened. `clock` tells Unix
    seconds, `sleep` waits for so many, `new_id` makes the ids of sessions. `switchboard` holds what moderators have
    set, `notices` what its owner is told of.
    """

    def __init__(
        self,
        config: Config,
        searcher: base.Searcher | None,
        kept: Store,
        *,
        clock: Callable[[], float] = time.time,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        new_id: Callable[[], str] = new_session_id,
    ) -> None:
        self.config = config
        self.switchboard = Switchboard(kept.settings, clock=clock, sleep=sleep)
        self.notices = Notices(kept.alerts, clock=clock)
        self._engine = EngineSlot(searcher, clock=clock)
        self._store = kept
        self._meter = Meter(kept.meters, clock=clock)
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
        """Open the database and the engine that the configuration names, and follow what moderators set.

        Raise `DatabaseUnusable`, `StoreFailed`, `ConfigError` or `BackendError`; whatever was opened by then is closed.
        """
        kept = await store.open_store(config)
        try:
            searcher = await _open_engine(config)
        except BaseException:
            await kept.close()
            raise
        service = cls(config, searcher, kept, clock=clock, sleep=sleep)
        try:
            await service.switchboard.open()
        except BaseException:
            await service.close()
            raise
        return service

    def interrupt(self) -> None:
        """End searches under way, and all that come, by `SearchInterrupted`; they don't count, but for their cost."""
        self._interruption.end()

    async def close(self) -> None:
        """Interrupt searches, stop following settings, close engine and database; closing twice does no harm."""
        self.interrupt()
        try:
            await self.notices.close()
            await self.switchboard.close()
            await self._engine.close()
        finally:
            await self._meter.close()
            await self._store.close()

    async def reconfigure(self, config: Config) -> None:
        """Search by another configuration from now on; searches under way end as they began.

        The database stays the one that's open. Where an engine must be opened for it, the one before goes on until
        that's done. Raise `ConfigError` or `BackendError` where it can't be, and nothing has changed.
        """
        if backends.opened_with(config) == backends.opened_with(self.config):
            self.config = config
            self._engine.forgive()
            return
        searcher = await _open_engine(config)
        self.config = config
        self._engine.put(searcher)

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
    def engine(self) -> str:
        """Tell the engine's name as it is shown, or nothing where searching is switched off."""
        return self._engine.name

    @property
    def trouble(self) -> Trouble | None:
        """Tell what's wrong with the engine, or None where it's as good as any."""
        return self._engine.health.trouble

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
        with self._engine.use() as searcher:
            base.require(searcher, request)
        return request

    async def search(self, request: SearchRequest, asker: Asker, place: Place) -> Outcome:
        """Ask the engine within `web-timeout-s` and return results, at least one.

        An engine that refused the bot's key isn't asked again before the configuration changes, nor, but by a search
        every ten minutes, one where the credit is used up: such searches fail at once, and nothing is charged.
        A search that the engine failed, or that is cancelled, isn't counted, but for what it may have cost; one that
        found nothing, or that the engine refuses to make, is. Raise
        `NoResults`, `BackendError`, `SearchRefused`, `InvalidSearch`, `SearchInterrupted` or `StoreFailed`.
        """
        config = self.config
        policy.check(config, self.switchboard.settings, asker, place, self._clock())
        with self._engine.use() as searcher:
            base.require(searcher, request)
            with self._noticing(), self.notices.watching(self._engine) as health:
                health.check()
                async with self._meter.charged(asker, config) as receipt:
                    with health.attempt():
                        async with self._interruption.guard():
                            receipt.asked = True
                            page = await _fetch(searcher, request, config.web_timeout_s)
                    receipt.cost = page.cost
        return _to_outcome(request, page)

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
        """Return the session of a reply in that channel, or None where it ended; raise `StoreFailed`."""
        with self._noticing():
            session = await self._store.sessions.load(session_id, now=self._clock())
        return session if session is not None and session.asker.channel_id == channel_id else None

    async def forget(self, session: Session) -> None:
        """Delete the session of a reply that is gone; raise `StoreFailed`."""
        await self._store.sessions.delete(session.id)

    async def purge(self) -> None:
        """Delete what has ended; raise `StoreFailed`."""
        now = self._clock()
        with self._noticing(searches=0):
            await self._store.sessions.purge(now=now)
            await self._meter.purge(self.config)
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
