"""Turn a page that somebody reads into embeds within Discord's limits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import discord

from . import limits, parts, render, render_answer, text, wording

if TYPE_CHECKING:
    from .i18n import Words
    from .models import Reading

# What the line in small print takes at most beside a date: as a reply in plain text has room for.
_HOST: Final = 130
_FACTS: Final = 150


def part_count(reading: Reading) -> int:
    """Tell in how many parts a page is shown, at least one; in plain text there are as many."""
    return max(1, len(parts.cut(reading.page.text)))


def page(reading: Reading, part: int, words: Words) -> list[discord.Embed]:
    """Make the embed of one part, counted from 0: the title with its link, the text, and in small print the facts.

    A link that's too long for the title is left out of it.
    """
    url = reading.page.url
    embed = discord.Embed(
        title=title(reading, limits.EMBED_TITLE),
        url=url if len(url) <= limits.EMBED_URL else None,
        description=body(reading, part, words),
        colour=render.ACCENT,
    )
    return [embed]


def title(reading: Reading, most: int) -> str:
    """Write the page's title, escaped, in at most `most` code points, or the host where it has none."""
    shown = reading.page
    return text.escape_within(shown.title, most) if shown.title else render.untitled(shown, most)


def body(reading: Reading, part: int, words: Words) -> str:
    """Write one part, counted from 0, and below it host, date and facts; a part beyond the last is the last."""
    every = parts.cut(reading.page.text) or [""]
    part = min(part, len(every) - 1)
    told = text.escape_within(_facts(reading, part, len(every), words), _FACTS)
    small = f"{render.source(reading.page, words, _HOST)} · {told}"
    return "\n".join(filter(None, (text.escape(every[part]), small)))


def _facts(reading: Reading, part: int, count: int, words: Words) -> str:
    """Tell, unescaped, who read the page, whether it says more, and which part this is."""
    told = [words("read by {engine}", engine=wording.answered_by(reading.page, words))]
    if reading.page.truncated:
        told.append(words("shortened"))
    return " · ".join((*told, *render_answer.place(part, count, words)))
