"""Find code in a text that an engine wrote, so that what stands in brackets there is taken for no mark of a source.

Engines write Markdown, and cleaning leaves its backticks, but of white space only line breaks: code is what stands
between backticks on one line, or between fences on lines of their own.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import Final

import msgspec

from .patterns import late_re

_RUN: Final = late_re(r"`++")
# A fence may stand in a list or a quote; what is written behind it names a language.
_FENCE: Final = late_re(r"(?:(?:[>*+-]|\d{1,9}[.)])\ ?){0,8}+(?P<fence>`{3,}+(?=[^`]*\Z)|~{3,}+)")
# Some engines set a mark right behind the fence that ends a block.
_MARKED: Final = late_re(r"\ ?(?:[\[［【(].*+)?")  # noqa: RUF001 - a full-width bracket is meant
# What an index follows: the name of what it's an index of, or the end of another expression.
_NAMED: Final = late_re(r"[\w)]\Z")
_EXPRESSED: Final = late_re(r"[\w)\]]\Z", re.ASCII)
_FIRST: Final = late_re(r"\[{1,2}\ ?0(?!\d)")
# What is assigned to, or compared, maybe by more than one index, isn't prose.
_ASSIGNED: Final = late_re(r"(?:\[[^\[\]\n]{0,80}\]){0,4}+\ ?(?:[-+*/%|&^!<>]|//|\*\*|<<|>>)?=(?!>)")
# Behind these, what follows a mark could be taken for one, or for code.
_KEPT_APART: Final = frozenset("[［^,;【-`\\")  # noqa: RUF001 - likewise


class Code(msgspec.Struct, frozen=True):
    """Hold where code stands in a text: from each of `starts` to the end of the same place, in order."""

    starts: list[int]
    ends: list[int]

    def holds(self, place: int) -> bool:
        """Tell whether the character at a place is code's, of which its backticks are a part."""
        found = bisect_right(self.starts, place) - 1
        return found >= 0 and place < self.ends[found]


def find(text: str, *, broken: bool = False) -> Code:
    """Find the code in a cleaned text, in time that grows with its length.

    A block that isn't closed goes on to the end, a backtick that has no other on its line is a backtick. Where the text
    is `broken`, its end is missing: what is open on the last line is code then.
    """
    starts: list[int] = []
    ends: list[int] = []
    fence, begun, at = "", 0, 0
    lines = text.split("\n")
    for number, line in enumerate(lines, start=1):
        found = _FENCE.match(line)
        if fence:
            # Whatever the fence is in, its end is.
            closing = line.lstrip("> ")
            bare = closing.lstrip(fence[0])
            if len(closing) - len(bare) >= len(fence) and _MARKED.fullmatch(bare):
                starts.append(begun)
                ends.append(at + len(line) - len(bare))
                fence = ""
        elif found:
            fence, begun = found["fence"], at
        else:
            for start, end in _spans(line, is_open=broken and number == len(lines)):
                starts.append(at + start)
                ends.append(at + end)
        at += len(line) + 1
    if fence:
        starts.append(begun)
        ends.append(len(text))
    return Code(starts, ends)


def is_index(mark: re.Match[str]) -> bool:
    """Tell whether what may be a mark, any space before it included, is an index in a program, outside of code.

    Right behind a name, no mark counts from 0, and nothing is assigned to one.
    """
    before = _before(mark)
    if _FIRST.match(mark[0]):
        return _NAMED.match(before) is not None
    return mark[0].startswith("[") and bool(_EXPRESSED.match(before) and _ASSIGNED.match(mark.string, mark.end()))


def apart(mark: re.Match[str]) -> str:
    """Return what's left of a mark that points to nothing: a space where it kept apart a mark, or the ends of code."""
    before = _before(mark)
    return " " if before in _KEPT_APART or before.isdigit() else ""


def _before(mark: re.Match[str]) -> str:
    return mark.string[: mark.start()][-1:]


def _spans(line: str, *, is_open: bool) -> list[tuple[int, int]]:
    """Return where code begins and ends on a line: between backticks, and as many again."""
    runs = [(run.start(), run.end()) for run in _RUN.finditer(line)]
    later: dict[int, int] = {}
    closed = [-1] * len(runs)
    for place in reversed(range(len(runs))):
        size = runs[place][1] - runs[place][0]
        closed[place] = later.get(size, -1)
        later[size] = place
    spans = []
    place = 0
    while place < len(runs):
        start, other = runs[place][0], closed[place]
        # Behind a backslash it opens nothing.
        opens = not start or line[start - 1] != "\\"
        if opens and other >= 0:
            spans.append((start, runs[other][1]))
            place = other
        elif opens and is_open:
            spans.append((start, len(line)))
            break
        place += 1
    return spans
