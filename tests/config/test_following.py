"""Hold that following what others change goes on whatever happens."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING

from cogs.websearch.following import Following

if TYPE_CHECKING:
    import pytest


class Script:
    """Be what is followed: each time it's begun it raises what was queued, then waits."""

    def __init__(self, *queue: BaseException) -> None:
        self._queue = deque(queue)
        self.waiting = asyncio.Event()
        self.task: asyncio.Task[None] | None = None

    async def follow(self) -> None:
        """Raise what's next, or wait for ever."""
        self.task = asyncio.current_task()
        if self._queue:
            raise self._queue.popleft()
        self.waiting.set()
        await asyncio.Event().wait()


async def test_it_begins_again_after_an_error(caplog: pytest.LogCaptureFixture) -> None:
    """REL-17: each kind of error is logged once with where it was, also one that only looks like a cancellation."""
    script = Script(KeyError("a-secret"), OSError("a-secret"), KeyError("a-secret"), asyncio.CancelledError("a-secret"))
    following = Following("watch", "changes")
    following.start(script.follow)
    await script.waiting.wait()
    await following.close()
    heads = [record.getMessage().splitlines()[0] for record in caplog.records]
    assert heads == [
        f"following changes failed by {kind}, and begins again, at"
        for kind in ("KeyError", "OSError", "CancelledError")
    ]
    assert __file__ in caplog.text
    assert "a-secret" not in caplog.text


async def test_a_task_that_somebody_else_ended_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    """REL-17: whoever cancels every task of a process is obeyed, and the log says what that ended."""
    script = Script()
    following = Following("watch", "changes")
    following.start(script.follow)
    await script.waiting.wait()
    assert script.task is not None
    script.task.cancel()
    await asyncio.wait({script.task})
    await following.close()
    assert [record.getMessage() for record in caplog.records] == [
        "changes are no longer followed: somebody else ended the task"
    ]


async def test_closing_is_no_news(caplog: pytest.LogCaptureFixture) -> None:
    """REL-14: closing twice, or before anything is followed, does no harm and leaves no task."""
    before = asyncio.all_tasks()
    script = Script()
    following = Following("watch", "changes")
    await following.close()
    following.start(script.follow)
    await script.waiting.wait()
    await following.close()
    await following.close()
    assert asyncio.all_tasks() == before
    assert caplog.records == []
