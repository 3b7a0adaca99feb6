"""Hold which setting decides, for any chain of places and any settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cogs.websearch import errors, policy
from cogs.websearch.config import Config
from cogs.websearch.models import Asker
from cogs.websearch.policy import Rule
from cogs.websearch.settings import Choice, Place, PlaceKind, Settings, Spot, SpotSettings
from switch_tools import CATEGORY, CHAIN, CHANNEL, GUILD, OFF, ON, SERVER, THREAD, at, chosen, off_until

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

NOW = 1000.0
OPEN = Config(enable_web_search=True)
ASKER = Asker(user_id=1, channel_id=3, guild_id=GUILD)
OTHER = Spot(guild_id=GUILD, id=99, kind=PlaceKind.CATEGORY)

maybe = st.none() | st.builds(chosen, value=st.booleans())
timed = st.none() | st.builds(chosen, value=st.booleans(), until=st.floats(0, 2 * NOW))


def stored_at(spot: Spot) -> SearchStrategy[SpotSettings]:
    """Generate any settings of a place."""
    return st.builds(SpotSettings, spot=st.just(spot), lasting=maybe, timed=timed, private=maybe)


any_settings = st.tuples(*map(stored_at, CHAIN)).map(lambda stored: Settings(1, stored))
any_place = st.sets(st.sampled_from(CHAIN[:-1])).map(lambda kept: at(*(s for s in CHAIN if s in kept or s is SERVER)))


def in_force(one: SpotSettings | None) -> Choice | None:
    """Say what the switch of a place is, in the spec's own words."""
    if one is None:
        return None
    over = one.timed
    return over if over is not None and over.until is not None and over.until > NOW else one.lasting


@given(settings=any_settings, place=any_place, default=st.booleans())
def test_the_nearest_setting_decides(settings: Settings, place: Place, *, default: bool) -> None:
    """SW-01, SW-02: for any chain and any settings, the nearest in force decides, and the decision names it."""
    decision = policy.switch(Config(web_default_on=default), settings, place, NOW)
    choices = [(spot, choice) for spot in place.spots if (choice := in_force(settings.of(spot))) is not None]
    if choices:
        spot, choice = choices[0]
        assert (decision.value, decision.spot, decision.choice) == (choice.value, spot, choice)
        assert decision.rule.value == spot.kind.value
    else:
        assert (decision.value, decision.rule, decision.spot) == (default, Rule.DEFAULT, None)


@given(settings=any_settings, place=any_place)
def test_the_nearest_privacy_decides(settings: Settings, place: Place) -> None:
    """SW-11: replies follow the same places, and are public where nobody said anything."""
    said = [one.private for spot in place.spots if (one := settings.of(spot)) is not None and one.private is not None]
    assert policy.replies(settings, place).value == (said[0].value if said else False)


@given(settings=any_settings, missing=st.sets(st.sampled_from(list(PlaceKind)[:-1])))
def test_what_is_unknown_never_opens_a_place(settings: Settings, missing: set[PlaceKind]) -> None:
    """SW-04: with part of the chain unknown, searching is on or replies are public only where they really are."""
    known = at(*(spot for spot in CHAIN if spot.kind not in missing), missing=frozenset(missing))
    truth, guess = policy.switch(OPEN, settings, at(*CHAIN), NOW), policy.switch(OPEN, settings, known, NOW)
    assert guess == truth if guess.rule is not Rule.UNKNOWN else not guess.value
    shown, guessed = policy.replies(settings, at(*CHAIN)), policy.replies(settings, known)
    assert guessed == shown if guessed.rule is not Rule.UNKNOWN else guessed.value


def test_an_unknown_category_is_off_where_some_category_has_a_setting() -> None:
    """SW-04: it might be that very category."""
    settings = Settings(1, (SpotSettings(spot=OTHER, lasting=ON),))
    place = at(THREAD, CHANNEL, SERVER, missing=frozenset({PlaceKind.CATEGORY}))
    assert policy.switch(OPEN, settings, place, NOW).rule is Rule.UNKNOWN
    with pytest.raises(errors.SwitchedOff) as caught:
        policy.check(OPEN, settings, ASKER, place, NOW)
    assert caught.value.rule == "unknown"
    policy.check_early(OPEN, settings, ASKER, place, NOW)


def test_an_unknown_category_does_not_matter_where_none_has_a_setting() -> None:
    """SW-04: nothing there could decide otherwise, and a nearer setting decides anyway."""
    place = at(THREAD, CHANNEL, SERVER, missing=frozenset({PlaceKind.CATEGORY}))
    assert policy.switch(OPEN, Settings(), place, NOW).rule is Rule.DEFAULT
    near = SpotSettings(spot=CHANNEL, lasting=ON)
    far = SpotSettings(spot=CATEGORY, lasting=OFF)
    assert policy.switch(OPEN, Settings(1, (near, far)), place, NOW).value


