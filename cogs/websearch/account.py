"""Know whether an engine takes the bot's key and has credit left, whatever it's asked to do."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from . import errors
from .clocks import steady
from .troubles import Kind, Trouble

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

# How often, in seconds, one search asks whether there's credit again; what Exa answers with 402 costs nothing.
PROBE_SECONDS: Final = 600.0
# What closes an engine, and how: no later search, answer or page fares better.
_CLOSING: Final[Mapping[Kind, type[errors.BackendError]]] = {
    Kind.KEY: errors.KeyRefused,
    Kind.CREDITS: errors.CreditsExhausted,
}


class Account:
    """Count what an engine refused for its key or for want of credit, and tell what it would refuse anyway.

    A key that was refused closes the engine for good: a new object comes with each configuration. Where the credit is
    used up, one search every ten minutes finds out whether that's over. `clock` tells Unix seconds, and is taken as
    `clocks.steady` does.
    """

    def __init__(self, *, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._steady = steady(clock)
        self._run: Trouble | None = None
        self._probing = False
        self._refused_at = 0.0

    @property
    def trouble(self) -> Trouble | None:
        """Tell what the engine has refused since when, or None where it's open."""
        return self._run

    @property
    def refusal(self) -> errors.BackendError | None:
        """Make the error by which whatever is asked now would fail, or None; claim nothing."""
        run = self._run
        return None if run is None or self._may_probe(run) else _CLOSING[run.kind](run.where)

    def count(self) -> None:
        """Count one more that got nothing of the engine."""
        if self._run is not None:
            self._run = again(self._run)

    def fail(self, error: errors.BackendError) -> bool:
        """Learn from an error; tell whether the engine is closed, by this error or one before."""
        kind = next((kind for kind, closing in _CLOSING.items() if isinstance(error, closing)), None)
        run = self._run
        if kind is Kind.CREDITS:
            self._refused_at = self._steady()
        if run is not None and run.kind is kind:
            self._run = again(run, error)
        elif run is not None and run.kind is Kind.KEY:
            self.count()
        elif kind is not None:
            self._run = begun(kind, error, self._clock())
        return self._run is not None

    def begin_probe(self) -> bool:
        """Claim the one search that finds out, where the engine is closed; tell whether this is such a one."""
        if self._run is None:
            return False
        self._probing = True
        self._refused_at = self._steady()
        return True

    def end_probe(self) -> None:
        """Let another search find out, once it's time."""
        self._probing = False

    def restore(self) -> None:
        """Take note that the engine does what it's asked again."""
        self._run = None

    def _may_probe(self, run: Trouble) -> bool:
        # A clock that was put back must not keep the engine closed for longer.
        waited = not 0 <= self._steady() - self._refused_at < PROBE_SECONDS
        return run.kind is Kind.CREDITS and not self._probing and waited


def begun(kind: Kind, error: errors.BackendError, now: float) -> Trouble:
    """Return the trouble that begins with an error, at that moment in Unix seconds."""
    return Trouble(kind=kind, since=now, where=error.backend, key=error.key, detail=error.detail)


def again(run: Trouble, last: errors.BackendError | None = None) -> Trouble:
    """Return a trouble with one failure more, of which `last` is the error where there's one of its own."""
    key, detail = (run.key, run.detail) if last is None else (last.key, last.detail)
    return replace(run, count=run.count + 1, key=key, detail=detail)
