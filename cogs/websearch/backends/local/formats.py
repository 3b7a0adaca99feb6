"""Read the title and the plain text out of Markdown, HTML, reStructuredText, text and Python."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from .documents import plain
from .hypertext import html

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
_DRAWN: Final = re.compile(r"[-+=|~^*_#]{4,}")

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
    """Return text without the mentions and drawn tables that documentation strings share with reStructuredText."""
    return _DRAWN.sub(" ", _ROLE.sub(r"\1\2", text))


def _inline(text: str) -> str:
    return _EMPHASIS.sub("", _TAG.sub("", _LINK.sub(r"\1", text)))


def text(source: str) -> tuple[str, str]:
    """Return title and text: the title is a first line that stands alone or is underlined, else empty."""
    body = plain(source)
    first, _, rest = body.partition("\n")
    alone = not rest or rest.startswith("\n") or _UNDERLINE.match(rest) is not None
    return (first if alone and len(first) <= _TITLE else "", plain(_UNDERLINE.sub("", body)))


def restructured(source: str) -> tuple[str, str]:
    """Return title and text of reStructuredText: the title is the first underlined line, else empty."""
    body = _DIRECTIVE.sub("", source)
    found = _UNDERLINED.search(body)
    return plain(unmark(found[1])) if found else "", plain(unmark(_UNDERLINE.sub("", body)))


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
