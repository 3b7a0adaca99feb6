"""Say to a language model why a call of a tool did nothing, and what to do: in English, which all of them read best.

What it tells its member of that is in the member's language, as all that it says.
"""

from __future__ import annotations

from datetime import UTC, datetime
from math import ceil
from typing import TYPE_CHECKING, Final

from .errors.tool import ArgumentInvalid, ArgumentKind
from .i18n import N_

if TYPE_CHECKING:
    from collections.abc import Mapping

    from . import errors
    from .i18n import Words

# By the key of an error, and behind that by the kind of an argument.
SENTENCES: Final[Mapping[str, str]] = {
    "tool-unknown": N_("There's no such tool: call one of {tools}."),
    "arguments-unreadable": N_("The arguments can't be read: send one JSON object with the fields of the tool."),
    "argument-missing": N_("The argument {argument} is missing: send it."),
    "argument-invalid-text": N_("The argument {argument} takes a text: send one."),
    "argument-invalid-number": N_("The argument {argument} takes a whole number: send one, or leave it out."),
    "argument-invalid-flag": N_("The argument {argument} takes true or false: send one of the two."),
    "id-invalid": N_(
        "Nothing was done, since the bot that runs you passed no whole number as {argument}: tell its author so, and"
        " answer without the web."
    ),
    "servers-unseen": N_(
        "Nothing was searched, since this bot can't tell which server it's asked in: answer without the web. Its author"
        " must switch on the intent “guilds”, as in discord.Intents(guilds=True)."
    ),
    "answers-missing": N_("No search engine of this bot answers questions: call web_search and answer by its results."),
    "search-paused": N_(
        "The member asked for no web search, so nothing was searched: answer without it. Only once they ask to search"
        " again, call web_search_pause with paused set to false."
    ),
}

# Longer waits are told in minutes, then in hours.
_SECONDS: Final = 90
_MINUTES: Final = 90 * 60


def key_of(error: errors.WebSearchError) -> str:
    """Return the key of the sentence of an error."""
    return f"{error.key}-{ArgumentKind(error.kind)}" if isinstance(error, ArgumentInvalid) else error.key


def moment(resets: int, *, now: float, words: Words) -> str:
    """Say when a limit resets, from now on and by the clock, since a model may know neither; both in Unix seconds."""
    seconds = max(1, ceil(resets - now))
    if seconds <= _SECONDS:
        wait = words.plural("in {count} second", "in {count} seconds", seconds)
    elif seconds <= _MINUTES:
        wait = words.plural("in {count} minute", "in {count} minutes", ceil(seconds / 60))
    else:
        wait = words.plural("in {count} hour", "in {count} hours", ceil(seconds / 3600))
    return words(
        "{wait}, at {time} UTC", wait=wait, time=datetime.fromtimestamp(resets, UTC).strftime("%Y-%m-%d %H:%M:%S")
    )
