"""Define what a user and a member have in common, so that either can be named where someone is meant."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .refusals import Json
    from .users import User


class Someone(ABC):
    """Be an account, or an account in a server."""

    id: int

    @property
    @abstractmethod
    def user(self) -> User:
        """Return the account."""

    @property
    def mention(self) -> str:
        """Tell the text that mentions this person."""
        return f"<@{self.id}>"

    def member_part(self) -> Json | None:
        """Build what an interaction says about a member beside the account; None where there is no server."""
        return None
