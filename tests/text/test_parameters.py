"""Hold what is dropped of an address: what tracks its reader, and what lets in whoever has it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cogs.websearch import links, parameters
from text import hostile

# Of queries and paths that hold nothing nested.
PIECES = [
    *(
        "utm_source=x",
        "fbclid",
        "token=1",
        "session=2024",
        "session=abc",
        "user[password]=1",
        "[" * 40,
        "X-Amz-Signature=s",
    ),
    *("&", "&", "=", "==", "a", "a=1", "b_c=2", "page_token=3", "bot", "services", ":", ",", "~x", "ü", " ", ")", "*"),
]
SEGMENTS = [
    *("a", "b.html", "robots", "services", "TABCDEF1", "BABCDEF2", "webhooks", "123456789012345678", "secret", "S"),
    *(f"bot123456789:{'A' * 30}", "botanics", "u:p", "x=1"),
]


def url(raw: str) -> str | None:
    """Return the vetted address alone."""
    link = links.vet(raw)
    return link.url if link else None


@pytest.mark.parametrize(
    ("tail", "vetted"),
    [
        ("?utm_source=a&x=1&UTM_Medium=b&fbclid=c&y=2", "?x=1&y=2"),
        ("?gclid=1", ""),
        ("?%75tm_source=a&x=1", "?x=1"),
        ("?x=1&fbclid", "?x=1"),
        ("?b=2&a=1&b=3&empty=&bare", "?b=2&a=1&b=3&empty=&bare"),
        ("?q=utm_source%3Da&id=gclid", "?q=utm_source%3Da&id=gclid"),
        ("#utm_source=a", ""),
        ("#section-2", "#section-2"),
        ("#:~:text=some%20words", "#:~:text=some%20words"),
        ("?", ""),
    ],
)
def test_tracking_is_dropped(tail: str, vetted: str) -> None:
    """LNK-06: what tracks is dropped in any spelling, and everything else keeps its place."""
    assert url("https://example.com/p" + tail) == "https://example.com/p" + vetted


@pytest.mark.parametrize(
    ("tail", "vetted"),
    [
        ("p?access_token=s&x=1", "p?x=1"),
        ("p?x=1&X-Amz-Signature=s&x-amz-credential=t", "p?x=1"),
        ("p?api%5Fkey=s", "p"),
        ("p?Password=s&PHPSESSID=t", "p"),
        ("p#id_token=s&x=1", "p#x=1"),
        ("p;jsessionid=s/q", "p/q"),
        ("p?tokens=1&author=2&key=3&session=4", "p?tokens=1&author=2&key=3&session=4"),
        # Never decoded, parted otherwise, in a fragment's own query.
        ("p?id=1&amp;token=s&amp;utm_source=x&amp;b=2", "p?id=1&amp;b=2"),
        ("p?a=1;access_token=s;b=2", "p?a=1;b=2"),
        ("p?a=1;access_token=s&b=2", "p?a=1&b=2"),
        ("p?token=a;b?c==&d=2", "p?d=2"),
        ("app#/reset?token=s", "app#/reset"),
        ("#!/cb?access_token=s&x=1", "#!/cb?x=1"),
        ("p?a?token=s", "p?a"),
        ("p#a#token=s&b=2#session#%40=c", "p#a&b=2%23session%23%40=c"),
        ("p#a%23utm_id=s;b=2", "p#a;b=2"),
        ("p;?x", "p;?x"),
        # Named more closely, in brackets, numbered, in capitals.
        ("p?user[password]=s&user%5Bname%5D=n", "p?user%5Bname%5D=n"),
        ("p?token[]=s&token[0]=t&token[a]=u", "p"),
        ("p?reset_password_token=s&resetToken=t&authenticity-token=u&password2=v", "p"),
        ("p?session=5f1a9cf0aa&session=secret&x=1", "p?x=1"),
        # In the path, encoded or not.
        ("a%3Bjsessionid=s/b", "a/b"),
        ("a;v=1;JSESSIONID%3Ds", "a;v=1"),
        ("(S(lit3py55t21z5v55vlm25s55))/default.aspx", "default.aspx"),
        ("%28X%281%29S%28lit3py55t21z5v55vlm25s55%29%29/a", "a"),
        ("p?session=87(R)", "p?session=87%28R%29"),
        ("p?session=88R&session=2023-24&session=20232024", "p?session=88R&session=2023-24&session=20232024"),
        ("a/%28S%28lit3py55t21z5v55vlm25s55%29%29", "a"),
        ("api/webhooks/123456789012345678/se-cret_/slack", "api/webhooks/123456789012345678"),
        ("api/v10/webhooks/123456789012345678/s?wait=true", "api/v10/webhooks/123456789012345678?wait=true"),
        ("services/T00000000/B00000000/abcdefghijklmnopqrstuvwx", "services/T00000000/B00000000"),
        (f"bot123456789:{'A' * 35}/sendMessage", "bot123456789"),
        # In an address within the address.
        ("?url=http://user:pw@x.com/&b=2", "?url=http://x.com/&b=2"),
        ("?url=https%3A%2F%2Fuser%3Apw%40x.com%2Fa%40b", "?url=https%3A%2F%2Fx.com%2Fa%40b"),
        ("web/2020/https://user@x.com/@y", "web/2020/https://x.com/@y"),
        ("?url=https%3A%2F%2Fx.com%2F%3Ftoken%3Ds%26b%3D2&c=3", "?url=https%3A%2F%2Fx.com%2F%3Fb%3D2&c=3"),
        ("?url=https%3A%2F%2Fx.com%2F%3Fb%3D2%26utm_id%3D1%23c", "?url=https%3A%2F%2Fx.com%2F%3Fb%3D2%23c"),
        ("?url=https%3A%2F%2Fx.com%2F%3Ftoken%3Ds%23c", "?url=https%3A%2F%2Fx.com%2F%23c"),
        ("to/https%3A%2F%2Fx.com%2Fa%3Ftoken%3Ds%26b%3D2%23c/d", "to/https%3A%2F%2Fx.com%2Fa%3Fb%3D2%23c/d"),
        ("wiki/Who%3F_Me%26You;_C%23", "wiki/Who%3F_Me%26You;_C%23"),
        ("?access_token=a%26b%3Dc&d=2", "?d=2"),
    ],
)
def test_credentials_are_dropped(tail: str, vetted: str) -> None:
    """LNK-07: what lets in whoever has the address is dropped wherever it stands."""
    assert url("https://example.com/" + tail) == "https://example.com/" + vetted


@pytest.mark.parametrize("address", (Path(__file__).parent / "addresses.txt").read_text("ascii").split())
def test_addresses_of_real_results_stay_as_they_are(address: str) -> None:
    """LNK-06 LNK-07: what search engines lead to keeps all of its parameters, those like a credential's name too."""
    assert url(address) == address


