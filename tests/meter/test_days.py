"""Hold when days begin and end, in every zone of the IANA database."""

from __future__ import annotations

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo, available_timezones

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cogs.websearch.days import day_at

ZONES = sorted(available_timezones())
HOUR = 3600
# Unix seconds from 1900 to 2100.
MOMENTS = st.integers(-2_208_988_800, 4_102_444_800)


def moment(text: str) -> int:
    """Return a moment, written in UTC, in Unix seconds."""
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp())


@pytest.mark.parametrize(
    ("zone", "day", "starts", "ends"),
    [
        ("UTC", "2026-11-30", "2026-11-30T00:00", "2026-12-01T00:00"),
        ("Asia/Kathmandu", "2026-11-30", "2026-11-29T18:15", "2026-11-30T18:15"),
        # Clocks are put forth, then back, by night.
        ("Europe/Berlin", "2026-03-29", "2026-03-28T23:00", "2026-03-29T22:00"),
        ("Europe/Berlin", "2026-10-25", "2026-10-24T22:00", "2026-10-25T23:00"),
        ("Australia/Lord_Howe", "2026-10-04", "2026-10-03T13:30", "2026-10-04T13:00"),
        # There's no midnight: clocks go from 24:00 to 1:00.
        ("America/Sao_Paulo", "2018-11-04", "2018-11-04T03:00", "2018-11-05T02:00"),
        ("Asia/Beirut", "2026-03-29", "2026-03-28T22:00", "2026-03-29T21:00"),
        # Nor here: they go from 23:30 to 0:30.
        ("America/Toronto", "1919-03-31", "1919-03-31T04:30", "1919-04-01T04:00"),
        # The hour before midnight comes twice.
        ("America/Sao_Paulo", "2018-02-17", "2018-02-17T02:00", "2018-02-18T03:00"),
        # It comes twice after a minute of the new day, to which it then belongs.
        ("America/St_Johns", "2006-10-29", "2006-10-29T02:30", "2006-10-30T03:30"),
        # A day was left out.
        ("Pacific/Apia", "2011-12-29", "2011-12-29T10:00", "2011-12-30T10:00"),
        ("Pacific/Apia", "2011-12-31", "2011-12-30T10:00", "2011-12-31T10:00"),
    ],
)
def test_days_of_every_kind(zone: str, day: str, starts: str, ends: str) -> None:
    """MET-11: a day is as long as its zone has it, and each of its moments belongs to it."""
    first, last = moment(starts), moment(ends) - 1
    for now in (first, first + 1, first + 61, (first + last) // 2, last - 0.5, last, last + 0.999):
        found = day_at(now, ZoneInfo(zone))
        assert (found.number, found.starts, found.ends) == (date.fromisoformat(day).toordinal(), first, last + 1)
        assert now in found
        assert last + 1 not in found
        assert first - 1 not in found


@settings(max_examples=400, deadline=None)
@given(zone=st.sampled_from(ZONES).map(ZoneInfo), now=MOMENTS)
def test_days_follow_each_other(zone: ZoneInfo, now: int) -> None:
    """MET-11: in any zone at any time, a day begins where the last one ends, when the calendar first shows it."""
    day = day_at(now, zone)
    assert now in day
    assert datetime.fromtimestamp(day.starts, zone).toordinal() >= day.number
    assert datetime.fromtimestamp(day.starts - 1, zone).toordinal() < day.number
    before, after = day_at(day.starts - 1, zone), day_at(day.ends, zone)
    assert before.ends == day.starts
    assert after.starts == day.ends
    assert before.number < day.number < after.number


@settings(max_examples=200, deadline=None)
@given(zone=st.sampled_from(ZONES).map(ZoneInfo), now=st.integers(moment("2020-01-01"), moment("2037-01-01")))
def test_days_of_this_age_have_about_24_hours(zone: ZoneInfo, now: int) -> None:
    """MET-11: nowadays a day has 23 to 25 hours, and 22 to 26 at Troll in Antarctica, which moves its clocks by two."""
    day = day_at(now, zone)
    assert 22 * HOUR <= day.ends - day.starts <= 26 * HOUR
    if zone.key != "Antarctica/Troll":
        assert 23 * HOUR <= day.ends - day.starts <= 25 * HOUR


@settings(max_examples=100, deadline=None)
@given(zone=st.sampled_from(ZONES).map(ZoneInfo), year=st.integers(1920, 2037), at=st.integers(0, 366 * 24))
def test_numbers_never_go_back(zone: ZoneInfo, year: int, at: int) -> None:
    """MET-11: hour by hour, through every change of the clocks, a day's number stays or grows."""
    start = moment(f"{year}-01-01") + at * HOUR
    numbers = [day_at(start + hour * HOUR // 2, zone).number for hour in range(120)]
    assert numbers == sorted(numbers)
