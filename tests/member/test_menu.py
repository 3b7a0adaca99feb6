"""Hold the entry of a message's menu, from the message to the reply."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any

import discord
import pytest
from discord import app_commands
from discord.ext import commands

from bots import Place, RunBot, buttons, cog_of, connected_bot, sentence, titles
from cogs.websearch import CommandTranslator, WebSearch
from cogs.websearch.i18n import Words
from cogs.websearch.playground.discord import NotOffered
from staff import QUERY, Staff, ask
from text import alive, hostile
from trouble import CALLBACK, counted, mistakes, rename_table, sent

if TYPE_CHECKING:
    from cogs.websearch.playground.discord import Channel, Invocation, LoopbackDiscord, Message
    from loopback_exa import LoopbackExa

NAME = "Search the web"
MESSAGE = discord.AppCommandType.message


async def use(place: Place, written: str, where: Channel | None = None) -> Invocation:
    """Let another member write something, and search for it."""
    return await place.member.use_menu(place.other.send(where or place.channel, written), NAME)


def asked(exa: LoopbackExa) -> list[str]:
    """List the queries that the engine was asked for."""
    return [str(call.json["query"]) for call in exa.requests]


def new_bot() -> commands.Bot:
    """Make a bot that is not connected."""
    return commands.Bot(command_prefix="!", intents=discord.Intents(guilds=True), help_command=None)


def entry(name: str) -> app_commands.ContextMenu:
    """Make an entry of the host's own."""

    async def own(interaction: discord.Interaction, message: discord.Message) -> None:
        """Do nothing."""

    return app_commands.ContextMenu(name=name, callback=own)


@pytest.mark.usefixtures("bot")
async def test_a_message_is_searched_for_privately(place: Place, exa: LoopbackExa, discord_: LoopbackDiscord) -> None:
    """MENU-01, MENU-03: its text is the query, the reply is for who asked alone, and its buttons work."""
    inv = await use(place, "<@1> what is a **quasar**? ```py\nnoise\n``` <:blob:2>")
    reply = await inv.reply()
    assert asked(exa) == ["what is a quasar?"]
    assert reply.ephemeral
    assert reply.embeds[0]["title"] == "what is a quasar?"
    assert len(titles(reply)) == 3
    assert [
        message for message in discord_.messages.values() if message.interaction is inv and not message.ephemeral
    ] == []
    await (await place.member.press(reply, "Next")).reply()
    assert len(titles(reply)) == 2
    assert "Share" in buttons(reply)


@pytest.mark.parametrize("kind", ["channel", "thread", "private thread", "forum post", "voice"])
@pytest.mark.usefixtures("bot")
async def test_it_works_in_every_kind_of_channel(staff: Staff, place: Place, kind: str) -> None:
    """MENU-01: in channels, threads, posts and voice channels."""
    where = staff.places[kind]
    message = place.member.send(where, QUERY)
    reply = await (await place.member.use_menu(message, NAME)).reply()
    assert reply.ephemeral
    assert titles(reply)


@pytest.mark.usefixtures("bot")
async def test_it_works_in_direct_messages(place: Place, discord_: LoopbackDiscord) -> None:
    """MENU-01: on what one wrote to the bot."""
    dm = discord_.open_dm(place.member.user)
    message = place.member.user.send(dm, QUERY)
    assert titles(await (await place.member.user.use_menu(message, NAME)).reply())


async def test_a_host_hears_where_it_came_from(bot: commands.Bot, place: Place) -> None:
    """MENU-01: the event of the search names the menu."""
    heard: asyncio.Queue[Any] = asyncio.Queue()

    async def listen(event: object) -> None:
        heard.put_nowait(event)

    bot.add_listener(listen, "on_web_search")
    await (await use(place, QUERY)).reply()
    event = await heard.get()
    assert (event.surface, event.asker.user_id, event.content.request.query) == ("menu", place.member.id, QUERY)


def holding(message: Message, **parts: object) -> Message:
    """Let a message hold what members can't write over a loopback Discord."""
    plain = message.payload
    message.payload = lambda: {**plain(), **parts}  # type: ignore[method-assign] # of this one message
    return message


