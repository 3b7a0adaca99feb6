"""Run a test on an event loop whose clock jumps to what is next, however long the machine takes for it."""

from __future__ import annotations

import asyncio
import selectors
from functools import wraps
from typing import TYPE_CHECKING, Any, Final, ParamSpec

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

P = ParamSpec("P")

# How long each of the loop's turns takes, in seconds: a clock that stands altogether never gets past a rounding error.
_TURN: Final = 1e-6


class _Jumping(selectors.DefaultSelector):
    """Let the time pass, at once, that would be waited for; nothing else is waited for."""

    now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """Look what's ready now."""
        if timeout is None:
            message = "nothing would ever happen again"
            raise RuntimeError(message)
        self.now += max(timeout, _TURN)
        return super().select(0)


class _StandingLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._jumping = _Jumping()
        super().__init__(self._jumping)

    def time(self) -> float:
        """Tell seconds that passed in the test alone, however long the machine takes for it."""
        return self._jumping.now


def standing(test: Callable[P, Coroutine[Any, Any, None]]) -> Callable[P, None]:
    """Make a test of one that waits for nothing but its loop's clock: no socket, no thread, no process."""

    @wraps(test)
    def run(*args: P.args, **options: P.kwargs) -> None:
        with asyncio.Runner(loop_factory=_StandingLoop) as runner:
            runner.run(test(*args, **options))

    return run
