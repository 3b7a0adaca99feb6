"""Turn an outcome or an error, and a locale, into embeds within Discord's limits."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, Final

import discord

from . import errors, limits, text, wording

if TYPE_CHECKING:
    from .i18n import Words
    from .models import Outcome, SearchRequest, SearchResult

ACCENT: Final = 0x3B82F6
TROUBLE: Final = 0xD9534F
QUIET: Final = 0x8A8F98
# What the header may take of the 6000 characters that all embeds of a message share: title, facts and page number.
_HEADER_FACTS: Final = 900
_HEADER_FOOTER: Final = 60
# What a result's last line takes at most: a host, a separator and a timestamp.
_SOURCE: Final = 320
_SNIPPET: Final = (
    limits.EMBEDS_TOTAL - limits.EMBED_TITLE - _HEADER_FACTS - _HEADER_FOOTER
) // limits.RESULTS_PER_PAGE - (limits.EMBED_TITLE + _SOURCE)


def page_count(outcome: Outcome) -> int:
    """Tell how many pages the results of an outcome fill, at least one."""
    return max(1, ceil(len(outcome.page.results) / limits.RESULTS_PER_PAGE))


def results(outcome: Outcome, page: int, words: Words) -> list[discord.Embed]:
    """Make the embeds of one page, counted from 0: a header, then one embed a result."""
    first = page * limits.RESULTS_PER_PAGE
    shown = outcome.page.results[first : first + limits.RESULTS_PER_PAGE]
    return [_header(outcome, page, words), *(_result(result, words) for result in shown)]


def failure(error: errors.WebSearchError, words: Words) -> discord.Embed:
    """Make the embed that tells a member why there are no results."""
    quiet = isinstance(error, errors.NoResults | errors.InvalidSearch | errors.SearchRefused)
    return notice(wording.explain(error, words), trouble=not quiet)


def notice(sentence: str, *, trouble: bool = False) -> discord.Embed:
    """Make an embed of one sentence of ours, given as plain text."""
    return discord.Embed(
        description=text.escape_within(sentence, limits.EMBED_DESCRIPTION), colour=TROUBLE if trouble else QUIET
    )


def _header(outcome: Outcome, page: int, words: Words) -> discord.Embed:
    _ = words
    count = len(outcome.page.results)
    facts = [words.plural("{count} result", "{count} results", count), outcome.page.backend]
    facts.extend(_filters(outcome.request, words))
    embed = discord.Embed(
        title=text.escape_within(outcome.request.query, limits.EMBED_TITLE),
        description=text.escape_within(" · ".join(facts), _HEADER_FACTS),
        colour=ACCENT,
    )
    pages = page_count(outcome)
    if pages > 1:
        embed.set_footer(text=_("Page {page} of {pages}", page=words.number(page + 1), pages=words.number(pages)))
    return embed


def _filters(request: SearchRequest, words: Words) -> list[str]:
    """Name the options that narrowed the search, as the member chose them."""
    named: list[str] = []
    if request.category is not None:
        named.append(wording.category(request.category, words))
    if request.period is not None:
        named.append(wording.period(request.period, words))
    if request.sites:
        named.append(", ".join(request.sites))
    return named


def _result(result: SearchResult, words: Words) -> discord.Embed:
    source = f"-# {text.escape_within(result.host, _SOURCE - 40)} · {_published(result, words)}"
    snippet = text.escape_within(result.snippet, _SNIPPET)
    embed = discord.Embed(
        title=text.escape_within(result.title or result.host, limits.EMBED_TITLE),
        url=result.url,
        description=f"{snippet}\n{source}" if snippet else source,
        colour=ACCENT,
    )
    if result.image is not None:
        embed.set_thumbnail(url=result.image)
    return embed


def _published(result: SearchResult, words: Words) -> str:
    _ = words
    if result.published is None:
        return text.escape(_("undated"))
    # Discord shows this as a date in the reader's own time zone and language.
    return f"<t:{int(result.published.timestamp())}:D>"
