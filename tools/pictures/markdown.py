"""Draw Markdown as Discord does, from the syntax trees of a parser that is not ours."""

from __future__ import annotations

import json
import subprocess
from datetime import UTC, datetime
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from babel.dates import format_date, format_datetime, format_time

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

Tree: TypeAlias = "list[dict[str, Any]]"

# What is no markup, wherever it stands.
_PLAIN: Final = frozenset({"text", "br", "twemoji", "emoticon"})
# What our own replies may hold beside that, in the line in small print that ends them.
_OURS: Final = frozenset({"timestamp"})
# What our replies in plain text hold, each on a line of its own: titles, addresses, small print.
_LINES: Final = frozenset({"strong", "autolink", "subtext"})
# What a moderator's panel holds: whether it's on, the rule's name, who set it and when.
PANEL: Final = frozenset({"strong", "em", "user", "timestamp"})
_FORMATS: Final[Mapping[str, Callable[[datetime], str]]] = {
    "d": lambda when: format_date(when, "short", "en_US"),
    "D": lambda when: format_date(when, "long", "en_US"),
    "t": lambda when: format_time(when, "short", locale="en_US"),
    "f": lambda when: format_datetime(when, "long", locale="en_US"),
}
_LINK: Final = ('<a class="alive">', "</a>")
# What stands around the content of a node, by its kind.
_AROUND: Final[Mapping[str, tuple[str, str]]] = {
    "autolink": _LINK,
    "blockQuote": ("<blockquote>", "</blockquote>"),
    "br": ("<br>", ""),
    "codeBlock": ('<code class="codeBlock">', "</code>"),
    "em": ("<em>", "</em>"),
    "emoji": ('<span class="mention">:', ":</span>"),
    "emoticon": ("", ""),
    "heading1": ("<h1>", "</h1>"),
    "heading2": ("<h2>", "</h2>"),
    "heading3": ("<h3>", "</h3>"),
    "inlineCode": ("<code>", "</code>"),
    "link": _LINK,
    "mention": ('<span class="mention">', "</span>"),
    "spoiler": ('<span class="spoiler">', "</span>"),
    "strikethrough": ("<s>", "</s>"),
    "strong": ("<strong>", "</strong>"),
    "subtext": ("<small>", "</small>"),
    "text": ("", ""),
    "timestamp": ("<time>", "</time>"),
    "twemoji": ("", ""),
    "underline": ("<u>", "</u>"),
    "url": _LINK,
}
_MENTIONS: Final[Mapping[str, str]] = {
    "channel": "#channel",
    "everyone": "@everyone",
    "guildNavigation": "#guide",
    "here": "@here",
    "role": "@role",
    "slashCommand": "/command",
    "user": "@somebody",
}


def parse(texts: Sequence[tuple[str, bool]]) -> list[Tree]:
    """Parse texts, each with whether masked links are links in it, as they are in an embed's description."""
    asked = [(text, "extended" if masked else "normal") for text, masked in texts]
    script = Path(__file__).with_name("parse.cjs")
    done = subprocess.run(  # noqa: S603 - what is run is ours, and the texts go to it as data
        ["node", script],  # noqa: S607 - wherever this machine has it
        input=json.dumps(asked),
        capture_output=True,
        text=True,
        check=True,
    )
    trees: list[Tree] = json.loads(done.stdout)
    return trees


def foreign(tree: Sequence[Mapping[str, Any]]) -> set[str]:
    """Collect the kinds of markup in a tree that our replies don't use there: a page or a member wrote them."""
    if not tree or tree[-1]["type"] != "subtext":
        return _kinds(tree) - _PLAIN
    *body, small = tree
    return (_kinds(body) - _PLAIN) | (_kinds(small["content"]) - _PLAIN - _OURS)


def foreign_in_text(tree: Sequence[Mapping[str, Any]]) -> set[str]:
    """Collect likewise from a reply in plain text, where what is ours stands on lines of its own."""
    found: set[str] = set()
    for place, node in enumerate(tree):
        around = [one["type"] for one in (*tree[:place][-1:], *tree[place + 1 : place + 2])]
        if node["type"] in _LINES and set(around) <= {"br", "subtext"}:
            found |= _kinds(node["content"]) - _PLAIN - (_OURS if node["type"] == "subtext" else frozenset())
        else:
            found |= _kinds([node]) - _PLAIN
    return found


def _kinds(tree: Iterable[Mapping[str, Any]]) -> set[str]:
    found: set[str] = set()
    for node in tree:
        found.add(node["type"])
        if isinstance(node.get("content"), list):
            found |= _kinds(node["content"])
    return found


def draw(tree: Iterable[Mapping[str, Any]]) -> str:
    """Return the HTML of a tree; raise KeyError for a kind of node that is not known here."""
    return "".join(map(_node, tree))


def _node(node: Mapping[str, Any]) -> str:
    kind, content = node["type"], node.get("content", "")
    inside = draw(content) if isinstance(content, list) else escape(content)
    if kind in _MENTIONS:
        inside = _MENTIONS[kind]
    elif kind in {"twemoji", "emoji"}:
        inside = escape(node["name"])
    elif kind == "timestamp":
        when = datetime.fromtimestamp(int(node["timestamp"]), UTC)
        inside = escape(_FORMATS.get(node.get("format") or "", _FORMATS["f"])(when))
    elif kind == "heading":
        kind = f"heading{node['level']}"
    before, after = _AROUND["mention" if kind in _MENTIONS else kind]
    return before + inside + after
