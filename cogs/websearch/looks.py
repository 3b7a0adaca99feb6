"""Show a reply, whatever it holds: as embeds, or as plain text where embeds aren't shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import plain, plain_answer, render, render_answer, render_page
from .models import Answered, Outcome

if TYPE_CHECKING:
    import discord

    from .i18n import Words
    from .models import Content


def page_count(content: Content) -> int:
    """Tell on how many pages a reply is shown, at least one; there are as many either way."""
    if isinstance(content, Outcome):
        return render.page_count(content)
    return render_answer.part_count(content) if isinstance(content, Answered) else render_page.part_count(content)


def is_empty(content: Content, page: int) -> bool:
    """Tell whether nothing of what one page, counted from 0, showed may be shown any more."""
    return isinstance(content, Outcome) and not render.numbered(content, page)


def embeds(content: Content, page: int, words: Words) -> list[discord.Embed]:
    """Make the embeds of one page, counted from 0."""
    if isinstance(content, Outcome):
        return render.results(content, page, words)
    if isinstance(content, Answered):
        return render_answer.answer(content, page, words)
    return render_page.page(content, page, words)


def text(content: Content, page: int, words: Words) -> str:
    """Write one page, counted from 0, within a message's 2000 code points."""
    if isinstance(content, Outcome):
        return plain.results(content, page, words)
    if isinstance(content, Answered):
        return plain_answer.answer(content, page, words)
    return plain_answer.page(content, page, words)