@pytest.mark.parametrize(("now", "on"), [(99.9, False), (100.0, True), (100.1, True)])
def test_a_timed_setting_ends_at_its_end(now: float, *, on: bool) -> None:
    """SW-02: at that moment the lasting one holds again."""
    one = SpotSettings(spot=CHANNEL, lasting=ON, timed=off_until(100.0))
    assert policy.switch(OPEN, Settings(1, (one,)), at(CHANNEL, SERVER), now).value is on


@pytest.mark.parametrize("early", [False, True])
@pytest.mark.parametrize("spot", CHAIN)
def test_a_refusal_names_the_rule(spot: Spot, *, early: bool) -> None:
    """SW-06: the error says which kind of place is off, and of a server whether direct messages are on."""
    settings = Settings(1, (SpotSettings(spot=spot, lasting=OFF),))
    check = policy.check_early if early else policy.check
    with pytest.raises(errors.SwitchedOff) as caught:
        check(OPEN, settings, ASKER, at(*CHAIN), NOW)
    assert caught.value.rule == ("server-only" if spot is SERVER else spot.kind.value)
    with pytest.raises(errors.SwitchedOff) as caught:
        check(Config(enable_web_search=True, web_default_on=False), settings, ASKER, at(*CHAIN), NOW)
    assert caught.value.rule == spot.kind.value


def test_direct_messages_follow_the_configuration() -> None:
    """SW-01: nobody but the owner has a say there."""
    off = Config(enable_web_search=True, web_default_on=False)
    asker = Asker(user_id=1, channel_id=5)
    policy.check(OPEN, Settings(), asker, Place(), NOW)
    with pytest.raises(errors.SwitchedOff) as caught:
        policy.check(off, Settings(), asker, Place(), NOW)
    assert caught.value.rule == "direct"


def test_the_owner_comes_first() -> None:
    """SW-01: what moderators switch on, the owner's main switch keeps off."""
    settings = Settings(1, (SpotSettings(spot=CHANNEL, lasting=ON),))
    with pytest.raises(errors.SearchDisabled):
        policy.check(Config(), settings, ASKER, at(*CHAIN), NOW)


def test_an_old_server_and_its_first_channel_are_two_places() -> None:
    """SW-01: the first channel of an old server has the server's own id."""
    first = Spot(guild_id=GUILD, id=GUILD, kind=PlaceKind.CHANNEL)
    settings = Settings(1, (SpotSettings(spot=first, lasting=OFF),))
    assert not policy.switch(OPEN, settings, at(first, SERVER), NOW).value
    assert policy.switch(OPEN, settings, at(CHANNEL, SERVER), NOW).value


# Beside the chain: another category with a channel, whose thread is below all of them.
AWAY = Spot(guild_id=GUILD, id=98, kind=PlaceKind.CHANNEL)
AWAY_THREAD = Spot(guild_id=GUILD, id=97, kind=PlaceKind.THREAD, parent_id=98)
FIRST = Spot(guild_id=GUILD, id=GUILD, kind=PlaceKind.CHANNEL)
BELOW = {
    SERVER: (CATEGORY, OTHER, CHANNEL, AWAY, FIRST, THREAD, AWAY_THREAD),
    CATEGORY: (CHANNEL, THREAD),
    OTHER: (AWAY, AWAY_THREAD),
    CHANNEL: (THREAD,),
    THREAD: (),
}
CHANNELS = {CATEGORY: frozenset({CHANNEL.id}), OTHER: frozenset({AWAY.id})}


@given(
    stored=st.tuples(*map(stored_at, (SERVER, *BELOW[SERVER]))),
    above=st.sampled_from(list(BELOW)),
    value=st.booleans(),
)
def test_places_apart_are_those_below_with_another_choice(
    stored: tuple[SpotSettings, ...], above: Spot, *, value: bool
) -> None:
    """SW-24: for any settings, those below alone, with what is in force there, the widest kind of place first."""
    settings = Settings(1, stored)
    apart = policy.apart(
        settings, above, lambda one: one.switch(NOW), value=value, channels=CHANNELS.get(above, frozenset())
    )
    choices = {spot: in_force(settings.of(spot)) for spot in BELOW[above]}
    assert set(apart) == {spot for spot, choice in choices.items() if choice is not None and choice.value is not value}
    widest = [PlaceKind.CATEGORY, PlaceKind.CHANNEL, PlaceKind.THREAD]
    assert apart == sorted(apart, key=lambda spot: (widest.index(spot.kind), spot.id))


@given(settings=any_settings, place=any_place, spot=st.sampled_from(CHAIN))
def test_a_cleared_place_follows(settings: Settings, place: Place, spot: Spot) -> None:
    """SW-25: without its own settings, what holds at any place is what would hold if it had never had some."""
    never = Settings(1, tuple(one for one in settings.of_guild(GUILD) if one.spot != spot))
    cleared = settings.cleared(spot)
    assert policy.switch(OPEN, cleared, place, NOW) == policy.switch(OPEN, never, place, NOW)
    assert policy.replies(cleared, place) == policy.replies(never, place)
