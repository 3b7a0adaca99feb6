"""Hold the buttons under a reply: they work after a restart, since a session in the store holds what they need.

A button's custom id names its session and, for paging, the page that it leads to: pressed twice, it leads there twice.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, Protocol, Self, cast

import discord
from discord.ui import Button, DynamicItem, View

from . import errors, plain, render, replies
from .i18n import Catalogues

if TYPE_CHECKING:
    import re
    from collections.abc import Awaitable, Callable

    from .i18n import Words
    from .models import Session
    from .service import SearchService
    from .underway import Underway

COG_NAME: Final = "WebSearch"
_SESSION: Final = r"(?P<session>[A-Za-z0-9_-]{22})"


class Host(Protocol):
    """Be what the buttons need of the cog that they belong to."""

    service: SearchService
    catalogues: Catalogues
    underway: Underway


async def show(interaction: replies.Interaction, session: Session, page: int, words: Words) -> replies.Sent:
    """Show one page, counted from 0, with its buttons: as embeds, or as a text where embeds aren't shown."""
    made = render.results if replies.may_embed(interaction) else plain.results
    return await replies.complete(interaction, made(session.outcome, page, words), reply_buttons(session, page, words))


def reply_buttons(session: Session, page: int, words: Words) -> View:
    """Make the buttons under one page: previous and next where there are several, delete always."""
    view = View(timeout=None)
    pages = render.page_count(session.outcome)
    if pages > 1:
        view.add_item(PageButton(session.id, max(page - 1, 0), label=words("Previous"), disabled=page == 0))
        # The id of a disabled "next" names a page that does not exist: ids are unique in a message.
        view.add_item(PageButton(session.id, page + 1, label=words("Next"), disabled=page + 1 >= pages))
    view.add_item(DeleteButton(session.id, label=words("Delete")))
    return view


class PageButton(DynamicItem[Button[View]], template=rf"websearch:page:{_SESSION}:(?P<page>\d{{1,2}})"):
    """Lead to a page, counted from 0; only the owner of the search may press it."""

    def __init__(self, session_id: str, page: int, *, label: str = "", disabled: bool = False) -> None:
        super().__init__(
            Button(
                label=label,
                disabled=disabled,
                style=discord.ButtonStyle.secondary,
                custom_id=f"websearch:page:{session_id}:{page}",
            )
        )
        self.session_id = session_id
        self.page = page

    @classmethod
    async def from_custom_id(
        cls, _interaction: replies.Interaction, _item: discord.ui.Item[Any], match: re.Match[str]
    ) -> Self:
        """Make the button anew from the id of one that was pressed."""
        return cls(match["session"], int(match["page"]))

    async def callback(self, interaction: replies.Interaction) -> None:
        """Show the page that the button leads to."""
        await _press(interaction, self.session_id, self._show)

    async def _show(self, host: Host, interaction: replies.Interaction, session: Session) -> None:
        if interaction.user.id != session.asker.user_id:
            raise errors.NotYourSearch
        words = host.catalogues.words(session.locale)
        page = min(self.page, render.page_count(session.outcome) - 1)
        if await show(interaction, session, page, words) is replies.Sent.FAILED:
            raise errors.ReplyRefused


class DeleteButton(DynamicItem[Button[View]], template=rf"websearch:delete:{_SESSION}"):
    """Delete the reply; its owner may press it, and whoever may manage messages there."""

    def __init__(self, session_id: str, *, label: str = "") -> None:
        super().__init__(
            Button(label=label, style=discord.ButtonStyle.secondary, custom_id=f"websearch:delete:{session_id}")
        )
        self.session_id = session_id

    @classmethod
    async def from_custom_id(
        cls, _interaction: replies.Interaction, _item: discord.ui.Item[Any], match: re.Match[str]
    ) -> Self:
        """Make the button anew from the id of one that was pressed."""
        return cls(match["session"])

    async def callback(self, interaction: replies.Interaction) -> None:
        """Delete the reply, then its session."""
        await _press(interaction, self.session_id, self._delete)

    @staticmethod
    async def _delete(host: Host, interaction: replies.Interaction, session: Session) -> None:
        if interaction.user.id != session.asker.user_id and not interaction.permissions.manage_messages:
            raise errors.NotYoursToDelete
        if await replies.delete(interaction) is replies.Sent.FAILED:
            raise errors.ReplyRefused
        # Where the database fails now, the reply is gone as was asked: its session ends by itself, and the store has
        # logged the failure.
        with suppress(errors.StoreFailed):
            await host.service.forget(session)


BUTTONS: Final = (PageButton, DeleteButton)


async def _press(
    interaction: replies.Interaction,
    session_id: str,
    act: Callable[[Host, replies.Interaction, Session], Awaitable[None]],
) -> None:
    """Acknowledge a press, find its session, and act; what goes wrong is told to who pressed, privately."""
    # A reload replaces the cog: asked for at each press, it is the one that is loaded. Its unload waits for the press.
    host = cast("Host | None", interaction.client.get_cog(COG_NAME))
    if host is not None:
        host.underway.begin()
        if host.underway.is_repeated(interaction.id):
            return
    if not await replies.acknowledge_press(interaction):
        return
    words = (Catalogues() if host is None else host.catalogues).words(str(interaction.locale))
    try:
        if host is None:
            raise errors.SearchInterrupted  # noqa: TRY301 - one place words what is told
        session = await host.service.recall(session_id, interaction.channel_id or 0)
        if session is not None:
            await act(host, interaction, session)
        elif await replies.take_buttons_away(interaction) is not replies.Sent.GONE:
            # Where the reply was deleted a moment ago, who pressed sees that already.
            raise errors.SessionEnded  # noqa: TRY301 - likewise
    except errors.WebSearchError as error:
        await replies.tell(interaction, render.failure(error, words))
    except Exception as error:  # noqa: BLE001 - discord.py would log what was typed and tell the member nothing
        await replies.report_fault(interaction, error, render.failure(errors.OwnFault(), words))
