"""Compare a search that was made before with the same search made again."""

from __future__ import annotations

import asyncio
import time
from contextlib import AsyncExitStack
from functools import partial
from itertools import count
from math import inf
from typing import TYPE_CHECKING, Final

from cogs.websearch.backends import open_searcher
from cogs.websearch.charges import Bills
from cogs.websearch.config import Config
from cogs.websearch.models import Asker, SearchRequest
from cogs.websearch.repeats import Repeats
from cogs.websearch.service import SearchService
from cogs.websearch.settings import Place

from . import engine
from .figures import Comparison, in_turns, timed
from .processes import running

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from cogs.websearch.models import SearchPage

    Search = Callable[[], Awaitable[object]]

ABOUT: Final = (
    "**A repeat** is answered by results that were kept in memory. Beside it stands the same search where none are"
    " kept, asked of the same stand-in for Exa. Each is measured from a request to results, and then with all that the"
    " service does for a search: policy, the charge, and afterwards its cost. The ratios are of the time that passes."
)
_BUDGET: Final = 0.1
_ROUNDS: Final = 40
_COUNT: Final = 100
# The longest that results are kept: they outlast the benchmark, in which a second passes between two searches.
_MINUTES: Final = 1440
# 2026-11-30 in UTC, in Unix seconds.
_START: Final = 1_795_996_800
_REQUEST: Final = SearchRequest(query="how does the event loop run callbacks", count=engine.RESULTS)


def measure(*, quick: bool) -> list[Comparison]:
    """Start the engine and measure."""
    with running(engine.serve) as pipe:
        return asyncio.run(_measure(pipe.recv(), quick=quick))


async def _measure(url: str, *, quick: bool) -> list[Comparison]:
    rounds, times = (3, 10) if quick else (_ROUNDS, _COUNT)
    comparisons: list[Comparison] = []
    async with AsyncExitStack() as stack:
        for what, beside, budget, open_ in (
            ("a repeat", "the same search, made", _BUDGET, _bare),
            ("a repeat, charged", "the same, made and charged", None, _charged),
        ):
            kept, made = [await open_(_config(url, minutes), stack) for minutes in (_MINUTES, 0)]
            sides = {"kept": partial(timed, kept, times), "made": partial(timed, made, times)}
            costs = await in_turns(rounds, sides)
            comparisons.append(
                Comparison(what=what, beside=beside, ours=costs["kept"], theirs=costs["made"], budget=budget)
            )
    return comparisons


def _config(url: str, minutes: int) -> Config:
    return Config(
        enable_web_search=True,
        exa_api_key=engine.KEY,
        exa_base_url=url,
        web_cache_minutes=minutes,
        web_pace_per_second=1000,
        web_per_minute=1000,
        web_daily_per_user=100_000,
        web_database=":memory:",
    )


async def _bare(config: Config, stack: AsyncExitStack) -> Search:
    searcher = await open_searcher(config)
    stack.push_async_callback(searcher.close)
    repeats = Repeats(config, clock=time.time)
    stack.push_async_callback(repeats.close)

    async def search() -> SearchPage:
        return await repeats.ask(_REQUEST, Bills(), lambda _bills: searcher.search(_REQUEST), deadline=inf)

    return search


async def _charged(config: Config, stack: AsyncExitStack) -> Search:
    # A tenth of a second passes each time when somebody looks at the clock, so that no minute is ever full.
    tenths = count(_START * 10)
    service = await SearchService.open(config, clock=lambda: next(tenths) / 10)
    stack.push_async_callback(service.close)
    asker = Asker(user_id=1, channel_id=2, guild_id=3)
    return lambda: service.search(_REQUEST, asker, Place())
