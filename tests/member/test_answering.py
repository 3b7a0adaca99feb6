"""Hold answers: by option and by button, as they grow, and where they break off."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest
from aiohttp import web

from alert_tools import BEGINS, direct
from bots import Place, RunBot, buttons, cog_of, sentence
from cogs.websearch.charges import Act, Use
from cogs.websearch.health import DOWN_AFTER
from cogs.websearch.models import Answered, Asker
from cogs.websearch.playground.discord import Permission
from cogs.websearch.settings import Place as SpotPlace
from cogs.websearch.troubles import Kind
from loopback_engine.streams import stream
from loopback_exa import LoopbackExa, faults
from trouble import EDIT, QUERY, ask, counted, public, sent, sessions, settled

if TYPE_CHECKING:
    from discord.ext import commands

    from cogs.websearch.playground.discord import Invocation, LoopbackDiscord, Message

pytestmark = pytest.mark.usefixtures("no_mistakes")

SOURCES = {
    "citations": [
        {"id": "https://example.com/sky", "url": "https://example.com/sky", "title": "Why it is blue"},
        {"id": "https://example.org/", "url": "https://example.org/", "title": "Light"},
    ]
}
COST = {"costDollars": {"total": 0.005}, "requestId": "0" * 32}
# Longer than what an answer grows by at the least.
PIECE = "Light of short waves is scattered more than light of long ones, and so the whole sky looks blue by day. "


def said(text: str) -> dict[str, object]:
    """Make an event that adds to an answer."""
    return {"choices": [{"index": 0, "delta": {"role": "assistant", "content": text}, "finish_reason": None}]}


async def question(place: Place, *, private: bool = False) -> Invocation:
    """Ask for an answer as the member."""
    return await place.member.invoke(place.channel, "search", query=QUERY, mode="answer", private=private)


async def begun(place: Place, exa: LoopbackExa, discord_: LoopbackDiscord, gate: asyncio.Event) -> Invocation:
    """Ask for an answer, and wait until its first piece is shown; the rest comes once the gate opens."""
    ready = asyncio.Event()
    ready.set()
    exa.fail(stream(said(PIECE), said(PIECE), COST, gates=(ready, gate)))
    inv = await question(place)
    await discord_.until(lambda: inv.original is not None and "sky" in shown(inv.original))
    return inv


async def finished(discord_: LoopbackDiscord, inv: Invocation) -> Message:
    """Wait until an answer has its buttons, and return its reply."""
    await discord_.until(lambda: inv.original is not None and "Delete" in buttons(inv.original))
    return await inv.reply()


def shown(message: Message) -> str:
    """Return all that a reply shows."""
    return " ".join(str(embed.get(key, "")) for embed in message.embeds for key in ("title", "description"))


@pytest.mark.parametrize("private", [False, True])
async def test_an_answer_with_its_sources(
    bot: commands.Bot, place: Place, exa: LoopbackExa, discord_: LoopbackDiscord, *, private: bool
) -> None:
    """REPLY-03, ANS-01: its marks are links to the sources, which are listed; it's one search at its own price."""
    exa.fail(stream(said(PIECE + " [1] "), said("More of it [2]."), SOURCES, COST))
    reply = await finished(discord_, await question(place, private=private))
    assert r"[\[1\]](<https://example.com/sky>)" in shown(reply)
    assert r"[\[2\]](<https://example.org/>)" in shown(reply)
    assert "Why it is blue" in shown(reply)
    assert reply.ephemeral == private
    assert list(buttons(reply)) == [*(["Share"] if private else []), "Delete"]
    assert exa.requests[0].path == "/answer"
    usage = await cog_of(bot).service.usage(user_id=place.member.id)
    assert (usage.member.searches, usage.total.cost) == (1, 5000)


@pytest.mark.usefixtures("bot")
async def test_an_answer_without_sources_says_so(place: Place, exa: LoopbackExa) -> None:
    """REPLY-03, ANS-04: none is invented, and a mark to none is taken out."""
    exa.fail(stream(said("It just is [3]."), COST))
    reply = await (await question(place)).reply()
    assert "It just is." in shown(reply)
    assert "names no sources" in shown(reply)
    assert "[" not in shown(reply).replace(QUERY, "")


