"""Show results on a terminal: wrapped to its width, with colours and links where it can.

Titles, snippets and URLs were cleaned and vetted before: nothing in them can drive a terminal.
"""

from __future__ import annotations

import os
import shutil
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Self, TextIO

import regex

from . import wording

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from .i18n import Words
    from .models import SearchPage, SearchResult

# Where nobody says how wide the output is.
_WIDTH: Final = 80
# Longer lines are hard to read, shorter ones hold no sentence.
_WIDEST: Final = 100
_NARROWEST: Final = 30
_INDENT: Final = "   "

_BOLD: Final = "1"
_BLUE: Final = "34"
_DIM: Final = "2"

# Terminals that make links of OSC 8 say so by these variables, or by their name in TERM or TERM_PROGRAM. The others
# would ignore the sequence, but some old ones print it.
_LINK_VARIABLES: Final = ("VTE_VERSION", "WT_SESSION", "KITTY_WINDOW_ID", "KONSOLE_VERSION", "WEZTERM_EXECUTABLE")
_LINK_PROGRAMS: Final = frozenset({"iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper", "Tabby", "rio"})
_LINK_TERMS: Final = ("xterm-kitty", "alacritty", "foot", "contour", "xterm-ghostty", "wezterm")


@dataclass(frozen=True, kw_only=True)
class Style:
    """Hold what a terminal can: its width in columns, whether it has colours, whether it makes links."""

    width: int = _WIDTH
    colours: bool = False
    links: bool = False

    @classmethod
    def of(cls, stream: TextIO, env: Mapping[str, str] = os.environ) -> Self:
        """Find out what the stream can: a file or a pipe gets plain text; NO_COLOR and TERM=dumb are respected."""
        if not stream.isatty():
            return cls()
        width = min(max(shutil.get_terminal_size((_WIDTH, 24)).columns, _NARROWEST), _WIDEST)
        term = env.get("TERM", "")
        able = term != "dumb" and (os.name != "nt" or "WT_SESSION" in env)
        links = (
            any(env.get(name) for name in _LINK_VARIABLES)
            or env.get("TERM_PROGRAM") in _LINK_PROGRAMS
            or term.startswith(_LINK_TERMS)
        )
        return cls(width=width, colours=able and not env.get("NO_COLOR"), links=able and links)

    def paint(self, text: str, colour: str) -> str:
        """Return text in a colour, by its SGR number, where there are colours."""
        return f"\x1b[{colour}m{text}\x1b[0m" if self.colours and text else text

    def link(self, text: str, url: str) -> str:
        """Return text that leads to a URL where there are links (OSC 8)."""
        return f"\x1b]8;;{url}\x1b\\{text}\x1b]8;;\x1b\\" if self.links else text


class Progress:
    """Show how far an index is: a line that counts on a terminal, one line elsewhere, none where nothing is built."""

    def __init__(self, stream: TextIO, words: Words) -> None:
        self._stream = stream
        self._words = words
        self._counts = stream.isatty()
        self._shown = ""

    def __call__(self, done: int, total: int) -> None:
        """Show that so many steps of so many are done."""
        if not self._counts and self._shown:
            return
        percent = self._words.number(100 * done // total if total else 100)
        text = (
            self._words("Reading the documents, this once: {percent} %", percent=percent)
            if self._counts
            else (self._words("Reading the documents, this once."))
        )
        if text != self._shown:
            self._stream.write(f"\r{text}" if self._counts else f"{text}\n")
            self._stream.flush()
            self._shown = text

    def end(self) -> None:
        """Take the counting line away."""
        if self._counts and self._shown:
            self._stream.write("\r" + " " * columns(self._shown) + "\r")
            self._stream.flush()


def render(page: SearchPage, words: Words, style: Style) -> str:
    """Return a page of results as lines, the last one ended."""
    count = words.plural("{count} result", "{count} results", len(page.results))
    blocks = [f"{style.paint(count, _BOLD)} · {wording.engine(page.backend, words)}"]
    blocks += ["\n".join(_result(place, result, words, style)) for place, result in enumerate(page.results, start=1)]
    return "\n\n".join(blocks) + "\n"


def _result(place: int, result: SearchResult, words: Words, style: Style) -> Iterator[str]:
    number = f"{place}. ".ljust(len(_INDENT))
    title = wrap(result.title or result.host, style.width - len(number))
    for row, line in enumerate(title):
        yield f"{_INDENT if row else number}{style.link(style.paint(line, _BOLD), result.url)}"
    for line in wrap(result.snippet, style.width - len(_INDENT)):
        yield f"{_INDENT}{line}"
    if result.published is not None:
        yield f"{_INDENT}{style.paint(words.date(result.published), _DIM)}"
    # Never wrapped: a URL in two pieces can be neither clicked nor copied.
    yield f"{_INDENT}{style.link(style.paint(result.url, _BLUE), result.url)}"


def wrap(text: str, width: int) -> list[str]:
    """Break text into lines of at most `width` columns, between words where possible, never inside a grapheme.

    Each line has room for the widest that any terminal makes of it: one that broke it again would begin the rest where
    only what is ours begins.
    """
    lines: list[str] = []
    line = ""
    used = 0
    for word in text.split():
        size = _room(word)
        if line and used + 1 + size > width:
            lines.append(line)
            line, used = "", 0
        if line:
            line, used = f"{line} {word}", used + 1 + size
            continue
        *full, line = _pieces(word, width)
        lines += full
        used = _room(line)
    return [*lines, line] if line else lines


def _pieces(word: str, width: int) -> list[str]:
    """Cut a word that is longer than a line, as those of scripts without spaces are."""
    pieces = [""]
    used = 0
    for grapheme in regex.findall(r"\X", word):
        size = _room(grapheme)
        if used + size > width and pieces[-1]:
            pieces.append("")
            used = 0
        pieces[-1] += grapheme
        used += size
    return pieces


def columns(text: str) -> int:
    """Count the columns that text takes on a terminal: East Asian wide characters and emoji take two."""
    return len(text) if text.isascii() else sum(map(_columns, regex.findall(r"\X", text)))


def _columns(grapheme: str) -> int:
    first = grapheme[0]
    if unicodedata.category(first) in {"Mn", "Me", "Cf", "Cc"}:
        return 0
    # Whatever is joined to the first character lies over it.
    wide = unicodedata.east_asian_width(first) in {"W", "F"} or "\N{VARIATION SELECTOR-16}" in grapheme
    return 2 if wide else 1


def _room(text: str) -> int:
    """Count the columns that text takes at most.

    There are terminals that draw the pictures of a joined emoji one by one, and each mark that isn't above or below its
    letter in a column of its own.
    """
    return len(text) if text.isascii() else sum(map(_columns, text)) + text.count("\N{VARIATION SELECTOR-16}")
