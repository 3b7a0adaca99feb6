"""Run the bundled bot, or search on the terminal.

Exit codes:
    0    results were shown, or the bot or the prompt was ended
    1    nothing was found
    2    wrong usage, a search that can't be made, or a wrong configuration
    3    the search engine, the database, the output or Discord failed
    130  interrupted by Ctrl-C while it searched

Without a configuration file, or where it leaves `enable-web-search` off, the documentation of this Python's standard
library is searched: a terminal is the owner's, not a member's.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import os
import sys
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from . import __version__, backends, config, errors, limits, text, wording
from .i18n import SOURCE, Catalogues
from .models import Category, Period
from .requests import to_request
from .service import ask
from .terminal import Progress, Style, render

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import TextIO

    from .i18n import Words
    from .models import SearchPage, SearchRequest, SearchResult

RESULTS: Final = 0
NOTHING: Final = 1
WRONG: Final = 2
FAILED: Final = 3
INTERRUPTED: Final = 130

# What is searched for where nobody is there to ask.
_EXAMPLE: Final = "run a blocking function in a thread"
_PROMPT: Final = "> "


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what the command line says; return an exit code."""
    words = Catalogues().words(SOURCE)
    _prepare_streams()
    # What goes wrong is told in a sentence; log lines are for the bot, which sets logging up itself.
    logging.getLogger(__package__).addHandler(logging.NullHandler())
    try:
        return _act(arguments, words)
    except errors.WebSearchError as error:
        _tell(wording.explain(error, words))
        if isinstance(error, errors.OutputFailed):
            _abandon(sys.stdout)
        return _code(error)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output has seen enough.
        _abandon(sys.stdout)
        return RESULTS


def _act(arguments: Sequence[str] | None, words: Words) -> int:
    try:
        options = _parser(words).parse_args(arguments)
    finally:
        # Help and version, which have just been written.
        _flush()
    code: int = options.act(options, words)
    return code


def _prepare_streams() -> None:
    if sys.stderr is None:
        # Started without one: whatever is told, nobody hears it.
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - it's open for as long as the process
    for stream in (sys.stdout, sys.stderr):
        # A terminal that can't show a letter shows a question mark, rather than nothing at all.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


def _abandon(stream: TextIO | None) -> None:
    """Let what is still to be written go nowhere: the interpreter flushes once more when it ends."""
    if stream is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _show(text_: str) -> None:
    """Write to standard output; raise `OutputFailed`, or BrokenPipeError where nobody reads any more."""
    if sys.stdout is None:
        raise errors.OutputFailed("")
    with _writing():
        sys.stdout.write(text_)
    _flush()


def _flush() -> None:
    if sys.stdout is not None:
        with _writing():
            sys.stdout.flush()


@contextmanager
def _writing() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise errors.OutputFailed(error.strerror or "") from None


def _tell(sentence: str) -> None:
    """Write a line to standard error, where it can be written."""
    try:
        sys.stderr.write(f"{sentence}\n")
        sys.stderr.flush()
    except OSError:
        _abandon(sys.stderr)


def _code(error: errors.WebSearchError) -> int:
    match error:
        case errors.NoResults():
            return NOTHING
        case errors.ConfigError() | errors.InvalidSearch() | errors.SearchRefused():
            return WRONG
        case _:
            return FAILED


def _parser(words: Words) -> argparse.ArgumentParser:
    _ = words
    codes = (__doc__ or "").partition("Exit codes:\n")[2].partition("\n\n")[0]
    parser = argparse.ArgumentParser(
        prog="python -m cogs.websearch",
        description=_("Web search for Discord."),
        epilog=_("Exit codes:\n{codes}", codes=codes),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"discord-websearch {__version__}")
    parser.set_defaults(act=_run)
    verbs = parser.add_subparsers(title=_("what to do"), metavar="VERB")
    run = verbs.add_parser("run", help=_("run the bundled bot, or the terminal search without a token; the default"))
    run.set_defaults(act=_run)
    search = verbs.add_parser("search", help=_("search on the terminal"))
    search.set_defaults(act=_search)
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
    return parser


