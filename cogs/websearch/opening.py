"""Open an engine that may stand in for another, in a task of its own: no search waits for it."""

from __future__ import annotations

import asyncio
import logging
import traceback
from typing import TYPE_CHECKING, Final

from . import backends, errors
from .i18n import Words
from .wording import explain_to_owner

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from .backends.base import Searcher
    from .config import Config

_log = logging.getLogger(__name__)

# How long it's left alone, in seconds, after it couldn't be opened: the cause may be gone by itself, such as a folder
# on a drive that was missing.
AGAIN_SECONDS: Final = 60.0
# How long closing waits, in seconds, for what's being opened to stop: a thread can't be interrupted, and on a drive
# that hangs it never stops.
_CLOSE_SECONDS: Final = 5.0


class Opening:
    """Try to open the engine that `web-backend` names, once a minute until it's open; a failure is logged once.

    `clock` tells Unix seconds, `sleep` waits for so many. `failed` is when the last try failed, and `failure` the key
    of its error. Whoever makes one closes it, or takes the engine by `hand_to` and closes that.
    """

    def __init__(
        self, config: Config, *, clock: Callable[[], float], sleep: Callable[[float], Awaitable[None]]
    ) -> None:
        self.failed: float | None = None
        self.failure = ""
        self._name = config.web_backend
        self._clock = clock
        self._sleep = sleep
        self._told = ""
        self._tried = asyncio.Event()
        self._searcher: Searcher | None = None
        self._taker: Callable[[Searcher], None] | None = None
        self._task = asyncio.create_task(self._open(config), name="websearch fallback opening")

    @property
    def is_over(self) -> bool:
        """Tell whether it's neither tried any more, nor will be."""
        return self._task.done()

    async def wait(self) -> None:
        """Wait until it was tried once, however that ended."""
        await self._tried.wait()

    def hand_to(self, taker: Callable[[Searcher], None]) -> None:
        """Give the engine to `taker` as soon as it's open, which may be at once."""
        self._taker = taker
        self._hand_over()

    def cancel(self) -> None:
        """End the trying, but don't wait for that: `close` does."""
        self._task.cancel()

    async def close(self) -> None:
        """End the trying, and close the engine that nobody took, within a few seconds; twice does no harm."""
        self.cancel()
        _, stuck = await asyncio.wait({self._task}, timeout=_CLOSE_SECONDS)
        if stuck:
            _log.warning("the fallback %s, which was being opened, doesn't stop", self._name)
        searcher, self._searcher = self._searcher, None
        if searcher is not None:
            await searcher.close()

    async def _open(self, config: Config) -> None:
        while True:
            try:
                # From here to its taker nothing waits, so that no cancellation loses it.
                self._searcher = await backends.open_searcher(config)
            except Exception as error:  # noqa: BLE001 - a fault of one engine must not keep another from being asked
                self._report(error)
            else:
                break
            finally:
                self._tried.set()
            await self._sleep(AGAIN_SECONDS)
        if self.failure:
            _log.info("the fallback %s is open now", self._name)
        self._hand_over()

    def _hand_over(self) -> None:
        if self._taker is not None and self._searcher is not None:
            searcher, self._searcher = self._searcher, None
            self._taker(searcher)

    def _report(self, error: Exception) -> None:
        problem = error if isinstance(error, errors.WebSearchError) else errors.OwnFault()
        self.failed, self.failure = self._clock(), problem.key
        said = explain_to_owner(problem, Words())
        if problem is not error:
            # Not what it says, which may hold anything.
            said += f" ({type(error).__name__})\n" + "".join(traceback.format_tb(error.__traceback__))
        if said != self._told:
            self._told = said
            _log.warning("the fallback %s can't be opened, and is tried again each minute: %s", self._name, said)
