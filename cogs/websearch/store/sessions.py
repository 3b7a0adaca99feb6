"""Keep the sessions of replies in SQLite."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

import msgspec
from msgspec.structs import replace

from ..models import Session
from .database import failed

if TYPE_CHECKING:
    from .database import Database

_log = logging.getLogger(__name__)

# Ended sessions that one step of a purge deletes: a few milliseconds' work.
_PURGED: Final = 200

# How long a claim to share a reply holds, in seconds: longer than Discord takes for it.
CLAIM_SECONDS: Final = 60.0

_SAVE: Final = """
INSERT INTO session (id, expires, payload, user_id) VALUES (?, ?, ?, ?)
ON CONFLICT (id) DO UPDATE SET expires = excluded.expires, payload = excluded.payload, user_id = excluded.user_id
RETURNING shared
"""

_CLAIM: Final = """
UPDATE session SET claimed = :now
WHERE id = :id AND expires >= :now AND NOT shared AND (claimed IS NULL OR claimed NOT BETWEEN :until AND :now)
RETURNING 1
"""

_DELETE_ENDED: Final = (
    "DELETE FROM session WHERE id IN (SELECT id FROM session WHERE expires < ? ORDER BY expires LIMIT ?) RETURNING 1"
)
# Those that were made before the owner had a column are few, and soon none.
_DELETE_OWN: Final = """
DELETE FROM session WHERE id IN (
    SELECT id FROM session WHERE user_id = :member
    UNION ALL
    SELECT id FROM session WHERE user_id IS NULL AND json_valid(CAST(payload AS TEXT))
        AND json_extract(CAST(payload AS TEXT), '$.asker.user_id') = :member
    LIMIT :most
) RETURNING 1
"""


class SqliteSessions:
    """Be a `SessionStore` over a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def save(self, session: Session) -> bool:
        """Keep a session, in place of the one with its id where there is one, and tell whether that was shared.

        What was noted of sharing it stays.
        """
        operation = "save a session"
        try:
            payload = msgspec.json.encode(session)
        except UnicodeEncodeError:
            # Cleaning takes lone surrogates out; what got past it is no reason for a traceback.
            raise failed(operation, "a text that is no Unicode") from None
        values = (session.id, session.expires, payload, session.asker.user_id)
        ((shared,),) = await self._database.run(operation, _SAVE, values)
        return bool(shared)

    async def load(self, session_id: str, *, now: float) -> Session | None:
        """Return the session, or None where there is none or it ended before `now` (Unix seconds)."""
        statement = "SELECT payload, shared FROM session WHERE id = ? AND expires >= ?"
        for payload, shared in await self._database.run("load a session", statement, (session_id, now)):
            try:
                return replace(msgspec.json.decode(payload, type=Session), shared=bool(shared))
            except msgspec.MsgspecError:
                _log.warning("a session was written by another version, so it's taken as ended")
        return None

    async def claim_share(self, session_id: str, *, now: float) -> bool:
        """Take it on to share a reply, unless it's shared, its session ended, or it was claimed in the last minute.

        Tell whether it was taken: of any number that claim it at once, one does.
        """
        values = {"id": session_id, "now": now, "until": now - CLAIM_SECONDS}
        return bool(await self._database.run("claim a reply to be shared", _CLAIM, values))

    async def settle_share(self, session_id: str, *, shared: bool) -> None:
        """Note whether a reply that was claimed is shared by now."""
        statement = "UPDATE session SET shared = ?, claimed = NULL WHERE id = ?"
        await self._database.run("note that a reply is shared", statement, (shared, session_id))

    async def delete(self, session_id: str) -> None:
        """Delete the session; one that is not there is no error."""
        await self._database.run("delete a session", "DELETE FROM session WHERE id = ?", (session_id,))

    async def count(self, user_id: int, *, now: float) -> tuple[int, float]:
        """Count a member's sessions that haven't ended by `now`, and tell when the last one ends, both Unix seconds.

        Without any, that's 0.
        """
        statement = "SELECT count(*), coalesce(max(expires), 0) FROM session WHERE user_id = ? AND expires >= ?"
        ((count, until),) = await self._database.run("count sessions", statement, (user_id, now))
        return count, until

    async def forget(self, user_id: int) -> None:
        """Delete all sessions of a member, in steps as a purge; none is no error."""
        deleted = _PURGED
        while deleted == _PURGED:
            rows = await self._database.run(
                "delete a member's sessions", _DELETE_OWN, {"member": user_id, "most": _PURGED}
            )
            deleted = len(rows)

    async def purge(self, *, now: float) -> None:
        """Delete every session that ended before `now`, in steps short enough to let others write in between."""
        deleted = _PURGED
        while deleted == _PURGED:
            deleted = len(await self._database.run("delete ended sessions", _DELETE_ENDED, (now, _PURGED)))
