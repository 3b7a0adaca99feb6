"""Try a few of the examples that `make fuzz` tries very many of, and what it has found."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings

from cogs.websearch import links, text
from fuzz.finds import ADDRESSES, TEXTS, Find
from fuzz.properties import PROPERTIES

# All of them together take a few seconds; the machine may be busy, so that no example is timed.
_EXAMPLES = 600


@pytest.mark.parametrize("name", PROPERTIES)
def test_a_few_hostile_examples(name: str) -> None:
    """TXT-19 TXT-20 TXT-21 LNK-03 LNK-11: whatever strangers send, each property of the fuzzing holds."""
    tried = PROPERTIES[name]
    quick = settings(
        max_examples=max(60, round(_EXAMPLES * tried.share)),
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )
    quick(given(tried.examples)(tried.check))()


@pytest.mark.parametrize("find", TEXTS, ids=lambda find: find.was)
def test_what_was_found_in_texts_stays_mended(find: Find) -> None:
    """TXT-02 TXT-19: nothing is cut in two where looking at a page ends, and no tag is left."""
    assert text.clean(find.sent, find.limit) == find.shown


@pytest.mark.parametrize("raw", ADDRESSES, ids=lambda raw: raw[:10])
def test_what_was_found_in_addresses_stays_mended(raw: str) -> None:
    """LNK-02 TXT-22: an address with a broken end is refused."""
    assert links.vet(raw) is None
