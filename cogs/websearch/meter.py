"""Charge searches before they are made, settle what they cost, and give back those that brought nothing."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter, deque
from contextlib import asynccontextmanager
from functools import partial
from math import ceil
from secrets import token_hex
from typing import TYPE_CHECKING, Any, Final

import msgspec
from msgspec.structs import replace

from . import backends, errors
from .charges import DOLLAR, TOKEN, Act, Bills, Charge, Limit, Quota, to_millionths
from .days import day_at, zone_of
from .spending import Spending

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
    from typing import TypeAlias

    from .charges import Stop, Usage, Use
    from .config import Config
    from .days import Day
    from .models import Asker
    from .store.base import MeterStore

    # What is still to be told to the database; it may be told again where that failed.
    Due: TypeAlias = Callable[[], Awaitable[None]]

# What the database failed to take down, and may get again: some minutes of a busy bot.
_MOST_DUE: Final = 256
# How long closing may wait for a database that failed before, in seconds.
_CLOSING_S: Final = 5.0

_log = logging.getLogger(__name__)


class Receipt(msgspec.Struct, eq=False):
    """Stand for a search that was charged; it's settled or given back once, and what comes later changes nothing.

    `kind` is what costs the same each time. `counted` is false until the database has said so. `bills` is where whoever
    asks notes what each engine costs.
    """

    charge: Charge
    act: Act
    kind: str
    counted: bool = False
    bills: Bills = msgspec.field(default_factory=Bills)

    @property
    def held(self) -> Charge:
        """Return the charge with what the database holds for it by now."""
        return replace(self.charge, held=self.bills.held)


class Meter:
    """Hold searches against the limits of a configuration, over counters that several processes share.

    `clock` tells Unix seconds. What a search came to is told to the database while its member already reads; what the
    database fails to take down is tried again before the next charge, and with the next purge.
    """

    def __init__(self, counters: MeterStore, *, clock: Callable[[], float]) -> None:
        self._counters = counters
        self._clock = clock
        self._zone = ""
        self._day: Day | None = None
        self._open: set[Receipt] = set()
        self._under_way: set[asyncio.Future[Any]] = set()
        self._due: deque[Due] = deque(maxlen=_MOST_DUE)
        # What each engine last named as the cost of a search, and on which day: a price that was named by mistake must
        # not stop searches for longer. Answers and pages have prices of their own.
        self._named: dict[tuple[str, str], tuple[int, int]] = {}
        self.spending = Spending()
        # What the budget of each day holds for searches that aren't settled yet.
        self._held: Counter[int] = Counter()

    @asynccontextmanager
    async def charged(
        self, asker: Asker, config: Config, engine: str | None, *, by: float, act: Act = Act.SEARCH
    ) -> AsyncIterator[Receipt]:
        """Charge a search that is made inside, settle it with the receipt's bills, or give it back where it fails.

        `engine` is asked first, or None where no engine is; it's charged `by` that moment on the event loop's clock.
        What the engine won't search for counts as a search that costs nothing. Other failures of an engine that was
        asked take no more than their place in the minute, and what they cost; a search that ends otherwise takes its
        cost alone.
        Raise `LimitReached`, `BudgetHeld` or `StoreFailed` before it's made. What the database fails to do afterwards
        is logged.
        """
        try:
            async with asyncio.timeout_at(by):
                receipt = await self.charge(asker, config, engine, act)
        except TimeoutError:
            _log.error("the database failed to %s: %s", "count a search", "TIMEOUT")
            await _stand_in_line()
            raise errors.StoreFailed from None
        try:
            yield receipt
        except (errors.ContentProhibited, errors.RequestRejected):
            self._settle(receipt)
            await _stand_in_line()
            raise
        except errors.SearchInterrupted:
            self._refund(receipt)
            raise
        except errors.SearchError:
            # What is known without asking an engine needs nobody to be held back.
            self._refund(receipt, placed=bool(receipt.bills.named))
            await _stand_in_line()
            raise
        except BaseException:
            self._refund(receipt)
            raise
        self._settle(receipt)
        await _stand_in_line()

    async def charge(self, asker: Asker, config: Config, engine: str | None, act: Act = Act.SEARCH) -> Receipt:
        """Count a search with what it's thought to cost with an engine, or nothing where none is asked.

        Raise `LimitReached`, `BudgetHeld` or `StoreFailed`, which counts nothing.
        """
        if self._due:
            # What was to be given back must not stop who searches now.
            await asyncio.shield(self._start(self._catch_up))
        now = self._clock()
        day = self.today(config)
        quota = quota_of(config)
        charge = Charge(
            token=token_hex(TOKEN // 2),
            user_id=asker.user_id,
            guild_id=asker.guild_id,
            day=day.number,
            instant=int(now * 1000),
            cost=0 if engine is None else self._estimate(config, engine, act, day),
        )
        receipt = Receipt(charge, act, _kind(config, act))
        self._open.add(receipt)
        try:
            stop = await self._counters.charge(charge, quota)
        except asyncio.CancelledError:
            # The database may count it all the same, though nobody is left to search.
            self._refund(receipt)
            raise
        except BaseException:
            self._open.discard(receipt)
            raise
        if stop is not None:
            self._open.discard(receipt)
            raise self._refusal(stop, quota, day, charge.cost)
        receipt.counted = True
        self._held[day.number] += charge.cost
        return receipt

    async def hold(self, receipt: Receipt, bills: Bills, config: Config, engine: str) -> None:
        """Hold what asking an engine may cost, on top of what is in a call's bills, where that's more than was charged.

        Raise `LimitReached`, `BudgetHeld` or `StoreFailed`, which holds nothing.
        """
        day, quota = self.today(config), quota_of(config)
        estimate = bills.estimates[engine] = self._estimate(config, engine, receipt.act, day)
        missing = sum(bills.costs.values()) + estimate - receipt.charge.cost - bills.held
        if missing <= 0 or quota.budget is None:
            return
        charged_on = receipt.charge.day
        holding = asyncio.ensure_future(self._counters.hold(charged_on, missing, quota.budget))
        try:
            stop = await asyncio.shield(holding)
        except asyncio.CancelledError:
            # The database may hold it all the same, though nobody is left to search.
            self._start(partial(self._let_go, holding, charged_on, missing))
            raise
        if stop is not None:
            raise self._refusal(stop, quota, day, missing)
        bills.held += missing
        self._held[charged_on] += missing

    def today(self, config: Config) -> Day:
        """Return the day that it is in `web-timezone`."""
        now = self._clock()
        if self._day is None or self._zone != config.web_timezone or now not in self._day:
            self._zone = config.web_timezone
            self._day = day_at(now, zone_of(config.web_timezone))
        return self._day

    async def usage(self, config: Config, *, user_id: int | None = None, guild_id: int | None = None) -> Usage:
        """Return what was used today, by a member and a server where they are named; raise `StoreFailed`."""
        return await self._counters.usage(day=self.today(config).number, user_id=user_id, guild_id=guild_id)

    async def purge(self, config: Config) -> None:
        """Delete counters that are older than `web-retention-days`; raise `StoreFailed`."""
        await asyncio.shield(self._start(self._catch_up))
        before = self.today(config).number - config.web_retention_days
        await self._counters.purge(before=before, now=int(self._clock() * 1000))

    async def close(self) -> None:
        """Give back what is still searched for, which nobody will see, and wait for that; the counters stay open.

        What the database failed to take down before is tried a last time, for some seconds.
        """
        for receipt in tuple(self._open):
            self._refund(receipt)
        while self._under_way:
            await asyncio.wait(set(self._under_way))
        if self._due:
            last = self._start(self._catch_up)
            _, late = await asyncio.wait({last}, timeout=_CLOSING_S)
            if late:
                last.cancel()
                await asyncio.wait(late)

    def is_spent(self, config: Config, total: Use) -> bool:
        """Tell whether what all have used today leaves the day's budget no room for a search."""
        budget, day = quota_of(config).budget, self.today(config)
        price = self._estimate(config, config.web_backend, Act.SEARCH, day)
        return budget is not None and self._exceeds(budget, total.cost + price, day)

    def spent(self, config: Config, engine: str) -> int:
        """Return what was spent today on an engine, in millionths of a US dollar."""
        return self.spending.total(self.today(config).number, engine)

    def _settle(self, receipt: Receipt) -> None:
        """Replace the estimate by what the engines that were asked cost."""
        if not self._close(receipt):
            return
        cost, held = self._cost_of(receipt), receipt.held
        if cost == held.cost and not held.held:
            self._held[held.day] -= held.cost
        else:
            self._start(partial(self._clear, held, partial(self._counters.settle, held, cost)))

    def _refund(self, receipt: Receipt, *, placed: bool = False) -> None:
        """Give a search back, but for what it cost if an engine was asked, and its place in the minute if `placed`."""
        if not self._close(receipt):
            return
        if receipt.counted:
            cost, held = self._cost_of(receipt), receipt.held
            refund = partial(self._counters.refund, held, cost=cost, placed=placed)
            self._start(partial(self._clear, held, refund))
        else:
            self._start(partial(self._counters.undo, receipt.charge))

    def _close(self, receipt: Receipt) -> bool:
        """Close a receipt; tell whether it was open."""
        was = receipt in self._open
        self._open.discard(receipt)
        return was

    def _cost_of(self, receipt: Receipt) -> int:
        """Return what a search cost with all engines together; remember what each named, and what is spent on it."""
        day, costs = receipt.charge.day, receipt.bills.costs
        for engine, cost in costs.items():
            # A search that began the day before, and ends on this one, is none of today's.
            self.spending.add(day, engine, cost)
            named = receipt.bills.named[engine]
            if named and self._named.get((engine, receipt.kind), (day, 0))[0] <= day:
                self._named[engine, receipt.kind] = day, to_millionths(named)
        return sum(costs.values())

    async def _clear(self, held: Charge, due: Due) -> None:
        """Tell the database what a search came to, whereupon nothing is held for it any more."""
        await due()
        self._held[held.day] -= held.cost + held.held

    async def _let_go(self, holding: asyncio.Future[Stop | None], day: int, cost: int) -> None:
        """Hold no longer what was to be held for a call that's cancelled."""
        await asyncio.wait({holding})
        if holding.exception() is None and holding.result() is None:
            await self._counters.hold(day, -cost, None)

    def _refusal(self, stop: Stop, quota: Quota, day: Day, cost: int) -> errors.SearchRefused:
        """Make the error for what stops a search, or the part of one that would cost so much."""
        if stop.limit is Limit.BUDGET and not self._exceeds(quota.budget or 0, stop.spent + cost, day):
            return errors.BudgetHeld()
        return _refusal(stop, quota, day)

    def _exceeds(self, budget: int, cost: int, day: Day) -> bool:
        """Tell whether a cost is more than a budget, also without what the day holds for what isn't settled yet."""
        return cost - self._held[day.number] > budget

    def _estimate(self, config: Config, engine: str, act: Act, day: Day) -> int:
        """Estimate what an engine costs, or what it named last on that day for the like if it's more."""
        named_on, cost = self._named.get((engine, _kind(config, act)), (0, 0))
        return max(price_of(config, engine, act), cost if named_on == day.number else 0)

    def _start(self, due: Due) -> asyncio.Task[None]:
        """Begin something that goes on to its end, whatever happens to whoever waits for it."""
        task = asyncio.ensure_future(self._do(due))
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)
        return task

    async def _do(self, due: Due) -> None:
        try:
            await due()
        except errors.StoreFailed:
            # The store has logged it.
            self._due.append(due)

    async def _catch_up(self) -> None:
        """Try again what the database failed to take down, until it fails once more."""
        while self._due:
            due = self._due.popleft()
            try:
                await due()
            except errors.StoreFailed:
                self._due.appendleft(due)
                return


async def _stand_in_line() -> None:
    """Let what was begun reach the database before anything that whoever waits here does next."""
    await asyncio.sleep(0)


def price_of(config: Config, engine: str, act: Act = Act.SEARCH) -> int:
    """Estimate what an engine costs each time, in millionths of a US dollar."""
    return to_millionths(backends.adapter(engine).list_price(config, act))


def _kind(config: Config, act: Act) -> str:
    """Name what costs the same each time: another kind of search with Exa has another price."""
    return config.exa_search_type if act is Act.SEARCH else act


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
