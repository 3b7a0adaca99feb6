"""Web search for Discord: `await bot.load_extension("cogs.websearch")`.

Hosts that hold their own configuration write `await bot.add_cog(WebSearch(bot, config))`, with a mapping, or with a
function that returns one where it may change.
"""

from __future__ import annotations

import sys

if sys.version_info < (3, 11):  # noqa: UP036 - a folder that was copied meets any Python, and would fail at odd places
    message = "Python 3.11 or newer is needed; this is {}.{}.{}".format(*sys.version_info)
    if sys.argv[:1] == ["-m"] and __name__ in getattr(sys, "orig_argv", ()):
        # `python -m cogs.websearch`: whoever types that needs no traceback. 2 is the code of a wrong usage.
        sys.stderr.write(message + "\n")
        sys.exit(2)
    raise ImportError(message)

import gc
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from discord.ext import commands

    from .cog import WebSearch
    from .config import Config, load
    from .errors import ConfigError, WebSearchError
    from .translator import CommandTranslator

__version__ = "0.1.0"
__all__ = ["CommandTranslator", "Config", "ConfigError", "WebSearch", "WebSearchError", "load", "setup"]

_HOMES = {
    "CommandTranslator": ".translator",
    "Config": ".config",
    "ConfigError": ".errors",
    "WebSearch": ".cog",
    "WebSearchError": ".errors",
    "load": ".config",
}


@contextmanager
def _uncollected() -> Iterator[None]:
    """Let the garbage collector rest while modules are imported: all that it would look at stays."""
    working = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if working:
            gc.enable()


def __getattr__(name: str) -> object:
    # The terminal search must not wait for discord.py: a public name is imported when it is used.
    if name in _HOMES:
        with _uncollected():
            return getattr(import_module(_HOMES[name], __name__), name)
    message = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(message)


async def setup(bot: commands.Bot) -> None:
    """Add the cog with the configuration file, whose changes it follows; raise `WebSearchError`, leaving nothing open.

    The error's text is a sentence for the owner.
    """
    with _uncollected():
        from .cog import WebSearch  # noqa: PLC0415 - see __getattr__
        from .config_source import ConfigFile  # noqa: PLC0415 - see __getattr__

    cog = WebSearch(bot, ConfigFile())
    try:
        await bot.add_cog(cog)
    except BaseException:
        # discord.py does not unload a cog whose commands it could not add.
        await cog.cog_unload()
        raise
