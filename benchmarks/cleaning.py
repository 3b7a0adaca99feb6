"""Compare the cleaning of a text of 4 MiB with that of one of 4 kB, and the vetting of an address alike."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING, Final

from cogs.websearch import limits, links, text

from .figures import Comparison, Cost

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

ABOUT: Final = (
    "**Cleaning** makes one snippet of 400 characters of a page, or one title of 120. A page of 4 kB stands beside one"
    " of the same sort that has 4 MiB: the rest of a page must cost nothing, whatever is in it. So does an address: one"
    " as long as any that's shown stands beside one of a megabyte, which is refused. Of the text of a fetched page ten"
    " times as much is shown, and must take ten times as long at most, and a fifth more."
)
_SNIPPET: Final = 400
_PAGE: Final = 4_096
_TIMES: Final = 1_024
_ADDRESS_TIMES: Final = 512
_BUDGET: Final = 1.2
# So much more is shown of a fetched page.
_MORE: Final = 10
_SHOWN_LEAST: Final = limits.PAGE_TEXT // _MORE
_ROUNDS: Final = 41
# So long that the clock and the loop are nothing beside it.
_TURN_S: Final = 0.005

# What a page repeats, from its first character to its last.
_SORTS: Final[Mapping[str, str]] = {
    "plain text": "The event loop runs callbacks, performs network input and output, and runs subprocesses in turn. ",
    "text without a space": "事件循环运行回调并执行网络输入输出",
    "Markdown and HTML": '<p class="a">The <b>event loop</b> runs [callbacks](https://example.org) &amp; more.</p>\n',
    "nothing but tags": '<div class="a"><span><br></span></div>',
    "quotes in quotes in tags": "<a href=\"'<b title=\\'\">'\" ",
    "comments that never end": "<!-- a word ",
    "scripts that never end": "<script> a word </scrip",
    "tags cut in two": "<scr<b></b>ipt>a word",
    "entities of entities": "&amp;amp;amp;lt;b&amp;amp;gt;",
    "ampersands": "&amp;",
    "numbers that never end": "&#",
    "angle brackets": "<",
    "backticks and stars": "`*_~|",
    "stacks of marks": "a" + "\u0301" * 50,
    "marks alone": "\u0301",
    "invisible characters": "\u200b\u202e\U000e0041",
    "emoji that join": "\N{WOMAN}\u200d\N{WOMAN}\u200d\N{GIRL}",
    "emoji in one chain": "\N{WOMAN}\u200d",
    "flags": "\N{REGIONAL INDICATOR SYMBOL LETTER D}\N{REGIONAL INDICATOR SYMBOL LETTER E}",
}
# What could be read again and again where a whole page is shown: characters that are told apart by those before them.
_PAGE_SORTS: Final[Mapping[str, str]] = {
    **{
        sort: _SORTS[sort]
        for sort in ("plain text", "Markdown and HTML", "stacks of marks", "emoji in one chain", "flags")
    },
    "comparisons": "for(i=0;i<n;i++) a<b, c<d;\n",
    "letters that join": "\N{DEVANAGARI LETTER KA}\N{DEVANAGARI SIGN VIRAMA}\u200d",
    "syllables in their parts": "\N{HANGUL CHOSEONG HIEUH}\N{HANGUL JUNGSEONG A}\N{HANGUL JONGSEONG NIEUN}",
}
# What an address begins with, and what it repeats.
_ADDRESSES: Final[Mapping[str, tuple[str, str]]] = {
    "an address with many parameters": ("https://example.com/?", "utm_a=1&b=2&"),
    "an address with a long host": ("https://", "a."),
    "an address with a broken end": ("https://example.com/?#\n", "?#a"),
    "an address with a long path": ("https://example.com/", "ü%;sid="),
}


def measure(*, quick: bool) -> list[Comparison]:
    """Measure each sort of page and address."""
    rounds, turn_s = (3, 0.001) if quick else (_ROUNDS, _TURN_S)
    pages = {
        f"cleaning, {sort}": (partial(text.clean, limit=_SNIPPET), (unit * _PAGE)[:_PAGE])
        for sort, unit in _SORTS.items()
    }
    pages["cleaning, a title without a space"] = (partial(text.clean, limit=limits.TITLE), "abcdefgh" * (_PAGE // 8))
    addresses = {
        f"cleaning, {sort}": (links.vet, (start + unit * limits.EMBED_URL)[: limits.EMBED_URL])
        for sort, (start, unit) in _ADDRESSES.items()
    }
    return [
        *(_longer(what, *one, _TIMES, rounds, turn_s) for what, one in pages.items()),
        *(_longer(what, *one, _ADDRESS_TIMES, rounds, turn_s) for what, one in addresses.items()),
        *(_more_shown(f"cleaning, a whole page of {sort}", unit, rounds, turn_s) for sort, unit in _PAGE_SORTS.items()),
    ]


def _longer(what: str, work: Callable[[str], object], short: str, times: int, rounds: int, turn_s: float) -> Comparison:
    ours, theirs = _in_turns(partial(work, short * times), partial(work, short), rounds, turn_s)
    return Comparison(
        what=what,
        beside=f"one {times:,} times shorter",
        ours=ours,
        theirs=theirs,
        budget=_BUDGET,
        by_work=True,
    )


def _more_shown(what: str, unit: str, rounds: int, turn_s: float) -> Comparison:
    page = unit * text.scan_limit(limits.PAGE_TEXT)
    most, least = (partial(text.clean_paragraphs, page, limit) for limit in (limits.PAGE_TEXT, _SHOWN_LEAST))
    ours, theirs = _in_turns(most, least, rounds, turn_s)
    return Comparison(
        what=what,
        beside=f"{_MORE} times less of it",
        ours=ours,
        theirs=theirs,
        budget=_BUDGET * _MORE,
        by_work=True,
    )


def _in_turns(
    ours: Callable[[], object], theirs: Callable[[], object], rounds: int, turn_s: float
) -> tuple[list[Cost], list[Cost]]:
    costs: tuple[list[Cost], list[Cost]] = ([], [])
    _timed(theirs, 1)
    repeats = max(1, round(turn_s / _timed(theirs, 1).passed))
    for number in range(rounds):
        for work, own in ((theirs, costs[1]), (ours, costs[0]))[:: -1 if number % 2 else 1]:
            own.append(_timed(work, repeats))
    return costs


def _timed(work: Callable[[], object], repeats: int) -> Cost:
    passed, worked = time.perf_counter(), time.process_time()
    for _ in range(repeats):
        work()
    return Cost((time.perf_counter() - passed) / repeats, (time.process_time() - worked) / repeats)
