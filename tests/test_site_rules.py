"""Hold which sites may be shown where, and which of them a search is for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cogs.websearch import errors, links, policy, site_rules
from cogs.websearch.config import Config
from cogs.websearch.models import SiteRules
from cogs.websearch.requests import to_request
from cogs.websearch.settings import Settings, SiteRule

HERE = 9
EVERYWHERE = Config(web_block_sites=("bad.example.com",))


def rules(*, blocked: tuple[str, ...] = (), allowed: tuple[str, ...] = ()) -> SiteRules:
    """Make the rules of a server whose bot's owner blocks a site of its own."""
    return SiteRules(owner_blocked=EVERYWHERE.web_block_sites, blocked=blocked, allowed=allowed)


def settings(*ruled: tuple[int, str, bool]) -> Settings:
    """Make settings of servers, domains, and whether each is allowed."""
    return Settings(
        sites=tuple(
            SiteRule(guild_id=guild_id, domain=domain, allowed=allowed, by=1, at=0.0)
            for guild_id, domain, allowed in ruled
        )
    )


@pytest.mark.parametrize(
    ("ruled", "host", "shown"),
    [
        (rules(), "example.com", True),
        (rules(), "bad.example.com", False),
        (rules(blocked=("example.org",)), "example.org", False),
        (rules(blocked=("example.org",)), "www.example.org", False),
        (rules(blocked=("example.org",)), "notexample.org", True),
        (rules(blocked=("xn--bcher-kva.de",)), "bücher.de", False),
        (rules(allowed=("example.org",)), "a.example.org", True),
        (rules(allowed=("example.org",)), "example.net", False),
        (rules(allowed=("www.example.org",)), "example.org", True),
        (rules(allowed=("example.com",)), "bad.example.com", False),
        (rules(allowed=("example.com",)), "example.com", True),
        (rules(blocked=("example.org",), allowed=("a.example.org",)), "a.example.org", False),
        (rules(blocked=("a.example.org",), allowed=("example.org",)), "b.example.org", True),
        (rules(blocked=("a.example.org",), allowed=("example.org",)), "a.example.org", False),
    ],
)
def test_what_is_shown(ruled: SiteRules, host: str, *, shown: bool) -> None:
    """RULE-02 RULE-03: what's blocked isn't shown, nor, where some sites are allowed, anything else."""
    assert site_rules.shows(ruled, host) is shown


def test_each_server_has_its_own() -> None:
    """RULE-04: the owner's rules hold everywhere, a server's in that server alone."""
    known = settings((HERE, "a.example", False), (HERE, "b.example", True), (8, "c.example", True))
    assert policy.sites(EVERYWHERE, known, HERE) == rules(blocked=("a.example",), allowed=("b.example",))
    assert policy.sites(EVERYWHERE, known, 8) == rules(allowed=("c.example",))
    assert policy.sites(EVERYWHERE, known, 7) == rules()
    assert policy.sites(EVERYWHERE, known, None) == rules()


@pytest.mark.parametrize(
    ("ruled", "typed", "narrowed"),
    [
        (rules(), "", ()),
        (rules(), "example.org", ("example.org",)),
        (rules(blocked=("a.example.org",)), "example.org", ("example.org",)),
        (rules(allowed=("example.org", "example.net")), "", ("example.org", "example.net")),
        (rules(allowed=("example.org", "example.net")), "a.example.org", ("a.example.org",)),
        (rules(allowed=("a.example.org", "b.example.org", "c.com")), "example.org", ("a.example.org", "b.example.org")),
        (rules(allowed=("a.example.org",)), "example.org a.example.org", ("a.example.org",)),
        (rules(allowed=("www.example.org",)), "example.org", ("example.org",)),
        (rules(allowed=("a.example.org", "b.com"), blocked=("b.com",)), "example.org", ("a.example.org",)),
        (rules(allowed=("a.a.com", "b.a.com"), blocked=("b.a.com",)), "a.com", ("a.a.com",)),
    ],
)  # fmt: skip
def test_what_is_searched(ruled: SiteRules, typed: str, narrowed: tuple[str, ...]) -> None:
    """RULE-05 RULE-06: a search is for what's allowed, of a site for its allowed parts, and says what was typed."""
    request = to_request(EVERYWHERE, query="x", sites=typed, rules=ruled)
    assert list(request.sites) == typed.split()
    assert site_rules.narrow(ruled, request.sites) == narrowed


