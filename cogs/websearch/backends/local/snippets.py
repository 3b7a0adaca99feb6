"""Choose the part of a passage that shows why it was found."""

from __future__ import annotations

import re
from collections import Counter
from typing import Final, NamedTuple

# What SQLite is told to put around hits; `documents.plain` leaves neither in a text.
OPEN: Final = "\x02"
CLOSE: Final = "\x03"
_MARKED: Final = re.compile(f"{OPEN}([^{OPEN}{CLOSE}]*){CLOSE}")
# Words whose first letters are the same are mostly forms of one word.
_STEM: Final = 5
# The beginning says what a thing is; a part further on must hold clearly more of the question to be shown instead.
_BEGINNING: Final = 0.7
# A cut goes back to the start of a sentence or line if that is this near, in characters.
_NEAR: Final = 80
_START: Final = re.compile(r"[.!?。！？]\s+|\n+")  # noqa: RUF001 - the full stops of Chinese and Japanese are meant
_ELLIPSIS: Final = "… "


class Hit(NamedTuple):
    """Hold where a hit begins, and what was hit there: words that begin alike count as one."""

    start: int
    stem: str


def hits(marked: str) -> list[Hit]:
    """Return the hits between marks, their places counted in the text without marks."""
    return [
        Hit(found.start() - 2 * place, found[1][:_STEM].lower()) for place, found in enumerate(_MARKED.finditer(marked))
    ]


def around(text: str, found: list[Hit], size: int) -> str:
    """Return the part of the text, of about `size` characters, in which most different words were hit.

    `found` is sorted. Where the beginning of the text is cut off, an ellipsis stands there. The end isn't cut exactly:
    cleaning cuts between graphemes.
    """
    if len(text) <= size or not found:
        return text
    best, start = len({hit.stem for hit in found if hit.start < size}) / _BEGINNING, 0
    first = 0
    inside: Counter[str] = Counter()
    for hit in found:
        inside[hit.stem] += 1
        while hit.start - found[first].start >= size:
            inside[found[first].stem] -= 1
            first += 1
        different = len(+inside)
        if different > best:
            best, start = different, found[first].start
    if not start:
        return text[: 2 * size]
    start = _sentence(text, start)
    return f"{_ELLIPSIS}{text[start : start + 2 * size]}"


def _sentence(text: str, hit: int) -> int:
    """Return where the sentence around a hit starts, or a word shortly before it."""
    lowest = max(0, hit - _NEAR)
    ends = [match.end() for match in _START.finditer(text, lowest, hit)]
    if ends:
        return ends[-1]
    blank = text.find(" ", lowest, hit)
    return blank + 1 if blank >= 0 else hit
