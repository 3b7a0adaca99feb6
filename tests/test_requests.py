"""Hold what becomes of what a member typed."""

from __future__ import annotations

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from cogs.websearch import errors, limits
from cogs.websearch.config import Config
from cogs.websearch.models import SearchRequest, SiteRules
from cogs.websearch.requests import to_request

# Formatting signs are part of writing and of emoji; a place that is kept free for an emoji to come is no stray.
UNSEEN = regex.compile(r"(?V1)[\p{C}--[\p{Cf}\p{ExtPict}]]")
CONFIG = Config(web_results=4, web_block_sites=("blocked.example.com",))


def test_what_is_left_out_comes_from_the_configuration() -> None:
    """WEB-01: a search of a query alone brings the configured number of results and leaves blocked sites out."""
    request = to_request(CONFIG, query="  why is\n the sky   blue ")
    assert request == SearchRequest(
        query="why is the sky blue", count=4, rules=SiteRules(owner_blocked=("blocked.example.com",))
    )


def test_a_query_about_markup_is_searched_as_it_was_typed() -> None:
    """WEB-01: who asks about a tag or an entity means it."""
    assert to_request(CONFIG, query="what does <br> do, and &nbsp;?").query == "what does <br> do, and &nbsp;?"


@pytest.mark.parametrize("query", ["", " \n\t ", "\u200b\u2060\ufeff", "\u202e\u2066", "\U000e0041", "\u3164\u2800"])
def test_a_query_without_anything_visible_is_refused(query: str) -> None:
    """WEB-15: spaces and invisible characters are nothing to search for."""
    with pytest.raises(errors.EmptyQuery):
        to_request(CONFIG, query=query)


def test_a_long_query_is_refused_with_its_length() -> None:
    """WEB-15: the longest query passes, and one more character does not."""
    assert len(to_request(CONFIG, query="a" * limits.QUERY).query) == limits.QUERY
    with pytest.raises(errors.QueryTooLong) as caught:
        to_request(CONFIG, query=" " + "a" * 5000)
    assert (caught.value.length, caught.value.most) == (5000, limits.QUERY)


@pytest.mark.parametrize("count", [0, -1, 11, 99, 10**40, 2.5, True])
def test_a_count_out_of_range_is_refused(count: int) -> None:
    """WEB-15: nobody gets no results, a hundred, or what is no whole number."""
    with pytest.raises(errors.CountOutOfRange) as caught:
        to_request(CONFIG, query="sky", count=count)
    assert (caught.value.found, caught.value.least, caught.value.most) == (count, 1, 10)


@pytest.mark.parametrize(
    ("typed", "sites"),
    [
        ("python.org", ("python.org",)),
        ("Docs.Python.org, wikipedia.org", ("docs.python.org", "wikipedia.org")),
        ("https://python.org/  python.org", ("python.org",)),
        (" , ", ()),
        ("bücher.example.com", ("xn--bcher-kva.example.com",)),
    ],
)
def test_sites_are_read_as_they_are_typed(typed: str, sites: tuple[str, ...]) -> None:
    """WEB-01: domains are separated by spaces or commas, and one that is named twice counts once."""
    assert to_request(CONFIG, query="sky", sites=typed).sites == sites


@pytest.mark.parametrize("typed", ["python", "python.org, not a domain!", "http://", "localhost", "a@b.example"])
def test_a_site_that_is_no_domain_is_refused(typed: str) -> None:
    """WEB-15: one wrong domain among several is enough, and it is named."""
    with pytest.raises(errors.InvalidSite) as caught:
        to_request(CONFIG, query="sky", sites=typed)
    assert caught.value.site
    assert caught.value.site in typed


def test_too_many_sites_are_refused() -> None:
    """WEB-15: a member can't list more domains than the limit."""
    typed = " ".join(f"s{number}.example.com" for number in range(limits.SITES + 1))
    with pytest.raises(errors.TooManySites) as caught:
        to_request(CONFIG, query="sky", sites=typed)
    assert caught.value.most == limits.SITES


@given(query=st.text(max_size=600), sites=st.text(max_size=80), count=st.integers(-5, 20))
def test_whatever_is_typed_makes_a_request_or_an_error_of_ours(query: str, sites: str, count: int) -> None:
    """WEB-15: no text that a member can send gets past the checks or breaks them."""
    try:
        request = to_request(CONFIG, query=query, count=count, sites=sites)
    except errors.InvalidSearch:
        return
    assert 1 <= len(request.query) <= limits.QUERY
    # By the same table as the cleaning's: Python's own is older, and holds new characters for none.
    assert UNSEEN.search(request.query) is None
    assert 1 <= request.count <= limits.RESULTS
    assert len(request.sites) <= limits.SITES
