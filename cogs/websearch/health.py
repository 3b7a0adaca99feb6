"""Know how an engine has answered so far, and whether it's worth asking."""

from __future__ import annotations

import random as _random
import time
from collections import deque
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import msgspec
from msgspec.structs import replace

from . import errors
from .breaker import Breaker, State
from .charges import Act
from .clocks import steady
from .troubles import Kind, Trouble

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

# Where one search in ten fails by itself, so many in a row come about once in a hundred thousand searches. A rate of
# failures decides nothing: most bots search too seldom for one to mean anything, and of an engine that fails every
# other search, every other search is worth making.
DOWN_AFTER: Final = 5
# How often, in seconds, one search asks whether there's credit again; what Exa answers with 402 costs nothing.
PROBE_SECONDS: Final = 600.0
# The usual time is that of so many searches: one that took long doesn't change it, and a change shows within a day.
_TIMED: Final = 25
# What closes an engine, and how: no later search fares better.
_CLOSING: Final[Mapping[Kind, type[errors.BackendError]]] = {
    Kind.KEY: errors.KeyRefused,
    Kind.CREDITS: errors.CreditsExhausted,
}
# What tells of one search: the engine read it and answered.
_ANSWERED: Final = (errors.RequestRejected, errors.ContentProhibited, errors.BackendUnable)
# What tells of one search, or of how many there are, and nothing of the engine.
_ASKED_FOR: Final = (*_ANSWERED, errors.RateLimited)


class Signs(msgspec.Struct, frozen=True, kw_only=True):
    """Hold how an engine does: times in Unix seconds, `latency` in seconds, each None where nothing is known yet.

    `failure` is the key of the last error. `stands_in` is true for a fallback, `is_open` false for one that can't be
    asked before it's open, `answers` true for one that answers questions and isn't searched with. `cost` is what was
    spent on it today, in millionths of a US dollar. `beside` is how one that's searched with does at all else.
    """

    name: str
    state: State = State.CLOSED
    trouble: Trouble | None = None
    succeeded: float | None = None
    failed: float | None = None
    failure: str = ""
    latency: float | None = None
    stands_in: bool = False
    answers: bool = False
    cost: int = 0
    is_open: bool = True
    beside: dict[Act, Signs] = {}


class Note(msgspec.Struct, frozen=True, kw_only=True):
    """Hold how an engine did when that was last noted, `at` that moment in Unix seconds."""

    signs: Signs
    at: float


class Health:
    """Count an engine's failures, and fail at once what it would refuse anyway.

    A key that was refused closes the engine for good: a new object comes with each configuration. Where the credit is
    used up, one search every ten minutes finds out whether that's over. Where the engine is down, one search does after
    a few seconds, then after longer. `clock` tells Unix seconds; how long something took, or is to take, is told as
    `clocks.steady` does. `random` is in [0, 1).
    """

    def __init__(self, *, clock: Callable[[], float] = time.time, random: Callable[[], float] = _random.random) -> None:
        self._clock = clock
        self._steady = steady(clock)
        # The failures since the last success, also where they're too few to be told.
        self._run: Trouble | None = None
        self._probing = False
        self._refused_at = 0.0
        self._breaker = Breaker(clock=clock, random=random)
        self._succeeded: float | None = None
        self._failed: float | None = None
        self._failure = ""
        self._times: deque[float] = deque(maxlen=_TIMED)

    @property
    def trouble(self) -> Trouble | None:
        """Tell what's wrong with the engine, or None where it's as good as any."""
        run = self._run
        return None if run is None or (run.kind is Kind.ENGINE and run.count < DOWN_AFTER) else run

    @property
    def latency(self) -> float | None:
        """Tell how many seconds a search usually takes, or None where none went well yet."""
        # The median. `statistics` loads a hundredth of what a bot's start takes, for this alone.
        times = sorted(self._times)
        middle = len(times) // 2
        return (times[middle] + times[~middle]) / 2 if times else None

    def signs(self, name: str) -> Signs:
        """Tell how the engine of that name does."""
        refused = self.refusal is not None and not isinstance(self.refusal, errors.BackendDown)
        return Signs(
            name=name,
            state=State.OPEN if refused else self._breaker.state,
            trouble=self.trouble,
            succeeded=self._succeeded,
            failed=self._failed,
            failure=self._failure,
            latency=self.latency,
        )

    @property
    def refusal(self) -> errors.BackendError | None:
        """Make the error by which a search would fail now without the engine being asked, or None; claim nothing."""
        run = self._run
        if run is None:
            return None
        if run.kind in _CLOSING:
            return None if self._may_probe(run) else _CLOSING[run.kind](run.where)
        wait = self._breaker.wait
        return None if wait is None else errors.BackendDown(run.where, retry_after=wait)

    def check(self) -> None:
        """Raise `KeyRefused`, `CreditsExhausted` or `BackendDown` where a search would fail by it; claim nothing."""
        refusal, run = self.refusal, self._run
        if refusal is None or run is None:
            return
        # Whoever searched got nothing of this engine, and that's what is counted.
        self._run = replace(run, count=run.count + 1)
        raise refusal

    @contextmanager
    def attempt(self) -> Iterator[None]:
        """Learn from how a search ends that is made inside; raise what `check` does instead of entering."""
        self.check()
        probing = self._begin_probe()
        began = self._steady()
        try:
            yield
        except errors.BackendError as error:
            self._fail(error, probing=probing)
            raise
        else:
            self._succeed(began, probing=probing)
        finally:
            if probing:
                self._probing = False
                self._breaker.end_probe()

    def _begin_probe(self) -> bool:
        """Claim the one search that finds out; tell whether this is such a one."""
        if self._run is not None and self._run.kind in _CLOSING:
            self._probing = True
            self._refused_at = self._steady()
        elif self._breaker.state is not State.CLOSED:
            self._breaker.begin_probe()
        else:
            return False
        return True

    def _may_probe(self, run: Trouble) -> bool:
        # A clock that was put back must not keep the engine closed for longer.
        waited = not 0 <= self._steady() - self._refused_at < PROBE_SECONDS
        return run.kind is Kind.CREDITS and not self._probing and waited

    def _succeed(self, began: float, *, probing: bool) -> None:
        self._succeeded = self._clock()
        self._times.append(max(self._steady() - began, 0.0))
        # A search that began before the engine was closed says nothing of what comes after.
        if probing or self._run is None or self._run.kind not in _CLOSING:
            self._run = None
            self._breaker.close()

    def _fail(self, error: errors.BackendError, *, probing: bool) -> None:
        if isinstance(error, _ASKED_FOR):
            if probing and self._run is not None and self._run.kind is Kind.ENGINE and isinstance(error, _ANSWERED):
                # It found out what it was made to find out.
                self._run = None
                self._breaker.close()
            return
        now, run = self._clock(), self._run
        self._failed, self._failure = now, error.key
        kind = next((kind for kind, closing in _CLOSING.items() if isinstance(error, closing)), Kind.ENGINE)
        if kind is Kind.CREDITS:
            self._refused_at = self._steady()
        if run is not None and (run.kind is kind or run.kind is Kind.KEY):
            same = run.kind is kind
            detail, key = (error.detail, error.key) if same else (run.detail, run.key)
            self._run = run = replace(run, count=run.count + 1, detail=detail, key=key)
        elif run is None or kind in _CLOSING:
            self._run = run = Trouble(kind=kind, since=now, where=error.backend, key=error.key, detail=error.detail)
        if run.kind is Kind.ENGINE and run.count >= DOWN_AFTER and (probing or self._breaker.state is State.CLOSED):
            self._breaker.open()
