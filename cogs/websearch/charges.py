"""Hold what is counted, as values: a search as it's charged and billed, the limits it's held against, what was used.

Money is in whole millionths of a US dollar, so that sums are exact; bills alone are in dollars, as engines name them.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Final

import msgspec

from . import errors

if TYPE_CHECKING:
    from collections.abc import Sequence

# Millionths in a US dollar.
DOLLAR: Final = 1_000_000
# Milliseconds in a minute.
MINUTE_MS: Final = 60_000
# Characters of what tells a search from others of the same minute and member.
TOKEN: Final = 8


class Limit(StrEnum):
    """Name what can stop a search: how many a member makes in any minute and in a day, a server in a day, or money."""

    MINUTE = "minute"
    MEMBER = "member"
    SERVER = "server"
    BUDGET = "budget"


class Act(StrEnum):
    """Name what an engine is asked to do; each is one search to the limits, and has a price of its own."""

    SEARCH = "search"
    ANSWER = "answer"
    READ = "read"


class Quota(msgspec.Struct, frozen=True, kw_only=True):
    """Hold how much is allowed, in searches and, for `budget`, in millionths of a US dollar; None is no limit."""

    per_minute: int
    per_member: int
    per_server: int | None = None
    budget: int | None = None


class Charge(msgspec.Struct, frozen=True, kw_only=True):
    """Hold one search as it's counted.

    `token` tells it from others of the same member: `TOKEN` characters, none of them a comma or a colon. `day` counts
    as `date.toordinal` does, `instant` is in Unix milliseconds, `cost` in millionths of a US dollar. `guild_id` is None
    in direct messages, which no server's counter takes. `held` is what was held of the day's budget since, beyond
    `cost` and for no member or server.
    """

    token: str
    user_id: int
    guild_id: int | None
    day: int
    instant: int
    cost: int
    held: int = 0


class Bills(msgspec.Struct, eq=False):
    """Hold which engines were asked for one search, by their names in the configuration, and what each named as cost.

    Costs are in US dollars; None is where an engine was asked and has named none yet, so that its list price stands.
    What nothing was asked for, such as a repeat, has no entry. `lost` counts the further requests to an engine that
    went out and weren't answered: each may be billed. `estimates` are what a request is thought to cost with an engine,
    and `held` is what is held of the day's budget beyond what the search was charged with, in millionths.
    """

    named: dict[str, float | None] = msgspec.field(default_factory=dict)
    lost: dict[str, int] = msgspec.field(default_factory=dict)
    estimates: dict[str, int] = msgspec.field(default_factory=dict)
    held: int = 0

    @property
    def costs(self) -> dict[str, int]:
        """Map each engine that was asked to what it may bill in all, in millionths."""
        return {
            engine: (self.estimates.get(engine, 0) if named is None else to_millionths(named))
            + self.lost.get(engine, 0) * self.estimates.get(engine, 0)
            for engine, named in self.named.items()
        }

    def ask(self, engine: str) -> None:
        """Note that an engine is being asked: whatever happens now, it may bill."""
        self.named[engine] = None

    def answer(self, engine: str, cost: float | None, *, lost: int = 0) -> None:
        """Note what the engine named, or that it named nothing, and how many requests were lost before."""
        self.named[engine] = cost
        self.lost[engine] = lost

    def fail(self, engine: str, error: errors.BackendError) -> None:
        """Note what the engine may bill for a search that it failed."""
        free = isinstance(error, errors.ContentProhibited | errors.RequestRejected) or not error.billed
        self.named[engine] = 0.0 if free else error.cost
        self.lost[engine] = error.lost

    def withdraw(self, engine: str) -> None:
        """Note that the engine wasn't asked after all."""
        self.named.pop(engine, None)

    def add(self, call: Bills) -> None:
        """Note what a call has come to, beside what earlier ones have."""
        self.estimates |= call.estimates
        self.held += call.held
        for engine, named in call.named.items():
            lost = self.lost.get(engine, 0) + call.lost.get(engine, 0)
            earlier = self.named.get(engine, 0.0)
            # Of two requests, one that named nothing is as good as lost.
            self.lost[engine] = lost + (engine in self.named and None in {earlier, named})
            known = [cost for cost in (earlier, named) if cost is not None]
            self.named[engine] = sum(known) if engine in self.named and known else named


class Stop(msgspec.Struct, frozen=True, kw_only=True):
    """Say which limit stops a search; `until` is when a minute's limit ends, in Unix milliseconds, else None.

    `spent` is what the day's budget has spent or holds, in millionths of a US dollar, where that's what stops it.
    """

    limit: Limit
    until: int | None = None
    spent: int = 0


class Use(msgspec.Struct, frozen=True, kw_only=True):
    """Hold what was used: searches, and their cost in millionths of a US dollar."""

    searches: int = 0
    cost: int = 0


class Usage(msgspec.Struct, frozen=True, kw_only=True):
    """Hold what was used on one day by a member, by a server, and by all together."""

    member: Use = msgspec.field(default_factory=Use)
    server: Use = msgspec.field(default_factory=Use)
    total: Use = msgspec.field(default_factory=Use)


def frees_at(instants: Sequence[int], per_minute: int) -> int:
    """Tell when the limit of a minute has one more place, in Unix milliseconds.

    That's when the first search that it counts is a minute old; `instants` are when searches were made, in order, and
    at least one.
    """
    return instants[-per_minute:][0] + MINUTE_MS


def to_millionths(dollars: float) -> int:
    """Return an amount in US dollars as whole millionths."""
    return round(dollars * DOLLAR)
