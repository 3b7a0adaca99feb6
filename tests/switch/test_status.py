"""Hold how a moderator reads which rule decided."""

from __future__ import annotations

from typing import TYPE_CHECKING

import discord
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cogs.websearch import limits, render, text
from cogs.websearch.charges import Quota, Use
from cogs.websearch.config import Config
from cogs.websearch.errors import ConfigError, ServerNotManaged
from cogs.websearch.i18n import Words
from cogs.websearch.policy import Decision, Rule
from cogs.websearch.status import Panel
from switch_tools import CATEGORY, CHAIN, CHANNEL, ON, SERVER, off_until

if TYPE_CHECKING:
    from cogs.websearch.settings import Spot

WORDS = Words("en-US")
PANEL = Panel(CHANNEL, "the channel", WORDS)


@pytest.mark.parametrize(
    ("decision", "said"),
    [
        (Decision(value=True, rule=Rule.DEFAULT), "**on** by default"),
        (Decision(value=False, rule=Rule.DEFAULT), "**off** by default"),
        (
            Decision(value=False, rule=Rule.UNKNOWN),
            "**off**, since the bot can't see the channel that this thread follows",
        ),
        (
            Decision(value=True, rule=Rule.CATEGORY, spot=CATEGORY, choice=ON),
            "**on** by the category <#2>, set by <@7> on <t:10:f>",
        ),
        (
            Decision(value=False, rule=Rule.CATEGORY, spot=CATEGORY, choice=off_until(99.5)),
            "**off** by the category <#2>, set by <@7> on <t:10:f>, until <t:99:f>",
        ),
    ],
)
def test_every_rule_is_told(decision: Decision, said: str) -> None:
    """SW-12: what decided, who set it, when and until when."""
    assert PANEL.switch(decision) == f"Web search: {said}"
    replies = said.replace("**on**", "**private**").replace("**off**", "**public**")
    assert PANEL.privacy(decision) == f"Replies: {replies}"


@pytest.mark.parametrize("spot", CHAIN)
def test_every_kind_of_place_is_named(spot: Spot) -> None:
    """SW-12: a server is this one; all others go by their name where the reply is about them."""
    kind = spot.kind.value
    line = Panel(spot, f"the {kind}", WORDS).switch(Decision(value=True, rule=Rule(kind), spot=spot, choice=ON))
    assert ("by this server, set" if spot is SERVER else f"by the {kind} *the {kind}*, set") in line


@pytest.mark.parametrize("panel", [Panel(SERVER, "", WORDS), Panel(CATEGORY, "", WORDS), Panel(CHANNEL, "a", WORDS)])
def test_a_place_that_is_another_or_has_no_name_is_mentioned(panel: Panel) -> None:
    """SW-27: Discord shows its name to whoever may see it."""
    assert f"by the category <#{CATEGORY.id}>" in panel.switch(Decision(value=True, rule=Rule.CATEGORY, spot=CATEGORY))


@pytest.mark.parametrize("spot", CHAIN)
def test_a_place_without_a_name_is_no_other_place(spot: Spot) -> None:
    """SW-12: of a name that can't be seen the title tells the kind."""
    panel = Panel(spot, "\u3164", WORDS)
    assert panel.embed(["line"]).title == f"This {spot.kind.value}"


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("exa-base-url", "search.corp.internal"),
        ("local-base-url", "wiki.corp.internal"),
        ("local-documents", r"C:\Users\corp\docs"),
        ("local-documents", "corp home"),
        ("web-database", "corp\0home"),
        ("web-block-sites", ["corp intern"]),
        ("web-backend", "corp/docs"),
        ("web-backend", r"corp\docs"),
    ],
)
def test_where_an_owner_keeps_things_is_not_told(key: str, value: object) -> None:
    """SW-12: what's wrong is told without addresses and folders, whatever they look like."""
    given = {"enable-web-search": True, "exa-api-key": "x" * 36, key: value}
    with pytest.raises(ConfigError) as caught:
        Config.from_mapping(given, env={}, path="/etc/corp/bot.toml")
    (said,) = PANEL.configuration(caught.value, ())
    assert "corp" not in said
    assert f"bot.toml: {key} is a text, but" in said


@pytest.mark.parametrize(("value", "shown"), [("exaa", '"exaa"'), (5, "5")])
def test_what_tells_nothing_of_the_owner_is_told(value: object, shown: str) -> None:
    """SW-12: a slip is easier to put right for who can tell the owner what it is."""
    with pytest.raises(ConfigError) as caught:
        Config.from_mapping({"web-backend": value}, env={}, path="bot.toml")
    (said,) = PANEL.configuration(caught.value, ())
    assert f"web-backend is {shown}, but" in said


@given(name=st.text() | st.text(st.sampled_from("*_~`|>#-[]()<>@:/\\.1 \n{}é\u202e"), max_size=200))
def test_no_name_is_alive(name: str) -> None:
    """SW-13: any name is cleaned, escaped and cut, and fills one line."""
    panel = Panel(CATEGORY, name, WORDS)
    line = panel.switch(Decision(value=True, rule=Rule.CATEGORY, spot=CATEGORY, choice=ON))
    tidy = text.tidy(name, limits.TITLE)
    escaped = text.escape_within(tidy, limits.PLACE_NAME)
    assert len(escaped) <= limits.PLACE_NAME
    shown = f"*{escaped}*" if tidy else f"<#{CATEGORY.id}>"
    assert line == f"Web search: **on** by the category {shown}, set by <@7> on <t:10:f>"
    embed = panel.embed([line])
    assert 0 < len(embed.title or "") <= limits.EMBED_TITLE
    assert len(line.splitlines()) == 1


def test_limits_and_use_are_told_where_there_are_some() -> None:
    """SW-12: a server's limit only where there is one, and money only where some was spent."""
    assert PANEL.limits(Quota(per_minute=6, per_member=30)) == ["Limits of each member: 6 a minute, 30 a day"]
    assert PANEL.limits(Quota(per_minute=6, per_member=30, per_server=9))[1] == "Limit of this server: 9 a day"
    assert PANEL.use(Use()) == "Today in this server: 0 searches"
    assert PANEL.use(Use(searches=1)) == "Today in this server: 1 search"
    assert PANEL.use(Use(searches=1200, cost=8_450_000)) == "Today in this server: 1,200 searches, 8.45 US dollars"
    assert PANEL.use(None) == "Today in this server: the bot's database can't tell"


def test_a_refused_change_is_no_trouble_of_the_bot() -> None:
    """SW-09: it looks like what anybody can put right."""
    assert render.failure(ServerNotManaged(), WORDS).colour == discord.Colour(render.QUIET)
