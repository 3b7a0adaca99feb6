"""Choose the part of a passage that shows why it was found."""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import Final

# What SQLite is told to put around hits; `documents.plain` leaves neither in a text.
OPEN: Final = "\x02"
CLOSE: Final = "\x03"
_MARKS: Final = re.compile(f"[{OPEN}{CLOSE}]")
# The beginning says what a thing is; a part further on must hold clearly more hits to be shown instead.
_BEGINNING: Final = 0.6
# A cut goes back to the start of a sentence or line if that is this near, in characters.
_NEAR: Final = 80
_START: Final = re.compile(r"[.!?。！？]\s+|\n+")  # noqa: RUF001 - the full stops of Chinese and Japanese are meant
_ELLIPSIS: Final = "… "


def starts(marked: str) -> list[int]:
    """Return where hits begin, counted in the text without its marks."""
    found = []
    for marks, match in enumerate(_MARKS.finditer(marked)):
        if match[0] == OPEN:
            found.append(match.start() - marks)
    return found


def around(text: str, hits: list[int], size: int) -> str:
    """Return about `size` characters of the text where most hits are, with an ellipsis where its beginning is cut off.

    `hits` are sorted positions. The end isn't cut exactly: cleaning cuts between graphemes.
    """
    if len(text) <= size or not hits:
        return text
    counts = [bisect_left(hits, hit + size) - place for place, hit in enumerate(hits)]
    most = max(counts)
    if bisect_left(hits, size) >= _BEGINNING * most:
        return text[: 2 * size]
    start = _sentence(text, hits[counts.index(most)])
    return f"{_ELLIPSIS}{text[start : start + 2 * size]}" if start else text[: 2 * size]


def _sentence(text: str, hit: int) -> int:
    """Return where the sentence around a hit starts, or a word shortly before it."""
    lowest = max(0, hit - _NEAR)
    ends = [match.end() for match in _START.finditer(text, lowest, hit)]
    if ends:
        return ends[-1]
    blank = text.find(" ", lowest, hit)
    return blank + 1 if blank >= 0 else hit
