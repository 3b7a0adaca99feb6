"""Know what is being answered: each interaction once, and nothing cut off by an unload."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, Any, Final, TypeVar
from weakref import WeakValueDictionary

from . import errors

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Coroutine, Iterator

Done = TypeVar("Done")

# How many interactions are remembered: Discord tells one again within seconds, after a connection broke.
_REMEMBERED: Final = 1000


class Underway:
    """Hold the tasks that answer interactions, and which interactions came lately."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()
        self._lately: OrderedDict[int, None] = OrderedDict()
        self._errands: set[str] = set()
        self._pressed: OrderedDict[int, int] = OrderedDict()
        # Each is here as long as somebody has it, or waits for it.
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def begin(self) -> None:
        """Count the current task as one that answers, until it ends."""
        task = asyncio.current_task()
        if task is not None and task not in self._tasks:
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    def is_repeated(self, interaction_id: int) -> bool:
        """Tell whether an interaction has come before; from now on it has."""
        if interaction_id in self._lately:
            return True
        self._lately[interaction_id] = None
        if len(self._lately) > _REMEMBERED:
            self._lately.popitem(last=False)
        return False

    def press(self, message_id: int, interaction_id: int) -> None:
        """Note that a message's buttons were pressed."""
        self._pressed[message_id] = interaction_id
        self._pressed.move_to_end(message_id)
        if len(self._pressed) > _REMEMBERED:
            self._pressed.popitem(last=False)

    def is_latest(self, message_id: int, interaction_id: int) -> bool:
        """Tell whether nothing else was pressed on a message since."""
        return self._pressed.get(message_id) == interaction_id

    @contextmanager
    def once(self, errand: str) -> Iterator[None]:
        """Raise `AlreadyAsked` where the same errand is being done already, as where a button is pressed twice."""
        if errand in self._errands:
            raise errors.AlreadyAsked
        self._errands.add(errand)
        try:
            yield
        finally:
            self._errands.discard(errand)

    @asynccontextmanager
    async def in_turn(self, errand: str) -> AsyncIterator[None]:
        """Wait until all that began the same errand before have ended it."""
        turn = self._turns.get(errand)
        if turn is None:
            turn = self._turns[errand] = asyncio.Lock()
        async with turn:
            yield

    async def shelter(self, work: Coroutine[Any, Any, Done]) -> Done:
        """Do work for a task that isn't ours, such as a host's, so that an unload waits for the work alone.

        Raise `SearchInterrupted` where the unload can't wait any longer; whoever is cancelled meanwhile is, and so is
        the work.
        """
        caller, task = asyncio.current_task(), asyncio.create_task(work, name="websearch tool")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        try:
            return await task
        except asyncio.CancelledError:
            if task.cancelled() and caller is not None and not caller.cancelling():
                raise errors.SearchInterrupted from None
            raise

    async def settle(self, seconds: float) -> None:
        """Wait until all that is being answered has been, for so many seconds; then cancel what has not."""
        answering = self._tasks - {asyncio.current_task()}
        if not answering:
            return
        _, late = await asyncio.wait(answering, timeout=seconds)
        for task in late:
            task.cancel()
        if late:
            await asyncio.wait(late, timeout=seconds)


class Interruption:
    """End what waits inside `guard`, from outside and for good."""

    def __init__(self) -> None:
        self._scopes: set[asyncio.Timeout] = set()
        self._ended = False

    @asynccontextmanager
    async def guard(self) -> AsyncIterator[None]:
        """Raise `SearchInterrupted` where `end` is called before what is inside has ended, or was called already."""
        if self._ended:
            raise errors.SearchInterrupted
        scope = asyncio.timeout(None)
        try:
            async with scope:
                self._scopes.add(scope)
                try:
                    yield
                finally:
                    self._scopes.discard(scope)
        except TimeoutError:
            if not scope.expired():
                raise
            raise errors.SearchInterrupted from None

    def end(self) -> None:
        """Interrupt; doing so twice does no harm."""
        self._ended = True
        while self._scopes:
            # A deadline that is over.
            self._scopes.pop().reschedule(0)
