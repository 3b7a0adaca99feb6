"""Write an answer, or a page that somebody reads, as plain text, for places where the bot may not embed links.

As in `plain`: addresses stand in angle brackets, texts are escaped, and all of it fits into a message. The parts are
those of `render_answer` and `render_page`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from . import citations, limits, plain, render_answer, render_page, text

if TYPE_CHECKING:
    from .i18n import Words
    from .models import Answered, Reading, SearchResult

# What all but the text of a part takes of a message at most, in code points after escaping, so that there's always
# room to say how many sources have none.
_HEADING: Final = 100
_FACTS: Final = 120
_NOTE: Final = 150
_TITLE: Final = 150
_GAP: Final = "\n\n"


def answer(answered: Answered, part: int, words: Words) -> str:
    """Write one part, counted from 0: the query, who answered, the text, and the sources with their addresses.

    An address that is too long for the message is left out alone. A part beyond the last is the last.
    """
    every = citations.split(answered)
    part = min(part, len(every) - 1)
    note = render_answer.notes(answered, words, is_last=part == len(every) - 1)
    told = _told(answered, every[part], render_answer.facts(answered, part, len(every), words), note)
    lines = [_line(number, result) for number, result in every[part].sources]
    room = limits.MESSAGE_CONTENT - len(told) - len(_GAP)
    shown = citations.fill(lines, room, lambda count: render_answer.more(count, words)) if lines else []
    return _GAP.join(filter(None, (told, "\n".join(shown))))


def growing(answered: Answered, words: Words) -> str:
    """Write an answer that still grows: as much of the text as the first part takes."""
    first, goes_on = citations.beginning(answered)
    note = render_answer.still(words, goes_on=goes_on)
    return _told(answered, first, render_answer.facts(answered, 0, 1, words), note)


def page(reading: Reading, part: int, words: Words) -> str:
    """Write one part of a page, counted from 0: its title, its address where that fits, the text, and the facts."""
    title = f"**{render_page.title(reading, _TITLE)}**"
    body = render_page.body(reading, part, words)
    address = f"<{reading.page.url}>"
    fits = len(title) + len(address) + len(body) + 2 <= limits.MESSAGE_CONTENT
    return "\n".join((title, address, body) if fits else (title, body))


def _told(answered: Answered, part: citations.Part, facts: str, note: str) -> str:
    head = plain.head(answered.request.query, text.escape_within(facts, _FACTS), most=_HEADING)
    body = [text.escape(part.text), f"-# {text.escape_within(note, _NOTE)}" if note else ""]
    return _GAP.join(filter(None, (head, "\n".join(filter(None, body)))))


def _line(number: int, result: SearchResult) -> citations.Line:
    bare = render_answer.source(number, result, linked=False)
    return citations.Line(number, bare, f"{bare}\n<{result.url}>")
