"""Hold what happens where Discord tells something twice, and what a reply stands in goes away."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bots import Place, RunBot, titles
from loopback_exa import LoopbackExa, faults
from trouble import CALLBACK, DELETE, EDIT, QUERY, ask, counted, public, sent, sessions, settled

if TYPE_CHECKING:
    from discord.ext import commands

    from cogs.websearch.playground.discord import LoopbackDiscord

pytestmark = pytest.mark.usefixtures("no_mistakes")


@pytest.fixture(autouse=True)
def many(settings: dict[str, object]) -> None:
    """Let one member search as often as a test does."""
    settings["web-per-minute"] = settings["web-daily-per-user"] = 1000


@pytest.mark.parametrize("broken", [False, True])
async def test_an_interaction_that_arrives_twice_is_searched_once(
    bot: commands.Bot, place: Place, discord_: LoopbackDiscord, exa: LoopbackExa, *, broken: bool
) -> None:
    """FLT-07: Discord tells it again at once and later; one search, one charge, one reply, also on a bad connection."""
    if broken:
        discord_.drop(*CALLBACK)
    inv = await ask(place)
    inv.deliver()
    reply = await inv.reply()
    inv.deliver()
    # What the gateway tells comes in order: a search that was asked for later is answered later.
    assert titles(await (await ask(place)).reply())
    await settled(bot, discord_, inv)
    assert len(reply.edits) == 1
    assert len(exa.requests) == 2
    assert await counted(bot, place) == 2
    assert sent(discord_, CALLBACK, inv) == 1 + broken


async def test_a_refusal_that_is_asked_for_twice_is_said_once(
    bot: commands.Bot, place: Place, discord_: LoopbackDiscord
) -> None:
    """FLT-07: what is refused at once is refused once."""
    inv = await place.member.invoke(place.channel, "search", query="\u200b", force=True)
    inv.deliver()
    await inv.reply()
    await settled(bot, discord_, inv)
    assert sent(discord_, CALLBACK, inv) == 1


async def test_two_processes_of_one_bot_answer_once(
    run_bot: RunBot, place: Place, discord_: LoopbackDiscord, exa: LoopbackExa
) -> None:
    """FLT-07: where Discord tells two processes of one bot, the quicker one answers alone."""
    async with run_bot() as bot, run_bot() as other:
        inv = await ask(place)
        assert titles(await inv.reply())
        await settled(bot, discord_, inv)
        await settled(other, discord_, inv)
        assert len(exa.requests) == 1
        assert await counted(bot, place) == 1
    assert ["40060" in problem.what for problem in discord_.problems] == [True]
    discord_.problems.clear()


async def test_a_press_that_arrives_twice_counts_once(
    bot: commands.Bot, place: Place, discord_: LoopbackDiscord
) -> None:
    """FLT-07: a press, too."""
    reply = await (await ask(place)).reply()
    press = await place.member.press(reply, "Next")
    press.deliver()
    await press.reply()
    await settled(bot, discord_, press)
    assert (sent(discord_, CALLBACK, press), sent(discord_, EDIT, press)) == (1, 1)


@pytest.mark.parametrize("fails", [False, True])
async def test_a_reply_that_vanished_stays_counted(
    bot: commands.Bot, place: Place, discord_: LoopbackDiscord, exa: LoopbackExa, settings: dict[str, object],
    *, fails: bool,
) -> None:  # fmt: skip
    """FLT-08, WEB-21: what the engine was asked counts, what it failed doesn't, and no session stays."""
    exa.hold()
    if fails:
        exa.fail(always=faults.error(401, "INVALID_API_KEY"))
    inv = await ask(place)
    await inv.acknowledged()
    assert inv.original is not None
    inv.original.delete()
    exa.release()
    await settled(bot, discord_, inv)
    assert await counted(bot, place) == (0 if fails else 1)
    assert sessions(settings) == 0
    assert public(discord_, place) == []