@pytest.mark.parametrize(
    ("ruled", "typed", "error"),
    [
        (rules(), "bad.example.com", errors.SiteBlocked("bad.example.com")),
        (rules(allowed=("bad.example.com",)), "www.bad.example.com", errors.SiteBlocked("www.bad.example.com")),
        (rules(blocked=("example.org",)), "example.net a.example.org", errors.SiteHidden("a.example.org")),
        (rules(blocked=("xn--bcher-kva.de",)), "bücher.de", errors.SiteHidden("bücher.de")),
        (rules(allowed=("example.org",)), "example.org example.net", errors.SiteHidden("example.net")),
        (rules(allowed=("a.example.org",), blocked=("example.org",)), "example.org", errors.SiteHidden("example.org")),
    ],
)
def test_a_search_on_a_hidden_site(ruled: SiteRules, typed: str, error: errors.InvalidSearch) -> None:
    """RULE-06: it's refused with the site's name and with whose rule that is, also among others."""
    with pytest.raises(type(error)) as caught:
        to_request(EVERYWHERE, query="x", sites=typed, rules=ruled)
    assert caught.value.args == error.args
    assert vars(caught.value) == vars(error)


def test_what_is_allowed_in_vain_is_not_asked_for() -> None:
    """RULE-05: of the allowed sites those that may be shown are searched; where there's none, nothing is asked."""
    ruled = rules(allowed=("bad.example.com", "a.example.org", "x.com", "c.com"), blocked=("example.org", "www.x.com"))
    assert site_rules.narrow(ruled, ()) == ("x.com", "c.com")
    with pytest.raises(errors.NothingAllowed):
        to_request(EVERYWHERE, query="x", rules=rules(allowed=("bad.example.com",)))


def test_the_terminal_knows_the_owners_rules() -> None:
    """RULE-06: where no server is, a site that the owner blocks can't be searched either."""
    with pytest.raises(errors.SiteBlocked):
        to_request(EVERYWHERE, query="x", sites="bad.example.com")


def test_what_is_offered() -> None:
    """RULE-16: hosts that were found come first, then what's allowed, each once and none that's hidden."""
    ruled = rules(blocked=("b.com",), allowed=("a.com", "b.com", "c.com", "xn--bcher-kva.de"))
    found = ("c.com", "d.com", "x.b.com", "no host")
    assert tuple(site_rules.offered(ruled, found)) == ("c.com", "a.com", "bücher.de")
    assert tuple(site_rules.offered(rules(), found)) == ("c.com", "d.com", "x.b.com")


@given(
    host=st.sampled_from(["a.com", "www.a.com", "b.a.com", "aa.com", "com", "bücher.de", "x.bücher.de", "no host", ""]),
    sites=st.lists(st.sampled_from(["a.com", "www.a.com", "com", "xn--bcher-kva.de", "b.a.com"])),
)
def test_a_host_is_on_what_it_matches(host: str, sites: list[str]) -> None:
    """RULE-02: among a thousand sites, a host is looked for as it is among one."""
    assert links.is_on(host, sites) == any(links.matches(host, site) for site in sites)


_domains = st.lists(
    st.sampled_from(["a.com", "b.a.com", "c.b.a.com", "www.a.com", "z.com", "xn--bcher-kva.de"]),
    unique=True,
).map(tuple)


@given(owner_blocked=_domains, blocked=_domains, allowed=_domains, sites=_domains, host=_domains)
def test_no_search_reaches_beyond_the_rules(
    owner_blocked: tuple[str, ...],
    blocked: tuple[str, ...],
    allowed: tuple[str, ...],
    sites: tuple[str, ...],
    host: tuple[str, ...],
) -> None:
    """RULE-03 RULE-06: a search is for no more than what's asked for, and for nothing beyond what's allowed."""
    ruled = SiteRules(owner_blocked=owner_blocked, blocked=blocked, allowed=allowed)
    try:
        narrowed = site_rules.narrow(ruled, sites)
    except errors.InvalidSearch:
        assert any(not site_rules.shows(ruled, site) for site in sites)
        return
    except errors.NothingAllowed:
        assert not sites
        assert not any(site_rules.shows(ruled, site) for site in allowed)
        return
    assert bool(narrowed) == bool(sites or allowed)
    for site in narrowed:
        assert not sites or links.is_on(site, sites)
        assert not allowed or links.is_on(site, allowed)
        assert not links.is_on(site, [one for one in ruled.excluded if not one.startswith("www.")])
    for one in host:
        # What's asked for and may be shown isn't left out.
        if links.is_on(one, sites) and site_rules.shows(ruled, one):
            assert links.is_on(one, narrowed)
