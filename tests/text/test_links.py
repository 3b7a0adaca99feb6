"""Hold the vetting of links and the reading of domains against what strangers write and people type."""

from __future__ import annotations

from time import process_time

import pytest
import regex
from hypothesis import given

from cogs.websearch import hosts, limits, links
from text import hostile

URL = regex.compile(
    r"https?://[a-z0-9._-]+\.(?:[a-z]+|xn--[a-z0-9-]+)(?::[1-9][0-9]{0,4})?/[A-Za-z0-9\-._~!$&+,;=:@/?%#]*"
)


def url(raw: str) -> str | None:
    """Return the vetted address alone."""
    link = links.vet(raw)
    return link.url if link else None


@hostile.QUICK
@given(hostile.addresses)
def test_any_text_is_vetted(raw: str) -> None:
    """LNK-01 LNK-08 LNK-10 LNK-11: what passes is a plain, short address, and vetting it again changes nothing."""
    link = links.vet(raw)
    if link is not None:
        assert URL.fullmatch(link.url)
        assert len(link.url) <= limits.EMBED_URL
        assert links.vet(link.url) == link
        assert hosts.normalise(link.host) == link.url.split("/")[2].partition(":")[0]


@hostile.QUICK
@given(hostile.plain_addresses)
def test_an_address_is_read_at_a_glance_as_at_a_closer_look(raw: str) -> None:
    """LNK-01 LNK-03 LNK-04 LNK-06 LNK-07 LNK-08: what looks plain is vetted by the same rules as anything else."""
    # A scheme in capitals is reason enough for the closer look and changes nothing else.
    scheme, rest = raw.split(":", 1)
    assert links.vet(raw) == links.vet(f"{scheme.upper()}:{rest}")


@pytest.mark.parametrize(
    ("raw", "vetted"),
    [
        ("https://Example.COM", "https://example.com/"),
        ("  HTTP://example.com/Path?Q=1#Frag \n", "http://example.com/Path?Q=1#Frag"),
        ("https://example.com./x", "https://example.com/x"),
        ("https://a_b.example.co.uk/", "https://a_b.example.co.uk/"),
    ],
)
def test_web_addresses_pass(raw: str, vetted: str) -> None:
    """LNK-01: a web address passes, its scheme and host in small letters."""
    assert url(raw) == vetted


@pytest.mark.parametrize(
    "raw",
    [
        *(
            "",
            "example.com",
            "//example.com/",
            "ftp://example.com/",
            "javascript:alert(1)",
            "data:text/html,x",
            "https:/x.com",
        ),
        *(
            "https://",
            "https:///x",
            "https://com/",
            "https://.com/",
            "https://a..com/",
            "https://-a.com/",
            "https://a-.com/",
        ),
        *(
            "http://http://example.com/",
            "view-source:https://example.com/",
            "https://?x.com",
            f"https://{'a' * 64}.com/",
        ),
        f"https://{'a.' * 130}com/",
    ],
)
def test_other_addresses_are_refused(raw: str) -> None:
    """LNK-01: another scheme, no host and a host without a dot are refused."""
    assert url(raw) is None


@pytest.mark.parametrize(
    "raw",
    [
        *(
            "https://user@example.com/",
            "https://user:pw@example.com/",
            "https://example.com@evil.com/",
            "https://@a.com/",
        ),
        *(
            "https://example.com\\@evil.com/",
            "https:\\\\example.com/",
            "https://example.com/\\x",
            "https://exa\tmple.com/",
        ),
        *(
            "https://example.com/\n.evil.com",
            "https://exa mple.com/",
            "https://example.com /x",
            "https://example.com/\x00",
        ),
        *(
            "https://example.com/\x85x",
            "https://example.com/\u2028x",
            "https://example.com/\u3000x",
            "https://ex%61mple.com/",
        ),
        *("https://example.com%2f@evil.com/", "https://example.com/\u202egpj.exe", "https://exam\u200bple.com/"),
        *("https://example.com/\ud800", "https://example.com\u2044x.com/", "https://exam\ufeffple.com/"),
    ],
)
def test_tricks_are_refused(raw: str) -> None:
    """LNK-02: whatever can make an address read as another one is refused."""
    assert url(raw) is None


