"""Define what the database is to the rest of the package: one protocol a concern."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from ..charges import Act

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from ..charges import Charge, Quota, Stop, Usage
    from ..health import Note
    from ..models import Session
    from ..settings import Choice, Settings, Spot


class SessionStore(Protocol):
    """Keep what the buttons under replies need. Every method raises `StoreFailed` where the database fails."""

    async def save(self, session: Session) -> bool:
        """Keep a session, in place of the one with its id where there is one, and tell whether that was shared.

        What was noted of sharing it stays.
        """

    async def load(self, session_id: str, *, now: float) -> Session | None:
        """Return the session, or None where there is none or it ended before `now` (Unix seconds)."""

    async def claim_share(self, session_id: str, *, now: float) -> bool:
        """Take it on to share a reply, unless it's shared, its session ended, or it was claimed in the last minute.

        Tell whether it was taken: of any number that claim it at once, one does.
        """

    async def settle_share(self, session_id: str, *, shared: bool) -> None:
        """Note whether a reply that was claimed is shared by now."""

    async def delete(self, session_id: str) -> None:
        """Delete the session; one that is not there is no error."""

    async def count(self, user_id: int, *, now: float) -> tuple[int, float]:
        """Count a member's sessions that haven't ended by `now`, and tell when the last one ends, both Unix seconds.

        Without any, that's 0.
        """

    async def forget(self, user_id: int) -> None:
        """Delete all sessions of a member, in steps as a purge; none is no error."""

    async def purge(self, *, now: float) -> None:
        """Delete every session that ended before `now`, in steps short enough to let others write in between."""


class MeterStore(Protocol):
    """Count searches by minute and day. Every method raises `StoreFailed` where the database fails."""

    async def charge(self, charge: Charge, quota: Quota) -> Stop | None:
        """Count a search in all its counters at once, or in none; no interleaving of charges passes a limit.

        Return what stops it, or None where it was counted.
        """

    async def hold(self, day: int, cost: int, budget: int | None) -> Stop | None:
        """Hold so much more of a day's budget, in millionths of a US dollar, for no member or server, or nothing.

        A negative cost is let go. Return what stops it, or None.
        """

    async def settle(self, charge: Charge, cost: int) -> None:
        """Replace what a search was charged with, and what is held for it, by a cost in millionths of a US dollar."""

    async def refund(self, charge: Charge, *, cost: int = 0, placed: bool = False) -> None:
        """Take a search out of its counters again, whatever the day is by now; no counter falls below zero.

        `cost`, in millionths of a US dollar, stays counted. A search that is `placed` keeps its place in the minute.
        """

    async def undo(self, charge: Charge) -> None:
        """Take a search out of its counters again if it was counted, as is unknown of one that was cancelled."""

    async def usage(self, *, day: int, user_id: int | None = None, guild_id: int | None = None) -> Usage:
        """Return what was used on a day, by a member and a server where they are named, and by all together."""

    async def minute(self, user_id: int, *, now: int) -> list[int]:
        """List when a member made the searches of the past minute, the first one first, in Unix milliseconds."""

    async def days(self, user_id: int) -> list[int]:
        """List the days of which a member's counts are kept, the first one first."""

    async def forget(self, user_id: int, *, before: int) -> None:
        """Delete a member's counts of the days before that one; none is no error."""

    async def purge(self, *, before: int, now: int) -> None:
        """Delete the days before that one, and minutes that are over, in steps that let others write in between.

        `before` counts as `date.toordinal` does, `now` is in Unix milliseconds.
        """


class SettingStore(Protocol):
    """Keep what moderators have set. Every method raises `StoreFailed` where the database fails."""

    async def revision(self, *, quiet: bool = False) -> int:
        """Return a number that every change of a setting moves; with `quiet`, a failure is not logged."""

    async def load(self, *, quiet: bool = False) -> Settings:
        """Return all settings; with `quiet`, a failure is not logged."""

    async def switch(self, spot: Spot, choice: Choice) -> None:
        """Store whether searching is on at a place; without an end, what was set for a time is gone."""

    async def hide(self, spot: Spot, choice: Choice) -> None:
        """Store whether replies at a place are for the asker alone."""

    async def clear(self, spot: Spot) -> None:
        """Delete what was set for a place itself, which follows the one above then; nothing set is no error."""

    async def rule_sites(self, guild_id: int, domains: Sequence[str], *, allowed: bool, by: int, at: float) -> bool:
        """Store that a server never shows these domains, or with `allowed` that it shows such alone; all, or none.

        What was said of one before is replaced. Tell whether it's stored: there's room for `limits.SITE_RULES`, also
        where several say so at once.
        """

    async def free_sites(self, guild_id: int, domains: Sequence[str]) -> None:
        """Delete what a server says of these domains; one of which it says nothing is no error."""

    async def count(self, user_id: int) -> int:
        """Tell how many settings and rules on sites name a moderator as the one who made them, in all servers."""

    async def forget_place(self, guild_id: int, place_id: int) -> None:
        """Delete the settings of a channel, category or thread that is gone, and of the threads in it."""

    async def forget_guild(self, guild_id: int) -> None:
        """Delete the settings of a server that the bot left, and that it did; one that is back keeps them."""

    async def depart(self, guild_id: int, *, now: float) -> None:
        """Note that the bot left a server, at `now` (Unix seconds)."""

    async def come_back(self, guild_id: int) -> None:
        """Note that the bot is in a server again; one that it never left is no error."""

    async def departed(self, *, until: float | None = None) -> list[int]:
        """Return the servers that the bot left, or those alone that it left at `until` or before (Unix seconds)."""

    async def purge(self, *, now: float) -> None:
        """Delete what was set for a time that ended at `now` or before, in steps as those of sessions."""


