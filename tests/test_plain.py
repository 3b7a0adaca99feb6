"""Hold replies in plain text to Discord's limits and to what may be alive in them."""

from __future__ import annotations

from datetime import UTC, datetime

import discord
from hypothesis import given, settings
from hypothesis import strategies as st

from cogs.websearch import limits, plain, render
from cogs.websearch.backends import rows
from cogs.websearch.i18n import Words
from cogs.websearch.models import Category, Outcome, SearchRequest
from cogs.websearch.text import tidy
from text import hostile
from text.alive import alive, reading

WORDS = Words("en-US")
PUBLISHED = datetime(2026, 3, 4, 12, tzinfo=UTC)
DATE = f"<t:{int(PUBLISHED.timestamp())}:D>"


def outcome(*found: rows.Row, query: str = "blue sky", chars: int = 400) -> Outcome:
    """Clean the rows into an outcome, as an engine's adapter does."""
    request = SearchRequest(query=query, count=limits.RESULTS, category=Category.NEWS)
    return Outcome(request=request, page=rows.to_page(found, request, backend="Exa", snippet_chars=chars))


def row(number: int, title: str = "", snippet: str = "", path: str = "") -> rows.Row:
    """Make a row whose address names its number."""
    url = f"https://example.com/{number}{path}"
    return rows.Row(url=url, title=title or f"Title {number}", snippet=snippet, published=PUBLISHED)


def test_a_page_has_a_header_and_each_result() -> None:
    """FLT-17: a reader finds in plain text what an embed shows."""
    shown = outcome(row(1, snippet="First *words*."), row(2, snippet="Second."))
    assert plain.results(shown, 0, WORDS) == (
        "**blue sky**\n"
        "-# 2 results · Exa · News\n\n"
        "**1 · Title 1**\n"
        "<https://example.com/1>\n"
        r"First \*words\*."
        f"\n-# example.com · {DATE}\n\n"
        "**2 · Title 2**\n"
        "<https://example.com/2>\n"
        "Second.\n"
        f"-# example.com · {DATE}"
    )


def test_an_address_that_is_too_long_is_left_out_alone() -> None:
    """FLT-18: the result stays, with its host, and the others keep their addresses."""
    shown = outcome(row(1, path="/" + "long" * 400, snippet="Here. " * 80), row(2), row(3))
    text = plain.results(shown, 0, WORDS)
    assert "longlong" not in text
    assert "**1 · Title 1**\nHere. Here." in text
    assert "<https://example.com/2>" in text
    assert len(text) <= limits.MESSAGE_CONTENT


def test_snippets_share_a_message_evenly() -> None:
    """FLT-18: of three long snippets each shows about as much."""
    shown = outcome(*(row(number, snippet="word " * 200) for number in range(3)), chars=1000)
    text = plain.results(shown, 0, WORDS)
    lengths = [len(line) for line in text.split("\n") if line.startswith("word")]
    assert len(lengths) == 3
    assert min(lengths) > 400
    assert max(lengths) - min(lengths) < 10
    assert len(text) > limits.MESSAGE_CONTENT - 100


def lines(text: str) -> list[str]:
    """Return what is left of a page's lines without our own markup."""
    found = []
    for line in text.split("\n"):
        if line.startswith("**"):
            assert line.endswith("**")
            found.append(line[2:-2])
        elif line.startswith("-# "):
            found.append(line[3:].removesuffix(DATE))
        elif not line.startswith("<https://example.com/"):
            found.append(line)
    return found


@hostile.QUICK
@given(query=hostile.pages, title=hostile.pages, snippet=hostile.pages, repeat=st.integers(1, 20))
def test_nothing_of_a_page_is_alive(query: str, title: str, snippet: str, repeat: int) -> None:
    """FLT-19, FLT-18: whatever stands in each place, only our own markup and the results' addresses are alive."""
    shown = outcome(
        *(row(number, title * repeat, snippet * repeat) for number in range(4)),
        query=tidy(query, limits.QUERY) or "x",
        chars=1000,
    )
    for page in range(render.page_count(shown)):
        text = plain.results(shown, page, WORDS)
        assert 0 < len(text) <= limits.MESSAGE_CONTENT
        assert [alive(line) for line in lines(text) if alive(line)] == []


@settings(max_examples=60)
@given(
    st.text(st.sampled_from("*_~`|\\a @<:"), min_size=1, max_size=limits.QUERY),
    st.lists(st.integers(0, 2000), min_size=1, max_size=limits.RESULTS),
)
def test_every_page_fits(query: str, paths: list[int]) -> None:
    """FLT-18: however much must be escaped, and however long addresses are, each result is named on its page."""
    found = [row(number, "`*" * 90, "_~" * 700, "/" + "p" * length) for number, length in enumerate(paths)]
    shown = outcome(*found, query=query, chars=1000)
    for page in range(render.page_count(shown)):
        text = plain.results(shown, page, WORDS)
        assert len(text) <= limits.MESSAGE_CONTENT
        assert text.count(" · \\`") == len(render.numbered(shown, page))


def test_embeds_of_ours_become_lines() -> None:
    """FLT-20: a title is bold, an address makes no preview, fields follow their names."""
    embed = discord.Embed(title="Title", url="https://example.com/", description="One\nTwo").add_field(
        name="Name", value="Value"
    )
    assert plain.of([embed, discord.Embed(description="Last")]) == (
        "**Title**\n<https://example.com/>\nOne\nTwo\n**Name**\nValue\n\nLast"
    )


@given(st.lists(st.integers(1, 900), min_size=1, max_size=40))
def test_lines_that_do_not_fit_are_left_out_whole(lengths: list[int]) -> None:
    """FLT-20: a message is never too long, and no line of it is cut."""
    made = [f"{number}{'x' * length}" for number, length in enumerate(lengths)]
    text = plain.of([discord.Embed(description="\n".join(made))])
    assert len(text) <= limits.MESSAGE_CONTENT
    assert all(line in {*made, "…"} for line in text.split("\n"))
    assert text.startswith(made[0])


def test_a_title_that_ends_in_an_asterisk_reads_as_it_is() -> None:
    """FLT-19: what closes a bold title is ours."""
    text = plain.results(outcome(row(1, "Stars **")), 0, WORDS)
    assert r"**1 · Stars \*\***" in text
    assert reading(r"1 · Stars \*\*") == "1 · Stars **"
