"""Turn an outcome or an error, and a locale, into embeds within Discord's limits."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

import discord

from . import errors, hosts, limits, site_rules, text, wording

if TYPE_CHECKING:
    from .i18n import Words
    from .models import FetchedPage, Outcome, SearchRequest, SearchResult

ACCENT: Final = 0x3B82F6
TROUBLE: Final = 0xD9534F
QUIET: Final = 0x8A8F98
# What is nobody's fault, or easily put right by whoever reads it.
_QUIET_ERRORS: Final = (
    errors.NoResults,
    errors.InvalidSearch,
    errors.SearchRefused,
    errors.PressRefused,
    errors.SettingError,
    errors.SearchInterrupted,
)
# What the header may take of the 6000 characters that all embeds of a message share: a title and facts.
_HEADER_FACTS: Final = 900
# Of which a note may take this much.
_NOTE: Final = 300
# What a result's last line takes at most: a host, a separator and a timestamp.
_SOURCE: Final = 320
# Of which the host may take this much, beside 40 for a mark, a separator and a timestamp.
_HOST: Final = _SOURCE - 40
_RESULT: Final = (limits.EMBEDS_TOTAL - limits.EMBED_TITLE - _HEADER_FACTS) // limits.RESULTS_PER_PAGE
# The first of 32 code points that Unicode keeps free of characters for good.
_NO_CHARACTER: Final = 0xFDD0
_SNIPPET: Final = _RESULT - limits.EMBED_TITLE - _SOURCE


def page_count(outcome: Outcome) -> int:
    """Tell how many pages the results of an outcome fill, at least one."""
    return max(1, ceil(len(outcome.page.results) / limits.RESULTS_PER_PAGE))


def results(outcome: Outcome, page: int, words: Words) -> list[discord.Embed]:
    """Make the embeds of one page, counted from 0: a header, then one embed a result, or one that says there's none."""
    shown = [_result(number, result, words) for number, result in numbered(outcome, page)]
    first = header(outcome.request.query, facts(outcome, page, words), note=unanswered(outcome, words))
    return [first, *(shown or [notice(ruled_out(words))])]


def numbered(outcome: Outcome, page: int) -> list[tuple[int, SearchResult]]:
    """Return the results of one page, counted from 0, each with its number among all of them, counted from 1.

    One on a site that may not be shown any more, as a later press may find, is left out; the others keep theirs.
    """
    first = page * limits.RESULTS_PER_PAGE
    found = enumerate(outcome.page.results[first : first + limits.RESULTS_PER_PAGE], first + 1)
    return [(number, result) for number, result in found if site_rules.shows(outcome.request.rules, result.host)]


def ruled_out(words: Words) -> str:
    """Say, unescaped, why a page shows none of its results: when it was made, they were all fit to be shown."""
    return words("The sites of these results aren't shown here any more.")


def facts(outcome: Outcome, page: int, words: Words) -> str:
    """Tell, unescaped, how many results there are, which page this is, who answered, and what narrowed the search."""
    told = [_counted(outcome, words), wording.answered_by(outcome.page, words)]
    pages = page_count(outcome)
    if pages > 1:
        told.append(words("page {page} of {pages}", page=words.number(page + 1), pages=words.number(pages)))
    return " · ".join((*told, *filters(outcome.request, words)))


def _counted(outcome: Outcome, words: Words) -> str:
    """Count the results, and those among them that may be shown, where some may not any more."""
    count = len(outcome.page.results)
    left = sum(site_rules.shows(outcome.request.rules, result.host) for result in outcome.page.results)
    if left == count:
        return words.plural("{count} result", "{count} results", count)
    return words.plural("{left} of {count} result", "{left} of {count} results", count, left=words.number(left))


def unanswered(outcome: Outcome, words: Words) -> str:
    """Say, unescaped, that there are results since the engine can't answer; nothing where no answer was asked for."""
    if not outcome.unanswered:
        return ""
    engine = wording.engine(outcome.unanswered, words)
    return words("{engine} can't answer questions: here is what was found instead.", engine=engine)


