"""Check lengths the way Discord does: in code points, after white space at both ends is trimmed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .refusals import Flaw

if TYPE_CHECKING:
    from collections.abc import Iterator


def length_flaws(
    text: object, at: tuple[str | int, ...], least: int, most: int, *, needed: bool = False
) -> Iterator[Flaw]:
    """List what is wrong with the length of a text; none at all is fine unless it's `needed`."""
    if text is None and not needed:
        return
    if not isinstance(text, str) or not least <= len(text.strip()) <= most:
        code = "BASE_TYPE_BAD_LENGTH" if least else "BASE_TYPE_MAX_LENGTH"
        said = f"Must be between {least} and {most} in length." if least else f"Must be {most} or fewer in length."
        yield Flaw(at, code, said)
