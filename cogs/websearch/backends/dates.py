"""Read the dates that engines put beside their results."""

from __future__ import annotations

from datetime import UTC, datetime, time
from typing import Final

# The longest date-time that an engine writes has 35 characters; what is longer is no date.
_LONGEST: Final = 40
# Journals date an issue months ahead; what lies further in the future is a mistake of the page.
_AHEAD_S: Final = 366 * 24 * 3600
_NOON: Final = time(12, tzinfo=UTC)


def parse(raw: object, *, now: float) -> datetime | None:
    """Return the moment that an ISO 8601 text names, in UTC, or None where it names none.

    `now` is in Unix seconds; dates more than a year after it are refused. What has no offset is in UTC. A date without
    a time of day, which engines also write as midnight, becomes noon, so that readers east and west of Greenwich see
    the same day.
    """
    if not isinstance(raw, str) or len(raw) > _LONGEST:
        return None
    try:
        moment = datetime.fromisoformat(raw.strip())
        moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
        if moment.timestamp() - now > _AHEAD_S:
            return None
    except (ValueError, OverflowError):
        return None
    return moment if moment.time() != time.min else datetime.combine(moment.date(), _NOON)
