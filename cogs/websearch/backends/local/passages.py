"""Cut long texts into passages, so that a long page is found by what one part of it says."""

from __future__ import annotations

import re
from typing import Final

# About a screenful: long enough to hold what belongs together, short enough for a hit in it to mean something.
PASSAGE: Final = 1500
_PARAGRAPH: Final = re.compile(r"\n\n+")


def split(text: str) -> list[str]:
    """Return passages of at most `PASSAGE` characters that make up the text, cut between paragraphs where possible."""
    passages: list[str] = []
    current = ""
    for paragraph in _PARAGRAPH.split(text):
        for piece in _pieces(paragraph):
            if current and len(current) + 2 + len(piece) > PASSAGE:
                passages.append(current)
                current = ""
            current = f"{current}\n\n{piece}" if current else piece
    return [*passages, current] if current else passages


def _pieces(paragraph: str) -> list[str]:
    """Cut a paragraph that is too long, at white space where there is some."""
    pieces = []
    start = 0
    while len(paragraph) - start > PASSAGE:
        end = max(paragraph.rfind(blank, start + 1, start + PASSAGE + 1) for blank in (" ", "\n"))
        end = end if end > start else start + PASSAGE
        pieces.append(paragraph[start:end].strip())
        start = end
    return [piece for piece in [*pieces, paragraph[start:].strip()] if piece]
