"""Hold what the buttons and the menu under a reply do: they work after a restart, since a session holds what they need.

`controls` lays them out, `customids` names them.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, Self

import discord
from discord.ui import Button, DynamicItem, Select, View
from msgspec.structs import replace

from . import controls, customids, delivery, errors, events, languages, looks, places, presses, render, replies
from .models import Reading

if TYPE_CHECKING:
    import re

    from .delivery import Host
    from .i18n import Words
    from .models import Content, Session
    from .settings import Place


class _Press(DynamicItem[Button[View]], template=""):
    """Be a button of ours that was pressed: `session_id` and `page`, counted from 0, are out of its custom id."""

    def __init__(self, custom_id: str, session_id: str, page: int) -> None:
        super().__init__(Button(custom_id=custom_id))
        self.session_id = session_id
        self.page = page

    @classmethod
    async def from_custom_id(
        cls, _interaction: replies.Interaction, _item: discord.ui.Item[Any], match: re.Match[str]
    ) -> Self:
        """Make the button anew from the id of one that was pressed."""
        return cls(match.string, match["session"], int(match.groupdict().get("page") or 0))


class PageButton(_Press, template=customids.PAGE):
    """Lead to a page; only the owner of the search may press it, others can open it for themselves."""

    async def callback(self, interaction: replies.Interaction) -> None:
        """Show the page that the button leads to."""
        await presses.on_reply(interaction, self.session_id, self._show)

    async def _show(self, host: Host, interaction: replies.Interaction, session: Session) -> None:
        if interaction.user.id != session.asker.user_id:
            words = languages.words_of(host.catalogues, interaction)
            embed = render.failure(errors.NotYourSearch(), words)
            await replies.tell(interaction, embed, controls.opening_copy(session.id, self.page, words))
            return
        if await delivery.show(host, interaction, session, self.page) is replies.Sent.FAILED:
            raise errors.ReplyRefused


class CopyButton(_Press, template=customids.COPY):
    """Open somebody else's reply for oneself, in place of the private note that has the button."""

    async def callback(self, interaction: replies.Interaction) -> None:
        """Show the reply to whoever pressed, with a session of their own."""
        await presses.on_reply(interaction, self.session_id, self._show)

    async def _show(self, host: Host, interaction: replies.Interaction, session: Session) -> None:
        asker = places.asker(interaction)
        host.service.require_fit(session.content, asker, await _here(host, interaction))
        own = await host.service.sessions.copy(session, asker, languages.locale_of(interaction))
        await delivery.show_first(host, interaction, own, self.page)


class DeleteButton(_Press, template=customids.DELETE):
    """Delete the reply; its owner may press it, and whoever may manage messages there."""

    async def callback(self, interaction: replies.Interaction) -> None:
        """Delete the reply, then its session."""
        await presses.on_reply(interaction, self.session_id, self._delete)

    @staticmethod
    async def _delete(host: Host, interaction: replies.Interaction, session: Session) -> None:
        if interaction.user.id != session.asker.user_id and not interaction.permissions.manage_messages:
            raise errors.NotYoursToDelete
        if await replies.delete(interaction) is replies.Sent.FAILED:
            raise errors.ReplyRefused
        # Where the database fails now, the reply is gone as was asked: its session ends by itself, and the store has
        # logged the failure.
        with suppress(errors.StoreFailed):
            await host.service.sessions.forget(session)


class ShareButton(_Press, template=customids.SHARE):
    """Put the page of a private reply into the channel, as a reply with a session of its own; once."""

    async def callback(self, interaction: replies.Interaction) -> None:
        """Share the page that the button stands under, in public from the first moment."""
        errand = presses.Errand(do=self._share, name="share", private=False, check=_require_writing, asks=False)
        await presses.for_reply(interaction, self.session_id, errand)

    async def _share(self, host: Host, interaction: replies.Interaction, session: Session) -> None:
        service = host.service
        service.require_fit(session.content, places.asker(interaction), await _here(host, interaction))
        if looks.is_empty(session.content, self.page):
            raise errors.NothingToShare
        if not await service.sessions.claim_share(session):
            raise errors.AlreadyShared
        done = False
        try:
            done = await self._publish(host, interaction, session)
        finally:
            # Where this fails, too, the claim ends by itself.
            with suppress(errors.StoreFailed):
                await service.sessions.settle_share(session, shared=done)
        if done:
            events.shared(interaction.client, session.asker, session.content)
            await self._take_away(host, interaction, session)

    async def _publish(self, host: Host, interaction: replies.Interaction, session: Session) -> bool:
        """Show it with a session of its own; tell whether it's there."""
        locale = languages.locale_of(interaction, private=False)
        copy = await host.service.sessions.keep(session.content, session.asker, locale, private=False)
        return await delivery.show_first(host, interaction, copy, self.page)

    async def _take_away(self, host: Host, interaction: replies.Interaction, session: Session) -> None:
        """Take this button away, unless another page has been turned to; it would say that it's shared."""
        if host.underway.is_latest(*presses.ids_of(interaction)):
            _, buttons = delivery.drawn(host, interaction, replace(session, shared=True), self.page)
            await replies.change_buttons(interaction, buttons)


