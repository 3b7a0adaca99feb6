"""Turn what a member typed into a search request."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from . import errors, limits, links, site_rules, text
from .models import Category, Period, SearchRequest, SiteRules

if TYPE_CHECKING:
    from .config import Config

Choice = TypeVar("Choice", Category, Period)


def to_request(  # noqa: PLR0913 - the options of a search
    config: Config,
    *,
    query: str,
    count: int | None = None,
    category: str | None = None,
    period: str | None = None,
    sites: str = "",
    safe: bool = True,
    rules: SiteRules | None = None,
) -> SearchRequest:
    """Check and normalise a search.

    All texts are as typed or chosen: the query is cleaned, the domains are separated by spaces or commas. `count` None
    means the configured number. `safe` and `rules` are as in `SearchRequest`, the latter by default those that hold
    everywhere. Raise the `InvalidSearch` that names what is wrong, or `NothingAllowed`.
    """
    if count is None:
        count = config.web_results
    # A forged client sends 2.5 or true, which compare like numbers.
    if type(count) is not int or not 1 <= count <= limits.RESULTS:
        raise errors.CountOutOfRange(count, 1, limits.RESULTS)
    if rules is None:
        rules = SiteRules(owner_blocked=config.web_block_sites)
    request = SearchRequest(
        query=_to_query(query),
        count=count,
        category=_to_choice("category", category, Category),
        period=_to_choice("period", period, Period),
        sites=_to_few(to_sites(sites)),
        rules=rules,
        safe=safe,
    )
    site_rules.narrow(rules, request.sites)
    return request


def to_sites(typed: str) -> tuple[str, ...]:
    """Return the domains that somebody typed, separated by spaces or commas, each once; raise `InvalidSite`."""
    sites: dict[str, None] = {}
    for word in filter(None, links.part(typed)):
        site = links.parse_domain(word)
        if site is None:
            raise errors.InvalidSite(text.tidy(word, limits.ECHO))
        sites[site] = None
    return tuple(sites)


def _to_query(typed: str) -> str:
    # Cleaned whole, not cut to fit: a member must not wonder where the end of the question went.
    # What a terminal takes beyond what Discord does is too long all the same.
    query = text.tidy(typed, limits.TYPED)
    if not query:
        raise errors.EmptyQuery
    if len(query) > limits.QUERY:
        raise errors.QueryTooLong(len(query), limits.QUERY)
    return query


def _to_choice(option: str, chosen: str | None, choices: type[Choice]) -> Choice | None:
    if not chosen:
        return None
    try:
        return choices(chosen)
    except ValueError:
        # Discord sends what it offered; a forged or outdated client may send anything.
        raise errors.UnknownChoice(option, text.tidy(chosen, limits.ECHO)) from None


def _to_few(sites: tuple[str, ...]) -> tuple[str, ...]:
    if len(sites) > limits.SITES:
        raise errors.TooManySites(limits.SITES)
    return sites
