"""Turn what moderators have set, and which rule decides, into embeds for moderators."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING, Final

import discord

from . import engine_wording, errors, keys, limits, render, text, wording
from .charges import DOLLAR
from .config import KEYS
from .i18n import N_
from .policy import Decision, Rule
from .reload import DATABASE
from .settings import PlaceKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from .charges import Quota, Use
    from .health import Signs
    from .i18n import Words
    from .models import SiteRules
    from .settings import Spot

_RULES: Final[Mapping[Rule, str]] = {
    Rule.THREAD: N_("{state} by the thread {name}"),
    Rule.CHANNEL: N_("{state} by the channel {name}"),
    Rule.CATEGORY: N_("{state} by the category {name}"),
    Rule.SERVER: N_("{state} by this server"),
    Rule.DEFAULT: N_("{state} by default"),
    Rule.UNKNOWN: N_("{state}, since the bot can't see the channel that this thread follows"),
}
# Keys of these kinds take addresses and paths, so that what's wrong there is one, too.
_ADDRESSES: Final = (keys.Url, keys.Folder, keys.Database, keys.Domains)
# Where a place has no name, or one that can't be seen.
_TITLES: Final[Mapping[PlaceKind, str]] = {
    PlaceKind.THREAD: N_("This thread"),
    PlaceKind.CHANNEL: N_("This channel"),
    PlaceKind.CATEGORY: N_("This category"),
    PlaceKind.SERVER: N_("This server"),
}


class Panel:
    """Make the embeds of one reply.

    `spot` is the place that the reply is about, which its reader may see, and `name` is how its members wrote it, or
    nothing where that's not known. Any other place is mentioned: Discord shows the name to whoever may see the place.
    """

    def __init__(self, spot: Spot, name: str, words: Words) -> None:
        self._spot = spot
        # Escaped, or nothing where there's none that can be seen.
        self._name = text.escape_within(text.tidy(name, limits.TITLE), limits.PLACE_NAME)
        self._words = words

    def switch(self, decision: Decision, *, stopped: bool = False) -> str:
        """Say whether searching is on, and which rule decided; or what would hold, where the owner has `stopped` it."""
        words, rule = self._words, self._rule(decision, self._switched(on=decision.value))
        return words("Otherwise it would be {rule}", rule=rule) if stopped else words("Web search: {rule}", rule=rule)

    def privacy(self, decision: Decision) -> str:
        """Say who sees replies, and which rule decided."""
        rule = self._rule(decision, self._hidden(private=decision.value))
        return self._words("Replies: {rule}", rule=rule)

    def switched_apart(self, spots: Sequence[Spot], *, on: bool, stopped: bool = False) -> list[str]:
        """Name the places below where searching is `on` or off by their own settings, and how to end that."""
        return self._apart(spots, self._switched(on=on), stopped=stopped)

    def hidden_apart(self, spots: Sequence[Spot], *, private: bool) -> list[str]:
        """Name the places below where replies are `private` or public by their own settings, and how to end that."""
        return self._apart(spots, self._hidden(private=private), stopped=False)

    def _apart(self, spots: Sequence[Spot], state: str, *, stopped: bool) -> list[str]:
        if not spots:
            return []
        words, more = self._words, len(spots) - limits.PLACES
        shown = ", ".join(f"<#{spot.id}>" for spot in spots[: limits.PLACES])
        if more > 0:
            shown = words.plural("{shown} and {count} more", "{shown} and {count} more", more, shown=shown)
        strong, names = f"**{state}**", wording.names(words)
        still = (
            words("It would still be {state} in: {places}", state=strong, places=shown)
            if stopped
            else words("Still {state} in: {places}", state=strong, places=shown)
        )
        return [still, words("/{websearch} {inherit} takes such a setting away.", **names)]

    def _switched(self, *, on: bool) -> str:
        return self._words("on") if on else self._words("off")

    def _hidden(self, *, private: bool) -> str:
        return self._words("private") if private else self._words("public")

    def sites(self, rules: SiteRules) -> list[str]:
        """Say how many sites the server blocks, and how many it allows alone; nothing where it has no such rule."""
        words, blocked, allowed = self._words, len(rules.blocked), len(rules.allowed)
        told = [
            *([words.plural("{count} blocked", "{count} blocked", blocked)] if blocked else []),
            *([words.plural("only {count} allowed", "only {count} allowed", allowed)] if allowed else []),
        ]
        return [words("Sites: {told}", told=" · ".join(told))] if told else []

    def engine(self, signs: Signs) -> list[str]:
        """Say what is searched, what's wrong with it, and how it does."""
        words, manner = self._words, engine_wording.MARKDOWN
        facts = manner.joint.join(engine_wording.facts(signs, words, manner))
        return [engine_wording.name(signs, words, manner), *([facts] if facts else [])]

    def beside(self, signs: Iterable[Signs]) -> list[str]:
        """Say where engines' pages or answers fail; below all else, since in plain text the last lines may be cut."""
        each = (engine_wording.beside(one, self._words, engine_wording.MARKDOWN) for one in signs)
        return [line for found in each for line in found.values()]

    def limits(self, quota: Quota) -> list[str]:
        """Say how much may be searched."""
        words = self._words
        minute, day = words.number(quota.per_minute), words.number(quota.per_member)
        lines = [words("Limits of each member: {minute} a minute, {day} a day", minute=minute, day=day)]
        if quota.per_server is not None:
            lines.append(words("Limit of this server: {day} a day", day=words.number(quota.per_server)))
        return lines

    def use(self, use: Use | None) -> str:
        """Say what this server has used today; None is where the database can't tell."""
        words = self._words
        if use is None:
            return words("Today in this server: the bot's database can't tell")
        if not use.cost:
            return words.plural(
                "Today in this server: {count} search", "Today in this server: {count} searches", use.searches
            )
        return words.plural(
            "Today in this server: {count} search, {cost} US dollars",
            "Today in this server: {count} searches, {cost} US dollars",
            use.searches,
            cost=words.number(use.cost / DOLLAR),
        )

    def owner_off(self) -> str:
        """Say that no moderator can switch searching on."""
        return self._words("The bot's owner has switched web search off everywhere.")

    def configuration(self, problem: errors.WebSearchError | None, pending: Sequence[str]) -> list[str]:
        """Say what's wrong with the owner's configuration, and which keys of it wait for a restart."""
        words = self._words
        lines = []
        if problem is not None:
            # Not what an engine said, which is for the owner's log.
            why = text.escape(wording.explain(_for_moderators(problem), words))
            lines.append(
                words("The bot goes on with its last good configuration, since a change can't be used: {why}", why=why)
            )
        reloaded, restarted = ([key for key in pending if (key == DATABASE) is wanted] for wanted in (True, False))
        if reloaded:
            keys = text.escape(", ".join(reloaded))
            said = words("Changed by the bot's owner, but used only after a reload or a restart: {keys}", keys=keys)
            lines.append(said)
        if restarted:
            keys = text.escape(", ".join(restarted))
            lines.append(words("Changed by the bot's owner, but used only after a restart: {keys}", keys=keys))
        return lines

    def embed(self, lines: Sequence[str]) -> discord.Embed:
        """Put lines, which are safe as they are, into an embed."""
        name = "" if self._spot.kind is PlaceKind.SERVER else self._name
        title = name or text.escape(self._words(_TITLES[self._spot.kind]))
        return discord.Embed(title=title, description="\n".join(lines), colour=render.ACCENT)

    def _rule(self, decision: Decision, state: str) -> str:
        """Name the rule; where a moderator set it, also who, when and until when, without a ping."""
        words, spot, choice = self._words, decision.spot, decision.choice
        name, strong = "" if spot is None else self._shown(spot), f"**{state}**"
        rule = words(_RULES[decision.rule], state=strong, name=name)
        if choice is None:
            return rule
        who, when = f"<@{choice.by}>", f"<t:{int(choice.at)}:f>"
        if choice.until is None:
            return words("{rule}, set by {member} on {date}", rule=rule, member=who, date=when)
        end = f"<t:{int(choice.until)}:f>"
        return words("{rule}, set by {member} on {date}, until {end}", rule=rule, member=who, date=when, end=end)

    def _shown(self, spot: Spot) -> str:
        return f"*{self._name}*" if spot == self._spot and self._name else f"<#{spot.id}>"


def _tells_where(problem: errors.InvalidValue) -> bool:
    """Tell whether what was found may be an address or a path, as it's by the key, or by looks in a wrong place."""
    if not problem.found.startswith('"'):
        # A type, or a number.
        return False
    key = KEYS.get(problem.name)
    return key is None or isinstance(key.kind, _ADDRESSES) or any(sign in problem.found for sign in "/\\")


def _for_moderators(problem: errors.WebSearchError) -> errors.WebSearchError:
    """Return the problem without folders and addresses: where an owner keeps things is not for every moderator."""
    match problem:
        case errors.InvalidValue() if _tells_where(problem):
            return problem.but(path=PurePath(problem.path).name, found="text")
        case (
            errors.ConfigMissing()
            | errors.ConfigUnreadable()
            | errors.ConfigSyntax()
            | errors.UnknownKey()
            | errors.InvalidValue()
            | errors.KeyNeeded()
        ):
            return problem.but(path=PurePath(problem.path).name)
        case _:
            return problem
