"""Hold the buttons under a reply: who may press them, where they lead, and what happens late."""

from __future__ import annotations

import asyncio
import dataclasses
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from bots import Place, RunBot, buttons, cog_of, sentence, titles
from cogs.websearch.playground.discord import Permission
from loopback_exa import LoopbackExa, faults

if TYPE_CHECKING:
    from discord.ext import commands

    from cogs.websearch.models import Session
    from cogs.websearch.playground.discord import LoopbackDiscord, Message

QUERY = "a question with ten answers"


@pytest.fixture(autouse=True)
def ten_rows(exa: LoopbackExa) -> None:
    """Let every search bring ten results, titled by their number."""
    found = ({"title": f"Answer {n}", "url": f"https://example.com/{n}", "text": "Text."} for n in range(10))
    exa.fail(always=faults.rows(*found))


async def search(place: Place, *, private: bool = False) -> Message:
    """Search as the member and return the reply."""
    inv = await place.member.invoke(place.channel, "search", query=QUERY, results=10, private=private)
    return await inv.reply()


def numbers(message: Message) -> list[int]:
    """List the numbers of the answers on a page."""
    return [int(title.rpartition("Answer ")[2]) for title in titles(message)]


@pytest.mark.usefixtures("bot")
@pytest.mark.parametrize("private", [False, True])
async def test_previous_and_next_lead_through_the_pages(place: Place, *, private: bool) -> None:
    """WEB-08, WEB-09: all results come in order, and the button that would lead out of the pages is disabled."""
    reply = await search(place, private=private)
    seen = numbers(reply)
    assert buttons(reply)["Previous"]["disabled"]
    for page in range(2, 5):
        await (await place.member.press(reply, "Next")).reply()
        assert reply.embeds[0]["description"] == f"10 results · Exa · page {page} of 4"
        assert not buttons(reply)["Previous"]["disabled"]
        seen += numbers(reply)
    assert seen == list(range(10))
    assert buttons(reply)["Next"]["disabled"]
    await (await place.member.press(reply, "Previous")).reply()
    assert numbers(reply) == [6, 7, 8]
    assert not buttons(reply)["Next"]["disabled"]


@pytest.mark.usefixtures("bot")
async def test_one_page_has_no_arrows(place: Place, exa: LoopbackExa) -> None:
    """WEB-09: where there is nowhere to turn to, none leads anywhere."""
    exa.fail(always=faults.rows({"title": "Alone", "url": "https://example.com/"}))
    assert list(buttons(await search(place))) == ["Answer", "Delete"]


@pytest.mark.usefixtures("bot")
async def test_others_do_not_turn_pages(place: Place) -> None:
    """WEB-10: another member is told so privately, and the page stays."""
    reply = await search(place)
    press = await place.other.press(reply, "Next")
    await press.reply()
    (told,) = press.followups
    assert (
        sentence(told)
        == "Only the member who searched can turn the pages: open the reply for yourself, or search with /search."
    )
    assert told.ephemeral
    assert numbers(reply) == [0, 1, 2]


@pytest.mark.usefixtures("bot")
@pytest.mark.parametrize("who", ["member", "moderator"])
async def test_owner_and_moderator_delete(place: Place, discord_: LoopbackDiscord, who: str) -> None:
    """WEB-11: the reply is gone for all, and nothing more is said."""
    reply = await search(place)
    press = await getattr(place, who).press(reply, "Delete")
    await discord_.until(lambda: reply.deleted)
    assert press.followups == []


@pytest.mark.usefixtures("bot")
async def test_a_private_reply_is_deleted(place: Place, discord_: LoopbackDiscord) -> None:
    """WEB-11: what only one member sees can be deleted like any other reply."""
    reply = await search(place, private=True)
    await place.member.press(reply, "Delete")
    await discord_.until(lambda: reply.deleted)


@pytest.mark.usefixtures("bot")
async def test_others_do_not_delete(place: Place) -> None:
    """WEB-11: another member is told so privately, and the reply stays."""
    reply = await search(place)
    press = await place.other.press(reply, "Delete")
    await press.reply()
    (told,) = press.followups
    assert told.ephemeral
    assert sentence(told).startswith("Only the member who searched, or somebody who may manage messages")
    assert not reply.deleted


async def test_a_session_keeps_no_blocked_domain(
    run_bot: RunBot, settings: dict[str, object], place: Place, exa: LoopbackExa
) -> None:
    """WEB-28: the engine is told of the domain; the database holds the query and not the domain."""
    settings["web-block-sites"] = ["blocked.example.org"]
    async with run_bot():
        assert titles(await search(place))
    (call,) = exa.requests
    assert b"blocked.example.org" in call.body
    with closing(sqlite3.connect(str(settings["web-database"]))) as database:
        ((payload,),) = database.execute("SELECT payload FROM session").fetchall()
    assert QUERY.encode() in payload
    assert b"blocked.example.org" not in payload


@pytest.mark.parametrize("embeds", [True, False])
async def test_what_is_blocked_since_is_not_shown_again(
    bot: commands.Bot, place: Place, exa: LoopbackExa, *, embeds: bool
) -> None:
    """WEB-30: neither forth nor back, as embeds and as text; what's left keeps its number."""
    hosts = ("good.example.net", "bad.example.net", "xn--bcher-kva.example.net")
    found = ({"title": f"Answer {n}", "url": f"https://{hosts[n % 3]}/{n}", "text": "Text."} for n in range(9))
    exa.fail(always=faults.rows(*found))
    if not embeds:
        place.channel.deny(place.guild.bot_role, Permission.EMBED_LINKS)
    reply = await search(place)
    service = cog_of(bot).service
    blocked = ("bad.example.net", hosts[2])
    await service.reconfigure(dataclasses.replace(service.config, web_block_sites=blocked))
    for button, left in (("Next", 4), ("Next", 7), ("Previous", 4), ("Previous", 1)):
        await (await place.member.press(reply, button)).reply()
        shown = f"{reply.content}{reply.embeds}"
        assert f"{left} · Answer {left - 1}" in shown
        assert not any(
            part in shown for part in ("bad.example", "bücher", "xn--", f"Answer {left}", f"Answer {left + 1}")
        )


