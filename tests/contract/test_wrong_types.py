"""Let every engine send anything at every place of its answers."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from contract import troubles
from contract.checks import outcome
from contract.stage import Stage, staged
from contract.suite import CASES
from loopback_engine import faults

if TYPE_CHECKING:
    from collections.abc import Iterator

    from contract.shape import Engine, Way

ALL = pytest.mark.parametrize(("engine", "way"), CASES.values(), ids=CASES)
EXAMPLES = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
# One of each type, and those of each that others stumble over.
OTHERS: Final[tuple[object, ...]] = (
    None, True, False, 0, -1, 7, 10**400, 0.5, 1e300, float("inf"),
    "", " ", "x", "\x00", "\ud83d", "https://docs.example.org/x", "<b>", "[1]",
    [], [None], [[]], ["x"], [{}], {}, {"": None}, {"url": 1}, {"url": "https://docs.example.org/x"},
)  # fmt: skip


def changed(value: Any, others: tuple[object, ...] = OTHERS) -> Iterator[Any]:  # noqa: ANN401 - any JSON
    """Yield the value with each of its nodes in turn replaced by each other, left out, or doubled."""
    yield from others
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, child in items:
        for new in changed(child, others):
            if isinstance(value, dict):
                yield {**value, name: new}
            else:
                yield [*value[:name], new, *value[name + 1 :]]
        if isinstance(value, dict):
            yield {other: kept for other, kept in value.items() if other != name}
        else:
            yield [*value[:name], *value[name + 1 :]]
            yield [*value, child]


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


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:  # noqa: ANN401 - any JSON
    """Yield the way to each node."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, child in items:
        yield from places(child, (*path, name))


def put(value: Any, path: tuple[Any, ...], new: object) -> Any:  # noqa: ANN401 - any JSON
    """Return the value with a node replaced, or as it is where the way there is gone."""
    if not path:
        return new
    name, *rest = path
    if isinstance(value, dict) and name in value:
        return {**value, name: put(value[name], tuple(rest), new)}
    if isinstance(value, list) and isinstance(name, int) and name < len(value):
        return [*value[:name], put(value[name], tuple(rest), new), *value[name + 1 :]]
    return value


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
