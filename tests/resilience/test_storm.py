"""Hold what becomes of a thousand searches at once over engines that fail half of their calls in every way."""

from __future__ import annotations

import asyncio
import gc
import random
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import aiohttp
import pytest
from yarl import URL

from cogs.websearch import errors
from cogs.websearch.backends import http
from cogs.websearch.config import Config
from cogs.websearch.i18n import Words
from cogs.websearch.models import Outcome
from cogs.websearch.service import SearchService
from cogs.websearch.wording import explain
from fault_table import GROUPS
from loopback_engine import faults
from loopback_tavily import faults as tavily_faults
from meter_tools import rows
from resilience.asking import search
from stolen import counting, crowding

if TYPE_CHECKING:
    from aiohttp import web

    from loopback_exa import Call, Fault, LoopbackExa
    from loopback_tavily import LoopbackTavily

SEARCHES: Final = 1000
TIMEOUT_S: Final = 6.0
# One member's searches: as many as a minute lets pass.
MEMBERS: Final = 100
# What closes an engine for good, or for longer than the test.
CLOSING: Final = frozenset({"backend-key-refused", "backend-credits-exhausted", "waits"})
EXA: Final = [
    ("waits" if "Retry-After" in what else group.key, fault) for group in GROUPS for what, fault in group.faults.items()
]
TAVILY: Final[list[tuple[str, Fault]]] = [
    *(("backend-key-refused" if status == 401 else "", tavily_faults.error(status)) for status in (400, 401, 429, 500)),
    *(("backend-credits-exhausted", tavily_faults.error(status)) for status in (432, 433)),
    *(("", fault) for fault in (faults.hang, faults.drip, faults.reset, faults.reset_midway, faults.gibberish)),
    *(("", fault) for fault in (faults.html(), faults.cut_short, faults.hang_up, faults.bomb(20))),
]
# As a deadline of the configuration's may be.
MOST_CROWDED: Final = 8.0
# How much longer one may take.
GRACE_S: Final = 1.0


class Storm:
    """Fail half of all calls to an engine, each in a way that is drawn."""

    def __init__(self, chance: random.Random, ways: list[Fault], engine: LoopbackExa | LoopbackTavily) -> None:
        self._chance = chance
        self._ways = ways
        self._engine = engine
        self.failed = 0

    async def __call__(self, call: Call) -> web.StreamResponse:
        """Answer, or fail."""
        if self._chance.random() < 0.5:
            return self._engine.answer(call)
        self.failed += 1
        return await self._chance.choice(self._ways)(call)


async def asked(service: SearchService, user_id: int) -> tuple[Outcome | errors.SearchError, float, float]:
    """Search as a member; return what came of it, and from when to when it took, on the monotonic clock."""
    began = time.monotonic()
    found: Outcome | errors.SearchError
    try:
        found = await search(service, user_id)
    except errors.SearchError as error:
        found = error
    return found, began, time.monotonic()


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> Counter[int | None]:
    """Count the requests whose bodies were sent, by their port: a busy server may read some too late."""
    count: Counter[int | None] = Counter()
    open_session = http.open_session

    async def note(_session: object, _context: object, chunk: aiohttp.TraceRequestChunkSentParams) -> None:
        count[chunk.url.port] += 1

    def watched() -> aiohttp.ClientSession:
        session, trace = open_session(), aiohttp.TraceConfig()
        trace.on_request_chunk_sent.append(note)
        trace.freeze()
        session._trace_configs.append(trace)  # noqa: SLF001 - the session is there already
        return session

    monkeypatch.setattr(http, "open_session", watched)
    return count


def descriptors() -> int:
    """Count what this process holds open."""
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


@pytest.mark.parametrize(("seed", "closing"), [(1, False), (2, True)])
async def test_a_thousand_at_once(
    given_: dict[str, Any], exa: LoopbackExa, tavily: LoopbackTavily, path: Path, seed: int,
    sent: Counter[int | None], *, closing: bool,
) -> None:  # fmt: skip
    """RES-20: results or a sentence in time, no leak, and books that agree; also where keys are refused on the way."""
    chance = random.Random(seed)  # noqa: S311 - it's a test that draws
    storms = [
        Storm(chance, [fault for key, fault in ways if closing or key not in CLOSING], engine)
        for engine, ways in ((exa, EXA), (tavily, TAVILY))
    ]
    exa.fail(always=storms[0])
    tavily.fail(always=storms[1])
    tasks, open_before = asyncio.all_tasks(), descriptors()
    # On a machine that others keep busy nothing at all would be answered by then.
    timeout_s = TIMEOUT_S * min(crowding(), MOST_CROWDED)
    config = Config.from_mapping({**given_, "web-timeout-s": timeout_s}, env={})
    service = await SearchService.open(config)
    try:
        with counting() as stolen:
            searching = (asked(service, 1 + number % MEMBERS) for number in range(SEARCHES))
            found = await asyncio.gather(*searching)

        usage, engines = await service.usage(), [*service.engines.signs.values()]
    finally:
        await service.close()
    kinds = Counter(type(one).__name__ for one, *_ in found)
    # What others on the machine took of the time behind the deadline isn't ours.
    over = [
        end - began - timeout_s - stolen.between(began + timeout_s, end)
        for _, began, end in found
        if end - began > timeout_s + GRACE_S
    ]
    assert [seconds for seconds in over if seconds > GRACE_S] == [], kinds
    answered = [one for one, *_ in found if isinstance(one, Outcome)]
    told = [explain(one, Words()) for one, *_ in found if isinstance(one, errors.SearchError)]
    assert len(answered) + len(told) == SEARCHES
    assert all(one.page.results for one in answered)
    assert answered, kinds
    assert any(storm.failed for storm in storms)
    # What the engines refused for what was asked counts; what they failed at doesn't.
    counted = len(answered) + kinds["ContentProhibited"] + kinds["RequestRejected"]
    assert usage.total.searches == counted
    assert usage.total.cost == sum(signs.cost for signs in engines)
    by_exa = sum(one.page.backend == "Exa" for one in answered)
    assert by_exa * 7000 <= engines[0].cost <= sent[URL(exa.url).port] * 7000
    members = [used for (_, scope, _), used in rows(path).items() if scope == 1]
    assert (sum(searches for searches, _ in members), sum(cost for _, cost in members)) == (
        usage.total.searches,
        usage.total.cost,
    )
    while left := asyncio.all_tasks() - tasks - {asyncio.current_task()}:
        # The servers' own, which end with their connections.
        await asyncio.wait(left, timeout=5)
        left = {task for task in left if not task.done()}
        assert not left, left
    gc.collect()
    assert descriptors() <= open_before
