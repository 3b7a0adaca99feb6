"""Hold when an engine is asked, by how it answered before."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from itertools import permutations
from typing import TYPE_CHECKING, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cogs.websearch import errors
from cogs.websearch.account import PROBE_SECONDS
from cogs.websearch.breaker import LONGEST_SECONDS
from cogs.websearch.charges import Act
from cogs.websearch.engine_slot import EngineSlot
from cogs.websearch.health import DOWN_AFTER, Health
from cogs.websearch.troubles import Kind
from engine_tools import FakeTime, open_exa

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from cogs.websearch.backends.base import Searcher
    from loopback_exa import LoopbackExa

KEY = errors.KeyRefused("Exa", "the engine's words")
CREDITS = errors.CreditsExhausted("Exa")
BROKEN = errors.BackendBroken("Exa")
REJECTED = errors.RequestRejected("Exa")
ENDINGS = [None, KEY, CREDITS, BROKEN, REJECTED, errors.BackendTimeout("Exa", billed=True)]


def ask(health: Health, ending: errors.BackendError | None = None) -> None:
    """Search, and let the search end like this."""
    with suppress(type(ending)) if ending else ExitStack(), health.attempt():
        if ending:
            raise ending


def kind(health: Health) -> Kind | None:
    """Tell what kind of trouble the engine has."""
    return health.trouble.kind if health.trouble is not None else None


def count(health: Health) -> int:
    """Tell how many searches have failed."""
    return health.trouble.count if health.trouble is not None else 0


def test_five_failures_in_a_row_are_a_trouble() -> None:
    """ALR-05: four aren't, nor are more with a success between; the count goes on, from the first of the row."""
    time_ = FakeTime()
    health = Health(clock=time_.clock)
    for _ in range(DOWN_AFTER - 1):
        ask(health, BROKEN)
    ask(health)
    time_.passed = 7
    for _ in range(DOWN_AFTER - 1):
        ask(health, BROKEN)
        time_.passed += 1
    assert kind(health) is None
    ask(health, errors.BackendUnreachable("Exa", "the last words"))
    found = health.trouble
    assert found is not None
    assert (found.count, found.since) == (DOWN_AFTER, 7)
    assert (found.key, found.detail) == ("backend-unreachable", "the last words")
    time_.passed += LONGEST_SECONDS
    ask(health)
    assert kind(health) is None


@pytest.mark.parametrize(
    ("error", "counts"),
    [
        (errors.RequestRejected("Exa"), False),
        (errors.ContentProhibited("Exa"), False),
        (errors.BackendUnable("Exa"), False),
        (errors.RateLimited("Exa"), False),
        (errors.RateLimited("Exa", retry_after=LONGEST_SECONDS), False),
        (errors.BackendBusy("Exa"), False),
        (errors.PageUnreadable("Exa"), False),
        (errors.PartsSilent("SearXNG"), False),
        (errors.FeatureDisabled("Exa"), True),
        (errors.EndpointMissing("Exa"), True),
        (errors.BackendBroken("Exa"), True),
        (errors.BackendOverloaded("Exa"), True),
        (errors.BackendTimeout("Exa"), True),
        (errors.BackendUnreachable("Exa"), True),
        (errors.UnexpectedRedirect("Exa"), True),
        (errors.InvalidAnswer("Exa"), True),
        (errors.AnswerTooLarge("Exa"), True),
    ],
)
def test_what_counts_as_a_failure(error: errors.BackendError, *, counts: bool) -> None:
    """ALR-05: what an engine refuses for what was asked neither counts nor ends the row; all else counts."""
    time_ = FakeTime()
    health = Health(clock=time_.clock)
    for _ in range(DOWN_AFTER):
        ask(health, error)
    assert (kind(health) is Kind.ENGINE) is counts
    health = Health(clock=time_.clock)
    for _ in range(DOWN_AFTER - 1):
        ask(health, BROKEN)
    ask(health, error)
    time_.passed += LONGEST_SECONDS
    ask(health, BROKEN)
    assert count(health) == DOWN_AFTER + counts


