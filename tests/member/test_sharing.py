"""Hold sharing a private reply, copies of somebody else's, and whose sessions are whose."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from bots import Place, buttons, cog_of, sentence, titles
from cogs.websearch.playground.discord import Permission
from trouble import EDIT, ask, counted, mistakes, public, rename_table, sessions, settled

if TYPE_CHECKING:
    from discord.ext import commands

    from bots import RunBot
    from cogs.websearch.playground.discord import LoopbackDiscord, Message
    from loopback_exa import LoopbackExa

pytestmark = pytest.mark.usefixtures("no_mistakes")


async def private(place: Place) -> Message:
    """Search in private as the member."""
    return await (await ask(place, private=True)).reply()


async def share(bot: commands.Bot, discord_: LoopbackDiscord, place: Place, reply: Message) -> Message | None:
    """Share a reply, and return what's new in public."""
    before = public(discord_, place)
    await settled(bot, discord_, await place.member.press(reply, "Share"))
    return next((message for message in public(discord_, place) if message not in before), None)


async def test_a_private_reply_is_shared(
    bot: commands.Bot, place: Place, discord_: LoopbackDiscord, exa: LoopbackExa
) -> None:
    """REPLY-07: the page that is shown goes to the channel with buttons of its own; the private one stays without."""
    reply = await private(place)
    await (await place.member.press(reply, "Next")).reply()
    shared = await share(bot, discord_, place, reply)
    assert shared is not None
    assert titles(shared) == titles(reply)
    assert "Share" not in buttons(reply)
    assert "Share" not in buttons(shared)
    await (await place.member.press(shared, "Previous")).reply()
    assert titles(shared) != titles(reply)
    await place.member.press(reply, "Delete")
    await discord_.until(lambda: reply.deleted)
    await (await place.member.press(shared, "Next")).reply()
    assert len(titles(shared)) == 2
    assert len(exa.requests) == 1
    assert await counted(bot, place) == 1


@pytest.mark.usefixtures("bot")
async def test_a_public_reply_has_nothing_to_share(place: Place, discord_: LoopbackDiscord) -> None:
    """REPLY-07: nor has one in direct messages, where nobody else is."""
    direct = discord_.open_dm(place.member.user)
    alone = await place.member.user.invoke(direct, "search", query="in a direct message", private=True)
    for reply in (await (await ask(place)).reply(), await alone.reply()):
        assert "Share" not in buttons(reply)


async def test_shared_twice_it_is_there_once(bot: commands.Bot, place: Place, discord_: LoopbackDiscord) -> None:
    """REPLY-10, REPLY-07: a second press, while the first is under way, says so."""
    reply = await private(place)
    hold = discord_.hold(*EDIT)
    first = await place.member.press(reply, "Share")
    await hold.reached()
    told = await (await place.member.press(reply, "Share")).reply()
    assert told.ephemeral
    assert sentence(told) == "That's on its way already: wait a moment."
    hold.release()
    await settled(bot, discord_, first)
    assert len(public(discord_, place)) == 1


@pytest.mark.usefixtures("bot")
async def test_who_may_not_write_does_not_share(place: Place, discord_: LoopbackDiscord) -> None:
    """REPLY-07: they're told so privately, and nothing appears."""
    reply = await private(place)
    place.channel.deny(place.member, Permission.SEND_MESSAGES)
    told = await (await place.member.press(reply, "Share")).reply()
    assert told.ephemeral
    assert sentence(told) == "You can't write in this channel, so you can't share anything here either."
    assert public(discord_, place) == []


async def test_where_searching_was_switched_off_nothing_is_shared(
    bot: commands.Bot, place: Place, discord_: LoopbackDiscord
) -> None:
    """REPLY-07, REPLY-08: nor copied, read or answered; turning one's own pages goes on."""
    reply = await private(place)
    open_reply = await (await ask(place)).reply()
    note = await place.other.press(open_reply, "Next")
    await settled(bot, discord_, note)
    chief = place.guild.add_member("chief", permissions=Permission.MANAGE_CHANNELS)
    await (await chief.invoke(place.channel, "websearch off")).reply()
    told = []
    for press in (
        await place.member.press(reply, "Share"),
        await place.member.press(reply, "Answer"),
        await place.member.choose(reply, "Read a page…", ["1"]),
        await place.other.press(note.followups[0], "Open it for me"),
    ):
        await settled(bot, discord_, press)
        told.append(sentence(press.followups[0] if press.followups else await press.reply()))
    assert (
        told
        == ["Web search is off in this channel: search in another one, or ask a moderator to switch it on here."] * 4
    )
    await (await place.member.press(reply, "Next")).reply()
    assert len(titles(reply)) == 2


