"""Hold what a member is offered who types domains."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from cogs.websearch import limits, links
from cogs.websearch.completion import complete
from cogs.websearch.config import Config
from cogs.websearch.hosts import show
from cogs.websearch.requests import to_request

HOSTS = ("docs.python.org", "www.example.com", "bücher.de", "python.org", "example.org")
NAMES = st.from_regex(r"[a-zäöü]{1,12}(\.[a-z]{1,60}){0,3}\.(com|org|de)", fullmatch=True)
TYPED = st.text(max_size=80) | st.lists(NAMES | st.text(max_size=8), max_size=25).map(", ".join)


def shown(typed: str) -> list[str]:
    """List what is shown to somebody who has typed that."""
    return [one.shown for one in complete(typed, HOSTS)]


def test_the_beginning_comes_first() -> None:
    """SITE-01: what begins with what is typed, then what holds it, whatever the case of its letters."""
    assert shown("") == list(HOSTS)
    assert shown("py") == shown("PY") == ["python.org", "docs.python.org"]
    assert shown("exa") == ["www.example.com", "example.org"]
    assert shown("www.exa") == shown("https://exa") == shown("*.exa") == ["www.example.com", "example.org"]
    assert shown("nowhere") == []


def test_what_stands_before_stays() -> None:
    """SITE-02: the last of several is completed, and what is there already isn't offered."""
    assert (
        shown("a.org, exa")
        == shown("a.org exa")
        == shown("https://A.org/x;exa")
        == [
            "a.org, www.example.com",
            "a.org, example.org",
        ]
    )
    assert shown("example.org, exa") == ["example.org, www.example.com"]
    assert "python.org, python.org" not in shown("python.org, ")
    assert len(shown("python.org,")) == len(HOSTS) - 1
    assert shown("not a domain, exa") == []
    assert shown(", ".join([*(f"a{n}.org" for n in range(20)), "exa"])) == []


def test_a_host_is_shown_in_its_letters() -> None:
    """SITE-03: what is shown is in the host's own letters, the value in ASCII, and either may be typed."""
    for typed in ("büch", "BÜCH", "xn--bch"):
        (one,) = complete(typed, HOSTS)
        assert (one.shown, one.value) == ("bücher.de", "xn--bcher-kva.de")
    (one,) = complete("münchen.de bü", HOSTS)
    assert (one.shown, one.value) == ("münchen.de, bücher.de", "xn--mnchen-3ya.de, xn--bcher-kva.de")


def test_what_does_not_fit_is_not_offered() -> None:
    """SITE-03: a choice that is longer than Discord takes would have all of them refused."""
    long = f"{'a' * 50}.{'b' * 44}.org"
    assert [one.value for one in complete("", (long, "example.org"))] == [long, "example.org"]
    assert [one.value for one in complete("c.org, ", (long, "example.org"))] == ["c.org, example.org"]


@settings(max_examples=300, deadline=None)
@given(typed=TYPED, offered=st.lists(NAMES | st.text(max_size=20), max_size=40))
def test_whatever_is_typed(typed: str, offered: list[str]) -> None:
    """SITE-03: there are few choices, none too long, and each is one that a search takes."""
    found = complete(typed, offered)
    assert len(found) <= limits.CHOICES
    for one in found:
        assert 0 < len(one.shown.strip()) <= limits.CHOICE_NAME
        assert 0 < len(one.value) <= limits.CHOICE_NAME
        assert one.value.isascii()
        sites = to_request(Config(), query="x", sites=one.value).sites
        assert ", ".join(sites) == one.value
        assert links.parse_domain(one.shown.rpartition(", ")[2]) == sites[-1]
        assert one.shown.split(", ")[:-1] == [show(site) for site in sites[:-1]]
