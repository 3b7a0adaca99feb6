"""Compare a search with Exa, request to cleaned results, with other ways to make the same call."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import aiohttp
from exa_py import AsyncExa

from cogs.websearch.backends import exa, http
from cogs.websearch.models import SearchRequest

from . import engine
from .figures import Comparison, in_turns, timed
from .processes import running

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from .figures import Cost

    Search = Callable[[], Awaitable[object]]

ABOUT: Final = (
    "**A search** goes from a request to cleaned results: five of them with 400 characters each, asked of a stand-in"
    " for Exa that answers with the same bytes as fast as it can, in a process of its own. Beside it stands one POST"
    " over a pooled `aiohttp` session with `json()`, which cleans nothing; the same with a session a call; and the"
    " vendor's own client. Its ratio is of the time that passes, the engine's included."
)
# How many run at once, how many searches a round has, and the design's budget for the ratio.
_LOADS: Final = ((1, 100, 1.35), (50, 300, 1.8))
_ROUNDS: Final = 40
_FEW_ROUNDS: Final = 10
_BARE: Final = "a pooled `aiohttp` POST and `json()`"
_SDK: Final = "exa-py's `AsyncExa`"
_FRESH: Final = "an `aiohttp` session a call"


def measure(*, quick: bool) -> list[Comparison]:
    """Start the engine and measure, one search at a time and 50 at once."""
    with running(engine.serve) as pipe:
        return asyncio.run(_measure(pipe.recv(), quick=quick))


async def _measure(url: str, *, quick: bool) -> list[Comparison]:
    request = SearchRequest(query="how does the event loop run callbacks", count=engine.RESULTS)
    payload = exa.to_payload(request, search_type="auto", snippet_chars=engine.SNIPPET, now=time.time())
    searcher = exa.ExaSearcher(
        http.Transport(http.open_session(), backend=exa.NAME, timeout_s=15),
        key=engine.KEY,
        base_url=url,
        search_type="auto",
        snippet_chars=engine.SNIPPET,
    )
    contents: Any = {name: {"max_characters": engine.SNIPPET * 5 // 4} for name in ("highlights", "text")}
    headers = {"x-api-key": engine.KEY}
    comparisons: list[Comparison] = []
    async with aiohttp.ClientSession() as session, AsyncExa(engine.KEY, url) as sdk:

        async def post(over: aiohttp.ClientSession) -> object:
            async with over.post(f"{url}/search", json=payload, headers=headers) as response:
                return await response.json()

        async def fresh() -> object:
            async with aiohttp.ClientSession() as one:
                return await post(one)

        def ask_sdk() -> Awaitable[object]:
            return sdk.search(request.query, num_results=request.count, moderation=True, contents=contents)

        def ours() -> Awaitable[object]:
            return searcher.search(request)

        for at_once, count, budget in _LOADS:
            load = _Load(at_once, max(at_once, count // 10) if quick else count)
            comparisons += await load.compare(
                ours, {_BARE: lambda: post(session)}, rounds=3 if quick else _ROUNDS, budget=budget
            )
            comparisons += await load.compare(ours, {_SDK: ask_sdk, _FRESH: fresh}, rounds=3 if quick else _FEW_ROUNDS)
    await searcher.close()
    return comparisons


@dataclass(frozen=True)
class _Load:
    """Hold how many searches run at once, and how many a round has."""

    at_once: int
    count: int

    async def compare(
        self, ours: Search, others: Mapping[str, Search], *, rounds: int, budget: float | None = None
    ) -> list[Comparison]:
        what = "a search, one at a time" if self.at_once == 1 else f"a search, {self.at_once} at once"
        costs = await in_turns(rounds, {what: self._side(ours), **{name: self._side(others[name]) for name in others}})
        ours_cost = costs.pop(what)
        return [
            Comparison(what=what, beside=name, ours=ours_cost, theirs=theirs, budget=budget)
            for name, theirs in costs.items()
        ]

    def _side(self, search: Search) -> Callable[[], Awaitable[Cost]]:
        return lambda: timed(search, self.count, at_once=self.at_once)