@pytest.mark.parametrize(
    "host",
    [
        *(
            "127.0.0.1",
            "127.1",
            "127.0.1",
            "2130706433",
            "0x7f000001",
            "0x7f.0.0.1",
            "0177.0.0.1",
            "017700000001",
            "0x7f.1",
        ),
        *(
            "10.0.0.1",
            "192.168.1.1",
            "172.16.0.1",
            "169.254.169.254",
            "100.64.0.1",
            "0.0.0.1",
            "0",
            "224.0.0.1",
            "8.8.8.8",
        ),
        *("[::1]", "[::ffff:127.0.0.1]", "[fe80::1%25eth0]", "[2001:4860:4860::8888]", "[::]", "::1", "127.0.0.1."),
        *(
            "\uff11\uff12\uff17.0.0.1",
            "127。0。0。1",
            "①②⑦.0.0.1",
            "127.0.0.1.nip.io",
            "10-0-0-1.sslip.io",
            "localtest.me",
            "a.lvh.me",
        ),
        *("shop.ddev.site", "shop.lndo.site", "localho.st", "www.localdev.me", "app.localhost.direct"),
        *("example.0x7f", "example.1", "256.256.256.256", "1.2.3.4.5"),
        *("192.168.1.1.example.net", "app.10.0.0.1.example.net", "8.8.8.8.example.net", "7f000001.c0a80001.rbndr.us"),
        *("127-0-0-1.example.net", "app-192-168-1-250.example.net", "172-16-0-1.example.net", "my.local.gd"),
        *("[::ffff:7f00:1]", "[::127.0.0.1]", "[64:ff9b::7f00:1]", "[fd00::1]", "0", "00000177.1", "0x7f000001."),
    ],
)
def test_addresses_in_numbers_are_refused(host: str) -> None:
    """LNK-03: an IP address is refused in every spelling, and so is a name made of one."""
    assert url(f"http://{host}/") is None
    assert url(f"http://{host}:8080/x") is None
    assert links.parse_domain(host) is None


@pytest.mark.parametrize(
    "host",
    [
        *("1.2.3.example.net", "v10-1-2.example.net", "10-11-2024.example.net", "172-32-0-1.example.net"),
        *("ec2-54-1-2-3.example.net", "24-7-365.example.net", "192-168.example.net", "a1.b2.c3.d4.example.net"),
    ],
)
def test_numbers_in_a_name_are_no_address(host: str) -> None:
    """LNK-03: a name with numbers that spell no address, or a public one with hyphens, is a name."""
    assert url(f"https://{host}/") == f"https://{host}/"


@pytest.mark.parametrize(
    "host",
    [
        *(
            "localhost",
            "localhost.",
            "foo.localhost",
            "printer.local",
            "db.internal",
            "nas.lan",
            "x.home",
            "x.corp",
            "x.test",
        ),
        *(
            "x.example",
            "x.invalid",
            "abc.onion",
            "x.i2p",
            "router.home.arpa",
            "1.0.0.127.in-addr.arpa",
            "LOCALHOST.LOCALDOMAIN",
        ),
        *(
            "fritz.box",
            "repeater.fritz.box",
            "speedport.ip",
            "routerlogin.net",
            "www.tplinkwifi.net",
            "router.asus.com",
        ),
        *(
            "pi.hole",
            "fritz.nas",
            "vodafone.station",
            "kubernetes.default.svc",
            "vault.service.consul",
            "db.svc.cluster",
        ),
    ],
)
def test_private_names_are_refused(host: str) -> None:
    """LNK-04: a name that means something in one's own network alone, or is reserved, is refused."""
    assert url(f"https://{host}/") is None
    assert links.parse_domain(host) is None


