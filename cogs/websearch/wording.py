"""Turn errors and values into words: the one place that says what went wrong, where, and what to do about it.

Sentences for members name no detail of an engine, a file or the database. All are plain text: whoever shows them
escapes them.
"""

from __future__ import annotations

from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from . import backend_wording, errors, owner_wording, press_wording, tool_wording
from .charges import Limit
from .i18n import N_
from .models import Category, Period

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from .i18n import Words
    from .models import Answer, FetchedPage, SearchPage

    # Says a moment, given in Unix seconds, where a sentence needs one.
    Moment = Callable[[int], str]

_SENTENCES: Final[Mapping[str, str]] = {
    "command-clash": N_(
        "Another part of this bot has a command named {name} already: rename or remove one of the two."
    ),
    "commands-full": N_("This bot has {most} commands already, and Discord takes no more: remove one of them."),
    "discord-token-refused": N_("Discord doesn't know the bot's token: copy a new one from the app's page on Discord."),
    "discord-unreachable": N_("Discord can't be reached: check this machine's connection, then try again."),
    "own-fault": N_("Something went wrong in the bot: tell the bot's owner."),
    "search-interrupted": N_("Web search is being restarted: try again in a moment."),
    "message-empty": N_("That message has no text to search for."),
    "query-empty": N_("There's nothing to search for: type a few words."),
    "query-too-long": N_("The query has {length} characters, but at most {most} can be searched for: shorten it."),
    "results-out-of-range": N_("A search can't bring {found} results: ask for {least} to {most}."),
    "address-invalid": N_("That's no address of a public page: take one that begins with https://."),
    "answer-unsupported": N_("{backend} can't narrow an answer by {option}: leave that out, or ask for results."),
    "answers-unbound": N_(
        "This server allows some sites alone, and {backend} can't keep its answers to them: ask for results."
    ),
    "reading-unsupported": N_("{backend} can't read pages: open the page itself by its link."),
    "site-blocked": N_("Nothing of {site} is shown here: the bot's owner blocks it."),
    "site-hidden": N_("Nothing of {site} is shown in this server: its moderators have ruled that out."),
    "site-invalid": N_("“{site}” is no domain of the public web: type one such as example.com."),
    "sites-too-many": N_("A search takes at most {most} sites: name fewer."),
    "budget-held": N_("Other searches are using up what the bot can spend today: try again in a moment."),
    "search-disabled": N_("Web search is switched off: only the bot's owner can switch it on."),
    "user-install-disabled": N_("Web search doesn't work here: use it in a server that has the bot."),
    # By the rule that decided, each with a way out; the last two are where no moderator has said anything.
    "switched-off-thread": N_(
        "Web search is off in this thread: search in another channel, or ask a moderator to switch it on here."
    ),
    "switched-off-channel": N_(
        "Web search is off in this channel: search in another one, or ask a moderator to switch it on here."
    ),
    "switched-off-category": N_(
        "Web search is off in this category of channels: search in another channel, or ask a moderator to switch it on."
    ),
    "switched-off-server": N_("Web search is off in this server: ask a moderator to switch it on."),
    "switched-off-server-only": N_(
        "Web search is off in this server: search in a direct message to the bot, or ask a moderator to switch it on."
    ),
    "switched-off-unknown": N_(
        "Web search is off here: the bot can't see the channel that this thread follows."
        " Search in another channel, or tell a moderator."
    ),
    "switched-off-default": N_("Web search is off here until a moderator switches it on with /{websearch}."),
    "switched-off-direct": N_("Web search is off in direct messages: use it in a server that has the bot."),
    "duration-invalid": N_(
        "“{value}” can't be taken as a duration: type one such as 30m, 2h, 7d or 1w, up to 365 days."
    ),
    "places-exclusive": N_("A channel and the whole server can't be named at once: leave one of the two out."),
    "place-unknown": N_("The bot can't tell which channel this is: name one in the option {channel}."),
    "server-not-managed": N_("That takes the permission to manage this server, which you don't have."),
    "channel-not-managed": N_("That takes the permission to manage that channel, which you don't have."),
    "thread-not-managed": N_("That takes the permission to manage that thread or its channel, which you don't have."),
    "channel-not-seen": N_("That takes the permission to view that channel, which you don't have."),
    "domain-invalid": N_(
        "“{site}” is no domain of the public web, so nothing is changed: type one such as example.com."
    ),
    "domain-missing": N_("No site is named: type a domain such as example.com."),
    "domains-too-many": N_("At most {most} sites can be named at once: name fewer."),
    "site-rules-too-many": N_("A server can block or allow at most {most} sites: remove some of them first."),
    "nothing-allowed": N_("Nothing was found on the sites that this server allows: try other words."),
    "nothing-found": N_("Nothing was found: try fewer or other words."),
    "store-failed": N_("The bot's database failed: try again, and tell the bot's owner if it happens again."),
    **backend_wording.SENTENCES,
    **press_wording.SENTENCES,
    **tool_wording.SENTENCES,
}

