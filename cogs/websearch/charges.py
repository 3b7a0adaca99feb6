"""Hold what is counted, as values: a search as it's charged, the limits that it's held against, what was used so far.

Money is in whole millionths of a US dollar, so that sums are exact.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

import msgspec

# Millionths in a US dollar.
DOLLAR: Final = 1_000_000
# Characters of what tells a search from others of the same minute and member.
TOKEN: Final = 8


class Limit(StrEnum):
    """Name what can stop a search: how many a member makes in any minute and in a day, a server in a day, or money."""

    MINUTE = "minute"
    MEMBER = "member"
    SERVER = "server"
    BUDGET = "budget"


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
    in direct messages, which no server's counter takes.
    """

    token: str

    user_id: int
    guild_id: int | None
    day: int
    instant: int
    cost: int


class Stop(msgspec.Struct, frozen=True, kw_only=True):
    """Say which limit stops a search; `until` is when a minute's limit ends, in Unix milliseconds, else None."""

    limit: Limit
    until: int | None = None


class Use(msgspec.Struct, frozen=True, kw_only=True):
    """Hold what was used: searches, and their cost in millionths of a US dollar."""

    searches: int = 0
    cost: int = 0


class Usage(msgspec.Struct, frozen=True, kw_only=True):
    """Hold what was used on one day by a member, by a server, and by all together."""

    member: Use = Use()
    server: Use = Use()
    total: Use = Use()


def to_millionths(dollars: float) -> int:
    """Return an amount in US dollars as whole millionths."""
    return round(dollars * DOLLAR)
