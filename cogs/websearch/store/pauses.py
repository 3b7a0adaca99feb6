"""Keep in SQLite which members keep chat bots from searching for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .database import Database


class SqlitePauses:
    """Be a `PauseStore` over a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def pause(self, user_id: int, *, now: float) -> None:
        """Note that chat bots may not search for a member, since `now` (Unix seconds) or before."""
        statement = "INSERT INTO pause (user_id, since) VALUES (?, ?) ON CONFLICT (user_id) DO NOTHING"
        await self._database.run("pause searching for a member", statement, (user_id, now))

    async def resume(self, user_id: int) -> bool:
        """Note that they may again, and tell whether there was a pause; a member who paused nothing is no error."""
        statement = "DELETE FROM pause WHERE user_id = ? RETURNING 1"
        return bool(await self._database.run("end a member's pause", statement, (user_id,)))

    async def is_paused(self, user_id: int) -> bool:
        """Tell whether chat bots may not search for a member."""
        statement = "SELECT 1 FROM pause WHERE user_id = ?"
        return bool(await self._database.run("look for a member's pause", statement, (user_id,)))
