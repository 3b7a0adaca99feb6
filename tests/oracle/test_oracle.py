"""Hold the escaping against a parser of Discord's Markdown that somebody else wrote."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracle
from cogs.websearch import render, text
from oracle.messages import Shown
from text import hostile

if TYPE_CHECKING:
    from oracle import Parser

# What a page could send, and what Discord makes of it raw.
RAW = {
    "# big": "heading",
    "-# small": "subtext",
    "> said": "blockQuote",
    ">>> said": "blockQuote",
    "**b**": "strong",
    "*i*": "em",
    "_i_": "em",
    "__u__": "underline",
    "~~s~~": "strikethrough",
    "||spoiler||": "spoiler",
    "`code`": "inlineCode",
    "```\ncode\n```": "codeBlock",
    "@everyone": "everyone",
    "@here": "here",
    "<@81384788765712384>": "user",
    "<@!81384788765712384>": "user",
    "<@&81384788765712384>": "role",
    "<#81384788765712384>": "channel",
    "</search:81384788765712384>": "slashCommand",
    "<81384788765712384:customize>": "guildNavigation",
    "<81384788765712384:linked-roles:81384788765712385>": "guildNavigation",
    "<:smile:81384788765712384>": "emoji",
    "<a:smile:81384788765712384>": "emoji",
    "<t:1700000000:R>": "timestamp",
    "https://evil.example/a": "url",
    "<https://evil.example/a>": "autolink",
    "[free](https://evil.example/a)": "link",
}


@pytest.mark.parametrize("raw", RAW)
def test_the_parser_sees_what_is_alive(parser: Parser, raw: str) -> None:
    """TXT-18: the parser names each kind of markup raw, at the start and after words, and none of it escaped."""
    assert RAW[raw] in oracle.kinds(parser.tree(raw))
    for before in ("", "words "):
        for after in ("", " words"):
            cleaned = text.clean(f"{before}{raw}{after}", 400)
            assert oracle.foreign(parser.tree(text.escape(cleaned))) == set()


@hostile.QUICK
@given(hostile.pages, hostile.limits, st.booleans())
def test_nothing_is_alive_to_it(parser: Parser, page: str, limit: int, masked: bool) -> None:  # noqa: FBT001 - hypothesis passes it by name
    """TXT-18: of no page does the parser find anything alive, cut anywhere, before or after other words."""
    shown = text.escape_within(text.clean(page, 1000), limit)
    for around in ("{}", "word {}", "{} word", "1 · {}", "{}\n-# example.com"):
        tree = parser.tree(around.format(shown), masked=masked)
        assert oracle.foreign(tree) == set(), (shown, tree)


@hostile.QUICK
@given(hostile.pages)
def test_nothing_is_hidden_from_readers(parser: Parser, page: str) -> None:
    """TXT-13, TXT-18: what the parser reads of an escaped page is the cleaned page, without a stray backslash."""
    cleaned = text.clean(page, 400)
    assert _reading(parser.tree(text.escape(cleaned))) == cleaned


def _reading(tree: oracle.Tree) -> str:
    """Put together what a tree reads as; the parser cuts between the two halves of a character."""
    read = "".join(str(node.get("content") or node.get("name") or "\n") for node in tree)
    return read.encode("utf-16", "surrogatepass").decode("utf-16")


def test_the_watch_sees_live_messages(parser: Parser) -> None:
    """TXT-18: markup in each place of a message is found, and what is ours in its own place isn't."""

    def alive(shown: Shown) -> set[str]:
        return shown.alive({(words, masked): parser.tree(words, masked=masked) for words, masked in shown.texts()})

    def embed(**fields: object) -> Shown:
        return Shown(content="", embeds=[{"color": render.ACCENT, **fields}])

    assert alive(Shown(content="a **b**", embeds=[])) == {"strong"}
    assert alive(Shown(content="**b**\nwords", embeds=[])) == set()
    assert alive(embed(title="*a*")) == alive(embed(description="*a*")) == {"em"}
    assert alive(embed(fields=[{"name": "n", "value": "@here"}])) == {"here"}
    assert alive(embed(fields=[{"name": "@here", "value": "v"}])) == {"here"}
    assert alive(embed(description="a\n-# b · <t:1:D>")) == set()
    assert alive(embed(description="<t:1:D>\n-# b")) == {"timestamp"}
    assert alive(embed(description="again <t:1:R>", color=render.QUIET)) == set()
    assert alive(embed(title="again <t:1:R>", color=render.QUIET)) == {"timestamp"}
    mark, title = r"[\[1\]](<https://a.example.com/>)", "[Title](<https://a.example.com/>) · "
    assert alive(embed(description=f"Blue {mark}{mark}.\n{title}….example.com\n{title}a.example.com")) == set()
    assert alive(embed(title=mark, description="a")) == {"autolink"}
    for description in (
        "[1](<https://x.y>)",
        f"{title}example.com",
        f"{title}b.com a.example.com",
        title,
        f"**{mark}**",
    ):
        assert alive(embed(description=description)) >= {"link"}
    assert alive(embed(description=mark, color=render.QUIET)) == {"link"}
    panel = [{"description": "Web search: **off**, set by <@81384788765712384>", "title": "a"}]
    assert alive(Shown(content="", embeds=panel, command="websearch off")) == set()
    assert alive(Shown(content="", embeds=panel)) == {"strong", "user"}
    for description, kinds in (
        ("Still **off** in: <#81384788765712384>", set()),
        ("Web search: **off** by the channel *<#81384788765712384>*", {"channel"}),
    ):
        panel = [{"description": description, "title": "a"}]
        assert alive(Shown(content="", embeds=panel, command="websearch off")) == kinds
