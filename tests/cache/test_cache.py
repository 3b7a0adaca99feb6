"""Hold what is kept, for how long, and how much of it."""

from __future__ import annotations

import asyncio
import time
import tracemalloc
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cogs.websearch.cache import Cache, weigh
from cogs.websearch.models import Category, Period, SearchPage, SearchRequest, SearchResult, SiteRules

if TYPE_CHECKING:
    from collections.abc import Callable


class Hands:
    """Give a clock and a timer that only a test moves."""

    def __init__(self) -> None:
        self.now = 0.0
        self.due: dict[asyncio.TimerHandle, float] = {}

    def clock(self) -> float:
        """Tell the seconds."""
        return self.now

    def later(self, seconds: float, work: Callable[[], None]) -> asyncio.TimerHandle:
        """Call something when `pass_` gets there."""
        handle = asyncio.TimerHandle(self.now + seconds, work, (), asyncio.get_running_loop())
        self.due[handle] = self.now + seconds
        return handle

    @property
    def timers(self) -> int:
        """Count the timers that run."""
        return sum(not handle.cancelled() for handle in self.due)

    def pass_(self, seconds: float) -> None:
        """Let time pass, and call what is due."""
        self.now += seconds
        for handle in [handle for handle, when in self.due.items() if when <= self.now]:
            del self.due[handle]
            if not handle.cancelled():
                handle._run()  # noqa: SLF001 - what the loop does when it's time


def ask(query: str = "any", **options: object) -> SearchRequest:
    """Make a request."""
    return SearchRequest(query=query, count=5, **options)  # type: ignore[arg-type] # options by their names


def row(text: str = "text", *, image: str | None = None) -> SearchResult:
    """Make a result."""
    published = datetime(2026, 11, 30, tzinfo=UTC)
    url = f"https://example.com/{text}"
    return SearchResult(title=text, url=url, host="example.com", snippet=text, published=published, image=image)


def page(*texts: str) -> SearchPage:
    """Make a page of results."""
    return SearchPage(backend="Exa", results=tuple(row(text) for text in texts), found=len(texts))


@pytest.fixture
def hands() -> Hands:
    """Give a clock that stands at zero."""
    return Hands()


def open_(hands: Hands, seconds: float = 600, most: int = 10**6) -> Cache:
    """Open a cache on that clock."""
    return Cache(seconds, most=most, clock=hands.clock, later=hands.later)


async def test_a_page_is_kept_until_its_time_is_over(hands: Hands) -> None:
    """CACHE-01: it's there a moment before the end, and not at the end; being used doesn't make it last."""
    cache, kept = open_(hands), page("a")
    cache.put(ask(), kept)
    hands.now = 300
    assert cache.get(ask()) is kept
    hands.now = 599.9
    assert cache.get(ask()) is kept
    hands.now = 600
    assert cache.get(ask()) is None
    assert (len(cache), cache.weight) == (0, 0)


@pytest.mark.parametrize(
    "other",
    [
        ask("Any"),
        SearchRequest(query="any", count=4),
        ask(category=Category.NEWS),
        ask(period=Period.DAY),
        ask(sites=("example.com",)),
        ask(rules=SiteRules(owner_blocked=("example.com",))),
    ],
)
async def test_other_requests_have_other_pages(hands: Hands, other: SearchRequest) -> None:
    """CACHE-02: what differs in one option isn't the same."""
    cache = open_(hands)
    cache.put(ask(), page("a"))
    assert cache.get(other) is None


async def test_a_page_may_last_for_less(hands: Hands) -> None:
    """CACHE-05: a page can be kept for a shorter time than others, never for longer."""
    cache = open_(hands)
    cache.put(ask("short"), page("a"), most_s=60)
    cache.put(ask("long"), page("a"), most_s=6000)
    hands.now = 60
    assert cache.get(ask("short")) is None
    hands.now = 600
    assert cache.get(ask("long")) is None


async def test_nothing_is_kept_for_no_time(hands: Hands) -> None:
    """CACHE-08: zero seconds keep nothing and start no timer."""
    cache = open_(hands, seconds=0)
    cache.put(ask(), page("a"))
    assert cache.get(ask()) is None
    assert (len(cache), cache.weight, hands.timers) == (0, 0, 0)


async def test_a_clock_that_is_put_back_keeps_nothing(hands: Hands) -> None:
    """CACHE-07: what seems to come from the future is over."""
    cache = open_(hands)
    hands.now = 10_000
    cache.put(ask("a"), page("a"))
    cache.put(ask("b"), page("b"))
    hands.now = 0
    assert cache.get(ask("a")) is None
    hands.due = dict.fromkeys(hands.due, 0.0)
    hands.pass_(0)
    assert len(cache) == 0


async def test_memory_is_given_back_by_a_timer(hands: Hands) -> None:
    """CACHE-10: where nobody searches, each page is gone when its time is over, and then no timer runs."""
    cache = open_(hands)
    cache.put(ask("first"), page("a"))
    hands.pass_(400)
    cache.put(ask("second"), page("b"))
    assert hands.timers == 1
    hands.pass_(200)
    assert (len(cache), hands.timers) == (1, 1)
    hands.pass_(399)
    assert len(cache) == 1
    hands.pass_(1)
    assert (len(cache), cache.weight, hands.timers) == (0, 0, 0)


