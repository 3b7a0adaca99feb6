"""Follow what others change, in a task of its own."""

from __future__ import annotations

import asyncio
import logging
import traceback
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

_log = logging.getLogger(__name__)


def asked_to_end() -> bool:
    """Tell whether somebody cancelled the current task; a `CancelledError` of any other origin is a mere fault."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


class Following:
    """Keep a function running until `close`: where it ends by an error, it's begun again.

    The function waits before all else, which is the pause between two beginnings. `name` is the task's; `what` is
    followed, as the log calls it, in the plural.
    """

    def __init__(self, name: str, what: str) -> None:
        self._name = name
        self._what = what
        self._task: asyncio.Task[None] | None = None
        # Each kind of error is logged once: what's tried again each second would fill the log.
        self._told: set[str] = set()

    def start(self, follow: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Begin to follow."""
        self._task = asyncio.create_task(self._keep(follow), name=self._name)
        self._task.add_done_callback(self._report_end)

    async def close(self) -> None:
        """Stop to follow, wherever it is; closing twice does no harm."""
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            await asyncio.wait({task})

    async def _keep(self, follow: Callable[[], Coroutine[Any, Any, None]]) -> None:
        while True:
            try:
                await follow()
            except (Exception, asyncio.CancelledError) as error:
                if asked_to_end():
                    raise
                self._report(error)

    def _report(self, error: BaseException) -> None:
        kind = type(error).__name__
        if kind not in self._told:
            self._told.add(kind)
            # Not what it says, which may hold anything.
            where = "".join(traceback.format_tb(error.__traceback__))
            _log.error("following %s failed by %s, and begins again, at\n%s", self._what, kind, where)

    def _report_end(self, task: asyncio.Task[None]) -> None:
        if task is self._task:
            _log.error("%s are no longer followed: somebody else ended the task", self._what)
