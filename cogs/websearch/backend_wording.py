"""Say how an engine failed, and what a member can do then, which depends on what it was asked to do."""

from __future__ import annotations

from math import ceil, isfinite
from typing import TYPE_CHECKING, Final

from . import errors
from .i18n import N_

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .i18n import Words

# By the key of an error; behind that by what the engine was asked to do, where a search's sentence won't do.
SENTENCES: Final[Mapping[str, str]] = {
    "backend-error": N_("{backend} couldn't search: try again in a moment."),
    "backend-request-rejected": N_("{backend} doesn't take this search: try other words or fewer options."),
    "backend-request-rejected-answer": N_("{backend} doesn't take this question: ask in other words."),
    "backend-key-refused": N_("{backend} doesn't accept the bot's key: tell the bot's owner."),
    "backend-credits-exhausted": N_("The bot's credit at {backend} is used up: tell the bot's owner."),
    "backend-feature-disabled": N_("The bot's account at {backend} may not search like this: tell the bot's owner."),
    "backend-feature-disabled-read": N_("The bot's account at {backend} may not read pages: tell the bot's owner."),
    "backend-feature-disabled-answer": N_(
        "The bot's account at {backend} may not answer questions like this: tell the bot's owner."
    ),
    "backend-format-disabled": N_("{backend} isn't set to answer bots: tell the bot's owner."),
    "backend-limiter-active": N_("{backend} is set to turn bots away: tell the bot's owner."),
    "backend-content-prohibited": N_("{backend} won't search for this: search for something else."),
    "backend-content-prohibited-read": N_("{backend} won't read that page: try another one."),
    "backend-endpoint-missing": N_("{backend} isn't at the address that the bot has for it: tell the bot's owner."),
    "backend-rate-limited": N_("{backend} has too many searches to do: try again in a moment."),
    "backend-broken": N_("{backend} failed: try again in a moment."),
    "backend-parts-silent": N_("{backend} found nothing, but parts of it didn't answer: try again in a moment."),
    "backend-unable": N_("{backend} has no response to this: try other words."),
    "backend-overloaded": N_("{backend} is overloaded: try again in a few minutes."),
    "backend-timeout": N_("{backend} took too long: try again in a moment."),
    "backend-unreachable": N_("{backend} can't be reached: try again in a moment."),
    "backend-redirect": N_("{backend} sent the bot to another address, where it doesn't go: tell the bot's owner."),
    "backend-invalid-answer": N_("{backend} sent an answer that makes no sense: try again in a moment."),
    "backend-page-unreadable": N_("{backend} can't read that page: try another one."),
    "backend-answer-too-large": N_("{backend} sent more than the bot reads: ask for fewer results."),
    "backend-answer-too-large-answer": N_("{backend} sent more than the bot reads: ask in other words."),
}

# Likewise, where it's known when to come back.
_LATER: Final[Mapping[type[errors.BackendError], str]] = {
    errors.BackendBusy: N_("There are too many searches at once: try again {wait}."),
    errors.BackendDown: N_("{backend} has failed again and again: try again {wait}."),
    errors.BackendOverloaded: N_("{backend} is overloaded: try again {wait}."),
}
_RATE_LIMITED: Final = N_("{backend} has too many searches to do: try again {wait}.")
# Longer waits are told in minutes, then in hours.
_SECONDS: Final = 90
_MINUTES: Final = 90 * 60


def key_of(error: errors.BackendError) -> str:
    """Return the key of the sentence of an error."""
    own = f"{error.key}-{error.act}"
    return own if own in SENTENCES else error.key


def wait_of(error: errors.BackendError) -> float | None:
    """Tell in how many seconds it's worth coming back, or None where the error doesn't know."""
    wait: float | None = getattr(error, "retry_after", None)
    return wait if wait is not None and isfinite(wait) else None


def later(error: errors.BackendError, backend: str, words: Words) -> str:
    """Say when to come back, where `wait_of` knows; `backend` is the engine's name as it's shown."""
    sentence = next((said for kind, said in _LATER.items() if isinstance(error, kind)), _RATE_LIMITED)
    return words(sentence, backend=backend, wait=_in(wait_of(error) or 0.0, words))


def _in(wait: float, words: Words) -> str:
    seconds = max(1, ceil(wait))
    if seconds <= _SECONDS:
        return words.plural("in about {count} second", "in about {count} seconds", seconds)
    if seconds <= _MINUTES:
        return words.plural("in about {count} minute", "in about {count} minutes", ceil(seconds / 60))
    return words.plural("in about {count} hour", "in about {count} hours", ceil(seconds / 3600))