async def test_a_share_that_discord_refuses_can_be_tried_again(
    bot: commands.Bot, place: Place, discord_: LoopbackDiscord, settings: dict[str, object]
) -> None:
    """REPLY-13: it isn't noted as shared, and no session stays of what isn't there."""
    reply = await private(place)
    discord_.fail(*EDIT, status=400)
    press = await place.member.press(reply, "Share")
    await settled(bot, discord_, press)
    assert public(discord_, place) == []
    assert sentence(press.followups[0]) == "Discord didn't take the reply: try again in a moment."
    assert sessions(settings) == 1
    assert "Share" in buttons(reply)
    assert await share(bot, discord_, place, reply) is not None


async def test_a_share_while_the_database_fails(
    bot: commands.Bot,
    place: Place,
    discord_: LoopbackDiscord,
    settings: dict[str, object],
    caplog: pytest.LogCaptureFixture,
) -> None:
    """REPLY-13: nothing is shared that would have dead buttons; a sentence says so."""
    reply = await private(place)
    await rename_table(settings, "session", "gone")
    press = await place.member.press(reply, "Share")
    await settled(bot, discord_, press)
    await rename_table(settings, "gone", "session")
    assert sentence(press.followups[0]).startswith("The bot's database failed")
    assert public(discord_, place) == []
    assert mistakes(caplog) == ["the database failed to load a session: SQLITE_ERROR"]
    caplog.clear()


async def test_others_open_a_copy(bot: commands.Bot, place: Place, discord_: LoopbackDiscord, exa: LoopbackExa) -> None:
    """REPLY-08: at the page that they wanted, private, for nothing; they turn it, and may share it."""
    reply = await (await ask(place)).reply()
    press = await place.other.press(reply, "Next")
    await settled(bot, discord_, press)
    (note,) = press.followups
    assert (
        sentence(note)
        == "Only the member who searched can turn the pages: open the reply for yourself, or search with /search."
    )
    copy = await (await place.other.press(note, "Open it for me")).reply()
    assert copy.ephemeral
    assert len(titles(copy)) == 2
    await (await place.other.press(copy, "Previous")).reply()
    assert titles(copy) == titles(reply)
    assert "Share" in buttons(copy)
    assert len(exa.requests) == 1
    assert (await cog_of(bot).service.usage(user_id=place.other.id)).member.searches == 0


async def test_a_private_session_is_its_askers_alone(bot: commands.Bot, place: Place, exa: LoopbackExa) -> None:
    """REPLY-09: by its id nobody else finds it, nor does its asker from another channel; a forged press is dropped."""
    secret, mine = await private(place), await (await ask(place)).reply()
    session_id = buttons(secret)["Delete"]["custom_id"].rpartition(":")[2]
    sessions = cog_of(bot).service.sessions
    elsewhere = place.guild.add_text_channel("elsewhere")
    assert await sessions.recall(session_id, user_id=place.member.id, channel_id=place.channel.id) is not None
    assert await sessions.recall(session_id, user_id=place.other.id, channel_id=place.channel.id) is None
    assert await sessions.recall(session_id, user_id=place.member.id, channel_id=elsewhere.id) is None
    forged = await place.other.press(mine, f"websearch:share:{session_id}:0", force=True)
    # What the gateway tells comes in order.
    await (await ask(place)).reply()
    assert not forged.was_acknowledged
    assert len(exa.requests) == 3


@pytest.mark.parametrize("button", ["Next", "Answer", "Share", "Delete", "Read a page…"])
async def test_buttons_that_ended(bot: commands.Bot, place: Place, discord_: LoopbackDiscord, button: str) -> None:
    """REPLY-11: told privately, whoever presses, and the buttons go."""
    reply = await private(place)
    discord_.clock.advance(24 * 3600 + 1)
    read = button == "Read a page…"
    press = await (place.member.choose(reply, button, ["1"]) if read else place.member.press(reply, button))
    await settled(bot, discord_, press)
    told = press.followups[0] if press.followups else await press.reply()
    assert told.ephemeral
    assert sentence(told) == "This search is too old for its buttons: search again with /search."
    assert reply.components == []


async def test_two_processes_share_once(run_bot: RunBot, place: Place, settings: dict[str, object]) -> None:
    """REPLY-07: whichever comes first; the other one finds it noted."""
    async with run_bot():
        await private(place)
    async with run_bot() as bot, run_bot() as other:
        services = [cog_of(one).service for one in (bot, other)]
        with closing(sqlite3.connect(str(settings["web-database"]))) as database:
            ((session_id,),) = database.execute("SELECT id FROM session").fetchall()
        found = [
            await service.sessions.recall(session_id, user_id=place.member.id, channel_id=place.channel.id)
            for service in services
        ]
        claims = [
            service.sessions.claim_share(one) for service, one in zip(services, found, strict=True) if one is not None
        ]
        assert sorted(await asyncio.gather(*claims)) == [False, True]


