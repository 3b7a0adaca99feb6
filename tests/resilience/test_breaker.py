"""Hold when an engine that is down is left alone, and when it's tried again."""

from __future__ import annotations

import time
from contextlib import suppress
from statistics import median

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cogs.websearch import errors
from cogs.websearch.breaker import FIRST_SECONDS, LONGEST_SECONDS, Breaker, State
from cogs.websearch.health import DOWN_AFTER, Health
from engine_tools import FakeTime

BROKEN = errors.BackendBroken("Exa")


def fail(health: Health, error: errors.BackendError = BROKEN) -> None:
    """Search, and let the search fail."""
    with suppress(errors.BackendError), health.attempt():
        raise error


def down(time_: FakeTime) -> Health:
    """Return the health of an engine that has just failed too often; its waits are as long as they get."""
    health = Health(clock=time_.clock, random=lambda: 1.0)
    for _ in range(DOWN_AFTER):
        fail(health)
    return health


def test_five_failures_open_it() -> None:
    """RES-10: the fifth in a row does, and what's refused then says when to come back."""
    time_ = FakeTime()
    health = Health(clock=time_.clock, random=lambda: 1.0)
    for _ in range(DOWN_AFTER - 1):
        fail(health)
    health.check()
    fail(health)
    with pytest.raises(errors.BackendDown) as caught, health.attempt():
        pytest.fail("the engine was asked")
    assert (caught.value.backend, caught.value.retry_after, caught.value.billed) == ("Exa", FIRST_SECONDS, False)


def test_one_search_probes() -> None:
    """RES-11: while it's under way no other is let through, and with its success all are."""
    time_ = FakeTime()
    health = down(time_)
    assert health.signs("Exa").state is State.OPEN
    time_.passed += FIRST_SECONDS
    assert health.signs("Exa").state is State.HALF_OPEN
    with health.attempt(), pytest.raises(errors.BackendDown):
        health.check()
    assert health.signs("Exa").state is State.CLOSED
    health.check()


def test_a_probe_that_fails_waits_twice_as_long() -> None:
    """RES-11: up to a minute, and after a success as short as at first."""
    time_ = FakeTime()
    health = down(time_)
    waits = []
    for _ in range(6):
        refusal = health.refusal
        assert isinstance(refusal, errors.BackendDown)
        waits.append(refusal.retry_after)
        time_.passed += refusal.retry_after
        fail(health)
    assert waits == [5, 10, 20, 40, 60, 60]
    time_.passed += LONGEST_SECONDS
    with health.attempt():
        pass
    for _ in range(DOWN_AFTER):
        fail(health)
    assert isinstance(health.refusal, errors.BackendDown)
    assert health.refusal.retry_after == FIRST_SECONDS


def test_a_probe_that_is_cancelled_is_made_again() -> None:
    """RES-11: whoever gives up while asking keeps nobody from finding out."""
    time_ = FakeTime()
    health = down(time_)
    time_.passed += FIRST_SECONDS
    with suppress(KeyboardInterrupt), health.attempt():
        raise KeyboardInterrupt
    with health.attempt():
        pass
    assert health.trouble is None


# What an engine says once it has read what was asked.
ANSWERED = [
    errors.RequestRejected, errors.ContentProhibited, errors.BackendUnable, errors.PageUnreadable, errors.PartsSilent
]  # fmt: skip


@pytest.mark.parametrize("error", ANSWERED)
def test_a_probe_that_is_refused_for_what_it_asks(error: type[errors.BackendError]) -> None:
    """RES-11: an engine that reads a search and won't have it is back, and all are let through."""
    time_ = FakeTime()
    health = down(time_)
    time_.passed += FIRST_SECONDS
    fail(health, error("Exa"))
    assert health.signs("Exa").state is State.CLOSED
    assert health.trouble is None
    health.check()


def test_a_probe_that_comes_too_often() -> None:
    """RES-11: an engine that has too many searches already isn't sent all of them at once."""
    time_ = FakeTime()
    health = down(time_)
    time_.passed += FIRST_SECONDS
    fail(health, errors.RateLimited("Exa"))
    assert health.signs("Exa").state is State.HALF_OPEN


def test_the_time_of_day_counts_for_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """RES-12: the while is over in its time, however the system's clock is set meanwhile."""
    time_ = FakeTime()
    monkeypatch.setattr(time, "monotonic", time_.clock)
    breaker = Breaker(clock=time.time, random=lambda: 1.0)
    breaker.open()
    monkeypatch.setattr(time, "time", lambda: 0.0)
    time_.passed += FIRST_SECONDS
    assert breaker.state is State.HALF_OPEN


