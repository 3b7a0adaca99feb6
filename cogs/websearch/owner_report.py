"""Tell the bot's owner how searching goes, in lines of Markdown: engine, database, today's use, configuration."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import errors, places, text
from .charges import DOLLAR
from .owner_wording import explain_slip, place_of
from .status import Panel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .charges import Use
    from .i18n import Words
    from .reload import Reloader
    from .service import SearchService


async def lines(service: SearchService, reloader: Reloader, words: Words, waiting: Sequence[str] = ()) -> list[str]:
    """Return lines that are safe to be shown anywhere: without a key, a query, or where the owner keeps things.

    `waiting` are keys that wait for a restart, beside those that the reloader knows of.
    """
    panel = plain_panel(words)
    signs = service.engines.signs.values()
    engines = [line for one in signs for line in panel.engine(one)] or [words("Engine: none")]
    if not service.config.enable_web_search:
        engines = [words("Web search is switched off everywhere: set “enable-web-search = true”.")]
    try:
        use = (await service.usage()).total
    except errors.StoreFailed:
        # The store logged it.
        stored = [words("Database: it fails, and the bot's log says why.")]
    else:
        stored = [words("Database: it answers."), _today(use, words)]
    pending = tuple(dict.fromkeys((*reloader.pending, *waiting)))
    configuration = [*panel.configuration(reloader.problem, pending), *_unread(reloader, words)]
    in_force = configuration or [words("Configuration: all of it is in force.")]
    return [*engines, *stored, *in_force, *panel.beside(signs)]


def plain_panel(words: Words) -> Panel:
    """Return a panel of no place in particular."""
    return Panel(places.server(0).spots[0], "", words)


def _unread(reloader: Reloader, words: Words) -> list[str]:
    """Name the keys that aren't read; not in which file, since whoever reads along in a channel learns no folder."""
    place = place_of("", words)
    return [text.escape(" ".join(explain_slip(slip, words, place=place))) for slip in reloader.unread]


def _today(use: Use, words: Words) -> str:
    return words.plural(
        "Today: {count} search, {cost} US dollars",
        "Today: {count} searches, {cost} US dollars",
        use.searches,
        cost=words.number(use.cost / DOLLAR),
    )
