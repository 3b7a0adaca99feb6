"""Complete the last of the domains that somebody types, out of those that they're offered."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import msgspec

from . import hosts, limits, links
from .patterns import late_re

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_JOINED: Final = ", "
# What somebody may type before the name: it's no part of it.
_BEFORE: Final = late_re(r"(?:https?://)?(?:\*\.)?(?:www\.)?", re.IGNORECASE)


class Completed(msgspec.Struct, frozen=True):
    """Hold a completion: `shown` has names as they may be shown, `value` has them in ASCII."""

    shown: str
    value: str


def complete(typed: str, offered: Iterable[str]) -> list[Completed]:
    """Return what `typed` may be completed to, its last domain being one of `offered`: hosts as they may be shown.

    Those that begin with what is typed come first. The domains before the last one stay; where one of them is none, or
    they're as many as a search takes, nothing is returned, and nothing that is longer than Discord lets it be.
    """
    *before, last = links.part(typed[: limits.TYPED].lstrip(" \t\r\n,;"))
    kept = dict.fromkeys(links.parse_domain(word) for word in before)
    if None in kept or len(kept) >= limits.SITES:
        return []
    wanted = _BEFORE.sub("", last, count=1).lower()
    first: list[Completed] = []
    inner: list[Completed] = []
    for shown in offered:
        value = links.parse_domain(shown)
        if value is None or value in kept:
            continue
        place = min((name.find(wanted) for name in _names(shown, value) if wanted in name), default=-1)
        whole = _whole([site for site in kept if site is not None], shown, value)
        if place >= 0 and max(len(whole.shown), len(whole.value)) <= limits.CHOICE_NAME:
            (inner if place else first).append(whole)
            if len(first) == limits.CHOICES:
                break
    return [*first, *inner][: limits.CHOICES]


def _names(shown: str, value: str) -> tuple[str, str]:
    return shown.lower().removeprefix("www."), value.removeprefix("www.")


def _whole(kept: Sequence[str], shown: str, value: str) -> Completed:
    return Completed(
        shown=_JOINED.join((*(hosts.show(site) for site in kept), shown)), value=_JOINED.join((*kept, value))
    )
