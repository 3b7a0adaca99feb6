"""Hold how fast an engine is asked, and what becomes of those who wait for a turn."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from cogs.websearch import errors
from cogs.websearch.charges import Act, Use
from cogs.websearch.config import Config
from cogs.websearch.health import DOWN_AFTER
from cogs.websearch.i18n import Words
from cogs.websearch.models import Answered, Asker, Outcome, Reading, SearchRequest
from cogs.websearch.pacing import Pace, QueueFull
from cogs.websearch.settings import Place
from cogs.websearch.wording import explain
from engine_tools import in_time
from loopback_engine import faults
from loopback_exa import faults as exa_faults
from resilience.asking import search
from standing_loop import standing

if TYPE_CHECKING:
    from aiohttp.web import StreamResponse

    from cogs.websearch.service import SearchService
    from loopback_engine import Call
    from loopback_exa import LoopbackExa
    from loopback_tavily import LoopbackTavily
    from meter_tools import OpenService


ROOT = Path(__file__).parent.parent.parent


async def timed(
    service: SearchService, way: str, number: int
) -> tuple[float, Outcome | Answered | Reading | errors.SearchError]:
    """Search, ask or read as a member; return after how many seconds it ended, and how."""
    clock = asyncio.get_running_loop().time
    began = clock()
    asker = Asker(user_id=number, channel_id=5)
    request = SearchRequest(query=f"a galaxy {number}", count=1)
    what: Outcome | Answered | Reading | errors.SearchError
    try:
        if way == "search":
            what = await service.search(request, asker, Place())
        elif way == "answer":
            what = await service.answer(request, asker, Place())
        else:
            what = await service.read("https://example.com/about", asker, Place())
    except errors.SearchError as error:
        what = error
    return clock() - began, what


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


@pytest.mark.parametrize("per_second", [1, 3, 8, 40])
@standing
async def test_nobody_is_overtaken(per_second: int) -> None:
    """RES-15: turns come in their order where new ones come all the time, and each waits as long as it was told."""
    pace = Pace(per_second)
    clock = asyncio.get_running_loop().time
    came: list[int] = []
    waits: list[float] = []

    async def turn(number: int) -> None:
        began = clock()
        try:
            assert await pace.turn(5)
        except QueueFull:
            return
        came.append(number)
        waits.append(clock() - began)

    taking = []
    for number in range(30 * per_second):
        taking.append(asyncio.ensure_future(turn(number)))
        # Half as many again as the pace lets through.
        await asyncio.sleep(1 / (1.5 * per_second))
    await asyncio.gather(*taking)
    assert came == sorted(came)
    assert max(waits) <= 5 + 1e-3
    assert len(came) >= 20 * per_second


@pytest.mark.parametrize("per_second", [1, 4])
@standing
async def test_nobody_waits_past_the_time(per_second: int) -> None:
    """RES-36: where the pace is lowered, whoever gets no turn in time is told when that time is over, in any order."""
    pace = Pace(40)
    clock = asyncio.get_running_loop().time
    took: list[float] = []
    later: list[float] = []

    async def turn(most_s: float) -> bool:
        began = clock()
        try:
            return await pace.turn(most_s)
        except QueueFull as full:
            took.append(clock() - began - most_s)
            later.append(full.seconds)
            return False

    waiting = [asyncio.ensure_future(turn(2 + number % 3)) for number in range(60)]
    await asyncio.sleep(0.3)
    pace.change(per_second)
    given = sum(await asyncio.gather(*waiting))
    assert min(later) > 0
    assert max(took) == pytest.approx(0, abs=1e-3)
    assert 10 + 11 <= given < 60
    # None of those who went is in anybody's way.
    began = clock()
    assert await pace.turn(60)
    assert clock() - began <= 40 / 4 / per_second + 1


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
    with in_time(2):
        found = await asyncio.gather(*(search(service, user_id) for user_id in range(20)), return_exceptions=True)
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


@pytest.mark.parametrize("way", ["search", "answer", "read"])
async def test_the_deadline_holds_however_slow_the_pace_becomes(
    open_service: OpenService, given_: dict[str, Any], exa: LoopbackExa, tavily: LoopbackTavily, way: str
) -> None:
    """RES-36: all end in time; the engine hasn't failed, and each reads a sentence or is answered by the fallback."""
    times = {"web-timeout-s": 3, "web-answer-timeout-s": 3, "web-pace-per-second": 40}
    service = await open_service(**{name.replace("-", "_"): value for name, value in times.items()})
    asking = [asyncio.ensure_future(timed(service, way, number)) for number in range(60)]
    await exa.received(5)
    slow = {**given_, **times, "web-pace-per-second": 1, "web-fallbacks": ["tavily"]}
    await service.reconfigure(Config.from_mapping(slow, env={}))
    found = await asyncio.gather(*asking)
    assert max(seconds for seconds, _ in found) < 3 + 3
    ends = {type(what) for _, what in found}
    assert ends <= {Outcome, Answered, Reading, errors.BackendBusy}
    assert ends - {errors.BackendBusy}
    for signs in service.engines.signs.values():
        assert (signs.trouble, signs.failed) == (None, None)
    for engine in service.engines._lineup.engines:  # noqa: SLF001 - of each act, which signs don't tell
        for act in Act:
            assert (engine.slot.health(act).trouble, engine.slot.health(act).refusal) == (None, None)
    # Who has no turn with the first goes on to the next.
    assert tavily.requests


async def test_a_late_turn_is_none_of_the_engines_failures(open_service: OpenService, exa: LoopbackExa) -> None:
    """RES-36: an engine that had less than half of a search's time isn't put down as one that takes too long."""
    service = await open_service(web_fallbacks=[], web_pace_per_second=1, web_timeout_s=1.6)
    exa.fail(exa_faults.rows({"url": "https://example.com/", "title": "First"}), always=faults.hang)
    await search(service)
    found = await asyncio.gather(*(search(service, user_id) for user_id in range(5)), return_exceptions=True)
    assert {type(one) for one in found} == {errors.BackendBusy}
    assert len(exa.requests) == 2
    health = service.engines._lineup.engines[0].slot.health()  # noqa: SLF001 - nothing else tells of a run this short
    assert health.signs("Exa").failed is None
    # What was asked may be billed all the same.
    assert (await service.usage()).total.cost >= 7000


async def test_other_acts_keep_their_place(open_service: OpenService, exa: LoopbackExa) -> None:
    """RES-37, RES-14: pages that fail again and again send no search on without its turn."""
    service = await open_service(web_fallbacks=[], web_pace_per_second=8, web_timeout_s=9)
    clock = asyncio.get_running_loop().time
    times: list[float] = []

    async def answer(call: Call) -> StreamResponse:
        times.append(clock())
        if call.path == "/contents":
            return await exa_faults.error(404, "NOT_FOUND")(call)
        return exa.answer(call)

    exa.fail(always=answer)
    read = [asyncio.ensure_future(timed(service, "read", number)) for number in range(DOWN_AFTER)]
    asking = [asyncio.ensure_future(timed(service, "search", number)) for number in range(20)]
    found = [what for _, what in await asyncio.gather(*read, *asking)]
    assert [type(what) for what in found] == [errors.EndpointMissing] * DOWN_AFTER + [Outcome] * 20
    assert max(sum(first <= time < first + 0.9 for time in times) for first in times) <= 10


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
