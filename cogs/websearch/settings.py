"""Hold what moderators have set, as values: where, what, by whom, until when."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class PlaceKind(StrEnum):
    """Name the kinds of place that can hold settings, the nearest to a message first."""

    THREAD = "thread"
    CHANNEL = "channel"
    CATEGORY = "category"
    SERVER = "server"


class Spot(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Name one place that can hold settings, by Discord's ids.

    A server's own `id` is its `guild_id`. `parent_id` is the channel of a thread or forum post, else None.
    """

    guild_id: int
    id: int
    kind: PlaceKind
    parent_id: int | None = None

    @property
    def key(self) -> tuple[PlaceKind, int]:
        """Tell what no other place has: the first channel of an old server has the server's own id."""
        return self.kind, self.id


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """Hold where something happens and what is above it, as far as it's known.

    `spots` are in the order of `PlaceKind`, with the server last; there are none in direct messages. `missing` are the
    kinds of place that may be there, too: nothing in memory tells. `age_restricted` is true where the channel, or that
    of a thread, is known to be for adults alone.
    """

    guild_id: int | None = None
    spots: tuple[Spot, ...] = ()
    missing: frozenset[PlaceKind] = frozenset()
    age_restricted: bool = False


class Choice(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Hold what a moderator chose: `by` is their id; `at` and `until` are in Unix seconds, `until` None is for good."""

    value: bool
    by: int
    at: float
    until: float | None = None


class SpotSettings(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Hold the settings of one place; None is where it follows the place above.

    `lasting` and `timed` say whether searching is on: the timed one lies over the lasting one until it ends. `private`
    says whether replies are for the asker alone.
    """

    spot: Spot
    lasting: Choice | None = None
    timed: Choice | None = None
    private: Choice | None = None

    def switch(self, now: float) -> Choice | None:
        """Return the choice in force at `now` (Unix seconds)."""
        if self.timed is not None and self.timed.until is not None and now < self.timed.until:
            return self.timed
        return self.lasting


class SiteRule(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Hold what a moderator said of a domain and all below it: a server never shows it, or only what is `allowed`.

    `domain` is as `links.parse_domain` returns it. `by` is the moderator's id, `at` is in Unix seconds.
    """

    guild_id: int
    domain: str
    allowed: bool
    by: int
    at: float


class Settings:
    """Hold the settings of every place as they were stored at `revision`; what is in here never changes."""

    def __init__(
        self, revision: int = 0, stored: tuple[SpotSettings, ...] = (), sites: tuple[SiteRule, ...] = ()
    ) -> None:
        self.revision = revision
        self._sites: dict[int, dict[str, SiteRule]] = {}
        for rule in sites:
            self._sites.setdefault(rule.guild_id, {})[rule.domain] = rule
        self._guilds: dict[int, dict[tuple[PlaceKind, int], SpotSettings]] = {}
        for one in stored:
            self._guilds.setdefault(one.spot.guild_id, {})[one.spot.key] = one

    @property
    def guild_ids(self) -> frozenset[int]:
        """Tell which servers have settings."""
        return frozenset(self._guilds | self._sites)

    def of_guild(self, guild_id: int) -> tuple[SpotSettings, ...]:
        """Return all settings of a server."""
        return tuple(self._guilds.get(guild_id, {}).values())

    def of(self, spot: Spot) -> SpotSettings | None:
        """Return the settings of one place, or None where it has none."""
        return self._guilds.get(spot.guild_id, {}).get(spot.key)

    def sites_of(self, guild_id: int | None) -> tuple[SiteRule, ...]:
        """Return what a server says of sites, by the alphabet; there's nothing outside of one."""
        return () if guild_id is None else tuple(self._sites.get(guild_id, {}).values())

    def switched(self, spot: Spot, choice: Choice) -> Settings:
        """Return what these are with that choice, as the database has it: what is for good ends what was for a time."""
        one = self.of(spot) or SpotSettings(spot=spot)
        if choice.until is None:
            return self._with(replace(one, lasting=choice, timed=None))
        return self._with(replace(one, timed=choice))

    def hidden(self, spot: Spot, choice: Choice) -> Settings:
        """Return what these are with that choice of who sees replies."""
        return self._with(replace(self.of(spot) or SpotSettings(spot=spot), private=choice))

    def cleared(self, spot: Spot) -> Settings:
        """Return what these are once nothing is set for the place itself: a place with nothing counts as none."""
        return self._with(SpotSettings(spot=spot))

    def ruled(self, guild_id: int, domains: Sequence[str], *, allowed: bool, by: int, at: float) -> Settings:
        """Return what these are once a server says that of these domains, whatever it said of them before."""
        rules = (SiteRule(guild_id=guild_id, domain=domain, allowed=allowed, by=by, at=at) for domain in domains)
        return self._ruling(guild_id, self._sites.get(guild_id, {}) | {rule.domain: rule for rule in rules})

    def freed(self, guild_id: int, domains: Sequence[str]) -> Settings:
        """Return what these are once a server says nothing of these domains."""
        known = self._sites.get(guild_id, {})
        return self._ruling(guild_id, {domain: rule for domain, rule in known.items() if domain not in domains})

    def _ruling(self, guild_id: int, rules: Mapping[str, SiteRule]) -> Settings:
        """Return these with all that a server says of sites; the revision stays, as below."""
        settings = Settings(self.revision)
        settings._guilds = self._guilds
        others = {one: said for one, said in self._sites.items() if one != guild_id}
        settings._sites = others | ({guild_id: dict(sorted(rules.items()))} if rules else {})
        return settings

    def _with(self, one: SpotSettings) -> Settings:
        """Return these with the settings of one place; the revision stays, so that what is stored is still read."""
        settings = Settings(self.revision)
        settings._sites = self._sites
        guild_id = one.spot.guild_id
        settings._guilds = self._guilds | {guild_id: self._guilds.get(guild_id, {}) | {one.spot.key: one}}
        return settings
