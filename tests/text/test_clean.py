"""Hold cleaning and cutting against hostile pages."""

from __future__ import annotations

import itertools
import unicodedata
from html.entities import html5

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from cogs.websearch import characters, text
from text import hostile

LONG = 10_000
# Kept only inside of something that a reader sees whole; checked one by one in the tests that name TXT-05.
JOINING = regex.compile(
    "[\u200c\u200d\ufe0e\ufe0f\u180b-\u180e\u180f\U000e0100-\U000e01ef]|(?<=\U0001f3f4)[\U000e0061-\U000e007f]{6}"
)
# Places set aside for emoji to come are no characters yet; what is to be seen there will be seen.
UNSEEN = regex.compile(r"(?V1)[[\p{C}\p{Zl}\p{Zp}\p{DI}\u2800\ufffc]--[\p{PCM}\p{ExtPict}]]")
# `vector<a>` is none: there a letter stands before it.
TAG = regex.compile(
    r"</?(?:p|br|div|img|script|style|svg) ?/?>|</a ?/?>|<a(?: ?/| )>|(?<![^\W_])<a>|"
    "<(?:p|br|div|a|img|script|style|svg) [a-z]+=[^<>=]*>|<!--|<!DOCTYPE"
)


@hostile.QUICK
@given(hostile.pages, hostile.limits)
def test_any_page_becomes_a_line_within_the_limit(page: str, limit: int) -> None:
    """TXT-07 TXT-08 TXT-16: any page becomes one trimmed, composed line that is no longer than any limit."""
    line = text.clean(page, limit)
    assert len(line) <= limit
    assert line == " ".join(line.split())
    assert line == unicodedata.normalize("NFC", line)


@hostile.QUICK
@given(st.one_of(hostile.pages, st.text()), hostile.limits)
def test_cleaning_twice_is_cleaning_once(page: str, limit: int) -> None:
    """TXT-09: what was cleaned to a limit is left alone by cleaning it to that limit again, and to none."""
    line = text.clean(page, limit)
    assert text.clean(line, limit) == line
    assert text.clean(line, LONG) == line


@hostile.QUICK
@given(hostile.pages)
def test_nothing_invisible_is_left(page: str) -> None:
    """TXT-04 TXT-05: beyond what joins visible characters no invisible one is left."""
    assert UNSEEN.findall(JOINING.sub("", text.clean(page, LONG))) == []


@hostile.QUICK
@given(hostile.pages)
def test_marks_do_not_stack(page: str) -> None:
    """TXT-06: no letter carries more than five marks, none has a mark twice in a row, and no mark stands alone."""
    line = text.clean(page, LONG)
    assert regex.search(r"\p{M}{6}|(\p{Mn})\1|[\u0300-\u036f]{3}|(?:^| )[\p{Mn}\p{Me}]", line) is None


@hostile.QUICK
@given(hostile.pages)
def test_no_tag_and_no_entity_is_left(page: str) -> None:
    """TXT-01 TXT-02: however a page nests, splits and encodes them, no tag and no entity is left."""
    line = text.clean(page, LONG)
    assert TAG.findall(line) == []
    assert [name for name in regex.findall(r"&(\w+;)", line, overlapped=True) if name in html5] == []
    assert regex.findall(r"&#(?:\d|[xX][0-9a-fA-F])", line) == []


@pytest.mark.parametrize(
    ("page", "line"),
    [
        ("Fish &amp; chips &lt; &pound;5", "Fish & chips < £5"),
        ("It&#39;s &#x27;here&#x27; &#8364;5 &#128;5", "It's 'here' €5 €5"),
        ("&amp;amp;amp;lt;T&amp;gt;", "<T>"),
        ("a&#38;#38;#60;b", "a<b"),
        ("a&nbsp;&nbsp;b", "a b"),
        ("&lt;script&gt;alert(1)&lt;/script&gt;ok", "ok"),
        ("a&#0;b&#xD800;c&#99999999999;d&#1114112;e", "abcde"),
        ("?a=1&copy=2&region=3", "?a=1&copy=2&region=3"),
        ("&nosuchname; AT&T R&D &", "&nosuchname; AT&T R&D &"),
        ("&a&#109;p;lt;", "<"),
        (f"&#{'9' * 4900};x", "x"),
        (f"&#{'0' * 600}65;x", "Ax"),
    ],
)
def test_entities_are_decoded_first(page: str, line: str) -> None:
    """TXT-01: entities are decoded before anything else looks at the text, and what is no entity stays."""
    assert text.clean(page, 500) == line


