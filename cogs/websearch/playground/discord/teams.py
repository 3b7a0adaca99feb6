"""Hold a team that owns the app, as Discord's answers hold it."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .refusals import Json
    from .users import User


class Membership(IntEnum):
    """Name what became of an invitation to a team."""

    INVITED = 1
    ACCEPTED = 2


class Team:
    """Be a team, whose owner is in it, too; `world.team = Team(owner)` gives it the app."""

    def __init__(self, owner: User) -> None:
        self.id = owner.world.ids.next()
        self.owner = owner
        self._members: list[Json] = []
        self.add(owner, "admin")

    def add(self, user: User, role: str, state: Membership = Membership.ACCEPTED) -> None:
        """Add somebody as an "admin", a "developer" or "read_only"."""
        self._members.append(
            {
                "user": user.payload(),
                "team_id": str(self.id),
                "membership_state": int(state),
                "role": role,
                "permissions": ["*"],
            }
        )

    def payload(self) -> Json:
        """Build the team."""
        return {
            "id": str(self.id),
            "icon": None,
            "name": "the team",
            "owner_user_id": str(self.owner.id),
            "members": self._members,
        }
