"""Define what all errors of this package share."""

from __future__ import annotations

from typing import ClassVar


class WebSearchError(Exception):
    """Be the root of every error that this package raises on purpose."""

    key: ClassVar[str] = "error"
    # Set by who has words, and knows that no parameter holds what a member typed: see `wording.told_to_owner`.
    sentence: str = ""

    def __str__(self) -> str:
        """Return the sentence for the owner where it was set, else the key alone: parameters may hold a query."""
        return self.sentence or self.key


class SearchError(WebSearchError):
    """Be raised for a search that brings no results."""


class OwnFault(WebSearchError):
    """Say that something in this package is wrong, which nobody who reads this can mend."""

    key: ClassVar[str] = "own-fault"