def _run(_options: argparse.Namespace, words: Words) -> int:
    found = _config(os.environ)
    if found.discord_token:
        # Only here: whoever searches on the terminal needn't wait for discord.py.
        from . import bot  # noqa: PLC0415 - see above

        # A bot has a configuration file; without one, this says where to put it.
        bot.run(config.load())
        return RESULTS
    _ = words
    _show(
        _("There's no Discord token in DISCORD_TOKEN or discord-token, so here's the search on the terminal.") + "\n\n"
    )
    found = _switched_on(found, words)
    with _searching(found, words) as search:
        if not _is_interactive():
            _show(_("Searching for “{query}”, as an example.", query=_EXAMPLE) + "\n\n")
            return _print(search(to_request(found, query=_EXAMPLE)), words)
        return _prompt(search, found, words)


def _search(options: argparse.Namespace, words: Words) -> int:
    # Before a search is paid for.
    _show("")
    found = _switched_on(_config(os.environ), words)
    request = to_request(
        found,
        query=" ".join(options.query),
        count=options.results,
        category=Category(options.category) if options.category else None,
        period=Period(options.period) if options.period else None,
        sites=" ".join(options.site),
    )
    with _searching(found, words) as search:
        try:
            page = search(request)
        except errors.NoResults:
            if options.json:
                _print_json(request, ())
            raise
    if options.json:
        return _print_json(request, page.results)
    return _print(page, words)


def _prompt(search: Callable[[SearchRequest], SearchPage], found: config.Config, words: Words) -> int:
    """Ask for searches until there's none; the keys of line editing work, and its history ends with the process."""
    with suppress(ImportError):
        import readline  # noqa: F401,PLC0415 - `input` uses it; it isn't on every system, and of no use without a terminal
    _show(words("Type what to search for; an empty line or Ctrl-D ends this.") + "\n")
    while True:
        try:
            typed = input(f"\n{_PROMPT}").strip()
        except (EOFError, KeyboardInterrupt):
            _show("\n")
            return RESULTS
        if not typed:
            return RESULTS
        _show("\n")
        try:
            _print(search(to_request(found, query=typed)), words)
        except errors.SearchError as error:
            _show(f"{wording.explain(error, words)}\n")


@contextmanager
def _searching(found: config.Config, words: Words) -> Iterator[Callable[[SearchRequest], SearchPage]]:
    """Open the search engine for some searches, and close it."""
    with _warnings(), asyncio.Runner() as runner:
        progress = Progress(sys.stderr, words)
        try:
            searcher = runner.run(backends.open_searcher(found, progress=progress))
        finally:
            progress.end()
        try:
            yield lambda request: runner.run(ask(searcher, request, timeout_s=found.web_timeout_s)).page
        finally:
            runner.run(searcher.close())


@contextmanager
def _warnings() -> Iterator[None]:
    """Tell what is wrong with local documents or the place of their index, in spite of which the search goes on."""
    told = logging.StreamHandler(sys.stderr)
    told.setLevel(logging.WARNING)
    log = logging.getLogger(f"{__package__}.backends.local")
    log.addHandler(told)
    try:
        yield
    finally:
        log.removeHandler(told)


def _switched_on(found: config.Config, words: Words) -> config.Config:
    """Return the configuration, or that of a search without a file where it leaves searching off, which is told."""
    if found.enable_web_search:
        return found
    path = text.clean(str(config.find(os.environ)), limits.DETAIL)
    _tell(words("{path} has enable-web-search off, so this searches Python's documentation.", path=path))
    return _without_file(os.environ)


def _config(env: Mapping[str, str]) -> config.Config:
    """Read the configuration; where there's no file, this is a search of local documents that needs none."""
    try:
        return config.load(env=env)
    except errors.ConfigMissing:
        if env.get(config.PATH_VARIABLE):
            # A file that was named must be there.
            raise
        return _without_file(env)


def _without_file(env: Mapping[str, str]) -> config.Config:
    return config.Config.from_mapping({"enable-web-search": True, "web-backend": "local"}, env=env)


def _print(page: SearchPage, words: Words) -> int:
    _show(render(page, words, Style.of(sys.stdout)))
    return RESULTS


def _print_json(request: SearchRequest, results: Sequence[SearchResult]) -> int:
    found = [
        {
            "title": result.title,
            "url": result.url,
            "snippet": result.snippet,
            "published": result.published.isoformat() if result.published else None,
        }
        for result in results
    ]
    # Where the output can't hold every letter, JSON can still spell them.
    ascii_only = (sys.stdout.encoding or "").lower().replace("-", "") != "utf8"
    _show(json.dumps({"query": request.query, "results": found}, ensure_ascii=ascii_only, indent=2) + "\n")
    return RESULTS


def _is_interactive() -> bool:
    # A process that was started without a standard input has None there.
    return sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()
