"""Hold that calls under way are shared, by any coming and going."""

from __future__ import annotations

import asyncio
import gc
import random
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from cogs.websearch import errors
from cogs.websearch.charges import Bills
from cogs.websearch.models import SearchPage
from cogs.websearch.singleflight import SingleFlight

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

PAGE = SearchPage(backend="Exa", results=(), found=0)


class Engine:
    """Answer when a test says so, and tell how often it was called and how each call ended."""

    def __init__(self) -> None:
        self.calls = 0
        self.ended: list[str] = []
        self.called = asyncio.Event()
        self._answer = asyncio.Event()
        self._error: BaseException | None = None

    async def __call__(self, bills: Bills) -> SearchPage:
        """Note a price, wait, note another, and answer."""
        self.calls += 1
        bills.ask("exa")
        self.called.set()
        try:
            await self._answer.wait()
        except asyncio.CancelledError:
            self.ended.append("cancelled")
            raise
        if self._error is not None:
            self.ended.append("failed")
            bills.answer("exa", 0.002)
            raise self._error
        self.ended.append("answered")
        bills.answer("exa", 0.007)
        return PAGE

    def answer(self, error: BaseException | None = None) -> None:
        """Let all calls end."""
        self._error = error
        self._answer.set()


class Waiters:
    """Begin to wait, in tasks of their own."""

    def __init__(self, flights: SingleFlight, engine: Engine) -> None:
        self._flights = flights
        self._engine = engine

    async def begin(self, key: str = "same") -> tuple[asyncio.Task[SearchPage], Bills]:
        """Share a call, and come back once it's waited for."""
        bills = Bills()
        task = asyncio.create_task(self._flights.share(key, bills, self._engine))
        await turn()
        return task, bills


async def turn(times: int = 3) -> None:
    """Let everybody else go on."""
    for _ in range(times):
        await asyncio.sleep(0)


def calls() -> list[asyncio.Task[object]]:
    """List the calls that haven't ended."""
    return [task for task in asyncio.all_tasks() if task.get_name() == "websearch call"]


@pytest.fixture
async def flights() -> AsyncIterator[SingleFlight]:
    """Give flights that are closed at the end."""
    opened = SingleFlight()
    yield opened
    await opened.close()
    assert calls() == []


@pytest.fixture
async def engine() -> Engine:
    """Give an engine that answers when told to."""
    return Engine()


@pytest.fixture
async def waiters(flights: SingleFlight, engine: Engine) -> Waiters:
    """Let searches wait for that engine."""
    return Waiters(flights, engine)


async def test_one_call_for_the_same(flights: SingleFlight, engine: Engine, waiters: Waiters) -> None:
    """CACHE-20: ten who ask for the same wait for one call and get one page; another key has a call of its own."""
    tasks = [(await waiters.begin())[0] for _ in range(10)]
    other, _ = await waiters.begin("other")
    assert "same" in flights
    assert engine.calls == 2
    engine.answer()
    assert {id(page) for page in await asyncio.gather(*tasks, other)} == {id(PAGE)}
    assert "same" not in flights
    await waiters.begin()
    assert engine.calls == 3


@pytest.mark.parametrize("who", [0, 1, 2])
async def test_one_leaves(engine: Engine, waiters: Waiters, who: int) -> None:
    """CACHE-21: whoever is cancelled, be it who began the call, ends at once; the others get the page."""
    tasks = [(await waiters.begin())[0] for _ in range(3)]
    tasks[who].cancel()
    with pytest.raises(asyncio.CancelledError):
        await tasks[who]
    assert engine.ended == []
    engine.answer()
    assert await asyncio.gather(*(task for task in tasks if task is not tasks[who])) == [PAGE, PAGE]
    assert (engine.calls, engine.ended) == (1, ["answered"])


async def test_one_has_no_more_time(flights: SingleFlight, engine: Engine, waiters: Waiters) -> None:
    """CACHE-21: a deadline of one's own ends one's own waiting alone."""
    first, _ = await waiters.begin()
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0):
            await flights.share("same", Bills(), engine)
    engine.answer()
    assert await first is PAGE