@pytest.mark.usefixtures("bot")
@pytest.mark.parametrize("results", [1, 10])
async def test_an_answer_has_no_number_of_results(place: Place, exa: LoopbackExa, results: int) -> None:
    """REPLY-03, WEB-14: who gives one reads so privately, and nobody is asked; nor is it dropped for a button."""
    inv = await place.member.invoke(place.channel, "search", query=QUERY, mode="answer", results=results)
    reply = await inv.reply()
    assert reply.ephemeral
    assert sentence(reply) == "The options results and mode “An answer” can't be combined: leave one of the two out."
    assert exa.requests == []
    found = await (await place.member.invoke(place.channel, "search", query=QUERY, results=results)).reply()
    exa.fail(stream(said(PIECE), COST))
    answered = await place.member.press(found, "Answer")
    assert "sky" in shown(await answered.reply())


async def test_a_number_of_results_where_nothing_answers(
    run_bot: RunBot, place: Place, settings: dict[str, object], exa: LoopbackExa
) -> None:
    """REPLY-03: the results that are shown in place of an answer are as many as were asked for."""
    settings["web-backend"] = "local"
    async with run_bot():
        inv = await place.member.invoke(place.channel, "search", query="asyncio", mode="answer", results=2)
        reply = await inv.reply()
    assert "can't answer questions" in shown(reply)
    assert len(reply.embeds) == 3
    assert exa.requests == []


async def test_an_engine_that_cannot_answer_shows_results(
    run_bot: RunBot, place: Place, settings: dict[str, object], exa: LoopbackExa
) -> None:
    """REPLY-03: the reply says so, and has no button that would ask again."""
    settings["web-backend"] = "local"
    async with run_bot():
        inv = await place.member.invoke(place.channel, "search", query="asyncio to_thread", mode="answer")
        reply = await inv.reply()
    assert "can't answer questions" in shown(reply)
    assert len(reply.embeds) > 1
    assert "Answer" not in buttons(reply)
    assert exa.requests == []


@pytest.mark.usefixtures("bot")
async def test_what_answers_cannot_honour_is_said_at_once(place: Place, exa: LoopbackExa) -> None:
    """REPLY-03: nothing is asked; under results that were narrowed so, no button offers an answer."""
    inv = await place.member.invoke(place.channel, "search", query=QUERY, mode="answer", category="news")
    told = await inv.reply()
    assert told.ephemeral
    assert sentence(told) == "Exa can't narrow an answer by category: leave that out, or ask for results."
    narrowed = await place.member.invoke(place.channel, "search", query=QUERY, site="docs.example.org")
    assert "Answer" not in buttons(await narrowed.reply())
    assert [call.path for call in exa.requests] == ["/search"]


async def test_it_grows_by_an_edit_a_second(
    bot: commands.Bot, place: Place, exa: LoopbackExa, discord_: LoopbackDiscord, monkeypatch: pytest.MonkeyPatch
) -> None:
    """REPLY-04: what comes while the second isn't over is shown with the next edit, the last one after all others."""
    gates = [asyncio.Event() for _ in range(6)]
    waits: list[float] = []
    asleep, over = asyncio.Event(), asyncio.Event()

    async def sleep(seconds: float) -> None:
        waits.append(seconds)
        asleep.set()
        await over.wait()

    monkeypatch.setattr(cog_of(bot), "sleep", sleep)
    exa.fail(stream(*(said(f"Part {n}. {PIECE * (n + 1)}") for n in range(4)), SOURCES, COST, gates=tuple(gates)))
    inv = await question(place)
    gates[0].set()
    await discord_.until(lambda: inv.original is not None and "Part 0" in shown(inv.original))
    assert inv.original is not None
    assert "still being written" in shown(inv.original)
    assert buttons(inv.original) == {}
    await asyncio.wait_for(asleep.wait(), 10)
    assert waits == [1.0]
    for gate in gates[1:]:
        gate.set()
    # Another answer, asked for and complete by now, was read to its end: so was this one.
    other = await place.other.invoke(place.channel, "search", query=QUERY)
    await other.reply()
    assert sent(discord_, EDIT, inv) == 1
    over.set()
    await settled(bot, discord_, inv)
    reply = await inv.reply()
    assert "Part 3" in shown(reply)
    assert "still being written" not in shown(reply)
    assert "Delete" in buttons(reply)
    assert sent(discord_, EDIT, inv) == 2


@pytest.mark.parametrize("private", [False, True])
async def test_one_that_breaks_off_shows_what_came(
    bot: commands.Bot, place: Place, exa: LoopbackExa, discord_: LoopbackDiscord, *, private: bool
) -> None:
    """REPLY-05: with a note, its buttons, and counted as a search: its engine may bill it."""
    exa.fail(always=stream(said(PIECE * 2), broken=True))
    reply = await finished(discord_, await question(place, private=private))
    assert "sky looks blue" in shown(reply)
    assert "broke off" in shown(reply)
    assert "Delete" in buttons(reply)
    assert await counted(bot, place) == 1


