"""Read the title and the plain text out of Markdown, HTML, reStructuredText, text and Python."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Final

from .documents import plain

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

# A first line that's longer is a sentence, not a title.
_TITLE: Final = 120

_FRONT_MATTER: Final = re.compile(r"---[^\S\n]*\n(.*?)\n---[^\S\n]*(?:\n|\Z)", re.DOTALL)
_FRONT_TITLE: Final = re.compile(r"^title:[^\S\n]*(.+)$", re.MULTILINE)
_FENCE: Final = re.compile(r"^ {0,3}(?:```|~~~).*$", re.MULTILINE)
_COMMENT: Final = re.compile(r"<!--(?:(?!-->|<!--).)*-->", re.DOTALL)
_HEADING: Final = re.compile(r"^ {0,3}#{1,6}[^\S\n]+(\S.*)$|^(\S.*)\n(?:={3,}|-{3,})[^\S\n]*$", re.MULTILINE)
_UNDERLINE: Final = re.compile(r"^[^\S\n]*([=\-*_~^+#\"'`])\1{2,}[^\S\n]*$", re.MULTILINE)
_LINK: Final = re.compile(r"!?\[([^\[\]]*)\](?:\([^()]*\)|\[[^\[\]]*\])")
_REFERENCE: Final = re.compile(r"^ {0,3}\[[^\[\]\n]+\]:.*$", re.MULTILINE)
_MARKER: Final = re.compile(r"^[^\S\n]*(?:#{1,6}[^\S\n]|>[^\S\n]?|[-*+][^\S\n]|\d{1,9}[.)][^\S\n])+", re.MULTILINE)
_EMPHASIS: Final = re.compile(r"\*\*|__|`+|(?<!\w)[*_](?=\S)|(?<=\S)[*_](?!\w)")
_TAG: Final = re.compile(r"</?[A-Za-z][^<>]*>")

_UNDERLINED: Final = re.compile(r"^(\S.*)\n([=\-*~^+#\"'`])\2{2,}[^\S\n]*$", re.MULTILINE)
_DIRECTIVE: Final = re.compile(r"^[^\S\n]*(?:\.\. .*|:[\w-]+:.*)$", re.MULTILINE)
# A mention such as :class:`~asyncio.Task` or ``None``.
_ROLE: Final = re.compile(r"(?::[a-z]+)+:`[~!]?([^`]*)`|``([^`]*)``")

# Comments and blank lines may come before a module's documentation string.
_DOCSTRING: Final = re.compile(
    r"(?:[^\S\n]*(?:#[^\n]*)?\n)*[rRuU]{0,2}(?:\"\"\"(.*?)\"\"\"|'''(.*?)'''|\"([^\"\n]*)\"|'([^'\n]*)')", re.DOTALL
)


def markdown(source: str) -> tuple[str, str]:
    """Return title and text: the title is the one in the front matter, else the first heading, else empty."""
    title = ""
    front = _FRONT_MATTER.match(source)
    if front is not None:
        named = _FRONT_TITLE.search(front[1])
        title = named[1].strip(" \"'") if named else ""
        source = source[front.end() :]
    text = _REFERENCE.sub("", _FENCE.sub("", _COMMENT.sub("", source)))
    heading = _HEADING.search(text)
    if heading is not None and not title:
        title = _inline((heading[1] or heading[2]).rstrip("# "))
    return plain(title), plain(_inline(_MARKER.sub("", _UNDERLINE.sub("", text))))


def unmark(text: str) -> str:
    """Return text without the markup of mentions that documentation strings share with reStructuredText."""
    return _ROLE.sub(r"\1\2", text)


def _inline(text: str) -> str:
    return _EMPHASIS.sub("", _TAG.sub("", _LINK.sub(r"\1", text)))


def html(source: str) -> tuple[str, str]:
    """Return title and text: the title is that of the page, else its first heading, else empty."""
    reader = _Reader()
    # The parser gives up on these, which only word processors write.
    reader.feed(source.replace("<![", " "))
    reader.close()
    return plain(" ".join((reader.title or reader.heading).split())), plain(reader.text)


class _Reader(HTMLParser):
    """Collect what a reader of the page would see; scripts, styles and menus are left out."""

    _SKIPPED: Final = frozenset({"script", "style", "template", "noscript", "svg", "nav"})
    _INLINE: Final = frozenset(
        {"a", "abbr", "b", "cite", "code", "em", "font", "i", "kbd", "mark", "q", "s", "samp", "small", "span"}
        | {"strong", "sub", "sup", "u", "var"}
    )
    _LINES: Final = frozenset({"br", "li", "tr", "td", "th", "dt", "dd"})

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.title = ""
        self.heading = ""
        self._pieces: list[str] = []
        self._skipped: list[str] = []
        self._inside = ""

    @property
    def text(self) -> str:
        return "".join(self._pieces)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del attrs
        if tag in self._SKIPPED:
            self._skipped.append(tag)
        elif tag == "title" or (tag == "h1" and not self.heading):
            self._inside = tag
        if tag not in self._INLINE:
            self._pieces.append("\n" if tag in self._LINES else "\n\n")

    def handle_endtag(self, tag: str) -> None:
        if tag in self._skipped:
            while self._skipped.pop() != tag:
                pass
        if tag == self._inside:
            self._inside = ""
        if tag not in self._INLINE:
            self._pieces.append("\n\n")

    def handle_data(self, data: str) -> None:
        if self._skipped:
            return
        if self._inside == "title":
            self.title += data
            return
        if self._inside == "h1":
            self.heading += data
        # A line break in the source is a space on the page.
        self._pieces.append(re.sub(r"\s+", " ", data))


def text(source: str) -> tuple[str, str]:
    """Return title and text: the title is a first line that stands alone or is underlined, else empty."""
    body = plain(source)
    first, _, rest = body.partition("\n")
    alone = not rest or rest.startswith("\n") or _UNDERLINE.match(rest) is not None
    return (first if alone and len(first) <= _TITLE else "", plain(_UNDERLINE.sub("", body)))


def restructured(source: str) -> tuple[str, str]:
    """Return title and text of reStructuredText: the title is the first underlined line, else empty."""
    body = unmark(_DIRECTIVE.sub("", source))
    found = _UNDERLINED.search(body)
    return plain(found[1]) if found else "", plain(_UNDERLINE.sub("", body))


def python(source: str) -> tuple[str, str]:
    """Return title and the whole source: the title is the first line of the module's documentation string, else empty.

    The source isn't parsed: a file for another Python, or half a file, is found just as well.
    """
    found = _DOCSTRING.match(source)
    docstring = next((group for group in found.groups() if group), "") if found else ""
    first = docstring.strip().partition("\n")[0]
    return plain(first[:_TITLE]), plain(source)


READERS: Final[Mapping[str, Callable[[str], tuple[str, str]]]] = {
    **dict.fromkeys((".md", ".markdown", ".mdx"), markdown),
    **dict.fromkeys((".html", ".htm", ".xhtml"), html),
    **dict.fromkeys((".txt", ".text"), text),
    ".rst": restructured,
    **dict.fromkeys((".py", ".pyi"), python),
}
