"""Tell a host's own listeners what was searched for, read and answered: `on_web_search` and its like.

docs/events.md says what each holds. A listener that fails is the host's: nobody here waits for it.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Final

import msgspec

from .models import Answered, Asker, Content, Outcome, Reading

if TYPE_CHECKING:
    import discord

    from . import errors


class Surface(StrEnum):
    """Name what a member or a chat bot used."""

    COMMAND = "command"
    MENU = "menu"
    BUTTON = "button"
    TOOL = "tool"


class WebSearchEvent(msgspec.Struct, frozen=True, kw_only=True):
    """Hold what was done for a member: cleaned, unescaped text, as the member saw it."""

    asker: Asker
    surface: Surface
    content: Content


class WebSearchFailure(msgspec.Struct, frozen=True, kw_only=True):
    """Hold why something wasn't done for a member; `key` is that of the error, such as `limit-reached`."""

    asker: Asker
    surface: Surface
    key: str


_NAMES: Final = {Outcome: "web_search", Answered: "web_answer", Reading: "web_read"}


def done(client: discord.Client, asker: Asker, surface: Surface, content: Content) -> None:
    """Tell that something was done."""
    client.dispatch(_NAMES[type(content)], WebSearchEvent(asker=asker, surface=surface, content=content))


def failed(client: discord.Client, asker: Asker, surface: Surface, error: errors.WebSearchError) -> None:
    """Tell that something wasn't."""
    client.dispatch("web_search_failed", WebSearchFailure(asker=asker, surface=surface, key=error.key))


def shared(client: discord.Client, asker: Asker, content: Content) -> None:
    """Tell that a member put a private reply into the channel."""
    client.dispatch("web_share", WebSearchEvent(asker=asker, surface=Surface.BUTTON, content=content))
