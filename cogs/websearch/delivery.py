"""Do what a member asked for, and put it into the reply that was acknowledged: the one way from a press to a reply."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Protocol

import msgspec

from . import controls, errors, events, languages, looks, places, render, replies
from .growth import Growth
from .models import Asker, Outcome
from .settings import Place

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    import discord
    from discord.ui import View

    from .i18n import Catalogues, Words
    from .models import Content, SearchRequest, Session
    from .service import SearchService
    from .underway import Underway

    # Brings what the reply is to show; called with the place, which is fully known by then, and the reply's words.
    Make = Callable[[Place, Words], Awaitable[Content]]


class Host(Protocol):
    """Be what commands and buttons need of the cog that they belong to."""

    service: SearchService
    catalogues: Catalogues
    underway: Underway
    # Waits for so many seconds.
    sleep: Callable[[float], Awaitable[None]]


class Order(msgspec.Struct, frozen=True, kw_only=True):
    """Hold what was asked for: by whom, where, by what, and whether only the asker sees the reply.

    `query` is what the reply is about, to be named where it says why there's nothing.
    """

    asker: Asker
    place: Place
    surface: events.Surface
    private: bool
    query: str = ""


async def deliver(host: Host, interaction: replies.Interaction, order: Order, make: Make) -> None:
    """Make what was asked for and show its first page; tell its asker alone what went wrong."""
    locale = languages.locale_of(interaction, private=order.private)
    words = host.catalogues.words(locale)
    try:
        place = await places.known(interaction.client, order.asker, order.place, host.service.is_decided)
        content = await make(place, words)
        session = await host.service.sessions.keep(content, order.asker, locale, private=order.private, searches=1)
    except errors.SearchError as error:
        events.failed(interaction.client, order.asker, order.surface, error)
        await retract(host, interaction, error, private=order.private, query=order.query)
        return
    events.done(interaction.client, order.asker, order.surface, content)
    try:
        await show_first(host, interaction, session, 0)
    except errors.ReplyRefused as error:
        await retract(host, interaction, error, private=order.private, query=order.query)


async def search(host: Host, interaction: replies.Interaction, order: Order, request: SearchRequest) -> None:
    """Deliver results."""

    async def make(place: Place, _words: Words) -> Content:
        return await host.service.search(request, order.asker, place)

    await deliver(host, interaction, order, make)


async def answer(host: Host, interaction: replies.Interaction, order: Order, request: SearchRequest) -> None:
    """Deliver an answer, or results where nothing answers; the reply grows with it where it comes piece by piece."""

    async def make(place: Place, words: Words) -> Content:
        growth = Growth(interaction, request, words, sleep=host.sleep)
        async with growth.showing():
            return await host.service.answer(request, order.asker, place, grown=growth.take)

    await deliver(host, interaction, order, make)


async def show_first(host: Host, interaction: replies.Interaction, session: Session, page: int) -> bool:
    """Show a page of a new reply, as `show` does, and forget its session where it isn't there; tell whether it is.

    Raise `ReplyRefused` where Discord failed to take it.
    """
    sent = replies.Sent.FAILED
    try:
        sent = await show(host, interaction, session, page)
    finally:
        if sent is not replies.Sent.TAKEN:
            # Nobody can press what isn't there. Where the database fails, too, the session ends by itself.
            with suppress(errors.StoreFailed):
                await host.service.sessions.forget(session)
    if sent is replies.Sent.FAILED:
        raise errors.ReplyRefused
    return sent is replies.Sent.TAKEN


async def show(host: Host, interaction: replies.Interaction, session: Session, page: int) -> replies.Sent:
    """Show one page of a reply, counted from 0, or the last one where there are fewer by now, with its buttons."""
    return await replies.complete(interaction, *drawn(host, interaction, session, page))


def drawn(
    host: Host, interaction: replies.Interaction, session: Session, page: int
) -> tuple[list[discord.Embed] | str, View]:
    """Make such a page, as embeds or as a text where those aren't shown, and lay out its buttons."""
    content, words = session.content, host.catalogues.words(session.locale)
    # A site that's blocked by now takes its text along.
    page = min(page, looks.page_count(content) - 1)
    look = looks.embeds if replies.may_embed(interaction) else looks.text
    engines = host.service.engines
    answers = isinstance(content, Outcome) and engines.can_answer(content.request)
    view = controls.under(session, page, words, reads=engines.reads, answers=answers)
    return look(content, page, words), view


async def refuse(
    host: Host, interaction: replies.Interaction, error: errors.WebSearchError, asker: Asker, surface: events.Surface
) -> None:
    """Tell whoever asked, at once and privately, why nothing is begun, and a host's listeners that it isn't."""
    events.failed(interaction.client, asker, surface, error)
    await replies.refuse(interaction, render.failure(error, languages.words_of(host.catalogues, interaction)))


async def retract(
    host: Host, interaction: replies.Interaction, error: errors.WebSearchError, *, private: bool, query: str = ""
) -> None:
    """End an acknowledged reply, so that only its asker reads why; `query` is what it was to be about."""
    embed = render.failure(error, languages.words_of(host.catalogues, interaction), query=query)
    neutral = render.failure(errors.ReplyRefused(), languages.words_of(host.catalogues, interaction, private=False))
    await replies.retract(interaction, embed, private=private, neutral=neutral)


async def report_fault(host: Host, interaction: replies.Interaction, error: BaseException) -> None:
    """Tell the member that something went wrong here, and the log where, without what they typed."""
    fault = errors.OwnFault()
    embed = render.failure(fault, languages.words_of(host.catalogues, interaction))
    neutral = render.failure(fault, languages.words_of(host.catalogues, interaction, private=False))
    await replies.report_fault(interaction, error, embed, neutral)
