"""Tell members what they have searched for how often, what is kept of that, and forget it."""

from __future__ import annotations

from datetime import date
from math import ceil
from typing import TYPE_CHECKING

import msgspec

from .charges import Quota, Use, frees_at
from .meter import quota_of
from .troubles import Part

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from .config import Config
    from .meter import Meter
    from .recent import Recent
    from .store.base import Store


class Own(msgspec.Struct, frozen=True, kw_only=True):
    """Hold what a member sees of their own searches.

    `minute` counts those of the past minute, `frees` is when the first that the limit counts is a minute old. `today`
    is what the member has used, `server` what their server has, or None outside of one; both begin anew at `ends`.
    `spent` is true where what all may cost today has no room for a search. `sessions` counts replies whose buttons
    work, `until` is when the last of them ends. Counts are kept of `days`, of which `since` is the first. `paused` is
    true where chat bots may not search for the member. `settings` counts what they set as a moderator, in all servers.
    Moments are in Unix seconds.
    """

    quota: Quota
    minute: int
    frees: int
    today: Use
    server: Use | None
    ends: int
    spent: bool
    sessions: int
    until: int
    days: int
    since: date | None
    paused: bool
    settings: int

    @property
    def left_in_minute(self) -> int:
        """Tell how many searches the limit of a minute has left."""
        return max(self.quota.per_minute - self.minute, 0)

    @property
    def left_today(self) -> int:
        """Tell how many searches the member's limit of a day has left."""
        return max(self.quota.per_member - self.today.searches, 0)

    @property
    def left_in_server(self) -> int | None:
        """Tell how many searches the server's limit of a day has left, or None without a limit, or a server."""
        if self.server is None or self.quota.per_server is None:
            return None
        return max(self.quota.per_server - self.server.searches, 0)


class Forgotten(msgspec.Struct, frozen=True):
    """Say what a member should know of being forgotten.

    `lifted` is true where they had a pause, so that chat bots may search for them again. `settings` counts what they
    set as a moderator, which stays.
    """

    lifted: bool
    settings: int


class OwnSearches:
    """Look up, and forget, what is kept of one member.

    `config` tells the configuration of now, `clock` Unix seconds. The database is used inside what `noticing` makes for
    what it's used for.
    """

    def __init__(
        self,
        kept: Store,
        meter: Meter,
        recent: Recent,
        config: Callable[[], Config],
        noticing: Callable[[Part], AbstractContextManager[None]],
        *,
        clock: Callable[[], float],
    ) -> None:
        self._kept = kept
        self._meter = meter
        self._recent = recent
        self._config = config
        self._noticing = noticing
        self._clock = clock

    async def look(self, user_id: int, guild_id: int | None) -> Own:
        """Return what a member sees of their own searches, in that server or outside of any; raise `StoreFailed`."""
        config, now = self._config(), self._clock()
        quota, day = quota_of(config), self._meter.today(config)
        with self._noticing(Part.OWN):
            usage = await self._meter.usage(config, user_id=user_id, guild_id=guild_id)
            minute = await self._kept.meters.minute(user_id, now=int(now * 1000))
            sessions, until = await self._kept.sessions.count(user_id, now=now)
            days = await self._kept.meters.days(user_id)
            paused = await self._kept.pauses.is_paused(user_id)
            settings = await self._kept.settings.count(user_id)
        return Own(
            quota=quota,
            minute=len(minute),
            frees=ceil(frees_at(minute, quota.per_minute) / 1000) if minute else 0,
            today=usage.member,
            server=None if guild_id is None else usage.server,
            ends=day.ends,
            spent=self._meter.is_spent(config, usage.total),
            sessions=sessions,
            until=int(until),
            days=len(days),
            since=date.fromordinal(days[0]) if days else None,
            paused=paused,
            settings=settings,
        )

    async def forget(self, user_id: int) -> Forgotten:
        """Delete a member's sessions, the pause, and the counts before today; raise `StoreFailed`.

        Today's count and the past minute stay, so that no limit begins anew by it; so does what they set as a
        moderator, which holds for others. What failed is done by another time.
        """
        self._recent.forget(user_id)
        today = self._meter.today(self._config()).number
        with self._noticing(Part.OWN):
            await self._kept.sessions.forget(user_id)
            await self._kept.meters.forget(user_id, before=today)
            settings = await self._kept.settings.count(user_id)
            # Last: where something before it fails, no pause ends without a word.
            return Forgotten(await self._kept.pauses.resume(user_id), settings)

    async def pause(self, user_id: int) -> None:
        """Keep chat bots from searching for a member, in every server, until `resume`; raise `StoreFailed`.

        What the member searches for by commands and buttons isn't touched by it.
        """
        with self._noticing(Part.PAUSES):
            await self._kept.pauses.pause(user_id, now=self._clock())

    async def resume(self, user_id: int) -> None:
        """Let chat bots search for a member again; raise `StoreFailed`."""
        with self._noticing(Part.PAUSES):
            await self._kept.pauses.resume(user_id)

    async def is_paused(self, user_id: int) -> bool:
        """Tell whether chat bots may not search for a member; raise `StoreFailed`."""
        with self._noticing(Part.PAUSES):
            return await self._kept.pauses.is_paused(user_id)
