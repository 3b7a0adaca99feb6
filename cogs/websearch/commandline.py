"""Run the bundled bot, search on the terminal, look after both.

Exit codes:
    0    results were shown, all is well (warnings aside), the backup is made, or the bot or the prompt was ended
    1    nothing was found
    2    wrong usage, a search or a backup that can't be made so, or a wrong configuration
    3    the search engine, the database, the disk, the output or Discord failed
    130  interrupted by Ctrl-C

Each verb imports what it needs when it's used: whoever searches on the terminal needn't wait for discord.py.
"""

from __future__ import annotations

import argparse
import logging
import os
import sys
from typing import TYPE_CHECKING

from . import __version__, config, console, errors, exitcodes, limits, terminal_search, wording
from .i18n import SOURCE, Catalogues
from .models import Category, Period

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .i18n import Words


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what the command line says; return an exit code."""
    words = Catalogues().words(SOURCE)
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


def _act(arguments: Sequence[str] | None, words: Words) -> int:
    try:
        options = _parser(words).parse_args(arguments)
    finally:
        # Help and version, which have just been written.
        console.flush()
    code: int = options.act(options, words)
    return code


def _parser(words: Words) -> argparse.ArgumentParser:
    _ = words
    codes = (__doc__ or "").partition("Exit codes:\n")[2].partition("\n\n")[0]
    epilog = _("Exit codes:\n{codes}", codes=codes)
    as_written = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(
        prog="python -m cogs.websearch",
        description=_("Web search for Discord."),
        epilog=epilog,
        formatter_class=as_written,
    )
    parser.add_argument("--version", action="version", version=f"discord-websearch {__version__}")
    parser.set_defaults(act=_run)
    verbs = parser.add_subparsers(title=_("what to do"), metavar="VERB")
    run = verbs.add_parser("run", help=_("run the bundled bot, or the terminal search without a token; the default"))
    run.set_defaults(act=_run)
    search = verbs.add_parser("search", help=_("search on the terminal"))
    search.set_defaults(act=_search)
    _add_search_options(search, words)
    doctor = verbs.add_parser(
        "doctor",
        help=_("check what the web search needs, and say what to do"),
        epilog=epilog,
        formatter_class=as_written,
    )
    doctor.set_defaults(act=_doctor)
    doctor.add_argument(
        "--live",
        action="store_true",
        help=_("ask the search engine and Discord, too; that takes one search, which may cost a cent"),
    )
    backup = verbs.add_parser(
        "backup",
        help=_("copy the database to a new file, also while the bot runs"),
        epilog=epilog,
        formatter_class=as_written,
    )
    backup.set_defaults(act=_backup)
    backup.add_argument("file", metavar="FILE", help=_("the file to make; one that's there is never overwritten"))
    return parser


def _add_search_options(search: argparse.ArgumentParser, words: Words) -> None:
    _ = words
    search.add_argument("query", nargs="+", metavar="QUERY", help=_("what to search for"))
    search.add_argument("--json", action="store_true", help=_("print JSON"))
    search.add_argument(
        "--results", type=int, metavar="N", help=_("how many results, 1 to {most}", most=words.number(limits.RESULTS))
    )
    search.add_argument(
        "--site", action="append", default=[], metavar="DOMAIN", help=_("search this domain alone; may be repeated")
    )
    # Of the values alone, since argparse shows what `repr` says.
    search.add_argument("--category", choices=[str(value) for value in Category], help=_("search one kind of page"))
    search.add_argument(
        "--period",
        choices=[str(value) for value in Period],
        help=_("search pages of the past day, week, month or year"),
    )


def _run(_options: argparse.Namespace, words: Words) -> int:
    found = terminal_search.read_config(os.environ)
    if not found.discord_token:
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
