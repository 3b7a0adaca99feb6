"""Hold what the bot's owner is told of, as values: which kind of trouble, where, how often and since when."""

from __future__ import annotations

from enum import Enum, StrEnum

import msgspec

from .days import Day


class Kind(StrEnum):
    """Name the kinds of trouble that an owner can end; the values stand in the database."""

    KEY = "key-refused"
    CREDITS = "credits-exhausted"
    BUDGET = "budget-spent"
    ENGINE = "engine-down"
    DATABASE = "database-failing"


class Part(Enum):
    """Name what is done with the database, each of which may fail while others work; the values stand in it."""

    SEARCHES = "searches"
    SESSIONS = "sessions"
    OWN = "own"
    PAUSES = "pauses"
    USAGE = "usage"
    TIDYING = "tidying"


class Trouble(msgspec.Struct, frozen=True, kw_only=True):
    """Hold one trouble; none of it comes from what a member typed.

    `where` is the engine's name as it's shown, or empty where the trouble is our own. `key` is the last error's, as the
    log and docs/errors.md have it; `detail` is what the engine said, cleaned, cut and unescaped. `count` searches have
    failed since `since` (Unix seconds). `day` is the day that a budget was for, and `sum` the budget in US dollars.
    """

    kind: Kind
    since: float
    count: int = 1
    where: str = ""
    key: str = ""
    detail: str = ""
    day: Day | None = None
    sum: float = 0.0
