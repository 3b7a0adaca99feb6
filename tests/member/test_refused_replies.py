"""Hold what happens where Discord is short of breath, or takes no reply."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from bots import Place, buttons, sentence, titles
from loopback_exa import LoopbackExa, faults
from trouble import CALLBACK, DELETE, EDIT, FOLLOW_UP, ask, counted, public, sessions, settled

if TYPE_CHECKING:
    from discord.ext import commands

    from cogs.websearch.playground.discord import LoopbackDiscord

pytestmark = pytest.mark.usefixtures("no_mistakes")

REFUSED = "Discord didn't take the reply: try again in a moment."


@pytest.fixture(autouse=True)
def many(settings: dict[str, object]) -> None:
    """Let one member search as often as a test does."""
    settings["web-per-minute"] = settings["web-daily-per-user"] = 1000


@pytest.mark.usefixtures("hurried", "bot")
@pytest.mark.parametrize("wanted", [CALLBACK, EDIT])
@pytest.mark.parametrize("trouble", [{"status": 500}, {"status": 502, "body": "<h1>Bad gateway</h1>"}, {"status": 429}])
async def test_what_passes_is_tried_again(
    place: Place, discord_: LoopbackDiscord, wanted: tuple[str, str], trouble: dict[str, Any]
) -> None:
    """FLT-11: a stumble of Discord's costs the member nothing but a moment."""
    discord_.fail(*wanted, times=2, **trouble)
    assert titles(await (await ask(place)).reply())


@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize("trouble", [{"status": 500}, {"status": 429}])
async def test_a_private_reason_is_tried_again(
    bot: commands.Bot, place: Place, discord_: LoopbackDiscord, exa: LoopbackExa, trouble: dict[str, Any]
) -> None:
    """FLT-11: the public "thinking" goes and the private sentence comes."""
    exa.fail(faults.rows())
    discord_.fail(*DELETE, times=2, **trouble)
    discord_.fail(*FOLLOW_UP, times=2, **trouble)
    inv = await ask(place)
    reply = await inv.reply()
    assert sentence(reply).startswith("Nothing was found")
    assert reply.ephemeral
    await settled(bot, discord_, inv)
    assert public(discord_, place) == []


@pytest.mark.parametrize("kind", ["search", "press"])
async def test_an_acknowledgement_that_was_taken_all_the_same(
    bot: commands.Bot, place: Place, discord_: LoopbackDiscord, exa: LoopbackExa, kind: str
) -> None:
    """FLT-11: where Discord says 500 and has taken it, discord.py's next try is refused, and the reply still comes."""
    reply = await (await ask(place)).reply()
    discord_.fail(*CALLBACK, status=500, after=True)
    if kind == "search":
        inv = await ask(place)
        assert titles(await inv.reply())
    else:
        inv = await place.member.press(reply, "Next")
        await inv.reply()
        assert "page 2 of 2" in reply.embeds[0]["description"]
    await settled(bot, discord_, inv)
    assert len(exa.requests) == (2 if kind == "search" else 1)
    assert ["40060" in problem.what for problem in discord_.problems] == [True]
    discord_.problems.clear()


@pytest.mark.usefixtures("hurried")
async def test_a_deletion_that_was_taken_all_the_same(
    bot: commands.Bot, place: Place, discord_: LoopbackDiscord, exa: LoopbackExa
) -> None:
    """FLT-11: where Discord says 500 and has deleted the public "thinking", the private sentence still comes."""
    exa.fail(faults.rows())
    discord_.fail(*DELETE, status=500, after=True)
    inv = await ask(place)
    reply = await inv.reply()
    assert sentence(reply).startswith("Nothing was found")
    assert reply.ephemeral
    await settled(bot, discord_, inv)
    assert public(discord_, place) == []


REFUSALS: list[dict[str, Any]] = [
    {"status": 500},
    {"status": 503, "body": "<h1>Service unavailable</h1>"},
    {"status": 429},
    {"status": 400, "code": 50035},
    {"status": 403, "code": 50013},
]


