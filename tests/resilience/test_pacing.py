"""Hold how fast an engine is asked, and what becomes of those who wait for a turn."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from cogs.websearch import errors
from cogs.websearch.charges import Use
from cogs.websearch.i18n import Words
from cogs.websearch.pacing import Pace, QueueFull
from cogs.websearch.wording import explain
from loopback_engine import faults
from loopback_exa import faults as exa_faults
from resilience.asking import search
from standing_loop import standing

if TYPE_CHECKING:
    from aiohttp.web import StreamResponse

    from loopback_engine import Call
    from loopback_exa import LoopbackExa
    from loopback_tavily import LoopbackTavily
    from meter_tools import OpenService


ROOT = Path(__file__).parent.parent.parent


async def turns(pace: Pace, count: int) -> list[float]:
    """Take turns at once, and return when each came, in seconds from now."""
    clock = asyncio.get_running_loop().time
    began = clock()

    async def turn() -> float:
        await pace.turn(60)
        return clock() - began

    return list(await asyncio.gather(*(turn() for _ in range(count))))


@standing
async def test_no_second_has_more_than_a_quarter_more() -> None:
    """RES-14, RES-15: at 40 a second, of 30 at once ten go and the others follow, one in 25 ms, in their order."""
    came = await turns(Pace(40), 30)
    assert came == sorted(came)
    assert came == pytest.approx([0.0] * 10 + [number / 40 for number in range(1, 21)], abs=1e-3)


# A turn is taken where no descriptor is to be had, then two where some are.
_OUT_OF_DESCRIPTORS = """
import asyncio, os, resource, sys
from cogs.websearch.pacing import Pace
async def main():
    pace, before = Pace(1), resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (os.dup(0) + 1, before[1]))
    given = await pace.turn(0), "aiolimiter" in sys.modules
    resource.setrlimit(resource.RLIMIT_NOFILE, before)
    print(*given, await pace.turn(0), (await asyncio.gather(pace.turn(0), return_exceptions=True)))
asyncio.run(main())
"""


def test_a_process_out_of_descriptors_is_paced_once_it_has_some() -> None:
    """RES-22: where the pace's library can't be loaded, whoever comes has a turn; later there's a pace."""
    pytest.importorskip("resource")
    said = subprocess.run(  # noqa: S603 - our own interpreter and our own text
        [sys.executable, "-c", _OUT_OF_DESCRIPTORS], check=True, capture_output=True, text=True, cwd=ROOT
    )
    assert said.stdout.splitlines() == ["True False True [QueueFull(1.0)]"]


@pytest.mark.parametrize("per_second", [1, 3, 8, 40])
@standing
async def test_a_queue_is_never_too_long(per_second: int) -> None:
    """RES-15: who would have to wait for longer is told at once by how much."""
    pace = Pace(per_second)
    waiting = []
    while True:
        taking = asyncio.ensure_future(pace.turn(0.5))
        await asyncio.sleep(0)
        if taking.done() and taking.exception() is not None:
            break
        waiting.append(taking)
    full = taking.exception()
    assert isinstance(full, QueueFull)
    assert 0 < full.seconds <= 1
    # Those that came at once, and those whose turn comes by then.
    assert len(waiting) <= max(1, per_second // 4) + per_second / 2 + 1
    for one in waiting:
        one.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)


@standing
async def test_who_gives_up_takes_no_turn() -> None:
    """RES-17: the turn is the next one's, and nothing is left of the one that was cancelled."""
    pace = Pace(4)
    await pace.turn(1)
    gone, next_ = asyncio.ensure_future(pace.turn(1)), asyncio.ensure_future(pace.turn(1))
    await asyncio.sleep(0)
    gone.cancel()
    clock = asyncio.get_running_loop().time
    began = clock()
    await next_
    assert clock() - began == pytest.approx(0.25, abs=1e-3)
    assert gone.cancelled()


@standing
async def test_a_queue_is_dissolved() -> None:
    """RES-16: all who wait go on at once, and the next comer finds an empty queue."""
    pace = Pace(1)
    await pace.turn(1)
    waiting = [asyncio.ensure_future(pace.turn(60)) for _ in range(20)]
    await asyncio.sleep(0)
    clock = asyncio.get_running_loop().time
    began = clock()
    pace.dissolve()
    assert not any(await asyncio.gather(*waiting))
    assert clock() - began < 1e-3
    assert await pace.turn(2)


