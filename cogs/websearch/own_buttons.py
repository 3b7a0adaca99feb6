"""Hold what the buttons under `/searches` do, for whoever presses: their ids hold nothing, and work after a restart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Self

from discord.ui import Button, DynamicItem, View

from . import customids, errors, own_panel, places, presses, replies

if TYPE_CHECKING:
    import re
    from collections.abc import Callable

    import discord

    from .delivery import Host
    from .i18n import Words
    from .service import SearchService


class _OwnPress(DynamicItem[Button[View]], template=""):
    """Be a button of ours that was pressed."""

    def __init__(self, custom_id: str) -> None:
        super().__init__(Button(custom_id=custom_id))

    @classmethod
    async def from_custom_id(
        cls, _interaction: replies.Interaction, _item: discord.ui.Item[Any], match: re.Match[str]
    ) -> Self:
        """Make the button anew from the id of one that was pressed."""
        return cls(match.string)


class ForgetButton(_OwnPress, template=customids.FORGET_ME):
    """Delete what is kept of whoever presses, but for today's count."""

    async def callback(self, interaction: replies.Interaction) -> None:
        """Forget, then show what is left."""
        await presses.on_own(interaction, self._forget)

    @staticmethod
    async def _forget(host: Host, interaction: replies.Interaction) -> None:
        lifted = await host.service.own.forget(interaction.user.id)
        await _show_done(host, interaction, own_panel.forgotten_with_pause if lifted else own_panel.forgotten)


class PauseButton(_OwnPress, template=customids.PAUSE):
    """Keep chat bots from searching for whoever presses."""

    async def callback(self, interaction: replies.Interaction) -> None:
        """Pause, then show that."""
        await presses.on_own(interaction, self._pause)

    @staticmethod
    async def _pause(host: Host, interaction: replies.Interaction) -> None:
        await host.service.own.pause(interaction.user.id)
        await _show_done(host, interaction, own_panel.paused)


class ResumeButton(_OwnPress, template=customids.RESUME):
    """Let chat bots search for whoever presses."""

    async def callback(self, interaction: replies.Interaction) -> None:
        """End the pause, then show that."""
        await presses.on_own(interaction, self._resume)

    @staticmethod
    async def _resume(host: Host, interaction: replies.Interaction) -> None:
        await host.service.own.resume(interaction.user.id)
        await _show_done(host, interaction, own_panel.resumed)


BUTTONS: Final = (ForgetButton, PauseButton, ResumeButton)


async def show(service: SearchService, interaction: replies.Interaction, words: Words, *, note: str = "") -> None:
    """Show, in what was acknowledged, what is kept of whoever asks; raise `StoreFailed` or `ReplyRefused`."""
    asker = places.asker(interaction)
    own = await service.own.look(asker.user_id, asker.guild_id)
    shown = [own_panel.panel(own, words, note=note)]
    if await replies.complete(interaction, shown, own_panel.buttons(own, words)) is replies.Sent.FAILED:
        raise errors.ReplyRefused


async def _show_done(host: Host, interaction: replies.Interaction, say: Callable[[Words], str]) -> None:
    words = host.catalogues.words(str(interaction.locale))
    await show(host.service, interaction, words, note=say(words))
