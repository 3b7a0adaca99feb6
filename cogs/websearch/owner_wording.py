"""Word what is wrong with a bot's configuration, database, start and output, for its owner."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

from . import errors, keys
from .i18n import N_

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .i18n import Words
    from .slips import Slip

_DATABASE: Final[Mapping[str, str]] = {
    "directory": N_("The database {path} can't be used: that's a folder. Name a file in web-database."),
    "no-folder": N_(
        "The database {path} can't be made: its folder isn't there. Make the folder, or change web-database."
    ),
    "link": N_(
        "The database {path} can't be made: it's a link that leads nowhere. Mend the link, or change web-database."
    ),
    "read-only": N_(
        "The database {path} can't be used: it or its folder can't be written to. Let the bot write there."
    ),
    "not-a-database": N_(
        "The file {path} is no database, or a damaged one: put a backup in its place if it was the bot's, else name "
        "another file in web-database."
    ),
    "foreign": N_("The database {path} belongs to another program: name a file of its own in web-database."),
    "corrupt": N_("The database {path} is damaged: put a backup in its place, or move it away to start a new one."),
    "newer": N_("The database {path} was written by a newer version: update the web search, or name another file."),
    "busy": N_("The database {path} is held by another program: end that, then try again."),
    "full": N_("The database {path} can't be written: the disk is full. Make room, then try again."),
    "unusable": N_("The database {path} can't be opened: check that the bot may read and write there."),
}

_BACKUP: Final[Mapping[str, str]] = {
    "exists": N_("There's something at {path} already, and a backup overwrites nothing: name a new file."),
    "leftover": N_(
        "Beside {path} is a file of an earlier database of that name, ending in -wal, -shm or -journal, which would "
        "spoil the backup: delete it, or name another file."
    ),
    "directory": N_("{path} is a folder: name a new file in it."),
    "no-folder": N_("The backup {path} can't be made: its folder isn't there. Make the folder, or name another."),
    "itself": N_("{path} belongs to the database itself: name another file for the backup."),
    "no-database": N_("There's no database at {path} yet: nothing has to be backed up until the bot has run."),
    "memory": N_("The database is kept in memory, which can't be backed up: name a file in web-database."),
    "full": N_("The backup {path} can't be written: there's no room for it. Make room, or name another disk."),
    "read-only": N_("The backup {path} can't be written: its folder can't be written to. Name another folder."),
    "damaged": N_("The backup {path} came out damaged and was taken away: look at the database with doctor."),
    "stopped": N_("The backup {path} was stopped, and nothing is left of it: start it again."),
    "unusable": N_("The backup {path} can't be written: name another file."),
}

_DISCORD: Final[Mapping[str, str]] = {
    "token": N_("The bot's token has quotes around it: write it without them, in the file with no more than one pair."),
    "name": N_("Discord's address can't be looked up: check this machine's connection and its name server."),
    "certificate": N_(
        "Discord's certificate can't be checked: set this machine's clock, update its certificates, and look for a "
        "proxy in between."
    ),
    "failing": N_("Discord fails with error {number}: look at its status page, and try again in a few minutes."),
    "refused": N_("Discord refuses the bot with error {number}: look at the app's page on Discord, then try again."),
    "too-fast": N_("Discord refuses this machine for asking too often: leave the bot off for an hour, then try again."),
    "intents": N_(
        "Discord doesn't let the bot hear what it asks for: look under Bot on the app's page on Discord, and update "
        "the bot."
    ),
    "shards": N_("Discord doesn't take the bot's servers on these connections: start the bot again, or update it."),
    "gateway": N_("Discord ended the connection for good, with code {number}: start the bot again, or update it."),
}

_UNREADABLE: Final[Mapping[str, str]] = {
    "not-utf-8": N_("{path} can't be read: it's not UTF-8 text. Save it as UTF-8."),
    "too-large": N_("{path} can't be read: it's too large for a configuration. Set WEBSEARCH_CONFIG to another."),
    "silent": N_(
        "{path} can't be read, since whatever holds it doesn't answer: put a file there, or set WEBSEARCH_CONFIG to "
        "another."
    ),
    "no-file": N_("{path} is no file any more, but a pipe or a device: put a file there."),
    "no-keys": N_(
        "{path} has lost all its keys for the web search: put them back, or set enable-web-search = false there."
    ),
}

_SYNTAX: Final[Mapping[str, str]] = {
    "": N_("{path} is no valid TOML: look at line {line}, near column {column}."),
    "capital": N_("{path} is no valid TOML: write true and false small, in line {line}, near column {column}."),
    "twice": N_("{path} is no valid TOML: what stands in line {line} is there already: take one of the two out."),
    "curly": N_(
        "{path} is no valid TOML: write straight quotes, not curly ones, in line {line}, near column {column}."
    ),
    "unquoted": N_(
        "{path} is no valid TOML: put straight quotes around the text in line {line}, near column {column}."
    ),
    "unclosed": N_("{path} is no valid TOML: a text isn't closed by a quote in or before line {line}."),
    "equals": N_("{path} is no valid TOML: put = between key and value in line {line}, near column {column}."),
    "empty": N_("{path} is no valid TOML: a value is missing in line {line}: write one, or take the key out."),
}

_FOUND: Final[Mapping[str, str]] = {
    "flag": N_("true or false"),
    "number": N_("a number"),
    "text": N_("a text"),
    "blank": N_("an empty text"),
    "list": N_("a list"),
    "table": N_("a table"),
    "date": N_("a date or time"),
    "nothing": N_("nothing"),
    "placeholder": N_("the placeholder of an example"),
    "something": N_("something else"),
}

_EXPECTED: Final[Mapping[str, str]] = {
    "flag": N_("true or false"),
    "whole-number": N_("a whole number from {least} to {most}"),
    "number": N_("a number from {least} to {most}"),
    "choice": N_("one of {choices}"),
    "choices": N_("a list of {choices}, each at most once"),
    "channel": N_("a channel's id, such as 123456789012345678"),
    "zone": N_("the name of a time zone such as {choices}"),
    "word": N_("a name of at most {most} plain letters, digits and signs, without spaces"),
    "own-secret": N_("the one that you were given"),
    "bare-secret": N_("what follows “{choices}” alone: write it without “{choices}”"),
    "secret": N_("a key of at least {least} plain letters, digits and signs, without spaces"),
    "url": N_("an address such as https://example.com"),
    "public-url": N_("a public address such as https://example.com"),
    "guarded-url": N_("an address such as https://example.com, or http:// on this machine alone"),
    "domain": N_("domains such as example.com"),
    "domains": N_("a list of at most {most} domains"),
    "folder": N_("the path of a folder that's there"),
    "database": N_("the path of an SQLite file"),
    "database-file": N_("the path of an SQLite file, for other databases don't work yet"),
    "table": N_("a table of keys"),
}

# What a path may take of a sentence; its end says most.
_PATH: Final = 80


# A key that isn't read: what's found, then what to do.
_MISPLACED: Final = (
    N_("{path}: {name} stands outside of [websearch], where it isn't read."),
    N_("Move it below [websearch]."),
)
_MISSPELT: Final = (
    N_("{path}: {name} isn't read by the web search."),
    N_("If it's meant for that, write {nearest}."),
)


OwnersError: TypeAlias = (
    errors.ConfigError
    | errors.DatabaseUnusable
    | errors.BackupRefused
    | errors.BackupFailed
    | errors.OutputFailed
    | errors.DiscordUnusable
)


def explain(error: OwnersError, words: Words) -> str:
    """Say which file and key are wrong, what was found and what is expected, or what else can't be used, and why."""
    if isinstance(error, errors.OutputFailed):
        if not error.reason:
            return words("Standard output is closed: leave it open, or send it to a file.")
        return words("Standard output can't be written: “{reason}”. Send it elsewhere.", reason=error.reason)
    if isinstance(error, errors.DatabaseUnusable):
        return words(_DATABASE.get(error.problem, _DATABASE["unusable"]), path=_shorten(error.path))
    if isinstance(error, errors.DiscordUnusable):
        return _discord(error, words)
    if isinstance(error, errors.BackupRefused | errors.BackupFailed):
        other = "exists" if isinstance(error, errors.BackupRefused) else "unusable"
        return words(_BACKUP.get(error.problem, _BACKUP[other]), path=_shorten(error.path))
    return _explain_config(error, words)