@pytest.mark.parametrize("second", ["Delete", "Next"])
@pytest.mark.parametrize("after", [False, True])
async def test_a_press_while_the_reply_is_deleted_says_nothing(
    bot: commands.Bot, place: Place, discord_: LoopbackDiscord, second: str, *, after: bool
) -> None:
    """FLT-09: pressed twice, or while it's being deleted, the reply goes once and nothing is said of it."""
    reply = await (await ask(place)).reply()
    hold = discord_.hold(*DELETE, after=after)
    first = await place.member.press(reply, "Delete")
    await hold.reached()
    if after:
        reply.deleted = False
        later = await place.member.press(reply, second)
        reply.deleted = True
    else:
        later = await place.member.press(reply, second)
    await later.acknowledged()
    hold.release()
    await discord_.until(lambda: reply.deleted)
    await settled(bot, discord_, first, later)
    assert first.followups == later.followups == []
    assert [message for message in discord_.messages.values() if not message.deleted] == []


async def test_a_second_delete_after_the_first_says_nothing(
    bot: commands.Bot, place: Place, discord_: LoopbackDiscord
) -> None:
    """FLT-09: whoever pressed again before the reply went from the screen reads nothing about a session."""
    reply = await (await ask(place)).reply()
    first = await place.member.press(reply, "Delete")
    await settled(bot, discord_, first)
    reply.deleted = False
    second = await place.member.press(reply, "Delete")
    reply.deleted = True
    await settled(bot, discord_, second)
    assert second.followups == []


@pytest.mark.parametrize("gone", ["channel", "thread", "server"])
@pytest.mark.parametrize("private", [False, True])
async def test_a_place_that_is_gone_is_no_error(
    bot: commands.Bot, place: Place, discord_: LoopbackDiscord, exa: LoopbackExa, gone: str, *, private: bool
) -> None:
    """FLT-10: a channel or thread that was deleted, or a server that was left, meanwhile leaves nothing to be told."""
    where = place.channel.add_thread("aside", owner=place.member) if gone == "thread" else place.channel
    exa.hold()
    inv = await place.member.invoke(where, "search", query=QUERY, private=private)
    await exa.received(1)
    if gone == "server":
        place.guild.kick_bot()
    else:
        where.delete()
        # As Discord answers about a message whose channel is no more.
        discord_.fail("*", r"^/webhooks/", status=404, code=10003, times=None)
    exa.release()
    await settled(bot, discord_, inv)
    assert inv.followups == []
    if gone == "server":
        # The interaction's own token opens the reply as before.
        assert titles(await inv.reply())


@pytest.mark.parametrize("private", [False, True])
@pytest.mark.parametrize("fails", [False, True])
async def test_a_search_that_outlives_its_token(
    bot: commands.Bot, place: Place, discord_: LoopbackDiscord, exa: LoopbackExa, settings: dict[str, object],
    *, private: bool, fails: bool,
) -> None:  # fmt: skip
    """FLT-15: after fifteen minutes nothing can be sent: nothing is logged as an error, and nothing is kept."""
    exa.hold()
    if fails:
        exa.fail(faults.rows())
    inv = await ask(place, private=private)
    await exa.received(1)
    discord_.clock.advance(15 * 60 + 1)
    exa.release()
    await settled(bot, discord_, inv)
    assert inv.followups == []
    assert sessions(settings) == 0
    # One request found that out, and no other was made.
    assert sent(discord_, EDIT, inv) + sent(discord_, DELETE, inv) == 1


async def test_an_acknowledgement_that_comes_too_late(
    bot: commands.Bot, place: Place, discord_: LoopbackDiscord, exa: LoopbackExa
) -> None:
    """FLT-15: after three seconds the member has read that the bot did not respond: nothing is searched or charged."""
    hold = discord_.hold(*CALLBACK)
    inv = await ask(place)
    await hold.reached()
    discord_.clock.advance(3.5)
    hold.release()
    await settled(bot, discord_, inv)
    assert exa.requests == []
    assert await counted(bot, place) == 0
