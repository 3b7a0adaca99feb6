"""Hold cutting, and how much of a page is looked at."""

from __future__ import annotations

import unicodedata

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from cogs.websearch import characters, text
from cogs.websearch.characters import _JOINER_END
from text import hostile

LONG = 10_000


@pytest.mark.parametrize(
    ("line", "limit", "cut"),
    [
        ("abcdef", 6, "abcdef"),
        ("abcdef", 5, "abcd…"),
        ("abc def", 5, "abc…"),
        ("ab👩\u200d👩\u200d👧", 5, "ab…"),
        ("അവന്\u200d പറഞ്ഞു", 6, "അവന്\u200d…"),
        ("می\u200cشود", 4, "می…"),
        ("a🇩🇪🇫🇷", 4, "a🇩🇪…"),
        ("कक्षा में", 4, "क…"),
        ("a\u0323\u0304b", 3, "a\u0323\u0304b"),
        ("👩\u200d👩\u200d👧", 3, "…"),
        ("ab ผู้ใช้", 6, "ab…"),
        ("ab ผู้ใช้", 7, "ab ผู้…"),
        ("ab \u0e33\u0e33\u0e33x", 5, "ab…"),
        ("ab\u0600 \u0e33\u0e33\u0e33x", 6, "ab…"),
        ("abc", 1, "…"),
        ("abc", 0, ""),
        ("", 0, ""),
    ],
)
def test_cuts_fall_between_graphemes(line: str, limit: int, cut: str) -> None:
    """TXT-08: a text that is too long is cut between graphemes, without trailing space, and ends in an ellipsis."""
    assert text.cut(line, limit)[:limit] == text.cut(line, limit)
    assert text.cut(unicodedata.normalize("NFC", line), limit) in {cut, unicodedata.normalize("NFC", cut)}


@given(hostile.pages, st.sampled_from(["", "a", ".", " ", "~", "\u200d", "\u200c", "é"]))
def test_a_joiner_at_the_end_is_found_at_a_glance(page: str, last: str) -> None:
    """TXT-05 TXT-08: text that ends in a sign of ASCII keeps all of it, as the rule for joiners has it."""
    line = page + last
    end = _JOINER_END.search(line)
    assert end is not None
    assert characters.drop_joiner_end(line) == line[: end.start()]


def test_a_row_of_flags_is_cut_between_them() -> None:
    """TXT-08 TXT-10: flags without end are pairs, counted from the first one, whatever stands before them."""
    flags = "🇩🇪" * 20_000
    assert text.clean(flags, 400) == "🇩🇪" * 199 + "…"
    assert text.clean_paragraphs(f"a {flags}", 10_000) == (f"a {'🇩🇪' * 4_998}…", True)
    assert text.clean_paragraphs(f"🇩\u0301{flags}", 9) == (f"🇩\u0301{'🇩🇪' * 3}…", True)
    assert text.escape_within(f"*{flags}", 10) == rf"\*{'🇩🇪' * 3}…"


@hostile.QUICK
@given(
    st.lists(st.sampled_from(["🇩", "🇩🇪", "a", " ", "\u0301", "\u0600", "\u200d", "👩", "漢"]), max_size=40),
    st.integers(1, 60),
)
def test_flags_are_told_apart_as_unicode_tells_them(pieces: list[str], limit: int) -> None:
    """TXT-08: counting flags off cuts where Unicode's rules for graphemes do."""
    line = text.clean("".join(pieces), LONG)
    short = text.cut(line, limit)
    graphemes = regex.findall(r"\X", line)
    starts = {len("".join(graphemes[:count]).rstrip(" \u200c\u200d")) for count in range(len(graphemes) + 1)}
    assert short == line or len(short) - 1 in starts


@hostile.QUICK
@given(hostile.pages, st.integers(1, 60))
def test_a_cut_is_a_row_of_whole_graphemes(page: str, limit: int) -> None:
    """TXT-08: what stands before the ellipsis is the beginning of the text, up to where a grapheme ends."""
    line = text.clean(page, LONG)
    short = text.cut(line, limit)
    assert len(short) <= limit
    if short != line:
        assert short.endswith("…")
        ends = {found.end() for found in regex.finditer(r"\X", line)} | {0}
        rest = line[len(short) - 1 :]
        assert line.startswith(short[:-1])
        assert {len(short) - 1, len(line) - len(rest.lstrip(" \u200c\u200d"))} & ends