@pytest.mark.usefixtures("bot")
async def test_one_that_breaks_off_before_its_sources(
    place: Place, exa: LoopbackExa, discord_: LoopbackDiscord
) -> None:
    """ANS-04: it isn't said that it names none, since they would have come last."""
    exa.fail(always=stream(said(f"{PIECE}As was measured [1]. "), broken=True))
    reply = await finished(discord_, await question(place))
    assert "As was measured." in shown(reply)
    assert "No sources of this answer came." in shown(reply)
    assert "names no sources" not in shown(reply)


@pytest.mark.parametrize("text", ["The sky is blue [1].", PIECE * 10 + "The tail of it [1]."], ids=["short", "long"])
async def test_one_that_takes_too_long_shows_what_came(
    run_bot: RunBot, place: Place, exa: LoopbackExa, settings: dict[str, object], discord_: LoopbackDiscord, text: str
) -> None:
    """REPLY-05: so does the end of the time that an answer has, to the last word and with the sources."""
    settings["web-answer-timeout-s"] = 5
    exa.fail(always=stream(said(text), SOURCES, COST, hanging=True))
    async with run_bot() as bot:
        reply = await finished(discord_, await question(place))
        usage = await cog_of(bot).service.usage(user_id=place.member.id)
    assert "broke off" in shown(reply)
    assert text.removesuffix(" [1].")[-11:] in shown(reply)
    assert r"[\[1\]](<https://example.com/sky>)" in shown(reply)
    assert (usage.member.searches, usage.total.cost) == (1, 5000)


async def test_one_that_never_ends_ends_in_time(
    run_bot: RunBot, place: Place, exa: LoopbackExa, settings: dict[str, object]
) -> None:
    """REPLY-05: also where more of it comes all the time, and at most a second later."""
    settings["web-answer-timeout-s"] = 5

    async def drip(call: faults.Call) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(call.request)
        while not call.closing.is_set():
            await response.write(f"data: {json.dumps(said('drop '))}\n\n".encode())
            with suppress(TimeoutError):
                await asyncio.wait_for(call.closing.wait(), 0.01)
        return response

    exa.fail(always=drip)
    asker, here = Asker(user_id=place.member.id, channel_id=place.channel.id), SpotPlace()
    async with run_bot() as bot:
        service, loop = cog_of(bot).service, asyncio.get_running_loop()
        request = service.prepare(asker, here, query=QUERY, answering=True)
        began = loop.time()
        found = await service.answer(request, asker, here)
        took = loop.time() - began
    assert isinstance(found, Answered)
    assert not found.answer.complete
    assert took < 6


async def test_a_break_is_a_failure_of_the_engine(
    bot: commands.Bot, place: Place, exa: LoopbackExa, discord_: LoopbackDiscord, caplog: pytest.LogCaptureFixture
) -> None:
    """HLT-08: it's logged, and after five in a row the owner is told, though members see what came."""
    exa.fail(always=stream(said(PIECE * 2), broken=True))
    for _ in range(DOWN_AFTER):
        assert "broke off" in shown(await finished(discord_, await question(place)))
    assert sum(one.startswith("Exa failed: backend-unreachable") for one in caplog.messages) == DOWN_AFTER
    assert await counted(bot, place) == DOWN_AFTER
    await discord_.until(lambda: direct(discord_) != [])
    assert direct(discord_)[0].startswith(BEGINS[Kind.ENGINE])


@pytest.mark.parametrize("code", [401, 402])
async def test_a_refusal_amid_an_answer(
    bot: commands.Bot, place: Place, exa: LoopbackExa, discord_: LoopbackDiscord, code: int
) -> None:
    """HLT-08: what came is shown and counts; nobody is asked again in vain, and the owner is told."""
    refused = {"tag": "ERROR", "payload": {"error": {"code": code, "message": "refused"}}}
    exa.fail(stream(said(PIECE * 2), SOURCES, COST, refused))
    reply = await finished(discord_, await question(place))
    assert "broke off" in shown(reply)
    assert (await cog_of(bot).service.usage()).total == Use(searches=1, cost=5000)
    assert not cog_of(bot).service.engines.is_usable(Act.ANSWER)
    await discord_.until(lambda: direct(discord_) != [])
    again = await question(place)
    await settled(bot, discord_, again)
    assert [call.path for call in exa.requests] == ["/answer"]


