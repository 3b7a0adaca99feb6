"""Hold what is searched for where somebody searches for a message."""

from __future__ import annotations

import time

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from cogs.websearch import errors, limits
from cogs.websearch.config import Config
from cogs.websearch.message_text import to_query
from cogs.websearch.requests import to_request

FREE = "free nitro https://evil.example.com/ x https://example.org/"
PIECES = (
    "```",
    "`",
    "||",
    "**",
    "<@1>",
    "<a:b:1>",
    "<t:1:R>",
    "https://",
    "<",
    ">",
    "\n",
    "# ",
    "a",
    "👩‍👩‍👧",
    "\u0301",
    "\u202e",
    " ",
)
WRITTEN = st.text(max_size=900) | st.lists(st.sampled_from(PIECES) | st.text(max_size=5), max_size=200).map("".join)


@pytest.mark.parametrize(
    ("written", "query"),
    [
        ("What is a quasar?", "What is a quasar?"),
        ("<@123456789012345678> <@!1> <@&2> what <#3> is @everyone a @here quasar", "what is a quasar"),
        ("mail me@everyone.example", "mail me@everyone.example"),
        ("</search:123456789012345678> </web search on:1> <id:browse> <id:customize> quasars", "quasars"),
        ("quasars <:blob:123456789012345678> <a:dance:1> 🎉", "quasars 🎉"),
        ("due <t:1618953630:R> or <t:1618953630>", "due or"),
        ("**bold** ~~struck~~ ||hidden|| `code` and 2*3 in __init__", "bold struck hidden code and 2*3 in __init__"),
        ("> quoted\n>>> more\n# Heading\n-# small", "quoted more Heading small"),
        ("why?\n```py\nraise ValueError\n```\nhelp", "why? help"),
        ("why ```open end", "why"),
        ("```py\nraise ValueError\n```", "raise ValueError"),
        ("```raise ValueError```", "raise ValueError"),
        ("``````", ""),
        ("a < b and b > c", "a < b and b > c"),
        ("what does <br> do &amp; why", "what does <br> do &amp; why"),
        ("see <https://example.com/a?utm_source=x&page=2>", "see https://example.com/a?page=2"),
        ("https://example.com/", "https://example.com/"),
        ("is https://example.com/a. true?", "is https://example.com/a true?"),
        (
            "(see https://example.com/a?b=1), **https://example.org/**",
            "(see https://example.com/a?b=1 https://example.org/",
        ),
        ("https://example.com/a_(b)", "https://example.com/a_%28b%29"),
        ("[free nitro](https://evil.example.com) [x](<https://example.org/> 'y')", FREE),
        ("my router http://192.168.1.1/admin?password=x is slow", "my router is slow"),
        ("reset www.example.com/reset?token=x&page=2, please", "reset www.example.com/reset?page=2 please"),
        ("(see Example.com/a?utm_source=x)", "(see example.com/a"),
        ("ht\u200btps://example.com/?to\u00adken=x", "https://example.com/"),
        ("ftp://ftp.example.com/a.txt; ftp://joe:x@ftp.example.com/", "ftp://ftp.example.com/a.txt"),
        (
            "why git@github.com:org/repo.git but not joe:x@git.example.com/repo",
            "why git@github.com:org/repo.git but not",
        ),
        ("git clone ssh://git@github.com/org/repo.git, please", "git clone ssh://git@github.com/org/repo.git please"),
        ("<git+ssh://me-2@example.com:7999/a.git#v1.2>?", "git+ssh://me-2@example.com:7999/a.git#v1.2 ?"),
        (
            "ssh://git:x@github.com/a ssh://a@b@github.com/a ssh://git@10.0.0.1/a ssh:// xssh://git@github.com/a",
            "ssh://",
        ),
        ("(hooks.slack.com/services/T0123456/B0123456/x)", "(hooks.slack.com/services/T0123456/B0123456"),
        ("localhost:8000/login?password=x fails", "fails"),
        ("clone ghp_x@localhost/repo, ghp_x@10.0.0.1, ghp_x@intranet:8080 and (//ghp_x@nas)", "clone and"),
        ("mail mailto:me@example.com, @me@mastodon.example/@you@example.org or @me:matrix.example", None),
        ("root@localhost, dog@home? R&D@work, actions/checkout@v4, unpkg.com/react@18/umd, note:@me", None),
        ("git@intranet:org/repo.git git@10.0.0.1:~/repo", None),
        ("@me@example.com/?token=x @me", "@me"),
        ("is me@example.com? C# and/or St.Gallen/Zürich: 1/2, R&D, Node.js?", None),
        ("what is /r/python, e.g. @types/node?", None),
        ("<@1> <:a:1>", ""),
        ("\u200b\u202e", ""),
        ("", ""),
    ],
)
def test_what_stays_of_a_message(written: str, query: str | None) -> None:
    """MENU-02, MENU-03: words stay, and what means something to Discord alone goes; None is for what stays as it is."""
    assert to_query(written) == (written if query is None else query)


HIDDEN = "5ecretOfTheirs"
SECRETS = st.sampled_from(
    [f"?token={HIDDEN}", f"?a=1&password={HIDDEN}", f"#access_token={HIDDEN}", f"?b=c&sig={HIDDEN}#d"]
)
HOSTS = st.sampled_from(
    ["www.example.com", "example.org:8443", "localhost:3000", "10.0.0.1", "intranet", "bücher.example"]
)
SCHEMES = st.sampled_from(
    ["", "https://", "HTTP://", "ftp://", "ssh://", "myapp://", "postgres+tls://", "//", "https:/", "https:"]
)
AROUND = st.sampled_from(
    ["{}", "see {}, please", "({})", "<{}>", "||{}||", "**{}**", '"{}"', "url:{}", "a\n> {}\nb", "[x]({})"]
)
UNSEEN = st.sampled_from(
    ["", "\u200b", "\u200d", "\u00ad", "\u2060", "\ufeff", "\u202e", "\u034f", "\U000e0061", "\x00"]
)


