"""Turn an answer into embeds within Discord's limits: its text with links at its marks, and its sources."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import discord

from . import citations, limits, render, text, wording

if TYPE_CHECKING:
    from .i18n import Words
    from .models import Answered, SearchResult

# What is kept for the sources of the 6000 characters that all embeds of a message share: room for the longest address
# that there is, with its title and host.
_SOURCES: Final = 2300
# What a source's title takes, on a phone two lines, and its host, of which the end says whose it is.
_TITLE: Final = 100
_HOST: Final = 80
# A title as it may stand in the label of a masked link, in which brackets can't be made safe by any escape.
_LABEL: Final = str.maketrans("[]", "()")
# What a link at a mark takes beside address and mark, `[](<>)`, and the backslashes that the texts around it may need
# since they begin and end there.
_LINK: Final = 6 + 4


def part_count(answered: Answered) -> int:
    """Tell in how many parts an answer is shown, at least one; in plain text there are as many."""
    return len(citations.split(answered))


def answer(answered: Answered, part: int, words: Words) -> list[discord.Embed]:
    """Make the embeds of one part, counted from 0: a header, the text, and the sources where there are any to show.

    A part beyond the last is the last: there are fewer once a site is blocked to which marks pointed.
    """
    every = citations.split(answered)
    part = min(part, len(every) - 1)
    shown = every[part]
    header = render.header(answered.request.query, facts(answered, part, len(every), words))
    said = notes(answered, words, is_last=part == len(every) - 1)
    room = limits.EMBEDS_TOTAL - len(header)
    body = _body(shown, said, room - _SOURCES)
    return [header, body, *_sources(shown, room - len(body), words)]


def growing(answered: Answered, words: Words) -> list[discord.Embed]:
    """Make the embeds of an answer that still grows: a header, and as much of the text as the first part takes."""
    first, goes_on = citations.beginning(answered)
    header = render.header(answered.request.query, facts(answered, 0, 1, words))
    return [header, _body(first, still(words, goes_on=goes_on), limits.EMBEDS_TOTAL - len(header) - _SOURCES)]


def facts(answered: Answered, part: int, count: int, words: Words) -> str:
    """Tell, unescaped, who answered, which of `count` parts this is, counted from 0, and what narrowed the search."""
    told = [words("answered by {engine}", engine=wording.answered_by(answered.answer, words))]
    return " · ".join((*told, *place(part, count, words), *render.filters(answered.request, words)))


def place(part: int, count: int, words: Words) -> list[str]:
    """Tell, unescaped, which part this is, counted from 0, where there are several."""
    if count == 1:
        return []
    return [words("part {part} of {parts}", part=words.number(part + 1), parts=words.number(count))]


def notes(answered: Answered, words: Words, *, is_last: bool) -> str:
    """Say, unescaped, what whoever relies on the answer should know: that it broke off, or comes without sources."""
    said = []
    if is_last and not answered.answer.complete:
        said.append(words("The answer broke off here: this is all that came."))
    if not answered.answer.sources and answered.answer.complete:
        said.append(words("This answer names no sources."))
    elif not answered.answer.sources:
        # Some engines name them last of all.
        said.append(words("No sources of this answer came."))
    elif not citations.shown(answered):
        said.append(words("This answer rests on sites that aren't shown here."))
    return " ".join(said)


def still(words: Words, *, goes_on: bool) -> str:
    """Say, unescaped, that an answer is still being written, and with `goes_on` that there's more of it already."""
    if goes_on:
        return words("This is the beginning: the answer is still being written.")
    return words("The answer is still being written.")


def source(number: int, result: SearchResult, *, linked: bool) -> str:
    """Write a source's line: its number as the marks show it, its title, with `linked` as a link, and its host."""
    title = named(result)
    if linked and "://" in result.title:
        # Discord makes no link of a label that looks like an address, since it could be another one's.
        return f"{link(number, result)} {title} · {render.host(result.host, _HOST)}"
    if linked:
        title = f"[{named(result, in_label=True)}](<{result.url}>)"
    return rf"\[{number}\] {title} · {render.host(result.host, _HOST)}"


def named(result: SearchResult, *, in_label: bool = False) -> str:
    """Write a source's title, escaped, or what stands for it; in the label of a link with other brackets."""
    if not result.title:
        return render.untitled(result, _TITLE)
    title = result.title.translate(_LABEL) if in_label else result.title
    return text.escape_within(text.cut(title, limits.TITLE), _TITLE)


def link(number: int, result: SearchResult) -> str:
    """Write a mark as a link to its source; a reader sees the mark."""
    return rf"[\[{number}\]](<{result.url}>)"


def more(count: int, words: Words) -> str:
    """Count, escaped, the sources that have no room."""
    return text.escape(words.plural("and {count} more source", "and {count} more sources", count))


def _body(part: citations.Part, said: str, room: int) -> discord.Embed:
    note = f"-# {text.escape(said)}" if said else ""
    # A break stands between the two.
    shown = _linked(part, min(limits.EMBED_DESCRIPTION, room) - len(note) - 1)
    # A text that was nothing but marks of a site that's blocked by now leaves nothing.
    return discord.Embed(description="\n".join(filter(None, (shown, note))) or "…", colour=render.ACCENT)


def _linked(part: citations.Part, room: int) -> str:
    """Escape a text, with a link at each mark for which there is room: at the first ones of each source before others.

    Of these the shortest come first. A mark without a link still names its source, which is in the list.
    """
    told, marks, sources = part.text, part.marks, part.cited
    first = {mark.number: mark for mark in reversed(marks)}
    left = room - len(text.escape(told))
    linked = []
    for mark in sorted(marks, key=lambda mark: (first[mark.number] != mark, len(sources[mark.number].url))):
        left -= len(sources[mark.number].url) + _LINK
        if left < 0:
            break
        linked.append(mark)
    shown, end = [], 0
    for mark in sorted(linked, key=lambda mark: mark.start):
        shown += [text.escape(told[end : mark.start]), link(mark.number, sources[mark.number])]
        end = mark.end
    return "".join((*shown, text.escape(told[end:])))


def _sources(part: citations.Part, room: int, words: Words) -> list[discord.Embed]:
    title = text.escape(words("Sources"))
    lines = [
        citations.Line(number, source(number, result, linked=False), source(number, result, linked=True))
        for number, result in part.sources
    ]
    if not lines:
        return []
    shown = citations.fill(lines, min(room, limits.EMBED_DESCRIPTION) - len(title), lambda count: more(count, words))
    return [discord.Embed(title=title, description="\n".join(shown), colour=render.ACCENT)]
