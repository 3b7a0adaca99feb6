"""Say what holds of any text, address and answer that strangers send, whatever is in it.

Each check takes one example and fails by an assertion. `tests/fuzz/test_fuzz.py` tries a few examples of each in every
run of the tests, `python -m fuzz` very many.
"""

from __future__ import annotations

import socket
import unicodedata
from dataclasses import dataclass
from html.entities import html5
from typing import TYPE_CHECKING, Any, Final

import regex

from cogs.websearch import hosts, limits, links, text
from fuzz import pages
from fuzz.replies import check_answer
from text.alive import alive, reading

if TYPE_CHECKING:
    from collections.abc import Callable

    from hypothesis.strategies import SearchStrategy

_LONG: Final = 1_000_000
# What stands before a page's text in a reply: nothing, the number of a result, something that ends without a space.
_BEFORE: Final = ("", "3 · ", "[1]", "a\n")
# Kept only inside of something that a reader sees whole.
_JOINING: Final = regex.compile(
    "[\u200c\u200d\ufe0e\ufe0f\u180b-\u180f\U000e0100-\U000e01ef]|(?<=\U0001f3f4)[\U000e0061-\U000e007f]{6}"
)
# Places set aside for emoji to come are no characters yet; what is to be seen there will be seen.
_UNSEEN: Final = regex.compile(r"(?V1)[[\p{C}\p{Zl}\p{Zp}\p{DI}\u2800\ufffc]--[\p{PCM}\p{ExtPict}]]")
_STACK: Final = regex.compile(r"\p{M}{6}|(\p{Mn})\1|[\u0300-\u036f]{3}|(?:^| )[\p{Mn}\p{Me}]")
# A letter before it makes `vector<a>` of a tag.
_HTML: Final = regex.compile(
    r"</?(?:p|br|div|img|script|style|svg) ?/?>|</a ?/?>|<a(?: ?/| )>|(?<![^\W_])<a>"
    r"|<(?:p|br|div|a|img|script|style|svg) [a-z]+=[^<>=]*>"
    r"|<!--|<!DOCTYPE[^<>]*+>|&#(?:[0-9]|[xX][0-9a-fA-F])"
)
# Where tags stand inside of a grapheme, its end can't be told from where looking ends: `e<b></b>` and then an accent.
_TAGGED: Final = regex.compile(r"<|&(?:lt|#0*60|#[xX]0*3[cC]|amp|#0*38|#[xX]0*26)")
_NAMED: Final = regex.compile(r"&(\w+;)")
_WHOLE_ESCAPES: Final = regex.compile(r"(?:\\[!-/:-@\[-`{-~]|[^\\])*+")
_ADDRESS: Final = regex.compile(
    r"https?://[a-z0-9._-]+\.(?:[a-z]+|xn--[a-z0-9-]+)(?::[1-9][0-9]{0,4})?/[A-Za-z0-9\-._~!$&+,;=:@/?%#]*"
)
_DOMAIN: Final = regex.compile(r"[a-z0-9_-]+(?:\.[a-z0-9_-]+)+")
# What a cut may take away with the end of a text.
_TRAILING: Final = " \u200c\u200d\u180e"


@dataclass(frozen=True, kw_only=True)
class Property:
    """Hold what is tried: with which examples, by which check, and which share of all examples it gets."""

    about: str
    examples: SearchStrategy[Any]
    check: Callable[[Any], None]
    share: float


def check_text(page: pages.Page) -> None:
    """Hold that a cleaned text is one visible, composed line within its limit, and stays as it is."""
    line = text.clean(page.sent, page.limit)
    assert len(line) <= page.limit
    assert line == " ".join(line.split())
    assert line == unicodedata.normalize("NFC", line)
    assert not _UNSEEN.search(_JOINING.sub("", line))
    assert not _STACK.search(line)
    assert text.clean(line, page.limit) == line
    assert text.clean(line, _LONG) == line
    _check_dead(line, page.limit)
    typed = text.tidy(page.sent, page.limit)
    assert len(typed) <= page.limit
    assert not _UNSEEN.search(_JOINING.sub("", typed))
    assert text.tidy(typed, page.limit) == typed
    _check_dead(typed, page.limit)


def check_whole(page: pages.Page) -> None:
    """Hold that no tag and no entity is left of a page, however it nests, splits and encodes them."""
    line = text.clean(page.sent, _LONG)
    assert not _HTML.search(line)
    assert not [name for name in _NAMED.findall(line, overlapped=True) if name in html5]
    _check_dead(line, page.limit)


def check_paragraphs(page: pages.Page) -> None:
    """Hold that each line of a text with paragraphs is as good as a cleaned one, and that all of it stays as it is."""
    shown, _ = text.clean_paragraphs(page.sent, page.limit)
    assert len(shown) <= page.limit
    lines = shown.split("\n") if shown else []
    assert [line for line in lines if text.clean(line, _LONG) != line] == []
    assert text.clean_paragraphs(shown, page.limit) == (shown, False)
    _check_dead(shown, page.limit)