@pytest.mark.parametrize(
    "path",
    ["/x" * 900, "/;sid=1" * 280, "/(S(aaaaaaaaaaaa))" * 110, "://u@h" * 330, "/webhooks/123456789012345678" * 70],
)
def test_what_is_dropped_brings_nothing_to_light(path: str) -> None:
    """LNK-07 LNK-11: an address that is built to be taken apart is, and for good."""
    for raw in (f"https://example.com{path}", f"https://example.com/?a={path}", f"https://example.com/#{path}"):
        shown = url(raw)
        assert shown is not None
        assert url(shown) == shown


@hostile.QUICK
@given(st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=3)), max_size=10).map("".join))
def test_a_query_is_read_at_a_glance_as_at_a_closer_look(tail: str) -> None:
    """LNK-06 LNK-07: of a query in which nothing is nested the same is dropped as of any other."""
    # A question mark, in front, is reason enough for the closer look and changes nothing else.
    plain = "".join(sign for sign in tail if sign not in "#%(/;?@")
    assert parameters.clean_tail(f"?{plain}").removeprefix("?") == parameters.clean_tail(plain)


@hostile.QUICK
@given(st.lists(st.sampled_from(SEGMENTS), min_size=1, max_size=8))
def test_a_path_is_read_at_a_glance_as_at_a_closer_look(segments: list[str]) -> None:
    """LNK-07: of a path in which nothing seems to let in the same is dropped as of any other, which is nothing."""
    path = "/" + "/".join(segments)
    # So does what follows a semicolon, at the end.
    assert parameters.clean_path(f"{path};x") == f"{parameters.clean_path(path)};x"
