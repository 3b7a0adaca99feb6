"""Lay out the buttons and the menu under a reply.

They only look: what a press does is in `views`, which finds it by the custom id, also after a restart.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import discord
from discord.ui import Button, Select, View

from . import citations, customids, hosts, limits, looks, render, text
from .models import Answered, Outcome

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .i18n import Words
    from .models import SearchResult, Session


def under(session: Session, page: int, words: Words, *, reads: bool, answers: bool) -> View:
    """Lay out what stands under one page, counted from 0.

    That's a menu of the pages on it where they can be read, previous and next where there are several, a button that
    asks for an answer where there is none and one can be had, one that shares a private reply, unless nothing is left
    on the page, and one that deletes it.
    """
    view = View(timeout=None)
    readable = _readable(session, page) if reads else []
    if readable:
        view.add_item(_menu(session, readable, words))
    count = looks.page_count(session.content)
    if count > 1:
        view.add_item(_button(customids.page(session.id, max(page - 1, 0)), words("Previous"), disabled=page == 0))
        # The id of a disabled "next" names a page that does not exist: ids are unique in a message.
        view.add_item(_button(customids.page(session.id, page + 1), words("Next"), disabled=page + 1 >= count))
    if answers:
        view.add_item(_button(customids.answer(session.id), words("Answer")))
    may_share = session.private and not session.shared and session.asker.guild_id is not None
    if may_share and not looks.is_empty(session.content, page):
        view.add_item(_button(customids.share(session.id, page), words("Share")))
    view.add_item(_button(customids.delete(session.id), words("Delete")))
    return view


def opening_copy(session_id: str, page: int, words: Words) -> View:
    """Lay out the button by which somebody else opens a reply for themselves."""
    view = View(timeout=None)
    view.add_item(_button(customids.copy(session_id, page), words("Open it for me")))
    return view


def chosen(session: Session, values: Sequence[str]) -> SearchResult | None:
    """Return what was chosen in the menu, also what may not be shown any more, or None where there's no such page."""
    found: Sequence[SearchResult] = ()
    match session.content:
        case Outcome(page=page):
            found = page.results
        case Answered(answer=answer):
            found = answer.sources
    numbered = {str(number): result for number, result in enumerate(found, start=1)}
    return numbered.get(values[0]) if len(values) == 1 else None


def _readable(session: Session, page: int) -> list[tuple[int, SearchResult]]:
    """List what can be read of what one page of a reply shows, with the numbers shown, counted from 1."""
    content = session.content
    if isinstance(content, Outcome):
        return render.numbered(content, page)
    if isinstance(content, Answered):
        return list(citations.shown(content).items())
    return []


def _menu(session: Session, readable: list[tuple[int, SearchResult]], words: Words) -> Select[View]:
    menu: Select[View] = Select(custom_id=customids.read(session.id), placeholder=words("Read a page…"))
    for number, result in readable[: limits.SELECT_OPTIONS]:
        label = text.cut(f"{words.number(number)} · {result.title or result.host}", limits.SELECT_LABEL)
        menu.add_option(
            label=label, value=str(number), description=hosts.shorten(result.host, limits.SELECT_DESCRIPTION)
        )
    return menu


def _button(custom_id: str, label: str, *, disabled: bool = False) -> Button[View]:
    return Button(custom_id=custom_id, label=label, disabled=disabled, style=discord.ButtonStyle.secondary)
