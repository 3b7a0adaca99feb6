"""Hold how long text is cut into parts."""

from __future__ import annotations

import re
from time import process_time

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from cogs.websearch import parts, text
from text import hostile

sizes = st.one_of(st.integers(2, 60), st.sampled_from([100, 400, parts.MOST]))


@pytest.mark.parametrize(
    ("whole", "most", "cut"),
    [
        ("one", 10, ["one"]),
        ("", 10, []),
        ("First one.\nSecond.", 16, ["First one.", "Second."]),
        ("One two. Three four.", 16, ["One two.", "Three four."]),
        ("One two. [1][2] Three four.", 24, ["One two. [1][2]", "Three four."]),
        ("“One two.” Three four.", 18, ["“One two.”", "Three four."]),
        ("one two three four", 9, ["one two", "three", "four"]),
        ("A. Then come many words without an end", 30, ["A. Then come many words", "without an end"]),
        ("今日は晴れ。明日は雨だ。", 10, ["今日は晴れ。", "明日は雨だ。"]),
        ("漢字漢字漢字", 4, ["漢字漢字", "漢字"]),
        ("שלום עולם. מה שלומך היום", 16, ["שלום עולם.", "מה שלומך היום"]),
        ("****", 4, ["**", "**"]),
        ("a👩\u200d👩\u200d👧b👩\u200d👩\u200d👧", 7, ["a👩\u200d👩\u200d👧b", "👩\u200d👩\u200d👧"]),
        ("abcde[12]", 10, ["abcde", "[12]"]),
        ("🇩🇪" * 3, 4, ["🇩🇪🇩🇪", "🇩🇪"]),
    ],
)
def test_a_part_ends_where_a_reader_would_pause(whole: str, most: int, cut: list[str]) -> None:
    """READ-02: paragraphs before sentences, sentences before words, words before graphemes; marks stay whole."""
    assert parts.cut(whole, most) == cut


def check(whole: str, most: int) -> None:
    """Hold what all parts of any text must be."""
    cut = parts.cut(whole, most)
    assert all(part == part.strip() and 0 < len(text.escape(part)) <= most for part in cut)
    place = 0
    for part in cut:
        start = whole.index(part, place)
        assert not whole[place:start].strip()
        place = start + len(part)
    assert not whole[place:].strip()
    assert [parts.cut(part, most) for part in cut] == [[part] for part in cut]


@hostile.QUICK
@given(st.one_of(hostile.pages, st.text()), sizes)
def test_parts_are_the_text(page: str, most: int) -> None:
    """READ-03: nothing is lost but white space at seams, of a page as it's cleaned and of any other text."""
    check(page, most)
    cleaned, _ = text.clean_paragraphs(page, 1000)
    check(cleaned, most)


@hostile.QUICK
@given(hostile.pages, st.integers(100, 400))
def test_graphemes_and_marks_stay_whole(page: str, most: int) -> None:
    """READ-02: what a reader sees as one character is in one part, and so is a mark."""
    cleaned, _ = text.clean_paragraphs(f"{page} [1][20]{page}[3]" * 3, 2000)
    seen = regex.findall(r"\X", cleaned)
    cut = parts.cut(cleaned, most)
    if max(map(len, seen), default=0) < most // 2:
        # Some signs take the space behind them along, which a seam may lack.
        assert [one.strip() for one in seen if not one.isspace()] == [
            one.strip() for part in cut for one in regex.findall(r"\X", part) if not one.isspace()
        ]
    mark = re.compile(r"\[\d{1,3}\]")
    assert mark.findall(cleaned) == [found for part in cut for found in mark.findall(part)]


MONSTERS = {
    "marks": "\u0301" * 10_000,
    "a letter with marks": "a" + "\u0301" * 10_000,
    "one word": "a" * 10_000,
    "asterisks": "*" * 10_000,
    "backslashes": "\\" * 10_000,
    "Chinese without spaces": "漢" * 10_000,
    "Arabic": "كلمة " * 2_000,
    "flags": "🇩🇪" * 5_000,
    "half a flag": "🇩" * 9_999,
    "joined emoji": "👩\u200d" * 5_000,
    "spaces": " " * 10_000 + "a",
    "breaks": "a\n" * 5_000,
    "full stops": ". " * 5_000,
    "dots": "." * 10_000,
    "marks of sources": "[1]" * 3_000,
    "opened brackets": "[" * 10_000,
    "closers": "." + ")" * 10_000,
    "digits": "1" * 10_000,
    "colons": ":" * 10_000,
    "mixed": "a *b* [1]. \u0301漢\n" * 700,
}


@pytest.mark.parametrize("name", MONSTERS)
@pytest.mark.parametrize("most", [2, 37, parts.MOST])
def test_monsters_are_cut_as_well(name: str, most: int) -> None:
    """READ-03: a text that's made to be hard to cut has parts like any other."""
    check(MONSTERS[name], most)


@pytest.mark.parametrize("name", MONSTERS)
def test_time_grows_with_the_text(name: str) -> None:
    """READ-04: eight times as much takes about eight times as long, far from the sixty-four times of a square."""
    short, long = MONSTERS[name] * 2, MONSTERS[name] * 16

    def seconds(whole: str) -> float:
        begun = process_time()
        parts.cut(whole)
        return process_time() - begun

    taken = min(seconds(short) for _ in range(3))
    assert min(seconds(long) for _ in range(2)) < 24 * taken + 0.05
