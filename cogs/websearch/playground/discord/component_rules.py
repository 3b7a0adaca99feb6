"""Check buttons, menus and modals against what Discord enforces, whether its API document says so or not."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from .components import (
    ACTION_ROW,
    BUTTON,
    LABEL,
    LINK_STYLE,
    SELECTS,
    STRING_SELECT,
    TEXT_DISPLAY,
    TEXT_INPUT,
    walk,
)
from .lengths import length_flaws
from .refusals import Flaw, Json
from .urls import url_flaws

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Path = tuple[str | int, ...]

ROWS: Final = 5
ROW: Final = 5
LABEL_LENGTH: Final = 80
LINK: Final = 512
OPTIONS: Final = 25
OPTION_TEXT: Final = 100
CUSTOM_ID: Final = 100
PLACEHOLDER: Final = 150
ALL_NEW_STYLE: Final = 40
TEXT_NEW_STYLE: Final = 4000
MODAL_TITLE: Final = 45
TEXT_INPUT_LABEL: Final = 45
SKU_STYLE: Final = 6


def check_components(listed: Sequence[Json], at: Path, *, new_style: bool, unsure: bool = False) -> list[Flaw]:
    """List what is wrong with a message's components.

    `new_style` is true for messages that consist of components alone; `unsure` where an edit doesn't say which it is.
    """
    return list(_components(listed, at, new_style=new_style, unsure=unsure))


def _components(listed: Sequence[Json], at: Path, *, new_style: bool, unsure: bool) -> Iterator[Flaw]:
    rows_alone = all(component.get("type") == ACTION_ROW for component in listed)
    if not new_style and not rows_alone and not unsure:
        yield Flaw(at, "UNION_TYPE_CHOICES", 'Value of field "type" must be one of (1,).')
    everything = list(walk(listed))
    if rows_alone and not new_style and len(listed) > ROWS:
        yield Flaw(at, "BASE_TYPE_BAD_LENGTH", f"Must be between 1 and {ROWS} in length.")
    if len(everything) > ALL_NEW_STYLE:
        yield Flaw(at, "COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED", f"No more than {ALL_NEW_STYLE} components")
    yield from _custom_ids(everything, at)
    texts = [component.get("content") or "" for component in everything if component.get("type") == TEXT_DISPLAY]
    if sum(map(len, texts)) > TEXT_NEW_STYLE:
        yield Flaw(at, "COMPONENT_DISPLAYABLE_TEXT_SIZE_EXCEEDED", f"No more than {TEXT_NEW_STYLE} characters of text")
    for path, component in _with_paths(listed, at):
        yield from _component(component, path)


def _with_paths(listed: Sequence[Json], at: Path) -> Iterator[tuple[Path, Json]]:
    for index, component in enumerate(listed):
        here = (*at, index)
        yield here, component
        yield from _with_paths(component.get("components") or (), (*here, "components"))
        for key in ("accessory", "component"):
            if component.get(key):
                yield (*here, key), component[key]


def _custom_ids(everything: Sequence[Json], at: Path) -> Iterator[Flaw]:
    ids = Counter(component["custom_id"] for component in everything if component.get("custom_id") is not None)
    for custom_id, count in ids.items():
        if not isinstance(custom_id, str) or not 1 <= len(custom_id) <= CUSTOM_ID:
            yield Flaw(at, "BASE_TYPE_BAD_LENGTH", f"A custom id must be between 1 and {CUSTOM_ID} in length.")
        if count > 1:
            yield Flaw(at, "COMPONENT_CUSTOM_ID_DUPLICATED", "Component custom id cannot be duplicated")


def _component(component: Json, at: Path) -> Iterator[Flaw]:
    kind = component.get("type")
    if kind == ACTION_ROW:
        yield from _row(component.get("components") or (), (*at, "components"))
    elif kind == BUTTON:
        yield from _button(component, at)
    elif kind in SELECTS:
        yield from _select(component, at)


def _row(inside: Sequence[Json], at: Path) -> Iterator[Flaw]:
    wide = sum(ROW if component.get("type") in (*SELECTS, TEXT_INPUT) else 1 for component in inside)
    if not inside or len(inside) > ROW:
        yield Flaw(at, "BASE_TYPE_BAD_LENGTH", f"Must be between 1 and {ROW} in length.")
    elif wide > ROW:
        yield Flaw(at, "COMPONENT_LAYOUT_WIDTH_EXCEEDED", "The specified component exceeds the maximum width")


def _button(button: Json, at: Path) -> Iterator[Flaw]:
    style, url, custom_id = button.get("style"), button.get("url"), button.get("custom_id")
    yield from length_flaws(button.get("label"), (*at, "label"), 0, LABEL_LENGTH)
    if style == LINK_STYLE:
        if url is None:
            yield Flaw((*at, "url"), "BASE_TYPE_REQUIRED", "This field is required")
        if custom_id is not None:
            yield Flaw((*at, "custom_id"), "BUTTON_COMPONENT_CUSTOM_ID_URL_MUTUALLY_EXCLUSIVE", "A link has no id")
        yield from url_flaws(url, (*at, "url"), LINK)
    elif style != SKU_STYLE:
        if custom_id is None:
            yield Flaw(at, "BUTTON_COMPONENT_CUSTOM_ID_REQUIRED", "A custom id required")
        if url is not None:
            yield Flaw((*at, "url"), "BUTTON_COMPONENT_INVALID_URL", "Only link buttons can have urls")
    if style != SKU_STYLE and not (button.get("label") or "").strip() and not button.get("emoji"):
        yield Flaw(at, "BUTTON_COMPONENT_INVALID_LABEL_EMOJI", "A button needs a label or an emoji")


def _select(select: Json, at: Path) -> Iterator[Flaw]:
    if not select.get("custom_id"):
        yield Flaw((*at, "custom_id"), "BASE_TYPE_REQUIRED", "This field is required")
    yield from length_flaws(select.get("placeholder"), (*at, "placeholder"), 0, PLACEHOLDER)
    least, most = select.get("min_values"), select.get("max_values")
    least, most = 1 if least is None else least, 1 if most is None else most
    if not 0 <= least <= most or not 1 <= most <= OPTIONS:
        yield Flaw((*at, "max_values"), "SELECT_COMPONENT_MAX_VALUES_INVALID", "Minimum is above maximum")
    if select.get("type") != STRING_SELECT:
        return
    options = select.get("options") or ()
    if not 1 <= len(options) <= OPTIONS:
        yield Flaw((*at, "options"), "BASE_TYPE_BAD_LENGTH", f"Must be between 1 and {OPTIONS} in length.")
    if most > max(len(options), 1):
        yield Flaw((*at, "max_values"), "SELECT_COMPONENT_MAX_VALUES_INVALID", "Maximum is above the options")
    yield from _select_options(options, (*at, "options"), most)


def _select_options(options: Sequence[Json], at: Path, most: int) -> Iterator[Flaw]:
    for index, option in enumerate(options):
        yield from length_flaws(option.get("label"), (*at, index, "label"), 1, OPTION_TEXT, needed=True)
        yield from length_flaws(option.get("value"), (*at, index, "value"), 1, OPTION_TEXT, needed=True)
        yield from length_flaws(option.get("description"), (*at, index, "description"), 0, OPTION_TEXT)
    values = [option.get("value") for option in options]
    if len(set(values)) < len(values):
        yield Flaw(at, "SELECT_COMPONENT_OPTION_VALUE_DUPLICATED", "The specified option value is already used")
    if sum(bool(option.get("default")) for option in options) > most:
        yield Flaw(at, "SELECT_COMPONENT_TOO_MANY_DEFAULT_VALUES", "More options are chosen than may be")


def check_modal(data: Json, at: Path) -> list[Flaw]:
    """List what is wrong with a modal."""
    flaws = list(length_flaws(data.get("title"), (*at, "title"), 1, MODAL_TITLE, needed=True))
    flaws += length_flaws(data.get("custom_id"), (*at, "custom_id"), 1, CUSTOM_ID, needed=True)
    listed = data.get("components") or ()
    if not 1 <= len(listed) <= ROWS:
        flaws.append(Flaw((*at, "components"), "BASE_TYPE_BAD_LENGTH", f"Must be between 1 and {ROWS} in length."))
    flaws += _custom_ids(list(walk(listed)), (*at, "components"))
    for path, component in _with_paths(listed, (*at, "components")):
        if component.get("type") in (TEXT_INPUT, LABEL) and component.get("label") is not None:
            flaws += length_flaws(component["label"], (*path, "label"), 1, TEXT_INPUT_LABEL)
    return flaws
