"""Ask the first engine that's worth asking, and the next where that fails, all within one deadline."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, Final, Generic, TypeVar

import msgspec
from msgspec.structs import replace

from . import errors
from .backends import terms
from .charges import Act
from .engine_slot import Backend
from .lineup import SHARE
from .models import Answer, FetchedPage, SearchPage
from .pacing import QueueFull

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .charges import Bills
    from .engine_slot import Engine
    from .health import Health
    from .notices import Notices

    # Holds what an engine may bill, beside what is in the bills already; raises where the budget has no room for it.
    Hold = Callable[[Bills, str], Awaitable[None]]

Found = TypeVar("Found", SearchPage, FetchedPage, Answer)

# An engine's own deadline comes first: only the engine knows whether anything was sent by then, and has the last that
# came of an answer.
_GRACE_S: Final = 0.1
GROWN_GRACE_S: Final = 0.5
# How long a search takes, in seconds, of an engine that wasn't asked yet.
_UNKNOWN_S: Final = 1.0
# What no other engine is asked after: what was asked for is at fault.
_FINAL: Final = (errors.ContentProhibited, errors.RequestRejected)

_log = logging.getLogger(__name__)


class EngineCall(msgspec.Struct, Generic[Backend, Found], frozen=True):
    """Hold what engines are asked to do: `call` asks one of them.

    `came` gives what has come where that fails, None where it's nothing. `grace_s` is how much longer than its deadline
    an engine is waited for, in seconds.
    """

    act: Act
    call: Callable[[Backend], Awaitable[Found]]
    came: Callable[[], Found | None] = lambda: None
    grace_s: float = _GRACE_S


class Failover:
    """Ask engines, one after the other; `notices` learns what each says of itself by how it answers."""

    def __init__(self, notices: Notices) -> None:
        self._notices = notices

    def check(self, engines: Sequence[Engine[Backend]], act: Act) -> None:
        """Raise what the first engine's refusal is where none of these is worth asking; ask none."""
        if all(engine.slot.health(act).refusal is not None for engine in engines):
            with self._notices.watching(engines[0].slot, act) as health:
                health.check()

    async def ask(
        self,
        engines: Sequence[Engine[Backend]],
        task: EngineCall[Backend, Found],
        bills: Bills,
        *,
        deadline: float,
        hold: Hold,
    ) -> Found:
        """Return what the first engine answers that does, by a deadline on the event loop's clock.

        Note in `bills` what each engine may bill, for which `hold` holds money before it's asked, or raises. One after
        which another may be asked gets two thirds of the time that's left, the last one all of it, and so does one of
        whose answer a part has come. None is asked where no time is left. What came of one that failed is returned,
        too: the failure is the engine's, and goes to its health and the log. Raise `BackendError`: what says that the
        search itself won't do, or else how the first one failed. Where none was asked, raise what `hold` does, or
        `InvalidSearch`.
        """
        now = asyncio.get_running_loop().time
        failed: errors.BackendError | None = None
        unasked: errors.SearchError = errors.SearchDisabled()
        for number, engine in enumerate(engines):
            left = deadline - now()
            if not engine.slot.name:
                continue
            if left <= 0:
                # Nobody's failure but that of whatever took so long before.
                unasked = errors.BackendBusy(engine.slot.name)
                break
            others = any(is_ready(other, task.act) for other in engines[number + 1 :])
            try:
                found = await self._try(engine, task, bills, hold, left * SHARE if others else left, left)
            except (errors.SearchRefused, errors.InvalidSearch) as error:
                unasked = error
            except errors.BackendError as error:
                if engine.slot.health(task.act).refusal is not None:
                    # Whoever waits for a turn goes on to the next engine at once.
                    engine.pace.dissolve()
                came = task.came()
                if came is not None:
                    return _named(came, failed)
                if isinstance(error, _FINAL):
                    raise
                failed = failed or error
            else:
                return _named(found, failed)
        raise failed or unasked

    async def _try(
        self,
        engine: Engine[Backend],
        task: EngineCall[Backend, Found],
        bills: Bills,
        hold: Hold,
        seconds: float,
        most_s: float,
    ) -> Found:
        """Return what an engine answers within so many seconds, or `most_s` where a part has come by then."""
        now = asyncio.get_running_loop().time
        end = now() + seconds
        with engine.slot.use() as backend, self._notices.watching(engine.slot, task.act) as health:
            health.check()
            await hold(bills, engine.key)
            await _queue(engine, backend.name, health, end)
            left = end - now()
            if left <= 0:
                raise errors.BackendBusy(backend.name)
            with health.attempt():
                bills.ask(engine.key)
                own = terms.Terms(left, partial(_turn, engine, health), most_s - seconds)
                try:
                    with terms.under(own):
                        found = await within(left, backend.name, task.call(backend), grace_s=task.grace_s, own=own)
                except errors.BackendError as error:
                    came = task.came()
                    if came is None:
                        bills.fail(engine.key, error)
                    else:
                        bills.answer(engine.key, came.cost, lost=came.lost)
                    if isinstance(error, errors.BackendTimeout) and came is None and left < seconds / 2:
                        # Most of its time went to others: whether it would have answered, nobody knows.
                        raise _busy(error) from None
                    raise
                except errors.InvalidSearch:
                    bills.withdraw(engine.key)
                    raise
        bills.answer(engine.key, found.cost, lost=found.lost)
        return found