async def test_tries_that_were_lost_may_be_billed(
    bot: commands.Bot, place: Place, exa: LoopbackExa, discord_: LoopbackDiscord
) -> None:
    """MET-33: each request that went out and wasn't answered costs, before a streamed answer as before results."""
    exa.fail(faults.reset, stream(said(PIECE), SOURCES, COST))
    await finished(discord_, await question(place))
    assert len(exa.requests) == 2
    assert (await cog_of(bot).service.usage()).total.cost == 10_000
    exa.fail(faults.reset, stream(said(exa.key)))
    await settled(bot, discord_, await question(place))
    assert len(exa.requests) == 4
    assert (await cog_of(bot).service.usage()).total == Use(searches=1, cost=20_000)


@pytest.mark.parametrize("private", [False, True])
async def test_where_nothing_came_nobody_is_charged(
    bot: commands.Bot, place: Place, exa: LoopbackExa, discord_: LoopbackDiscord, settings: dict[str, object],
    *, private: bool,
) -> None:  # fmt: skip
    """REPLY-05: the asker alone reads why; nothing stays in public, nothing is kept."""
    exa.fail(always=faults.error(401, "INVALID_API_KEY"))
    inv = await question(place, private=private)
    await settled(bot, discord_, inv)
    (told,) = inv.followups or [await inv.reply()]
    assert told.ephemeral
    assert "doesn't accept the bot's key" in sentence(told)
    assert await counted(bot, place) == 0
    assert sessions(settings) == 0
    assert public(discord_, place) == []


async def test_the_button_charges_who_presses(bot: commands.Bot, place: Place, exa: LoopbackExa) -> None:
    """REPLY-06: in public for who searched in public, privately for anybody else; the results stay as they are."""
    reply = await (await ask(place)).reply()
    before = reply.payload()
    exa.fail(always=stream(said(PIECE + "[1]"), SOURCES, COST))
    own = await (await place.member.press(reply, "Answer")).reply()
    assert not own.ephemeral
    theirs = await (await place.other.press(reply, "Answer")).reply()
    assert theirs.ephemeral
    assert QUERY in shown(theirs)
    assert reply.payload() == before
    assert await counted(bot, place) == 2
    assert (await cog_of(bot).service.usage(user_id=place.other.id)).member.searches == 1


@pytest.mark.usefixtures("bot")
@pytest.mark.parametrize("searched", [False, True])
async def test_an_answer_is_as_private_as_its_search(place: Place, exa: LoopbackExa, *, searched: bool) -> None:
    """REPLY-06: under a private reply it's private, and where moderators made replies private meanwhile."""
    reply = await (await ask(place, private=searched)).reply()
    if not searched:
        chief = place.guild.add_member("chief", permissions=Permission.MANAGE_CHANNELS)
        await (await chief.invoke(place.channel, "websearch replies", visibility="private")).reply()
    exa.fail(always=stream(said(PIECE), COST))
    assert (await (await place.member.press(reply, "Answer")).reply()).ephemeral


@pytest.mark.usefixtures("bot")
async def test_pressed_twice_it_is_asked_once(place: Place, exa: LoopbackExa, discord_: LoopbackDiscord) -> None:
    """REPLY-10: a second press while the answer is on its way says so; the answer comes once."""
    reply = await (await ask(place)).reply()
    exa.hold()
    first = await place.member.press(reply, "Answer")
    await exa.received(2)
    second = await (await place.member.press(reply, "Answer")).reply()
    assert second.ephemeral
    assert sentence(second) == "That's on its way already: wait a moment."
    exa.release()
    await finished(discord_, first)
    assert len(exa.requests) == 2


async def test_a_reply_that_vanished_while_it_grew(
    bot: commands.Bot, place: Place, exa: LoopbackExa, discord_: LoopbackDiscord, settings: dict[str, object]
) -> None:
    """REPLY-13: nothing is said, no session stays, and the answer counts: it was asked for and came."""
    gate = asyncio.Event()
    inv = await begun(place, exa, discord_, gate)
    assert inv.original is not None
    inv.original.delete()
    gate.set()
    await settled(bot, discord_, inv)
    assert inv.followups == []
    assert sessions(settings) == 0
    assert await counted(bot, place) == 1


async def test_an_unload_amid_an_answer(
    bot: commands.Bot, place: Place, exa: LoopbackExa, discord_: LoopbackDiscord
) -> None:
    """REPLY-13: its asker reads privately that the search is being restarted, and nothing half stays in public."""
    inv = await begun(place, exa, discord_, asyncio.Event())
    await bot.remove_cog("WebSearch")
    await discord_.until(lambda: inv.followups != [])
    (told,) = inv.followups
    assert sentence(told) == "Web search is being restarted: try again in a moment."
    assert told.ephemeral
    assert public(discord_, place) == []