def test_a_refused_key_closes_for_good() -> None:
    """HLT-01: nothing is asked any more, however much time passes, and each search that isn't made counts."""
    time_ = FakeTime()
    health = Health(clock=time_.clock)
    ask(health, KEY)
    for _ in range(3):
        time_.passed += 10 * PROBE_SECONDS
        with pytest.raises(errors.KeyRefused) as caught:
            health.check()
        assert (caught.value.backend, caught.value.detail, caught.value.billed) == ("Exa", "", False)
        with pytest.raises(errors.KeyRefused), health.attempt():
            pytest.fail("the engine was asked")
    assert health.trouble is not None
    assert (health.trouble.count, health.trouble.since, health.trouble.detail) == (7, 0, "the engine's words")


@pytest.mark.parametrize("ending", [CREDITS, BROKEN, REJECTED])
def test_want_of_credit_is_probed(ending: errors.BackendError) -> None:
    """HLT-03, HLT-04: every ten minutes one is let through, alone; only one that goes well lets all through."""
    time_ = FakeTime()
    health = Health(clock=time_.clock)
    ask(health, CREDITS)
    for _ in range(3):
        time_.passed += PROBE_SECONDS - 1
        with pytest.raises(errors.CreditsExhausted):
            health.check()
        time_.passed += 1
        health.check()
        with suppress(errors.BackendError), health.attempt():
            with pytest.raises(errors.CreditsExhausted):
                health.check()
            raise ending
        with pytest.raises(errors.CreditsExhausted):
            health.check()
    time_.passed += PROBE_SECONDS
    ask(health)
    assert health.trouble is None
    ask(health)


@pytest.mark.parametrize("acts", list(permutations(Act)))
def test_a_refused_key_is_refused_for_everything(acts: tuple[Act, Act, Act]) -> None:
    """HLT-01: whatever it was refused for, nothing else is asked either, and it's one trouble that counts all."""
    slot = EngineSlot(cast("Searcher", object()))
    ask(slot.health(acts[0]), KEY)
    for act in acts:
        with pytest.raises(errors.KeyRefused), slot.health(act).attempt():
            pytest.fail("the engine was asked")
        assert slot.health(act).trouble == slot.health(acts[0]).trouble
    assert count(slot.health(acts[1])) == 4
    slot.forgive()
    for act in acts:
        slot.health(act).check()


@pytest.mark.parametrize("acts", list(permutations(Act)))
def test_want_of_credit_is_found_out_once_for_everything(acts: tuple[Act, Act, Act]) -> None:
    """HLT-03, HLT-04: one of all acts asks every ten minutes, and where that goes well, all are let through."""
    time_ = FakeTime()
    slot = EngineSlot(cast("Searcher", object()), clock=time_.clock)
    ask(slot.health(acts[0]), CREDITS)
    for act in acts:
        with pytest.raises(errors.CreditsExhausted):
            slot.health(act).check()
    time_.passed += PROBE_SECONDS
    with suppress(errors.CreditsExhausted), slot.health(acts[1]).attempt():
        for act in acts:
            with pytest.raises(errors.CreditsExhausted):
                slot.health(act).check()
        raise CREDITS
    for act in acts:
        with pytest.raises(errors.CreditsExhausted):
            slot.health(act).check()
    time_.passed += PROBE_SECONDS
    ask(slot.health(acts[2]))
    for act in acts:
        slot.health(act).check()
        assert kind(slot.health(act)) is None


def test_each_act_fails_for_itself() -> None:
    """RES-13: where pages aren't read again and again, searches and answers are made, and a wait is that of an act."""
    slot = EngineSlot(cast("Searcher", object()))
    for _ in range(DOWN_AFTER):
        ask(slot.health(Act.READ), BROKEN)
    ask(slot.health(Act.ANSWER), errors.RateLimited("Exa", retry_after=60))
    slot.health(Act.SEARCH).check()
    for act, refused in ((Act.READ, errors.BackendDown), (Act.ANSWER, errors.RateLimited)):
        with pytest.raises(refused):
            slot.health(act).check()