def forwarded(**parts: object) -> dict[str, object]:
    """Make what a message holds that was forwarded."""
    empty: dict[str, object] = {
        "content": "",
        "embeds": [],
        "attachments": [],
        "type": 0,
        "flags": 0,
        "mentions": [],
        "mention_roles": [],
    }
    stamps: dict[str, object] = {"timestamp": "2026-11-30T12:00:00+00:00", "edited_timestamp": None, "components": []}
    return {"message": {**empty, **stamps, **parts}}


EMBED = {"type": "rich", "title": "A title", "description": "and what it says"}
POLL = {
    "question": {"text": "Which galaxy?"},
    "answers": [{"answer_id": 1, "poll_media": {"text": "Ours"}}],
    "expiry": "2026-12-01T12:00:00+00:00",
    "allow_multiselect": False,
    "layout_type": 1,
}


@pytest.mark.parametrize(
    ("written", "parts", "query"),
    [
        ("", {"embeds": [EMBED]}, "A title and what it says"),
        ("", {"embeds": [{"type": "image"}, EMBED]}, "A title and what it says"),
        ("said", {"embeds": [EMBED]}, "said"),
        ("", {"message_snapshots": [forwarded(content="forwarded <@1> words")]}, "forwarded words"),
        ("", {"message_snapshots": [forwarded(embeds=[EMBED])]}, "A title and what it says"),
        ("", {"poll": POLL}, "Which galaxy?"),
        ("<@1>", {"embeds": [EMBED]}, "A title and what it says"),
    ],
)
@pytest.mark.usefixtures("bot")
async def test_where_the_text_stands_elsewhere(
    place: Place, exa: LoopbackExa, written: str, parts: dict[str, object], query: str
) -> None:
    """MENU-02: what was forwarded, a poll's question and embeds are searched for where nothing was written."""
    message = holding(place.other.send(place.channel, written), **parts)
    await (await place.member.use_menu(message, NAME)).reply()
    assert asked(exa) == [query]


@pytest.mark.parametrize("written", ["", "<@123456789012345678>", "<:blob:1> <a:dance:2>", "``````"])
async def test_a_message_without_text(bot: commands.Bot, place: Place, exa: LoopbackExa, written: str) -> None:
    """MENU-02: that's said privately and at once, and nothing is searched or counted."""
    inv = await use(place, written)
    reply = await inv.reply()
    assert inv.callbacks[0]["type"] == 4
    assert sentence(reply) == "That message has no text to search for."
    assert reply.ephemeral
    assert (exa.requests, await counted(bot, place)) == ([], 0)


async def test_nothing_of_a_message_is_alive(run_bot: RunBot, settings: dict[str, object], place: Place) -> None:
    """MENU-03: whatever its author wrote, nothing in the reply pings, links or is marked up."""
    settings |= {"web-per-minute": 1000, "web-daily-per-user": 1000}
    async with run_bot():
        for written in hostile.MARKDOWN:
            reply = await (await use(place, f"look {written}")).reply()
            assert reply.ephemeral
            assert reply.pings == frozenset()
            assert alive.alive(reply.embeds[0]["title"]) == [], written


@pytest.mark.usefixtures("bot")
async def test_a_long_message(place: Place, exa: LoopbackExa) -> None:
    """MENU-04: a message of 2000 characters is cut to a query."""
    await (await use(place, "galaxies and " * 150)).reply()
    (query,) = asked(exa)
    assert 390 < len(query) <= 400


async def test_the_switch_and_the_limits_hold(
    run_bot: RunBot, settings: dict[str, object], staff: Staff, place: Place, exa: LoopbackExa
) -> None:
    """MENU-05: each is said privately, also where a message has no text, and what was searched counts."""
    settings["web-daily-per-user"] = 1
    async with run_bot() as bot:
        await ask(staff.moderator, staff.channel, "off")
        message = place.member.send(staff.channel, "")
        inv = await place.member.use_menu(message, NAME)
        assert sentence(await inv.reply()).startswith("Web search is off in this channel")
        assert inv.callbacks[0]["type"] == 4
        assert exa.requests == []
        assert titles(await (await use(place, QUERY)).reply())
        assert await counted(bot, place) == 1
        stopped = await (await use(place, QUERY)).reply()
        assert sentence(stopped).startswith("You can make 1 search a day")
        assert stopped.ephemeral
        assert len(exa.requests) == 1


