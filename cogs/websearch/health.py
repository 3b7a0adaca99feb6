"""Know how an engine has answered so far, and whether it's worth asking."""

from __future__ import annotations

import random as _random
import time
from collections import deque
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from . import errors
from .account import Account, again, begun
from .breaker import Breaker, State
from .charges import Act
from .clocks import steady
from .troubles import Kind, Trouble

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# Where one search in ten fails by itself, so many in a row come about once in a hundred thousand searches. A rate of
# failures decides nothing: most bots search too seldom for one to mean anything, and of an engine that fails every
# other search, every other search is worth making.
DOWN_AFTER: Final = 5
# The usual time is that of so many searches: one that took long doesn't change it, and a change shows within a day.
_TIMED: Final = 25
# What tells of one search or one page: the engine read what was asked for and answered.
_ANSWERED: Final = (
    errors.RequestRejected,
    errors.ContentProhibited,
    errors.BackendUnable,
    errors.PageUnreadable,
    errors.PartsSilent,
)
# What may name a wait.
_WAITS: Final = (errors.RateLimited, errors.BackendOverloaded)
# What tells of one search, or of how many there are, and nothing of the engine.
_ASKED_FOR: Final = (*_ANSWERED, errors.RateLimited, errors.BackendBusy)


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


class _Wait(NamedTuple):
    """Hold how many seconds an engine asked to be left alone for, when that was, and by which error."""

    kind: type[errors.RateLimited | errors.BackendOverloaded]
    backend: str
    since: float
    seconds: float

    def left(self, now: float) -> float:
        """Tell how many of them are left; a clock that was put back makes it no longer."""
        passed = now - self.since
        return self.seconds - passed if passed >= 0 else 0.0


class Health:
    """Count an engine's failures at one thing, and fail at once what it would refuse anyway.

    `account` knows what closes the engine for everything that it's asked, and may be shared. Where the engine is down,
    one search finds out after a few seconds whether that's over, then after longer. Where it names a wait, nothing is
    asked of it until then. `clock` tells Unix seconds; how long something took, or is to take, is told as
    `clocks.steady` does. `random` is in [0, 1).
    """

    def __init__(
        self,
        *,
        account: Account | None = None,
        clock: Callable[[], float] = time.time,
        random: Callable[[], float] = _random.random,
    ) -> None:
        self._account = Account(clock=clock) if account is None else account
        self._clock = clock
        self._steady = steady(clock)
        # The failures since the last success, also where they're too few to be told.
        self._run: Trouble | None = None
        self._wait: _Wait | None = None
        self._breaker = Breaker(clock=clock, random=random)
        self._succeeded: float | None = None
        self._failed: float | None = None
        self._failure = ""
        self._times: deque[float] = deque(maxlen=_TIMED)

    @property
    def trouble(self) -> Trouble | None:
        """Tell what's wrong with the engine, or None where it's as good as any."""
        run = self._run
        return self._account.trouble or (None if run is None or run.count < DOWN_AFTER else run)

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
        closed = self._account.refusal
        # One that is let through to ask for credit finds out all else as well.
        if closed is not None or self._account.trouble is not None:
            return closed
        if self._wait is not None and (left := self._wait.left(self._steady())) > 0:
            return self._wait.kind(self._wait.backend, retry_after=left)
        wait = self._breaker.wait
        return None if wait is None or self._run is None else errors.BackendDown(self._run.where, retry_after=wait)

    def check(self) -> None:
        """Raise what `refusal` makes where a search would fail by it; claim nothing."""
        refusal = self.refusal
        if refusal is None:
            return
        # Whoever searched got nothing of this engine, and that's what is counted.
        if self._account.trouble is not None:
            self._account.count()
        elif self._run is not None and isinstance(refusal, errors.BackendDown):
            self._run = again(self._run)
        raise refusal

    @contextmanager
    def attempt(self) -> Iterator[None]:
        """Learn from how a search ends that is made inside; raise what `check` does instead of entering."""
        self.check()
        asks_for_credit = self._account.begin_probe()
        probing = not asks_for_credit and self._breaker.state is not State.CLOSED
        if probing:
            self._breaker.begin_probe()
        began = self._steady()
        try:
            yield
        except errors.BackendError as error:
            self._fail(error, probing=probing)
            raise
        else:
            if asks_for_credit:
                self._account.restore()
            self._succeed(began)
        finally:
            if asks_for_credit:
                self._account.end_probe()
            if probing:
                self._breaker.end_probe()

    def _succeed(self, began: float) -> None:
        self._succeeded = self._clock()
        self._times.append(max(self._steady() - began, 0.0))
        # A search that began before the engine was closed says nothing of what comes after.
        if self._account.trouble is None:
            self._end_run()

    def _end_run(self) -> None:
        self._run = None
        self._breaker.close()

    def _fail(self, error: errors.BackendError, *, probing: bool) -> None:
        if isinstance(error, _WAITS) and error.retry_after:
            self._wait = _Wait(type(error), error.backend, self._steady(), error.retry_after)
        if isinstance(error, _ASKED_FOR):
            if probing and isinstance(error, _ANSWERED):
                # It found out what it was made to find out.
                self._end_run()
            return
        now, run = self._clock(), self._run
        self._failed, self._failure = now, error.key
        if self._account.fail(error):
            return
        self._run = run = begun(Kind.ENGINE, error, now) if run is None else again(run, error)
        if run.count >= DOWN_AFTER and (probing or self._breaker.state is State.CLOSED):
            self._breaker.open()
