"""Let every engine meet what any server, gateway or network does wrong."""

from __future__ import annotations

import asyncio
import gc
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from cogs.websearch import errors
from cogs.websearch.models import Answer, FetchedPage, SearchPage
from contract import troubles
from contract.checks import outcome
from contract.shape import SAID, TEXT, TITLE, Engine, Way
from contract.stage import GRACE_S, LONG_S, SHORT_S, staged
from contract.suite import CASES
from contract.troubles import REDIRECTS, TRIES, TROUBLES
from loopback_engine import faults

if TYPE_CHECKING:
    from collections.abc import Callable

    from contract.stage import Value

ALL = pytest.mark.parametrize(("engine", "way"), CASES.values(), ids=CASES)


def is_good(found: Value | errors.BackendError) -> bool:
    """Tell whether this is what a good answer says."""
    match found:
        case SearchPage(results=(first, *_)):
            return (first.title, first.snippet) == (TITLE, TEXT)
        case FetchedPage(text=text):
            return text == TEXT
        case Answer(text=text, sources=(first, *_)):
            return (text, first.title) == (SAID, TITLE)
        case _:
            return False


@pytest.mark.parametrize("what", TROUBLES)
@ALL
async def test_a_trouble_ends_as_it_should(
    engine: Engine, way: Way, what: str, caplog: pytest.LogCaptureFixture
) -> None:
    """CON-01, CON-02: it ends in the good answer or in one error, within the deadline, and then passes."""
    trouble = TROUBLES[what]
    timeout_s = SHORT_S if trouble.endless else LONG_S
    raw = troubles.good(engine, way)
    async with staged(engine, timeout_s=timeout_s) as stage:
        stage.server.fail(always=trouble.make(raw))
        started = asyncio.get_running_loop().time()
        found = await outcome(stage, way)
        assert asyncio.get_running_loop().time() - started < timeout_s + GRACE_S
        if trouble.end(way) is None:
            assert is_good(found)
        else:
            assert type(found) is trouble.end(way)
        assert 0 < len(stage.server.requests) <= TRIES
        stage.server.fail(always=faults.answer(raw))
        assert is_good(await outcome(stage, way))
    assert [record for record in caplog.records if record.name.startswith("cogs.websearch")] == []


@ALL
async def test_nobody_follows_a_redirect(engine: Engine, way: Way) -> None:
    """CON-03: wherever an engine sends us, by whatever status, nothing but the engine is called, and once."""
    for status in REDIRECTS:
        for target in ("{0}/good", "//{1}/good", "/elsewhere", ""):
            async with staged(engine) as stage:
                address = target.format(stage.elsewhere.url, stage.elsewhere.url.partition("//")[2])
                stage.server.fail(always=faults.redirect(address, status))
                found = await outcome(stage, way)
                assert type(found) is errors.UnexpectedRedirect
                assert len(stage.server.requests) == 1


@ALL
async def test_an_engine_that_is_not_there(engine: Engine, way: Way) -> None:
    """CON-01: where nothing listens, it can't be reached."""
    async with staged(engine) as stage:
        await stage.server.__aexit__(None, None, None)
        assert type(await outcome(stage, way)) is errors.BackendUnreachable


@ALL
async def test_a_cancelled_call_ends(engine: Engine, way: Way) -> None:
    """CON-04: whoever leaves while the engine is asked has left, and the next one is answered."""
    async with staged(engine) as stage:
        stage.server.fail(faults.hang, always=faults.answer(troubles.good(engine, way)))
        asked = asyncio.ensure_future(stage.ask(way))
        await stage.server.received(1)
        asked.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asked
        assert is_good(await outcome(stage, way))


def descriptors() -> int:
    """Count the open file descriptors of this process."""
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


async def settled(count: Callable[[], int], most: int) -> int:
    """Give the event loop some turns to close what is closing, and count again."""
    for _ in range(200):
        if count() <= most:
            break
        await asyncio.sleep(0)
    return count()


@ALL
async def test_nothing_is_left(engine: Engine, way: Way) -> None:
    """CON-04: after all troubles, one at a time and all at once, no task and no descriptor is left."""
    async with staged(engine):
        pass
    gc.collect()
    before, tasks = descriptors(), len(asyncio.all_tasks())
    raw = troubles.good(engine, way)
    makers = [trouble.make(raw) for trouble in TROUBLES.values()]
    async with staged(engine, timeout_s=SHORT_S) as stage:
        for trouble in TROUBLES.values():
            # Those that wait for the deadline do so together, below.
            if not trouble.endless:
                stage.server.fail(always=trouble.make(raw))
                await outcome(stage, way)
        stage.server.fail(*makers, always=faults.hang)
        await asyncio.gather(*(outcome(stage, way) for _ in makers))
    gc.collect()
    assert await settled(descriptors, before) <= before
    assert await settled(lambda: len(asyncio.all_tasks()), tasks) <= tasks
