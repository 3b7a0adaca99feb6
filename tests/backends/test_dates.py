"""Read the dates of results."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cogs.websearch.backends import dates
from engine_tools import NOW


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("2024-02-29", datetime(2024, 2, 29, 12, tzinfo=UTC)),
        ("2024-02-29T00:00:00.000Z", datetime(2024, 2, 29, 12, tzinfo=UTC)),
        ("2024-02-29T00:00:00", datetime(2024, 2, 29, 12, tzinfo=UTC)),
        ("2024-02-29T02:00:00+02:00", datetime(2024, 2, 29, 12, tzinfo=UTC)),
        ("2024-02-29T00:00:00+02:00", datetime(2024, 2, 28, 22, tzinfo=UTC)),
        ("2024-02-29T23:30:10.123Z", datetime(2024, 2, 29, 23, 30, 10, 123000, tzinfo=UTC)),
        ("2024-02-29 23:30:10", datetime(2024, 2, 29, 23, 30, 10, tzinfo=UTC)),
        (" 2024-02-29T23:30Z\n", datetime(2024, 2, 29, 23, 30, tzinfo=UTC)),
        ("1865-01-01", datetime(1865, 1, 1, 12, tzinfo=UTC)),
        ("2027-11-01", datetime(2027, 11, 1, 12, tzinfo=UTC)),
        ("Thu, 29 Feb 2024 23:30:10 GMT", datetime(2024, 2, 29, 23, 30, 10, tzinfo=UTC)),
        ("Thu, 29 Feb 2024 23:30:10 UTC", datetime(2024, 2, 29, 23, 30, 10, tzinfo=UTC)),
        ("Thu, 1 Feb 2024 01:30:10 +0200", datetime(2024, 1, 31, 23, 30, 10, tzinfo=UTC)),
        ("Thu, 29 Feb 2024 00:00:00 -0000", datetime(2024, 2, 29, 12, tzinfo=UTC)),
        # Of a weekday that the date doesn't fall on, the date is believed.
        ("Mon, 29 Feb 2024 23:30:10 GMT", datetime(2024, 2, 29, 23, 30, 10, tzinfo=UTC)),
    ],
)
def test_forms(raw: str, expected: datetime) -> None:
    """EXA-07: each form of a date is the moment that it names, and a bare day is noon."""
    assert dates.parse(raw, now=NOW) == expected


@pytest.mark.parametrize(
    "raw",
    [
        "",
        "soon",
        "2024-02-30",
        "2024-13-01",
        "2024-02-29T25:00:00Z",
        "0000-01-01",
        "-0001-01-01",
        "10000-01-01",
        "2028-01-01",
        "9999-12-31",
        "0001-01-01T00:00:00+14:00",
        "9999-12-31T23:59:59-12:00",
        "Thu, 30 Feb 2024 23:30:10 GMT",
        "Thu, 29 Feb 2024 25:30:10 GMT",
        "Thu, 29 Xyz 2024 23:30:10 GMT",
        "Thu, 29 Feb 2024 23:30:10 +9999",
        "Thu, 29 Feb 2024 23:30:10",
        "Fri, 31 Dec 9999 23:59:59 -1200",
        "Sat, 01 Jan 0000 00:00:00 GMT",
        "29 Feb 2024",
        "Feb 29, 2024",
        "Thursday",
        "\uff12\uff10\uff12\uff14",
        "\ud800",
        "2024-02-29" + " " * 4_000_000,
        None,
        True,
        0,
        1709164800,
        1709164800000.0,
        float("nan"),
        [],
        {},
        ["2024-02-29"],
    ],
)
def test_what_is_no_date(raw: object) -> None:
    """EXA-07: garbage, other types, year 0 and the far future are no date."""
    assert dates.parse(raw, now=NOW) is None


@given(st.datetimes(max_value=datetime(2026, 12, 1)), st.integers(-14 * 60, 14 * 60))  # noqa: DTZ001 - a zone is added
def test_moments_with_an_offset(naive: datetime, minutes: int) -> None:
    """EXA-07: any moment comes back aware and in UTC, midnight there as noon."""
    moment = naive.replace(tzinfo=timezone(timedelta(minutes=minutes)))
    found = dates.parse(moment.isoformat(), now=NOW)
    if found is None:
        assert naive.year == 1
    else:
        assert found.utcoffset() == timedelta(0)
        assert found - moment in {timedelta(0), timedelta(hours=12)}


@given(
    st.text(max_size=60)
    | st.from_regex(r"\A(Thu|Xyz), [0-9]{1,2} (Feb|Dec|Xyz) [0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2} (GMT|[+-][0-9]{4})\Z")
)
def test_any_text(raw: str) -> None:
    """EXA-07: any text is an aware moment or nothing."""
    found = dates.parse(raw, now=NOW)
    assert found is None or found.tzinfo is UTC