@standing
async def test_a_change_begins_no_queue_beside() -> None:
    """RES-14: a change of the pace holds at once for those who wait, and lets nobody go on top of the old pace."""
    pace = Pace(40)
    clock = asyncio.get_running_loop().time
    came: list[float] = []

    async def turn() -> None:
        assert await pace.turn(60)
        came.append(clock())

    waiting = [asyncio.ensure_future(turn()) for _ in range(30)]
    await waiting[14]
    for per_second in (41, 40, 41, 40):
        pace.change(per_second)
    late = [asyncio.ensure_future(turn()) for _ in range(5)]
    await asyncio.gather(*waiting, *late)
    assert came[-1] - came[0] == pytest.approx(25 / 40, abs=1e-3)
    pace.change(4000)
    began = clock()
    await asyncio.gather(*(turn() for _ in range(50)))
    assert clock() - began < 0.02


async def test_too_many_at_once_read_a_sentence(open_service: OpenService, exa: LoopbackExa) -> None:
    """RES-15: what can't be made in time fails at once, is charged nothing, and says when to come back."""
    service = await open_service(web_fallbacks=[], web_pace_per_second=4, web_timeout_s=2)
    clock = asyncio.get_running_loop().time
    began = clock()
    found = await asyncio.gather(*(search(service, user_id) for user_id in range(20)), return_exceptions=True)
    # The deadline, and what a busy machine takes besides.
    assert clock() - began < 2 + 3
    busy = [one for one in found if isinstance(one, errors.BackendBusy)]
    assert len(found) - len(busy) == len(exa.requests) == (await service.usage()).total.searches
    assert 1 <= len(exa.requests) <= 1 + 2 * 4
    told = {explain(one, Words()) for one in busy}
    assert told == {"There are too many searches at once: try again in about 1 second."}


async def test_further_tries_take_turns(open_service: OpenService, exa: LoopbackExa) -> None:
    """RES-14: an engine that has too much to do isn't asked more often for it; who gets no turn in time gives up."""
    clock = asyncio.get_running_loop().time
    times: list[float] = []

    async def busy(call: Call) -> StreamResponse:
        times.append(clock())
        return await exa_faults.error(429, "RATE_LIMIT_EXCEEDED")(call)

    exa.fail(always=busy)
    service = await open_service(web_fallbacks=[], web_pace_per_second=8, web_timeout_s=2)
    began = clock()
    found = await asyncio.gather(*(search(service, user_id) for user_id in range(10)), return_exceptions=True)
    assert clock() - began < 2 + 3
    assert all(isinstance(one, errors.RateLimited | errors.BackendBusy) for one in found)
    assert max(sum(first <= time < first + 0.9 for time in times) for first in times) <= 10
    assert len(times) > 10


async def test_a_fallback_takes_what_is_too_much(
    open_service: OpenService, exa: LoopbackExa, tavily: LoopbackTavily
) -> None:
    """RES-02, RES-15: what Exa would come to too late is Tavily's at once."""
    service = await open_service(web_pace_per_second=4, web_timeout_s=2)
    found = await asyncio.gather(*(search(service, user_id) for user_id in range(7)))
    answered = [outcome.page.backend for outcome in found]
    assert answered.count("Exa") == len(exa.requests) > 0
    assert answered.count("Tavily") == len(tavily.requests) > 0


async def test_a_queue_before_a_dead_engine(
    open_service: OpenService, exa: LoopbackExa, tavily: LoopbackTavily
) -> None:
    """RES-16: with the fifth failure all who wait go over to the fallback."""
    service = await open_service(web_pace_per_second=20, web_timeout_s=6)
    exa.fail(always=exa_faults.error(401, "INVALID_API_KEY"))
    found = await asyncio.gather(*(search(service, user_id) for user_id in range(15)))
    assert {outcome.page.backend for outcome in found} == {"Tavily"}
    assert len(exa.requests) <= 8
    assert len(tavily.requests) == 15


async def test_cancelled_while_it_waits(open_service: OpenService, exa: LoopbackExa) -> None:
    """RES-17: it's given back, with its money, and its member may search again."""
    service = await open_service(web_pace_per_second=1, web_daily_per_user=1)
    exa.fail(faults.answer({"results": [], "costDollars": {"total": 0.007}}))
    with pytest.raises(errors.NothingFound):
        await search(service, 2)
    searching = asyncio.ensure_future(search(service))
    await asyncio.sleep(0)
    assert (await service.usage(user_id=1)).member.searches == 1
    searching.cancel()
    with pytest.raises(asyncio.CancelledError):
        await searching
    await search(service)
    assert (await service.usage(user_id=1)).member == Use(searches=1, cost=7000)
    assert len(exa.requests) == 2
