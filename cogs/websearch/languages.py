"""Choose the language of a reply: its only reader's, or the server's where everybody there reads it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .i18n import Catalogues, Words
    from .replies import Interaction


def locale_of(interaction: Interaction, *, private: bool = True) -> str:
    """Return the locale of whoever an interaction is by, or, unless `private`, of the server, where there is one."""
    return str(interaction.locale if private else interaction.guild_locale or interaction.locale)


def words_of(catalogues: Catalogues, interaction: Interaction, *, private: bool = True) -> Words:
    """Return the words of that locale."""
    return catalogues.words(locale_of(interaction, private=private))
