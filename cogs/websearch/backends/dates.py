"""Read the dates that engines put beside their results."""

from __future__ import annotations

from datetime import UTC, datetime, time
from email.utils import parsedate_to_datetime
from typing import Final

from ..patterns import late_re

# The longest date-time that an engine writes has 35 characters; what is longer is no date.
_LONGEST: Final = 40
# Journals date an issue months ahead; what lies further in the future is a mistake of the page.
_AHEAD_S: Final = 366 * 24 * 3600
# As in the headers of mails and of HTTP (RFC 1123): Tue, 12 Nov 2024 08:00:00 GMT. A year below 1000 would be read as
# one of our own times.
_RFC_1123: Final = late_re(
    r"[A-Z][a-z]{2}, [0-9]{1,2} [A-Z][a-z]{2} [1-9][0-9]{3} [0-9]{2}:[0-9]{2}:[0-9]{2} (?:GMT|UTC|[+-][0-9]{4})"
)
_NOON: Final = time(12, tzinfo=UTC)


def parse(raw: object, *, now: float) -> datetime | None:
    """Return the moment that a text in ISO 8601 or RFC 1123 names, in UTC, or None where it names none.

    `now` is in Unix seconds; dates more than a year after it are refused. What has no offset is in UTC. A date without
    a time of day, which engines also write as midnight, becomes noon, so that readers east and west of Greenwich see
    the same day.
    """
    if not isinstance(raw, str) or len(raw) > _LONGEST:
        return None
    try:
        moment = _read(raw.strip())
        moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
        if moment.timestamp() - now > _AHEAD_S:
            return None
    except (ValueError, OverflowError):
        return None
    return moment if moment.time() != time.min else datetime.combine(moment.date(), _NOON)


def _read(raw: str) -> datetime:
    """Return the moment as it's written, with or without a zone; raise `ValueError`."""
    # A name of a day comes first, or a digit.
    named = raw[:1].isalpha() and _RFC_1123.fullmatch(raw)
    return parsedate_to_datetime(raw) if named else datetime.fromisoformat(raw)
