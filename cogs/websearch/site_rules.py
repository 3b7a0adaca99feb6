"""Tell which sites may be shown: the bot's owner blocks some everywhere, a server some of its own, or allows but some.

Sites are domains in ASCII, as `links.parse_domain` returns them, and take in all below them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import errors, hosts, links

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .models import SiteRules


def shows(rules: SiteRules, host: str) -> bool:
    """Tell whether a page on a host, as it's shown or in ASCII, may be."""
    if not (rules.owner_blocked or rules.blocked or rules.allowed):
        return True
    # Once, not for each list.
    host = hosts.normalise(host) or host
    if links.is_on(host, rules.owner_blocked) or links.is_on(host, rules.blocked):
        return False
    return not rules.allowed or links.is_on(host, rules.allowed)


def require(rules: SiteRules, host: str) -> None:
    """Raise `SiteBlocked` or `SiteHidden` where a page on a host, as it's shown, may not be."""
    if links.is_on(host, rules.owner_blocked):
        raise errors.SiteBlocked(host)
    if not shows(rules, host):
        raise errors.SiteHidden(host)


def narrow(rules: SiteRules, sites: tuple[str, ...]) -> tuple[str, ...]:
    """Return the domains that a search on `sites` may bring pages of; without any, it's a search on all there are.

    Of a site of which some parts alone are allowed, these are returned; where the search isn't narrowed, nothing. Raise
    `SiteBlocked` or `SiteHidden` for a site of which nothing is shown, and `NothingAllowed` where nothing is of any.
    """
    if sites:
        return tuple(dict.fromkeys(one for site in sites for one in _shown(rules, site)))
    # Not by whether it's shown itself: where www.example.com is blocked, example.com isn't shown, but what's below is.
    open_ = tuple(one for one in rules.allowed if not any(hosts.is_within(one, site) for site in rules.excluded))
    if rules.allowed and not open_:
        raise errors.NothingAllowed
    return open_


def offered(rules: SiteRules, found: Sequence[str]) -> Iterator[str]:
    """Find the sites that are worth searching on, as they're shown: these hosts, then what's allowed; each once.

    They come one by one, since a name in letters takes its time, and there may be a hundred.
    """
    yield from (host for host in found if hosts.normalise(host) is not None and shows(rules, host))
    allowed = (hosts.show(site) for site in rules.allowed if shows(rules, site))
    yield from (site for site in allowed if site not in found)


def _shown(rules: SiteRules, site: str) -> Iterator[str]:
    parts = [one for one in rules.allowed if links.matches(one, site) and shows(rules, one)]
    if parts and not links.is_on(site, rules.allowed):
        yield from parts
    else:
        require(rules, hosts.show(site))
        yield site