class AlertStore(Protocol):
    """Keep what the bot's owner was told of. Every method raises `StoreFailed` where the database fails."""

    async def claim(self, kind: str, place: str, *, now: float, before: float, lasts: bool, held: bool = False) -> bool:
        """Take it on to tell of a trouble, unless it was told after `before`; tell whether it was taken.

        Of any number of processes one takes it. Times are in Unix seconds; `lasts` says that its end is told, too, and
        `held` that not everybody can tell whether it's over.
        """

    async def mend(self, place: str, *, held: float = 0.0) -> list[tuple[str, str]]:
        """Note that what was told of a place is over; return kind and place of what wasn't yet.

        What is held is over, too, where it was told at `held` (Unix seconds) or before.
        """

    async def fail_part(self, kind: str, part: str, *, now: float) -> None:
        """Note that a part of something fails, of which a kind of trouble without a place is told."""

    async def mend_part(self, kind: str, part: str, *, now: float, stale: float) -> bool:
        """Note that this part works, and the trouble is over where no other fails; tell whether it wasn't over yet.

        What was noted to fail at `stale` or before, and not again, isn't waited for. Times are in Unix seconds.
        """

    async def release(self, kind: str, place: str) -> None:
        """Let anybody end what was held; nothing held is no error."""

    async def withdraw(self, kind: str, place: str, *, now: float) -> None:
        """Give back what was claimed at `now`, since it wasn't told: whoever meets the trouble next tells it."""


class EngineStore(Protocol):
    """Keep how the engines do, by their names in the configuration, and what each cost on a day.

    Every method raises `StoreFailed` where the database fails, which is not logged with `quiet`. Days count as
    `date.toordinal` does, costs are in millionths of a US dollar.
    """

    async def note(self, key: str, note: Note, *, act: Act = Act.SEARCH, quiet: bool = False) -> None:
        """Keep how an engine does at something, but for its cost.

        Of what several processes note, the latest success, the latest failure and its kind are kept; whoever notes last
        is believed in everything else, and where it knows no latency, the one before stays.
        """

    async def spend(self, day: int, key: str, cost: int, *, quiet: bool = False) -> int:
        """Add to what an engine cost on a day; return what that sums up to."""

    async def spent(self, day: int, *, quiet: bool = False) -> dict[str, int]:
        """Map each engine to what it cost on a day."""

    async def purge(self, *, before: int, until: float) -> None:
        """Delete the costs of days before that one, and what was last noted before `until` (Unix seconds)."""


class PauseStore(Protocol):
    """Keep which members keep chat bots from searching for them, in every server.

    Every method raises `StoreFailed` where the database fails.
    """

    async def pause(self, user_id: int, *, now: float) -> None:
        """Note that chat bots may not search for a member, since `now` (Unix seconds) or before."""

    async def resume(self, user_id: int) -> bool:
        """Note that they may again, and tell whether there was a pause; a member who paused nothing is no error."""

    async def is_paused(self, user_id: int) -> bool:
        """Tell whether chat bots may not search for a member."""


class Store(Protocol):
    """Keep what must outlive the process."""

    @property
    def sessions(self) -> SessionStore:
        """Give the sessions of replies."""

    @property
    def meters(self) -> MeterStore:
        """Give the counters of searches."""

    @property
    def settings(self) -> SettingStore:
        """Give what moderators have set."""

    @property
    def alerts(self) -> AlertStore:
        """Give what the bot's owner was told of."""

    @property
    def engines(self) -> EngineStore:
        """Give what is noted of the engines."""

    @property
    def pauses(self) -> PauseStore:
        """Give who keeps chat bots from searching."""

    async def backup(self, path: Path) -> int:
        """Write a copy of what's stored to a new file while others write, and return its size in bytes.

        It's of one moment, and holds all that was stored before. Raise `BackupRefused` for a path that can't be taken,
        `BackupFailed` where no copy came to be, also for a database that's copied by a program of its own, and
        `DatabaseUnusable` where the database can't be read.
        """

    async def close(self) -> None:
        """Close the database; closing twice does no harm."""