class Watched(str):
    """Be a page that remembers how far it was looked at."""

    __slots__ = ("seen",)

    def __getitem__(self, key: object) -> str:
        """Hand out a slice of the page, and nothing but a slice with an end."""
        assert isinstance(key, slice)
        self.seen = max(getattr(self, "seen", 0), key.stop)
        return str(self)[key]


@pytest.mark.parametrize(
    "start",
    ["word ", "<b>x</b>", "<!-- ", "<script>x", "<a href='", "\u200b", "&amp;", "&", "a\u0301", "\u0301", "<", "<a<b>"],
)
def test_no_more_of_a_page_is_looked_at_than_the_limit_asks_for(start: str) -> None:
    """TXT-10: of four million characters only the first few thousand are touched, and what follows changes nothing."""
    page = Watched((start * (4 * 1024 * 1024 // len(start))) + "the end")
    line = text.clean(page, 400)
    assert page.seen <= text.scan_limit(400) == 4224
    assert line == text.clean(str(page)[: text.scan_limit(400)] + " ", 400)


def test_a_page_that_hides_its_text_behind_markup_still_shows_it() -> None:
    """TXT-10: markup that is several times as long as the limit does not use the limit up."""
    line = text.clean("<div class='a-long-class-name'><span></span></div>" * 50 + "the text " * 80, 400)
    assert line.startswith("the text the text")
    assert len(line) >= 399


def test_what_goes_on_beyond_what_is_looked_at_ends_in_an_ellipsis() -> None:
    """TXT-08 TXT-10: a line that could have been longer says so."""
    assert text.clean("start " + "\u200b" * LONG + "end", 100) == "start…"
    assert text.clean("\u200b" * LONG + "end", 100) == ""


PROSE = " Each step adds one number, and nothing else happens here." * 60


@pytest.mark.parametrize(
    "start",
    [
        *("for(int i=0;i<n;i++) sum+=a[i];", "The theorem holds if a<b.", "Use a<-c(1,2) or x<y in R.", "if [ $a <b ]"),
        *(
            "Price <EUR 5 and",
            "Der Fall p<q:",
            "x<!y or x<?y",
            "<a href and",
            "i<s =3",
            "<a href=b c",
            "<q x= y",
            "<b hidden",
        ),
    ],
)
def test_a_comparison_takes_nothing_that_follows_it(start: str) -> None:
    """TXT-03 TXT-15: what is like the beginning of a tag, far before where looking ends, is text."""
    assert text.clean(start + PROSE, 400) == text.cut(start + PROSE, 400)
    shown, more = text.clean_paragraphs(start + PROSE, 3_000)
    assert (shown, more) == (text.cut(start + PROSE, 3_000), True)


@pytest.mark.parametrize(
    "half",
    [
        *(
            "<",
            "<d",
            "</",
            "</di",
            "<div",
            "<div ",
            "<div cl",
            "<div class",
            "<div class=",
            "<div class='a b",
            "<!",
            "<!-",
        ),
        *(
            "<!-- a",
            "<!DOCTYPE ht",
            "<?xml ver",
            "<input disabled",
            "<td nowrap cl",
            "</div ",
            "<br/",
            "<br /",
            "<DIV\nid='a",
        ),
    ],
)
def test_half_a_tag_is_no_text(half: str) -> None:
    """TXT-02 TXT-19: a tag that is cut in two where looking ends is gone, wherever in it that is."""
    page = "\u200b" * (text.scan_limit(400) - len("text ") - len(half)) + f"text {half}"
    assert text.clean(f"{page}x" * 2, 400) == "text…"
    assert text.clean_paragraphs(f"{page}x" * 2, 400) == ("text…", True)


@pytest.mark.parametrize(
    ("page", "line"),
    [
        ("The <script> element holds code", "The element holds code"),
        ("Comments begin with <!-- in HTML", "Comments begin with in HTML"),
        ("text <script>" + "x" * LONG, "text…"),
        ("text <!-- " + "x" * LONG, "text…"),
        ("text <a href='" + "x" * LONG, "text…"),
        ('text <img alt=x src="data:image/png;base64,' + "x" * LONG, "text…"),
        ("text <img src=" + "x" * LONG, f"text <img src={'x' * 385}…"),
    ],
)
def test_what_has_no_end_hides_only_what_may_be_its_own(page: str, line: str) -> None:
    """TXT-15: a comment, script or tag without an end takes the rest with it only where its end may come later."""
    assert text.clean(page, 400) == line
