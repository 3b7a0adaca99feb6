"""Read the block of sources at the end of an answer that a language model wrote."""

from __future__ import annotations

import re
from typing import Final

import msgspec

from . import rows

# A source's line: a number as in [1], 1., 1) or [^1]:, and an address somewhere behind it.
_LINE: Final = re.compile(
    r"\s{0,8}(?:[-*•]\s{1,4})?(?:\[\^?(?P<mark>[1-9][0-9]{0,2})\]|(?P<item>[1-9][0-9]{0,2})[.)])"
    r":?(?P<rest>\s*.{0,3000})"
)
_ADDRESS: Final = re.compile(r"https?://(?:[^\s()<>\[\]]|\([^\s()]{0,200}\)){1,2048}+", re.IGNORECASE)
# What a heading is made of beside its words.
_BEFORE: Final = r"\s*(?:[#*_]{1,6}\s*)?"
_BEHIND: Final = r"\s*:?\s*[*_]{0,3}\s*:?\s*"
# A line that says so, though the model may say it in the answer's language.
_NAMED: Final = re.compile(
    rf"{_BEFORE}(?:(?:re)?sources?|references?|citations?|quellen|r[ée]f[ée]rences|fuentes|fontes|fonti|bronnen){_BEHIND}",
    re.IGNORECASE,
)
# Any other few words that are written as a heading.
_HEADING: Final = re.compile(rf"{_BEFORE}[^\s.!?:*_][^.!?:*_\n]{{0,30}}(?=\s*[*_]{{0,3}}:|[*_]{{2}}){_BEHIND}")
_RULE: Final = re.compile(r"\s*(?:-{3,}|\*{3,}|_{3,})\s*")
# What stands between an address and a title.
_AROUND: Final = ' \t-–—:|()[]<>*_"“”,.'  # noqa: RUF001 - the dashes of titles are meant
# The last part of an answer in which the block is looked for, in code points.
_SCOPE: Final = 16_384


class Cited(msgspec.Struct, frozen=True):
    """Hold an answer without its block, and the sources by their numbers in it, with None where a number is left out.

    Without a block `sources` is empty.
    """

    text: str
    sources: list[rows.Row | None]


def split(raw: str, *, whole: bool = True) -> Cited:
    """Take the block of sources off the end of an answer; what isn't clearly one stays.

    Lines that begin with [1] are sources anywhere at the end, those that begin with 1. only under a heading that says
    so. Where the answer isn't `whole`, its last line may be half an address, and goes.
    """
    start = max(0, len(raw) - _SCOPE)
    lines = raw[start:].splitlines(keepends=True)
    if lines and not whole and _source(lines[-1]) and lines[-1].rstrip("\r\n") == lines[-1]:
        lines.pop()
    found: dict[int, rows.Row] = {}
    listed = False
    end = len(lines)
    while end:
        line = lines[end - 1]
        source = _source(line)
        if source is not None:
            # The lines are read from the last one up, and the first one of a number holds.
            found[source[0]] = source[1]
            listed = listed or not line.lstrip(" -*•").startswith("[")
        elif line.strip() and not (found and _RULE.fullmatch(line)):
            break
        end -= 1
    heading = lines[end - 1] if end else ""
    if listed and not _NAMED.fullmatch(heading):
        return Cited("".join((raw[:start], *lines)), [])
    if _NAMED.fullmatch(heading) or (found and _HEADING.fullmatch(heading)):
        end -= 1
    kept = "".join((raw[:start], *lines[:end]))
    return Cited(kept.rstrip(), [found.get(number) for number in range(1, max(found, default=0) + 1)])


def _source(line: str) -> tuple[int, rows.Row] | None:
    parts = _LINE.match(line)
    address = _ADDRESS.search(parts["rest"]) if parts else None
    number = int(parts["mark"] or parts["item"]) if parts else 0
    if parts is None or address is None or number > rows.MOST:
        return None
    before, behind = parts["rest"][: address.start()].strip(_AROUND), parts["rest"][address.end() :].strip(_AROUND)
    return number, rows.Row(url=address[0].rstrip(".,;:"), title=before or behind)
