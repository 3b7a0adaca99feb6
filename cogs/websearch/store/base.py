"""Define what the database is to the rest of the package: one protocol a concern."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
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


class Store(Protocol):
    """Keep what must outlive the process."""

    @property
    def sessions(self) -> SessionStore:
        """Give the sessions of replies."""

    async def close(self) -> None:
        """Close the database; closing twice does no harm."""