def explain_slip(slip: Slip, words: Words, *, place: str) -> tuple[str, str]:
    """Say that a key isn't read, and what to do; `place` is the file's path as `place_of` or another shows it."""
    found, todo = _MISPLACED if slip.is_misplaced else _MISSPELT
    return words(found, path=place, name=slip.name), words(todo, nearest=slip.nearest)


def _discord(error: errors.DiscordUnusable, words: Words) -> str:
    if error.problem == "starts":
        return words.plural(
            "Discord lets the bot start no more today, since it started too often: try again in {count} hour.",
            "Discord lets the bot start no more today, since it started too often: try again in {count} hours.",
            error.number,
        )
    return words(_DISCORD.get(error.problem, _DISCORD["gateway"]), number=error.number)


def _explain_config(error: errors.ConfigError, words: Words) -> str:
    match error:
        case errors.ConfigMissing() | errors.ConfigUnreadable() | errors.ConfigNotGiven():
            return _unreadable(error, words)
        case errors.ConfigSyntax():
            return _syntax(error, words)
        case errors.UnknownKey():
            return _unknown(error, words)
        case errors.InvalidValue():
            return _invalid(error, words)
        case errors.KeyNeeded():
            return _needed(error, words)
        case _:
            return words("The configuration can't be used: look at it beside config.example.toml.")


