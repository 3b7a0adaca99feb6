"""Hold what members see of their own searches, and what its buttons do."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from bots import Place, RunBot, bot_process, buttons, cog_of, sentence, titles, write_config
from cogs.websearch.own_searches import Forgotten
from cogs.websearch.playground.discord import NotOffered, Permission
from loopback_exa import faults
from staff import ask as tell
from trouble import CALLBACK, EDIT, QUERY, counted, mistakes, rename_table, settled

if TYPE_CHECKING:
    from pathlib import Path

    from discord.ext import commands

    from cogs.websearch.playground.discord import Channel, Invocation, LoopbackDiscord, Member, Message, User
    from loopback_exa import LoopbackExa
    from staff import Staff

pytestmark = pytest.mark.usefixtures("no_mistakes")

FORGET, PAUSE, RESUME = "Forget me", "Don't let chat bots search for me", "Let chat bots search for me"
STORED = "What is stored of you"
IDS = {FORGET: "websearch:forget-me", PAUSE: "websearch:pause"}
USE = "What you can search"
A_DAY = 24 * 3600
DONE = "Forgotten. Today's count stays, so that no limit begins anew by this: it goes with its day."
LIFTED = DONE.replace("Forgotten.", "Forgotten, and chat bots may search for you again.")
NOTHING = "No replies whose buttons work"


@pytest.fixture(autouse=True)
def no_budget_for_edits(settings: dict[str, object]) -> None:
    """Keep counts for as long as these tests go back."""
    settings["web-session-hours"] = 48


async def look(who: Member | User, where: Channel, **how: bool) -> Message:
    """Use `/searches`, and return the reply, which must be private."""
    reply = await (await who.invoke(where, "searches", **how)).reply()  # type: ignore[arg-type] # no option of it
    assert reply.ephemeral
    return reply


async def search(who: Member | User, where: Channel) -> Message:
    """Search, and return the reply."""
    reply = await (await who.invoke(where, "search", query=QUERY)).reply()
    assert titles(reply)
    return reply


async def press(who: Member, message: Message, button: str) -> Invocation:
    """Press a button, and wait until all is done."""
    inv = await who.press(message, button)
    await inv.reply()
    return inv


def parts(message: Message) -> dict[str, list[str]]:
    """Map the headings of what is shown to the lines below."""
    (embed,) = message.embeds
    return {field["name"]: field["value"].split("\n") for field in embed["fields"]}


def said(message: Message) -> str:
    """Return what is said on top."""
    return str(message.embeds[0].get("description", ""))


def stored(settings: dict[str, object], member: Member) -> dict[str, int]:
    """Count what the database holds of a member."""
    with closing(sqlite3.connect(str(settings["web-database"]))) as database:
        return {
            name: int(database.execute(statement, (member.id,)).fetchone()[0])
            for name, statement in (
                ("sessions", "SELECT count(*) FROM session WHERE user_id = ?"),
                ("days", "SELECT count(*) FROM counter WHERE day > 0 AND scope = 1 AND id = ?"),
                ("minute", "SELECT count(*) FROM counter WHERE day = 0 AND id = ?"),
                ("pause", "SELECT count(*) FROM pause WHERE user_id = ?"),
            )
        }


async def test_use_and_what_is_left(
    run_bot: RunBot, settings: dict[str, object], place: Place, discord_: LoopbackDiscord
) -> None:
    """OWN-01: of today, of the minute and of the server, each with what is left and when it begins anew."""
    settings |= {"web-daily-per-user": 5, "web-per-minute": 3, "web-daily-per-guild": 10}
    async with run_bot() as bot:
        assert parts(await look(place.member, place.channel))[USE][1] == "Per minute: 3 of 3 left"
        began = discord_.clock.now()
        for _ in range(2):
            await search(place.member, place.channel)
        await search(place.other, place.channel)
        today, minute, server = parts(await look(place.member, place.channel))[USE]
        service = cog_of(bot).service
        ends = (await service.own.look(1, None)).ends
        assert today == f"Today: 2 searches, 3 of 5 left; the next day begins <t:{ends}:R>"
        before, _, rest = minute.partition("<t:")
        assert before == "Per minute: 1 of 3 left; one more "
        assert began + 60 <= int(rest.removesuffix(":R>")) <= discord_.clock.now() + 61
        assert server == "This server today: 3 searches, 7 of 10 left"
        discord_.clock.advance(61)
        assert parts(await look(place.member, place.channel))[USE][1] == "Per minute: 3 of 3 left"


async def test_a_budget_that_is_spent(run_bot: RunBot, settings: dict[str, object], place: Place) -> None:
    """OWN-01: where nobody can search, what is left of one's own limits doesn't mislead."""
    settings["web-daily-budget-usd"] = 0.01
    async with run_bot():
        assert len(parts(await look(place.member, place.channel))[USE]) == 2
        await search(place.member, place.channel)
        assert parts(await look(place.member, place.channel))[USE][2].startswith(
            "What the bot can spend today is spent"
        )


async def test_a_budget_that_no_search_fits_into(
    run_bot: RunBot, settings: dict[str, object], place: Place, exa: LoopbackExa
) -> None:
    """OWN-01: what the engine last named as its price decides, as it does when one searches."""
    settings["web-daily-budget-usd"] = 0.02
    async with run_bot():
        # A second one would fit in by the list price.
        exa.fail(faults.rows({"url": "https://example.com", "title": "A page"}, costDollars={"total": 0.012}))
        await search(place.member, place.channel)
        assert "What the bot can spend today is spent" in parts(await look(place.member, place.channel))[USE][2]
        refused = await (await place.member.invoke(place.channel, "search", query="another")).reply()
        assert sentence(refused).startswith("The bot can spend 0.02 US dollars a day")


@pytest.mark.parametrize("kind", ["channel", "thread", "forum post", "voice"])
@pytest.mark.usefixtures("bot")
async def test_everywhere_in_a_server(staff: Staff, kind: str) -> None:
    """OWN-01: in each kind of channel, also where searching is off."""
    inv = await staff.moderator.invoke(staff.channel, "websearch off", channel=staff.category)
    await inv.reply()
    assert USE in parts(await look(staff.reader, staff.places[kind]))


async def test_outside_of_servers(
    run_bot: RunBot, settings: dict[str, object], place: Place, discord_: LoopbackDiscord
) -> None:
    """OWN-01: in direct messages, and installed to a member where the bot is not; nothing is said of a server there."""
    settings |= {"web-user-install": True, "web-daily-per-guild": 10}
    elsewhere = discord_.add_guild("Elsewhere", installed=False)
    reader, channel = elsewhere.add_member("reader"), elsewhere.add_text_channel("there")
    async with run_bot():
        dm = discord_.open_dm(place.member.user)
        await search(place.member.user, dm)
        assert len(parts(await look(place.member.user, dm))[USE]) == 2
        assert USE in parts(await look(reader, channel, user_install=True))


@pytest.mark.usefixtures("bot")
async def test_what_is_stored(place: Place, discord_: LoopbackDiscord) -> None:
    """OWN-02: nothing at first; then replies with their end, the days of counts, and the pause."""
    assert parts(await look(place.member, place.channel))[STORED] == [NOTHING, "No counts of searches"]
    await search(place.member, place.channel)
    discord_.clock.advance(A_DAY)
    await search(place.member, place.channel)
    reply = await look(place.member, place.channel)
    sessions, days = parts(reply)[STORED]
    assert sessions.startswith("2 replies whose buttons work until <t:")
    assert days.startswith("How often you searched on 2 days, since ")
    assert parts(reply)["Chat bots"] == ["They may search for you where you talk to them; it counts as your search."]
    await press(place.member, reply, PAUSE)
    assert parts(reply)[STORED][2] == "That chat bots don't search for you"
    assert parts(reply)["Chat bots"][0].startswith("They don't search for you until you let them, or press “Forget me”")


async def test_what_is_stored_of_a_moderator(
    place: Place, staff: Staff, bot: commands.Bot, discord_: LoopbackDiscord
) -> None:
    """OWN-02 OWN-03: their settings of places and sites are counted in all servers, and stay, which is said."""
    other = discord_.add_guild("Annex")
    hall = other.add_text_channel("hall")
    keeper = other.add_member(staff.manager.user, permissions=Permission.MANAGE_GUILD | Permission.MANAGE_CHANNELS)
    await tell(staff.manager, staff.channel, "off", server=True)
    reply = await look(staff.manager, staff.channel)
    line = parts(reply)[STORED][2]
    assert line == "Your id beside 1 setting that you made as a moderator, until it's changed or taken back"
    await tell(staff.manager, staff.channel, "on", **{"for": "2h"})
    await tell(staff.manager, staff.channel, "replies", visibility="private")
    await tell(staff.manager, staff.channel, "sites block", domains="example.org example.net")
    await tell(keeper, hall, "off")
    await tell(staff.moderator, staff.channel, "off", channel=staff.category)
    reply = await look(staff.manager, staff.channel)
    assert parts(reply)[STORED][2].startswith("Your id beside 6 settings that you made as a moderator")
    assert parts(await look(place.member, place.channel))[STORED][-1] == "No counts of searches"
    await press(staff.manager, reply, FORGET)
    stays = "What you set as a moderator stays with your id, which the bot's owner can take out."
    assert said(reply) == f"{DONE} {stays}"
    assert parts(reply)[STORED][2].startswith("Your id beside 6 settings")
    assert await cog_of(bot).service.own.forget(place.member.id) == Forgotten(lifted=False, settings=0)


async def test_forgetting(
    bot: commands.Bot, place: Place, settings: dict[str, object], discord_: LoopbackDiscord
) -> None:
    """OWN-03: sessions, earlier counts, the pause and the hosts are gone, today's count isn't; nor what others have."""
    for _ in range(2):
        await search(place.member, place.channel)
        await search(place.other, place.channel)
        discord_.clock.advance(A_DAY)
    await search(place.member, place.channel)
    reply = await look(place.member, place.channel)
    await press(place.member, reply, PAUSE)
    others = stored(settings, place.other)
    assert stored(settings, place.member) == {"sessions": 3, "days": 3, "minute": 1, "pause": 1}
    await press(place.member, reply, FORGET)
    assert said(reply) == LIFTED
    assert parts(reply)[STORED][0] == NOTHING
    assert list(buttons(reply)) == [FORGET, PAUSE]
    assert stored(settings, place.member) == {"sessions": 0, "days": 1, "minute": 1, "pause": 0}
    assert stored(settings, place.other) == others
    assert await counted(bot, place) == 1
    assert await place.member.autocomplete(place.channel, "search", "site", "") == []


async def test_forgetting_begins_no_limit_anew(run_bot: RunBot, settings: dict[str, object], place: Place) -> None:
    """OWN-03: who has used up the day or the minute is stopped as before."""
    settings["web-daily-per-user"] = 2
    settings["web-per-minute"] = 1
    async with run_bot():
        await search(place.member, place.channel)
        await press(place.member, await look(place.member, place.channel), FORGET)
        stopped = await (await place.member.invoke(place.channel, "search", query=QUERY)).reply()
        assert sentence(stopped).startswith("You can make 1 search in a minute")


async def test_the_switch_for_chat_bots(bot: commands.Bot, place: Place) -> None:
    """OWN-04: it's stored, shown, and turned back; one's own searches go on."""
    reply, service = await look(place.member, place.channel), cog_of(bot).service
    await press(place.member, reply, PAUSE)
    assert said(reply) == "Chat bots don't search for you from now on."
    assert list(buttons(reply)) == [FORGET, RESUME]
    assert await service.own.is_paused(place.member.id)
    assert not await service.own.is_paused(place.other.id)
    await search(place.member, place.channel)
    await press(place.member, reply, RESUME)
    assert said(reply) == "Chat bots may search for you again."
    assert list(buttons(reply)) == [FORGET, PAUSE]
    assert not await service.own.is_paused(place.member.id)


@pytest.mark.usefixtures("bot")
async def test_they_act_on_whoever_presses(place: Place, settings: dict[str, object]) -> None:
    """OWN-05: their ids are the same for everybody, and nobody presses for another."""
    await search(place.member, place.channel)
    reply = await look(place.member, place.channel)
    theirs = await look(place.other, place.channel)
    for shown in (reply, theirs):
        assert {button["custom_id"] for button in shown.buttons()} == set(IDS.values())
    await press(place.other, theirs, PAUSE)
    await press(place.other, theirs, FORGET)
    await press(place.other, theirs, PAUSE)
    assert (stored(settings, place.other)["pause"], stored(settings, place.member)["pause"]) == (1, 0)
    assert stored(settings, place.member)["sessions"] == 1
    with pytest.raises(NotOffered):
        await place.other.press(reply, FORGET)


async def test_they_outlive_a_restart(
    discord_: LoopbackDiscord, settings: dict[str, object], place: Place, tmp_path: Path
) -> None:
    """OWN-05: pressed in another process than the one that showed them."""
    config = write_config(tmp_path / "config.toml", settings)
    async with bot_process(discord_, config, "hostbot.py"):
        await discord_.connected()
        await search(place.member, place.channel)
        reply = await look(place.member, place.channel)
    await discord_.until(lambda: discord_.gateway.open_sessions() == 0)
    async with bot_process(discord_, config, "hostbot.py"):
        await discord_.connected()
        await press(place.member, reply, FORGET)
        assert said(reply) == DONE
        assert stored(settings, place.member)["sessions"] == 0


@pytest.mark.parametrize("button", [FORGET, PAUSE])
async def test_pressed_twice(
    bot: commands.Bot, place: Place, settings: dict[str, object], discord_: LoopbackDiscord, button: str
) -> None:
    """OWN-06: at once and one after the other, it's done, and said."""
    await search(place.member, place.channel)
    reply = await look(place.member, place.channel)
    both = [await place.member.press(reply, button) for _ in range(2)]
    both.append(both[0])
    both[0].deliver()
    await settled(bot, discord_, *both)
    if button == FORGET:
        await press(place.member, reply, button)
    assert said(reply)
    assert stored(settings, place.member)["sessions"] == (0 if button == FORGET else 1)
    assert stored(settings, place.member)["pause"] == (0 if button == FORGET else 1)


