"""Hold what a member gets to choose from while typing."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import discord
import pytest
from aiohttp import ClientSession
from discord import app_commands

from cogs.websearch.playground.discord import StillWaiting
from loopback.probe import Heard

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from loopback.conftest import Scene
    from loopback.probe import Interaction

Choice = app_commands.Choice[Any]
STRING, INTEGER, NUMBER = 3, 4, 10


@pytest.fixture
async def typed(scene: Scene) -> Heard:
    """Offer a command whose options are completed by nobody but the test."""
    options = [
        {"type": kind, "name": name, "description": "d", "autocomplete": True}
        for kind, name in ((STRING, "site"), (INTEGER, "count"), (NUMBER, "share"))
    ]
    body: Any = {"name": "complete", "description": "d", "type": 1, "options": options}
    await scene.bot.http.upsert_global_command(scene.world.application_id, body)
    return Heard(scene.bot, discord.InteractionType.autocomplete)


def typing(scene: Scene, option: str = "site", text: str = "ex", **filled: Any) -> asyncio.Task[list[dict[str, Any]]]:  # noqa: ANN401 - options of any kind
    """Let the member type into an option."""
    return asyncio.create_task(scene.member.autocomplete(scene.channel, "complete", option, text, **filled))


async def test_what_typing_sends(scene: Scene, typed: Heard) -> None:
    """LOOP-26: the option that is typed into is marked, and those that are filled in come along."""
    choices = typing(scene, count=3)
    interaction = await typed.get()
    assert interaction.data is not None
    assert interaction.data["options"] == [  # type: ignore[typeddict-item]  # it's a command's
        {"name": "count", "type": INTEGER, "value": 3},
        {"name": "site", "type": STRING, "value": "ex", "focused": True},
    ]
    await interaction.response.autocomplete([Choice(name="Example", value="example.org")])
    assert await choices == [{"name": "Example", "value": "example.org"}]


async def test_nothing_to_offer(scene: Scene, typed: Heard) -> None:
    """LOOP-26: a bot may offer nothing."""
    choices = typing(scene)
    await (await typed.get()).response.autocomplete([])
    assert await choices == []


async def test_choices_that_come_too_late(scene: Scene, typed: Heard) -> None:
    """LOOP-08: after three seconds the member gets no choices, and the client hears 10062."""
    choices = typing(scene)
    interaction = await typed.get()
    scene.world.clock.advance(3)
    with pytest.raises(StillWaiting, match="did not respond within 3 s"):
        await choices
    with pytest.raises(discord.NotFound) as refused:
        await interaction.response.autocomplete([Choice(name="n", value="v")])
    assert refused.value.code == 10062


FITTING: dict[str, tuple[str, list[dict[str, Any]]]] = {
    "twenty-five": ("site", [{"name": f"n{number}", "value": "v"} for number in range(25)]),
    "longest": ("site", [{"name": "n" * 100, "value": "v" * 100}]),
    "count": ("count", [{"name": "n", "value": 5}]),
    "share": ("share", [{"name": "n", "value": 0.5}]),
}
BEYOND: dict[str, tuple[str, list[dict[str, Any]]]] = {
    "twenty-six": ("site", [{"name": f"n{number}", "value": "v"} for number in range(26)]),
    "name": ("site", [{"name": "n" * 101, "value": "v"}]),
    "no name": ("site", [{"name": "", "value": "v"}]),
    "value": ("site", [{"name": "n", "value": "v" * 101}]),
    "number for a text": ("site", [{"name": "n", "value": 5}]),
    "text for a count": ("count", [{"name": "n", "value": "5"}]),
    "yes for a count": ("count", [{"name": "n", "value": True}]),
    "text for a number": ("share", [{"name": "n", "value": "0.5"}]),
}


async def answer(scene: Scene, interaction: Interaction, choices: list[dict[str, Any] | None]) -> int:
    """Answer with these choices, as no client would, and return the status."""
    path = f"{scene.world.api_url}/interactions/{interaction.id}/{interaction.token}/callback"
    body = {"type": 8, "data": {"choices": choices}}
    async with ClientSession() as session, session.post(path, json=body) as response:
        return response.status


@pytest.mark.parametrize("document", [False, True])
@pytest.mark.parametrize("name", [*FITTING, *BEYOND])
async def test_the_limits_of_choices(scene: Scene, typed: Heard, name: str, *, document: bool) -> None:
    """LOOP-26: at most 25 choices, names and texts to 100 characters, values of the option's kind, document or not."""
    if not document:
        scene.world.contract = None
    fits = name in FITTING
    option, offered = (FITTING if fits else BEYOND)[name]
    choices = typing(scene, option, "5")
    interaction = await typed.get()
    assert await answer(scene, interaction, [*offered]) == (204 if fits else 400)
    if not fits:
        scene.world.problems.clear()
        assert await answer(scene, interaction, []) == 204
    assert await choices == (offered if fits else [])


async def test_a_choice_that_is_none(scene: Scene, typed: Heard) -> None:
    """LOOP-28: a choice may be null, as Discord's document has it, and offers nothing."""
    choices = typing(scene)
    assert await answer(scene, await typed.get(), [None, {"name": "n", "value": "v"}]) == 204
    assert await choices == [{"name": "n", "value": "v"}]


async def test_a_token_of_typing_opens_nothing(scene: Scene, typed: Heard) -> None:
    """LOOP-26: what was typed can't be followed up (10015), nor answered twice (40060)."""
    choices = typing(scene)
    interaction = await typed.get()
    await interaction.response.autocomplete([])
    await choices
    attempts: list[Callable[[], Awaitable[object]]] = [
        lambda: interaction.followup.send("x"),
        lambda: interaction.edit_original_response(content="x"),
    ]
    for attempt in attempts:
        with pytest.raises(discord.NotFound) as refused:
            await attempt()
        assert refused.value.code == 10015
    assert await answer(scene, interaction, []) == 400
    assert "acknowledged" in str(scene.world.problems.pop())


async def test_typing_where_the_bot_is_not(scene: Scene, typed: Heard) -> None:
    """LOOP-24: an app that is installed to a user completes where the bot is not."""
    elsewhere = scene.world.add_guild("Elsewhere", installed=False)
    reader, channel = elsewhere.add_member("reader"), elsewhere.add_text_channel("there")
    choices = asyncio.create_task(reader.autocomplete(channel, "complete", "site", "", user_install=True))
    interaction = await typed.get()
    assert interaction.is_user_integration()
    await interaction.response.autocomplete([])
    assert await choices == []