class AnswerButton(_Press, template=customids.ANSWER):
    """Ask for an answer to what was searched for, charged to whoever presses."""

    async def callback(self, interaction: replies.Interaction) -> None:
        """Reply with an answer: in public where that's how the search of whoever pressed was answered."""
        private = not _is_own_public(interaction) or _is_private_here(interaction)

        async def answer(host: Host, interaction: replies.Interaction, session: Session) -> None:
            if isinstance(session.content, Reading):
                raise errors.SessionEnded
            request = session.content.request
            await delivery.answer(host, interaction, _order(interaction, request.query, private=private), request)

        errand = presses.Errand(do=answer, name="answer", private=private)
        await presses.for_reply(interaction, self.session_id, errand)


class ReadMenu(DynamicItem[Select[View]], template=customids.READ):
    """Open one of the pages that a reply names, privately and charged to whoever chose it."""

    def __init__(self, custom_id: str, session_id: str) -> None:
        super().__init__(Select(custom_id=custom_id))
        self.session_id = session_id

    @classmethod
    async def from_custom_id(
        cls, _interaction: replies.Interaction, _item: discord.ui.Item[Any], match: re.Match[str]
    ) -> Self:
        """Make the menu anew from the id of one in which something was chosen."""
        return cls(match.string, match["session"])

    async def callback(self, interaction: replies.Interaction) -> None:
        """Reply with the text of the page that was chosen."""
        errand = presses.Errand(do=self._read, name=f"read {','.join(self.item.values)}", private=True)
        await presses.for_reply(interaction, self.session_id, errand)

    async def _read(self, host: Host, interaction: replies.Interaction, session: Session) -> None:
        result = controls.chosen(session, self.item.values)
        if result is None:
            raise errors.SessionEnded
        order = _order(interaction, result.title or result.host, private=True)

        async def make(place: Place, _words: Words) -> Content:
            return await host.service.read(result.url, order.asker, place)

        await delivery.deliver(host, interaction, order, make)


BUTTONS: Final = (PageButton, CopyButton, DeleteButton, ShareButton, AnswerButton, ReadMenu)


def _order(interaction: replies.Interaction, query: str, *, private: bool) -> delivery.Order:
    return delivery.Order(
        asker=places.asker(interaction),
        place=places.here(interaction),
        surface=events.Surface.BUTTON,
        private=private,
        query=query,
    )


async def _here(host: Host, interaction: replies.Interaction) -> Place:
    """Tell where a press happens, as far as it matters."""
    asker, place = places.asker(interaction), places.here(interaction)
    return await places.known(interaction.client, asker, place, host.service.is_decided)


def _is_own_public(interaction: replies.Interaction) -> bool:
    """Tell whether whoever presses brought about the reply that's pressed, and everybody there can read it."""
    message = interaction.message
    if message is None or message.flags.ephemeral or message.interaction_metadata is None:
        return False
    return bool(message.interaction_metadata.user.id == interaction.user.id)


def _is_private_here(interaction: replies.Interaction) -> bool:
    host = presses.host_of(interaction)
    return host is None or host.service.privacy_at(places.here(interaction)).value


def _require_writing(interaction: replies.Interaction) -> None:
    """Raise `SharingForbidden` where whoever presses may not write there, `SharingUnseen` where nobody else sees it."""
    theirs = interaction.permissions
    in_thread = isinstance(interaction.channel, discord.Thread)
    writes = theirs.send_messages_in_threads if in_thread else theirs.send_messages
    if not writes:
        raise errors.SharingForbidden
    # Without this, Discord shows what an app sends that a member installed for themselves to that member alone.
    if not (interaction.is_guild_integration() or theirs.use_external_apps):
        raise errors.SharingUnseen
