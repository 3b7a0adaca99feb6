"""Charge searches before they are made, settle what they cost, and give back those that brought nothing."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from math import ceil
from secrets import token_hex
from typing import TYPE_CHECKING, Any, Final, TypeVar
from zoneinfo import ZoneInfo

from . import errors
from .charges import DOLLAR, TOKEN, Charge, Limit, Quota, to_millionths
from .days import day_at

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Coroutine, Mapping

    from .charges import Stop, Usage
    from .config import Config
    from .days import Day
    from .models import Asker
    from .store.base import MeterStore

T = TypeVar("T")

# What Exa asks for one search with up to ten results, text and highlights included, by `exa-search-type`: its list of
# prices per 1000 calls, in millionths of a US dollar a call.
_EXA_PRICE: Final = 7_000
_EXA_PRICES: Final[Mapping[str, int]] = {
    "lite": 4_000,
    "deep-lite": 12_000,
    "deep": 12_000,
    "deep-reasoning": 12_000,
}


@dataclass(eq=False)
class Receipt:
    """Stand for a search that was charged; it's settled or given back once, and what comes later changes nothing.

    `counted` is false until the database has said so. `cost` is what the engine says that the search cost, in US
    dollars, once it has said so.
    """

    charge: Charge
    counted: bool = False
    cost: float | None = None


class Meter:
    """Hold searches against the limits of a configuration, over counters that several processes share.

    `clock` tells Unix seconds. What was begun is finished also where whoever waits for it is cancelled.
    """

    def __init__(self, counters: MeterStore, *, clock: Callable[[], float]) -> None:
        self._counters = counters
        self._clock = clock
        self._zone = ""
        self._day: Day | None = None
        self._open: set[Receipt] = set()
        self._under_way: set[asyncio.Future[Any]] = set()

    @asynccontextmanager
    async def charged(self, asker: Asker, config: Config) -> AsyncIterator[Receipt]:
        """Charge a search that is made inside, settle it with the receipt's cost, or give it back where it fails.

        Raise `LimitReached` or `StoreFailed` before it's made. What the database fails to do afterwards is logged: the
        search stays counted then, with its estimate.
        """
        receipt = await self.charge(asker, config)
        try:
            yield receipt
        except Exception:
            with suppress(errors.StoreFailed):
                await self.refund(receipt)
            raise
        except BaseException:
            # Whoever is cancelled must not wait for a database.
            self._refund(receipt)
            raise
        with suppress(errors.StoreFailed):
            await self.settle(receipt)

    async def charge(self, asker: Asker, config: Config) -> Receipt:
        """Count a search with its estimated cost; raise `LimitReached` or `StoreFailed`, which counts nothing."""
        now = self._clock()
        day = self.today(config)
        quota = quota_of(config)
        charge = Charge(
            token=token_hex(TOKEN // 2),
            user_id=asker.user_id,
            guild_id=asker.guild_id,
            day=day.number,
            instant=int(now * 1000),
            cost=price_of(config),
        )
        receipt = Receipt(charge)
        self._open.add(receipt)
        try:
            stop = await self._counters.charge(charge, quota)
        except asyncio.CancelledError:
            # The database may count it all the same, though nobody is left to search.
            self._refund(receipt)
            raise
        except errors.StoreFailed:
            self._open.discard(receipt)
            raise
        if stop is not None:
            self._open.discard(receipt)
            raise _refusal(stop, quota, day)
        receipt.counted = True
        return receipt

    async def settle(self, receipt: Receipt) -> None:
        """Replace the estimate by the receipt's cost, unless the engine named none.

        Raise `StoreFailed`, which lets the estimate stand.
        """
        if self._close(receipt) and receipt.cost is not None:
            await asyncio.shield(self._start(self._counters.settle(receipt.charge, to_millionths(receipt.cost))))

    async def refund(self, receipt: Receipt) -> None:
        """Give a search back, with its place in the minute and its cost; raise `StoreFailed`, and it stays counted."""
        refunding = self._refund(receipt)
        if refunding is not None:
            await asyncio.shield(refunding)

    def today(self, config: Config) -> Day:
        """Return the day that it is in `web-timezone`."""
        now = self._clock()
        if self._day is None or self._zone != config.web_timezone or now not in self._day:
            self._zone = config.web_timezone
            self._day = day_at(now, ZoneInfo(config.web_timezone))
        return self._day

    async def usage(self, config: Config, *, user_id: int | None = None, guild_id: int | None = None) -> Usage:
        """Return what was used today, by a member and a server where they are named; raise `StoreFailed`."""
        return await self._counters.usage(day=self.today(config).number, user_id=user_id, guild_id=guild_id)

    async def purge(self, config: Config) -> None:
        """Delete counters that are older than `web-retention-days`; raise `StoreFailed`."""
        before = self.today(config).number - config.web_retention_days
        await self._counters.purge(before=before, now=int(self._clock() * 1000))

    async def close(self) -> None:
        """Give back what is still searched for, which nobody will see, and wait for that; the counters stay open."""
        for receipt in tuple(self._open):
            self._refund(receipt)
        while self._under_way:
            await asyncio.wait(set(self._under_way))

    def _refund(self, receipt: Receipt) -> asyncio.Future[None] | None:
        if not self._close(receipt):
            return None
        counters = self._counters
        return self._start(counters.refund(receipt.charge) if receipt.counted else counters.undo(receipt.charge))

    def _close(self, receipt: Receipt) -> bool:
        """Close a receipt; tell whether it was open."""
        was = receipt in self._open
        self._open.discard(receipt)
        return was

    def _start(self, work: Coroutine[object, object, T]) -> asyncio.Future[T]:
        """Begin something that goes on to its end, whatever happens to whoever waits for it."""
        task = asyncio.ensure_future(work)
        self._under_way.add(task)
        task.add_done_callback(self._end)
        return task

    def _end(self, task: asyncio.Future[Any]) -> None:
        self._under_way.discard(task)
        if not task.cancelled():
            # The store logged what failed; asyncio would log it once more where nobody waits any longer.
            task.exception()


def price_of(config: Config) -> int:
    """Estimate what one search costs with the configured engine, in millionths of a US dollar."""
    return _EXA_PRICES.get(config.exa_search_type, _EXA_PRICE) if config.web_backend == "exa" else 0


def quota_of(config: Config) -> Quota:
    """Return the limits that the configuration sets."""
    budget = config.web_daily_budget_usd
    return Quota(
        per_minute=config.web_per_minute,
        per_member=config.web_daily_per_user,
        per_server=config.web_daily_per_guild,
        budget=None if budget is None else to_millionths(budget),
    )


def _refusal(stop: Stop, quota: Quota, day: Day) -> errors.LimitReached:
    resets = day.ends if stop.until is None else ceil(stop.until / 1000)
    most: Mapping[Limit, float | None] = {
        Limit.MINUTE: quota.per_minute,
        Limit.MEMBER: quota.per_member,
        Limit.SERVER: quota.per_server,
        Limit.BUDGET: None if quota.budget is None else quota.budget / DOLLAR,
    }
    return errors.LimitReached(stop.limit, most[stop.limit] or 0, resets)
