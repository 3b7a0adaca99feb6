"""Run the bundled bot, search on the terminal, look after both.

Each verb imports what it needs when it's used: whoever searches on the terminal needn't wait for discord.py.
"""

from __future__ import annotations

import argparse
import logging
import os
import sys
from typing import TYPE_CHECKING, Final

from . import __version__, config, console, errors, exitcodes, limits, terminal_search, wording
from .i18n import N_, Catalogues
from .models import Category, Period

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from .i18n import Words


# What the exit codes mean: for all verbs together, and for each by its name.
_CODES: Final[Mapping[str, Mapping[int, str]]] = {
    "": {
        exitcodes.DONE: N_("results were shown, nothing is wrong, the backup is made, or the bot was ended"),
        exitcodes.NOTHING: N_("nothing was found"),
        exitcodes.WRONG: N_("wrong usage, a search or a backup that can't be made so, or a wrong configuration"),
        exitcodes.FAILED: N_("the search engine, the database, the disk, the output or Discord failed"),
        exitcodes.INTERRUPTED: N_("interrupted by Ctrl-C"),
    },
    "run": {
        exitcodes.DONE: N_("the bot or the prompt was ended, or the example was shown"),
        exitcodes.WRONG: N_("wrong usage, or a wrong configuration"),
        exitcodes.FAILED: N_("the search engine, the database, the output or Discord failed"),
        exitcodes.INTERRUPTED: N_("interrupted by Ctrl-C"),
    },
    "search": {
        exitcodes.DONE: N_("results were shown"),
        exitcodes.NOTHING: N_("nothing was found"),
        exitcodes.WRONG: N_("wrong usage, a search that can't be made so, or a wrong configuration"),
        exitcodes.FAILED: N_("the search engine or the output failed"),
        exitcodes.INTERRUPTED: N_("interrupted by Ctrl-C"),
    },
    "doctor": {
        exitcodes.DONE: N_("nothing is wrong, warnings aside"),
        exitcodes.WRONG: N_("wrong usage, or a wrong configuration"),
        exitcodes.FAILED: N_("something else is wrong, or the output failed"),
        exitcodes.INTERRUPTED: N_("interrupted by Ctrl-C"),
    },
    "backup": {
        exitcodes.DONE: N_("the backup is made"),
        exitcodes.WRONG: N_("wrong usage, a backup that can't be made so, or a wrong configuration"),
        exitcodes.FAILED: N_("the database, the disk or the output failed"),
        exitcodes.INTERRUPTED: N_("interrupted by Ctrl-C"),
    },
}
# What POSIX asks for a language, in its order; behind the language they name an encoding or a variant.
_LANGUAGES: Final = ("LC_ALL", "LC_MESSAGES", "LANG")


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what the command line says; return an exit code."""
    words = words_of(os.environ)
    console.prepare_streams()
    # What goes wrong is told in a sentence; log lines are for the bot, which sets logging up itself.
    logging.getLogger(__package__).addHandler(logging.NullHandler())
    try:
        return _act(arguments, words)
    except errors.WebSearchError as error:
        console.tell(wording.explain(error, words))
        if isinstance(error, errors.OutputFailed):
            console.abandon(sys.stdout)
        return exitcodes.of(error)
    except KeyboardInterrupt:
        return exitcodes.INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output has seen enough.
        console.abandon(sys.stdout)
        return exitcodes.DONE


def words_of(env: Mapping[str, str]) -> Words:
    """Return the words of the terminal's language; commands are called by their English names."""
    tag = next(filter(None, map(env.get, _LANGUAGES)), "")
    return Catalogues(named=lambda: False).words(tag.partition(".")[0].partition("@")[0])


def _act(arguments: Sequence[str] | None, words: Words) -> int:
    try:
        options = _parser(words).parse_args(arguments)
    finally:
        # Help and version, which have just been written.
        console.flush()
    code: int = options.act(options, words)
    return code


def _parser(words: Words) -> argparse.ArgumentParser:
    as_written = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(
        prog="python -m cogs.websearch",
        description=words("Web search for Discord."),
        epilog=_codes("", words),
        formatter_class=as_written,
    )
    parser.add_argument("--version", action="version", version=f"discord-websearch {__version__}")
    parser.set_defaults(act=_run)
    verbs = parser.add_subparsers(title=words("what to do"), metavar="VERB")

    def add(verb: str, act: Callable[[argparse.Namespace, Words], int], about: str) -> argparse.ArgumentParser:
        added = verbs.add_parser(verb, help=about, epilog=_codes(verb, words), formatter_class=as_written)
        added.set_defaults(act=act)
        return added

    add("run", _run, words("run the bundled bot, or the terminal search without a token; the default"))
    search = add("search", _search, words("search on the terminal"))
    _add_search_options(search, words)
    doctor = add("doctor", _doctor, words("check what the web search needs, and say what to do"))
    doctor.add_argument(
        "--live",
        action="store_true",
        help=words("ask Discord and each engine, too; that takes a search or an answer, which may cost some cents"),
    )
    backup = add("backup", _backup, words("copy the database to a new file, also while the bot runs"))
    backup.add_argument("file", metavar="FILE", help=words("the file to make; one that's there is never overwritten"))
    return parser


def _codes(verb: str, words: Words) -> str:
    lines = (f"    {code:<5}{words(meaning)}" for code, meaning in _CODES[verb].items())
    return "\n".join([words("Exit codes:"), *lines])


def _add_search_options(search: argparse.ArgumentParser, words: Words) -> None:
    search.add_argument("query", nargs="+", metavar="QUERY", help=words("what to search for"))
    search.add_argument("--json", action="store_true", help=words("print JSON"))
    search.add_argument(
        "--results",
        type=int,
        metavar="N",
        help=words("how many results, 1 to {most}", most=words.number(limits.RESULTS)),
    )
    search.add_argument(
        "--site", action="append", default=[], metavar="DOMAIN", help=words("search this domain alone; may be repeated")
    )
    # Of the values alone, since argparse shows what `repr` says.
    search.add_argument("--category", choices=[str(value) for value in Category], help=words("search one kind of page"))
    search.add_argument(
        "--period",
        choices=[str(value) for value in Period],
        help=words("search pages of the past day, week, month or year"),
    )


def _run(_options: argparse.Namespace, words: Words) -> int:
    found = terminal_search.read_config(os.environ)
    if not found.discord_token:
        terminal_search.tell_unread(os.environ, words)
        return terminal_search.try_out(found, words)
    from . import bot  # noqa: PLC0415 - see the module's docstring

    # A bot has a configuration file; without one, this says where to put it.
    bot.run(config.load())
    return exitcodes.DONE


def _search(options: argparse.Namespace, words: Words) -> int:
    return terminal_search.search(options, words)


def _doctor(options: argparse.Namespace, words: Words) -> int:
    from . import doctor  # noqa: PLC0415 - see the module's docstring

    return doctor.run(words, live=options.live)


def _backup(options: argparse.Namespace, words: Words) -> int:
    from . import backup  # noqa: PLC0415 - see the module's docstring

    return backup.run(options.file, words)
