"""Word how an engine does: in Discord, where moments are live markup, and on a terminal, where they are words."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

import msgspec

from . import text, wording
from .breaker import State
from .charges import DOLLAR, Act
from .i18n import N_
from .troubles import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from .health import Signs
    from .i18n import Words
    from .troubles import Trouble


class Manner(msgspec.Struct, frozen=True, kw_only=True):
    """Say how things are written: `safe` takes a name, `date` and `ago` a moment in Unix seconds.

    `joint` stands between facts.
    """

    safe: Callable[[str], str]
    date: Callable[[float], str]
    ago: Callable[[float], str]
    joint: str


# As Discord shows it, in each reader's own time zone.
MARKDOWN: Final = Manner(
    safe=text.escape,
    date=lambda moment: f"<t:{int(moment)}:f>",
    ago=lambda moment: f"<t:{int(moment)}:R>",
    joint=" · ",
)

# What an engine is asked for beside searches.
_BESIDE: Final[Mapping[Act, str]] = {
    Act.READ: N_("Pages by {name}: {told}"),
    Act.ANSWER: N_("Answers by {name}: {told}"),
}


def name(signs: Signs, words: Words, manner: Manner) -> str:
    """Say what is searched, and what's wrong with it."""
    shown, trouble = manner.safe(wording.engine(signs.name, words)), signs.trouble
    if not signs.is_open:
        return words("Fallback: {name}, which isn't open yet", name=shown)
    if signs.answers:
        told = None if trouble is None else _failing(trouble, words, manner)
        return words(_BESIDE[Act.ANSWER], name=shown, told=told) if told else words("Answers: {name}", name=shown)
    if trouble is None:
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
    yield from _last_failed(signs, words, manner)
    if signs.cost:
        yield words("{cost} US dollars today", cost=words.number(signs.cost / DOLLAR))


def beside(signs: Signs, words: Words, manner: Manner) -> dict[Act, str]:
    """Say of pages and answers how the engine fails there, where that differs from its searches; else nothing."""
    shown = manner.safe(wording.engine(signs.name, words))
    found: dict[Act, str] = {}
    for act, said in _BESIDE.items():
        own = signs.beside.get(act)
        if own is not None and _is_apart(own, signs):
            found[act] = words(said, name=shown, told=manner.joint.join(_amiss(own, words, manner)))
    return found


def _is_apart(own: Signs, signs: Signs) -> bool:
    """Tell whether something is amiss that its searches don't tell."""
    if own.trouble is not None and own.trouble.kind is not Kind.ENGINE:
        # What the engine says of the bot's account, it says of all that the bot asks: a search that went well since has
        # shown that it's over.
        told = signs.trouble is not None and signs.trouble.kind is own.trouble.kind
        return not told and (signs.succeeded is None or signs.succeeded <= own.trouble.since)
    failing = own.failed is not None and (own.succeeded is None or own.failed > own.succeeded)
    return failing or own.trouble is not None or own.state is not State.CLOSED


def _amiss(own: Signs, words: Words, manner: Manner) -> Iterator[str]:
    if own.trouble is not None:
        yield _failing(own.trouble, words, manner)
    if own.state is State.OPEN:
        yield words("not asked for now")
    if own.state is State.HALF_OPEN:
        yield words("to be tried once")
    yield from _last_failed(own, words, manner)


def _failing(trouble: Trouble, words: Words, manner: Manner) -> str:
    since = manner.date(trouble.since)
    match trouble.kind:
        case Kind.KEY:
            return words("the bot's key has been refused since {date}", date=since)
        case Kind.CREDITS:
            return words("the bot's credit has been used up since {date}", date=since)
        case _:
            return words.plural(
                "failed {count} time in a row since {date}",
                "failed {count} times in a row since {date}",
                trouble.count,
                date=since,
            )


def _last_failed(signs: Signs, words: Words, manner: Manner) -> Iterator[str]:
    if signs.failed is not None:
        error = manner.safe(signs.failure)
        yield words("last failed {when}, {error}", when=manner.ago(signs.failed), error=error)
