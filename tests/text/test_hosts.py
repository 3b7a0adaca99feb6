"""Hold how hosts are shown, and the reading of domains against what people type."""

from __future__ import annotations

import string

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from cogs.websearch import hosts, links
from text import hostile


@pytest.mark.parametrize(
    ("raw", "ascii_host", "shown"),
    [
        ("www.example.com", "www.example.com", "www.example.com"),
        ("müller.de", "xn--mller-kva.de", "müller.de"),
        ("xn--mller-kva.de", "xn--mller-kva.de", "müller.de"),
        ("FASS.de", "fass.de", "fass.de"),
        ("faß.de", "xn--fa-hia.de", "faß.de"),
        ("例え.jp", "xn--r8jz45g.jp", "例え.jp"),
        ("한국.kr", "xn--3e0b707e.kr", "한국.kr"),
        ("яндекс.рф", "xn--d1acpjx3f.xn--p1ai", "яндекс.рф"),
        ("яндекс.com", "xn--d1acpjx3f.com", "xn--d1acpjx3f.com"),
        ("аррӏе.com", "xn--80ak6aa92e.com", "xn--80ak6aa92e.com"),  # noqa: RUF001 - look-alikes are what is tested
        ("apple.рф", "apple.xn--p1ai", "apple.xn--p1ai"),
        ("pаypal.com", "xn--pypal-4ve.com", "xn--pypal-4ve.com"),  # noqa: RUF001 - likewise
        ("goоgle.com", "xn--gogle-kye.com", "xn--gogle-kye.com"),  # noqa: RUF001 - likewise
        ("ạpple.com", "xn--pple-4q5a.com", "xn--pple-4q5a.com"),
        ("googlê.com", "xn--googl-lsa.com", "googlê.com"),
        ("ıcloud.com", "xn--cloud-m4a.com", "xn--cloud-m4a.com"),  # noqa: RUF001 - likewise
        ("íce.com", "xn--ce-mja.com", "xn--ce-mja.com"),
        ("שלום.com", "xn--9dbne9b.com", "xn--9dbne9b.com"),
        ("例paypal.jp", None, None),
        ("ｇｏｏｇｌｅ．com", "google.com", "google.com"),  # noqa: RUF001 - likewise
    ],
)
def test_a_host_is_shown_as_it_is(raw: str, ascii_host: str | None, shown: str | None) -> None:
    """LNK-09: letters show where they can't deceive, and punycode where they could."""
    link = links.vet(f"https://{raw}/")
    assert link is not None
    if ascii_host is None:
        assert link.host.startswith("xn--")
    else:
        assert (link.url, link.host) == (f"https://{ascii_host}/", shown)


@pytest.mark.parametrize(
    ("host", "most", "shown"),
    [
        ("example.com", 11, "example.com"),
        ("www.paypal.com.evil-domain.net", 29, "….paypal.com.evil-domain.net"),
        ("www.paypal.com.evil-domain.net", 20, "….evil-domain.net"),
        ("www.paypal.com.evil-domain.net", 17, "….evil-domain.net"),
        ("www.paypal.com.evil-domain.net", 12, "…-domain.net"),
        ("www.例え.jp", 7, "….例え.jp"),
        ("example.com", 1, "…"),
    ],
)
def test_a_long_host_is_cut_at_its_beginning(host: str, most: int, shown: str) -> None:
    """LNK-14: what is left of a host is its end, between two labels, behind an ellipsis."""
    assert hosts.shorten(host, most) == shown


@hostile.QUICK
@given(st.lists(st.text("ab_", min_size=1, max_size=9), min_size=2, max_size=30).map(".".join), st.integers(1, 99))
def test_a_host_cut_is_an_end_of_it(host: str, most: int) -> None:
    """LNK-14: whatever its length, a host that is cut keeps to the room, and ends as it did."""
    shown = hosts.shorten(host, most)
    assert len(shown) <= most
    assert shown == host or (shown[0] == "…" and host.endswith(shown[1:]))


@pytest.mark.parametrize(
    ("typed", "domain"),
    [
        *(
            (typed, "example.com")
            for typed in ["example.com", " EXAMPLE.Com. ", "*.example.com", "https://example.com"]
        ),
        *((typed, "example.com") for typed in ["example.com:8080", "http://example.com/a?b#c", "example.com/a/b"]),
        ("www.Python.org", "www.python.org"),
        ("münchen.de", "xn--mnchen-3ya.de"),
        ("https://*.例え.jp/", "xn--r8jz45g.jp"),
        *((typed, None) for typed in ["", "com", "localhost", "foo bar.com", "a@b.com", "ftp://x.com", "a.com, b.com"]),
        *(
            (typed, None)
            for typed in ["**.x.com", "x.*.com", "*", ".com", "x..com", "exa\u200bmple.com", "x.com\\y", "a.c"]
        ),
        *((typed, None) for typed in ["https://u:p@x.com", "javascript:alert(1)", "example.com:port", "x" * 5000]),
    ],
)
def test_domains_are_read_as_people_type_them(typed: str, domain: str | None) -> None:
    """LNK-12: a domain is understood in the forms that people paste, and nothing else is taken for one."""
    assert links.parse_domain(typed) == domain


@hostile.QUICK
@given(st.one_of(hostile.addresses, hostile.hosts, st.text(string.printable)))
def test_any_text_is_read_as_a_domain_or_none(typed: str) -> None:
    """LNK-12: whatever is typed, a domain comes back in plain small letters and reads as itself, or none does."""
    domain = links.parse_domain(typed)
    if domain is not None:
        assert regex.fullmatch(r"[a-z0-9_-]+(?:\.[a-z0-9_-]+)+", domain)
        assert links.parse_domain(domain) == domain
        assert links.matches(domain, domain)


@pytest.mark.parametrize(
    ("host", "domain", "inside"),
    [
        ("example.com", "example.com", True),
        ("docs.example.com", "example.com", True),
        ("a.b.example.com", "example.com", True),
        ("badexample.com", "example.com", False),
        ("example.com.evil.org", "example.com", False),
        ("example.com", "docs.example.com", False),
        ("example.com", "www.example.com", True),
        ("www.example.com", "www.example.com", True),
        ("docs.example.com", "www.example.com", False),
        ("www.example.com", "example.com", True),
        ("müller.de", "xn--mller-kva.de", True),
        ("www.müller.de", "xn--mller-kva.de", True),
        ("xn--mller-kva.de", "xn--mller-kva.de", True),
        ("muller.de", "xn--mller-kva.de", False),
    ],
)
def test_a_domain_takes_in_what_is_below_it(host: str, domain: str, inside: bool) -> None:  # noqa: FBT001 - a table's column
    """LNK-13: a domain matches itself and what is below it, however the host is written."""
    assert links.matches(host, domain) is inside
