"""Hold how a page that somebody reads looks as embeds."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from hypothesis import given

import oracle
from answer_tools import hostile_readings, reading
from cogs.websearch import limits, parts, render_page
from cogs.websearch.i18n import Words
from text import hostile
from text.alive import alive

if TYPE_CHECKING:
    from cogs.websearch.models import Reading

WORDS = Words("en-US")
PUBLISHED = datetime(2026, 3, 4, 12, tzinfo=UTC)
DATE = f"<t:{int(PUBLISHED.timestamp())}:D>"


def test_a_page_shows_title_text_and_facts() -> None:
    """READ-01: the title is the link, and below the text stands whose it is."""
    (embed,) = render_page.page(reading("First *one*.\nSecond.", published=PUBLISHED), 0, WORDS)
    assert (embed.title, embed.url) == ("A page", "https://example.com/page")
    assert embed.description == f"First \\*one\\*.\nSecond.\n-# example.com · {DATE} · read by Exa"


def test_a_page_in_parts_says_which_and_that_it_is_shortened() -> None:
    """READ-01: on each part; one beyond the last is the last."""
    made = reading("Blue light. " * 300, truncated=True, instead_of="SearXNG")
    assert render_page.part_count(made) == 3
    (embed,) = render_page.page(made, 1, WORDS)
    assert (embed.description or "").endswith(
        "\n-# example.com · undated · read by Exa, since SearXNG didn't answer · shortened · part 2 of 3"
    )
    assert render_page.page(made, 9, WORDS) == render_page.page(made, 2, WORDS)


def test_a_page_without_title_is_named_by_its_host() -> None:
    """READ-07: and by the end of its path, as a result is."""
    (embed,) = render_page.page(reading("Blue.", title=""), 0, WORDS)
    assert embed.title == "example.com/page"


def test_an_address_that_is_too_long_is_left_out_alone() -> None:
    """READ-05: the rest is as it was."""
    (embed,) = render_page.page(reading("Blue.", url="https://example.com/" + "x" * limits.EMBED_URL), 0, WORDS)
    assert embed.url is None
    assert embed.title == "A page"


@hostile.QUICK
@given(hostile_readings)
def test_nothing_of_a_page_is_alive(parser: oracle.Parser, made: Reading) -> None:
    """READ-05: whatever it holds, each part is dead and within the limits, and all parts are there."""
    count = render_page.part_count(made)
    assert count == len(parts.cut(made.page.text))
    for part in range(count):
        (embed,) = render_page.page(made, part, WORDS)
        assert len(embed) <= limits.EMBEDS_TOTAL
        assert 0 < len(embed.title or "") <= limits.EMBED_TITLE
        assert 0 < len(embed.description or "") <= limits.EMBED_DESCRIPTION
        assert alive(embed.title or "") == []
        *told, _ = (embed.description or "").split("\n")
        assert alive("\n".join(told)) == []
        assert oracle.foreign(parser.tree(embed.title or "", masked=False)) == set()
        assert oracle.foreign(parser.tree(embed.description or "")) == set()
