"""Hold what counts as a duration."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cogs.websearch import durations, errors, limits

UNITS = {"w": 604_800, "d": 86_400, "h": 3600, "m": 60}
SPELLED = {
    "w": ("w", "week", "weeks", "Woche", "Wochen"),
    "d": ("d", "day", "days", "Tag", "Tage", "Tagen"),
    "h": ("h", "hr", "hrs", "hour", "hours", "Std.", "Stunde", "Stunden"),
    "m": ("m", "min", "min.", "minute", "minutes", "Minute", "Minuten"),
}


@pytest.mark.parametrize(
    ("typed", "seconds"),
    [
        ("30m", 1800),
        ("2h", 7200),
        ("7d", 604_800),
        ("1w", 604_800),
        ("1d12h", 129_600),
        (" 1 D  12 H ", 129_600),
        ("90m", 5400),
        ("30m1h", 5400),
        ("1m", durations.LEAST),
        ("365d", durations.MOST),
        ("0d1m", 60),
        ("1d" + " " * 999 + "12\th\n", 129_600),
        ("2 hours", 7200),
        ("2 Stunden", 7200),
        ("90 minutes", 5400),
        ("1 day", 86_400),
        ("1 Tag 12 Std.", 129_600),
        ("1hour30minutes", 5400),
        ("1 WOCHE", 604_800),
    ],
)
def test_a_duration_is_read(typed: str, seconds: int) -> None:
    """SW-10: units in any order and case, with or without spaces."""
    assert durations.parse(typed) == seconds


@pytest.mark.parametrize(
    "typed",
    [
        *(
            "",
            " ",
            "0m",
            "366d",
            "53w",
            "m",
            "30",
            "30s",
            "30 seconds",
            "30 minutos",
            "1h1h",
            "1h 1 hour",
            "1 tag 1 day",
            "2 .",
            "m.",
            "2 \u017ftd",
            "2 w\u212a",
            "-1h",
            "1.5h",
            "1h,",
            "٣m",
            "²h",
        ),
        *("1d" + " " * 97 + "1h and anything else", "1d" + " " * 99 + "1d", " 1h" + " " * 98 + "x"),
        *("1h" * 999, "9" * 9999 + "m", "999999999w", "forever", "30m ago", "1m\u200b", "0x1h", "1e3m"),
    ],
)
def test_anything_else_is_said(typed: str) -> None:
    """SW-10: what is no duration, or is too short or too long, is an error that shows it, cut and cleaned."""
    with pytest.raises(errors.InvalidDuration) as caught:
        durations.parse(typed)
    assert len(caught.value.value) <= limits.ECHO


@given(parts=st.dictionaries(st.sampled_from("wdhm"), st.integers(0, 60), min_size=1))
def test_what_is_written_is_what_is_read(parts: dict[str, int]) -> None:
    """SW-10: the parts add up."""
    total = sum(count * UNITS[unit] for unit, count in parts.items())
    typed = " ".join(f"{count}{unit}" for unit, count in parts.items())
    if durations.LEAST <= total <= durations.MOST:
        assert durations.parse(typed) == total
    else:
        with pytest.raises(errors.InvalidDuration):
            durations.parse(typed)


@given(
    parts=st.dictionaries(st.sampled_from("wdhm"), st.integers(0, 60), min_size=1),
    data=st.data(),
)
def test_spelled_out_it_is_the_same(parts: dict[str, int], data: st.DataObject) -> None:
    """SW-10: each unit's words in English and German, in any case, cut short with or without a point."""
    short = "".join(f"{count}{unit}" for unit, count in parts.items())
    spelled = " ".join(
        f"{count}{data.draw(st.sampled_from(('', ' ')))}{data.draw(st.sampled_from(SPELLED[unit]))}"
        for unit, count in parts.items()
    )
    assert outcome(spelled) == outcome(short) == outcome(spelled.upper())


def outcome(typed: str) -> int | None:
    """Return the seconds, or None where it's no duration."""
    try:
        return durations.parse(typed)
    except errors.InvalidDuration:
        return None


@given(typed=st.text(st.sampled_from("0123456789mhdwMHDW .-+\u0663\u202e inutesourayk")) | st.text())
def test_any_text_is_a_duration_or_an_error(typed: str) -> None:
    """SW-10: nothing else comes of whatever is typed."""
    try:
        seconds = durations.parse(typed)
    except errors.InvalidDuration:
        return
    assert durations.LEAST <= seconds <= durations.MOST