def filters(request: SearchRequest, words: Words) -> list[str]:
    """Name, unescaped, the options that narrowed the search, as the member chose them."""
    named: list[str] = []
    if request.category is not None:
        named.append(wording.category(request.category, words))
    if request.period is not None:
        named.append(wording.period(request.period, words))
    if request.sites:
        named.append(", ".join(request.sites))
    return named


def heading(query: str, most: int) -> str:
    """Show what was searched for, escaped, in at most so many code points."""
    return text.escape_within(text.cut(query, limits.TITLE), most)


def title(number: int, result: SearchResult, words: Words, most: int) -> str:
    """Write a result's number and title, escaped, in at most `most` code points."""
    start = f"{words.number(number)} · "
    if result.title:
        return text.escape_within(start + result.title, most)
    return start + untitled(result, most - len(start))


def untitled(page: SearchResult | FetchedPage, most: int) -> str:
    """Name a page without a title, escaped, by its host, of which the end is always there, and the end of its path."""
    start = host(page.host, most)
    end = urlsplit(page.url).path.rstrip("/").rpartition("/")[2]
    return start + text.escape_within(text.cut(f"/{end}", limits.TITLE), most - len(start)) if end else start


def source(result: SearchResult | FetchedPage, words: Words, most: int) -> str:
    """Write the small line with a result's host, escaped, in at most `most` code points, and its date."""
    return f"-# {host(result.host, most)} · {_published(result, words)}"


def host(name: str, most: int) -> str:
    """Write a host, escaped, in at most `most` code points, of which there's at least one: all of it, or its end."""
    room = most
    while len(shown := text.escape(hosts.shorten(name, room))) > most:
        room -= len(shown) - most
    return shown


def failure(error: errors.WebSearchError, words: Words, *, query: str = "") -> discord.Embed:
    """Make the embed that tells a member why there are no results, of which search where that is not plain to see."""
    quiet = isinstance(error, _QUIET_ERRORS)
    embed = discord.Embed(description=_sentence(error, words), colour=QUIET if quiet else TROUBLE)
    if query:
        embed.title = heading(query, limits.EMBED_TITLE)
    return embed


def _sentence(error: errors.WebSearchError, words: Words) -> str:
    """Word an error, with every moment in it as Discord's relative time, which counts down by itself."""
    told: dict[str, str] = {}

    def moment(at: int) -> str:
        # Of the characters that no text may hold, so that nobody else's takes its place.
        sign = chr(_NO_CHARACTER + len(told))
        told[sign] = f"<t:{at}:R>"
        return sign

    sentence = text.escape_within(wording.explain(error, words, moment=moment), limits.EMBED_DESCRIPTION)
    for sign, shown in told.items():
        sentence = sentence.replace(sign, shown)
    return sentence


def notice(sentence: str, *, trouble: bool = False) -> discord.Embed:
    """Make an embed of one sentence of ours, given as plain text."""
    return discord.Embed(
        description=text.escape_within(sentence, limits.EMBED_DESCRIPTION), colour=TROUBLE if trouble else QUIET
    )


def header(query: str, told: str, *, note: str = "") -> discord.Embed:
    """Make the embed that begins a reply: what was asked for, and the facts, of which a note stands before the rest."""
    first = text.escape_within(note, _NOTE)
    rest = text.escape_within(told, _HEADER_FACTS - len(first) - 1)
    description = f"{first}\n{rest}" if first else rest
    return discord.Embed(title=heading(query, limits.EMBED_TITLE), description=description, colour=ACCENT)


def _result(number: int, result: SearchResult, words: Words) -> discord.Embed:
    last = source(result, words, _HOST)
    snippet = text.escape_within(result.snippet, _SNIPPET)
    embed = discord.Embed(
        title=title(number, result, words, limits.EMBED_TITLE),
        url=result.url,
        description=f"{snippet}\n{last}" if snippet else last,
        colour=ACCENT,
    )
    if result.image is not None:
        embed.set_thumbnail(url=result.image)
    return embed


def _published(result: SearchResult | FetchedPage, words: Words) -> str:
    if result.published is None:
        return text.escape(words("undated"))
    # Discord shows this as a date in the reader's own time zone and language.
    return f"<t:{int(result.published.timestamp())}:D>"
