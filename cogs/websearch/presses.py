"""Take a press on a button: find the cog and the reply's session, act, and tell what goes wrong, privately."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Final, TypeAlias, cast

import msgspec

from . import delivery, errors, events, languages, places, render, replies
from .delivery import Host
from .i18n import Catalogues
from .models import Session

if TYPE_CHECKING:
    OwnHandler = Callable[[Host, replies.Interaction], Awaitable[None]]

Handler: TypeAlias = Callable[[Host, replies.Interaction, Session], Awaitable[None]]

COG_NAME: Final = "WebSearch"


def _anybody(_interaction: replies.Interaction) -> None:
    """Let whoever presses have it."""


class Errand(msgspec.Struct, frozen=True, kw_only=True):
    """Hold what a press asks for in a reply of its own, for whoever pressed alone where that's `private`.

    `do` does it and shows it; what `name` names is done once at a time for a member. `check` raises `PressRefused`
    where whoever presses may not have it. With `asks` an engine is asked, and where it isn't, since that's not allowed
    or fails before, a host's listeners are told.
    """

    do: Handler
    name: str
    private: bool
    check: Callable[[replies.Interaction], None] = _anybody
    asks: bool = True


async def on_reply(interaction: replies.Interaction, session_id: str, handler: Handler) -> None:
    """Act on the reply whose button was pressed, once the press is acknowledged and its session found."""

    async def find(host: Host, interaction: replies.Interaction) -> None:
        session = await _recall(host, interaction, session_id)
        if session is not None:
            await handler(host, interaction, session)
        elif await replies.take_buttons_away(interaction) is not replies.Sent.GONE:
            # Where the reply was deleted a moment ago, who pressed sees that already.
            raise errors.SessionEnded

    await on_own(interaction, find)


async def on_own(interaction: replies.Interaction, handler: OwnHandler) -> None:
    """Act on what has no session, once the press is acknowledged."""
    host = await _begin(interaction)
    if host is None or not await replies.acknowledge_press(interaction):
        return
    try:
        await handler(host, interaction)
    except errors.WebSearchError as error:
        words = languages.words_of(host.catalogues, interaction)
        await replies.tell(interaction, render.failure(error, words))
    except Exception as error:  # noqa: BLE001 - discord.py would log what was typed and tell the member nothing
        await delivery.report_fault(host, interaction, error)


async def for_reply(interaction: replies.Interaction, session_id: str, errand: Errand) -> None:
    """Do an errand in a reply of its own, "thinking" until then; its session is that of the reply that was pressed.

    Where searching isn't allowed, nothing is begun, nor where the same member has begun it already, or `errand.check`
    raises `PressRefused`.
    """
    host = await _begin(interaction)
    if host is None:
        return
    try:
        host.service.permit(places.asker(interaction), places.here(interaction))
        errand.check(interaction)
        with host.underway.once(f"{errand.name} {session_id} {interaction.user.id}"):
            if await replies.acknowledge(interaction, private=errand.private):
                await _do(host, interaction, session_id, errand)
    except errors.WebSearchError as error:
        _report(interaction, errand, error)
        words = languages.words_of(host.catalogues, interaction)
        await replies.refuse(interaction, render.failure(error, words))
    except Exception as error:  # noqa: BLE001 - discord.py would log what was typed and tell the member nothing
        await delivery.report_fault(host, interaction, error)


async def _do(host: Host, interaction: replies.Interaction, session_id: str, errand: Errand) -> None:
    try:
        session = await _recall(host, interaction, session_id)
        if session is None:
            await replies.take_buttons_away(interaction)
            raise errors.SessionEnded
        await errand.do(host, interaction, session)
    except errors.WebSearchError as error:
        _report(interaction, errand, error)
        await delivery.retract(host, interaction, error, private=errand.private)


def _report(interaction: replies.Interaction, errand: Errand, error: errors.WebSearchError) -> None:
    """Tell a host's listeners that nothing was asked for a press; `delivery` tells what fails from there on."""
    if errand.asks and isinstance(error, errors.SearchError):
        events.failed(interaction.client, places.asker(interaction), events.Surface.BUTTON, error)


def host_of(interaction: replies.Interaction) -> Host | None:
    """Return the cog, or None where none is loaded: a reload replaces it, so it's asked for at each press."""
    return cast("Host | None", interaction.client.get_cog(COG_NAME))


def ids_of(interaction: replies.Interaction) -> tuple[int, int]:
    """Return the ids of the message whose button was pressed, and of the press."""
    return 0 if interaction.message is None else interaction.message.id, interaction.id


async def _begin(interaction: replies.Interaction) -> Host | None:
    """Return the cog for a press, or None for one that came before, or where no cog is loaded, which is told."""
    host = host_of(interaction)
    if host is None:
        words = languages.words_of(Catalogues(), interaction)
        await replies.refuse(interaction, render.failure(errors.SearchInterrupted(), words))
        return None
    # The cog's unload waits for the press.
    host.underway.begin()
    host.underway.press(*ids_of(interaction))
    return None if host.underway.is_repeated(interaction.id) else host


async def _recall(host: Host, interaction: replies.Interaction, session_id: str) -> Session | None:
    return await host.service.sessions.recall(
        session_id, user_id=interaction.user.id, channel_id=interaction.channel_id or 0
    )