def test_what_was_under_way_when_it_opened() -> None:
    """RES-11: its failure makes the while no longer, and its success shows that the engine answers."""
    time_ = FakeTime()
    health = Health(clock=time_.clock, random=lambda: 1.0)
    with suppress(errors.BackendError), health.attempt():
        for _ in range(DOWN_AFTER):
            fail(health)
        time_.passed += 1
        raise BROKEN
    assert isinstance(health.refusal, errors.BackendDown)
    assert health.refusal.retry_after == FIRST_SECONDS - 1
    time_.passed += FIRST_SECONDS
    with health.attempt():
        pass
    assert health.refusal is None


@pytest.mark.parametrize("error", [*ANSWERED, errors.RateLimited, errors.BackendBusy])
def test_what_is_not_the_engines_fault(error: type[errors.BackendError]) -> None:
    """RES-13: however often it's refused, the engine is asked."""
    health = Health()
    for _ in range(3 * DOWN_AFTER):
        fail(health, error("Exa"))
    health.check()


@pytest.mark.parametrize("kind", [errors.RateLimited, errors.BackendOverloaded])
def test_a_wait_that_an_engine_asks_for(kind: type[errors.RateLimited | errors.BackendOverloaded]) -> None:
    """RES-35: nothing is asked before it's over, it gets no longer by being asked for, and ends as it was named."""
    time_ = FakeTime()
    health = Health(clock=time_.clock)
    fail(health, kind("Exa", retry_after=60))
    time_.passed += 20
    for _ in range(2 * DOWN_AFTER):
        with pytest.raises(kind), health.attempt():
            pytest.fail("the engine was asked")
    refusal = health.refusal
    assert isinstance(refusal, kind)
    assert (refusal.backend, refusal.retry_after, refusal.billed) == ("Exa", 40, False)
    assert (health.trouble, health.signs("Exa").state) == (None, State.OPEN)
    time_.passed += 40
    with health.attempt():
        pass
    assert health.signs("Exa").state is State.CLOSED


@given(st.lists(st.tuples(st.floats(0, 86_400), st.floats(-1e6, 1e6)), max_size=9))
def test_no_wait_is_longer_than_was_asked_for(waits: list[tuple[float, float]]) -> None:
    """RES-35, RES-12: however the clock is set, and whatever was asked for before."""
    time_ = FakeTime()
    health = Health(clock=time_.clock)
    for seconds, passed in waits:
        time_.passed += passed
        fail(health, errors.RateLimited("Exa", retry_after=seconds))
        refusal = health.refusal
        longest = max(seconds for seconds, _ in waits)
        assert refusal is None or (isinstance(refusal, errors.RateLimited) and (refusal.retry_after or 0) <= longest)
    time_.passed += 86_400
    health.check()


def test_every_other_failure_opens_nothing() -> None:
    """RES-10: an engine that fails half of all searches is worth the other half."""
    health = Health()
    for _ in range(3 * DOWN_AFTER):
        fail(health)
        with health.attempt():
            pass
    health.check()


STEPS = st.lists(
    st.one_of(
        st.just(("open", 0.0)), st.just(("close", 0.0)), st.tuples(st.just("wait"), st.floats(-1e6, 1e6, width=32))
    ),
    max_size=40,
)


@given(STEPS, st.floats(0, 1, exclude_max=True))
def test_no_while_is_longer_than_a_minute(steps: list[tuple[str, float]], chance: float) -> None:
    """RES-12: whatever the clock does, a minute later at most a search may ask."""
    time_ = FakeTime()
    breaker = Breaker(clock=time_.clock, random=lambda: chance)
    for step, seconds in steps:
        if step == "open":
            breaker.open()
            assert FIRST_SECONDS / 2 <= (breaker.wait or 0) <= LONGEST_SECONDS
        elif step == "close":
            breaker.close()
            assert breaker.state is State.CLOSED
        else:
            time_.passed += seconds
        assert (breaker.wait or 0) <= LONGEST_SECONDS
    time_.passed += LONGEST_SECONDS
    assert breaker.wait is None


def test_signs_tell_how_it_does() -> None:
    """RES-18: the last success and failure with its kind, and the usual time, which one slow search doesn't change."""
    time_ = FakeTime()
    health = Health(clock=time_.clock)
    assert health.latency is None
    for seconds in (1, 2, 90, 1, 2):
        with health.attempt():
            time_.passed += seconds
    fail(health, errors.InvalidAnswer("Exa"))
    signs = health.signs("Exa")
    assert (signs.latency, signs.succeeded, signs.failed, signs.failure) == (2, 96, 96, "backend-invalid-answer")
    assert (signs.state, signs.trouble) == (State.CLOSED, None)
    fail(health, errors.KeyRefused("Exa"))
    assert health.signs("Exa").state is State.OPEN


@given(st.lists(st.integers(0, 100), min_size=1, max_size=25))
def test_the_usual_time_is_the_median(taken: list[int]) -> None:
    """RES-18: the usual time of up to 25 searches is their median, as the standard library has it."""
    time_ = FakeTime()
    health = Health(clock=time_.clock)
    for seconds in taken:
        with health.attempt():
            time_.passed += seconds
    assert health.latency == median(taken)
