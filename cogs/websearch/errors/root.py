"""Define what all errors of this package share."""

from __future__ import annotations

from typing import ClassVar


class WebSearchError(Exception):
    """Be the root of every error that this package raises on purpose."""

    key: ClassVar[str] = "error"

    def __str__(self) -> str:
        """Return the key alone: parameters may hold what a member typed."""
        return self.key


class SearchError(WebSearchError):
    """Be raised for a search that brings no results."""


class OwnFault(WebSearchError):
    """Say that something in this package is wrong, which nobody who reads this can mend."""

    key: ClassVar[str] = "own-fault"
