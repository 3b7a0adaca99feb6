"""Hold what the buttons under `/searches` do, for whoever presses: their ids hold nothing, and work after a restart."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Self

from discord.ui import Button, DynamicItem, View

from . import customids, errors, languages, own_panel, places, presses, replies

if TYPE_CHECKING:
    import re
    from collections.abc import Callable

    import discord

    from .delivery import Host
    from .i18n import Words
    from .own_searches import OwnSearches
    from .service import SearchService


class _OwnPress(DynamicItem[Button[View]], ABC, template=""):
    """Be a button of ours that was pressed."""

    def __init__(self, custom_id: str) -> None:
        super().__init__(Button(custom_id=custom_id))

    @classmethod
    async def from_custom_id(
        cls, _interaction: replies.Interaction, _item: discord.ui.Item[Any], match: re.Match[str]
    ) -> Self:
        """Make the button anew from the id of one that was pressed."""
        return cls(match.string)

    async def callback(self, interaction: replies.Interaction) -> None:
        """Do what the button is for, then show what is so by then."""
        await presses.on_own(interaction, self._do)

    async def _do(self, host: Host, interaction: replies.Interaction) -> None:
        words, user_id = languages.words_of(host.catalogues, interaction), interaction.user.id
        # One press after the other, to the end: what an earlier one shows must not cover what a later one did.
        async with host.underway.in_turn(f"own {user_id}"):
            say = await self.change(host.service.own, user_id)
            await show(host.service, interaction, words, note=say(words))

    @abstractmethod
    async def change(self, own: OwnSearches, user_id: int) -> Callable[[Words], str]:
        """Do it, and return what says so."""


class ForgetButton(_OwnPress, template=customids.FORGET_ME):
    """Delete what is kept of whoever presses, but for today's count."""

    async def change(self, own: OwnSearches, user_id: int) -> Callable[[Words], str]:
        """Forget."""
        done = await own.forget(user_id)
        return partial(own_panel.forgotten, done)


class PauseButton(_OwnPress, template=customids.PAUSE):
    """Keep chat bots from searching for whoever presses."""

    async def change(self, own: OwnSearches, user_id: int) -> Callable[[Words], str]:
        """Pause."""
        await own.pause(user_id)
        return own_panel.paused


class ResumeButton(_OwnPress, template=customids.RESUME):
    """Let chat bots search for whoever presses."""

    async def change(self, own: OwnSearches, user_id: int) -> Callable[[Words], str]:
        """End the pause."""
        await own.resume(user_id)
        return own_panel.resumed


BUTTONS: Final = (ForgetButton, PauseButton, ResumeButton)


async def show(service: SearchService, interaction: replies.Interaction, words: Words, *, note: str = "") -> None:
    """Show, in what was acknowledged, what is kept of whoever asks; raise `StoreFailed` or `ReplyRefused`."""
    asker = places.asker(interaction)
    own = await service.own.look(asker.user_id, asker.guild_id)
    shown = [own_panel.panel(own, words, note=note)]
    if await replies.complete(interaction, shown, own_panel.buttons(own, words)) is replies.Sent.FAILED:
        raise errors.ReplyRefused
