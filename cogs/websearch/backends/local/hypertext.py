"""Read the title and the plain text out of HTML.

The standard library's parser takes time squared over tags that never end; every pattern here stops at the next `<`, and
what hides text is skipped once.
"""

from __future__ import annotations

import html as _html
import re
from typing import Final

from .documents import plain

# A comment's start, a tag, or a declaration; an end tag's name has a slash before it.
_MARKUP: Final = re.compile(r"<!--|<(/?[A-Za-z][\w:-]*)[^<>]*>|<[!?][^<>]*>")
_COMMENT_END: Final = re.compile("--!?>")
# What isn't shown, or is the same on every page.
_HIDDEN: Final = {
    name: re.compile(rf"</{name}\b[^<>]*>", re.IGNORECASE)
    for name in ("script", "style", "template", "noscript", "svg", "nav")
}
_INLINE: Final = frozenset(
    {"a", "abbr", "b", "cite", "code", "em", "font", "i", "kbd", "mark", "q", "s", "samp", "small", "span", "strong"}
    | {"sub", "sup", "u", "var"}
)
_LINES: Final = frozenset({"br", "li", "tr", "td", "th", "dt", "dd"})
_BLANK: Final = re.compile(r"\s+")


def html(source: str) -> tuple[str, str]:
    """Return title and text: the title is that of the page, else its first heading, else empty."""
    pieces: list[str] = []
    titles = {"title": "", "h1": ""}
    inside = ""
    position = 0
    while (markup := _MARKUP.search(source, position)) is not None:
        shown = _shown(source[position : markup.start()])
        position = markup.end()
        if inside:
            titles[inside] += shown
        if inside != "title":
            pieces.append(shown)
        name = (markup[1] or "").lower()
        if markup[0] == "<!--" or name in _HIDDEN:
            end = _HIDDEN.get(name, _COMMENT_END).search(source, position)
            # What hides and doesn't end hides the rest, as in browsers.
            position = len(source) if end is None else end.end()
        elif name in titles and not titles[name]:
            inside = name
        elif name.startswith("/") and name[1:] == inside:
            inside = ""
        tag = name.removeprefix("/")
        if tag not in _INLINE:
            pieces.append("\n" if tag in _LINES else "\n\n")
    pieces.append(_shown(source[position:]))
    return plain(" ".join((titles["title"] or titles["h1"]).split())), plain("".join(pieces))


def _shown(text: str) -> str:
    # A line break in the source is a space on the page.
    return _BLANK.sub(" ", _html.unescape(text))
