"""Follow what others change, in a task of its own."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Coroutine

_log = logging.getLogger(__name__)


class Following:
    """Run a coroutine that never ends until `close`; the log says where it ended by an error all the same.

    `name` is the task's; `what` is followed, as the log calls it, in the plural.
    """

    def __init__(self, name: str, what: str) -> None:
        self._name = name
        self._what = what
        self._task: asyncio.Task[None] | None = None

    def start(self, follow: Coroutine[Any, Any, None]) -> None:
        """Begin to follow."""
        self._task = asyncio.create_task(follow, name=self._name)
        self._task.add_done_callback(self._report)

    async def close(self) -> None:
        """Stop to follow, wherever it is; closing twice does no harm."""
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            await asyncio.wait({task})

    def _report(self, task: asyncio.Task[None]) -> None:
        if not task.cancelled() and (error := task.exception()) is not None:
            _log.error("%s are no longer followed: %s", self._what, type(error).__name__)
