"""Change JSON at each of its places."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

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