async def test_what_is_over_sooner_is_gone_sooner(hands: Hands) -> None:
    """CACHE-05 CACHE-10: a page that lasts for less is gone from memory in its own time, not in an older one's."""
    cache = open_(hands)
    cache.put(ask("long"), page("a"))
    cache.put(ask("short"), page("b"), most_s=60)
    cache.put(ask("longer"), page("c"))
    assert hands.timers == 1
    hands.pass_(60)
    assert (len(cache), hands.timers) == (2, 1)
    hands.pass_(540)
    assert (len(cache), hands.timers) == (0, 0)


async def test_the_time_of_day_counts_for_nothing(hands: Hands, monkeypatch: pytest.MonkeyPatch) -> None:
    """CACHE-07: a page is over in its time, however the system's clock is set meanwhile."""
    monkeypatch.setattr(time, "monotonic", hands.clock)
    cache = Cache(600, clock=time.time, later=hands.later)
    cache.put(ask(), page("a"))
    monkeypatch.setattr(time, "time", lambda: 0.0)
    hands.now = 599
    assert cache.get(ask()) is not None
    hands.now = 600
    assert cache.get(ask()) is None
    cache.clear()


async def test_the_loop_calls_the_timer() -> None:
    """CACHE-10: the timer of a cache that nobody touches is the event loop's own."""
    gone = asyncio.Event()

    class Told(Cache):
        def _sweep(self) -> None:
            super()._sweep()
            if not len(self):
                gone.set()

    cache = Told(0.01)
    cache.put(ask(), page("a"))
    await asyncio.wait_for(gone.wait(), 10)


async def test_clearing_leaves_nothing(hands: Hands) -> None:
    """CACHE-10: a cleared cache holds neither pages nor a timer, and can be used again."""
    cache = open_(hands)
    cache.put(ask(), page("a"))
    cache.clear()
    cache.clear()
    assert (len(cache), cache.weight, hands.timers) == (0, 0, 0)
    cache.put(ask(), page("a"))
    assert (len(cache), hands.timers) == (1, 1)


async def test_what_was_not_used_goes_first(hands: Hands) -> None:
    """CACHE-06: where room is needed, the page goes that wasn't used for longest."""
    one = weigh(ask("a"), page("a"))
    cache = open_(hands, most=3 * one)
    for name in "abc":
        cache.put(ask(name), page(name))
    cache.get(ask("a"))
    cache.put(ask("d"), page("d"))
    assert [name for name in "abcd" if cache.get(ask(name))] == ["a", "c", "d"]
    cache.put(ask("e"), page(*"xyz"))
    assert cache.get(ask("e")) is not None
    assert cache.weight <= 3 * one


async def test_a_page_too_large_is_not_kept(hands: Hands) -> None:
    """CACHE-06: a page that is larger than all that may be kept drives nothing else out."""
    cache = open_(hands, most=5000)
    cache.put(ask("a"), page("a"))
    cache.put(ask("b"), page("b" * 5000))
    assert cache.get(ask("a")) is not None
    assert cache.get(ask("b")) is None


@settings(max_examples=60, deadline=None)
@given(
    steps=st.lists(
        st.tuples(st.sampled_from("pgt"), st.integers(0, 5), st.integers(0, 40), st.integers(-50, 200)), max_size=40
    )
)
def test_any_use_stays_within_bounds(steps: list[tuple[str, int, int, int]]) -> None:
    """CACHE-01 CACHE-06 CACHE-07: whatever is kept, asked for and left, bytes and ages are within their bounds."""

    async def use() -> None:
        hands = Hands()
        cache = open_(hands, seconds=100, most=4000)
        kept: dict[int, tuple[SearchPage, float]] = {}
        for step, name, size, passed in steps:
            if step == "p":
                kept[name] = page("x" * size), hands.now
                cache.put(ask(str(name)), kept[name][0])
            elif step == "g":
                found = cache.get(ask(str(name)))
                if found is not None:
                    own, since = kept[name]
                    assert found is own
                    assert 0 <= hands.now - since < 100
            elif passed < 0:
                hands.now += passed
            else:
                hands.pass_(passed)
            assert 0 <= cache.weight <= 4000
            assert bool(cache.weight) == bool(len(cache))
            assert hands.timers == 1 or not len(cache)

    asyncio.run(use())


@pytest.mark.parametrize("letter", ["a", "ä", "語", "🦊"])
@pytest.mark.parametrize(("rows", "length"), [(1, 3), (5, 400), (10, 1000)])
async def test_bytes_are_counted_as_they_are(letter: str, rows: int, length: int) -> None:
    """CACHE-06: what is counted is what is taken, in any script: no more than a tenth too little, a third too much."""

    def some(number: int) -> tuple[SearchRequest, SearchPage]:
        zone = datetime(2026, 11, 30, tzinfo=UTC) + timedelta(seconds=number)
        results = tuple(
            SearchResult(
                title=f"{letter * 60}{number}",
                url=f"https://example.com/{number}/{place}",
                host=f"host-{number}-{place}.example.com",
                snippet=f"{letter * length}{number}",
                published=zone + timedelta(seconds=place),
                image=f"https://example.com/{number}/{place}.png",
            )
            for place in range(rows)
        )
        request = SearchRequest(query=f"{letter * 40}{number}", count=rows, sites=(f"{number}.example.com",))
        return request, SearchPage(backend="Exa", results=results, found=rows, cost=number / 1000)

    cache = Cache(600, most=10**9)
    cache.put(*some(0))
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0], cache.weight
        for number in range(1, 201):
            cache.put(*some(number))
        taken = tracemalloc.get_traced_memory()[0] - before[0]
    finally:
        tracemalloc.stop()
    counted = cache.weight - before[1]
    cache.clear()
    assert 0.9 <= counted / taken <= 1.33