async def test_a_deleted_reply_leaves_no_session(
    bot: commands.Bot, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """WEB-11: what was searched is not kept longer than its reply."""
    reply = await search(place)
    session_id = buttons(reply)["Delete"]["custom_id"].rpartition(":")[2]
    sessions = cog_of(bot).service.sessions
    theirs = {"user_id": place.member.id, "channel_id": place.channel.id}
    assert await sessions.recall(session_id, **theirs) is not None
    forgotten = asyncio.Event()
    forget = sessions.forget

    async def note(session: Session) -> None:
        await forget(session)
        forgotten.set()

    monkeypatch.setattr(sessions, "forget", note)
    await place.member.press(reply, "Delete")
    await asyncio.wait_for(forgotten.wait(), 10)
    assert reply.deleted
    assert await sessions.recall(session_id, **theirs) is None


@pytest.mark.usefixtures("bot")
async def test_a_late_press_takes_the_buttons_away(place: Place, discord_: LoopbackDiscord) -> None:
    """WEB-13: a day later the results still stand, the buttons go, and who pressed is told privately."""
    reply = await search(place)
    discord_.clock.advance(24 * 3600 + 1)
    press = await place.other.press(reply, "Next")
    await discord_.until(lambda: press.followups != [])
    assert reply.components == []
    assert numbers(reply) == [0, 1, 2]
    (told,) = press.followups
    assert told.ephemeral
    assert sentence(told) == "This search is too old for its buttons: search again with /search."


@pytest.mark.usefixtures("bot")
async def test_a_press_within_the_session_works_after_the_token_ran_out(
    place: Place, discord_: LoopbackDiscord
) -> None:
    """WEB-12: a press brings a token of its own, hours after the search's ended."""
    reply = await search(place)
    discord_.clock.advance(23 * 3600)
    await (await place.member.press(reply, "Next")).reply()
    assert numbers(reply) == [3, 4, 5]


@pytest.mark.usefixtures("bot")
async def test_a_double_press_leads_to_the_same_page(place: Place, discord_: LoopbackDiscord) -> None:
    """WEB-09: two presses on the same button before the page changed count as one."""
    reply = await search(place)
    hold = discord_.hold("PATCH", r"/webhooks/.*/messages/@original")
    first = await place.member.press(reply, "Next")
    second = await place.member.press(reply, "Next")
    await hold.reached(2)
    hold.release()
    await asyncio.gather(first.reply(), second.reply())
    assert numbers(reply) == [3, 4, 5]


@pytest.mark.usefixtures("bot")
async def test_custom_ids_tell_nothing_and_open_nothing_elsewhere(place: Place, discord_: LoopbackDiscord) -> None:
    """WEB-20: an id holds no query, and in another channel it leads to no results."""
    reply = await search(place)
    for button in reply.buttons():
        assert QUERY not in button["custom_id"]
        assert len(button["custom_id"]) <= 100
    there = place.guild.add_text_channel("elsewhere")
    inv = await place.member.invoke(there, "search", query=QUERY, results=10)
    other = await inv.reply()
    stolen = buttons(reply)["Next"]["custom_id"]
    other.component("Next")["custom_id"] = stolen
    press = await place.member.press(other, stolen)
    await discord_.until(lambda: press.followups != [])
    assert sentence(press.followups[0]).startswith("This search is too old")
    assert numbers(other) == [0, 1, 2]


@pytest.mark.usefixtures("bot")
async def test_a_press_on_a_reply_that_is_gone_is_no_error(
    place: Place, discord_: LoopbackDiscord, caplog: pytest.LogCaptureFixture
) -> None:
    """WEB-21: a moderator deletes the message between a press and its page; nothing is logged as an error."""
    reply = await search(place)
    hold = discord_.hold("PATCH", r"/webhooks/.*/messages/@original")
    await place.member.press(reply, "Next")
    await hold.reached()
    reply.delete()
    hold.release()
    await discord_.until(lambda: any(r.method == "PATCH" and r.status == 404 for r in discord_.requests))
    assert [record for record in caplog.records if record.levelname in {"ERROR", "CRITICAL"}] == []


async def test_buttons_work_after_a_reload(bot: commands.Bot, place: Place) -> None:
    """WEB-12: another cog object, of the same bot, opens the sessions of the one before."""
    reply = await search(place)
    cog = cog_of(bot)
    await bot.remove_cog(cog.qualified_name)
    await bot.add_cog(type(cog)(bot, cog.config))
    await (await place.member.press(reply, "Next")).reply()
    assert numbers(reply) == [3, 4, 5]


@pytest.mark.parametrize("button", ["Next", "Delete"])
async def test_a_fault_of_the_bot_itself_is_one_sentence(
    bot: commands.Bot, place: Place, button: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """WEB-22: who pressed reads a sentence, privately; the log says where, and nothing that was typed."""
    reply = await search(place)

    async def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError(QUERY)

    monkeypatch.setattr(cog_of(bot).service.sessions, "recall", fail)
    press = await place.member.press(reply, button)
    told = await press.reply()
    assert sentence(told) == "Something went wrong in the bot: tell the bot's owner."
    assert told.ephemeral
    assert "ZeroDivisionError" in caplog.text
    assert QUERY not in caplog.text