def test_a_probe_that_is_cancelled_is_made_again() -> None:
    """HLT-04: whoever gives up while asking takes nobody's turn for longer than ten minutes."""
    time_ = FakeTime()
    health = Health(clock=time_.clock)
    ask(health, CREDITS)
    time_.passed += PROBE_SECONDS
    with suppress(KeyboardInterrupt), health.attempt():
        raise KeyboardInterrupt
    with pytest.raises(errors.CreditsExhausted):
        health.check()
    time_.passed += PROBE_SECONDS
    health.check()


def test_a_clock_that_is_put_back_keeps_nothing_closed() -> None:
    """ALR-16, HLT-03: where the clock says that it was refused in the future, the next search asks."""
    time_ = FakeTime()
    time_.passed = 100_000
    health = Health(clock=time_.clock)
    ask(health, CREDITS)
    time_.passed = 0
    health.check()


@pytest.mark.parametrize("closing", [KEY, CREDITS])
@pytest.mark.parametrize("ending", ENDINGS)
def test_what_was_under_way_opens_nothing(closing: errors.BackendError, ending: errors.BackendError | None) -> None:
    """HLT-05: a search that began before stays without a say, but for a key that's refused, which is worse."""
    health = Health()
    with suppress(errors.BackendError), health.attempt():
        ask(health, closing)
        if ending is not None:
            raise ending
    assert kind(health) is (Kind.KEY if KEY in {closing, ending} else Kind.CREDITS)
    with pytest.raises(type(KEY if KEY in {closing, ending} else CREDITS)):
        health.check()


async def test_an_engine_opened_anew_starts_afresh(exa: LoopbackExa) -> None:
    """HLT-02, HLT-06: so does one that's forgiven; what a search on the old one finds out changes nothing."""
    time_ = FakeTime()
    slot = EngineSlot(open_exa(exa, time_), clock=time_.clock)
    try:
        renewals: tuple[Callable[[], None], ...] = (lambda: slot.put(open_exa(exa, time_)), slot.forgive)
        for renew in renewals:
            with suppress(errors.KeyRefused), slot.health().attempt():
                renew()
                raise KEY
            assert slot.health().trouble is None
            ask(slot.health(), KEY)
            renew()
            slot.health().check()
        slot.put(None)
        slot.forgive()
        assert slot.health().trouble is None
    finally:
        await slot.close()


@dataclass
class Searches:
    """Be searches under way, of which any may end next."""

    health: Health
    stacks: list[ExitStack] = field(default_factory=list)

    def begin(self) -> bool:
        """Begin one; tell whether it was let through."""
        stack = ExitStack()
        try:
            stack.enter_context(self.health.attempt())
        except errors.BackendError:
            return False
        self.stacks.append(stack)
        return True

    def end(self, which: int, ending: errors.BackendError | None) -> None:
        """End one of them."""
        stack = self.stacks.pop(which % len(self.stacks))

        @contextmanager
        def ended() -> Iterator[None]:
            with stack:
                yield

        with suppress(errors.BackendError), ended():
            if ending is not None:
                raise ending


STEPS = st.lists(
    st.one_of(
        st.just(("begin", 0, None)),
        st.tuples(st.just("end"), st.integers(0, 5), st.sampled_from(ENDINGS)),
        st.tuples(st.just("wait"), st.sampled_from([1, 300, 600]), st.none()),
    ),
    max_size=60,
)


@given(STEPS)
def test_whatever_happens(steps: list[tuple[str, int, errors.BackendError | None]]) -> None:
    """HLT-01, HLT-03, HLT-04: after a refused key none is let through, without credit one in ten minutes."""
    time_ = FakeTime()
    health = Health(clock=time_.clock)
    searches = Searches(health)
    probed: float | None = None
    for step, number, ending in steps:
        before = kind(health)
        if step == "wait":
            time_.passed += number
        elif step == "end":
            if searches.stacks:
                searches.end(number, ending)
        elif searches.begin():
            assert before is not Kind.KEY
            if before is Kind.CREDITS:
                assert probed is None or time_.passed - probed >= PROBE_SECONDS
                probed = time_.passed
        else:
            # The last where it's down, and left alone for a while.
            assert before in {Kind.KEY, Kind.CREDITS, Kind.ENGINE}
        if kind(health) is not Kind.CREDITS:
            probed = None
        assert before is not Kind.KEY or kind(health) is Kind.KEY
    for stack in searches.stacks:
        stack.close()