def check_cut(page: pages.Page) -> None:
    """Hold that a cut falls between graphemes, wherever a page puts what must not be cut."""
    check_text(page)
    whole = text.clean(page.sent, _LONG)
    if not _TAGGED.search(page.sent):
        _check_ends(text.clean(page.sent, page.limit), whole)
    _check_ends(text.cut(whole, page.limit), whole)
    escaped = text.escape_within(whole, page.limit)
    _check_ends(reading(escaped), whole)


def check_edge(page: pages.Page) -> None:
    """Hold that what is shown of a page that isn't looked at to its end is a beginning of what the whole page shows."""
    short = text.clean(page.sent, page.limit)
    whole = text.clean(page.sent, _LONG)
    assert short == whole or whole.startswith(short[:-1]), (short, whole)
    _check_ends(short, whole)


def check_address(raw: str) -> None:
    """Hold that what passes is a plain and short address of a public host, which passes as it is."""
    link = links.vet(raw)
    if link is not None:
        assert _ADDRESS.fullmatch(link.url)
        assert len(link.url) <= limits.EMBED_URL
        assert links.vet(link.url) == link
        assert hosts.normalise(link.host) == link.url.split("/")[2].partition(":")[0]
        _check_dead(link.host, limits.EMBED_TITLE)
    domain = links.parse_domain(raw)
    if domain is not None:
        assert _DOMAIN.fullmatch(domain)
        assert links.parse_domain(domain) == domain
        assert links.matches(domain, domain)


def check_number(spelled: str) -> None:
    """Hold that an IPv4 address is refused however it's written, alone and in what is made to answer with it."""
    # What the C library takes for an address, so does a browser.
    assert socket.inet_aton(unicodedata.normalize("NFKC", spelled))
    for host in (spelled, f"{spelled}.", f"{spelled}:8080", f"[::ffff:{spelled}]", f"{spelled}.nip.io"):
        assert links.vet(f"http://{host}/") is None
        assert links.parse_domain(host) is None


def _check_dead(line: str, limit: int) -> None:
    """Hold that a text is dead once escaped, cut or not, and reads as it did."""
    escaped = text.escape(line)
    assert reading(escaped) == line
    within = text.escape_within(line, limit)
    assert len(within) <= limit
    assert _WHOLE_ESCAPES.fullmatch(within)
    for before in _BEFORE:
        assert alive(before + escaped) == []
        assert alive(before + within) == []


def _check_ends(short: str, whole: str) -> None:
    """Hold that a shortened text ends where a grapheme of the whole one ends, if it's a beginning of that."""
    if short == whole or not short or not whole.startswith(short[:-1]):
        return
    kept = len(short) - 1
    joints = len(whole) - kept - len(whole[kept:].lstrip(_TRAILING))
    ends = {0, *(found.end() for found in regex.finditer(r"\X", whole[: kept + joints + 64]))}
    assert ends & set(range(kept, kept + joints + 1)), (short[-20:], whole[max(0, kept - 20) : kept + 20])


PROPERTIES: Final = {
    "text": Property(
        about="a text, cleaned and typed: one visible line within its limit, dead once escaped, clean for good",
        examples=pages.pages,
        check=check_text,
        share=0.25,
    ),
    "paragraphs": Property(
        about="a text with line breaks, cut wherever it may be: each line as good as one that was cleaned by itself",
        examples=pages.paragraphs,
        check=check_paragraphs,
        share=0.05,
    ),
    "whole": Property(
        about="a text without a limit: no tag and no entity is left", examples=pages.pages, check=check_whole, share=0.1
    ),
    "cut": Property(
        about="a text with something on every place where it's cut: no grapheme, escape or entity is in two",
        examples=pages.cut_pages,
        check=check_cut,
        share=0.25,
    ),
    "edge": Property(
        about="a long page of which only the beginning is looked at: that ends with a whole grapheme and entity",
        examples=pages.edge_pages,
        check=check_edge,
        share=0.1,
    ),
    "address": Property(
        about="an address or a domain: refused, or plain, short, public and the same for good",
        examples=pages.addresses,
        check=check_address,
        share=0.15,
    ),
    "number": Property(
        about="an IPv4 address in any radix, in one to four parts: refused",
        examples=pages.numbers,
        check=check_number,
        share=0.05,
    ),
    "answer": Property(
        about="up to ten results: every embed and all together within Discord's limits, valid by its document, nothing"
        " alive but what is ours; the same as plain text, on the terminal and as JSON",
        examples=pages.answers,
        check=check_answer,
        share=0.04,
    ),
}
