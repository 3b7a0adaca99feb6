"""Clean, escape and cut text that strangers wrote.

`clean` is applied once to each string that comes from outside and makes one line of plain text of it. `escape` is
applied where an element of Discord renders Markdown, and nowhere else. Both are pure and linear.
"""

from __future__ import annotations

import re
from typing import Final

from . import characters, htmltext
from .patterns import late_re, late_regex

_ELLIPSIS: Final = "…"
# Stands for a line break while lines are cleaned as one: visible, plain, and on hardly any page. (The turned not sign.)
_BREAK: Final = "\u2319"
# What may be a tag with line breaks in it, which are none of the text's.
_BROKEN_TAG: Final = late_re(r"<[A-Za-z/][^<>\n]*+\n[^<>]*+>")
# Rounds of decoding, stripping and taking out; each can bring to light what the next must see, as `<scr<b></b>ipt>`
# does. Real pages need two.
_ROUNDS: Final = 6
# A word is rarely longer, in code points.
_WORD: Final = 64
# Of a row of flags, which are pairs of letters, `\X` reads all letters before each pair again to tell where it begins,
# which takes time squared. So pairs are counted off here, from the first on; the last one is left to it.
_GRAPHEME: Final = late_regex(r"\p{RI}{2}(?=\p{RI})|\X")
# Such as the signs that stand before Arabic numbers.
_JOINING: Final = late_regex(r"\p{GCB=Prepend}")

# Every character that begins markup in Discord, where it could begin it, so that no backslash is spent in vain. Of what
# takes two characters or more the first is enough: a code block is three backticks. `(` follows `]` in masked links,
# and Discord does not heed a backslash before that `]`. A colon opens :emoji: and follows the scheme of a bare link.
# discord.gg/… is an invite without any scheme. The set comes first, since `re` skips quickly to one of it.
_INLINE: Final = late_re(
    r"""
    [\\`*_<@\[\]:(|~.]
    (?: (?<=[\\`*_<@\[\]]) | (?<=:)(?!\ ) | (?<=\() (?:(?<=\A.)|(?<=\].))
      | (?<=\|) (?:(?<=\A.)|(?<=\|.)|(?=\||\Z)) | (?<=~) (?:(?<=\A.)|(?<=~.)|(?=~|\Z))
      | (?<=\.) (?:(?<=[Dd][Ii][Ss][Cc][Oo][Rr][Dd].)|(?<=[Dd][Ii][Ss][Cc][Oo][Rr][Dd][Aa][Pp][Pp].)) )
    """,
    re.VERBOSE | re.DOTALL,
)
# What begins a line: headings, quotes, lists and subtext, up to the character that makes it one.
_LINE: Final = late_re(r"\s*+(?:[#>+\-]|\d++\.(?=\s|\Z))")


def scan_limit(limit: int) -> int:
    """Tell how many code points of a page `clean` looks at, at most, to fill `limit`.

    Eight times what is shown leaves room for markup; a page that is nothing but markup for longer than that shows less
    text than it could. For a snippet of 400 it comes to about 4 kB, so that no page costs more than one of that size.
    """
    return 8 * limit + 1024


def clean(raw: str, limit: int) -> str:
    """Return one line of readable, unescaped text of at most `limit` code points for what a page sent.

    Entities are decoded, tags, comments and scripts gone, invisible characters taken out, white space folded, text
    composed (NFC); a cut falls between graphemes and ends in an ellipsis. Cleaning what is clean changes nothing. Time
    and memory grow with `limit`, whatever the length of `raw`.
    """
    if limit <= 0:
        return ""
    if len(raw) <= limit:
        if _is_settled(raw, html=True):
            return raw
    else:
        # Nothing beyond a space changes plain text before it, so that all which needs a look is what will be shown.
        end = raw.find(" ", limit + 1, limit + _WORD)
        if end > 0 and _is_settled(raw[:end], html=True):
            # `cut` would find nothing in it that it has to keep whole.
            return raw[: limit - 1].rstrip() + _ELLIPSIS
    # Most pages fill a snippet from twice its length; the rest is looked at for those that don't.
    size = 2 * limit + 256
    text = _settle(raw[:size], truncated=len(raw) > size)
    if len(text) <= limit and len(raw) > size:
        size = scan_limit(limit)
        text = _settle(raw[:size], truncated=len(raw) > size)
    goes_on = text and len(raw) > size
    return cut(f"{text}{_ELLIPSIS}" if goes_on else text, limit)


