"""Say which sites a server shows, and what was changed of that, in lines of Markdown that fit into a message."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from . import hosts, links, render
from .i18n import N_

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .i18n import Words
    from .models import SiteRules

_ALLOWED: Final = N_("Only these sites are shown here:")
_BLOCKED: Final = N_("Never shown here:")
# What a name may take, escaped, outside of the lists, in which it's whole: hardly any site has a longer one.
_NAME: Final = 60
# Of the room for all lines, the names in one that says what changed may take a tenth, in a warning a sixteenth.
_CHANGED: Final = 10
_WARNED: Final = 16
# Blocked sites that are named for hiding what's allowed, each in a line of its own. More would be a mess, and what they
# hide is counted.
_CAUSES: Final = 2


class SiteLines:
    """Make the lines of one reply, which have at most `room` code points with the breaks between them, if that's 1,500.

    Domains are in ASCII, as `links.parse_domain` returns them, and are named by the alphabet as hosts are shown.
    """

    def __init__(self, words: Words, room: int) -> None:
        self._words = words
        self._room = room

    def ruled(self, domains: Sequence[str], before: SiteRules, *, allowed: bool) -> list[str]:
        """Say that these are blocked now, or `allowed`, and which of them were the opposite before."""
        opposite = before.blocked if allowed else before.allowed
        turned = [one for one in domains if one in opposite]
        plain = [one for one in domains if one not in opposite]
        if allowed:
            return self._changed((N_("Allowed now:"), plain), (N_("Allowed now, blocked before:"), turned))
        return self._changed((N_("Blocked now:"), plain), (N_("Blocked now, allowed before:"), turned))

    def freed(self, domains: Sequence[str], before: SiteRules) -> list[str]:
        """Say of which of these a rule was removed, and of which there was none."""
        ruled = {*before.blocked, *before.allowed}
        known = [one for one in domains if one in ruled]
        unknown = [one for one in domains if one not in ruled]
        return self._changed((N_("Rule removed:"), known), (N_("There was no rule for:"), unknown))

    def holding(self, rules: SiteRules, said: Sequence[str] = ()) -> list[str]:
        """Put what holds behind what these lines have `said` already: warnings, what's shown, and what never is."""
        first, last = [*said, *self._warnings(rules)], self._elsewhere(rules)
        if first:
            first.append("")
        room = self._room - sum(len(line) + 1 for line in (*first, *last))
        return [*first, *self._lists(rules, room), *last]

    def _changed(self, *told: tuple[str, Sequence[str]]) -> list[str]:
        room, words = self._room // _CHANGED, self._words
        return [f"{words(label)} {self._names(some, room, _NAME)}" for label, some in told if some]

    def _warnings(self, rules: SiteRules) -> list[str]:
        """Name what's allowed in vain, by whoever or whatever blocks it."""
        words, room = self._words, self._room // _WARNED
        by_owner: list[str] = []
        causes: dict[str, list[str]] = {}
        for site in rules.allowed:
            if links.is_on(site, rules.owner_blocked):
                by_owner.append(site)
            elif cause := next((one for one in rules.blocked if links.matches(site, one)), ""):
                causes.setdefault(cause, []).append(site)
        hidden, lines = words("Allowed, but not shown"), []
        state = f"**{hidden}**"
        if by_owner:
            lines.append(
                words.plural(
                    "{state}, since the bot's owner blocks it: {sites}",
                    "{state}, since the bot's owner blocks them: {sites}",
                    len(by_owner),
                    state=state,
                    sites=self._names(by_owner, room, _NAME),
                )
            )
        for cause in sorted(causes, key=hosts.show)[:_CAUSES]:
            names, blocked = self._names(causes.pop(cause), room, _NAME), render.host(hosts.show(cause), _NAME)
            lines.append(
                words("{state}, since {blocked} is blocked here: {sites}", state=state, blocked=blocked, sites=names)
            )
        if rest := sum(map(len, causes.values())):
            lines.append(
                words.plural(
                    "{count} more site is allowed, but not shown for a like reason.",
                    "{count} more sites are allowed, but not shown for a like reason.",
                    rest,
                )
            )
        return lines

    def _lists(self, rules: SiteRules, room: int) -> list[str]:
        """Name what's allowed and what's blocked; what the shorter leaves of its half is for the other."""
        told = [(label, some) for label, some in ((_ALLOWED, rules.allowed), (_BLOCKED, rules.blocked)) if some]
        lines: dict[str, str] = {}
        for label, some in sorted(told, key=lambda one: sum(map(len, one[1]))):
            start = f"**{self._words(label)}** "
            share = room // (len(told) - len(lines)) - len(start) - 1
            lines[label] = start + self._names(some, share, share)
            room -= len(lines[label]) + 1
        return [lines[label] for label, _ in told]

    def _elsewhere(self, rules: SiteRules) -> list[str]:
        """Say that all are shown, where no rule is there; and how many the owner blocks, for whom the list is alone."""
        words, count, any_rule = self._words, len(rules.owner_blocked), rules.blocked or rules.allowed
        if not count:
            return [] if any_rule else [words("All sites are shown here.")]
        if any_rule:
            return [
                words.plural(
                    "The bot's owner blocks {count} site everywhere.",
                    "The bot's owner blocks {count} sites everywhere.",
                    count,
                )
            ]
        return [
            words.plural(
                "All sites are shown here, but for {count} that the bot's owner blocks everywhere.",
                "All sites are shown here, but for {count} that the bot's owner blocks everywhere.",
                count,
            )
        ]

    def _names(self, domains: Iterable[str], room: int, most: int) -> str:
        """Write domains in at most `room` code points, each in at most `most`, and count those that don't fit."""
        shown = sorted(map(hosts.show, domains))
        left = room - len(self._more("", len(shown)))
        names = [render.host(name, min(most, left)) for name in shown]
        if len(whole := ", ".join(names)) <= room:
            return whole
        fitting = 0
        for name in names:
            left -= len(name) + (2 if fitting else 0)
            if left < 0:
                break
            fitting += 1
        return self._more(", ".join(names[:fitting]), len(names) - fitting)

    def _more(self, shown: str, count: int) -> str:
        return self._words.plural("{shown} and {count} more", "{shown} and {count} more", count, shown=shown)
