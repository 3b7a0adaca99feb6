"""Make places and settings for tests."""

from __future__ import annotations

from cogs.websearch.settings import Choice, Place, PlaceKind, Spot

GUILD = 1 << 22
SERVER = Spot(guild_id=GUILD, id=GUILD, kind=PlaceKind.SERVER)
CATEGORY = Spot(guild_id=GUILD, id=2, kind=PlaceKind.CATEGORY)
CHANNEL = Spot(guild_id=GUILD, id=3, kind=PlaceKind.CHANNEL)
THREAD = Spot(guild_id=GUILD, id=4, kind=PlaceKind.THREAD, parent_id=3)
# The nearest first.
CHAIN = (THREAD, CHANNEL, CATEGORY, SERVER)


def at(*spots: Spot, missing: frozenset[PlaceKind] = frozenset()) -> Place:
    """Make a place of these spots."""
    return Place(guild_id=GUILD, spots=spots, missing=missing)


def chosen(*, value: bool, until: float | None = None, by: int = 7, when: float = 10.0) -> Choice:
    """Make a choice."""
    return Choice(value=value, by=by, at=when, until=until)


ON = chosen(value=True)
OFF = chosen(value=False)


def off_until(until: float) -> Choice:
    """Make the choice that searching is off until then, in Unix seconds."""
    return chosen(value=False, until=until)
