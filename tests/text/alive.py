"""Tell what Discord would bring to life in a text, by rules of its Markdown written down apart from the escaping."""

from __future__ import annotations

import regex

_ESCAPE = r"\\[!-/:-@\[-`{-~]"
# Wider than Discord's own rules where these are uncertain: any length of id, any scheme, white space before a block.
_RULES = {
    "code": r"`+[^`]",
    "emphasis": r"\*[^\s*]|\*\*|_[^\s_]|__",
    "strikethrough": "~~",
    "spoiler": r"\|\|",
    "mention": r"<[@#][!&]?\d+>|@everyone|@here",
    "command or navigation": r"</[^<>]+:\d+>|<(?:id|\d+):[\w:-]+>",
    "emoji": r"<a?:\w+:\d+>|:[\w+-]+:",
    "timestamp": r"<t:-?\d+(?::\w)?>",
    "bare link": r"(?i:https?|steam|discord)://\S|(?i:mailto|tel):\S",
    "link in angles": r"<[^: >]+:[^ >]+>|<[^ >]+@[^ >]+>",
    "masked link": r"(?<=\])\(",
    "invite": r"(?i:discord(?:app)?\.(?:gg|com/invite)/)",
    "heading": r"(?m:^\s*\#{1,3}\s)",
    "subtext": r"(?m:^\s*-\#\s)",
    "list": r"(?m:^\s*(?:[*+-]|\d+\.)\s)",
    "quote": r"(?m:^\s*>(?:>>)?\s)",
}
_ALIVE = regex.compile(
    rf"{_ESCAPE}(*SKIP)(*FAIL)|" + "|".join(f"(?P<{name.replace(' ', '_')}>{rule})" for name, rule in _RULES.items())
)
_SWALLOWED = regex.compile(r"\\([!-/:-@\[-`{-~])")


def alive(markdown: str) -> list[str]:
    """List the kinds of markup that are alive in a text, each with what it takes."""
    return [f"{found.lastgroup}: {found[0]}" for found in _ALIVE.finditer(markdown)]


def reading(markdown: str) -> str:
    """Return what a reader sees of a text without live markup: without the backslashes that Discord swallows."""
    return _SWALLOWED.sub(r"\1", markdown)
