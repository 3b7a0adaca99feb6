"""Hold `/searches`, by which members see what they have searched, and what is kept of that."""

from __future__ import annotations

from typing import TYPE_CHECKING

from discord import app_commands
from discord.ext import commands

from . import delivery, errors, languages, own_buttons, replies
from .i18n import N_

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from .i18n import Catalogues
    from .service import SearchService
    from .underway import Underway


class OwnCommand(commands.Cog):
    """Be the part of the cog that tells members of their own searches; every reply is private."""

    service: SearchService
    catalogues: Catalogues
    underway: Underway
    sleep: Callable[[float], Awaitable[None]]

    @app_commands.command(name=N_("searches"), description=N_("Your searches: what is left, what is stored, forget it"))
    async def searches(self, interaction: replies.Interaction) -> None:
        """Show a member what they have searched, what is left, and what is kept of that."""
        if self.underway.is_repeated(interaction.id) or not await replies.acknowledge(interaction, private=True):
            return
        words = languages.words_of(self.catalogues, interaction)
        try:
            await own_buttons.show(self.service, interaction, words)
        except errors.WebSearchError as error:
            await delivery.retract(self, interaction, error, private=True)
