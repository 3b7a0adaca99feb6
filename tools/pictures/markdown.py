"""Draw Markdown as Discord does, from the syntax trees of a parser that is not ours."""

from __future__ import annotations

from datetime import UTC, datetime
from html import escape
from typing import TYPE_CHECKING, Any, Final

from babel.dates import format_date, format_datetime, format_time, format_timedelta

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from datetime import timedelta

# By the letter of a timestamp: what it shows of a moment, at another one.
_FORMATS: Final[Mapping[str, Callable[[datetime, datetime], str]]] = {
    "d": lambda when, _: format_date(when, "short", "en_US"),
    "D": lambda when, _: format_date(when, "long", "en_US"),
    "t": lambda when, _: format_time(when, "short", locale="en_US"),
    "f": lambda when, _: format_datetime(when, "MMMM d, y h:mm a", locale="en_US"),
    "R": lambda when, now: _distance(when - now),
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
_NOBODY: Final[Mapping[str, str]] = {}


def draw(tree: Iterable[Mapping[str, Any]], now: datetime, names: Mapping[str, str] = _NOBODY) -> str:
    """Return the HTML of a tree as it's read at a moment; raise KeyError for a kind of node that is not known here.

    `names` are of those whom the reader knows, by their ids.
    """
    return "".join(_node(node, now, names) for node in tree)


def _node(node: Mapping[str, Any], now: datetime, names: Mapping[str, str]) -> str:
    kind, content = node["type"], node.get("content", "")
    inside = draw(content, now, names) if isinstance(content, list) else escape(content)
    if kind == "user" and node.get("id") in names:
        inside = escape(f"@{names[node['id']]}")
    elif kind in _MENTIONS:
        inside = _MENTIONS[kind]
    elif kind in {"twemoji", "emoji"}:
        inside = escape(node["name"])
    elif kind == "timestamp":
        when = datetime.fromtimestamp(int(node["timestamp"]), UTC)
        inside = escape(_FORMATS.get(node.get("format") or "", _FORMATS["f"])(when, now))
    elif kind == "heading":
        kind = f"heading{node['level']}"
    before, after = _AROUND["mention" if kind in _MENTIONS else kind]
    return before + inside + after


def _distance(ahead: timedelta) -> str:
    if abs(ahead.total_seconds()) < 1:
        return "now"
    return format_timedelta(ahead, add_direction=True, locale="en_US")