async def test_the_last_one_ends_the_call(flights: SingleFlight, engine: Engine, waiters: Waiters) -> None:
    """CACHE-22: with the last one the call has ended, too, and whoever comes then begins another."""
    tasks = [(await waiters.begin())[0] for _ in range(3)]
    for task in tasks:
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert engine.ended == ["cancelled"]
    assert calls() == []
    assert "same" not in flights
    again, _ = await waiters.begin()
    engine.answer()
    assert await again is PAGE
    assert engine.calls == 2


async def test_who_comes_while_the_call_is_being_cancelled(flights: SingleFlight) -> None:
    """CACHE-22: a call that takes its time to end is joined by nobody, and doesn't end the one after it."""
    asked, end, slow = asyncio.Event(), asyncio.Event(), True

    async def call(_bills: Bills) -> SearchPage:
        asked.set()
        try:
            await asyncio.Event().wait() if slow else await end.wait()
        except asyncio.CancelledError:
            await end.wait()
            raise
        return PAGE

    first = asyncio.create_task(flights.share("same", Bills(), call))
    await asked.wait()
    first.cancel()
    await turn()
    slow = False
    second = asyncio.create_task(flights.share("same", Bills(), call))
    await turn()
    end.set()
    assert await second is PAGE
    with pytest.raises(asyncio.CancelledError):
        await first


async def test_cancelled_twice(engine: Engine, waiters: Waiters) -> None:
    """CACHE-22: who is cancelled again while the call ends goes at once, and the call ends all the same."""
    task, _ = await waiters.begin()
    task.cancel()
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await turn()
    assert engine.ended == ["cancelled"]
    assert calls() == []


async def test_a_failure_reaches_all(flights: SingleFlight, engine: Engine, waiters: Waiters) -> None:
    """CACHE-23: all who wait learn of it, whose trace stays as short as for one, and the next one asks again."""
    tasks = [(await waiters.begin())[0] for _ in range(20)]
    error = errors.BackendTimeout("Exa", billed=True)
    engine.answer(error)
    found = await asyncio.gather(*tasks, return_exceptions=True)
    assert found == [error] * 20
    frames, trace = 0, error.__traceback__
    while trace is not None:
        frames, trace = frames + 1, trace.tb_next
    assert frames < 6
    assert "same" not in flights
    engine.answer()
    assert await (await waiters.begin())[0] is PAGE


async def test_a_failure_that_nobody_waits_for(
    engine: Engine, waiters: Waiters, caplog: pytest.LogCaptureFixture
) -> None:
    """CACHE-23: where the last one leaves at the moment of the failure, nothing is said of it by the event loop."""
    task, _ = await waiters.begin()
    engine.answer(errors.BackendTimeout("Exa", billed=True))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises((asyncio.CancelledError, errors.BackendTimeout)):
        await task
    del task
    gc.collect()
    assert caplog.text == ""


async def test_the_cost_is_counted_once(engine: Engine, waiters: Waiters) -> None:
    """CACHE-24: who has waited longest pays, and for the others the engine was asked at no cost."""
    waiting = [await waiters.begin() for _ in range(3)]
    engine.answer()
    await asyncio.gather(*(task for task, _ in waiting))
    assert [bills.named for _, bills in waiting] == [{"exa": 0.007}, {"exa": 0.0}, {"exa": 0.0}]


async def test_a_failure_is_paid_once(engine: Engine, waiters: Waiters) -> None:
    """CACHE-24: a call that failed at a cost is paid once, too."""
    waiting = [await waiters.begin() for _ in range(2)]
    engine.answer(errors.BackendTimeout("Exa", billed=True))
    await asyncio.gather(*(task for task, _ in waiting), return_exceptions=True)
    assert [bills.named for _, bills in waiting] == [{"exa": 0.002}, {"exa": 0.0}]