@pytest.mark.usefixtures("bot")
async def test_in_a_thread_writing_in_threads_decides(place: Place) -> None:
    """REPLY-07: a permission to write in channels says nothing of threads."""
    thread = place.channel.add_thread("aside")
    place.channel.deny(place.member, Permission.SEND_MESSAGES_IN_THREADS)
    reply = await (await place.member.invoke(thread, "search", query="in a thread", private=True)).reply()
    told = await (await place.member.press(reply, "Share")).reply()
    assert sentence(told).startswith("You can't write in this channel")


async def test_a_copy_that_discord_refuses(
    bot: commands.Bot, place: Place, discord_: LoopbackDiscord, settings: dict[str, object]
) -> None:
    """REPLY-08, REPLY-13: who wanted it is told so, and can open it again."""
    reply = await (await ask(place)).reply()
    note = await place.other.press(reply, "Next")
    await settled(bot, discord_, note)
    discord_.fail(*EDIT, status=400)
    press = await place.other.press(note.followups[0], "Open it for me")
    await settled(bot, discord_, press)
    assert sentence(press.followups[0]) == "Discord didn't take the reply: try again in a moment."
    copy = await (await place.other.press(note.followups[0], "Open it for me")).reply()
    assert len(titles(copy)) == 2
    assert sessions(settings) == 2


@pytest.mark.parametrize("times", [1, 3])
async def test_a_connection_that_breaks_shares_nothing_twice(
    bot: commands.Bot, place: Place, discord_: LoopbackDiscord, times: int
) -> None:
    """REPLY-07: where Discord took it and its answer was lost, one message is there, or none with dead buttons."""
    reply = await private(place)
    discord_.drop(*EDIT, after=True, times=times)
    await settled(bot, discord_, await place.member.press(reply, "Share"))
    assert len(public(discord_, place)) == (1 if times == 1 else 0)


async def test_turning_while_it_is_shared(bot: commands.Bot, place: Place, discord_: LoopbackDiscord) -> None:
    """REPLY-13: the end of a share doesn't turn the page back."""
    reply = await private(place)
    hold = discord_.hold("PATCH", rf"/messages/(?:@original|{reply.id})$")
    first = await place.member.press(reply, "Share")
    await hold.reached()
    second = await place.member.press(reply, "Next")
    await discord_.until(lambda: second.was_acknowledged)
    hold.release()
    await settled(bot, discord_, first, second)
    assert len(titles(reply)) == 2
    assert not buttons(reply)["Previous"]["disabled"]
    assert buttons(reply)["Next"]["disabled"]


async def test_a_page_that_was_blocked_since_is_not_shared(
    bot: commands.Bot, place: Place, discord_: LoopbackDiscord
) -> None:
    """WEB-30, REPLY-11: what was read of a site that the owner blocks by now can't be shared, nor turned."""
    reply = await (await ask(place)).reply()
    page = await (await place.member.choose(reply, "Read a page…", ["1"])).reply()
    host = str(page.embeds[0]["url"]).split("/")[2]
    service = cog_of(bot).service
    await service.reconfigure(replace(service.config, web_block_sites=(host,)))
    press = await place.member.press(page, "Share")
    await settled(bot, discord_, press)
    assert public(discord_, place) == [reply]
    assert sentence(press.followups[0]).startswith("This search is too old")
    assert page.components == []


async def test_what_was_found_without_a_filter_stays_where_it_is(
    run_bot: RunBot, place: Place, discord_: LoopbackDiscord, settings: dict[str, object]
) -> None:
    """SAFE-02: found in an age-restricted channel, it's neither shared nor copied once that is for everybody."""
    settings["web-safe-search"] = "except-age-restricted"
    place.channel.restrict_age()
    async with run_bot() as bot:
        reply, opened = await private(place), await (await ask(place)).reply()
        place.channel.restrict_age(on=False)
        await (await ask(place)).reply()
        press = await place.member.press(reply, "Share")
        note = await place.other.press(opened, "Next")
        await settled(bot, discord_, press, note)
        copy = await place.other.press(note.followups[0], "Open it for me")
        await settled(bot, discord_, copy)
        for told in (press.followups[0], copy.followups[0]):
            assert sentence(told) == ("This was found while the channel was age-restricted: search again with /search.")


async def test_a_second_copy_takes_the_place_of_the_first(
    bot: commands.Bot, place: Place, discord_: LoopbackDiscord, settings: dict[str, object]
) -> None:
    """REPLY-08: who opens one again and again fills no database."""
    reply = await (await ask(place)).reply()
    copies = []
    for _ in range(3):
        note = await place.other.press(reply, "Next")
        await settled(bot, discord_, note)
        copies.append(await (await place.other.press(note.followups[0], "Open it for me")).reply())
    assert sessions(settings) == 2
    await (await place.other.press(copies[-1], "Previous")).reply()
    assert titles(copies[-1]) == titles(reply)
