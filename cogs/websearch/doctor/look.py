"""Show what was found: one block of lines a check, its mark first, as a word."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final
from unicodedata import category

from .. import terminal
from .findings import MARKS, Mark

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from ..i18n import Words
    from .findings import Finding

# SGR numbers: green, yellow, red, dim.
_COLOURS: Final[Mapping[Mark, str]] = {Mark.OK: "32", Mark.WARNING: "33", Mark.WRONG: "31", Mark.SKIPPED: "2"}
_GAP: Final = "  "


def block(finding: Finding, words: Words, style: terminal.Style, secrets: Iterable[str] = ()) -> str:
    """Return the lines of one finding, each ended; no control character and no secret gets into them."""
    width = max(terminal.columns(words(mark)) for mark in MARKS.values())
    mark = words(MARKS[finding.mark])
    padding = " " * (width - terminal.columns(mark))
    first = style.paint(mark, _COLOURS[finding.mark]) + padding + _GAP
    lines = list(_lines((finding.found, finding.todo), style.width - width - len(_GAP), tuple(secrets)))
    return "\n".join([first + lines[0], *(" " * width + _GAP + line for line in lines[1:])]) + "\n"


def summary(findings: Sequence[Finding], words: Words) -> str:
    """Return the last line: how much is wrong, and how much is only odd."""
    counts = Counter(finding.mark for finding in findings)
    bad, odd = counts[Mark.WRONG], counts[Mark.WARNING]
    if bad:
        said = words.plural("{count} thing is wrong.", "{count} things are wrong.", bad)
    elif odd:
        said = words.plural("Nothing is wrong, with {count} warning.", "Nothing is wrong, with {count} warnings.", odd)
    else:
        said = words("Nothing is wrong.")
    return f"\n{said}\n"


def _lines(texts: Iterable[str], width: int, secrets: tuple[str, ...]) -> Iterator[str]:
    for text in texts:
        # Some locales write narrow spaces into numbers and times.
        shown = "".join(" " if category(sign) == "Zs" else sign if sign.isprintable() else "?" for sign in text)
        yield from _wrap(_without(shown, secrets), width)


def _without(text: str, secrets: tuple[str, ...]) -> str:
    """Take out a secret that got here against all care."""
    for secret in secrets:
        text = text.replace(secret, "…")
    return text


def _wrap(text: str, width: int) -> Iterator[str]:
    """Break text between words; what's longer than a line, such as a path or an address, stays whole to be copied."""
    line = ""
    for word in text.split():
        if line and terminal.columns(line) + 1 + terminal.columns(word) > width:
            yield line
            line = ""
        line = f"{line} {word}" if line else word
    if line:
        yield line
