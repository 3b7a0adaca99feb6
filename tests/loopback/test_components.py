"""Hold what members do with buttons and menus, and what a bot may answer to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import discord
import pytest

from cogs.websearch.playground.discord import NotOffered
from cogs.websearch.playground.discord.rules import check_message
from loopback.probe import Heard

if TYPE_CHECKING:
    from cogs.websearch.playground.discord import Message
    from loopback.conftest import Scene
    from loopback.probe import Interaction

Button = discord.ui.Button[discord.ui.View]
Select = discord.ui.Select[discord.ui.View]


def view(*items: discord.ui.Item[discord.ui.View]) -> discord.ui.View:
    """Make a view whose items do nothing by themselves."""
    made = discord.ui.View(timeout=None)
    for item in items:
        made.add_item(item)
    return made


def menu(values: str = "abc", *, disabled: bool = False, least: int = 1, most: int = 1) -> Select:
    """Make a menu of values, each with a label."""
    options = [discord.SelectOption(label=f"Label {value}", value=value) for value in values]
    return Select(
        custom_id="menu", placeholder="Read", options=options, disabled=disabled, min_values=least, max_values=most
    )


async def shown(scene: Scene, *items: discord.ui.Item[discord.ui.View], private: bool = False) -> Message:
    """Let the bot show a message with these items."""

    async def behave(interaction: Interaction) -> None:
        await interaction.response.send_message("start", view=view(*items), ephemeral=private)

    scene.outcomes.behave = behave
    reply = await (await scene.member.invoke(scene.channel, "probe")).reply()
    await scene.outcomes.next()
    return reply


def presses(scene: Scene) -> Heard:
    """Collect what comes from components."""
    return Heard(scene.bot, discord.InteractionType.component)


async def test_what_a_choice_sends(scene: Scene) -> None:
    """LOOP-14: a choice reaches the bot as Discord sends it: the menu's type and custom id, and the chosen values."""
    heard = presses(scene)
    reply = await shown(scene, menu(most=2))
    assert [one["placeholder"] for one in reply.menus()] == ["Read"]
    inv = await scene.member.choose(reply, "Read", ["Label c", "a"])
    data = inv.sent["data"]
    assert (data["component_type"], data["custom_id"], data["values"]) == (3, "menu", ["c", "a"])
    assert inv.sent["message"]["id"] == str(reply.id)
    assert "resolved" not in data
    press = await heard.get()
    assert press.data is not None
    assert press.data["values"] == ["c", "a"]  # type: ignore[typeddict-item]  # it's a component's


@pytest.mark.parametrize("values", [[], ["d"], ["a", "b", "c"], ["a", "a"], ["a", "Label a"]])
async def test_what_can_not_be_chosen(scene: Scene, values: list[str]) -> None:
    """LOOP-14: a client sends neither too few nor too many values, none twice, and none that isn't offered."""
    reply = await shown(scene, menu(most=2))
    with pytest.raises(NotOffered, match="can't be chosen"):
        await scene.member.choose(reply, "menu", values)
    forged = await scene.member.choose(reply, "menu", values, force=True)
    assert len(forged.sent["data"]["values"]) == len(values)


async def test_menus_that_can_not_be_used(scene: Scene) -> None:
    """LOOP-14: a disabled menu, one that isn't there, and a button in its stead can't be chosen in."""
    reply = await shown(scene, menu(disabled=True), Button(label="Go", custom_id="go"))
    for name, why in (("menu", "can't be used"), ("other", r"it has \['go', 'menu'\]"), ("go", "can't be used")):
        with pytest.raises(NotOffered, match=why):
            await scene.member.choose(reply, name, ["a"])
    with pytest.raises(NotOffered, match="can't be used"):
        await scene.member.press(reply, "menu")


async def test_nothing_is_a_choice_where_allowed(scene: Scene) -> None:
    """LOOP-14: a menu that needs no value may be emptied."""
    reply = await shown(scene, menu(least=0))
    assert (await scene.member.choose(reply, "menu", [])).sent["data"]["values"] == []


def test_how_menus_fill_rows() -> None:
    """LOOP-18: a menu fills a row, of which there are five, and shares its custom id with nothing."""

    def rows(*listed: list[str]) -> list[dict[str, object]]:
        options = [{"label": "l", "value": "v"}]
        menus = [[{"type": 3, "custom_id": one, "options": options} for one in row] for row in listed]
        return [{"type": 1, "components": row} for row in menus]

    def codes(components: list[dict[str, object]]) -> list[str]:
        return [flaw.code for flaw in check_message({"content": "c", "components": components})]

    assert codes(rows(["a"], ["b"], ["c"], ["d"], ["e"])) == []
    assert codes(rows(["a"], ["b"], ["c"], ["d"], ["e"], ["f"])) == ["BASE_TYPE_BAD_LENGTH"]
    assert codes(rows(["a", "b"])) == ["COMPONENT_LAYOUT_WIDTH_EXCEEDED"]
    assert codes(rows(["a"], ["a"])) == ["COMPONENT_CUSTOM_ID_DUPLICATED"]


@pytest.mark.parametrize(("least", "most"), [(-1, 1), (2, 1), (0, 0), (1, 3), (26, 26)])
def test_how_many_values(least: int, most: int) -> None:
    """LOOP-18: a menu asks for at least none and at most all of its options."""
    options = [{"label": v, "value": v} for v in "ab"]
    select = {"type": 3, "custom_id": "m", "options": options, "min_values": least, "max_values": most}
    body = {"content": "c", "components": [{"type": 1, "components": [select]}]}
    assert "SELECT_COMPONENT_MAX_VALUES_INVALID" in {flaw.code for flaw in check_message(body)}
