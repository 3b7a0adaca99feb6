"""Hold what the page about cleaning shows against the code, and against what it says Discord would do."""

from __future__ import annotations

import pytest

import cleaning_page
import oracle
from attacks import ADDRESSES, CHARACTERS, HTML, MARKUP, Attack
from cogs.websearch import links, text
from text.alive import alive, reading

LIMIT = 400


@pytest.mark.parametrize("attack", MARKUP, ids=lambda attack: attack.kind)
def test_each_kind_of_markup_is_alive_raw_and_dead_shown(attack: Attack) -> None:
    """TXT-12 TXT-13 TXT-23: what Discord would bring to life as a page sent it is dead, and reads as it was sent."""
    assert alive(attack.sent) != []
    escaped = text.escape(text.clean(attack.sent, LIMIT))
    assert alive(escaped) == []
    assert reading(escaped) == attack.sent


@pytest.mark.parametrize("attack", [*HTML, *CHARACTERS], ids=lambda attack: attack.kind)
def test_nothing_else_is_alive_either(attack: Attack) -> None:
    """TXT-12 TXT-23: what HTML and characters hide is dead once it's in the open, and none of them is shown as sent."""
    line = text.clean(attack.sent, LIMIT)
    assert line != attack.sent
    assert alive(text.escape(line)) == []


@pytest.mark.parametrize("attack", ADDRESSES, ids=lambda attack: attack.kind)
def test_no_hostile_address_is_shown_as_sent(attack: Attack) -> None:
    """LNK-01 LNK-02 LNK-03 LNK-04 LNK-05 TXT-23: each of them is refused, or shown without what is hostile in it."""
    link = links.vet(attack.sent)
    assert link is None or link.url != attack.sent


@pytest.mark.skipif(not oracle.is_there(), reason="the parser of Discord's Markdown isn't installed")
def test_a_published_parser_agrees() -> None:
    """TXT-12 TXT-23: a parser of Discord's Markdown that isn't ours finds nothing alive in any of them."""
    shown = [text.escape(text.clean(attack.sent, LIMIT)) for attack in (*MARKUP, *HTML, *CHARACTERS)]
    trees = oracle.parse([(one, True) for one in shown])
    assert [one for one, tree in zip(shown, trees, strict=True) if oracle.foreign(tree)] == []


@pytest.mark.skipif(not cleaning_page.PAGE.is_file(), reason="the page is not beside these tests")
def test_the_page_is_what_the_code_does() -> None:
    """TXT-23: `make cleaning` would write nothing else into docs/cleaning.md."""
    assert cleaning_page.PAGE.read_text("utf-8") == cleaning_page.written()
