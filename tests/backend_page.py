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
from contract.shape import Engine, Way
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
    parts = [_TOP, _abilities(), _OPTIONS, *_unsupported(), _PRICES]
    parts += [f"- **{engine.shown}.** {engine.price}\n" for engine in ENGINES]
    parts += [f"- **{_LOCAL}.** Nothing.\n", _PROOFS]
    parts += [f"- **{engine.shown}.** {engine.proof}\n" for engine in ENGINES]
    parts += [_TROUBLES, _troubles(), _FETCHED, _fetched(), _SHOWN]
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


def _unsupported() -> Iterator[str]:
    asked = SearchRequest(query="x", count=1)
    requests = (
        SearchRequest(query="x", count=1, category=Category.COMPANY),
        SearchRequest(query="x", count=1, period=Period.DAY),
        SearchRequest(query="x", count=1, sites=("example.com",)),
        SearchRequest(query="x", count=1, category=Category.COMPANY, period=Period.DAY),
    )
    said: dict[str, None] = {}
    for name, able in _able().items():
        for request in (asked, *requests):
            try:
                check(able, name, request)
            except errors.InvalidSearch as error:
                said[_said(error)] = None
    yield from (f"- “{sentence}”\n" for sentence in said)


def _troubles() -> str:
    ends: dict[type[errors.BackendError], list[str]] = {}
    for what, trouble in TROUBLES.items():
        if trouble.ends is not None:
            ends.setdefault(trouble.ends, []).append(what)
    ends.setdefault(errors.BackendUnreachable, []).append("nothing is at its address")
    redirects = ", ".join(f"`{status}`" for status in REDIRECTS)
    ends.setdefault(errors.UnexpectedRedirect, []).append(f"{redirects} to anywhere")
    rows = [("; ".join(what), *(_said(kind(engine.shown)) for engine in ENGINES), _NONE) for kind, what in ends.items()]
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


def _refusals(engine: Engine) -> str:
    ends: dict[str, list[str]] = {}
    for refusal in engine.refusals:
        ends.setdefault(_end(refusal.ends, engine), []).append(_where(refusal.what, refusal.ways, engine))
    waiting = errors.RateLimited(engine.shown, retry_after=60)
    ends.setdefault(_said(waiting), []).append("`429` with `Retry-After: 60`, which the deadline has no room for")
    rows = (("; ".join(dict.fromkeys(what)), said) for said, what in ends.items())
    return f"\n### {engine.shown}\n\n" + _table(("What it answers", "What the member reads"), rows)


def _end(kind: Kind, engine: Engine) -> str:
    return _said(errors.NothingFound()) if kind is None else _said(kind(engine.shown))


def _where(what: str, ways: Iterable[Way], engine: Engine) -> str:
    named: Mapping[Way, str] = {Way.SEARCH: "a search", Way.FETCH: "a page", Way.ANSWER: "an answer"}
    own = [way for way in ways if way in engine.shapes]
    if len(own) == len(engine.shapes):
        return what
    return f"{what}, to {' or '.join(named[way] for way in own)}"


def _table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    lines = (" | ".join(row) for row in (heads, ("---" for _ in heads), *rows))
    return "".join(f"| {line} |\n" for line in lines)


if __name__ == "__main__":
    PAGE.write_text(written(), "utf-8")
