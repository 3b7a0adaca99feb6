"""Walk through the components of a message, and turn those of a request into those of an answer."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .refusals import Json

ACTION_ROW: Final = 1
BUTTON: Final = 2
STRING_SELECT: Final = 3
TEXT_INPUT: Final = 4
SELECTS: Final = (STRING_SELECT, 5, 6, 7, 8)
TEXT_DISPLAY: Final = 10
LABEL: Final = 18
LINK_STYLE: Final = 5


def walk(listed: Iterable[Json]) -> Iterator[Json]:
    """Go through the components, the containers before what they hold."""
    for component in listed:
        yield component
        yield from walk(component.get("components") or ())
        for key in ("accessory", "component"):
            if component.get(key):
                yield from walk([component[key]])


def returned(listed: Iterable[Json]) -> list[Json]:
    """Copy the components, leave out what is null, and give each an id as Discord does."""
    answer = [_without_nulls(component) for component in copy.deepcopy(list(listed))]
    for number, component in enumerate(walk(answer), start=1):
        component.setdefault("id", number)
        if component["type"] in SELECTS:
            component.setdefault("min_values", 1)
            component.setdefault("max_values", 1)
    return answer


def _without_nulls(component: Json) -> Json:
    kept = {key: value for key, value in component.items() if value is not None}
    for key, value in kept.items():
        if isinstance(value, dict):
            kept[key] = _without_nulls(value)
        elif isinstance(value, list):
            kept[key] = [_without_nulls(item) if isinstance(item, dict) else item for item in value]
    return kept
