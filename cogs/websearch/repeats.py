"""Answer what was asked before, or is being asked, without asking an engine again."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from . import errors
from .breaker import LONGEST_SECONDS
from .cache import Cache
from .singleflight import SingleFlight

if TYPE_CHECKING:
    from collections.abc import Callable

    from .charges import Bills
    from .config import Config
    from .models import SearchPage, SearchRequest
    from .singleflight import Call

# What a fallback answered is a second choice, and says so: it's kept no longer than an engine is left alone at most, so
# that the first one is asked again soon after it's back.
STANDING_IN_SECONDS: Final = LONGEST_SECONDS
# With less time left no call is made a second time: a second is what engines take.
WORTHWHILE_SECONDS: Final = 1.0


class Repeats:
    """Keep pages for `web-cache-minutes`, and let searches under way share a call.

    Both end with each configuration, so that none is answered as an earlier one would have had it. `clock` tells Unix
    seconds.
    """

    def __init__(self, config: Config, *, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._cache = self._open(config)
        self._flights = SingleFlight()

    def renew(self, config: Config) -> None:
        """Begin anew by another configuration; calls under way go on for those who wait for them, and aren't kept."""
        self._cache.clear()
        self._cache = self._open(config)

    def keeps(self, request: SearchRequest) -> bool:
        """Tell whether the page that answers a request is kept now."""
        return self._cache.get(key_of(request)) is not None

    def covers(self, request: SearchRequest) -> bool:
        """Tell whether a request would be answered now without a call of its own."""
        return self.keeps(request) or (self._cache, key_of(request)) in self._flights

    async def ask(self, request: SearchRequest, bills: Bills, call: Call, *, deadline: float) -> SearchPage:
        """Return the page that's kept, or else what the call for such a request brings, and keep that.

        A page without results isn't kept, nor is a failure. What is kept costs nothing. Where a call that others began
        ran out of time, and there's time left until `deadline` (on the event loop's clock), it's made once more. Raise
        what the call raises, or `SearchInterrupted`.
        """
        cache, key = self._cache, key_of(request)
        page = cache.get(key)
        if page is not None:
            return page

        async def fetch(own: Bills) -> SearchPage:
            found = await call(own)
            if found.results and cache is self._cache:
                cache.put(key, found, most_s=STANDING_IN_SECONDS if found.instead_of else float("inf"))
            return found

        joined = (cache, key) in self._flights
        try:
            return await self._flights.share((cache, key), bills, fetch)
        except errors.BackendTimeout:
            if not joined or asyncio.get_running_loop().time() + WORTHWHILE_SECONDS > deadline:
                raise
        return await self._flights.share((cache, key), bills, fetch)

    async def close(self) -> None:
        """Cancel calls under way, and keep nothing; closing twice does no harm."""
        await self._flights.close()
        self._cache.clear()

    def _open(self, config: Config) -> Cache:
        return Cache(config.web_cache_minutes * 60, clock=self._clock)


def key_of(request: SearchRequest) -> SearchRequest:
    """Return what is the same of two requests that bring the same results.

    The query is composed (NFC) and its spaces are folded already. Its case and order of words stay: an engine heeds
    both, and US isn't us. So does the count: no engine promises that five results are the first five of ten.
    """
    return replace(request, sites=tuple(sorted(request.sites))) if len(request.sites) > 1 else request