_OPTIONS: Final[Mapping[str, str]] = {
    "query": N_("query"),
    "results": N_("results"),
    "category": N_("category"),
    "period": N_("period"),
    "site": N_("site"),
    "private": N_("private"),
    "mode": N_("mode"),
    "channel": N_("channel"),
    "server": N_("server"),
    "visibility": N_("visibility"),
    "domains": N_("domains"),
}

# What sentences name beside options by what their reader sees on Discord, which may be a translation.
_COMMANDS: Final[Mapping[str, str]] = {
    "search": N_("search"),
    "websearch": N_("websearch"),
    "inherit": N_("inherit"),
}

CATEGORIES: Final[Mapping[Category, str]] = {
    Category.NEWS: N_("News"),
    Category.PUBLICATION: N_("Publications"),
    Category.COMPANY: N_("Companies"),
    Category.PEOPLE: N_("People"),
    Category.PERSONAL_SITE: N_("Personal sites"),
    Category.FINANCIAL_REPORT: N_("Financial reports"),
}

# What `mode` of `/search` takes.
RESULTS: Final = "results"
ANSWER: Final = "answer"
MODES: Final[Mapping[str, str]] = {RESULTS: N_("Results"), ANSWER: N_("An answer")}

PERIODS: Final[Mapping[Period, str]] = {
    Period.DAY: N_("Past day"),
    Period.WEEK: N_("Past week"),
    Period.MONTH: N_("Past month"),
    Period.YEAR: N_("Past year"),
}

# A domain may have 253 characters, a sentence 300 in all.
_SITE: Final = 100


def explain(error: errors.WebSearchError, words: Words, *, moment: Moment | None = None) -> str:
    """Say what went wrong and what to do, to whom the error concerns: the member or the owner.

    `moment` says when, as in “search again in 2 hours”; without it, date and time in UTC do. Return one or two
    sentences of plain text, neither escaped nor longer than 300 characters.
    """
    said = _explain(error, words, moment)
    if hasattr(error, "backend"):
        # An engine of ours has a name in small letters, which may stand first.
        return said[:1].upper() + said[1:]
    return said


def _explain(error: errors.WebSearchError, words: Words, moment: Moment | None) -> str:
    match error:
        case (
            errors.ConfigError()
            | errors.DatabaseUnusable()
            | errors.BackupRefused()
            | errors.BackupFailed()
            | errors.OutputFailed()
            | errors.DiscordUnusable()
        ):
            return owner_wording.explain(error, words)
        case errors.BackendError() if backend_wording.wait_of(error) is not None:
            return backend_wording.later(error, engine(error.backend, words), words)
        case errors.NoResults():
            return _nothing(error, words)
        case errors.LimitReached():
            return _limit(error, words, moment)
        case errors.OptionUnsupported() | errors.OptionsExclusive() | errors.UnknownChoice():
            return _unfit(error, words)
        case _:
            sentence = _SENTENCES.get(_key_of(error), _SENTENCES["own-fault"])
            return words(sentence, **names(words), **_parameters(error, words))


def _key_of(error: errors.WebSearchError) -> str:
    match error:
        case errors.SwitchedOff():
            return f"{error.key}-{error.rule}"
        case errors.BackendError():
            return backend_wording.key_of(error)
        case _:
            return tool_wording.key_of(error)


def explain_to_owner(error: errors.WebSearchError, words: Words) -> str:
    """Say what keeps the bot from working as it's configured; of an engine also what it said itself."""
    if isinstance(error, errors.BackendError) and error.detail:
        backend = engine(error.backend, words)
        return words("{backend} can't be opened: “{detail}”.", backend=backend, detail=error.detail)
    return explain(error, words)


@contextmanager
def told_to_owner(words: Words) -> Iterator[None]:
    """Let the `str` of an error that leaves be its sentence, for a log or the last line of a traceback.

    Nothing inside may search: a sentence can hold what an error's parameters do.
    """
    try:
        yield
    except errors.WebSearchError as error:
        error.sentence = explain_to_owner(error, words)
        raise


