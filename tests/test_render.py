"""Hold how outcomes and errors look as embeds."""

from __future__ import annotations

from datetime import UTC, datetime

import discord
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from cogs.websearch import errors, limits, render
from cogs.websearch.backends import rows
from cogs.websearch.i18n import Words
from cogs.websearch.models import Category, Outcome, Period, SearchPage, SearchRequest, SearchResult

WORDS = Words("en-US")


def result(number: int = 1, **fields: object) -> SearchResult:
    """Make a result."""
    plain = SearchResult(
        title=f"Title {number}",
        url=f"https://example.com/{number}",
        host="example.com",
        snippet=f"Snippet {number}.",
    )
    return replace(plain, **fields)


def outcome(*results: SearchResult, **options: object) -> Outcome:
    """Make an outcome of these results."""
    request = replace(SearchRequest(query="blue sky", count=10), **options)
    return Outcome(request=request, page=SearchPage(backend="Exa", results=results, found=len(results)))


def test_a_result_shows_title_snippet_host_date_and_picture() -> None:
    """WEB-06: the title is the link, the date is Discord's own, and the thumbnail is there."""
    published = datetime(2026, 3, 4, 12, tzinfo=UTC)
    shown = outcome(result(published=published, image="https://example.com/picture.png"))
    embed = render.results(shown, 0, WORDS)[1]
    assert embed.title == "1 · Title 1"
    assert embed.url == "https://example.com/1"
    assert embed.description == f"Snippet 1.\n-# example.com · <t:{int(published.timestamp())}:D>"
    assert embed.thumbnail.url == "https://example.com/picture.png"


def test_a_result_without_date_title_snippet_or_picture_is_still_whole() -> None:
    """WEB-06: what a page does not have is left out, and that it has no date is said."""
    embed = render.results(outcome(result(title="", snippet="")), 0, WORDS)[1]
    assert embed.title == "1 · example.com/1"
    assert embed.description == "-# example.com · undated"
    assert embed.thumbnail.url is None


def test_the_header_names_query_count_engine_and_filters() -> None:
    """WEB-07: whoever reads the reply sees what was asked for and who answered."""
    shown = outcome(
        *(result(number) for number in range(5)),
        category=Category.NEWS,
        period=Period.WEEK,
        sites=("example.com", "example.org"),
    )
    header = render.results(shown, 1, WORDS)[0]
    assert header.title == "blue sky"
    assert header.description == "5 results · Exa · page 2 of 2 · News · Past week · example.com, example.org"


def test_one_page_has_no_page_number() -> None:
    """WEB-07: a header does not count what needs no counting, and one result is not several."""
    header = render.results(outcome(result()), 0, WORDS)[0]
    assert header.description == "1 result · Exa"


@pytest.mark.parametrize(("found", "pages"), [(1, 1), (3, 1), (4, 2), (6, 2), (7, 3), (10, 4)])
def test_three_results_stand_on_a_page_in_order(found: int, pages: int) -> None:
    """WEB-08: all pages together show each result once, in the engine's order."""
    shown = outcome(*(result(number) for number in range(found)))
    assert render.page_count(shown) == pages
    each = [render.results(shown, page, WORDS)[1:] for page in range(pages)]
    assert all(1 <= len(page) <= limits.RESULTS_PER_PAGE for page in each)
    assert [embed.title for page in each for embed in page] == [
        f"{place} · Title {place - 1}" for place in range(1, found + 1)
    ]


def test_a_query_is_never_alive_in_the_header() -> None:
    """WEB-19: what a member typed is escaped like what a page wrote."""
    header = render.results(outcome(result(), query="@everyone **look** <@1>"), 0, WORDS)[0]
    assert header.title == r"\@everyone \*\*look\*\* \<\@1>"


@pytest.mark.parametrize(
    ("error", "colour"),
    [
        (errors.NothingFound(), render.QUIET),
        (errors.EmptyQuery(), render.QUIET),
        (errors.SearchDisabled(), render.QUIET),
        (errors.BackendOverloaded("Exa"), render.TROUBLE),
        (errors.StoreFailed(), render.TROUBLE),
    ],
)
def test_only_what_is_broken_looks_broken(error: errors.SearchError, colour: int) -> None:
    """WEB-02: an error is one sentence in one embed, and only a fault of ours or the engine's is red."""
    embed = render.failure(error, WORDS)
    assert embed.description
    assert embed.description.endswith(".")
    assert embed.colour == discord.Colour(colour)


hostile = st.text(st.sampled_from("*_~`|>#-[]()<>@:/\\.1 \nhtps&;éक्ष👩‍👩‍👧\u200d\u202e")) | st.text(max_size=40)


@settings(max_examples=60)
@given(
    query=st.text(st.sampled_from("*_~`|\\a"), min_size=1, max_size=limits.QUERY),
    parts=st.lists(st.tuples(hostile, hostile), min_size=1, max_size=limits.RESULTS),
    repeat=st.integers(1, 400),
)
def test_all_embeds_of_a_page_stay_within_the_limits(query: str, parts: list[tuple[str, str]], repeat: int) -> None:
    """WEB-25: however much of it must be escaped, no element and no page grows over Discord's limits."""
    request = SearchRequest(query=query, count=limits.RESULTS, sites=("a" * 60 + ".example.com",) * limits.SITES)
    found = [
        rows.Row(url=f"https://example.com/{number}", title=title * repeat, snippet=snippet * repeat)
        for number, (title, snippet) in enumerate(parts)
    ]
    page = rows.to_page(found, request, backend="Exa", snippet_chars=1000)
    shown = Outcome(request=request, page=page)
    for number in range(render.page_count(shown)):
        embeds = render.results(shown, number, WORDS)
        assert sum(map(len, embeds)) <= limits.EMBEDS_TOTAL
        for embed in embeds:
            assert len(embed.title or "") <= limits.EMBED_TITLE
            assert 0 < len(embed.description or "") <= limits.EMBED_DESCRIPTION