async def test_pressed_while_an_earlier_press_is_slow(
    bot: commands.Bot, place: Place, discord_: LoopbackDiscord
) -> None:
    """OWN-06: what the earlier one shows doesn't cover what the later one did."""
    reply, theirs = await look(place.member, place.channel), await look(place.other, place.channel)
    hold = discord_.hold(*EDIT, times=1)
    first = await place.member.press(reply, FORGET)
    await hold.reached()
    then = await place.member.press(reply, PAUSE)
    await then.acknowledged()
    # What begins later and goes the same way is at its end: only what waits is not.
    await press(place.other, theirs, PAUSE)
    hold.release()
    await settled(bot, discord_, first, then)
    assert await cog_of(bot).service.own.is_paused(place.member.id)
    assert list(buttons(reply)) == [FORGET, RESUME]
    assert said(reply) == "Chat bots don't search for you from now on."


async def test_pressed_while_one_searches(
    bot: commands.Bot, place: Place, settings: dict[str, object], exa: LoopbackExa, discord_: LoopbackDiscord
) -> None:
    """OWN-06: the search that's under way comes to its end, and is what is stored then."""
    await search(place.member, place.channel)
    reply = await look(place.member, place.channel)
    exa.hold()
    inv = await place.member.invoke(place.channel, "search", query=QUERY)
    await inv.acknowledged()
    await press(place.member, reply, FORGET)
    assert said(reply) == DONE
    assert stored(settings, place.member)["sessions"] == 0
    exa.release()
    assert titles(await inv.reply())
    await settled(bot, discord_, inv)
    assert stored(settings, place.member) == {"sessions": 1, "days": 1, "minute": 1, "pause": 0}
    assert await counted(bot, place) == 2


