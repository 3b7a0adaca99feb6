"""Cut long text into parts that are read one after the other."""

from __future__ import annotations

import re
from typing import Final

from . import text
from .patterns import late_re

# What a part takes of a reply, in code points after escaping: two screens of a phone, after which a reader would rather
# turn a page than go on scrolling. It's the same in an embed and in plain text, where 500 are left for all the rest, so
# that a button means the same part in both.
MOST: Final = 1500
# The end of a sentence, with what closes it and the marks of its sources; Chinese and Japanese have no space behind it.
_SENTENCE: Final = late_re(
    r"""
    [.!?…۔؟।] ["'”’»)\]]{0,4}+ (?: \ ?\[\d{1,3}\] ){0,20}+ (?= \s(?!\[\d) )
    | [。！？] [”’」』）]{0,4}+ (?: \ ?\[\d{1,3}\] ){0,20}+
    """,  # noqa: RUF001 - the marks of other scripts are meant
    re.VERBOSE,
)
_MARK: Final = late_re(r"\[\d{1,3}\]")
_MARK_MOST: Final = len("[999]")
_INK: Final = late_re(r"\S")


def cut(whole: str, most: int = MOST) -> list[str]:
    """Return the parts of a clean text, none empty, each at most `most` code points once escaped; `most` is at least 2.

    A part ends with a paragraph, else with a sentence, else with a word, where that leaves it half as long as it could
    be or longer, else between graphemes, and never inside a mark such as [12]. White space at the seams is left out,
    and nothing else. Only a grapheme that's too long by itself is cut in two.
    """
    parts: list[str] = []
    end = 0
    while ink := _INK.search(whole, end):
        start = ink.start()
        end = start + _end(whole[start : start + most + 1], most)
        parts.append(whole[start:end].rstrip())
    return parts


def _end(head: str, most: int) -> int:
    """Tell where the part that begins a text ends, of which `head` shows one code point more than could fit."""
    fitting = text.beginning(head, most)
    if fitting == len(head):
        return fitting
    least = max(1, fitting // 2)
    found = head.rfind("\n", least, fitting + 1)
    if found < 0:
        ends = (sentence.end() for sentence in _SENTENCE.finditer(head))
        found = max((end for end in ends if least <= end <= fitting), default=-1)
    if found < 0:
        found = head.rfind(" ", least, fitting + 1)
    if found < 0:
        found = _before_mark(head, fitting)
    # Each code point takes two at most.
    return found or max(1, most // 2)


def _before_mark(head: str, end: int) -> int:
    """Return the place, or that before a mark which it would cut in two, unless the mark is all there is."""
    start = head.rfind("[", max(1, end - _MARK_MOST), end)
    mark = _MARK.match(head, start) if start > 0 else None
    return start if mark and mark.end() > end else end