def _unreadable(error: errors.ConfigMissing | errors.ConfigUnreadable | errors.ConfigNotGiven, words: Words) -> str:
    if isinstance(error, errors.ConfigNotGiven):
        return _not_given(error, words)
    path = _shorten(error.path)
    if isinstance(error, errors.ConfigMissing):
        return words(
            "There's no configuration at {path}: copy config.example.toml there, or set WEBSEARCH_CONFIG to its path.",
            path=path,
        )
    sentence = _UNREADABLE.get(error.reason)
    if sentence is not None:
        return words(sentence, path=path)
    return words(
        "{path} can't be read: “{reason}”. Let the bot read it, or set WEBSEARCH_CONFIG to another file.",
        path=path,
        reason=error.reason,
    )


def _syntax(error: errors.ConfigSyntax, words: Words) -> str:
    if not error.line:
        return words("{path} is no valid TOML: compare it with config.example.toml.", path=_shorten(error.path))
    return words(_SYNTAX.get(error.hint, _SYNTAX[""]), path=_shorten(error.path), line=error.line, column=error.column)


def _unknown(error: errors.UnknownKey, words: Words) -> str:
    if error.nearest:
        return words(
            "{place} has an unknown key {name}: write {nearest}, or take it out.",
            place=place_of(error.path, words),
            name=error.name,
            nearest=error.nearest,
        )
    return words(
        "{place} has an unknown key {name}: take it out, or look it up in config.example.toml.",
        place=place_of(error.path, words),
        name=error.name,
    )


def _invalid(error: errors.InvalidValue, words: Words) -> str:
    found = words(_FOUND[error.found]) if error.found in _FOUND else error.found
    bounds = {"least": error.least, "most": error.most}
    expected = words(
        _EXPECTED[error.expected],
        choices=", ".join(error.choices),
        **{name: words.number(bound) for name, bound in bounds.items() if bound is not None},
    )
    return words(
        "{place}: {name} is {found}, but takes {expected}.",
        place=place_of(error.path, words),
        name=error.name,
        found=found,
        expected=expected,
    )


def _needed(error: errors.KeyNeeded, words: Words) -> str:
    if error.variable:
        return words(
            "{place}: {name} is missing. Write it there, or set the environment variable {variable}.",
            place=place_of(error.path, words),
            name=error.name,
            variable=error.variable,
        )
    return words(
        "{place}: {name} is missing, and the other keys there need it.",
        place=place_of(error.path, words),
        name=error.name,
    )


def _not_given(error: errors.ConfigNotGiven, words: Words) -> str:
    if error.reason == "awaitable":
        return words("The bot's own function for the configuration is asynchronous: make it return the mapping itself.")
    return words(
        "The bot's own function for the configuration fails with {reason}: mend it, or hand over a mapping.",
        reason=error.reason,
    )


def place_of(path: str, words: Words) -> str:
    """Name where a configuration stands: the end of the file's path, or what there is instead of a file."""
    if path == keys.ENVIRONMENT:
        return words("The environment")
    return _shorten(path) if path else words("The configuration")


def _shorten(path: str) -> str:
    # A name may hold anything, also what would break a line or turn the direction of writing.
    shown = "".join(sign if sign.isprintable() else "?" for sign in path)
    return shown if len(shown) <= _PATH else "…" + shown[1 - _PATH :]
