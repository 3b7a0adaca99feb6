"""Word how an engine does: in Discord, where moments are live markup, and on a terminal, where they are words."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

import msgspec

from . import text, wording
from .breaker import State
from .charges import DOLLAR
from .troubles import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .health import Signs
    from .i18n import Words


class Manner(msgspec.Struct, frozen=True, kw_only=True):
    """Say how things are written: `safe` takes a name, `date` and `ago` a moment in Unix seconds."""

    safe: Callable[[str], str]
    date: Callable[[float], str]
    ago: Callable[[float], str]


# As Discord shows it, in each reader's own time zone.
MARKDOWN: Final = Manner(
    safe=text.escape,
    date=lambda moment: f"<t:{int(moment)}:f>",
    ago=lambda moment: f"<t:{int(moment)}:R>",
)


def name(signs: Signs, words: Words, manner: Manner) -> str:
    """Say what is searched, and what's wrong with it."""
    shown, trouble = manner.safe(wording.engine(signs.name, words)), signs.trouble
    if not signs.is_open:
        return words("Fallback: {name}, which isn't open yet", name=shown)
    if trouble is None:
        if signs.answers:
            return words("Answers: {name}", name=shown)
        return words("Fallback: {name}", name=shown) if signs.stands_in else words("Engine: {name}", name=shown)
    since = manner.date(trouble.since)
    match trouble.kind:
        case Kind.KEY:
            return words("Engine: {name}, which has refused the bot's key since {date}", name=shown, date=since)
        case Kind.CREDITS:
            return words("Engine: {name}, where the bot's credit is used up since {date}", name=shown, date=since)
        case _:
            return words.plural(
                "Engine: {name}, which has failed {count} search in a row since {date}",
                "Engine: {name}, which has failed {count} searches in a row since {date}",
                trouble.count,
                name=shown,
                date=since,
            )


def facts(signs: Signs, words: Words, manner: Manner) -> Iterator[str]:
    """Say whether it's asked, how long it takes, when it last answered and failed, and what it cost today."""
    if signs.state is State.OPEN:
        yield words("not asked for now")
    if signs.state is State.HALF_OPEN:
        yield words("to be tried by one search")
    if signs.latency is not None:
        yield words("usually takes {seconds} s", seconds=words.number(round(signs.latency, 1)))
    if signs.succeeded is not None:
        yield words("last answered {when}", when=manner.ago(signs.succeeded))
    if signs.failed is not None:
        error = manner.safe(signs.failure)
        yield words("last failed {when}, {error}", when=manner.ago(signs.failed), error=error)
    if signs.cost:
        yield words("{cost} US dollars today", cost=words.number(signs.cost / DOLLAR))
