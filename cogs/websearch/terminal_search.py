"""Search on the terminal: once, or asking for one search after the other.

Without a configuration file, or where it leaves `enable-web-search` off, the documentation of this Python's standard
library is searched: a terminal is the owner's, not a member's.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import sys
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final

from . import backends, config, console, errors, exitcodes, owner_wording, slips, tomlfile, wording
from .models import Category, Period
from .requests import to_request
from .service import ask
from .terminal import Progress, Style, render

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from .i18n import Words
    from .models import SearchPage, SearchRequest, SearchResult

# What is searched for where nobody is there to ask.
_EXAMPLE: Final = "run a blocking function in a thread"
_PROMPT: Final = "> "


def try_out(found: config.Config, words: Words) -> int:
    """Ask for searches on a terminal, or show an example elsewhere, since there's no Discord token."""
    console.show(
        words("There's no Discord token in DISCORD_TOKEN or discord-token, so here's the search on the terminal.")
        + "\n\n"
    )
    found = _switched_on(found, words)
    if not _is_interactive():
        return _show_example(words)
    with _searching(found, words) as ask_for:
        return _prompt(ask_for, found, words)


def _show_example(words: Words) -> int:
    """Search Python's documentation, whatever is configured: nobody is there to agree to a search that's paid for."""
    found = _without_file(os.environ)
    console.show(words("Searching Python's documentation for “{query}”, as an example.", query=_EXAMPLE) + "\n\n")
    with _searching(found, words) as ask_for:
        return _print(ask_for(to_request(found, query=_EXAMPLE)), words)


def search(options: argparse.Namespace, words: Words) -> int:
    """Search once, as the command line asks, and return an exit code; raise `WebSearchError`."""
    # Before a search is paid for.
    console.show("")
    found = read_config(os.environ)
    if not found.enable_web_search:
        tell_unread(os.environ, words)
    found = _switched_on(found, words)
    request = to_request(
        found,
        query=" ".join(options.query),
        count=options.results,
        category=Category(options.category) if options.category else None,
        period=Period(options.period) if options.period else None,
        sites=" ".join(options.site),
    )
    with _searching(found, words) as ask_for:
        try:
            page = ask_for(request)
        except errors.NoResults:
            if options.json:
                _print_json(request, ())
            raise
    if options.json:
        return _print_json(request, page.results)
    return _print(page, words)


def _prompt(ask_for: Callable[[SearchRequest], SearchPage], found: config.Config, words: Words) -> int:
    """Ask for searches until there's none; the keys of line editing work, and its history ends with the process."""
    with suppress(ImportError):
        import readline  # noqa: F401,PLC0415 - `input` uses it; it isn't on every system, and of no use without a terminal
    console.show(words("Type what to search for; an empty line or Ctrl-D ends this.") + "\n")
    while True:
        try:
            typed = input(f"\n{_PROMPT}").strip()
        except (EOFError, KeyboardInterrupt):
            console.show("\n")
            return exitcodes.DONE
        if not typed:
            return exitcodes.DONE
        console.show("\n")
        try:
            _print(ask_for(to_request(found, query=typed)), words)
        except errors.SearchError as error:
            console.show(f"{wording.explain(error, words)}\n")


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
    path = console.printable(str(config.find(os.environ)))
    console.tell(words("{path} has enable-web-search off, so this searches Python's documentation.", path=path))
    return _without_file(os.environ)


def tell_unread(env: Mapping[str, str], words: Words) -> None:
    """Tell which keys of the file aren't read, though they were probably meant to be."""
    path = config.find(env)
    with suppress(errors.ConfigError):
        for slip in slips.find(tomlfile.parse(path)):
            console.tell(" ".join(owner_wording.explain_slip(slip, words, place=console.printable(str(path)))))


def read_config(env: Mapping[str, str]) -> config.Config:
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
    console.show(render(page, words, Style.of(sys.stdout)))
    return exitcodes.DONE


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
    console.show(json.dumps({"query": request.query, "results": found}, ensure_ascii=ascii_only, indent=2) + "\n")
    return exitcodes.DONE


def _is_interactive() -> bool:
    # A process that was started without a standard input has None there.
    return sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()
