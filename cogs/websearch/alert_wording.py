"""Word what the bot's owner is told of trouble: what is wrong, what to do, how often since when.

Texts are Markdown as Discord shows it, escaped, and fit into a message.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from . import limits, text, wording
from .i18n import N_
from .troubles import Kind

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .i18n import Words
    from .troubles import Trouble

_WRONG: Final[Mapping[Kind, str]] = {
    Kind.KEY: N_("{engine} refuses the bot's key, so it isn't asked any more."),
    Kind.CREDITS: N_("The bot's credit at {engine} is used up, so it isn't asked any more."),
    Kind.BUDGET: N_("The bot has spent its budget of {sum} US dollars a day, so nothing more is searched today."),
    Kind.ENGINE: N_("{engine} fails, search after search."),
    Kind.DATABASE: N_("The bot's database {file} fails, and without it nothing is searched."),
}
_DO: Final[Mapping[Kind, str]] = {
    Kind.KEY: N_(
        "Put a good key into the configuration: searching goes on within seconds. If this key is good again, reload"
        " the web search. Where the bot runs as several processes, those that weren't refused go on."
    ),
    Kind.CREDITS: N_("Buy credit there, or raise the key's budget: a search every ten minutes finds out by itself."),
    Kind.BUDGET: N_("Raise web-daily-budget-usd if members are to search on today."),
    Kind.ENGINE: N_("Check this machine's connection and the engine's status page: the bot goes on trying."),
    Kind.DATABASE: N_("Make sure that its disk has room and that the bot may write there: the log says what failed."),
}
_OVER: Final[Mapping[Kind, str]] = {
    Kind.KEY: N_("{engine} takes the bot's key again, and members search as before."),
    Kind.CREDITS: N_("The bot has credit at {engine} again, and members search as before."),
    Kind.ENGINE: N_("{engine} works again, and members search as before."),
    Kind.DATABASE: N_("The bot's database works again, and members search as before."),
}


def trouble(found: Trouble, words: Words) -> str:
    """Say what is wrong, what to do, and, where it's counted, how often since when and what the engine said."""
    lines = [f"**{_say(_WRONG[found.kind], found, words)}**", _say(_DO[found.kind], found, words)]
    if found.where:
        lines.append(_last(found, words))
    if small := _so_far(found, words):
        lines.append(f"-# {small}")
    return "\n".join(lines)


def over(found: Trouble, words: Words) -> str:
    """Say that a trouble has ended."""
    return _say(_OVER[found.kind], found, words)


def _say(sentence: str, found: Trouble, words: Words) -> str:
    return words(
        sentence,
        engine=text.escape(wording.engine(found.where, words)),
        file=text.escape_within(text.tidy(found.detail, limits.TITLE), limits.EMBED_TITLE),
        sum=words.number(found.sum),
    )


def _so_far(found: Trouble, words: Words) -> str:
    """Say how often since when, or when a budget's day is over; the one line that holds live markup."""
    if found.day is not None:
        end = f"<t:{found.day.ends}:f>"
        return words("Members can search again from {date} on.", date=end)
    if not found.count:
        return ""
    since = f"<t:{int(found.since)}:f>"
    return words.plural(
        "{count} search has failed since {date}.",
        "{count} searches have failed since {date}.",
        found.count,
        date=since,
    )


def _last(found: Trouble, words: Words) -> str:
    """Name the last error as the log and docs/errors.md do; what the engine said is text of strangers."""
    if not found.detail:
        return words("The last error: {error}.", error=text.escape(found.key))
    said = text.escape(text.clean(found.detail, limits.DETAIL))
    return words("The last error: {error}, “{detail}”.", error=text.escape(found.key), detail=said)
