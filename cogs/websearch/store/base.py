"""Define what the database is to the rest of the package: one protocol a concern."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from ..charges import Charge, Quota, Stop, Usage
    from ..models import Session


class SessionStore(Protocol):
    """Keep what the buttons under replies need. Every method raises `StoreFailed` where the database fails."""

    async def save(self, session: Session, *, now: float) -> None:
        """Keep a session, and delete some of those that ended before `now` (Unix seconds)."""

    async def load(self, session_id: str, *, now: float) -> Session | None:
        """Return the session, or None where there is none or it ended before `now`."""

    async def delete(self, session_id: str) -> None:
        """Delete the session; one that is not there is no error."""

    async def purge(self, *, now: float) -> None:
        """Delete every session that ended before `now`, in steps short enough to let others write in between."""


class MeterStore(Protocol):
    """Count searches by minute and day. Every method raises `StoreFailed` where the database fails."""

    async def charge(self, charge: Charge, quota: Quota) -> Charge | Stop:
        """Count a search in all its counters at once, or in none; no interleaving of charges passes a limit.

        Return it with the instant at which it was counted, or what stops it.
        """

    async def settle(self, charge: Charge, cost: int) -> None:
        """Replace the cost that a search was charged with, in millionths of a US dollar."""

    async def refund(self, charge: Charge) -> None:
        """Take a search out of its counters again, whatever the day is by now; no counter falls below zero."""

    async def usage(self, *, day: int, user_id: int | None = None, guild_id: int | None = None) -> Usage:
        """Return what was used on a day, by a member and a server where they are named, and by all together."""

    async def purge(self, *, before: int, now: int) -> None:
        """Delete the days before that one, and minutes that are over, in steps that let others write in between.

        `before` counts as `date.toordinal` does, `now` is in Unix milliseconds.
        """


class Store(Protocol):
    """Keep what must outlive the process."""

    @property
    def sessions(self) -> SessionStore:
        """Give the sessions of replies."""

    @property
    def meters(self) -> MeterStore:
        """Give the counters of searches."""

    async def close(self) -> None:
        """Close the database; closing twice does no harm."""
