"""Write docs/backends.md from what the contract of engines plays: `python tests/backend_page.py`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from cogs.websearch import errors, wording
from cogs.websearch.backends.base import check
from cogs.websearch.backends.local import LocalSearcher
from cogs.websearch.i18n import Words
from cogs.websearch.models import Category, Period, SearchRequest
from contract import folders
from contract.shape import ACTS, Engine, Way
from contract.suite import ENGINES
from contract.troubles import REDIRECTS, TROUBLES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from cogs.websearch.backends.base import Capabilities

    Kind = type[errors.BackendError] | None

PAGE: Final = Path(__file__).parent.parent / "docs" / "backends.md"
_LOCAL: Final = "local documents"
_WORDS: Final = Words()

_TOP: Final = """\
<!-- Written by tests/backend_page.py from what tests/contract plays: change that. -->

# Engines

What each engine can do, what it costs, and what a member reads when it fails. Every line of every table is played by
the suite in `tests/contract`, against servers on loopback; what members read is what it holds.

Only the address that is configured for an engine is ever called. No redirect is followed, and a page is never asked of
its own server: the engine reads it. Whatever an engine sends is cleaned, and every address in it is vetted, before
anything else sees it.

## What each can do

"""
_OPTIONS: Final = """
Safe search is what `web-safe-search` asks for: an engine without it has no such option, so that it's asked the same in
every channel. Answers and pages have none with any engine.

An option that an engine can't honour is said, not dropped. The member reads then, of the engines that are concerned:

"""
_NARROWED: Final = """
So it is where an answer can't be narrowed, or is asked for with a number of results, which none has:

"""
_PRICES: Final = """
## What each costs

In US dollars, as the engine's own list says, and charged until the engine names the cost of a call.

"""
_PROOFS: Final = """
## What the stand-ins are held against

The tests ask no engine over the network: each has a stand-in that takes what the engine's reference allows, refuses the
rest, and answers as the reference says. What proves it right, where there is something that we didn't write:

"""
_TROUBLES: Final = """
## What the member reads

What servers and networks do wrong, and what files do, by engine; with chat, where it answers. The ends are the same for
searches, pages and answers, but for what follows the table. What may pass is tried up to four times, within the
deadline; only then the member reads the sentence. What the owner is told, and does, is on the page of
[errors](errors.md).

"""
_FETCHED: Final = """
Where a page is read, too much is no error in itself. It ends otherwise:

"""
_ANSWERED: Final = """
Where a question is answered, the member reads otherwise:

"""
_SHOWN: Final = """
These end in what is good of the answer, with every engine:

- rows and fields that are missing, null, empty, of any wrong type, or unknown
- more rows than were asked for: the first ones are shown; no rows: nothing was found
- 600,000 characters in a field: they are cut
- a date in any form, or none: it's a moment, or left out
- an image whose address is relative or broken: it's left out
- an address that comes again, is none, or may not be shown: its row is left out
"""
_KEY: Final = """
An answer that holds the bot's key, whole or half of it, is thrown away, as one that makes no sense.

"""
_REFUSALS: Final = """
## When an engine refuses

