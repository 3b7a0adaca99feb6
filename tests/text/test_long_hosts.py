"""Hold that a reader sees whose site a result is on, however long its host."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cogs.websearch import limits, links, plain, render
from cogs.websearch.i18n import Words
from cogs.websearch.models import Outcome, SearchPage, SearchRequest, SearchResult
from text import hostile
from text.alive import reading

WORDS = Words("en-US")
END = "evil-domain.net"
# What costs a backslash a letter, what is an invite, and what only is long.
BEFORE = st.sampled_from(["a_b_c_d_e", "discord.gg", "www.paypal.com", "signin-account-secure", "x" * 63, "0_0"])


def outcome(host: str, title: str, path: str) -> Outcome:
    """Make an outcome of one result on a host."""
    link = links.vet(f"https://{host}/{path}")
    assert link is not None
    found = SearchResult(title=title, url=link.url, host=link.host, snippet="Log in.")
    return Outcome(request=SearchRequest(query="x", count=1), page=SearchPage(backend="Exa", results=(found,), found=1))


@pytest.mark.parametrize("title", ["", "PayPal: log in"])
def test_the_end_of_a_long_host_is_shown(title: str) -> None:
    """LNK-14: in an embed and in plain text, as a source and for want of a title, a host ends as it does."""
    host = f"www.paypal.com.{'signin-account-secure.' * 8}{END}"
    shown = outcome(host, title, "a" * 700)
    embed = render.results(shown, 0, WORDS)[1]
    text = plain.results(shown, 0, WORDS).splitlines()
    assert embed.title is not None
    assert embed.description is not None
    for source in (embed.description.splitlines()[-1], text[-1]):
        assert source.endswith(f".{END} · undated")
    for named in (embed.title, text[3]):
        assert title or f".{END}/aaa" in named


@hostile.QUICK
@given(st.lists(BEFORE, max_size=20).map(".".join), st.sampled_from(["", "a_b", "p" * 300]))
def test_any_host_keeps_its_end(before: str, path: str) -> None:
    """LNK-14 TXT-14: with all backslashes, too, the end of a host has its place, and each element keeps its limit."""
    host = f"{before[: 253 - len(END) - 1].strip('._-')}.{END}".removeprefix(".")
    shown = outcome(host, "", path)
    embed = render.results(shown, 0, WORDS)[1]
    text = plain.results(shown, 0, WORDS)
    assert embed.title is not None
    assert embed.description is not None
    assert len(embed.title) <= limits.EMBED_TITLE
    assert len(text) <= limits.MESSAGE_CONTENT
    assert END in reading(embed.title)
    assert reading(embed.description).endswith(f"{END} · undated")
    assert reading(text).endswith(f"{END} · undated")
    assert END in reading(text.splitlines()[3])
