"""Load the cog into the bundled bot, and load it anew, without ever leaving the bot without it in silence."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from typing import TYPE_CHECKING, Final

from discord.ext import commands

from . import config, errors, places, text
from .status import Panel

if TYPE_CHECKING:
    from pathlib import Path
    from types import ModuleType

    from .i18n import Words

_log = logging.getLogger(__name__)

# The package as it is called here: a host may have dropped the folder into a package of another name.
NAME: Final[str] = __package__ or ""
# How long the configuration file is waited for, in seconds.
_PATIENCE: Final = 10.0


class ReloadFailed(Exception):
    """Say why a reload was not made, in a sentence of Markdown, which is the error's text."""


async def load(bot: commands.AutoShardedBot) -> None:
    """Load the cog; raise the `WebSearchError` that keeps it from being loaded, leaving nothing open."""
    try:
        await bot.load_extension(NAME)
    except commands.ExtensionFailed as error:
        if isinstance(error.original, errors.WebSearchError):
            raise error.original from None
        raise


async def reload(bot: commands.AutoShardedBot, words: Words) -> None:
    """Load the cog anew, from the code and the configuration as they are now; raise `ReloadFailed`.

    A configuration that can't be used is found before the cog that works is touched. Where the new one can't be loaded
    all the same, the code of the old one is loaded again; `is_loaded` tells whether that went well.
    """
    try:
        await _try_configuration(config.find(os.environ))
    except errors.WebSearchError as error:
        # Whoever reads along in a channel learns no folder.
        panel = Panel(places.server(0).spots[0], "", words)
        raise ReloadFailed("\n".join(panel.configuration(error, ()))) from None
    before = {name: module for name, module in sys.modules.items() if _is_ours(name)}
    try:
        if NAME in bot.extensions:
            await bot.reload_extension(NAME)
        else:
            # The reload before failed altogether.
            await bot.load_extension(NAME)
    except Exception as error:  # noqa: BLE001 - whatever the new code raises, the old one is to go on
        _log.exception("the cog could not be loaded anew: %s", type(error).__name__)
        await _revive(bot, before)
        raise ReloadFailed(_sentence(error, words)) from None


async def _try_configuration(path: Path) -> None:
    """Read it on a thread, since a network drive may take its time; raise `ConfigError`."""
    try:
        async with asyncio.timeout(_PATIENCE):
            await asyncio.to_thread(_read, path)
    except TimeoutError:
        raise errors.ConfigUnreadable(str(path), "silent") from None


def _read(path: Path) -> None:
    try:
        is_special = path.exists() and not path.is_file() and not path.is_dir()
    except OSError:
        is_special = False
    if is_special:
        # It can be read once at the most, and the cog is about to.
        raise errors.ConfigUnreadable(str(path), "no-file")
    config.load(path)


def is_loaded(bot: commands.AutoShardedBot) -> bool:
    """Tell whether the bot has the cog."""
    return any(_is_ours(type(cog).__module__) for cog in bot.cogs.values())


async def _revive(bot: commands.AutoShardedBot, before: dict[str, ModuleType]) -> None:
    """Load the cog from the modules that it had; discord.py has tried that, too, but imports the new ones for it."""
    if is_loaded(bot):
        return
    sys.modules.update(before)
    try:
        await bot.load_extension(NAME)
    except commands.ExtensionError as error:
        _log.exception("nor could the cog before it: %s", type(error).__name__)


def _is_ours(module: str) -> bool:
    return module == NAME or module.startswith(f"{NAME}.")


def _sentence(error: Exception, words: Words) -> str:
    """Say what the new code raised: the class of an error of its own isn't the one that is known here."""
    cause = error.original if isinstance(error, commands.ExtensionFailed) else error
    sentence = getattr(cause, "sentence", "")
    if isinstance(sentence, str) and sentence:
        return text.escape(sentence)
    return words("The code can't be loaded ({error}): the bot's log says where it fails.", error=type(cause).__name__)
