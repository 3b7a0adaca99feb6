"""Hold what an answer becomes: embeds, a reply in plain text, lines on a terminal, JSON."""

from __future__ import annotations

import json
import re
import unicodedata
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from cogs.websearch import limits, plain, render, terminal, text
from cogs.websearch.backends import rows
from cogs.websearch.i18n import Words
from cogs.websearch.models import Outcome, SearchRequest, SearchResult
from cogs.websearch.playground.discord.contract import Contract, load
from cogs.websearch.playground.discord.rules import check_message
from text.alive import alive

if TYPE_CHECKING:
    import discord

    from fuzz.pages import Answer

_EDIT: Final = ("PATCH", "/webhooks/{webhook_id}/{webhook_token}/messages/@original")
# What ends each result, in small print: a host and a date.
_SOURCE: Final = re.compile(r"-# (?P<host>.+) · (?P<date><t:-?\d+:D>|undated)")
_STYLES: Final = (
    terminal.Style(width=30),
    terminal.Style(width=80, colours=True, links=True),
)
_OURS_ON_TERMINAL: Final = re.compile(r"\x1b\[\d+m|\x1b]8;;[^\x1b]*\x1b\\")
_NUMBERED: Final = re.compile(r"(\d+)\. ")


def outcome_of(answer: Answer) -> Outcome | None:
    """Clean and vet what an engine answers, as any search does; None where nothing of it can be shown."""
    request = SearchRequest(query=text.tidy(answer.query, limits.QUERY) or "a", count=limits.RESULTS)
    page = rows.to_page(answer.rows, request, backend="Exa", snippet_chars=answer.snippet_chars)
    return Outcome(request=request, page=page) if page.results else None


def check_answer(answer: Answer) -> None:
    """Hold that whatever an engine answers becomes a reply that Discord takes, and in which only ours is alive."""
    outcome = outcome_of(answer)
    if outcome is None:
        # A sentence of ours is shown instead.
        return
    words = Words()
    for number in range(render.page_count(outcome)):
        shown = [result for _, result in render.numbered(outcome, number)]
        _check_embeds(render.results(outcome, number, words), shown)
        _check_plain(plain.results(outcome, number, words), shown)
    for style in _STYLES:
        _check_terminal(terminal.render(outcome.page, words, style), outcome.page.results, style.width)
    for result in outcome.page.results:
        _check_values(result)


def _check_embeds(embeds: list[discord.Embed], results: list[SearchResult]) -> None:
    body: dict[str, Any] = {"embeds": [embed.to_dict() for embed in embeds], "allowed_mentions": {"parse": []}}
    _check_body(body)
    header, *others = embeds
    assert alive(header.title or "") == []
    assert alive(header.description or "") == []
    for embed, result in zip(others, results, strict=True):
        assert alive(embed.title or "") == []
        assert (embed.url, embed.thumbnail.url) == (result.url, result.image)
        *snippet, source = (embed.description or "").split("\n")
        assert len(snippet) == bool(result.snippet)
        assert alive("\n".join(snippet)) == []
        _check_source(source)


def _check_plain(content: str, results: list[SearchResult]) -> None:
    _check_body({"content": content, "allowed_mentions": {"parse": []}})
    header, *blocks = content.split("\n\n")
    for block in (header, *blocks):
        title, *lines = block.split("\n")
        assert title.startswith("**")
        assert title.endswith("**")
        assert alive(title[2:-2]) == []
    assert len(blocks) == len(results)
    for block, result in zip(blocks, results, strict=True):
        _, *lines, source = block.split("\n")
        if lines[:1] == [f"<{result.url}>"]:
            lines.pop(0)
        assert len(lines) <= 1
        assert alive("\n".join(lines)) == []
        _check_source(source)


def _check_source(line: str) -> None:
    found = _SOURCE.fullmatch(line)
    assert found, line
    assert alive(found["host"]) == []


def _check_body(body: dict[str, Any]) -> None:
    """Hold a body against Discord's limits, and against its API document where that is at hand."""
    assert check_message(body) == []
    contract = _contract()
    if contract is not None:
        assert contract.check_request(*_EDIT, body) == []


@cache
def _contract() -> Contract | None:
    return load()


def _check_terminal(output: str, results: tuple[SearchResult, ...], width: int) -> None:
    """Hold that only ours drives the terminal, and that no line but a result's first begins where it begins."""
    bare = _OURS_ON_TERMINAL.sub("", output)
    assert all(character == "\n" or character.isprintable() or character in _INVISIBLE for character in bare), bare
    count, *lines = bare.splitlines()
    assert count.endswith(" · Exa")
    firsts = [place for place, line in enumerate(lines) if line and not line.startswith("   ")]
    assert [_NUMBERED.match(lines[place])[1] for place in firsts] == [str(n) for n, _ in enumerate(results, 1)]  # type: ignore[index] # no match fails too
    assert all(lines[place - 1] == "" for place in firsts)
    assert lines.count("") == len(results)
    ends = [end - 2 for end in (*firsts[1:], len(lines) + 1)]
    assert [lines[end] for end in ends] == [f"   {result.url}" for result in results]
    assert all(_room(line) <= width for place, line in enumerate(lines) if place not in ends)


def _room(line: str) -> int:
    """Count the columns that a terminal takes which joins nothing: an overlong grapheme of Hangul's parts is one."""
    pairs = zip(line, f"{line[1:]} ", strict=False)
    return sum(_columns(one, following) for one, following in pairs if not "\u1100" <= one <= "\u11ff")


def _columns(character: str, following: str) -> int:
    if unicodedata.category(character) in {"Mn", "Me", "Cf"}:
        return 0
    wide = unicodedata.east_asian_width(character) in {"W", "F"} or following == "\ufe0f"
    return 2 if wide else 1


# Joiners, variants and the tags of three flags, which a cleaned text may hold inside of something that is seen.
_INVISIBLE: Final = frozenset(
    "\u200c\u200d\u180e\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2"
) | {
    *map(chr, range(0xE0061, 0xE0080)),
    "\U000110bd",
    "\U000110cd",
}


def _check_values(result: SearchResult) -> None:
    """Hold that each value is one line, and comes back from JSON as it was."""
    for value in (result.title, result.snippet, result.host, result.url, result.image or ""):
        assert len(value.splitlines()) <= 1
        assert json.loads(json.dumps([value, "end"], ensure_ascii=False).encode()) == [value, "end"]