@pytest.mark.usefixtures("bot", "no_mistakes")
async def test_a_message_that_is_asked_for_twice(place: Place, discord_: LoopbackDiscord, exa: LoopbackExa) -> None:
    """MENU-05: Discord tells it twice, and it's searched for and counted once."""
    inv = await use(place, QUERY)
    inv.deliver()
    assert titles(await inv.reply())
    assert len(exa.requests) == 1
    assert sent(discord_, CALLBACK, inv) == 1


@pytest.mark.usefixtures("bot")
async def test_a_database_that_fails(place: Place, settings: dict[str, object]) -> None:
    """MENU-05: that's said, and the next one works."""
    await rename_table(settings, "counter", "hidden")
    assert sentence(await (await use(place, QUERY)).reply()).startswith("The bot's database failed")
    await rename_table(settings, "hidden", "counter")
    assert titles(await (await use(place, QUERY)).reply())


async def test_a_fault_of_our_own(
    bot: commands.Bot, place: Place, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """MENU-09: the member reads one sentence, and the log says where without the message's text."""

    def break_(*_args: object, **_options: object) -> None:
        raise ZeroDivisionError(QUERY)

    monkeypatch.setattr(cog_of(bot).service, "prepare", break_)
    assert sentence(await (await use(place, QUERY)).reply()).startswith("Something went wrong in the bot")
    assert len(mistakes(caplog)) == 1
    assert QUERY not in caplog.text


@pytest.mark.parametrize("names", [[f"Entry {number}" for number in range(5)], [NAME]])
async def test_where_there_is_no_room(
    settings: dict[str, object], caplog: pytest.LogCaptureFixture, names: list[str]
) -> None:
    """MENU-06: only ours is left out, which the log says once and the status does; the host's own stay."""
    caplog.set_level(logging.INFO, "cogs.websearch")
    async with new_bot() as bot:
        own = [entry(name) for name in names]
        for one in own:
            bot.tree.add_command(one)
        cog = WebSearch(bot, settings)
        await bot.add_cog(cog)
        assert bot.tree.get_commands(type=MESSAGE) == own
        assert bot.tree.get_command("search") is not None
        (said,) = [record for record in caplog.records if "so ours is left out" in record.getMessage()]
        assert said.levelno == logging.INFO
        assert any("no room for “Search the web”" in line for line in await cog.report(Words()))
        await bot.remove_cog("WebSearch")
        assert bot.tree.get_commands(type=MESSAGE) == own


async def test_four_entries_leave_room(settings: dict[str, object]) -> None:
    """MENU-06, MENU-07: ours is the fifth, the status says nothing of it, and it goes as it came."""
    async with new_bot() as bot:
        own = [entry(f"Entry {number}") for number in range(4)]
        for one in own:
            bot.tree.add_command(one)
        cog = WebSearch(bot, settings)
        await bot.add_cog(cog)
        assert [one.name for one in bot.tree.get_commands(type=MESSAGE)] == [*(one.name for one in own), NAME]
        assert not any("no room" in line for line in await cog.report(Words()))
        await bot.remove_cog("WebSearch")
        await cog.cog_unload()
        assert bot.tree.get_commands(type=MESSAGE) == own


async def test_an_entry_that_took_its_place_stays(settings: dict[str, object]) -> None:
    """MENU-07: what a host has put in the place of ours isn't taken away with the cog."""
    async with new_bot() as bot:
        await bot.add_cog(WebSearch(bot, settings))
        own = entry(NAME)
        bot.tree.add_command(own, override=True)
        await bot.remove_cog("WebSearch")
        assert bot.tree.get_commands(type=MESSAGE) == [own]


async def test_a_load_that_fails_leaves_no_entry(settings: dict[str, object]) -> None:
    """MENU-07: neither one that fails by us, nor one that discord.py refuses afterwards."""
    async with new_bot() as bot:
        bot.tree.add_command(app_commands.Command(name="searches", description="-", callback=_nothing))
        with pytest.raises(Exception, match="searches"):
            await bot.add_cog(WebSearch(bot, settings))
        assert bot.tree.get_commands(type=MESSAGE) == []
        bot.tree.remove_command("searches")
        guild = discord.Object(1)
        with pytest.raises(TypeError):
            await bot.add_cog(WebSearch(bot, settings), guild=guild, guilds=[guild])
        await asyncio.sleep(0)
        others = asyncio.all_tasks() - {asyncio.current_task()}
        await asyncio.gather(*others, return_exceptions=True)
        assert bot.tree.get_commands(type=MESSAGE) == []
        assert bot.tree.get_commands(guild=guild, type=MESSAGE) == []


async def test_each_server_has_a_menu_of_its_own(settings: dict[str, object], caplog: pytest.LogCaptureFixture) -> None:
    """MENU-06, MENU-07: ours is left out of the full one alone, whatever is everywhere; a host's stay."""
    caplog.set_level(logging.INFO, "cogs.websearch")
    full, named, free = (discord.Object(number) for number in (1, 2, 3))
    async with new_bot() as bot:
        own: dict[discord.Object | None, list[app_commands.ContextMenu]] = {
            full: [entry(f"Entry {number}") for number in range(5)],
            named: [entry(NAME)],
            free: [],
            None: [entry(NAME), *(entry(f"Entry {number}") for number in range(4))],
        }
        for guild, entries in own.items():
            for one in entries:
                bot.tree.add_command(one, guild=guild)
        cog = WebSearch(bot, settings)
        await bot.add_cog(cog, guilds=[full, named, free])
        assert [one.name for one in bot.tree.get_commands(guild=free, type=MESSAGE)] == [NAME]
        said = [record.getMessage() for record in caplog.records if "so ours is left out" in record.getMessage()]
        assert ["in the server 1" in said[0], "in the server 2" in said[1], len(said)] == [True, True, 2]
        assert any("no room for “Search the web”" in line for line in await cog.report(Words()))
        await bot.remove_cog("WebSearch")
        for guild, entries in own.items():
            assert bot.tree.get_commands(guild=guild, type=MESSAGE) == entries


async def _nothing(interaction: discord.Interaction) -> None:
    """Do nothing."""


@pytest.mark.parametrize("allowed", [False, True])
async def test_it_is_offered_where_search_is(
    run_bot: RunBot, settings: dict[str, object], discord_: LoopbackDiscord, *, allowed: bool
) -> None:
    """MENU-08: installed to a member, it works where the bot is not, if the owner allows that, and not otherwise."""
    settings["web-user-install"] = allowed
    elsewhere = discord_.add_guild("Elsewhere", installed=False)
    reader, channel = elsewhere.add_member("reader"), elsewhere.add_text_channel("there")
    message = elsewhere.add_member("author").send(channel, QUERY)
    async with run_bot():
        synced = {command.name: command for command in discord_.commands.all()}
        assert synced[NAME].installs == synced["search"].installs == synced["searches"].installs
        assert synced[NAME].contexts == synced["search"].contexts == synced["searches"].contexts
        if not allowed:
            with pytest.raises(NotOffered):
                await reader.use_menu(message, NAME, user_install=True)
            return
        reply = await (await reader.use_menu(message, NAME, user_install=True)).reply()
        assert reply.ephemeral
        assert titles(reply)


async def test_its_name_is_translated(discord_: LoopbackDiscord, settings: dict[str, object]) -> None:
    """MENU-08: a German client shows it in German, where the bot translates."""
    async with connected_bot(discord_) as bot:
        await bot.tree.set_translator(CommandTranslator())
        await bot.add_cog(WebSearch(bot, settings, clock=discord_.clock.now))
        await bot.tree.sync()
        (synced,) = [one for one in discord_.commands.all() if one.name == NAME]
        assert synced.data["name_localizations"] == {"de": "Im Web suchen"}


async def test_an_unload_waits_for_it(bot: commands.Bot, place: Place, exa: LoopbackExa) -> None:
    """MENU-07: a search that's under way ends with a sentence where the cog is unloaded."""
    exa.hold()
    inv = await use(place, QUERY)
    await inv.acknowledged()
    await exa.received(1)
    await bot.remove_cog("WebSearch")
    # By then, and not some time later.
    assert inv.original is not None
    assert sentence(inv.original) == "Web search is being restarted: try again in a moment."
