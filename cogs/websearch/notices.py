"""Decide which troubles the bot's owner is told of, and when: each kind at most once an hour, by any process."""

from __future__ import annotations

import asyncio
import logging
import math
import time
import traceback
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from msgspec.structs import replace

from . import errors
from .charges import Act
from .troubles import Kind, Part, Trouble

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine, Iterator

    from .engine_slot import EngineSlot
    from .health import Health
    from .store.base import AlertStore

    # Called with a trouble, and with whether it's over, to tell the owner.
    Teller: TypeAlias = Callable[[Trouble, bool], Awaitable[None]]

_log = logging.getLogger(__name__)

HOUR_SECONDS: Final = 3600.0
# Where another process told of it, that one may have ended: so many seconds later it's looked up again.
_AGAIN_SECONDS: Final = 60.0
# How long the telling of one trouble may take, in seconds: discord.py itself repeats what Discord fails at.
_PATIENCE: Final = 60.0
# What hasn't failed for so many seconds isn't waited for to work again: maybe nobody does it any more.
_STALE_SECONDS: Final = 86_400.0


class Notices:
    """Hand troubles to `teller`, in tasks of their own: whoever reports one never waits.

    `clock` tells Unix seconds. What was told stands in the database, so that restarts and other processes keep the
    hour; where the database fails, this object alone knows. Nothing happens while there's no `teller`.

    Of several processes, one whose key was refused asks the engine no more while the others go on. So the end of that
    is told by one that met the refusal, or by any once the one that told it has closed, or hasn't told it again for an
    hour. Nothing of a key is kept to tell it from another.

    The database may fail at one thing and do another. So its trouble is over once everything that failed, in whichever
    process, has worked again or hasn't failed for a day.
    """

    def __init__(self, kept: AlertStore, *, clock: Callable[[], float] = time.time) -> None:
        self.teller: Teller | None = None
        self._kept = kept
        self._clock = clock
        # Until when nothing is told of a kind and place, in Unix seconds.
        self._quiet: dict[tuple[Kind, str], float] = {}
        # What was told and hasn't ended yet, as far as the database doesn't know.
        self._told: set[tuple[Kind, str]] = set()
        # Where this process's key was refused, and of which of these it told.
        self._refused: set[tuple[Kind, str]] = set()
        self._held: set[tuple[Kind, str]] = set()
        # What was claimed at which time, but not told to its end.
        self._cut: dict[tuple[Kind, str], float] = {}
        self._database: Trouble | None = None
        # What the database failed at last when, in Unix seconds, and hasn't done since; and when others were told so.
        self._failing: dict[Part, float] = {}
        self._noted: dict[Part, float] = {}
        # How each engine, by its name as shown, was at what it has failed at, and where it's found whether that's its
        # health still.
        self._ill: dict[str, dict[tuple[EngineSlot[Any], Act], Health]] = {}
        # The engines and parts with which, as the database knows, nothing is wrong any more, and until when that's
        # believed: what others held may have become anybody's by then.
        self._well: dict[str | Part, float] = {}
        # One at a time, so that the end of a trouble is never told before the trouble.
        self._turn = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()
        self._closed = False

    def report(self, trouble: Trouble) -> None:
        """Take note of a trouble, and begin to tell of it where its hour has come."""
        self._well.clear()
        now, subject = self._clock(), (trouble.kind, trouble.where)
        if trouble.kind is Kind.KEY:
            self._refused.add(subject)
        until = self._quiet.get(subject, 0.0)
        end = now + HOUR_SECONDS if trouble.day is None else max(now + HOUR_SECONDS, trouble.day.ends)
        # A clock that was put back must not silence anything for longer.
        if self.teller is None or self._closed or now < until <= end:
            return
        # From here on: what fails fifty times at once is claimed by one task.
        self._quiet[subject] = end
        self._begin(self._tell(self.teller, trouble, now))

    def report_database(self, part: Part, where: str, *, searches: int = 1) -> None:
        """Take note that the database failed at this, whose file's name is `where`, and with it so many searches."""
        now = self._clock()
        self._failing[part] = now
        found = self._database or Trouble(kind=Kind.DATABASE, since=now, detail=where, count=0)
        self._database = replace(found, count=found.count + searches)
        noted = self._noted.get(part, -math.inf)
        if self.teller is not None and not self._closed and not noted <= now < noted + HOUR_SECONDS:
            self._noted[part] = now
            # Before it's told: whoever finds another part working must know.
            self._begin(self._note(part, now))
        self.report(self._database)

    def database_works(self, part: Part, *, began: float) -> None:
        """Take note that the database did this; the end of what was told is told once, where nothing else fails.

        `began` is when whoever says so began, in Unix seconds: what failed since then may fail still. What failed at a
        time that's still to come did so before the clock was put back.
        """
        if began < self._failing.get(part, began) <= self._clock():
            return
        self._failing.pop(part, None)
        self._noted.pop(part, None)
        if not self._is_failing():
            self._database = None
        if self.teller is not None and self._is_news(part):
            self._begin(self._mend_part(self.teller, part))

    def works(self, engine: str) -> None:
        """Take note that an engine did well; the end of what was told of it is told once."""
        if self.teller is not None and self._is_news(engine):
            self._begin(self._mend(self.teller, engine))

    def _is_news(self, well: str | Part) -> bool:
        now = self._clock()
        if self._closed or now < self._well.get(well, 0.0) <= now + HOUR_SECONDS:
            return False
        self._well[well] = now + HOUR_SECONDS
        return True

    def _is_failing(self) -> bool:
        now = self._clock()
        return any(now - _STALE_SECONDS < at <= now + HOUR_SECONDS for at in self._failing.values())

    @contextmanager
    def watching(self, slot: EngineSlot[Any], act: Act = Act.SEARCH) -> Iterator[Health]:
        """Learn from what an engine is asked inside whether something is wrong with it; give its health at that.

        What becomes of an engine that was replaced meanwhile is no trouble any more. One that does well at one thing
        isn't well while it fails at another.
        """
        name, health = slot.name, slot.health(act)
        try:
            yield health
        except errors.BackendError:
            if health is slot.health(act) and health.trouble is not None:
                self._ill.setdefault(name, {})[slot, act] = health
                self.report(health.trouble)
            raise
        if health is slot.health(act) and health.trouble is None and not self._is_ill(name):
            self.works(name)

    def _is_ill(self, name: str) -> bool:
        ill = self._ill.pop(name, {})
        # An engine that was replaced, maybe by one of another name, is as good as well.
        still = {
            (slot, act): health
            for (slot, act), health in ill.items()
            if health is slot.health(act) and health.trouble is not None
        }
        if still:
            self._ill[name] = still
        return bool(still)

    async def close(self) -> None:
        """Tell of nothing any more, also where that's under way; closing twice does no harm."""
        self._closed = True
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(set(self._tasks))
        # The store logs what it can't note.
        with suppress(errors.StoreFailed):
            while self._cut:
                (kind, place), now = self._cut.popitem()
                await self._kept.withdraw(kind, place, now=now)
            while self._held:
                await self._kept.release(*self._held.pop())

    async def _tell(self, teller: Teller, trouble: Trouble, now: float) -> None:
        async with self._turn:
            subject = (trouble.kind, trouble.where)
            if not await self._claim(trouble, now):
                self._quiet[subject] = now + _AGAIN_SECONDS
                return
            try:
                await self._hand_over(teller, trouble, over=False)
            except asyncio.CancelledError:
                self._cut[subject] = now
                raise

    async def _claim(self, trouble: Trouble, now: float) -> bool:
        before = now - HOUR_SECONDS
        if trouble.day is not None:
            before = min(before, float(trouble.day.starts))
        subject, lasts, held = (trouble.kind, trouble.where), trouble.kind is not Kind.BUDGET, trouble.kind is Kind.KEY
        try:
            taken = await self._kept.claim(*subject, now=now, before=before, lasts=lasts, held=held)
        except errors.StoreFailed:
            # The store logged it. That a trouble is told twice is the lesser evil.
            if lasts:
                self._told.add(subject)
            return True
        if taken and held:
            self._held.add(subject)
        return taken

    async def _mend(self, teller: Teller, engine: str) -> None:
        async with self._turn:
            over = {subject for subject in self._told if subject[1] == engine}
            met = (Kind.KEY, engine) in self._refused
            held = math.inf if met else self._clock() - HOUR_SECONDS
            try:
                over |= {(Kind(kind), place) for kind, place in await self._kept.mend(engine, held=held)}
            except errors.StoreFailed:
                # Likewise; it's tried again after the next search that goes well.
                self._well.pop(engine, None)
            else:
                self._refused.discard((Kind.KEY, engine))
                self._held.discard((Kind.KEY, engine))
            await self._end(teller, over)

    async def _note(self, part: Part, now: float) -> None:
        async with self._turn:
            # The store logged it, and this process knows.
            with suppress(errors.StoreFailed):
                await self._kept.fail_part(Kind.DATABASE, part.value, now=now)

    async def _mend_part(self, teller: Teller, part: Part) -> None:
        async with self._turn:
            now, told = self._clock(), (Kind.DATABASE, "") in self._told
            try:
                over = await self._kept.mend_part(Kind.DATABASE, part.value, now=now, stale=now - _STALE_SECONDS)
            except errors.StoreFailed:
                self._well.pop(part, None)
                over = False
            if over or (told and not self._is_failing()):
                await self._end(teller, {(Kind.DATABASE, "")})

    async def _end(self, teller: Teller, over: set[tuple[Kind, str]]) -> None:
        self._told -= over
        for kind, place in sorted(over):
            await self._hand_over(teller, Trouble(kind=kind, where=place, since=self._clock()), over=True)

    async def _hand_over(self, teller: Teller, trouble: Trouble, *, over: bool) -> None:
        try:
            async with asyncio.timeout(_PATIENCE):
                await teller(trouble, over)
        except TimeoutError:
            _log.warning("Discord took too long to tell the bot's owner of trouble: %s", trouble.kind)

    def _begin(self, telling: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(telling, name="websearch alert")
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            # Not what it says, which may hold anything.
            where = "".join(traceback.format_tb(error.__traceback__))
            _log.error("an alert could not be sent: %s at\n%s", type(error).__name__, where)
