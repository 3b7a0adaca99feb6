"""Define why a press on a button does nothing, or a reply doesn't appear."""

from __future__ import annotations

from typing import ClassVar

from .root import WebSearchError


class ReplyRefused(WebSearchError):
    """Say that Discord failed to take a reply, of which its place is still there."""

    key: ClassVar[str] = "reply-refused"


class PressRefused(WebSearchError):
    """Be raised for a press on a button that does nothing."""


class SessionEnded(PressRefused):
    """Say that the buttons under a reply have ended."""

    key: ClassVar[str] = "session-ended"


class NotYourSearch(PressRefused):
    """Say that only who searched turns pages."""

    key: ClassVar[str] = "not-your-search"


class NotYoursToDelete(PressRefused):
    """Say that only who searched and moderators delete a reply."""

    key: ClassVar[str] = "not-yours-to-delete"


class AlreadyAsked(PressRefused):
    """Say that what a button asks for is on its way."""

    key: ClassVar[str] = "already-asked"


class AlreadyShared(PressRefused):
    """Say that a reply is in the channel already."""

    key: ClassVar[str] = "already-shared"


class SharingForbidden(PressRefused):
    """Say that whoever presses may not write in the channel."""

    key: ClassVar[str] = "sharing-forbidden"


class SharingUnseen(PressRefused):
    """Say that whoever presses may not use an app of their own there, so that nobody else would see what they share."""

    key: ClassVar[str] = "sharing-unseen"


class NothingToShare(PressRefused):
    """Say that none of what a page showed may be shown any more."""

    key: ClassVar[str] = "nothing-to-share"


class Unfiltered(PressRefused):
    """Say that something was found while its channel was age-restricted, as it isn't any more."""

    key: ClassVar[str] = "unfiltered"