@pytest.mark.parametrize(
    ("page", "line"),
    [
        ("<p>One</p><p>Two</p>", "One Two"),
        ("one<br>two<br/>three", "one two three"),
        ("<b>f</b>oo <em>bar</em>, <a href='x' title=\"a > b\">baz</a>.", "foo bar, baz."),
        ("H<sub>2</sub>O, x<sup>2</sup>, 10<sup>-5</sup>, 1<sup>st</sup>", "H₂O, x², 10⁻⁵, 1st"),
        ("a<!-- hidden -->b<!---->c", "abc"),
        ("a <ScRiPt type=x>if (a<b) alert('</b>')</sCrIpT >b<style>p{}</style>c", "a b c"),
        ("<!DOCTYPE html><?xml version='1.0'?>text", "text"),
        ("<IMG/SRC=x onerror=alert(1)>text<svg/onload=x>", "text"),
        ("<input disabled><td nowrap>text", "text"),
        ('<a href="x" title="y>text', "text"),
        ("<scr<b></b>ipt>alert(1)</scr<b></b>ipt>text", "text"),
        ("<scr\u200bipt>alert(1)</scr\u200bipt>text", "text"),
        ("<title>Real</title> text", "Real text"),
        ("one<P>two<p>three. <P>Four<U>th</U> fi<i>fth", "one two three. Fourth fifth"),
        ("<menu><li>one</menu> <font color=red>red</font>", "one red"),
    ],
)
def test_html_is_gone(page: str, line: str) -> None:
    """TXT-02: tags, comments, scripts and styles are gone, and words stand apart or together as they did."""
    assert text.clean(page, 400) == line


@pytest.mark.parametrize(
    "line",
    [
        "<T> List<int> Map<String, List<T>> Vec<u8> Optional<Data> <Link>",
        "a < b and c > d, 3<4, a <b and c> d, if (a<b && c>d)",
        "x <- 5 and y -> 6, <3, <=>, <-->, a --> b, <>",
        "cd <path>, cp <source> <output>, git commit -m <title>, <your-name>",
        "#include <map> and #include <time.h>",
        "Set<S> s = new HashSet<S>(); type Foo<A> = Either<A, B>; template<P> struct X",
        "vector<a> v; matrix<i><j>; f<s>(x); Stream<U> map(Function<T,U> f)",
        "cmd <file> <dir> <menu>, git clone <dir>, play <video> -font <font>",
        "for(int i=0;i<n;i++) sum+=a[i]; if a<b. x<y, p<q: [ $a <b ]",
        "<me@example.org> wrote, <https://example.org>",
        "a*b*c, __init__, C#, snake_case, `code`, 5 * 3, ~/bin, C:\\new\\table",
        "[1] see note *, $5.00 / 4 € / ½ % ©",
        "<- &c. & <",
    ],
)
def test_what_only_looks_like_html_stays(line: str) -> None:
    """TXT-03: comparisons, arrows, generics, placeholders and code are no tags."""
    assert text.clean(line, 400) == line


@pytest.mark.parametrize(
    ("page", "line"),
    [
        ("a\u200bb\u2060c\ufeffd\u00ade", "abcde"),
        ("\u202eevil\u202c \u2066x\u2069 \u200fy", "evil x y"),
        ("a\x00b\x1b[0mc\x7f", "ab[0mc"),
        ("a\u3164b\u115fc\uffa0d\u2800e\ufffcf", "abcd ef"),
        ("a\ud800b\udfffc", "abc"),
        ("a\ufdd0b\U0010ffffc\ue000d\u0378e", "abcde"),
        ("x\U000e0068\U000e0069", "x"),
        ("🏴\U000e0075\U000e0073\U000e0074\U000e0078\U000e007f", "🏴"),
        ("a\ufe0fb\u200dc\u200cd", "abcd"),
        ("😀\ufe0f\ufe0f\ufe0f", "😀\ufe0f"),
        ("\u180e\u180e\u180b\u180b\u182d\u180e\u180e\u1820\u180b\u180b", "\u182d\u1820\u180b"),
        ("\u0600123 \u06dd4", "\u0600123 \u06dd4"),
    ],
)
def test_characters_that_cannot_be_seen_are_gone(page: str, line: str) -> None:
    """TXT-04: what can't be seen is gone, and the signs that stand before Arabic numbers stay."""
    assert text.clean(page, 400) == line


def test_the_quick_look_misses_nothing() -> None:
    """TXT-04: each single character of all that Unicode has is shown, made a space, or gone."""
    wrong = []
    for code in range(0x110000):
        line = characters.keep_visible(f"a{chr(code)}b")
        if UNSEEN.search(line):
            wrong.append(hex(code))
    assert wrong == []


