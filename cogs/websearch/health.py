"""Know how an engine has answered so far, and whether it's worth asking."""

from __future__ import annotations

import time
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from . import errors
from .troubles import Kind, Trouble

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

# Where one search in ten fails by itself, so many in a row come about once in a hundred thousand searches.
DOWN_AFTER: Final = 5
# How often, in seconds, one search asks whether there's credit again; what Exa answers with 402 costs nothing.
PROBE_SECONDS: Final = 600.0
# What closes an engine, and how: no later search fares better.
_CLOSING: Final[Mapping[Kind, type[errors.BackendError]]] = {
    Kind.KEY: errors.KeyRefused,
    Kind.CREDITS: errors.CreditsExhausted,
}
# What tells of one search, or of how many there are, and nothing of the engine.
_ASKED_FOR: Final = (
    errors.RequestRejected,
    errors.ContentProhibited,
    errors.BackendUnable,
    errors.RateLimited,
)


class Health:
    """Count an engine's failures, and fail at once what it would refuse anyway.

    A key that was refused closes the engine for good: a new object comes with each configuration. Where the credit is
    used up, one search every ten minutes finds out whether that's over. `clock` tells Unix seconds.
    """

    def __init__(self, *, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        # The failures since the last success, also where they're too few to be told.
        self._run: Trouble | None = None
        self._probing = False
        self._refused_at = 0.0

    @property
    def trouble(self) -> Trouble | None:
        """Tell what's wrong with the engine, or None where it's as good as any."""
        run = self._run
        return None if run is None or (run.kind is Kind.ENGINE and run.count < DOWN_AFTER) else run

    def check(self) -> None:
        """Raise `KeyRefused` or `CreditsExhausted` where the engine would, too; claim nothing."""
        run = self._run
        if run is None or run.kind not in _CLOSING or self._may_probe(run):
            return
        self._run = replace(run, count=run.count + 1)
        raise _CLOSING[run.kind](run.where)

    @contextmanager
    def attempt(self) -> Iterator[None]:
        """Learn from how a search ends that is made inside; raise what `check` does instead of entering."""
        self.check()
        probing = self._run is not None and self._run.kind in _CLOSING
        if probing:
            self._probing = True
            self._refused_at = self._clock()
        try:
            yield
        except errors.BackendError as error:
            self._fail(error)
            raise
        else:
            # A search that began before the engine was closed says nothing of what comes after.
            if probing or self._run is None or self._run.kind not in _CLOSING:
                self._run = None
        finally:
            if probing:
                self._probing = False

    def _may_probe(self, run: Trouble) -> bool:
        # A clock that was put back must not keep the engine closed for longer.
        waited = not 0 <= self._clock() - self._refused_at < PROBE_SECONDS
        return run.kind is Kind.CREDITS and not self._probing and waited

    def _fail(self, error: errors.BackendError) -> None:
        if isinstance(error, _ASKED_FOR):
            return
        now, run = self._clock(), self._run
        kind = next((kind for kind, closing in _CLOSING.items() if isinstance(error, closing)), Kind.ENGINE)
        if kind is Kind.CREDITS:
            self._refused_at = now
        if run is not None and (run.kind is kind or run.kind is Kind.KEY):
            same = run.kind is kind
            detail, key = (error.detail, error.key) if same else (run.detail, run.key)
            self._run = replace(run, count=run.count + 1, detail=detail, key=key)
        elif run is None or kind in _CLOSING:
            self._run = Trouble(kind=kind, since=now, where=error.backend, key=error.key, detail=error.detail)
