"""Write a reply as plain text, for places where the bot may not embed links.

Addresses stand in angle brackets, so that Discord makes no preview of them. Like an embed's, the texts are escaped.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from . import limits, render, text

if TYPE_CHECKING:
    from collections.abc import Sequence

    import discord

    from .i18n import Words
    from .models import Outcome, SearchResult

# What the header and each title may take of a message, in code points after escaping.
_HEADING: Final = 200
_FACTS: Final = 300
_NOTE: Final = 120
_TITLE: Final = 130
# The longest name that can be registered, a dot, and the longest of its kind below which it can be, with an ellipsis.
_HOST: Final = 130
# A snippet that has less room than that says nothing.
_SNIPPET_LEAST: Final = 20
_GAP: Final = "\n\n"
_ELLIPSIS: Final = "…"


def results(outcome: Outcome, page: int, words: Words) -> str:
    """Write one page, counted from 0: a header, then each result, all within a message's 2000 code points.

    Each result has the same share; an address that is too long for it is left out. Where none may be shown any more,
    that's said.
    """
    header = head(
        outcome.request.query,
        text.escape_within(render.unanswered(outcome, words), _NOTE),
        text.escape_within(render.facts(outcome, page, words), _FACTS),
    )
    room = (limits.MESSAGE_CONTENT - len(header)) // limits.RESULTS_PER_PAGE - len(_GAP)
    blocks = [_result(number, result, words, room) for number, result in render.numbered(outcome, page)]
    return _GAP.join((header, *(blocks or [text.escape(render.ruled_out(words))])))


def head(query: str, *small: str, most: int = _HEADING) -> str:
    """Write what begins a reply: the query, then lines in small print, given escaped, without those that are empty."""
    return "\n".join((f"**{render.heading(query, most)}**", *(f"-# {line}" for line in small if line)))


def of(embeds: Sequence[discord.Embed]) -> str:
    """Write what short embeds of ours say; lines that don't fit into a message are left out whole."""
    lines = _GAP.join(filter(None, map(_block, embeds))).split("\n")
    whole = "\n".join(lines)
    while len(whole) > limits.MESSAGE_CONTENT:
        lines.pop()
        whole = "\n".join((*lines, _ELLIPSIS))
    return whole


def _result(number: int, result: SearchResult, words: Words, room: int) -> str:
    title = f"**{render.title(number, result, words, _TITLE)}**"
    source = render.source(result, words, _HOST)
    left = room - len(title) - len(source) - 1
    lines = [title]
    if len(address := f"<{result.url}>") < left:
        lines.append(address)
        left -= len(address) + 1
    if result.snippet and left > _SNIPPET_LEAST:
        lines.append(text.escape_within(result.snippet, left - 1))
    return "\n".join((*lines, source))


def _block(embed: discord.Embed) -> str:
    title = f"**{embed.title}**" if embed.title else ""
    address = f"<{embed.url}>" if embed.url else ""
    fields = (f"**{field.name}**\n{field.value}" for field in embed.fields)
    return "\n".join(filter(None, (title, address, embed.description, *fields)))
