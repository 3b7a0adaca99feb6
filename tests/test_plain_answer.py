"""Hold answers and pages in plain text to Discord's limits and to what may be alive in them."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given

import oracle
from answer_tools import answered, hostile_answers, hostile_readings, links, reading, source
from cogs.websearch import citations, limits, plain, plain_answer, render_answer, render_page
from cogs.websearch.i18n import Words
from cogs.websearch.models import Answered, Outcome, Reading, SearchPage, SearchRequest
from text import hostile

WORDS = Words("en-US")
PUBLISHED = datetime(2026, 3, 4, 12, tzinfo=UTC)
DATE = f"<t:{int(PUBLISHED.timestamp())}:D>"


def test_an_answer_has_header_text_and_sources() -> None:
    """ANS-08: a reader finds in plain text what embeds show."""
    made = answered("Blue [2], *really* [9].\nSo.", source(1), source(2, title=""), complete=False)
    assert plain_answer.answer(made, 0, WORDS) == (
        "**why is the sky blue**\n"
        "-# answered by Exa\n\n"
        "Blue \\[2\\], \\*really\\*.\nSo.\n"
        "-# The answer broke off here: this is all that came.\n\n"
        "\\[1\\] Title 1 · example.com\n<https://example.com/1>\n"
        "\\[2\\] example.com/2 · example.com\n<https://example.com/2>"
    )


def test_addresses_that_are_too_long_are_left_out_alone() -> None:
    """ANS-08 ANS-06: the source keeps its line, and others their addresses."""
    made = answered("Blue [1][2].", source(1, url="https://example.com/" + "x" * 1900), source(2))
    text = plain_answer.answer(made, 0, WORDS)
    assert text.endswith("\n\\[1\\] Title 1 · example.com\n\\[2\\] Title 2 · example.com\n<https://example.com/2>")


def test_sources_without_room_are_counted() -> None:
    """ANS-08 ANS-06: also where the text leaves no room for any."""
    made = answered("Blue. " * 249 + "[1]", *(source(number, title="long " * 20) for number in range(1, 21)))
    assert render_answer.part_count(made) == 1
    *_, last = plain_answer.answer(made, 0, WORDS).split("\n")
    assert last.startswith("and 1")
    assert last.endswith(" more sources")


def test_an_answer_that_grows_says_so() -> None:
    """ANS-07 ANS-08: as in an embed."""
    text = plain_answer.growing(answered("Blue light [1", complete=False), WORDS)
    assert text == ("**why is the sky blue**\n-# answered by Exa\n\nBlue light\n-# The answer is still being written.")


def test_a_page_has_title_address_text_and_facts() -> None:
    """READ-06: and without an address where that's too long."""
    made = reading("First.\nSecond.", published=PUBLISHED, truncated=True)
    told = f"First.\nSecond.\n-# example.com · {DATE} · read by Exa · shortened"
    assert plain_answer.page(made, 0, WORDS) == f"**A page**\n<https://example.com/page>\n{told}"
    long = reading("First.\nSecond.", published=PUBLISHED, truncated=True, url="https://example.com/" + "x" * 1990)
    assert plain_answer.page(long, 0, WORDS) == f"**A page**\n{told}"


def test_results_instead_of_an_answer_say_so() -> None:
    """ANS-09: in plain text, too."""
    found = SearchPage(backend="SearXNG", results=(source(1),), found=1)
    shown = Outcome(request=SearchRequest(query="blue", count=5), page=found, unanswered="SearXNG")
    assert plain.results(shown, 0, WORDS).startswith(
        "**blue**\n-# SearXNG can't answer questions: here is what was found instead.\n-# 1 result · SearXNG\n\n"
    )


@hostile.QUICK
@given(hostile_answers)
def test_only_the_sources_are_alive_in_an_answer(parser: oracle.Parser, made: Answered) -> None:
    """ANS-08 ANS-10: to the parser, nothing but our markup and the sources' addresses is, within a message."""
    addresses = {one.url for one in citations.shown(made).values()}
    shown = [plain_answer.answer(made, part, WORDS) for part in range(render_answer.part_count(made))]
    for text in (*shown, plain_answer.growing(made, WORDS)):
        assert 0 < len(text) <= limits.MESSAGE_CONTENT
        tree = parser.tree(text)
        assert oracle.foreign_in_text(tree) == set(), text
        assert {target for _, target in links(tree)} <= addresses
    listed = [part.sources for part in citations.split(made)]
    for text, sources in zip(shown, listed, strict=True):
        lines = text.split("\n")
        assert not sources or lines[-1].startswith(("\\[", "[\\[", "<https://", "and "))


@hostile.QUICK
@given(hostile_readings)
def test_only_the_address_is_alive_in_a_page(parser: oracle.Parser, made: Reading) -> None:
    """READ-05 READ-06: to the parser, nothing but our markup and the page's address is, within a message."""
    for part in range(render_page.part_count(made)):
        text = plain_answer.page(made, part, WORDS)
        assert 0 < len(text) <= limits.MESSAGE_CONTENT
        tree = parser.tree(text)
        assert oracle.foreign_in_text(tree) == set(), text
        assert [target for _, target in links(tree)] == [made.page.url]
