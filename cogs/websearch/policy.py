"""Decide whether searching is allowed at a place, and by which rule: over values in memory alone."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Final

import msgspec

from . import errors
from .config import SAFE_ALWAYS
from .models import SiteRules
from .settings import Choice, PlaceKind, Settings, Spot

if TYPE_CHECKING:
    from collections.abc import Callable

    from .config import Config
    from .models import Asker
    from .settings import Place, SpotSettings


class Rule(StrEnum):
    """Name what decided: the setting of a place, the configuration, or that something is not known."""

    THREAD = "thread"
    CHANNEL = "channel"
    CATEGORY = "category"
    SERVER = "server"
    DEFAULT = "default"
    UNKNOWN = "unknown"


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """Hold what holds at a place and by which rule; `spot` and `choice` are those of the setting that decided."""

    value: bool
    rule: Rule
    spot: Spot | None = None
    choice: Choice | None = None


_DIRECT: Final = "direct"
# Where direct messages are a way out.
_SERVER_ONLY: Final = "server-only"


def switch(config: Config, settings: Settings, place: Place, now: float) -> Decision:
    """Decide whether searching is on at `now` (Unix seconds); off where a rule that may decide is not known."""
    return _nearest(settings, place, lambda one: one.switch(now), default=config.web_default_on, unseen=False)


def replies(settings: Settings, place: Place) -> Decision:
    """Decide whether replies are for the asker alone; they are where a rule that may decide is not known."""
    return _nearest(settings, place, lambda one: one.private, default=False, unseen=True)


def check(config: Config, settings: Settings, asker: Asker, place: Place, now: float) -> None:
    """Raise the `SearchRefused` that says why the asker may not search there."""
    admit(config, asker)
    decision = switch(config, settings, place, now)
    if not decision.value:
        raise errors.SwitchedOff(_told(config, decision.rule, place))


def _told(config: Config, rule: Rule, place: Place) -> str:
    if place.guild_id is None:
        return _DIRECT
    return _SERVER_ONLY if rule is Rule.SERVER and config.web_default_on else rule.value


def check_early(config: Config, settings: Settings, asker: Asker, place: Place, now: float) -> None:
    """Raise the `SearchRefused` of what is known to be off; let pass what may turn out to be on."""
    admit(config, asker)
    if switch(config, settings, place, now).rule is not Rule.UNKNOWN:
        check(config, settings, asker, place, now)


def admit(config: Config, asker: Asker) -> None:
    """Raise the `SearchRefused` by which the bot's owner keeps the asker from searching at all."""
    if not config.enable_web_search:
        raise errors.SearchDisabled
    if asker.user_install and not config.web_user_install:
        raise errors.UserInstallDisabled


def sites(config: Config, settings: Settings, guild_id: int | None) -> SiteRules:
    """Tell which sites may be shown in a server, or outside of any."""
    own = settings.sites_of(guild_id)
    return SiteRules(
        owner_blocked=config.web_block_sites,
        blocked=tuple(one.domain for one in own if not one.allowed),
        allowed=tuple(one.domain for one in own if one.allowed),
    )


def is_safe(config: Config, place: Place) -> bool:
    """Tell whether engines are to leave out what isn't fit for everybody; they are where the place isn't known."""
    return config.web_safe_search == SAFE_ALWAYS or not place.age_restricted


def apart(
    settings: Settings,
    spot: Spot,
    choice_of: Callable[[SpotSettings], Choice | None],
    *,
    value: bool,
    channels: frozenset[int],
) -> list[Spot]:
    """List the places below `spot` that have chosen something else than `value`, the widest kind first.

    `channels` are the ids of the channels in a category; the settings alone know the channel of a thread.
    """
    found = [
        one.spot
        for one in settings.of_guild(spot.guild_id)
        if _is_below(one.spot, spot, channels) and (choice := choice_of(one)) is not None and choice.value != value
    ]
    kinds = tuple(PlaceKind)
    return sorted(found, key=lambda one: (-kinds.index(one.kind), one.id))


def _is_below(one: Spot, above: Spot, channels: frozenset[int]) -> bool:
    match above.kind:
        case PlaceKind.SERVER:
            return one.kind is not PlaceKind.SERVER
        case PlaceKind.CATEGORY:
            return one.parent_id in channels or (one.kind is PlaceKind.CHANNEL and one.id in channels)
        case PlaceKind.CHANNEL:
            return one.parent_id == above.id
        case PlaceKind.THREAD:
            return False


def _nearest(
    settings: Settings, place: Place, choice_of: Callable[[SpotSettings], Choice | None], *, default: bool, unseen: bool
) -> Decision:
    """Let the nearest place that has a choice decide, else the default.

    A place that isn't known matters only where the server has a choice for some place of that kind: then `unseen`.
    """
    spots = {spot.kind: spot for spot in place.spots}
    for kind in PlaceKind:
        if kind in place.missing and _has_any(settings, place, kind, choice_of):
            return Decision(value=unseen, rule=Rule.UNKNOWN)
        stored = settings.of(spots[kind]) if kind in spots else None
        choice = choice_of(stored) if stored is not None else None
        if choice is not None:
            return Decision(value=choice.value, rule=Rule(kind.value), spot=spots[kind], choice=choice)
    return Decision(value=default, rule=Rule.DEFAULT)


def _has_any(
    settings: Settings, place: Place, kind: PlaceKind, choice_of: Callable[[SpotSettings], Choice | None]
) -> bool:
    if place.guild_id is None:
        return False
    return any(one.spot.kind is kind and choice_of(one) is not None for one in settings.of_guild(place.guild_id))
