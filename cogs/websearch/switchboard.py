"""Hold every setting in memory, at most a second behind what any process stored."""

from __future__ import annotations

import asyncio
import logging
import time
from typing import TYPE_CHECKING, Final

from . import errors, limits, policy
from .following import Following
from .settings import Choice, Settings

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from .settings import Spot
    from .store.base import SettingStore

_log = logging.getLogger(__name__)

# A change must be seen within a second: what remains is for reading it, on a machine that has other things to do.
POLL_SECONDS: Final = 0.75
_DAY: Final = 86_400


class Switchboard:
    """Read settings from memory, store changes, and follow what other processes store.

    `clock` tells Unix seconds, `sleep` waits for so many.
    """

    def __init__(
        self,
        kept: SettingStore,
        *,
        clock: Callable[[], float] = time.time,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.settings = Settings()
        self._store = kept
        # One at a time: of two, the earlier one could be done last, and older settings would hold.
        self._reading = asyncio.Lock()
        # How many readings were asked for, and how many of these had been when the last one that's done began.
        self._asked = self._read_for = 0
        self._clock = clock
        self._sleep = sleep
        self._following = Following("websearch settings", "the settings of other processes")

    async def open(self) -> None:
        """Read all settings, and follow their changes until `close`; raise `StoreFailed`."""
        await self._read()
        self._following.start(self._follow)

    async def close(self) -> None:
        """Stop following; closing twice does no harm."""
        await self._following.close()

    async def switch(self, spot: Spot, *, on: bool, by: int, seconds: float | None = None) -> None:
        """Store whether searching is on at a place, for good or for so many seconds; raise `StoreFailed`.

        `by` is the moderator's id. What `settings` holds afterwards was read after it was stored; where that failed,
        it's what was known before, with this choice.
        """
        now = self._clock()
        until = None if seconds is None else now + seconds
        choice = Choice(value=on, by=by, at=now, until=until)
        await self._store.switch(spot, choice)
        await self._read_stored(lambda known: known.switched(spot, choice))

    async def hide(self, spot: Spot, *, private: bool, by: int) -> None:
        """Store whether replies at a place are for the asker alone; raise `StoreFailed`. Likewise."""
        choice = Choice(value=private, by=by, at=self._clock())
        await self._store.hide(spot, choice)
        await self._read_stored(lambda known: known.hidden(spot, choice))

    async def clear(self, spot: Spot) -> None:
        """Take away all that was set for a place itself, so that it follows what's above; raise `StoreFailed`."""
        await self._store.clear(spot)
        await self._read_stored(lambda known: known.cleared(spot))

    async def rule_sites(self, guild_id: int, domains: Sequence[str], *, allowed: bool, by: int) -> None:
        """Store that a server never shows these domains, or with `allowed` that it shows such alone; all, or none.

        `by` is the moderator's id; `settings` holds it then, as after `switch`. Raise `TooManySiteRules` where there's
        no room for all of them, or `StoreFailed`.
        """
        now = self._clock()
        if not await self._store.rule_sites(guild_id, domains, allowed=allowed, by=by, at=now):
            raise errors.TooManySiteRules(limits.SITE_RULES)
        await self._read_stored(lambda known: known.ruled(guild_id, domains, allowed=allowed, by=by, at=now))

    async def free_sites(self, guild_id: int, domains: Sequence[str]) -> None:
        """Delete what a server says of these domains, one of which it may say nothing; raise `StoreFailed`."""
        await self._store.free_sites(guild_id, domains)
        await self._read_stored(lambda known: known.freed(guild_id, domains))

    def switched_apart(self, spot: Spot, *, on: bool, channels: frozenset[int]) -> list[Spot]:
        """List the places below where searching is on though it's not here, or the other way round.

        `channels` are the ids of the channels in a category, which no setting tells.
        """
        now = self._clock()
        return policy.apart(self.settings, spot, lambda one: one.switch(now), value=on, channels=channels)

    def hidden_apart(self, spot: Spot, *, private: bool, channels: frozenset[int]) -> list[Spot]:
        """List the places below where replies are private though they aren't here, or the other way round. Likewise."""
        return policy.apart(self.settings, spot, lambda one: one.private, value=private, channels=channels)

    async def forget_place(self, guild_id: int, place_id: int) -> None:
        """Delete the settings of a channel, category or thread that is gone; raise `StoreFailed`."""
        # Also where nothing is known of: what was set at that very moment may be stored before this, and not yet read.
        await self._store.forget_place(guild_id, place_id)
        known = self.settings.of_guild(guild_id)
        if any(place_id in {one.spot.id, one.spot.parent_id} for one in known):
            await self._read()

    async def depart(self, guild_id: int) -> None:
        """Note that the bot left a server; raise `StoreFailed`."""
        await self._store.depart(guild_id, now=self._clock())

    async def come_back(self, guild_id: int) -> None:
        """Note that the bot is in a server again; raise `StoreFailed`."""
        await self._store.come_back(guild_id)

    async def compare(self, present: set[int], is_ours: Callable[[int], bool]) -> None:
        """Note which servers were left, and which are back, while nobody listened; raise `StoreFailed`.

        `present` are the ids of the servers that the bot is in, as far as this process knows; `is_ours` tells whether
        it would know of a server.
        """
        departed = set(await self._store.departed())
        for guild_id in departed & present:
            await self._store.come_back(guild_id)
        for guild_id in self.settings.guild_ids - departed - present:
            if is_ours(guild_id):
                await self._store.depart(guild_id, now=self._clock())

    async def forget_left(self, days: int, is_left: Callable[[int], bool]) -> None:
        """Delete what is kept of servers that the bot left so many days ago; raise `StoreFailed`.

        `is_left` tells whether this process knows that the bot isn't in a server.
        """
        for guild_id in await self._store.departed(until=self._clock() - days * _DAY):
            if is_left(guild_id):
                await self._store.forget_guild(guild_id)

    async def _read_stored(self, change: Callable[[Settings], Settings]) -> None:
        """Read again after a change was stored, or else make the change in what's known."""
        try:
            await self._read()
        except errors.StoreFailed:
            # It's stored, and whoever is told otherwise would be surprised. The next poll reads it.
            self.settings = change(self.settings)

    async def _read(self, *, quiet: bool = False) -> None:
        self._asked += 1
        mine = self._asked
        async with self._reading:
            # Of many who wait here, the first one reads what all of them have stored.
            if self._read_for < mine:
                asked = self._asked
                self.settings = await self._store.load(quiet=quiet)
                self._read_for = asked

    async def _follow(self) -> None:
        failing = False
        while True:
            await self._sleep(POLL_SECONDS)
            try:
                if await self._store.revision(quiet=failing) != self.settings.revision:
                    await self._read(quiet=failing)
            except errors.StoreFailed:
                failing = True
                continue
            if failing:
                _log.info("the database answers again, and settings are up to date")
            failing = False