Every code and body that an engine's reference has.
"""
_NONE: Final = "–"  # noqa: RUF001 - a dash in a cell is one


def written() -> str:
    """Return the page as it should be."""
    parts = [_TOP, _abilities(), _OPTIONS, *_unsupported(), _NARROWED, *_unanswered(), _PRICES]
    parts += [f"- **{engine.shown}.** {engine.price}\n" for engine in ENGINES]
    parts += [f"- **{_LOCAL}.** Nothing.\n", _PROOFS]
    parts += [f"- **{engine.shown}.** {engine.proof}\n" for engine in ENGINES]
    parts += [_TROUBLES, _troubles(), _FETCHED, _fetched(), _ANSWERED, _answered(), _SHOWN]
    parts += [f"- {what}\n" for what, trouble in TROUBLES.items() if trouble.ends is None and what != "a good answer"]
    parts += [_KEY.rstrip("\n"), "\n", _REFUSALS, *(_refusals(engine) for engine in ENGINES)]
    return "".join(parts)


def _said(error: errors.WebSearchError) -> str:
    return wording.explain(error, _WORDS)


def _able() -> dict[str, Capabilities]:
    return {engine.shown: engine.able for engine in ENGINES} | {_LOCAL: LocalSearcher.capabilities}


def _abilities() -> str:
    searching = {engine.shown: Way.SEARCH in engine.shapes for engine in ENGINES} | {_LOCAL: True}
    rows = (
        (
            name,
            _yes(searching[name]),
            _categories(able) if searching[name] else "",
            *(_yes(can) if searching[name] else "" for can in (able.periods, able.sites, able.safe_search)),
            _yes(able.fetches),
            _yes(able.answers),
        )
        for name, able in _able().items()
    )
    heads = ("Engine", "Searches", "By category", "By period", "By site", "Safe search", "Reads pages", "Answers")
    return _table(heads, rows)


def _categories(able: Capabilities) -> str:
    if able.categories == frozenset(Category):
        return "all"
    return ", ".join(wording.category(one, _WORDS) for one in Category if one in able.categories) or "no"


def _yes(can: bool) -> str:  # noqa: FBT001 - it's what the word is about
    return "yes" if can else "no"


_NARROW: Final = (
    SearchRequest(query="x", count=1, category=Category.COMPANY),
    SearchRequest(query="x", count=1, period=Period.DAY),
    SearchRequest(query="x", count=1, sites=("example.com",)),
    SearchRequest(query="x", count=1, category=Category.COMPANY, period=Period.DAY),
)


def _unsupported() -> Iterator[str]:
    searching = {engine.shown: engine.able for engine in ENGINES if Way.SEARCH in engine.shapes}
    found = (error for name, able in searching.items() for error in _refused(able, name))
    local = _refused(LocalSearcher.capabilities, _LOCAL)
    yield from _listed((*found, *local))


def _unanswered() -> Iterator[str]:
    answering = {engine.shown: engine.answering for engine in ENGINES if engine.answering is not None}
    found = (error for name, able in answering.items() for error in _refused(able, name))
    # Two options that can't be combined are told so, whatever is asked for.
    unfit = (
        errors.AnswerUnsupported(error.option, error.backend)
        for error in found
        if isinstance(error, errors.OptionUnsupported)
    )
    yield from _listed((errors.OptionsExclusive("results", "mode", "answer"), *unfit))


def _refused(able: Capabilities, name: str) -> Iterator[errors.InvalidSearch]:
    for request in _NARROW:
        try:
            check(able, name, request)
        except errors.InvalidSearch as error:
            yield error


def _listed(found: Iterable[errors.InvalidSearch]) -> Iterator[str]:
    yield from (f"- “{sentence}”\n" for sentence in dict.fromkeys(map(_said, found)))


def _troubles() -> str:
    ends: dict[type[errors.BackendError], list[str]] = {}
    for what, trouble in TROUBLES.items():
        if trouble.ends is not None:
            ends.setdefault(trouble.ends, []).append(what)
    ends.setdefault(errors.BackendUnreachable, []).append("nothing is at its address")
    redirects = ", ".join(f"`{status}`" for status in REDIRECTS)
    ends.setdefault(errors.UnexpectedRedirect, []).append(f"{redirects} to anywhere")
    rows = [
        ("; ".join(what), *(_end(kind, engine, next(iter(engine.shapes))) for engine in ENGINES), _NONE)
        for kind, what in ends.items()
    ]
    for kind in (errors.BackendBroken, None):
        files = "; ".join(what for what, trouble in folders.TROUBLES.items() if trouble.ends is kind)
        said = _said(kind(_LOCAL)) if kind else "What can be read of the documents is found"
        rows.append((files, *(_NONE for _ in ENGINES), said))
    return _table(("What happens", *(engine.shown for engine in ENGINES), _LOCAL), rows)


def _fetched() -> str:
    readers = [engine for engine in ENGINES if Way.FETCH in engine.shapes]
    rows = (
        (what, *(_said(trouble.fetched(engine.shown)) if trouble.fetched else "The page" for engine in readers))
        for what, trouble in TROUBLES.items()
        if trouble.fetched is not trouble.ends
    )
    cut = ("a page's text of more than 4 MiB", *("The page, cut at a whole character" for _ in readers))
    return _table(("What happens", *(engine.shown for engine in readers)), (*rows, cut))


def _answered() -> str:
    both = [engine for engine in ENGINES if {Way.SEARCH, Way.ANSWER} <= engine.shapes.keys()]
    ends: dict[tuple[str, ...], list[str]] = {}
    for what, trouble in TROUBLES.items():
        said = tuple(_end(trouble.ends, engine, Way.ANSWER) for engine in both)
        if said != tuple(_end(trouble.ends, engine, Way.SEARCH) for engine in both):
            ends.setdefault(said, []).append(what)
    rows = (("; ".join(what), *said) for said, what in ends.items())
    return _table(("What happens", *(engine.shown for engine in both)), rows)


def _refusals(engine: Engine) -> str:
    # What a member reads, by the ways to ask that end in it, and what the engine answers then.
    ends: dict[str, dict[tuple[Way, ...], list[str]]] = {}
    for refusal in engine.refusals:
        said: dict[str, list[Way]] = {}
        for way in refusal.ways:
            if way in engine.shapes:
                said.setdefault(_end(refusal.ends, engine, way), []).append(way)
        for sentence, ways in said.items():
            ends.setdefault(sentence, {}).setdefault(tuple(ways), []).append(refusal.what)
    waiting = _said(errors.RateLimited(engine.shown, retry_after=60))
    ends.setdefault(waiting, {})[tuple(engine.shapes)] = [
        "`429` with `Retry-After: 60`, which the deadline has no room for"
    ]
    rows = (
        ("; ".join(_where(dict.fromkeys(what), ways, engine) for ways, what in by_way.items()), said)
        for said, by_way in ends.items()
    )
    return f"\n### {engine.shown}\n\n" + _table(("What it answers", "What the member reads"), rows)


def _end(kind: Kind, engine: Engine, way: Way) -> str:
    return _said(errors.NothingFound()) if kind is None else _said(kind(engine.shown, act=ACTS[way]))


def _where(what: Iterable[str], ways: Iterable[Way], engine: Engine) -> str:
    named: Mapping[Way, str] = {Way.SEARCH: "a search", Way.FETCH: "a page", Way.ANSWER: "an answer"}
    told = "; ".join(what)
    if set(ways) == engine.shapes.keys():
        return told
    return f"to {' or '.join(named[way] for way in ways)}: {told}"


def _table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    lines = (" | ".join(row) for row in (heads, ("---" for _ in heads), *rows))
    return "".join(f"| {line} |\n" for line in lines)


if __name__ == "__main__":
    PAGE.write_text(written(), "utf-8")