@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize("trouble", REFUSALS, ids=lambda trouble: str(trouble["status"]))
@pytest.mark.parametrize("private", [False, True])
async def test_results_that_discord_does_not_take(
    bot: commands.Bot, place: Place, discord_: LoopbackDiscord, settings: dict[str, object],
    trouble: dict[str, Any], *, private: bool,
) -> None:  # fmt: skip
    """FLT-12: no reply thinks for ever; its asker alone reads why, the search counts, and no session stays."""
    discord_.fail(*EDIT, times=None, **trouble)
    inv = await ask(place, private=private)
    await settled(bot, discord_, inv)
    reply = inv.followups[-1]
    assert sentence(reply) == REFUSED
    assert reply.ephemeral
    assert not any(message.loading for message in discord_.messages.values() if not message.deleted)
    assert public(discord_, place) == []
    assert sessions(settings) == 0
    assert await counted(bot, place) == 1


@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize("empty", [False, True])
async def test_a_public_reply_that_cannot_be_deleted(
    bot: commands.Bot, place: Place, discord_: LoopbackDiscord, exa: LoopbackExa, *, empty: bool
) -> None:
    """FLT-13: neither the query nor the reason becomes public, and the reply doesn't think for ever."""
    if empty:
        exa.fail(faults.rows())
    else:
        discord_.fail(*EDIT, status=400, code=50035)
    discord_.fail(*DELETE, times=None)
    inv = await ask(place)
    reply = await inv.reply()
    await settled(bot, discord_, inv)
    assert (sentence(reply), reply.loading) == (REFUSED, False)
    assert "title" not in reply.embeds[0]
    assert inv.followups == []
    assert public(discord_, place) == [reply]


@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize(("button", "wanted"), [("Next", EDIT), ("Delete", DELETE)])
async def test_a_press_that_discord_does_not_take_is_told(
    bot: commands.Bot, place: Place, discord_: LoopbackDiscord, button: str, wanted: tuple[str, str]
) -> None:
    """FLT-14: the reply stays as it was, its buttons work, and who pressed reads why nothing happened."""
    reply = await (await ask(place)).reply()
    fault = discord_.fail(*wanted, times=None)
    press = await place.member.press(reply, button)
    told = await press.reply()
    assert (sentence(told), told.ephemeral) == (REFUSED, True)
    assert "page 1 of 2" in reply.embeds[0]["description"]
    await settled(bot, discord_, press)
    fault.release()
    await (await place.member.press(reply, "Next")).reply()
    assert "page 2 of 2" in reply.embeds[0]["description"]


@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize("private", [False, True])
async def test_whatever_discord_answers(
    bot: commands.Bot, place: Place, discord_: LoopbackDiscord, exa: LoopbackExa, *, private: bool
) -> None:
    """FLT-16: every request of a reply meets every refusal: no traceback, nothing public that was private."""
    for wanted in (CALLBACK, EDIT, DELETE, FOLLOW_UP):
        for trouble in (*REFUSALS, {"status": 404, "code": 0}, {"status": 401, "code": 0}, {"status": 409}):
            for fault in (None, faults.rows(), faults.error(404, "NOT_FOUND")):
                exa.recover()
                exa.fail(*([fault] if fault else []))
                made = discord_.fail(*wanted, times=None, **trouble)
                inv = await ask(place, private=private)
                await settled(bot, discord_, inv)
                made.release()
                seen = [message for message in public(discord_, place) if message.interaction is inv]
                results = [message for message in seen if len(message.embeds) > 1]
                assert seen == results or [sentence(message) for message in seen] == [REFUSED]
                assert not (private and seen)
                if fault is not None:
                    assert results == []
                assert wanted == CALLBACK or not any(message.loading for message in seen)
    assert titles(await (await ask(place)).reply())


@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize("button", ["Next", "Delete"])
async def test_whatever_discord_answers_to_a_press(
    bot: commands.Bot, place: Place, discord_: LoopbackDiscord, button: str
) -> None:
    """FLT-16: a press meets every refusal: no traceback, and the reply is what it was or what was asked for."""
    reply = await (await ask(place)).reply()
    wanted = EDIT if button == "Next" else DELETE
    for method, path in (CALLBACK, wanted, FOLLOW_UP):
        for trouble in REFUSALS:
            made = discord_.fail(method, path, times=None, **trouble)
            press = await place.member.press(reply, button)
            await settled(bot, discord_, press)
            made.release()
            if reply.deleted:
                reply = await (await ask(place)).reply()
            else:
                assert "Delete" in buttons(reply)
                await (await place.member.press(reply, "Previous", force=True)).reply()
    assert len(reply.embeds) > 1
