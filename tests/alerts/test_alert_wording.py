"""Hold what the bot's owner reads."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cogs.websearch import alert_wording, limits
from cogs.websearch.days import Day
from cogs.websearch.i18n import Catalogues, Words
from cogs.websearch.troubles import Kind, Trouble
from text import hostile
from text.alive import alive

SINCE = 1_796_040_000
DAY = Day(number=1, starts=SINCE, ends=SINCE + 86_400)
LANGUAGES = ["en-US", "de"]
ENGINES = {Kind.KEY, Kind.CREDITS, Kind.ENGINE}


def a_trouble(kind: Kind, *, count: int = 3, detail: str = "") -> Trouble:
    """Return a trouble as the service reports it."""
    return Trouble(
        kind=kind,
        since=SINCE + 0.5,
        count=count,
        where="Exa" if kind in ENGINES else "",
        key="backend-timeout",
        detail=detail,
        day=DAY if kind is Kind.BUDGET else None,
        sum=4.5,
    )


def test_what_an_owner_reads() -> None:
    """ALR-01: what is wrong, what to do, what was said last, and in small print how often since when."""
    assert alert_wording.trouble(a_trouble(Kind.ENGINE, count=1234, detail="no answer *in* time"), Words()) == (
        "**Exa fails, search after search.**\n"
        "Check this machine's connection and the engine's status page: the bot goes on trying.\n"
        "The last error: backend-timeout, “no answer \\*in\\* time”.\n"
        f"-# 1,234 searches have failed since <t:{SINCE}:f>."
    )
    assert alert_wording.trouble(a_trouble(Kind.BUDGET), Words()) == (
        "**The bot has spent its budget of 4.5 US dollars a day, so nothing more is searched today.**\n"
        "Raise web-daily-budget-usd if members are to search on today.\n"
        f"-# Members can search again from <t:{DAY.ends}:f> on."
    )
    told = alert_wording.trouble(a_trouble(Kind.DATABASE, count=0, detail="a *file*.db"), Words())
    assert "**The bot's database a \\*file\\*.db fails" in told
    assert "-#" not in told


@pytest.mark.parametrize("language", LANGUAGES)
@hostile.QUICK
@given(kind=st.sampled_from(list(Kind)), detail=hostile.pages, count=st.integers(1))
def test_nothing_of_others_is_alive(language: str, kind: Kind, detail: str, count: int) -> None:
    """ALR-14: whatever an engine says or a file is called, the message fits, and only our own markup is alive."""
    told = alert_wording.trouble(a_trouble(kind, detail=detail, count=count), Catalogues().words(language))
    assert len(told) <= limits.MESSAGE_CONTENT
    first, *body, small = told.split("\n")
    assert (first[:2], first[-2:], small[:3]) == ("**", "**", "-# ")
    assert [alive(line) for line in (first[2:-2], *body)] == [[]] * (len(body) + 1)
    assert [mark.split(":")[0] for mark in alive(small[3:])] == ["timestamp"]