def names(words: Words) -> dict[str, str]:
    """Map the commands and options that sentences name, such as `search`, to their names as the reader sees them."""
    return {key: words.name(english) for key, english in (*_COMMANDS.items(), ("channel", _OPTIONS["channel"]))}


def option(name: str, words: Words) -> str:
    """Return the name of an option as members see it."""
    return words.name(_OPTIONS[name]) if name in _OPTIONS else name


def engine(name: str, words: Words) -> str:
    """Return the name of a search engine, which is a text where the engine is a part of this package."""
    return words.find(name) or name


def answered_by(page: SearchPage | FetchedPage | Answer, words: Words) -> str:
    """Name the search engine that answered, and the one that it stood in for."""
    name, other = engine(page.backend, words), engine(page.instead_of, words)
    return words("{engine}, since {other} didn't answer", engine=name, other=other) if page.instead_of else name


def category(value: Category, words: Words) -> str:
    """Return a category as members see it."""
    return words(CATEGORIES[value])


def period(value: Period, words: Words) -> str:
    """Return a period as members see it."""
    return words(PERIODS[value])


def _unfit(error: errors.OptionUnsupported | errors.OptionsExclusive | errors.UnknownChoice, words: Words) -> str:
    name = option(error.option, words)
    if isinstance(error, errors.UnknownChoice):
        return words("“{value}” is no choice for {option}: take one from its list.", value=error.value, option=name)
    labels = {str(value): label for value, label in (*CATEGORIES.items(), *PERIODS.items(), *MODES.items())}
    value = words.name(labels[error.value]) if error.value in labels else error.value
    if isinstance(error, errors.OptionsExclusive):
        return words(
            "The options {option} and {other} “{value}” can't be combined: leave one of the two out.",
            option=name,
            other=option(error.other, words),
            value=value,
        )
    backend = engine(error.backend, words)
    if value:
        return words(
            "{backend} can't be searched by {option} “{value}”: take another one, or leave that option out.",
            backend=backend,
            option=name,
            value=value,
        )
    return words("{backend} can't be searched by {option}: leave that option out.", backend=backend, option=name)


def _nothing(error: errors.NoResults, words: Words) -> str:
    match error:
        case errors.NothingUsable(found=found):
            return words.plural(
                "{count} page was found, but it's not fit to be shown: try other words.",
                "{count} pages were found, but none is fit to be shown: try other words.",
                found,
            )
        case errors.NothingFound(sites=(site,)) if len(site) <= _SITE:
            return words("Nothing was found on {site}: try other words, or leave the site out.", site=site)
        case errors.NothingFound(sites=sites) if sites:
            return words("Nothing was found on these sites: try other words, or leave the sites out.")
        case _:
            return words(_SENTENCES[error.key])


def _limit(error: errors.LimitReached, words: Words, moment: Moment | None) -> str:
    if moment is None:
        minute = datetime.fromtimestamp(error.resets, UTC).strftime("%Y-%m-%d %H:%M")
        when = words("at {minute} UTC", minute=minute)
    else:
        when = moment(error.resets)
    count = int(error.most)
    match error.limit:
        case Limit.MINUTE:
            return words.plural(
                "You can make {count} search in a minute: search again {when}.",
                "You can make {count} searches in a minute: search again {when}.",
                count,
                when=when,
            )
        case Limit.MEMBER:
            return words.plural(
                "You can make {count} search a day, and that's used up: search again {when}.",
                "You can make {count} searches a day, and they're used up: search again {when}.",
                count,
                when=when,
            )
        case Limit.SERVER:
            return words.plural(
                "This server can make {count} search a day, and that's used up: search again {when}.",
                "This server can make {count} searches a day, and they're used up: search again {when}.",
                count,
                when=when,
            )
        case Limit.BUDGET:
            return words(
                "The bot can spend {sum} US dollars a day on searches, and they're spent: search again {when}.",
                sum=words.number(error.most),
                when=when,
            )


def _parameters(error: errors.WebSearchError, words: Words) -> dict[str, str]:
    """Return an error's parameters as they're shown; what an engine said is for the log alone."""
    shown = {name: value for name, value in vars(error).items() if name not in {"detail", "tag"}}
    told = {name: words.number(value) if isinstance(value, int) else str(value) for name, value in shown.items()}
    if "backend" in told:
        told["backend"] = engine(told["backend"], words)
    if "option" in told:
        told["option"] = option(told["option"], words)
    return told