@pytest.mark.parametrize("table", ["session", "counter", "pause"])
@pytest.mark.usefixtures("bot")
async def test_a_database_that_fails(
    place: Place,
    settings: dict[str, object],
    discord_: LoopbackDiscord,
    caplog: pytest.LogCaptureFixture,
    table: str,
) -> None:
    """OWN-06: that's said, what was shown stays, and pressed again all is done."""
    await search(place.member, place.channel)
    reply = await look(place.member, place.channel)
    await rename_table(settings, table, "hidden")
    inv = await press(place.member, reply, FORGET)
    await discord_.until(lambda: bool(inv.followups))
    (told,) = inv.followups
    assert told.ephemeral
    assert sentence(told).startswith("The bot's database failed")
    assert said(reply) == ""
    assert sentence(await look(place.member, place.channel)).startswith("The bot's database failed")
    await rename_table(settings, "hidden", table)
    await press(place.member, reply, FORGET)
    assert said(reply) == DONE
    assert stored(settings, place.member)["sessions"] == 0
    # The failures alone, which the store has logged.
    assert all("the database failed to" in mistake for mistake in mistakes(caplog))
    caplog.clear()


@pytest.mark.usefixtures("bot")
async def test_a_reply_that_was_forgotten(place: Place, discord_: LoopbackDiscord) -> None:
    """OWN-07: its buttons are told to be too old, and go."""
    reply = await search(place.member, place.channel)
    await press(place.member, await look(place.member, place.channel), FORGET)
    inv = await press(place.member, reply, "Next")
    await discord_.until(lambda: bool(inv.followups))
    (told,) = inv.followups
    assert sentence(told) == "This search is too old for its buttons: search again with /search."
    assert reply.components == []


