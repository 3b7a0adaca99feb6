"""Hold answers that come piece by piece to the same contract."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Final

import pytest

from answer_tools import broken_off
from cogs.websearch import errors
from cogs.websearch.backends.base import Streamer
from cogs.websearch.charges import Act
from contract import troubles
from contract.checks import check, check_error
from contract.echoes import FORMS, PARTS, SHOWN_RUN, disguised, everything, given_away, leaves
from contract.mutations import OTHERS, changed
from contract.shape import SAID, Engine, Way
from contract.stage import GRACE_S, LONG_S, REQUEST, SHORT_S, Stage, staged
from contract.suite import ANSWERS
from contract.troubles import TROUBLES
from loopback_engine import faults
from loopback_engine.streams import stream

if TYPE_CHECKING:
    from cogs.websearch.models import Answer
    from loopback_engine import Fault

STREAMS: Final = {name: engine for name, engine in ANSWERS.items() if engine.streams}
EACH = pytest.mark.parametrize("engine", STREAMS.values(), ids=STREAMS)


async def streamed(stage: Stage) -> list[Answer] | errors.BackendError:
    """Let the answer come, and check each state of it, or return how it failed."""
    found: list[Answer] = []
    try:
        async for answer in stage.adapter.stream(REQUEST):
            check(answer, stage.engine, Way.ANSWER, REQUEST)
            found.append(answer)
    except errors.BackendError as error:
        check_error(error, stage.engine)
        return error
    assert found
    assert not any(answer.complete for answer in found[:-1])
    return found


def events(*bodies: object) -> Fault:
    """Answer with a stream of these events."""
    lines = (b"data: " + (body if isinstance(body, bytes) else json.dumps(body).encode()) + b"\n\n" for body in bodies)
    return faults.answer(b"".join(lines), headers={"Content-Type": "text/event-stream"})


@pytest.mark.parametrize("what", TROUBLES)
@EACH
async def test_troubles(engine: Engine, what: str) -> None:
    """CON-01, CON-02, CON-27: what goes wrong is one error within the deadline here, too, or the whole answer."""
    trouble = TROUBLES[what]
    timeout_s = SHORT_S if trouble.endless else LONG_S
    async with staged(engine, timeout_s=timeout_s) as stage:
        stage.server.fail(always=trouble.make(troubles.good(engine, Way.ANSWER)))
        started = asyncio.get_running_loop().time()
        found = await streamed(stage)
        assert asyncio.get_running_loop().time() - started < timeout_s + GRACE_S
        if isinstance(found, errors.BackendError):
            assert trouble.ends is not None
            assert found.act is Act.ANSWER
        else:
            assert trouble.ends is None
            assert (found[-1].text, found[-1].complete) == (SAID, True)
        stage.server.fail(always=events(engine.shapes[Way.ANSWER].good))
        again = await streamed(stage)
        assert isinstance(again, list)
        assert again[-1].text == SAID


@EACH
async def test_any_type_anywhere(engine: Engine) -> None:
    """CON-17: any type in the place of any part of an event leaves what is good of it, or is one error."""
    async with staged(engine) as stage:
        for body in changed(engine.shapes[Way.ANSWER].good, OTHERS[::2]):
            stage.server.fail(always=events(body))
            try:
                await streamed(stage)
            except Exception as error:
                error.add_note(json.dumps(body)[:2000])
                raise


@EACH
async def test_pieces_that_are_none(engine: Engine) -> None:
    """CON-18: what is no event, between events, is passed over; a stream that stops within its only one is an error."""
    raw = troubles.good(engine, Way.ANSWER)
    async with staged(engine) as stage:
        stage.server.fail(always=events(b"nothing", b"[DONE]", b"{", b"null", b"7", b"[]", b"\xff", raw, b"[DONE]"))
        found = await streamed(stage)
        assert isinstance(found, list)
        assert found[-1].text == SAID
        for end in range(0, len(raw), 9):
            stage.server.fail(always=events(raw[:end]))
            assert isinstance(await streamed(stage), errors.BackendError)


@pytest.mark.parametrize("form", PARTS)
@EACH
async def test_a_key_in_a_stream(engine: Engine, form: str) -> None:
    """CON-08: a key, or half of it, in any field of an event is shown to nobody, also where JSON or tags hide it."""
    part = FORMS[form](engine.key)
    async with staged(engine) as stage:
        for body in leaves(engine.shapes[Way.ANSWER].good, f"Your key is {part}."):
            for sent in disguised(json.dumps(body), part):
                stage.server.fail(always=events(sent.encode()))
                found = await streamed(stage)
                shown = [found] if isinstance(found, errors.BackendError) else found
                for one in shown:
                    assert given_away(everything(one), engine.secret, SHOWN_RUN) == set(), sent


@EACH
async def test_leaving_early(engine: Engine) -> None:
    """CON-04: whoever stops to listen leaves no task behind."""
    tasks = asyncio.all_tasks()
    async with staged(engine, timeout_s=LONG_S) as stage:
        stage.server.fail(faults.hang, always=events(engine.shapes[Way.ANSWER].good))
        waiting = asyncio.ensure_future(streamed(stage))
        await stage.server.received(1)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        stream = stage.adapter.stream(REQUEST)
        await anext(stream)
        await stream.aclose()
    for _ in range(100):
        await asyncio.sleep(0)
    assert asyncio.all_tasks() <= tasks


@pytest.mark.parametrize(
    ("hanging", "kind"), [(False, errors.BackendUnreachable), (True, errors.BackendTimeout)], ids=["broken", "hanging"]
)
@EACH
async def test_breaking_off(engine: Engine, kind: type[errors.BackendError], *, hanging: bool) -> None:
    """CON-24: what came before a stream broke, or its time was over, comes with its sources; then comes the error."""
    async with staged(engine, timeout_s=SHORT_S) as stage:
        stage.server.fail(stream(engine.shapes[Way.ANSWER].good, broken=not hanging, hanging=hanging))
        (*_, last), error = await broken_off(stage.adapter.stream(REQUEST))
        check(last, stage.engine, Way.ANSWER, REQUEST)
        check_error(error, stage.engine)
        assert (last.text, last.complete) == (SAID, False)
        assert last.sources
        assert type(error) is kind


@EACH
async def test_lost_tries_of_a_stream(engine: Engine) -> None:
    """CON-25: the answer and each error say how many requests before went out and weren't answered."""
    good, key = engine.shapes[Way.ANSWER].good, {"key": engine.key}
    async with staged(engine) as stage:
        stage.server.fail(faults.reset, stream(good))
        assert (await streamed(stage))[-1].lost == 1  # type: ignore[index] # it comes
        for fault in (stream(good, broken=True), stream(good, key)):
            stage.server.fail(faults.reset, faults.reset, fault)
            (*_, last), error = await broken_off(stage.adapter.stream(REQUEST))
            assert (last.lost, error.lost) == (2, 2)
        for fault in (stream(key), stream(), faults.html(404), faults.answer(b"{}")):
            stage.server.fail(faults.reset, fault)
            found, error = await broken_off(stage.adapter.stream(REQUEST))
            assert (found, error.lost) == ([], 1)


@pytest.mark.parametrize("engine", ANSWERS.values(), ids=ANSWERS)
async def test_who_streams(engine: Engine) -> None:
    """CON-23: an engine that can answer piece by piece is held to it."""
    async with staged(engine) as stage:
        assert isinstance(stage.adapter, Streamer) == engine.streams