@pytest.mark.parametrize(
    "host",
    [
        *(
            "www.asus.com",
            "synology.com",
            "store.box",
            "fritz.com",
            "notfritz.box",
            "ddev.com",
            "consul.io",
            "local.com",
        ),
        *("www.linksys.com", "mi.com", "hi.link.example.net", "speedport.de", "avm.de", "localhost.example.net"),
    ],
)
def test_names_like_private_ones_pass(host: str) -> None:
    """LNK-04: the makers of routers, and names that only sound like theirs, are sites like any other."""
    assert url(f"https://{host}/") == f"https://{host}/"


@pytest.mark.parametrize(
    ("raw", "vetted"),
    [
        ("http://example.com:80/", "http://example.com/"),
        ("https://example.com:443/", "https://example.com/"),
        ("https://example.com:00443/", "https://example.com/"),
        ("http://example.com:443/", "http://example.com:443/"),
        ("https://example.com:8443/x", "https://example.com:8443/x"),
        ("https://example.com:/x", "https://example.com/x"),
        ("https://example.com:0/", None),
        ("https://example.com:65536/", None),
        ("https://example.com:999999999999/", None),
        ("https://example.com:-1/", None),
        ("https://example.com:8a/", None),
        ("https://example.com:１/", None),  # noqa: RUF001 - digits of another kind are what is tested
        ("https://example.com:80:80/", None),
    ],
)
def test_ports(raw: str, vetted: str | None) -> None:
    """LNK-05: a default port goes, a possible one stays, another one is refused."""
    assert url(raw) == vetted


@pytest.mark.parametrize(
    ("tail", "vetted"),
    [
        ("wiki/Python_(language)", "wiki/Python_%28language%29"),
        ("a b", "a%20b"),
        ("über/漢?q=ß#ü", "%C3%BCber/%E6%BC%A2?q=%C3%9F#%C3%BC"),
        ("a[b]<c>\"d'e*f`g|h{i}^j", "a%5Bb%5D%3Cc%3E%22d%27e%2Af%60g%7Ch%7Bi%7D%5Ej"),
        ("%41%2f%zz%", "%41%2f%25zz%25"),
        ("@user/~me/$1,2+3!;v=1:2", "@user/~me/$1,2+3!;v=1:2"),
        ("x#a#b", "x#a%23b"),
    ],
)
def test_what_is_not_plain_is_encoded(tail: str, vetted: str) -> None:
    """LNK-08: other letters and whatever could break out of a Markdown link are percent-encoded, once."""
    assert url("https://example.com/" + tail) == "https://example.com/" + vetted


def test_length() -> None:
    """LNK-10: an address of 2048 passes, and a longer one is refused, also one that grows by encoding."""
    start = "https://example.com/"
    assert url(start + "a" * (2048 - len(start))) == start + "a" * (2048 - len(start))
    assert url(start + "a" * (2049 - len(start))) is None
    assert url(start + "ü" * 400) is None
    assert url(start + "ü" * ((2048 - len(start)) // 6)) == start + "%C3%BC" * ((2048 - len(start)) // 6)
    assert url(start + "a" * 10_000_000) is None


@pytest.mark.parametrize("letter", ["a", "ü", "😀"])
def test_what_is_looked_at(letter: str) -> None:
    """LNK-15: of what is left out there may be as much again, in bytes; beyond that an address isn't looked at."""
    start = "https://example.com/?q=1&utm_source="
    room = (4096 - len(start)) // len(letter.encode())
    assert url(start + letter * room) == "https://example.com/?q=1"
    assert url(start + letter * (room + 1)) is None


@pytest.mark.parametrize("piece", ["😀", "a😀", "a ", "a=1&", ";a", "/%3B", "%", "#", "[", "(S(", "://a@b/"])
def test_time(piece: str) -> None:
    """LNK-15: vetting an address of any length takes no longer than ten times the time of a long honest one."""

    def timed(raw: str) -> float:
        started = process_time()
        links.vet(raw)
        return process_time() - started

    honest = "https://example.com/?" + "&".join(f"utm_{number}=%C3%BC {number}" for number in range(150))
    hostile_one = ("https://example.com/?a=" + piece * 2048).encode()[:4096].decode(errors="ignore")
    assert min(timed(hostile_one) for _ in range(5)) < 10 * min(timed(honest) for _ in range(5)) + 0.001