@pytest.mark.usefixtures("bot")
async def test_as_plain_text(place: Place) -> None:
    """OWN-08: all of it, with the same buttons."""
    place.channel.deny(place.guild.bot_role, Permission.EMBED_LINKS)
    reply = await look(place.member, place.channel)
    assert reply.embeds == []
    assert "**What is stored of you**\nNo replies whose buttons work" in reply.content
    await press(place.member, reply, FORGET)
    assert DONE in reply.content
    assert list(buttons(reply)) == [FORGET, PAUSE]


@pytest.mark.usefixtures("bot")
async def test_discord_that_fails(place: Place, discord_: LoopbackDiscord) -> None:
    """OWN-06: a connection that breaks is tried again, and what arrives twice is answered once."""
    discord_.drop(*CALLBACK)
    discord_.drop(*EDIT)
    inv = await place.member.invoke(place.channel, "searches")
    inv.deliver()
    assert USE in parts(await inv.reply())


async def test_in_german(run_bot: RunBot, place: Place) -> None:
    """OWN-01 OWN-03: each member reads it in their own language, also that a pause was lifted."""
    async with run_bot() as bot:
        await cog_of(bot).service.own.pause(place.member.id)
        reply = await (await place.member.invoke(place.channel, "searches", locale="de")).reply()
        assert reply.embeds[0]["title"] == "Deine Suchen"
        await (await place.member.press(reply, "Vergiss mich", locale="de")).reply()
        assert said(reply).startswith("Vergessen, und Chatbots dürfen wieder für dich suchen.")