def _named(found: Found, failed: errors.BackendError | None) -> Found:
    return found if failed is None else replace(found, instead_of=failed.backend)


def is_ready(engine: Engine[Backend], act: Act) -> bool:
    """Tell whether an engine is there and would be asked now."""
    return bool(engine.slot.name) and engine.slot.health(act).refusal is None


def first(engines: Sequence[Engine[Backend]], act: Act) -> str:
    """Name the engine that would be asked first, as the configuration does."""
    return next((engine.key for engine in engines if engine.slot.health(act).refusal is None), engines[0].key)


async def _queue(engine: Engine[Backend], name: str, health: Health, end: float) -> None:
    """Wait for the engine's pace as long as leaves time to ask until `end`, on the event loop's clock.

    Whoever is sent away for what the engine fails at, and asks it for something else, waits again. Raise `BackendBusy`
    where it takes too long, at once where that's known.
    """
    now = asyncio.get_running_loop().time
    try:
        while not await engine.pace.turn(_patience(health, end - now())):
            if health.refusal is not None:
                return
    except QueueFull as full:
        raise errors.BackendBusy(name, retry_after=full.seconds) from None


async def _turn(engine: Engine[Backend], health: Health, seconds: float) -> bool:
    """Wait likewise for the turn of a further try; return False where that's too long, or nobody is to ask."""
    end = asyncio.get_running_loop().time() + seconds
    try:
        await _queue(engine, "", health, end)
    except errors.BackendBusy:
        return False
    return health.refusal is None


def _patience(health: Health, seconds: float) -> float:
    usual = _UNKNOWN_S if health.latency is None else health.latency
    return seconds - min(usual, seconds / 2)


def _busy(late: errors.BackendTimeout) -> errors.BackendBusy:
    """Return the error of a search that waited so long for its turn that its engine couldn't answer in time."""
    return errors.BackendBusy(late.backend, billed=late.billed, cost=late.cost, lost=late.lost)


async def within(
    timeout_s: float, name: str, asked: Awaitable[Found], *, grace_s: float = _GRACE_S, own: terms.Terms | None = None
) -> Found:
    """Wait for an engine of that name as long as that many seconds; raise `BackendError`, which is logged, too.

    `grace_s` is for how many more seconds it's waited for to end by itself. What `own` prolongs is waited for longer.
    """
    seconds = timeout_s + grace_s
    try:
        async with asyncio.timeout(seconds) if own is None else own.limit(seconds):
            return await asked
    except TimeoutError:
        late = errors.BackendTimeout(name, billed=True)
        if own is not None:
            own.bill(late)
        raise _logged(late) from None
    except errors.BackendError as error:
        raise _logged(error) from None


def _logged(error: errors.BackendError) -> errors.BackendError:
    # The detail was stripped of query and keys by the engine's adapter. Not the error itself: what keeps log records
    # would keep its traceback, and all that the search held.
    _log.warning("%s failed: %s %s %s", error.backend, error.key, error.tag, error.detail)
    return error
