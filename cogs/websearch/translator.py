"""Translate the names and descriptions of commands, as Discord shows them in each member's language."""

from __future__ import annotations

import logging
import re
from typing import TYPE_CHECKING, Final

from discord import app_commands

from . import limits
from .i18n import Catalogues

if TYPE_CHECKING:
    import discord
    from discord.app_commands import TranslationContextTypes, locale_str


_log = logging.getLogger(__name__)

# Discord's rule for the names of commands and options, save that it takes no capitals.
_NAME: Final = re.compile(rf"[-_'\w]{{1,{limits.COMMAND_NAME}}}")
_NAMES: Final = frozenset(
    {
        app_commands.TranslationContextLocation.command_name,
        app_commands.TranslationContextLocation.group_name,
        app_commands.TranslationContextLocation.parameter_name,
    }
)


class CommandTranslator(app_commands.Translator):
    """Translate by the package's catalogues, or those given: `await bot.tree.set_translator(CommandTranslator())`."""

    def __init__(self, catalogues: Catalogues | None = None) -> None:
        self._catalogues = catalogues or Catalogues()

    async def translate(
        self, string: locale_str, locale: discord.Locale, context: TranslationContextTypes
    ) -> str | None:
        """Return the translation, or None where there is none that Discord would take."""
        translated = self._catalogues.words(locale.value).find(string.message)
        if translated is None or _fits(translated, context):
            return translated
        # One refused name would keep every command from being synced.
        _log.warning("the %s catalogue has a translation of %r that Discord refuses", locale.value, string.message)
        return None


def _fits(translated: str, context: TranslationContextTypes) -> bool:
    if context.location in _NAMES and not isinstance(context.data, app_commands.ContextMenu):
        return _NAME.fullmatch(translated) is not None and translated == translated.lower()
    most = limits.COMMAND_NAME if context.location in _NAMES else limits.COMMAND_DESCRIPTION
    return 0 < len(translated.strip()) <= most
