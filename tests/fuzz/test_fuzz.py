"""Try a few of the examples that `make fuzz` tries very many of, and what it has found."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings

from cogs.websearch import links, text
from fuzz.finds import ADDRESSES, TEXTS, Find
from fuzz.parsed import parsed
from fuzz.properties import PROPERTIES

if TYPE_CHECKING:
    from fuzz.properties import Property
    from oracle import Parser

# All of them together take a few seconds; the machine may be busy, so that no example is timed.
_EXAMPLES = 600


@pytest.mark.parametrize("name", PROPERTIES)
def test_a_few_hostile_examples(name: str) -> None:
    """TXT-19 TXT-20 TXT-21 LNK-03 LNK-11: whatever strangers send, each property of the fuzzing holds."""
    try_a_few(PROPERTIES[name])


def test_a_few_hostile_replies_are_dead_to_the_parser(parser: Parser) -> None:
    """TXT-18: of whole replies made of hostile rows, sent or not, the published parser finds nothing alive."""
    for tried in parsed(parser).values():
        try_a_few(tried)


def try_a_few(tried: Property) -> None:
    """Hold a property over a few examples."""

    def holds(example: object) -> None:
        tried.check(example)

    quick = settings(
        max_examples=max(60, round(_EXAMPLES * tried.share)),
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )
    quick(given(tried.examples)(holds))()


@pytest.mark.parametrize("find", TEXTS, ids=lambda find: find.was)
def test_what_was_found_in_texts_stays_mended(find: Find) -> None:
    """TXT-02 TXT-19: nothing is cut in two where looking at a page ends, and no tag is left."""
    assert text.clean(find.sent, find.limit) == find.shown


@pytest.mark.parametrize("raw", ADDRESSES, ids=lambda raw: raw[:10])
def test_what_was_found_in_addresses_stays_mended(raw: str) -> None:
    """LNK-02 TXT-22: an address with a broken end is refused."""
    assert links.vet(raw) is None
