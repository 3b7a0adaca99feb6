"""Build hostile results: texts whose cuts fall into something, addresses, and whole answers of ten rows."""

from __future__ import annotations

import html
from datetime import UTC, datetime
from typing import Final, NamedTuple

from hypothesis import strategies as st
from msgspec.structs import replace

from cogs.websearch import limits, text
from cogs.websearch.backends.rows import Row
from text import hostile

_FRAGMENTS: Final = sorted({*hostile.MARKDOWN, *hostile.HTML, *hostile.ENTITIES, *hostile.TROUBLE, *hostile.WORDS})
# What a page could put between two halves, so that they meet only once it was cleaned.
_BETWEEN: Final = ("\u200b", "<b></b>", "<!---->", "&#8203;", "&zwnj;", "\U000e0061", "\u0301" * 9)


class Page(NamedTuple):
    """Hold a text as a page sends it, and the limit that it's cleaned to."""

    sent: str
    limit: int


class Answer(NamedTuple):
    """Hold what an engine answers to a query, and how many characters a snippet may have."""

    query: str
    rows: list[Row]
    snippet_chars: int


def _dressed(fragment: str) -> list[str]:
    """List a fragment as it is, encoded, in halves, with something in between, and many times over."""
    halves = [(fragment[:at], fragment[at:]) for at in {1, len(fragment) // 2, len(fragment) - 1} if at > 0]
    return [
        fragment,
        html.escape(fragment),
        html.escape(html.escape(fragment)),
        "".join(f"&#{ord(character)};" for character in fragment),
        *(half for pair in halves for half in pair),
        *(head + between + tail for head, tail in halves[:1] for between in _BETWEEN),
        *(fragment * times for times in (2, 7, 60)),
    ]


# All dresses are laid out before: choosing one is then a single draw, which is most of what an example costs.
PIECES: Final = sorted({piece for fragment in _FRAGMENTS for piece in _dressed(fragment)} - {""})
pieces = st.sampled_from(PIECES)
texts = st.lists(pieces, max_size=16).map("".join)
_limits = st.sampled_from([*range(41), 80, 100, limits.TITLE, 256, 400, 1000])
pages = st.builds(Page, st.one_of(texts, texts, texts, st.text()), _limits)

# What fills a text up to where it's cut: of one character, of two that are one when shown, of characters that take a
# backslash, of nothing that is shown.
_FILLERS: Final = ("a", "漢", "*", "\\", "word ", "e\u0301", "&amp;", "\u200b", "<b>", "<!---->", "👍🏽", "🇩🇪")


def _straddling(filler: str, piece: str, rest: str, at: int, before: int) -> str:
    """Put a piece so that it begins `before` characters ahead of `at`."""
    length = max(0, at - before)
    return (filler * (length // len(filler) + 1))[:length] + piece + rest


def _ends(limit: int) -> list[int]:
    """Tell where a text may be cut: what is shown, that with all backslashes, and what is looked at."""
    return [limit, limit // 2, 2 * limit + 256, text.scan_limit(limit)]


@st.composite
def _cut_pages(draw: st.DrawFn) -> Page:
    limit = draw(_limits)
    end = draw(st.sampled_from(_ends(limit)))
    return Page(
        _straddling(draw(st.sampled_from(_FILLERS)), draw(pieces), draw(texts), end, draw(st.integers(0, 12))), limit
    )


cut_pages = _cut_pages()

# Texts that go on, with lines that end between and inside of everything.
paragraphs = st.one_of(
    st.builds(
        Page,
        st.lists(st.one_of(pieces, st.sampled_from(("\n", "\n\n", "\r\n", "\u2028"))), max_size=24).map("".join),
        _limits,
    ),
    cut_pages,
)

# What is one grapheme, or one character written as several.
_WHOLES: Final = sorted(
    {
        *("e\u0301", "a\u0323\u0302", "\u1112\u1161\u11ab", "क्\u200dष", "นี้", "ผู้", "葛\U000e0100", "\u1820\u180b", "בְּ"),
        *(
            "👩\u200d👩\u200d👧",
            "🏳️\u200d🌈",
            "🇩🇪",
            "1️⃣",
            "❤️",
            "👍🏽",
            "☺\ufe0e",
            "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
        ),
        *(
            "&eacute;",
            "&amp;amp;eacute;",
            "e&#769;",
            "e&amp;#x301;",
            "&#101;&#769;",
            "&NotEqualTilde;",
            "&#128105;&zwj;&#128103;",
        ),
        *("=\u0338", ">\u0338", "\u0600", "&zwnj;e\u0301", "e\u200b\u0301", "e\u200b\u200b\u200b&#769;"),
    }
)
_UNSHOWN: Final = ("\u200b", "<b></b>", "<!---->", "<br>", "\n\t ", "\U000e0061", "<!-- x -->")


@st.composite
def _edge_pages(draw: st.DrawFn) -> Page:
    limit = draw(_limits)
    filler = draw(st.sampled_from(_UNSHOWN))
    start = draw(st.sampled_from(("", "word", "word ", "漢字")))
    wholes = "".join(draw(st.lists(st.sampled_from(_WHOLES), min_size=1, max_size=4)))
    end = draw(st.sampled_from(_ends(limit)[2:])) - len(start)
    # A filler that is cut where it begins would be text.
    length = (end - draw(st.integers(0, len(wholes)))) // len(filler) * len(filler)
    before = draw(st.sampled_from(("", "\u200b" * ((end - len(wholes)) % len(filler)))))
    return Page(start + _straddling(filler, before + wholes, " and the end", length, 0), limit)


edge_pages = _edge_pages()

addresses = st.one_of(
    hostile.addresses,
    hostile.plain_addresses,
    st.builds("https://example.com/{}".format, texts),
    st.builds("https://{}.example.com/".format, pieces),
    st.builds("https://example.com/{}{}".format, st.sampled_from(["a" * 2000, "ü" * 330, "%" * 680]), pieces),
)


def _spelled(number: int, radices: list[str], *, wide: bool) -> str:
    """Write an IPv4 address in one to four parts, each in a radix: the last part takes all that's left."""
    shifts = range(24, 24 - 8 * (len(radices) - 1), -8)
    parts = [number >> shift & 255 for shift in shifts]
    parts.append(number & (1 << (32 - 8 * len(parts))) - 1)
    written = ".".join(format_.format(part) for format_, part in zip(radices, parts, strict=True))
    # Digits of full width are digits to a browser.
    return written.translate({code: code + 0xFEE0 for code in range(0x30, 0x3A)}) if wide else written


numbers = st.builds(
    _spelled,
    st.one_of(st.integers(0, 2**32 - 1), st.sampled_from([0x7F000001, 0x0A000001, 0xC0A80101, 0xA9FEA9FE, 0])),
    st.lists(st.sampled_from(["{}", "{:#x}", "0{:o}", "000{:o}", "0x0{:X}"]), min_size=1, max_size=4),
    wide=st.booleans(),
)
_moments = st.sampled_from([None, datetime(2026, 3, 4, 12, tzinfo=UTC), datetime(1, 1, 2, tzinfo=UTC)])
# Most of a page's texts are short or all one thing, so that ten of them at their limits are as likely as not.
_page_texts = st.one_of(
    texts,
    pieces.map(lambda piece: piece * 300),
    pieces.map(lambda piece: f"{piece} " * 300),
    cut_pages.map(lambda page: page.sent),
)
_rows = st.builds(
    Row,
    # Mostly such as are shown, lest most answers be empty; `_numbered` fills in those that are left out.
    url=st.one_of(st.just(""), st.just(""), hostile.plain_addresses, addresses),
    title=_page_texts,
    snippet=_page_texts,
    published=_moments,
    image=st.one_of(st.just(""), st.just("https://example.com/a.png"), addresses),
)


def _numbered(rows: list[Row]) -> list[Row]:
    return [row if row.url else replace(row, url=f"https://example.com/{place}") for place, row in enumerate(rows)]


answers = st.builds(
    Answer,
    query=st.one_of(texts, pieces.map(lambda piece: piece * 100)),
    rows=st.one_of(
        st.lists(_rows, min_size=1, max_size=3),
        st.lists(_rows, min_size=limits.RESULTS, max_size=limits.RESULTS),
        # All of them alike, so that all are at their limits at once.
        _rows.map(lambda row: [replace(row, url="")] * limits.RESULTS),
    ).map(_numbered),
    snippet_chars=st.sampled_from([50, 400, 1000]),
)
