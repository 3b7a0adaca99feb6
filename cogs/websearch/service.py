"""Take a search its one way: policy, meter, engine, record."""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from typing import TYPE_CHECKING, Self

from . import backends, errors, policy, store
from .backends import base
from .meter import Meter
from .models import Asker, Outcome, Session
from .requests import to_request

if TYPE_CHECKING:
    from collections.abc import Callable

    from .charges import Usage
    from .config import Config
    from .models import SearchPage, SearchRequest
    from .store.base import Store

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
        async with asyncio.timeout(timeout_s):
            return await searcher.search(request)
    except TimeoutError:
        raise _logged(errors.BackendTimeout(searcher.name)) from None
    except errors.BackendError as error:
        raise _logged(error) from None


def _to_outcome(request: SearchRequest, page: SearchPage) -> Outcome:
    if not page.found:
        raise errors.NothingFound
    if not page.results:
        raise errors.NothingUsable(page.found)
    return Outcome(request=request, page=page)


def _logged(error: errors.BackendError) -> errors.BackendError:
    # The detail was stripped of query and keys by the engine's adapter.
    _log.warning("%s failed: %s %s %s", error.backend, error, error.tag, error.detail)
    return error


class SearchService:
    """Search within what the configuration allows, and keep what the buttons of a reply need.

    `clock` tells Unix seconds, `new_id` makes the ids of sessions.
    """

    def __init__(
        self,
        config: Config,
        searcher: base.Searcher,
        kept: Store,
        *,
        clock: Callable[[], float] = time.time,
        new_id: Callable[[], str] = new_session_id,
    ) -> None:
        self.config = config
        self._searcher = searcher
        self._store = kept
        self._meter = Meter(kept.meters, clock=clock)
        self._clock = clock
        self._new_id = new_id

    @classmethod
    async def open(cls, config: Config, *, clock: Callable[[], float] = time.time) -> Self:
        """Open the database and the engine that the configuration names.

        Raise `DatabaseUnusable` or `ConfigError`; whatever was opened by then is closed again.
        """
        kept = await store.open_store(config)
        try:
            searcher = await backends.open_searcher(config)
        except BaseException:
            await kept.close()
            raise
        return cls(config, searcher, kept, clock=clock)

    async def close(self) -> None:
        """Close engine and database; closing twice does no harm."""
        try:
            await self._searcher.close()
        finally:
            await self._meter.close()
            await self._store.close()

    def prepare(
        self,
        asker: Asker,
        *,
        query: str,
        count: int | None = None,
        category: str | None = None,
        period: str | None = None,
        sites: str = "",
    ) -> SearchRequest:
        """Return the request that the options stand for, where the asker may search and the engine can honour it.

        Touch neither network nor database. Raise `SearchRefused` or `InvalidSearch`.
        """
        policy.check(self.config, asker)
        request = to_request(self.config, query=query, count=count, category=category, period=period, sites=sites)
        base.require(self._searcher, request)
        return request

    async def search(self, request: SearchRequest, asker: Asker) -> Outcome:
        """Ask the engine within `web-timeout-s` and return results, at least one.

        A search that the engine failed, or that is cancelled, isn't counted; one that found nothing is. Raise
        `NoResults`, `BackendError`, `SearchRefused`, `InvalidSearch` or `StoreFailed`.
        """
        policy.check(self.config, asker)
        base.require(self._searcher, request)
        async with self._meter.charged(asker, self.config) as receipt:
            page = await _fetch(self._searcher, request, self.config.web_timeout_s)
            receipt.cost = page.cost
        return _to_outcome(request, page)

    async def usage(self, *, user_id: int | None = None, guild_id: int | None = None) -> Usage:
        """Return what was used today, by a member and a server where they are named; raise `StoreFailed`."""
        return await self._meter.usage(self.config, user_id=user_id, guild_id=guild_id)

    async def keep(self, outcome: Outcome, asker: Asker, locale: str) -> Session:
        """Store what the buttons need for `web-session-hours`; raise `StoreFailed`."""
        now = self._clock()
        expires = now + self.config.web_session_hours * 3600
        session = Session(id=self._new_id(), asker=asker, outcome=outcome, expires=expires, locale=locale)
        await self._store.sessions.save(session, now=now)
        return session

    async def recall(self, session_id: str, channel_id: int) -> Session | None:
        """Return the session of a reply in that channel, or None where it ended; raise `StoreFailed`."""
        session = await self._store.sessions.load(session_id, now=self._clock())
        return session if session is not None and session.asker.channel_id == channel_id else None

    async def forget(self, session: Session) -> None:
        """Delete the session of a reply that is gone; raise `StoreFailed`."""
        await self._store.sessions.delete(session.id)

    async def purge(self) -> None:
        """Delete what has ended; raise `StoreFailed`."""
        await self._store.sessions.purge(now=self._clock())
        await self._meter.purge(self.config)