def clean_paragraphs(raw: str, limit: int) -> tuple[str, bool]:
    """Return readable, unescaped text of at most `limit` code points, and whether the page says more than that.

    As `clean`, which each line is as good as, but line breaks stay: one between paragraphs, none at either end. What
    spans lines, such as a script, is taken out as a whole. Time and memory grow with `limit`, whatever `raw` is.
    """
    if limit <= 0:
        return "", bool(raw)
    size = 2 * limit + 256
    text = _settle_paragraphs(raw[:size], truncated=len(raw) > size)
    if len(text) <= limit and len(raw) > size:
        size = scan_limit(limit)
        text = _settle_paragraphs(raw[:size], truncated=len(raw) > size)
    goes_on = len(raw) > size
    if len(text) <= limit and not (goes_on and text):
        return text, goes_on
    end = _boundary(text, limit - 1) if len(text) >= limit else len(text)
    return _trim(text[:end]) + _ELLIPSIS, True


def tidy(typed: str, limit: int) -> str:
    """Return one line of visible, unescaped text of at most `limit` code points for what a person typed.

    As `clean`, but for entities and tags: who asks what `<br>` does means it. Not for what comes from a page.
    """
    return cut(_settle(typed[: scan_limit(limit)], html=False), limit) if limit > 0 else ""


def cut(text: str, limit: int) -> str:
    """Return clean text of at most `limit` code points; a cut falls between graphemes and ends in an ellipsis."""
    if len(text) <= limit:
        return text
    if limit <= 0:
        return ""
    return _trim(text[: _boundary(text, limit - 1)]) + _ELLIPSIS


def escape(text: str) -> str:
    r"""Return clean text such that nothing in it is alive where Discord renders Markdown.

    It holds at the start of a line and after other text. Backslashes stand only before ASCII punctuation, where Discord
    swallows them; a backslash of the text itself is escaped too. Inside the label of a masked link brackets can't be
    made safe by any escape: an embed's title has a URL of its own for that.
    """
    return _insert(text, _live(text))


def escape_within(text: str, limit: int) -> str:
    """Return clean text escaped to at most `limit` code points, backslashes included.

    A cut falls neither inside a grapheme nor between a backslash and its character, and ends in an ellipsis.
    """
    if len(text) <= limit and len(whole := escape(text)) <= limit:
        return whole
    if limit <= 0:
        return ""
    head = text[: limit + 1]
    places = _live(head)
    room = limit - len(_ELLIPSIS)
    while True:
        shown = _trim(head[: _fitting(head, places, room)]) + _ELLIPSIS
        # Whether the last ones are escaped depends on their neighbours, of which the cut gives them others: a colon
        # with a space behind it sleeps, and one with an ellipsis doesn't.
        escaped = escape(shown)
        if len(escaped) <= limit:
            return escaped
        room -= 1


def beginning(text: str, limit: int) -> int:
    """Tell how many code points of a text, whole graphemes, come to at most `limit` once they are escaped.

    It's 0 where the first grapheme is too long by itself.
    """
    if len(text) <= limit and len(escape(text)) <= limit:
        return len(text)
    head = text[: limit + 1]
    places = _live(head)
    room = limit
    # As in `escape_within`, the last ones may need a backslash only where they are the last.
    while len(escape(head[: (end := _fitting(head, places, room))])) > limit:
        room -= 1
    return end


def _settle(text: str, *, truncated: bool = False, html: bool = True) -> str:
    # Most text shows at a glance that it needs nothing, or folding alone; rounds take ten times as long as the glance.
    if _is_settled(text, html=html):
        return text
    text = _without_edge(text) if truncated else characters.fold(text)
    for _ in range(_ROUNDS):
        if _is_settled(text, html=html):
            return text
        before = text
        text = characters.keep_visible(_refold(htmltext.decode(text), text) if html else text)
        text = _refold(htmltext.strip(text, truncated=truncated), text) if html else text
        if text == before:
            return text
    # Only a page built to be taken apart for ever comes here.
    text = characters.keep_visible(text, strict=True)
    text = htmltext.disarm(text) if html else text
    return characters.keep_visible(characters.fold(text), strict=True)