def test_plain_characters_need_no_closer_look() -> None:
    """TXT-04 TXT-07 TXT-08: what is taken for plain is kept by the closer look, and joins nothing beside it."""
    plain = [character for character in map(chr, range(0x110000)) if characters.is_plain(character)]
    assert len(plain) > 40_000
    for character in plain:
        # Beside what can't be seen nothing is taken for plain.
        assert characters.keep_visible(f"a{character}{character}\u200b") == f"a{character}{character}".strip()
        assert unicodedata.is_normalized("NFC", character)
        assert unicodedata.category(character)[0] != "M"
    line = "".join(first + second for first, second in itertools.pairwise(plain))
    assert regex.findall(r"\X", line) == list(line)


@hostile.QUICK
@given(st.one_of(hostile.plain_pages, hostile.pages), st.integers(0, 40))
def test_a_glance_tells_what_a_closer_look_would(page: str, limit: int) -> None:
    """TXT-01 TXT-02 TXT-04 TXT-07: text that is cleaned at a glance comes out as it does from the closer look."""
    # What can't be seen, in front, is reason enough for the closer look and changes nothing else.
    assert text.clean(page, LONG) == text.clean(f"\u200b{page}", LONG)
    short = page[:200]
    assert text.clean(short, limit) == text.clean(f"\u200b{short}", limit)
    assert text.tidy(page, LONG) == text.tidy(f"\u200b{page}", LONG)


@pytest.mark.parametrize(
    "line",
    [
        "क्\u200dष और क्\u200cष",
        "ශ්\u200dරී ලංකා",
        "র\u200d্যাব",
        "👩\u200d👩\u200d👧\u200d👦 👨🏻\u200d❤️\u200d💋\u200d👨🏼 🏳️\u200d🌈",
        "👍🏽 👋🏿 ❤️ ☺︎ ©️",
        "🇩🇪🇫🇷 🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",
        "1️⃣ #️⃣ *️⃣",
        "葛\U000e0100飾区",
    ],
)
def test_what_needs_its_joiners_keeps_them(line: str) -> None:
    """TXT-05: words of scripts that join letters, emoji sequences, flags and keycaps stay whole."""
    assert text.clean(line, 400) == line


def test_a_chain_of_emoji_is_held_to_four() -> None:
    """TXT-05: pictures that are joined without end come apart, so that cuts find a place."""
    line = text.clean("👩" + "\u200d👩" * 300, 100)
    assert line.count("\u200d👩\u200d👩\u200d👩\u200d👩") == 0
    assert len(line) > 50


@pytest.mark.parametrize(
    ("page", "line"),
    [
        ("Z\u0336\u0335\u0338\u0301\u0302\u0303a\u0304\u0305\u0306l", "Ź\u0336\u0335ā\u0305\u0306l"),
        ("ก" + "\u0e34" * 30, "กิ"),
        ("a" + "\u0489\u20dd" * 30, "a\u0489\u20dd"),
        ("\u0301abc \u0301def", "abc def"),
        ("e\u0301 a\u0323\u0302", "é ậ"),
    ],
)
def test_marks_are_held_to_what_scripts_need(page: str, line: str) -> None:
    """TXT-06: stacks come down, marks without a letter go, and decomposed letters are composed."""
    assert text.clean(page, 400) == line


def test_white_space_of_every_kind_is_one_space() -> None:
    """TXT-07: line breaks, tabs and the spaces of all scripts fold into single spaces."""
    assert text.clean("\n a\r\n\tb\u2028c\u3000d\x85e\xa0\u2009f \u1680", 400) == "a b c d e f"


@hostile.QUICK
@given(hostile.pages, hostile.limits)
def test_what_a_person_typed_is_cleaned_like_a_page(typed: str, limit: int) -> None:
    """TXT-04 TXT-09 TXT-16 TXT-17: whatever is typed becomes one visible line within the limit, and stays it."""
    line = text.tidy(typed, limit)
    assert len(line) <= limit
    assert line == " ".join(line.split())
    assert UNSEEN.findall(JOINING.sub("", line)) == []
    assert text.tidy(line, limit) == line


@pytest.mark.parametrize(
    ("typed", "line"),
    [
        ("what does <br> do", "what does <br> do"),
        ("difference  between\n&nbsp; and &amp;nbsp;", "difference between &nbsp; and &amp;nbsp;"),
        ("\u200b \u3164 \n", ""),
        ("<@1> @everyone **x**", "<@1> @everyone **x**"),
    ],
)
def test_a_person_means_what_is_typed(typed: str, line: str) -> None:
    """TXT-17: tags and entities that a person typed stay, and what can't be seen goes."""
    assert text.tidy(typed, 400) == line
