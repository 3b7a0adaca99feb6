"""Hold the limits of commands."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cogs.websearch.playground.discord.command_rules import check_command, check_together
from cogs.websearch.playground.discord.refusals import Refusal


def command(**changes: object) -> dict[str, Any]:
    """Build a right command, changed."""
    return {"name": "search", "description": "Search the web", "type": 1, "options": [], **changes}


def option(**changes: object) -> dict[str, Any]:
    """Build a right option, changed."""
    return {"name": "query", "description": "What to search", "type": 3, **changes}


def codes(body: dict[str, Any]) -> set[str]:
    """Tell the codes of what is wrong."""
    return {flaw.code for flaw in check_command(body, ())}


@pytest.mark.parametrize(
    "body",
    [
        command(),
        command(name="a" * 32, description="b" * 100),
        command(name="поиск-в_сети"),
        command(type=3, name="Search the web", description=""),
        command(type=3, name="S" * 32, description="", name_localizations={"de": "Im Web suchen"}),
        command(options=[option(name=f"o{n}") for n in range(25)]),
        command(options=[option(choices=[{"name": f"n{n}", "value": "v" * 100} for n in range(25)])]),
        command(options=[option(required=True), option(name="other")]),
        command(options=[option(type=1, name="on", options=[option()])]),
        command(options=[option(type=2, name="sites", options=[option(type=1, name="block", options=[option()])])]),
        command(name_localizations={"de": "suche"}, description_localizations={"de": "Suche im Netz"}),
    ],
)
def test_right_commands(body: dict[str, Any]) -> None:
    """LOOP-19: a command at its limits is taken."""
    assert check_command(body, ()) == []


@pytest.mark.parametrize(
    "body",
    [
        command(name="a" * 33),
        command(name=""),
        command(name="Search"),
        command(name="search web"),
        command(description=""),
        command(description="b" * 101),
        command(name_localizations={"de": "Suche"}),
        command(name_localizations={"de": "s" * 33}),
        command(description_localizations={"de": "s" * 101}),
        command(type=3, name="Search", description="no"),
        command(type=3, name="S" * 33, description=""),
        command(type=3, name="", description=""),
        command(type=3, name="Search", description="", name_localizations={"de": "S" * 33}),
        command(type=3, name="Search", description="", description_localizations={"de": "nein"}),
        command(options=[option(choices=[{"name": "n", "value": 5}])]),
        command(options=[option(type=4, choices=[{"name": "n", "value": "5"}])]),
        command(type=2, name="Search", description="", options=[option()]),
        command(options=[option(name=f"o{n}") for n in range(26)]),
        command(options=[option(), option()]),
        command(options=[option(), option(name="other", required=True)]),
        command(options=[option(), option(name="on", type=1)]),
        command(options=[option(choices=[{"name": f"n{n}", "value": "v"} for n in range(26)])]),
        command(options=[option(choices=[{"name": "n", "value": "v" * 101}])]),
        command(options=[option(choices=[{"name": "n" * 101, "value": "v"}])]),
        command(options=[option(choices=[{"name": "n", "value": "v"}] * 2)]),
        command(options=[option(choices=[{"name": "n", "value": "v"}], autocomplete=True)]),
        command(options=[option(type=4, min_value=3, max_value=2)]),
        command(options=[option(min_length=3, max_length=2)]),
        command(options=[option(type=1, options=[option(type=2, name="deep", options=[])])]),
        command(options=[option(name=f"o{n}", description="d" * 100, choices=[
            {"name": f"{m:100}", "value": f"{m:100}"} for m in range(2)]) for n in range(17)]),
    ],
)  # fmt: skip
def test_wrong_commands(body: dict[str, Any]) -> None:
    """LOOP-19: a command beyond a limit is refused."""
    assert check_command(body, ()) != []


@pytest.mark.parametrize(("kind", "most"), [(1, 100), (2, 5), (3, 5)])
def test_how_many(kind: int, most: int) -> None:
    """LOOP-19: an app has at most a hundred slash commands and five menus of each kind."""
    bodies = [command(name=f"c{n}", type=kind) for n in range(most + 1)]
    check_together(bodies[:most])
    with pytest.raises(Refusal, match="30032"):
        check_together(bodies)


def test_one_name_once() -> None:
    """LOOP-19: two commands of one kind and one name are refused; a menu of a command's name is none of its kind."""
    check_together([command(), command(type=3)])
    with pytest.raises(Refusal, match="50035"):
        check_together([command(), command()])


@settings(deadline=None)
@given(st.text(max_size=40), st.text(max_size=110))
def test_any_text(name: str, description: str) -> None:
    """LOOP-19: any name and description are judged by length and characters alone."""
    body = command(name=name, description=description)
    fits = 1 <= len(name) <= 32 and 1 <= len(description) <= 100 and name == name.lower() and " " not in name
    if check_command(body, ()) == []:
        assert fits
