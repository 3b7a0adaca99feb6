"""Tell when a day of a time zone starts and ends, also where clocks are put forward or back around midnight."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Final

import msgspec

if TYPE_CHECKING:
    from datetime import tzinfo

_MIDNIGHT: Final = datetime.min.time()
# No change of a clock is longer: Samoa left out a whole day in 2011.
_LONGEST_CHANGE: Final = timedelta(days=1)
_SECOND: Final = timedelta(seconds=1)


def zone_of(name: str) -> tzinfo:
    """Return a time zone by its name in the IANA database; UTC, which most bots keep, is looked up nowhere."""
    if name == "UTC":
        return UTC
    from zoneinfo import ZoneInfo  # noqa: PLC0415 - it reads how Python was built, to find the system's time zones

    return ZoneInfo(name)


class Day(msgspec.Struct, frozen=True, kw_only=True):
    """Hold one day: its number as `date.toordinal` has it, and when it and the next one start, in Unix seconds."""

    number: int
    starts: int
    ends: int

    def __contains__(self, now: float) -> bool:
        """Tell whether a moment, in Unix seconds, lies in the day."""
        return self.starts <= now < self.ends


def day_at(now: float, zone: tzinfo) -> Day:
    """Return the day in which `now` (Unix seconds) lies in a zone.

    A day starts when the zone's calendar first shows it, and goes on until the next one does: where clocks are put back
    across midnight, the hour that comes twice belongs to the new day.
    """
    number = datetime.fromtimestamp(now, zone).toordinal()
    ends = _start(number + 1, zone)
    while ends <= now:
        number += 1
        ends = _start(number + 1, zone)
    return Day(number=number, starts=_start(number, zone), ends=ends)


def _start(number: int, zone: tzinfo) -> int:
    """Return the first second, in Unix time, in which the calendar of a zone shows that day or a later one."""
    day = date.fromordinal(number)
    # Of a midnight that comes twice, Python takes the first; one that is left out lies as if clocks hadn't changed.
    start = datetime.combine(day, _MIDNIGHT, zone).astimezone(UTC)
    if _shows(start - _SECOND, day, zone):
        # Clocks went from before midnight to after it: the day began with that.
        low = start - _LONGEST_CHANGE
        while start - low > _SECOND:
            middle = low + (start - low) // _SECOND // 2 * _SECOND
            low, start = (low, middle) if _shows(middle, day, zone) else (middle, start)
    return int(start.timestamp())


def _shows(moment: datetime, day: date, zone: tzinfo) -> bool:
    return moment.astimezone(zone).date() >= day
