"""Make charges for the tests of the meters, and count as plainly as can be what the meters must allow."""

from __future__ import annotations

import sqlite3
from contextlib import AsyncExitStack, asynccontextmanager, closing
from dataclasses import dataclass, field
from datetime import date
from itertools import count
from secrets import token_hex
from typing import TYPE_CHECKING

from cogs.websearch.charges import Charge, Limit, Quota, Stop
from cogs.websearch.config import Config
from cogs.websearch.models import Asker, Outcome, SearchRequest
from cogs.websearch.service import SearchService
from cogs.websearch.settings import Place

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable
    from pathlib import Path
    from typing import TypeAlias

    from engine_tools import FakeTime
    from loopback_exa import LoopbackExa

    # Opens a service with some settings, whose names are written with underscores.
    OpenService: TypeAlias = Callable[..., Awaitable[SearchService]]

DAY = date(2026, 11, 30).toordinal()
# Noon of that day, in Unix milliseconds.
NOON = 1_796_040_000_000
MINUTE = 60_000
WIDE = Quota(per_minute=1000, per_member=1000)
_NUMBERS = count()


def a_charge(user_id: int = 1, guild_id: int | None = 9, *, day: int = DAY, at: int = NOON, cost: int = 7000) -> Charge:
    """Return a search to be counted, unlike any other."""
    return Charge(token=token_hex(4), user_id=user_id, guild_id=guild_id, day=day, instant=at, cost=cost)


@asynccontextmanager
async def services(
    exa: LoopbackExa, path: Path, time_: FakeTime, always: dict[str, object]
) -> AsyncIterator[OpenService]:
    """Give a function that opens a service with `always` and settings of its own; all are closed at the end."""
    async with AsyncExitStack() as opened:

        async def open_(**settings: object) -> SearchService:
            given = {
                "enable-web-search": True,
                "exa-api-key": exa.key,
                "exa-base-url": exa.url,
                "web-database": str(path),
                **always,
                **{name.replace("_", "-"): value for name, value in settings.items()},
            }
            service = await SearchService.open(Config.from_mapping(given, env={}), clock=time_.wall_clock)
            opened.push_async_callback(service.close)
            return service

        yield open_


async def search(service: SearchService, user_id: int = 1, guild_id: int | None = None) -> Outcome:
    """Search as a member, for what nobody has searched for before, so that an engine must be asked."""
    request = SearchRequest(query=f"pictures of a distant galaxy {next(_NUMBERS)}", count=1)
    return await service.search(request, Asker(user_id=user_id, channel_id=5, guild_id=guild_id), Place())


def rows(path: Path) -> dict[tuple[int, int, int], tuple[int, int]]:
    """Return the counters of days in a database: searches and cost by day, scope and id."""
    with closing(sqlite3.connect(path)) as connection:
        found = connection.execute("SELECT day, scope, id, searches, cost FROM counter WHERE day > 0").fetchall()
    return {(day, scope, id_): (searches, cost) for day, scope, id_, searches, cost in found}


@dataclass
class Model:
    """Keep every charge in a list, and decide by counting them: slow and plain to see."""

    charges: list[Charge] = field(default_factory=list)

    def charge(self, asked: Charge, quota: Quota) -> Stop | None:
        """Count a search, or say which limit stops it."""
        today = [one for one in self.charges if one.day == asked.day]
        own = [one for one in today if one.user_id == asked.user_id]
        server = [one for one in today if asked.guild_id is not None and one.guild_id == asked.guild_id]
        minute = sorted(one.instant for one in self.charges if one.user_id == asked.user_id)
        minute = [instant for instant in minute if instant > asked.instant - MINUTE]
        if len(own) >= quota.per_member:
            return Stop(limit=Limit.MEMBER)
        if asked.guild_id is not None and quota.per_server is not None and len(server) >= quota.per_server:
            return Stop(limit=Limit.SERVER)
        spent = sum(one.cost for one in today)
        if quota.budget is not None and spent + asked.cost > quota.budget:
            return Stop(limit=Limit.BUDGET, spent=spent)
        if len(minute) >= quota.per_minute:
            return Stop(limit=Limit.MINUTE, until=minute[-quota.per_minute] + MINUTE)
        self.charges.append(asked)
        return None
