"""Hold escaping against Discord's Markdown."""

from __future__ import annotations

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from cogs.websearch import text
from cogs.websearch.text import _INLINE, _LINE
from text import hostile
from text.alive import alive, reading

# What stands before a page's text in a reply: nothing, a number of a source, a label, quotes.
before = st.sampled_from(["", "[1]", "[1] ", "Found: ", "“", "a\n", " "])


@pytest.mark.parametrize("markup", hostile.MARKDOWN)
@pytest.mark.parametrize("place", ["{}", "a{}", "a {} b", "[1]{}", "\n{}", " {}"])
def test_no_markup_is_alive(markup: str, place: str) -> None:
    """TXT-12: each kind of markup is dead at the start of a line, after a word and inside of a line."""
    head, _, tail = place.partition("{}")
    assert alive(head + text.escape(markup + tail)) == []


@pytest.mark.parametrize(
    "markup", ["**b**", "<@1>", "[a](https://x.y)", "# h", "- l", "> q", "||s||", ":a:", "https://x"]
)
def test_the_rules_find_what_is_alive(markup: str) -> None:
    """TXT-12: unescaped, the rules that these tests go by find the markup."""
    assert alive(markup) != []


@hostile.QUICK
@given(before, hostile.pages)
def test_no_page_is_alive(head: str, page: str) -> None:
    """TXT-12: nothing that a page is made of is alive, whatever of ours stands before it."""
    assert alive(head + text.escape(text.clean(page, 1000))) == []


@hostile.QUICK
@given(st.one_of(hostile.pages, st.text()))
def test_any_text_is_dead_and_reads_as_it_was(page: str) -> None:
    """TXT-12 TXT-13 TXT-16: also a text that was never cleaned is dead once escaped, and reads as it did."""
    escaped = text.escape(page)
    assert alive(escaped) == []
    assert reading(escaped) == page


@hostile.QUICK
@given(st.lists(st.one_of(hostile.pages, st.sampled_from(["word", "", "1", "2. ", "- *a*", "#", "*"])), max_size=4))
def test_each_sign_gets_one_backslash(lines: list[str]) -> None:
    """TXT-12 TXT-13: what begins markup within a line or at its start has one backslash in front, also if it's both."""
    page = "\n".join(lines)
    live = {found.start() for found in _INLINE.finditer(page)}
    start = 0
    for line in page.splitlines(keepends=True):
        found = _LINE.match(line)
        live |= {start + found.end() - 1} if found else set()
        start += len(line)
    signs = (f"\\{sign}" if place in live else sign for place, sign in enumerate(page))
    assert text.escape(page) == "".join(signs)


@hostile.QUICK
@given(hostile.pages, hostile.limits)
def test_escaped_text_stays_within_its_limit(page: str, limit: int) -> None:
    """TXT-12 TXT-14: backslashes included a text stays within its limit, dead, and is a beginning of what was there."""
    line = text.clean(page, 1000)
    escaped = text.escape_within(line, limit)
    assert len(escaped) <= limit
    assert alive(escaped) == []
    seen = reading(escaped)
    if escaped == text.escape(line):
        assert seen == line
    elif limit:
        assert seen.endswith("…")
        assert line.startswith(seen[:-1])
        boundaries = {found.end() for found in regex.finditer(r"\X", line)} | {0}
        kept = line[: len(seen) - 1]
        rest = line[len(kept) :]
        joints = len(rest) - len(rest.lstrip(" \u200c\u200d\u180e"))
        assert any(len(kept) + joint in boundaries for joint in range(joints + 1))


@pytest.mark.parametrize(
    ("line", "limit", "escaped"),
    [
        ("a*b*c", 7, r"a\*b\*c"),
        ("a*b*c", 6, r"a\*b…"),
        ("a*b*c", 4, r"a\*…"),
        ("a*b*c", 3, "a…"),
        ("****", 4, r"\*…"),
        ("****", 2, "…"),
        ("****", 0, ""),
        ("*👩\u200d👩\u200d👧", 6, r"\*…"),
        ("plain words", 8, "plain w…"),
        ("plain words", 7, "plain…"),
        ("write to mailto: someone", 18, r"write to mailto\:…"),
        ("write to mailto: someone", 17, "write to mailto…"),
        ("a: b", 3, "a…"),
    ],
)
def test_a_cut_keeps_escapes_whole(line: str, limit: int, escaped: str) -> None:
    """TXT-14: a cut leaves neither a lone backslash nor half a grapheme, and a text that fits is not cut."""
    assert text.escape_within(line, limit) == escaped


@pytest.mark.parametrize(
    ("line", "escaped"),
    [
        ("Plain words, (in brackets), 5 % | 3 ~ 4 - done. No. 1. Next", None),
        ("Note: read this. 3.14 > 3, a - b, C#, #1", None),
        ("5 + 3 - 2 = 6", None),
        ("snake_case", r"snake\_case"),
        ("at 10:30", r"at 10\:30"),
        ("1. one", r"1\. one"),
        ("-5 °C", r"\-5 °C"),
        ("C:\\new", r"C\:\\new"),
        ("a || b", r"a \|\| b"),
        ("https://x.y/z", r"https\://x.y/z"),
        ("discord.gg/x", r"discord\.gg/x"),
    ],
)
def test_backslashes_are_not_spent_in_vain(line: str, escaped: str | None) -> None:
    """TXT-13: a text without markup is not escaped, and markup takes one backslash a character."""
    assert text.escape(line) == (line if escaped is None else escaped)
