"""Write docs/errors.md from the tables that the tests play: `python tests/error_page.py`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from cogs.websearch import errors, wording
from cogs.websearch.i18n import Words
from fault_table import GROUPS, SHOWN

if TYPE_CHECKING:
    from collections.abc import Iterable

PAGE: Final = Path(__file__).parent.parent / "docs" / "errors.md"

_TOP: Final = """\
<!-- Written by tests/error_page.py from the tables that the tests play: change those. -->

# Errors

What goes wrong, what the member who searched reads, and what the owner of the bot does about it.

**Who sees it.** Each sentence is shown to the member who searched or pressed, in that member's language, and to nobody
else. A public reply that says that the bot is thinking is deleted first; then the sentence comes as a private message,
under the query that it's about. Where the bot may not embed links, it's plain text.

**Where it's logged.** The bot's own log has one line for each failure, by the loggers below `cogs.websearch`: a warning
for the engine and for Discord, an error for the database and for a fault of this package. Neither a query nor a key is
ever in it. Nothing is logged about what a member may not do or mistyped, nor about a search for which the engine isn't
asked.

**What the owner is told.** A key that's refused, credit that's used up, a day's budget that's spent, an engine that
fails five times in a row and a database that fails are told by a message: in `web-alert-channel` where that's set and
takes it, else by direct message, each at most once an hour, the budget once a day. So is the first search that goes
well again. After a refused key (401) no search asks the engine until the configuration changes or the cog is loaded
anew. Without credit (402) one search asks every ten minutes. All others fail at once with the same sentence, and aren't
charged at all. It's the same for searches, answers and pages, whichever met it. An engine that asks for more patience
than a search has, by Retry-After with 429 or 503, isn't asked before that's over. After five failures in a row an
engine is left alone for a few seconds, and for up to a minute where a search that tries it fails again. `/websearch
status` says so, too.

**When another engine stands in.** With `web-fallbacks`, the next engine is asked after every failure below but 400 and
403 for prohibited content, within the same `web-timeout-s`; the reply says who answered. Only where none does, the
member reads the first one's sentence. It's the same for answers, as long as nothing of one has come, and for
pages, of which a 400 says that this engine can't read it: others are asked then, too.

**What it costs.** A search that the engine failed is given back to its member's day and its server's, but keeps its
place in the minute, so that nobody hammers an engine that is down. The budget gets it back where there was no
connection, or Exa answered with an error's status or a redirect, which it doesn't bill. Where a search was sent and
timed out, or its answer makes no sense, breaks off or is too large, it may be billed, and the budget pays; so it does
for each try that went out and was never answered. What Exa doesn't take or won't search for (400, and 403 for
prohibited content) counts in the minute and the day, and costs nothing. A search that found nothing counts, since Exa
bills it. While a search runs, what it may cost is held: where only that leaves too little of the day's budget, members
read “Other searches are using up what the bot can spend today: try again in a moment.”

## The engine fails

The log line reads `Exa failed:`, then what stands in the column *Log*, then Exa's own tag and message where it has
sent any. What may pass is tried up to four times within `web-timeout-s`; an answer that breaks off after it began well
isn't asked for again, since each would be billed.

"""
_SHOWN: Final = """
## The engine's answer is odd, and has results

The good rows are shown, and the search counts. What is wrong with a row or a field is left out, and a cost that can't
be right is replaced by Exa's list price. Nothing is logged.

"""
_NONE: Final = """
## The engine has nothing

The search counts. Nothing is logged.

"""
_DISCORD: Final = """
## Discord fails

What Discord answers with 429 or 500, and a connection that breaks, is tried again, and the member notices nothing but
a moment more. The search counts, since the engine was asked.

"""
_OWN: Final = """
## The bot itself

"""
_DISCORD_ROWS: Final = (
    (
        "Discord doesn't take the results, a page or a deletion",
        errors.ReplyRefused(),
        "Nothing, unless it lasts: looks at Discord's status page. The log line begins with `could not`.",
    ),
    (
        "Discord doesn't even let a public reply be deleted: the reply itself says so, without the query",
        errors.ReplyRefused(),
        "Nothing.",
    ),
    ("The reply, its channel or its server is gone, or fifteen minutes are over", None, "Nothing."),
    ("Discord tells the bot of a command twice", None, "Nothing: it's searched, counted and answered once."),
)
_OWN_ROWS: Final = (
    (
        "Exa failed five times in a row, and isn't asked for a while",
        errors.BackendDown("Exa", retry_after=5),
        "As after the failures themselves, which the log names; or sets `web-fallbacks`.",
    ),
    (
        "More searches come at once than `web-pace-per-second` lets out in time",
        errors.BackendBusy("Exa", retry_after=5),
        "Nothing, unless it lasts: sets `web-fallbacks`, or raises `web-pace-per-second` where Exa allows more.",
    ),
    (
        "The cog is unloaded or the bot ends while the engine is asked; the search doesn't count, but for its cost",
        errors.SearchInterrupted(),
        "Nothing.",
    ),
    (
        "The database can't be read or written",
        errors.StoreFailed(),
        "Makes room on the disk, or lets the bot write there. The log line begins with `the database failed to`.",
    ),
    (
        "Something is wrong in this package",
        errors.OwnFault(),
        "Reports it with the log line that begins with `a fault of our own`.",
    ),
)


def written() -> str:
    """Return the page as it should be."""
    words = Words()
    engine = _table(
        ("What Exa does", "What the member reads", "What the owner does", "Log"),
        (("; ".join(group.faults), group.said, group.owner, f"`{group.key}`") for group in GROUPS),
    )
    shown = "".join(f"- {name}\n" for name in SHOWN)
    nothing = _table(
        ("What Exa does", "What the member reads"),
        (
            ("It knows no page", wording.explain(errors.NothingFound(), words)),
            ("None of its pages has an address that may be shown", wording.explain(errors.NothingUsable(2), words)),
        ),
    )
    heads = ("What happens", "What the member reads", "What the owner does")
    others = (
        _table(
            heads, ((what, wording.explain(error, words) if error else "Nothing", owner) for what, error, owner in rows)
        )
        for rows in (_DISCORD_ROWS, _OWN_ROWS)
    )
    return _TOP + engine + _SHOWN + shown + _NONE + nothing + _DISCORD + next(others) + _OWN + next(others)


def _table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    lines = (" | ".join(row) for row in (heads, ("---" for _ in heads), *rows))
    return "".join(f"| {line} |\n" for line in lines)


if __name__ == "__main__":
    PAGE.write_text(written(), "utf-8")
