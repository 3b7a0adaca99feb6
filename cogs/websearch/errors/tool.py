"""Define why a call of a function tool isn't made; `SearchError`s beside these are what a command would meet, too."""

from __future__ import annotations

from enum import StrEnum
from typing import ClassVar

from .search import InvalidSearch, SearchRefused


class ArgumentKind(StrEnum):
    """Name what an argument may be."""

    TEXT = "text"
    NUMBER = "number"
    FLAG = "flag"


class InvalidCall(InvalidSearch):
    """Be raised for a call that can't be made as the model wrote it."""


class ToolUnknown(InvalidCall):
    """Say which tools there are, by their names, separated by commas."""

    key: ClassVar[str] = "tool-unknown"
    tools: str


class ArgumentsUnreadable(InvalidCall):
    """Say that the arguments are no JSON object."""

    key: ClassVar[str] = "arguments-unreadable"


class ArgumentMissing(InvalidCall):
    """Say that an argument is needed that's left out."""

    key: ClassVar[str] = "argument-missing"
    argument: str


class ArgumentInvalid(InvalidCall):
    """Say of what kind an argument must be."""

    key: ClassVar[str] = "argument-invalid"
    argument: str
    kind: ArgumentKind


class IdInvalid(InvalidCall):
    """Say that the bot around the tools passed something else for one of Discord's ids."""

    key: ClassVar[str] = "id-invalid"
    argument: str


class ServersUnseen(SearchRefused):
    """Say that Discord doesn't tell the bot of its servers, so that it can't know where it's asked."""

    key: ClassVar[str] = "servers-unseen"


class SearchPaused(SearchRefused):
    """Say that the member wants no chat bot to search."""

    key: ClassVar[str] = "search-paused"
