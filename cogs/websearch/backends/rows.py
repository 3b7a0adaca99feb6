"""Turn the rows of any engine into results: the one place where foreign text is cleaned and foreign URLs are vetted."""

from __future__ import annotations

from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

import msgspec

from .. import errors, limits, links, site_rules, text
from ..models import SearchPage, SearchRequest, SearchResult

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator


# Rows of an answer that are looked at: as many as Exa sends at most, ten times what is asked for. Without an end, 4 MiB
# of short rows would hold the event loop for seconds.
MOST: Final = 100


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """Hold one row as an engine sent it: strings that strangers wrote, untouched."""

    url: str
    title: str = ""
    snippet: str = ""
    published: datetime | None = None
    image: str = ""


# What was made of rows: the one result of each, or none.
Known = dict[Row, tuple[SearchResult, ...]]


def read(found: object, to_row: Callable[[dict[str, Any]], Row], *, backend: str) -> list[Row | None]:
    """Return what `to_row` makes of the first `MOST` things of a list, and None for each that has no URL.

    Raise `InvalidAnswer` where it's no list.
    """
    if not isinstance(found, list):
        raise errors.InvalidAnswer(backend)
    return [to_row(row) if isinstance(row, dict) and isinstance(row.get("url"), str) else None for row in found[:MOST]]


def to_page(
    rows: Iterable[Row | None], request: SearchRequest, *, backend: str, snippet_chars: int, cost: float | None = None
) -> SearchPage:
    """Clean the rows and keep the first `request.count` that can be shown, each URL once, in the rows' order.

    None stands for a row that was no row at all: it counts as found and is not shown. A row without a usable URL or on
    a site that may not be shown isn't either. No more than `MOST` rows are looked at.
    """
    rows = list(islice(rows, MOST))
    results = tuple(islice(_usable(rows, request, snippet_chars), request.count))
    return SearchPage(backend=backend, results=results, found=len(rows), cost=cost)


def _usable(rows: Iterable[Row | None], request: SearchRequest, snippet_chars: int) -> Iterator[SearchResult]:
    seen: set[str] = set()
    for row in rows:
        link = None if row is None else links.vet(row.url)
        if row is None or link is None or link.url in seen:
            continue
        if not site_rules.shows(request.rules, link.host):
            continue
        seen.add(link.url)
        image = links.vet(row.image) if row.image else None
        yield SearchResult(
            title=text.clean(row.title, limits.TITLE),
            url=link.url,
            host=link.host,
            snippet=text.clean(row.snippet, snippet_chars),
            published=row.published,
            image=image.url if image else None,
        )
