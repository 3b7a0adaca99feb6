"""Do what a member asked for, and put it into the reply that was acknowledged: the one way from a press to a reply."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from . import controls, errors, events, looks, places, render, replies
from .growth import Growth
from .models import Outcome

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    import discord
    from discord.ui import View

    from .i18n import Catalogues, Words
    from .models import Asker, Content, SearchRequest, Session
    from .service import SearchService
    from .settings import Place
    from .underway import Underway

    # Brings what the reply is to show; called with the place, which is fully known by then, and the reply's words.
    Make = Callable[[Place, Words], Awaitable[Content]]


class Host(Protocol):
    """Be what commands and buttons need of the cog that they belong to."""

    service: SearchService
    catalogues: Catalogues
    underway: Underway

    async def sleep(self, seconds: float, /) -> None:
        """Wait for so many seconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
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
    locale = str(interaction.locale if order.private else interaction.guild_locale or interaction.locale)
    words = host.catalogues.words(locale)
    place = order.place
    try:
        if not host.service.is_decided(place):
            place = await places.complete(interaction, place)
        content = await make(place, words)
        session = await host.service.sessions.keep(content, order.asker, locale, private=order.private)
    except errors.SearchError as error:
        events.failed(interaction.client, order.asker, order.surface, error)
        await _retract(host, interaction, error, order)
        return
    events.done(interaction.client, order.asker, order.surface, content)
    await _settle(host, interaction, order, session, await show(host, interaction, session, 0))


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


async def _settle(
    host: Host, interaction: replies.Interaction, order: Order, session: Session, sent: replies.Sent
) -> None:
    """Forget a session whose reply isn't there, and say so where Discord failed to take it."""
    if sent is not replies.Sent.TAKEN:
        # Nobody can press what isn't there. Where the database fails, too, the session ends by itself.
        with suppress(errors.StoreFailed):
            await host.service.sessions.forget(session)
    if sent is replies.Sent.FAILED:
        await _retract(host, interaction, errors.ReplyRefused(), order)


async def _retract(host: Host, interaction: replies.Interaction, error: errors.WebSearchError, order: Order) -> None:
    words = host.catalogues.words(str(interaction.locale))
    embed = render.failure(error, words, query=order.query)
    public = host.catalogues.words(str(interaction.guild_locale or interaction.locale))
    neutral = render.failure(errors.ReplyRefused(), public)
    await replies.retract(interaction, embed, private=order.private, neutral=neutral)