async def test_who_leaves_pays_nothing(engine: Engine, waiters: Waiters) -> None:
    """CACHE-24: where who began the call leaves, the next one pays; the last one who leaves pays what was begun."""
    waiting = [await waiters.begin() for _ in range(3)]
    waiting[0][0].cancel()
    await turn()
    assert waiting[0][1].named == {}
    engine.answer()
    await asyncio.gather(*(task for task, _ in waiting[1:]))
    assert [bills.named for _, bills in waiting] == [{}, {"exa": 0.007}, {"exa": 0.0}]


async def test_the_last_one_pays_what_was_begun(engine: Engine, waiters: Waiters) -> None:
    """CACHE-24: a call that is cancelled with the last one has been asked, and may be billed."""
    waiting = [await waiters.begin() for _ in range(2)]
    for task, _ in waiting:
        task.cancel()
        await turn()
    assert [bills.named for _, bills in waiting] == [{}, {"exa": None}]
    assert engine.ended == ["cancelled"]


async def test_a_call_that_never_began_costs_nothing(flights: SingleFlight, engine: Engine) -> None:
    """CACHE-24 CACHE-25: closed in the same turn of the loop, nothing was asked, and nothing is asked later."""
    bills = Bills()
    task = asyncio.create_task(flights.share("same", bills, engine))
    await asyncio.sleep(0)
    asyncio.get_running_loop().call_soon(engine.answer)
    await flights.close()
    with pytest.raises(errors.SearchInterrupted):
        await task
    with pytest.raises(errors.SearchInterrupted):
        await flights.share("same", bills, engine)
    assert (engine.calls, bills.named, "same" in flights) == (0, {}, False)


async def test_closing_interrupts_all(flights: SingleFlight, engine: Engine, waiters: Waiters) -> None:
    """CACHE-25: all who wait at the end are interrupted, each call has ended then, and it's paid once."""
    waiting = [await waiters.begin() for _ in range(3)] + [await waiters.begin("other")]
    await flights.close()
    assert calls() == []
    assert engine.ended == ["cancelled", "cancelled"]
    found = await asyncio.gather(*(task for task, _ in waiting), return_exceptions=True)
    assert [type(one) for one in found] == [errors.SearchInterrupted] * 4
    assert [bills.named for _, bills in waiting] == [{"exa": None}, {"exa": 0.0}, {"exa": 0.0}, {"exa": None}]
    await flights.close()


@pytest.mark.parametrize("seed", range(20))
async def test_any_coming_and_going(seed: int) -> None:
    """CACHE-20 to CACHE-24: by any order of coming, leaving, answers and failures, each call is paid once."""
    chance = random.Random(seed)  # noqa: S311 - the same in each run, for nobody to guess
    flights = SingleFlight()
    costs: Counter[str] = Counter()
    under_way: Counter[str] = Counter()
    ending: list[Callable[[], None]] = []

    def call_for(key: str) -> Callable[[Bills], object]:
        async def call(bills: Bills) -> SearchPage:
            under_way[key] += 1
            assert under_way[key] == 1
            bills.ask(key)
            costs[key] += 1
            future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            ending.append(lambda: None if future.done() else future.set_result(None))
            try:
                await future
            finally:
                under_way[key] -= 1
            bills.answer(key, 1.0)
            if chance.random() < 0.3:
                raise errors.BackendTimeout("Exa", billed=True)
            return PAGE

        return call

    waiting: list[tuple[asyncio.Task[SearchPage], Bills]] = []
    for _ in range(200):
        step = chance.random()
        if step < 0.5:
            key, bills = chance.choice("abc"), Bills()
            waiting.append((asyncio.create_task(flights.share(key, bills, call_for(key))), bills))  # type: ignore[arg-type]
        elif step < 0.75 and waiting:
            chance.choice(waiting)[0].cancel()
        elif ending:
            ending.pop(chance.randrange(len(ending)))()
        await turn(chance.randrange(3))
    await flights.close()
    found = await asyncio.gather(*(task for task, _ in waiting), return_exceptions=True)
    known = (SearchPage, errors.BackendTimeout, errors.SearchInterrupted, asyncio.CancelledError)
    assert all(isinstance(one, known) for one in found)
    paid = Counter(key for _, bills in waiting for key, cost in bills.named.items() if cost is None or cost)
    assert paid == costs
    assert calls() == []
