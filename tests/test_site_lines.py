"""Hold how a server's rules on sites are said."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cogs.websearch import hosts, limits, links, site_rules
from cogs.websearch.i18n import Words
from cogs.websearch.models import SiteRules
from cogs.websearch.site_lines import SiteLines

WORDS = Words()
# As embeds have it, and as plain text does.
ROOMS = (limits.EMBED_DESCRIPTION, limits.MESSAGE_CONTENT - 64)
SHORT = st.from_regex(r"([a-c]{1,2}\.){0,3}[a-d]\.(com|org)", fullmatch=True)
LETTERS = st.sampled_from(
    ["xn--bcher-kva.de", "www.example.com", "example.com", "xn--80ak6aa92e.com", "a_b.example.org"]
)
LONG = st.from_regex(r"([a-z][a-z_-]{59}[0-9]\.){1,4}org", fullmatch=True).filter(lambda name: len(name) <= 253)
DOMAINS = st.lists(SHORT | LETTERS | LONG, max_size=100, unique=True).map(tuple)


def names(lines: list[str], start: str) -> tuple[list[str], int]:
    """Return what the one line with that label names, and how many more it counts; nothing where there's none."""
    found = [line.removeprefix(start) for line in lines if line.startswith(start)]
    if not found:
        return [], 0
    (told,) = found
    shown, _, more = told.partition(" and ")
    return shown.replace("\\", "").split(", "), int(more.removesuffix(" more") or 0)


@st.composite
def ruled(draw: st.DrawFn) -> SiteRules:
    """Make rules as a server can have them: each site is either blocked or allowed, and there are at most a hundred."""
    domains = draw(DOMAINS)
    cut = draw(st.integers(0, len(domains)))
    return SiteRules(owner_blocked=draw(DOMAINS), blocked=domains[:cut], allowed=domains[cut:])


@pytest.mark.parametrize("room", ROOMS)
@settings(max_examples=50, deadline=None)
@given(rules=ruled(), before=ruled(), named=DOMAINS, allowed=st.booleans())
def test_whatever_holds_fits(
    room: int, rules: SiteRules, before: SiteRules, named: tuple[str, ...], *, allowed: bool
) -> None:
    """RULE-13: each line is there and keeps to its room, each list counts all of its names, and together they fit."""
    made = SiteLines(WORDS, room)
    for said in ([], made.ruled(named, before, allowed=allowed), made.freed(named, before)):
        lines = made.holding(rules, said)
        assert len("\n".join(lines)) <= room
        assert lines[: len(said)] == said
        assert all(len(line.partition(": ")[2]) <= room // 10 for line in said)
        assert all("\n" not in line for line in lines)
        for start, sites in (
            ("**Only these sites are shown here:** ", rules.allowed),
            ("**Never shown here:** ", rules.blocked),
        ):
            shown, more = names(lines, start)
            assert len(shown) + more == len(sites)
            assert bool(shown) == bool(sites)
            whole = sorted(map(hosts.show, sites))
            assert all(name == one or name[:1] == "…" for name, one in zip(shown, whole, strict=False))


@settings(max_examples=50, deadline=None)
@given(rules=ruled())
def test_what_is_allowed_in_vain_is_told(rules: SiteRules) -> None:
    """RULE-13: there's a warning of every allowed site that isn't shown, and of no other."""
    lines = SiteLines(WORDS, limits.EMBED_DESCRIPTION).holding(rules)
    warnings = [line for line in lines if "allowed, but not shown" in line.lower()]
    told = 0
    for warning in warnings:
        start, colon, _ = warning.partition(": ")
        shown, more = names([warning], start + colon)
        told += len(shown) + more if colon else int(start.split()[0])
    hidden = [one for one in rules.allowed if not site_rules.shows(rules, one)]
    assert told == len(hidden)


def test_a_name_is_shown_as_hosts_are() -> None:
    """RULE-13: in letters where these can't deceive, else in punycode, and what Markdown would take is escaped."""
    rules = SiteRules(blocked=("xn--bcher-kva.de", "xn--80ak6aa92e.com", "a_b_c.example.org"))
    (line,) = SiteLines(WORDS, limits.EMBED_DESCRIPTION).holding(rules)
    assert line == r"**Never shown here:** a\_b\_c.example.org, bücher.de, xn--80ak6aa92e.com"


def test_a_hundred_of_everyday_length_are_all_named() -> None:
    """RULE-13: where embeds are shown, nothing of a full list is left out."""
    names = tuple(f"site-number-{n:02}.example.com" for n in range(limits.SITE_RULES))
    lines = SiteLines(WORDS, limits.EMBED_DESCRIPTION).holding(SiteRules(blocked=names[:40], allowed=names[40:]))
    assert lines == [
        f"**Only these sites are shown here:** {', '.join(names[40:])}",
        f"**Never shown here:** {', '.join(names[:40])}",
    ]


def test_the_longest_name_is_whole_where_there_is_room() -> None:
    """RULE-13: whoever wants to remove a rule must read what it's for."""
    name = ".".join(("a" + "_" * 60 + "b",) * 3 + ("c" * 60, "org"))
    assert len(name) == 253
    assert links.parse_domain(name) == name
    (line,) = SiteLines(WORDS, limits.EMBED_DESCRIPTION).holding(SiteRules(blocked=(name,)))
    assert line.replace("\\", "") == f"**Never shown here:** {name}"


def test_causes_beyond_the_first_are_counted() -> None:
    """RULE-13: a warning names what hides a site, of several such the first two."""
    blocked = ("a.com", "b.com", "c.com", "d.com")
    rules = SiteRules(blocked=blocked, allowed=tuple(f"{sub}.{one}" for one in blocked for sub in ("x", "y")))
    assert SiteLines(WORDS, limits.EMBED_DESCRIPTION).holding(rules)[:3] == [
        "**Allowed, but not shown**, since a.com is blocked here: x.a.com, y.a.com",
        "**Allowed, but not shown**, since b.com is blocked here: x.b.com, y.b.com",
        "4 more sites are allowed, but not shown for a like reason.",
    ]
