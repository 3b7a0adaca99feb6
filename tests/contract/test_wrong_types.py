"""Let every engine send anything at every place of its answers."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from contract import troubles
from contract.checks import outcome
from contract.mutations import changed, places, put
from contract.stage import Stage, staged
from contract.suite import CASES
from loopback_engine import faults

if TYPE_CHECKING:
    from contract.shape import Engine, Way

ALL = pytest.mark.parametrize(("engine", "way"), CASES.values(), ids=CASES)
EXAMPLES = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


async def answered(stage: Stage, way: Way, body: object) -> None:
    """Let the engine answer that, and check what comes of it."""
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    stage.server.fail(always=faults.answer(raw))
    try:
        await outcome(stage, way)
    except Exception as error:
        error.add_note(raw[:2000].decode(errors="replace"))
        raise


@ALL
async def test_any_type_anywhere(engine: Engine, way: Way) -> None:
    """CON-17: any type in the place of any part of an answer leaves what is good of it, or is one error."""
    async with staged(engine) as stage:
        for body in changed(engine.shapes[way].good):
            await answered(stage, way, body)


JSON: Final = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


@ALL
async def test_anything_anywhere(engine: Engine, way: Way) -> None:
    """CON-17: up to four parts of an answer at once may be anything."""
    good = engine.shapes[way].good
    spots = st.sampled_from(sorted(places(good), key=repr))
    bodies: list[object] = []

    @EXAMPLES
    @given(st.lists(st.tuples(spots, JSON), min_size=1, max_size=4))
    def collect(edits: list[tuple[tuple[Any, ...], object]]) -> None:
        body: Any = good
        for path, new in edits:
            body = put(body, path, new)
        bodies.append(body)

    collect()
    async with staged(engine) as stage:
        for body in bodies:
            await answered(stage, way, body)


@ALL
async def test_any_beginning(engine: Engine, way: Way) -> None:
    """CON-18: an answer that stops anywhere, or of which any byte is another, is one error or what is good of it."""
    raw = troubles.good(engine, way)
    async with staged(engine) as stage:
        for end in range(0, len(raw), 7):
            await answered(stage, way, raw[:end])
            await answered(stage, way, raw[:end] + b"\xff" + raw[end + 1 :])
            await answered(stage, way, raw[:end] + b'"' + raw[end + 1 :])
