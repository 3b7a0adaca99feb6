"""Turn what any engine says at length into pages and answers: the one place where their text is cleaned.

The sources of an answer are rows like any others, and go through `rows`.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import islice
from typing import TYPE_CHECKING, Final

import msgspec

from .. import codespans, errors, limits, links, text
from ..models import Answer, FetchedPage, SearchRequest, SearchResult
from ..patterns import late_re
from . import rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime

# Digits of any script are digits to a reader, and to `int`; raised ones are to a reader.
_DIGIT: Final = r"[\d⁰¹²³⁴-⁹]"
_SPAN: Final = rf"{_DIGIT}++(?:\ ?[-‑–—]\ ?{_DIGIT}++)?+"  # noqa: RUF001 - the dashes of ranges are meant
_NUMBERS: Final = rf"\ ?{_SPAN}(?:(?:\ ?[,;，；、]\ ?|\ ){_SPAN})*+\ ?"  # noqa: RUF001 - likewise Chinese commas
# How engines write in an answer what it rests on: [1], [1, 2], [1-3], [^1], [[1]], 【1†source】, in wide brackets, and
# as links, alone or in parentheses: [1](https://…), [[1]](https://…), [words](https://…), ([site](https://…)).
_ADDRESS: Final = r"\((?P<{0}>https?://(?:[^\s()]|\([^\s()]{{0,200}}+\)){{1,2048}}+)(?:\ \"[^\"\n]{{0,200}}+\")?\)"
_LABEL: Final = r"\[(?P<{0}>[^\[\]\n]{{0,200}}+|\[\^?\d++\])\]"
_MARK: Final = late_re(
    rf"""
    (?P<gap>\ ?)
    (?: \( {_LABEL.format("lone")} {_ADDRESS.format("lone_url")} \)
      | {_LABEL.format("label")} {_ADDRESS.format("url")}
      | (?P<twice> \[ (?=\[) )? \[ \^? (?P<numbers> {_NUMBERS} ) \] (?(twice) \] )
      | ［ \^? (?P<wide> {_NUMBERS} ) ］
      | 【 (?P<numbered> {_NUMBERS} ) (?: [†:] [^【】\n]{{0,100}}+ )? 】
    )
    """,  # noqa: RUF001 - full-width brackets are meant
    re.VERBOSE,
)
# What still looks like a mark at the end.
_BRACKETED: Final = late_re(rf"[\[［【]\^?({_NUMBERS})[\]］】]")  # noqa: RUF001 - likewise
_NUMBER: Final = late_re(r"\[?\^?(\d++)\]?")
_SPANS: Final = late_re(rf"({_DIGIT}++)(?:\ ?[-‑–—]\ ?({_DIGIT}++))?+")  # noqa: RUF001 - likewise
# No source has a number that's longer.
_LONGEST: Final = 9
# What an answer may lose with its links: each takes far less than half of a text that isn't made to deceive.
_SPARE: Final = 2


def to_fetched(  # noqa: PLR0913 - what a page consists of
    link: links.Link,
    *,
    backend: str,
    raw: str,
    title: str = "",
    published: datetime | None = None,
    truncated: bool = False,
    cost: float | None = None,
) -> FetchedPage:
    """Clean what an engine read at a vetted address, and cut it to `limits.PAGE_TEXT`.

    `raw` and `title` are as strangers wrote them; with `truncated`, what came is known to be a part. Raise
    `PageUnreadable` where no text is left.
    """
    cleaned, more = text.clean_paragraphs(raw, limits.PAGE_TEXT)
    if not cleaned:
        raise errors.PageUnreadable(backend, billed=True, cost=cost)
    return FetchedPage(
        backend=backend,
        url=link.url,
        host=link.host,
        title=text.clean(title, limits.TITLE),
        text=cleaned,
        truncated=more or truncated,
        published=published,
        cost=cost,
    )


def to_answer(  # noqa: PLR0913 - what an answer consists of
    raw: str,
    found: Iterable[rows.Row | None],
    request: SearchRequest,
    *,
    backend: str,
    snippet_chars: int,
    complete: bool = True,
    cost: float | None = None,
    known: rows.Known | None = None,
) -> Answer:
    """Clean an answer and its sources, and let its marks point to those that may be shown.

    A mark's number counts `found` from 1, None included; a link in the text is a mark where it's that of a source.
    What points to nothing, or to a source on a hidden site, is taken out; words that were a link stay as words. Code
    stays as it is. Raise `BackendUnable` where no text is left. `known` keeps what was made of each row from one step
    to the next.
    """
    known = {} if known is None else known
    sources, numbers = _sources(found, request, known, backend=backend, snippet_chars=snippet_chars)
    places = {source.url: number for number, source in enumerate(sources, start=1)}
    cleaned, more = text.clean_paragraphs(raw, _SPARE * limits.ANSWER)
    # Cleaned again, since marks that are gone may leave a space or bring together what they kept apart.
    code = codespans.find(cleaned, broken=more or not complete)
    pointed, cut = text.clean_paragraphs(_point(cleaned, code, numbers, places), limits.ANSWER)
    # Only a text that's made to deceive still has marks beyond its sources, which come of what was taken out.
    good = {f"[{place}]" for place in range(1, len(sources) + 1)}
    code = codespans.find(pointed, broken=more or cut or not complete)

    def settle(mark: re.Match[str]) -> str:
        return mark[0] if mark[0] in good or code.holds(mark.start()) or codespans.is_index(mark) else f"({mark[1]})"

    pointed = _BRACKETED.sub(settle, pointed)
    if not pointed:
        raise errors.BackendUnable(backend, billed=True, cost=cost)
    if more and not cut and not pointed.endswith("…"):
        pointed = text.cut(f"{pointed}…", limits.ANSWER)
    return Answer(backend=backend, text=pointed, sources=sources, complete=complete, cost=cost)


def _sources(
    found: Iterable[rows.Row | None], request: SearchRequest, known: rows.Known, *, backend: str, snippet_chars: int
) -> tuple[tuple[SearchResult, ...], dict[int, int]]:
    """Return the sources that may be shown, each once, and the number of each row's source by that of the row."""
    one = msgspec.structs.replace(request, count=1)
    kept: dict[str, SearchResult] = {}
    places: dict[str, int] = {}
    numbers: dict[int, int] = {}
    for number, row in enumerate(islice(found, rows.MOST), start=1):
        if row is None:
            continue
        if row not in known:
            known[row] = rows.to_page([row], one, backend=backend, snippet_chars=snippet_chars).results
        for source in known[row]:
            if source.url not in kept and len(kept) < limits.SOURCES:
                kept[source.url] = source
                places[source.url] = len(kept)
            if source.url in places:
                numbers[number] = places[source.url]
    return tuple(kept.values()), numbers


def _point(cleaned: str, code: codespans.Code, numbers: dict[int, int], places: dict[str, int]) -> str:
    """Return the text with one kind of mark outside of its code, each of which points to a source."""

    def replace(mark: re.Match[str]) -> str:
        gap = mark["gap"]
        if code.holds(mark.end("gap")) or code.holds(mark.end() - 1):
            return mark[0]
        address = mark["lone_url"] or mark["url"]
        if address is None:
            if codespans.is_index(mark):
                return mark[0]
            pointed = [numbers[number] for number in _named(mark) if number in numbers]
            return gap + _marks(pointed) if pointed else codespans.apart(mark)
        link = links.vet(address)
        place = places.get(link.url) if link else None
        label = mark["label"] if mark["lone_url"] is None else mark["lone"]
        number = _NUMBER.fullmatch(label)
        if number and place is None:
            place = numbers.get(_to_int(number[1]))
        if number or (mark["lone_url"] and place):
            return f"{gap}[{place}]" if place else codespans.apart(mark)
        words = f"({label})" if mark["lone_url"] else label
        return f"{gap}{words} [{place}]" if place else f"{gap}{words}"

    return _MARK.sub(replace, cleaned)


def _marks(pointed: list[int]) -> str:
    return "".join(f"[{place}]" for place in dict.fromkeys(pointed))


def _named(mark: re.Match[str]) -> Iterator[int]:
    """Yield the numbers of a mark, each of a range too."""
    for span in _SPANS.finditer(mark["numbers"] or mark["wide"] or mark["numbered"]):
        first = _to_int(span[1])
        last = first if span[2] is None else min(_to_int(span[2]), rows.MOST)
        yield from range(first, last + 1)


def _to_int(digits: str) -> int:
    """Return a number in digits of any script, raised ones too, or 0, which is no source's, where it's too long."""
    return int("".join(str(unicodedata.digit(digit)) for digit in digits)) if len(digits) <= _LONGEST else 0
