"""Compare the cleaning of one snippet of a very long page with that of an ordinary page."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from cogs.websearch import text

from .figures import Comparison, Cost

if TYPE_CHECKING:
    from collections.abc import Mapping

ABOUT: Final = (
    "**Cleaning** makes one snippet of 400 characters of a page. A page of 5,000 characters stands beside one of the"
    " same sort that is a thousand times as long: the rest of a page must cost nothing, whatever is in it."
)
_SNIPPET: Final = 400
_PAGE: Final = 5_000
_TIMES: Final = 1_000
_BUDGET: Final = 1.2
_ROUNDS: Final = 41
# So long that the clock and the loop are nothing beside it.
_TURN_S: Final = 0.005

# What a page repeats, from its first character to its last.
_SORTS: Final[Mapping[str, str]] = {
    "plain text": "The event loop runs callbacks, performs network input and output, and runs subprocesses in turn. ",
    "text without a space": "事件循环运行回调并执行网络输入输出",
    "Markdown and HTML": '<p class="a">The <b>event loop</b> runs [callbacks](https://example.org) &amp; more.</p>\n',
    "nothing but tags": '<div class="a"><span><br></span></div>',
    "comments that never end": "<!-- a word ",
    "scripts that never end": "<script> a word </scrip",
    "tags cut in two": "<scr<b></b>ipt>a word",
    "entities of entities": "&amp;amp;amp;lt;b&amp;amp;gt;",
    "angle brackets": "<",
    "stacks of marks": "a" + "\u0301" * 50,
    "invisible characters": "\u200b\u202e\U000e0041",
    "emoji that join": "\N{WOMAN}\u200d\N{WOMAN}\u200d\N{GIRL}",
}


def measure(*, quick: bool) -> list[Comparison]:
    """Measure each sort of page."""
    rounds, turn_s = (3, 0.001) if quick else (_ROUNDS, _TURN_S)
    return [_compare(sort, unit, rounds, turn_s) for sort, unit in _SORTS.items()]


def _compare(sort: str, unit: str, rounds: int, turn_s: float) -> Comparison:
    page = (unit * _PAGE)[:_PAGE]
    endless = page * _TIMES
    ours: list[Cost] = []
    theirs: list[Cost] = []
    _clean(page, 1)
    repeats = max(1, round(turn_s / _clean(page, 1).passed))
    for number in range(rounds):
        for raw, costs in ((page, theirs), (endless, ours))[:: -1 if number % 2 else 1]:
            costs.append(_clean(raw, repeats))
    return Comparison(
        what=f"cleaning, {sort}",
        beside="a page a thousandth as long",
        ours=ours,
        theirs=theirs,
        budget=_BUDGET,
        by_work=True,
    )


def _clean(raw: str, repeats: int) -> Cost:
    passed, worked = time.perf_counter(), time.process_time()
    for _ in range(repeats):
        text.clean(raw, _SNIPPET)
    return Cost((time.perf_counter() - passed) / repeats, (time.process_time() - worked) / repeats)
