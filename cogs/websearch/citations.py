"""Tell what an answer shows of the pages that it rests on: where its marks point, which sources each part lists.

What's decided here holds for embeds and for plain text alike.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

import msgspec

from . import codespans, parts, site_rules
from .models import SearchResult
from .patterns import late_re

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Sequence

    from .models import Answer, Answered

# A mark such as [2], with the space before it, which goes where the mark does.
_MARK: Final = late_re(r"(?P<gap>\ ?)\[(?P<number>\d++)\]")
# Half of one, where an answer still grows.
_HALF: Final = late_re(r"\ ?\[\d{0,3}+\Z")
# No source has a number that's longer.
_LONGEST: Final = 3


class Mark(msgspec.Struct, frozen=True):
    """Hold a mark that points to a source: the number, and where the mark stands in a text."""

    number: int
    start: int
    end: int


class Part(msgspec.Struct, frozen=True):
    """Hold a part of an answer, unescaped, its marks in order, and its sources: those that it cites, then others.

    Both are by their numbers. Those that nothing cites are the others of the last part.
    """

    text: str
    marks: list[Mark]
    cited: Mapping[int, SearchResult]
    others: Mapping[int, SearchResult]

    @property
    def sources(self) -> list[tuple[int, SearchResult]]:
        """List all of them by their numbers, those first that are cited."""
        return [*self.cited.items(), *self.others.items()]


class Line(msgspec.Struct, frozen=True):
    """Hold what a source's line is: by itself, and with its address; both escaped."""

    number: int
    bare: str
    full: str


def shown(answered: Answered) -> dict[int, SearchResult]:
    """Return the sources by their numbers, counted from 1, without those on sites that may not be shown."""
    rules = answered.request.rules
    numbered = enumerate(answered.answer.sources, start=1)
    return {number: source for number, source in numbered if site_rules.shows(rules, source.host)}


def pointed(answered: Answered) -> str:
    """Return the text of an answer without what points to no source that is shown, and lines that were only that.

    That goes for a source on a hidden site too: a number that leads nowhere would look like our mistake, and naming the
    page is what is forbidden.
    """
    sources, answer = shown(answered), answered.answer
    code = codespans.find(answer.text, broken=_is_broken(answer))

    def replace(mark: re.Match[str]) -> str:
        return mark[0] if _number(mark) in sources or _is_code(mark, code) else codespans.apart(mark)

    # A cleaned text has no two spaces, unless a mark that's gone left one.
    lines = (line.replace("  ", " ").strip() for line in _MARK.sub(replace, answer.text).split("\n"))
    return "\n".join(line for line in lines if line)


def split(answered: Answered) -> list[Part]:
    """Cut the text of an answer that `pointed` returns into parts, at least one, the same in every look of a reply."""
    sources, whole = shown(answered), pointed(answered)
    cuts = _placed(whole, marks(whole, sources, broken=_is_broken(answered.answer))) or [("", [])]
    each = [{mark.number for mark in found} for _, found in cuts]
    nowhere = set(sources).difference(*each)
    last = len(cuts) - 1
    return [
        Part(text, found, _these(sources, cited), _these(sources, nowhere if place == last else set()))
        for place, ((text, found), cited) in enumerate(zip(cuts, each, strict=True))
    ]


def beginning(answered: Answered) -> tuple[Part, bool]:
    """Return the first part of an answer that still grows, without half a mark at its end, and whether there's more."""
    answer = answered.answer
    whole = msgspec.structs.replace(answer, text=_HALF.sub("", answer.text))
    first, *rest = split(msgspec.structs.replace(answered, answer=whole))
    return first, bool(rest)


def marks(text: str, sources: Mapping[int, SearchResult], *, broken: bool = False) -> list[Mark]:
    """Find the marks in a text that point to one of the sources, in order; what stands in code is none.

    `broken` is true where the end of the text is missing.
    """
    code = codespans.find(text, broken=broken)
    found = ((_number(mark), mark) for mark in _MARK.finditer(text) if not _is_code(mark, code))
    return [Mark(number, mark.end("gap"), mark.end()) for number, mark in found if number in sources]


def fill(lines: Sequence[Line], room: int, more: Callable[[int], str]) -> list[str]:
    """Return the lines of sources that fit into `room` code points, line breaks included, in the order of numbers.

    `lines` come with the most important first, and as many as fit are shown. Then addresses are put in where room is
    left, the shortest first, so that a few long ones don't take it from all. `more` writes the line that counts those
    left out.
    """
    count = used = 0
    for place, line in enumerate(lines, start=1):
        used += len(line.bare) + 1
        if used + (len(more(len(lines) - place)) + 1 if place < len(lines) else 0) > room:
            break
        count = place
    rest = [more(len(lines) - count)] if count < len(lines) else []
    written = {line.number: line.bare for line in lines[:count]}
    left = room - sum(len(line) + 1 for line in (*written.values(), *rest))
    for line in sorted(lines[:count], key=lambda line: len(line.full)):
        left -= len(line.full) - len(line.bare)
        if left < 0:
            break
        written[line.number] = line.full
    return [*(written[number] for number in sorted(written)), *(line for line in rest if len(line) < room)]


def _these(sources: Mapping[int, SearchResult], numbers: set[int]) -> dict[int, SearchResult]:
    return {number: source for number, source in sources.items() if number in numbers}


def _number(mark: re.Match[str]) -> int:
    digits = mark["number"]
    return int(digits) if len(digits) <= _LONGEST else 0


def _is_code(mark: re.Match[str], code: codespans.Code) -> bool:
    return code.holds(mark.end("gap")) or codespans.is_index(mark)


def _placed(pointed: str, found: list[Mark]) -> list[tuple[str, list[Mark]]]:
    """Cut a text into parts, each with its marks, and where they stand in it.

    They're those of the whole text: a part doesn't tell whether it begins inside code.
    """
    placed = []
    end = 0
    for text in parts.cut(pointed):
        start = pointed.index(text, end)
        end = start + len(text)
        inside = [mark for mark in found if start <= mark.start and mark.end <= end]
        placed.append((text, [Mark(mark.number, mark.start - start, mark.end - start) for mark in inside]))
    return placed


def _is_broken(answer: Answer) -> bool:
    """Tell whether the end of an answer is missing: it may end inside code."""
    return not answer.complete or answer.text.endswith("…")
