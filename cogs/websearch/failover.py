"""Ask the first engine that's worth asking, and the next where that fails, all within one deadline."""

from __future__ import annotations

import asyncio
import logging
from functools import partial
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from . import errors
from .backends import terms
from .lineup import SHARE
from .pacing import QueueFull

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from .backends.base import Searcher
    from .charges import Bills
    from .health import Health
    from .lineup import Engine, Lineup
    from .models import SearchPage, SearchRequest
    from .notices import Notices

    # Holds what an engine may bill, beside what is in the bills already; raises where the budget has no room for it.
    Hold = Callable[[Bills, str], Awaitable[None]]

# An engine's own deadline comes first: only the engine knows whether anything was sent by then.
_GRACE_S: Final = 0.1
# How long a search takes, in seconds, of an engine that wasn't asked yet.
_UNKNOWN_S: Final = 1.0
# What no other engine is asked after: what was asked for is at fault.
_FINAL: Final = (errors.ContentProhibited, errors.RequestRejected)

_log = logging.getLogger(__name__)


class Failover:
    """Ask the engines of a lineup, one after the other; `notices` learns what each search says of its engine."""

    def __init__(self, lineup: Lineup, notices: Notices) -> None:
        self._lineup = lineup
        self._notices = notices

    def first(self, request: SearchRequest) -> str:
        """Name the engine that a request would go to first, as the configuration does.

        Raise `InvalidSearch` or `SearchDisabled` where there's none.
        """
        fit = self._lineup.fit(request)
        return next((engine.key for engine in fit if engine.slot.health.refusal is None), fit[0].key)

    def check(self, request: SearchRequest) -> None:
        """Raise what the first engine's refusal is where no engine is worth asking; ask none.

        Raise `InvalidSearch` or `SearchDisabled` where there's none that could be asked.
        """
        fit = self._lineup.fit(request)
        if all(engine.slot.health.refusal is not None for engine in fit):
            with self._notices.watching(fit[0].slot) as health:
                health.check()

    async def ask(self, request: SearchRequest, bills: Bills, *, deadline: float, hold: Hold) -> SearchPage:
        """Return what the first engine answers that does, by a deadline on the event loop's clock.

        Note in `bills` what each engine may bill, for which `hold` holds money before it's asked, or raises. One after
        which another may be asked gets two thirds of the time that's left, the last one all of it. One that can't
        honour an option is never asked, nor is any where no time is left. Raise `BackendError`: what says that the
        search itself won't do, or else how the first one failed. Where none was asked, raise what `hold` does, or
        `InvalidSearch`.
        """
        now = asyncio.get_running_loop().time
        fit = self._lineup.fit(request)
        first: errors.BackendError | None = None
        unasked: errors.SearchError = errors.SearchDisabled()
        for number, engine in enumerate(fit):
            left = deadline - now()
            if not engine.slot.name:
                continue
            if left <= 0:
                # Nobody's failure but that of whatever took so long before.
                unasked = errors.BackendBusy(engine.slot.name)
                break
            others = any(other.slot.name and other.slot.health.refusal is None for other in fit[number + 1 :])
            try:
                page = await self._try(engine, request, bills, left * SHARE if others else left, hold)
            except _FINAL:
                raise
            except (errors.SearchRefused, errors.InvalidSearch) as error:
                unasked = error
            except errors.BackendError as error:
                first = first or error
                if engine.slot.health.refusal is not None:
                    # Whoever waits for a turn goes on to the next engine at once.
                    engine.pace.dissolve()
            else:
                return page if first is None else replace(page, instead_of=first.backend)
        raise first or unasked

    async def _try(
        self, engine: Engine, request: SearchRequest, bills: Bills, seconds: float, hold: Hold
    ) -> SearchPage:
        now = asyncio.get_running_loop().time
        end = now() + seconds
        with engine.slot.use() as searcher, self._notices.watching(engine.slot) as health:
            health.check()
            await hold(bills, engine.key)
            await _queue(engine, searcher, health, seconds)
            with health.attempt():
                bills.ask(engine.key)
                try:
                    left = max(end - now(), 0.0)
                    with terms.under(terms.Terms(left, partial(_turn, engine, health))):
                        page = await fetch(searcher, request, left)
                except errors.BackendError as error:
                    bills.fail(engine.key, error)
                    raise
                except errors.InvalidSearch:
                    bills.withdraw(engine.key)
                    raise
        bills.answer(engine.key, page.cost, lost=page.lost)
        return page


async def _queue(engine: Engine, searcher: Searcher, health: Health, seconds: float) -> None:
    """Wait for the engine's pace as long as leaves time to ask; raise `BackendBusy` at once where that's too short."""
    try:
        await engine.pace.turn(_patience(health, seconds))
    except QueueFull as full:
        raise errors.BackendBusy(searcher.name, retry_after=full.seconds) from None


async def _turn(engine: Engine, health: Health, seconds: float) -> bool:
    """Wait likewise for the turn of a further try; return False at once where that's too short, or nobody is to ask."""
    try:
        return await engine.pace.turn(_patience(health, seconds))
    except QueueFull:
        return False


def _patience(health: Health, seconds: float) -> float:
    usual = _UNKNOWN_S if health.latency is None else health.latency
    return seconds - min(usual, seconds / 2)


async def fetch(searcher: Searcher, request: SearchRequest, timeout_s: float) -> SearchPage:
    """Ask one engine for as long as that many seconds; raise `BackendError`, which is logged, too."""
    try:
        async with asyncio.timeout(timeout_s + _GRACE_S):
            return await searcher.search(request)
    except TimeoutError:
        raise _logged(errors.BackendTimeout(searcher.name, billed=True)) from None
    except errors.BackendError as error:
        raise _logged(error) from None


def _logged(error: errors.BackendError) -> errors.BackendError:
    # The detail was stripped of query and keys by the engine's adapter. Not the error itself: what keeps log records
    # would keep its traceback, and all that the search held.
    _log.warning("%s failed: %s %s %s", error.backend, error.key, error.tag, error.detail)
    return error