@st.composite
def letting_in(draw: st.DrawFn) -> str:
    """Write an address that lets in whoever has it, in any way that people write addresses."""
    host, path = draw(HOSTS), draw(st.sampled_from(["", "/", "/a/b", "/a(b)"]))
    address = draw(st.sampled_from([f"{host}{path}{draw(SECRETS)}", f"joe:{HIDDEN}@{host}{path}"]))
    whole = draw(SCHEMES) + address
    at = draw(st.integers(0, len(whole)))
    return draw(AROUND).format(whole[:at] + draw(UNSEEN) + whole[at:])


@settings(max_examples=1000, deadline=None)
@given(written=letting_in())
def test_no_secret_of_an_address_is_searched_for(written: str) -> None:
    """MENU-03: without a scheme, with another, with a character in it that nobody sees, or on a host that's private."""
    assert HIDDEN not in to_query(written)


IN_NAMES = st.sampled_from(["", "me&", "x=", "a;b,", "%40", "$1!", "me+", "-_~", "me@", "\\_", "x" * 500])
BEHIND = st.sampled_from(["/", "/x", "/a/b.git", "?a", "?a=b", "#b", ":8080", ":8080/x", "\\x", "/me@example.com"])
BEGINNINGS = st.sampled_from(["//", "https://", "HTTP:", "https:/", "ftp://", "redis://", "////", "1://"])
NUMBERS = st.sampled_from(["10.0.0.1", "127.0.0.1", "8.8.8.8", "[::1]", "[fd00::1]"])
NAMES = st.sampled_from(["localhost", "intranet", "nas.fritz.box", "git.example.com", "db.internal", "bücher.example"])


@st.composite
def letting_in_by_name(draw: st.DrawFn) -> str:
    """Write an address with a token in the place of a name, and what tells that it's no mail address."""
    name = draw(IN_NAMES) + HIDDEN + draw(st.sampled_from(["", "&x", "%3D", "=="]))
    with_number = f"{name}@{draw(NUMBERS)}" + draw(st.just("") | BEHIND)
    with_path = f"{name}@{draw(NAMES)}" + draw(BEHIND)
    begun = f"{draw(BEGINNINGS)}{name}@{draw(NAMES | NUMBERS)}" + draw(st.just("") | BEHIND)
    whole = draw(st.sampled_from([with_number, with_path, begun]))
    at = draw(st.integers(0, len(whole)))
    return draw(AROUND).format(whole[:at] + draw(UNSEEN) + whole[at:])


@settings(max_examples=1000, deadline=None)
@given(written=letting_in_by_name())
def test_no_token_before_a_host_is_searched_for(written: str) -> None:
    """MENU-03: wherever the host is, where slashes stand before it, or a port, a path or numbers make it an address."""
    assert HIDDEN not in to_query(written)


@settings(max_examples=500, deadline=None)
@given(
    name=st.from_regex(r"[a-z0-9]([a-z0-9._+\-]{0,20}[a-z0-9])?", fullmatch=True).filter(
        lambda name: name not in {"here", "everyone"}
    ),
    host=NAMES | st.sampled_from(["example.com", "mastodon.social", "sub.example.co.uk"]),
    kind=st.sampled_from(["{}@{}", "@{}@{}", "@{}:{}", "mailto:{}@{}", "git@{1}:org-{0}/repo.git", "acct:{}@{}"]),
    around=st.sampled_from(["{}", "({})", "{}, please", "is it {}?", '"{}"', "{}.", "a, {}; b"]),
)
def test_names_that_let_nobody_in_stay(name: str, host: str, kind: str, around: str) -> None:
    """MENU-03: mail addresses, handles, and where git finds something, whatever is around them."""
    written = "ask " + around.format(kind.format(name, host))
    assert to_query(written) == written


def test_a_long_message_is_cut_between_graphemes() -> None:
    """MENU-04: the query has at most 400 characters, and no half of a letter or of a family at its end."""
    family = "👩‍👩‍👧"
    query = to_query(family * 200)
    assert 390 < len(query) <= limits.QUERY
    assert set(regex.findall(r"\X", query)) == {family}
    assert to_query("x" * 400) == "x" * 400


@settings(max_examples=400, deadline=None)
@given(written=WRITTEN)
def test_any_message_gives_a_query_or_none(written: str) -> None:
    """MENU-04: what is found can be searched for as it is."""
    query = to_query(written)
    assert len(query) <= limits.QUERY
    if query:
        assert to_request(Config(), query=query).query == query
    else:
        with pytest.raises(errors.EmptyQuery):
            to_request(Config(), query=query)


@pytest.mark.parametrize(
    "piece",
    [
        "```",
        "<",
        "<@",
        "</a",
        "https://",
        "`",
        "|",
        "> ",
        "<a:",
        "```a\n",
        " ",
        "a:",
        "?",
        "=&",
        "/",
        "@a:",
        "a://",
        "@",
        "a@",
        ":/",
        "//a",
        "a//@",
    ],
)
def test_the_longest_message_takes_no_time(piece: str) -> None:
    """MENU-04: a message that is built to take long is read as fast as any."""
    written = piece * (8000 // len(piece))
    began = time.process_time()
    to_query(written)
    assert time.process_time() - began < 1