def _settle_paragraphs(text: str, *, truncated: bool) -> str:
    for _ in range(_ROUNDS):
        if truncated:
            text = _join_edge(text)
        # Lines are read as one, since tags, comments and scripts span them; the sign between them is neither part of
        # any markup nor taken out. A page that has it itself gets one paragraph more.
        whole = _BROKEN_TAG.sub(lambda tag: characters.fold(tag[0]), "\n".join(text.splitlines()))
        joined = f" {_BREAK} ".join(line for line in whole.split("\n") if line and not line.isspace())
        # A line alone may hold what the whole didn't show, which for nearly all takes no more than a glance.
        lines = (_settle(line.strip()) for line in _settle(joined, truncated=truncated).split(_BREAK))
        text, truncated = "\n".join(line for line in lines if line), False
        if not _BROKEN_TAG.search(text):
            return text
    # As in `_settle`: only a page built to be taken apart for ever comes here.
    return "\n".join(_settle(line) for line in htmltext.disarm(text).split("\n"))


def _join_edge(text: str) -> str:
    """Put on one line what may be a tag that the end cut in two."""
    start = text.rfind("<", -htmltext.HALF_TAG_MOST)
    return text if start < 0 else text[:start] + characters.fold(text[start:])


def _without_edge(text: str) -> str:
    """Fold text, and leave out what its end may have cut in two: an entity, or a grapheme where no space ends it.

    A grapheme, or a row of characters that can't be seen, that is longer than any word is a page's trick, and ends it.
    """
    # A number that was cut is another number, so that half an entity goes before decoding.
    text = htmltext.decode(htmltext.drop_half_entity(text))
    last = characters.drop_unseen_end(text[-_WORD:])[-1:]
    # Marks find their letter only once nothing invisible is in between.
    text = characters.keep_visible(characters.fold(text))
    ended = not last or last.isspace()
    # Nor do the halves of an entity.
    for _ in range(_ROUNDS):
        if htmltext.decode(text) == text:
            break
        whole = text if ended else htmltext.drop_half_entity(text)
        text = characters.keep_visible(characters.fold(htmltext.decode(whole)))
    if not text or ended:
        return text
    text = htmltext.drop_half_entity(text)
    start = max(0, len(text) - _WORD)
    end = _boundary(text[start:], len(text) - start - 1)
    return text[: start + end].rstrip() if end or not start else text


def _is_settled(text: str, *, html: bool) -> bool:
    """Tell whether a round would certainly leave the text as it is; False where that takes more than a glance."""
    if text[:1] == " " or text[-1:] == " " or "  " in text or not characters.is_plain(text):
        return False
    return not (html and htmltext.is_marked(text))


def _refold(text: str, folded: str) -> str:
    """Fold text that was made of folded text, unless it still is that text."""
    return folded if text == folded else characters.fold(text)


def _boundary(text: str, most: int) -> int:
    """Return the last place up to `most`, which lies inside the text, where one grapheme ends and another begins."""
    if characters.is_plain(text[most - 1 : most + 1]):
        return most
    # Only what follows the last space has to be read: a grapheme begins there, unless a sign joins what comes after it.
    space = text.rfind(" ", 1, most)
    start = space if space > 0 and not _JOINING.match(text, space - 1) else 0
    return max(found.start() for found in _GRAPHEME.finditer(text, start, most + 1))


def _live(text: str) -> list[int]:
    """Return the places of the characters that need a backslash, in order."""
    inline = [found.start() for found in _INLINE.finditer(text)]
    begun: list[int] = []
    start = 0
    for line in text.splitlines(keepends=True):
        if found := _LINE.match(line):
            begun.append(start + found.end() - 1)
        start += len(line)
    # Hardly any line begins with such a sign.
    return sorted({*inline, *begun}) if begun else inline


def _insert(text: str, places: list[int]) -> str:
    if not places:
        return text
    ends = (*places, len(text))
    return "\\".join(text[start:end] for start, end in zip((0, *places), ends, strict=True))


def _trim(text: str) -> str:
    """Leave out what must not stand before an ellipsis: white space, and joiners that have nothing to join there."""
    return characters.drop_joiner_end(text.rstrip()).rstrip()


def _fitting(head: str, places: list[int], room: int) -> int:
    """Return where the last grapheme ends that fits into `room` with all backslashes before it."""
    end = used = 0
    waiting = iter(places)
    place = next(waiting, None)
    for grapheme in _GRAPHEME.finditer(head):
        used += len(grapheme[0])
        while place is not None and place < grapheme.end():
            used += 1
            place = next(waiting, None)
        if used > room:
            break
        end = grapheme.end()
    return end
