"""Turn what a member typed into a search request."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from . import errors, limits, links, text
from .models import Category, Period, SearchRequest

if TYPE_CHECKING:
    from .config import Config


def to_request(
    config: Config,
    *,
    query: str,
    count: int | None = None,
    category: Category | None = None,
    period: Period | None = None,
    sites: str = "",
) -> SearchRequest:
    """Check and normalise a search.

    `query` and `sites` are as typed: the query is cleaned, the domains are separated by spaces or commas. `count` None
    means the configured number. Raise the `InvalidSearch` that names what is wrong.
    """
    if count is None:
        count = config.web_results
    if not 1 <= count <= limits.RESULTS:
        raise errors.CountOutOfRange(count, 1, limits.RESULTS)
    return SearchRequest(
        query=_to_query(query),
        count=count,
        category=category,
        period=period,
        sites=_to_sites(sites),
        blocked=config.web_block_sites,
    )


def _to_query(typed: str) -> str:
    # One more than is allowed is enough to see that it is too long; the sentence counts what was typed.
    query = text.clean(typed, limits.QUERY + 1)
    if not query:
        raise errors.EmptyQuery
    if len(query) > limits.QUERY:
        raise errors.QueryTooLong(len(typed.strip()), limits.QUERY)
    return query


def _to_sites(typed: str) -> tuple[str, ...]:
    sites: dict[str, None] = {}
    for word in re.split(r"[\s,;]+", typed.strip(" \t\r\n,;")):
        if not word:
            continue
        site = links.parse_domain(word)
        if site is None:
            raise errors.InvalidSite(text.clean(word, limits.COMMAND_NAME))
        sites[site] = None
    if len(sites) > limits.SITES:
        raise errors.TooManySites(limits.SITES)
    return tuple(sites)
