"""Hold what the bundled bot's owner says to it by mention."""

from __future__ import annotations

import os
import re
import sqlite3
import threading
import time
from contextlib import closing
from typing import TYPE_CHECKING

import discord
import pytest
from hypothesis import given
from hypothesis import settings as profile
from hypothesis import strategies as st

from bots import Place, titles, write_config
from cogs.websearch import extension, limits, owner_commands
from cogs.websearch.i18n import Words
from cogs.websearch.playground.discord import Intent, LoopbackDiscord, Membership, Permission, Team
from owning import answer, bundled_bot, mention, told, written

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from cogs.websearch.bot import SearchBot
    from cogs.websearch.playground.discord import Member

NAMES = {"Search the web", "search", "searches", "websearch"}
USAGE = "Mention me with one of these:"
AGAIN = "Web search is loaded anew. Where its commands have changed, mention me with “sync everywhere”."


@pytest.fixture
def config(settings: dict[str, object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write the settings into the file that the bot reads."""
    path = write_config(tmp_path / "config.toml", settings)
    monkeypatch.setenv("WEBSEARCH_CONFIG", str(path))
    return path


@pytest.fixture
def owner(discord_: LoopbackDiscord, place: Place) -> Member:
    """Let the app's owner be a member of the server."""
    return place.guild.add_member(discord_.owner)


@pytest.fixture
async def bot(discord_: LoopbackDiscord, place: Place, owner: Member, config: Path) -> AsyncIterator[SearchBot]:
    """Run the bundled bot."""
    assert (place.guild.id, config.exists()) == (owner.guild.id, True)
    async with bundled_bot(discord_) as running:
        yield running


async def searched(place: Place) -> list[str]:
    """Search as a member, and return the titles."""
    return titles(await (await place.member.invoke(place.channel, "search", query="a galaxy far away")).reply())


async def test_its_owner_is_answered(bot: SearchBot, discord_: LoopbackDiscord, place: Place, owner: Member) -> None:
    """BOT-01: the owner's mention is answered in the channel, with intents that need nobody's leave."""
    assert (await told(discord_, owner, place.channel, "status")).startswith("discord-websearch ")
    (session,) = discord_.gateway.sessions.values()
    assert session.intents == Intent.GUILDS | Intent.GUILD_MESSAGES | Intent.DIRECT_MESSAGES
    assert not bot.intents.message_content


@pytest.mark.parametrize("role", ["admin", "developer"])
@pytest.mark.usefixtures("config")
async def test_a_team_is_answered(discord_: LoopbackDiscord, place: Place, role: str) -> None:
    """BOT-01: in a team, its owner is answered and whoever may change the app."""
    head = discord_.add_user("head")
    member = place.guild.add_member("colleague")
    discord_.team = Team(head)
    discord_.team.add(member.user, role)
    async with bundled_bot(discord_):
        for who in (member, place.guild.add_member(head)):
            assert (await told(discord_, who, place.channel, "status")).startswith("discord-websearch ")


@pytest.mark.usefixtures("config")
async def test_the_rest_of_a_team_is_not_answered(discord_: LoopbackDiscord, place: Place) -> None:
    """BOT-02: who may only look at the app, and who hasn't joined the team, are answered no more than anybody."""
    head = place.guild.add_member(discord_.add_user("head"))
    reader, invited = place.guild.add_member("reader of figures"), place.guild.add_member("invited")
    discord_.team = Team(head.user)
    discord_.team.add(reader.user, "read_only")
    discord_.team.add(invited.user, "admin", Membership.INVITED)
    async with bundled_bot(discord_):
        for who in (reader, invited):
            mention(discord_, who, place.channel, "status")
        assert (await told(discord_, head, place.channel, "nonsense")).startswith(USAGE)
        assert len(written(discord_, place.channel)) == 1


@pytest.mark.usefixtures("config")
async def test_a_team_may_change(discord_: LoopbackDiscord, place: Place) -> None:
    """BOT-01, BOT-02: who has left the team is obeyed no more, and who joined is once somebody else was."""
    head, leaving, joining = (place.guild.add_member(name) for name in ("head", "leaving", "joining"))
    discord_.team = Team(head.user)
    discord_.team.add(leaving.user, "developer")
    async with bundled_bot(discord_):
        discord_.team = Team(head.user)
        discord_.team.add(joining.user, "developer")
        mention(discord_, leaving, place.channel, "status")
        assert (await told(discord_, head, place.channel, "nonsense")).startswith(USAGE)
        assert (await told(discord_, joining, place.channel, "nonsense")).startswith(USAGE)
        assert len(written(discord_, place.channel)) == 2


@pytest.mark.usefixtures("bot")
async def test_an_owner_is_answered_where_discord_doesnt_say_who_that_is(
    discord_: LoopbackDiscord, place: Place, owner: Member
) -> None:
    """BOT-01: what was known last counts while Discord fails to answer."""
    discord_.fail("GET", "/applications/@me$", status=503)
    assert (await told(discord_, owner, place.channel, "nonsense")).startswith(USAGE)


@pytest.mark.usefixtures("bot")
async def test_nobody_else_is_answered(discord_: LoopbackDiscord, place: Place, owner: Member) -> None:
    """BOT-02: neither members, moderators and other bots nor webhooks, edits and later mentions bring any request."""
    other_bot = place.guild.add_member(discord_.add_user("another bot", bot=True), permissions=Permission.ADMINISTRATOR)
    before = len(discord_.requests)
    for who in (place.member, place.moderator, other_bot):
        mention(discord_, who, place.channel, "status")
    edited = owner.send(place.channel, "nothing")
    edited.edit({"content": f"<@{discord_.bot.id}> status"})
    owner.send(place.channel, f"look, <@{discord_.bot.id}> status")
    owner.send(place.channel, "")
    forged = edited.payload() | {"id": str(discord_.ids.next()), "content": f"<@{discord_.bot.id}> status"}
    forged |= {"webhook_id": str(discord_.ids.next()), "guild_id": str(place.guild.id)}
    discord_.gateway.send("MESSAGE_CREATE", forged, guild_id=place.guild.id)
    # Messages are heard in order: what comes last is answered first.
    assert (await told(discord_, owner, place.channel, "nonsense")).startswith(USAGE)
    assert [str(request) for request in discord_.requests[before:]] == [
        "GET /oauth2/applications/@me",
        f"POST /channels/{place.channel.id}/messages",
    ]


@profile(max_examples=200, deadline=None)
@given(st.text(max_size=60), st.sampled_from(["", "<@42>", "<@!42>", "<@&42>", "<@421>"]), st.text(max_size=60))
def test_any_message_is_read(before: str, mentioned: str, after: str) -> None:
    """BOT-02: of any text, what follows a mention at the start is read, and nothing else."""
    said = owner_commands.addressed(f"{before}{mentioned}{after}", 42)
    mentions = not before.strip() and mentioned in {"<@42>", "<@!42>"} and after[:1].strip() == ""
    assert said == (after.split() if mentions else None)


@pytest.mark.parametrize("said", ["", "help", "sync @everyone", "sync here now", "reload everything", "status?"])
@pytest.mark.usefixtures("bot")
async def test_what_is_no_command_is_answered_by_the_list(
    discord_: LoopbackDiscord, place: Place, owner: Member, said: str
) -> None:
    """BOT-03: anything else brings the list of commands, in which nothing that was said is repeated."""
    listed = await told(discord_, owner, place.channel, said)
    assert [line.split("“")[1].split("”")[0] for line in listed.splitlines()[1:]] == [
        "sync everywhere",
        "sync here",
        "reload",
        "status",
    ]
    assert "@everyone" not in listed


@pytest.mark.parametrize("said", ["sync", "sync everywhere", "SYNC   Everywhere"])
@pytest.mark.usefixtures("bot")
async def test_sync_everywhere(discord_: LoopbackDiscord, place: Place, owner: Member, said: str) -> None:
    """BOT-04: the commands for all servers are replaced, and counted."""
    for command in discord_.commands.all():
        discord_.commands.delete(None, command.id)
    said_back = await told(discord_, owner, place.channel, said)
    assert {command.name for command in discord_.commands.all()} == NAMES
    assert said_back == (
        "Discord knows 4 commands for all servers and direct messages now. Whoever doesn't see them reloads Discord."
    )


@pytest.mark.usefixtures("bot")
async def test_sync_here_and_clear(discord_: LoopbackDiscord, place: Place, owner: Member) -> None:
    """BOT-05: a server gets a copy of its own that works, also after a reload, and is rid of it again."""
    said = await told(discord_, owner, place.channel, "sync here")
    assert said.startswith("This server has its own copy of 4 commands now.")
    assert {command.name for command in discord_.commands.all(place.guild.id)} == NAMES
    assert await searched(place)
    assert await told(discord_, owner, place.channel, "reload") == AGAIN
    assert await searched(place)
    said = await told(discord_, owner, place.channel, "sync clear")
    assert said.startswith("This server has no copy of my commands any more.")
    assert discord_.commands.all(place.guild.id) == []
    assert {command.name for command in discord_.commands.all()} == NAMES


@pytest.mark.parametrize("said", ["sync here", "sync clear"])
@pytest.mark.usefixtures("bot")
async def test_a_copy_takes_a_server(discord_: LoopbackDiscord, said: str) -> None:
    """BOT-05: in direct messages there's no server to give a copy to."""
    dm = discord_.open_dm(discord_.owner)
    assert await told(discord_, discord_.owner, dm, said) == (
        "That's for a server: mention me in one, or say “sync everywhere”."
    )


@pytest.mark.usefixtures("bot")
async def test_reload_takes_on_the_configuration(
    discord_: LoopbackDiscord,
    place: Place,
    owner: Member,
    config: Path,
    settings: dict[str, object],
    tmp_path: Path,
) -> None:
    """BOT-06: after a reload another database is used, for which nothing else does but a restart."""
    database = tmp_path / "another.db"
    write_config(config, settings | {"web-database": str(database)})
    assert await told(discord_, owner, place.channel, "reload") == AGAIN
    assert database.exists()
    assert await searched(place)


@pytest.mark.usefixtures("bot")
async def test_a_reload_from_a_pipe(
    discord_: LoopbackDiscord, place: Place, owner: Member, config: Path, settings: dict[str, object]
) -> None:
    """BOT-06: a file that has become a pipe, which would be waited for, is refused, and the next reload goes well."""
    config.unlink()
    os.mkfifo(config)
    said = await told(discord_, owner, place.channel, "reload")
    assert "config.toml is no file any more, but a pipe or a device" in said
    assert said.endswith("Web search goes on as before.")
    assert await searched(place)
    config.unlink()
    write_config(config, settings)
    assert await told(discord_, owner, place.channel, "reload") == AGAIN


@pytest.mark.usefixtures("bot")
async def test_a_reload_from_a_drive_that_hangs(
    discord_: LoopbackDiscord, place: Place, owner: Member, monkeypatch: pytest.MonkeyPatch
) -> None:
    """BOT-06: a file that can't be read in time keeps nobody from searching, and the owner reads so."""
    go_on = threading.Event()

    def hang(_path: Path) -> None:
        assert go_on.wait(30)

    # No test has a network drive at hand.
    monkeypatch.setattr(extension, "_read", hang)
    monkeypatch.setattr(extension, "_PATIENCE", 0.01)
    try:
        said = await told(discord_, owner, place.channel, "reload")
        assert "config.toml can't be read, since whatever holds it doesn't answer" in said
        assert await searched(place)
    finally:
        go_on.set()


@pytest.mark.usefixtures("bot")
async def test_a_configuration_that_cant_be_used_is_not_reloaded(
    discord_: LoopbackDiscord, place: Place, owner: Member, config: Path, settings: dict[str, object]
) -> None:
    """BOT-06: the owner reads what's wrong, but no folder, and members go on searching."""
    write_config(config, settings | {"web-backend": "/srv/secret/place"})
    said = await told(discord_, owner, place.channel, "reload")
    assert "web-backend" in said
    assert "secret" not in said
    assert str(config.parent) not in said
    assert said.endswith("Web search goes on as before.")
    assert await searched(place)


async def test_a_reload_that_fails_is_told_and_the_next_one_repairs_it(
    bot: SearchBot, discord_: LoopbackDiscord, place: Place, owner: Member, config: Path, settings: dict[str, object]
) -> None:
    """BOT-07: where no database can be opened, the owner reads that there's no search, until a reload finds one."""
    write_config(config, settings | {"web-database": "/"})
    said = await told(discord_, owner, place.channel, "reload")
    assert said.startswith("The database / can't be used")
    assert said.endswith("There's no web search until that's mended and I'm told to “reload” again.")
    assert bot.cogs == {}
    assert "Web search isn't loaded" in await told(discord_, owner, place.channel, "status")
    # A bot without commands would take them away from Discord.
    for where in ("everywhere", "here"):
        assert (await told(discord_, owner, place.channel, f"sync {where}")).startswith("Web search isn't loaded")
    assert {command.name for command in discord_.commands.all()} == NAMES
    write_config(config, settings)
    assert await told(discord_, owner, place.channel, "reload") == AGAIN
    assert await searched(place)


async def test_code_that_cant_be_loaded_leaves_the_old_one(
    bot: SearchBot,
    discord_: LoopbackDiscord,
    place: Place,
    owner: Member,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """BOT-07: where the new code is broken, the one before is loaded again, and the log says what's broken."""
    import sys  # noqa: PLC0415 - what follows breaks imports, for this test alone

    class Breaking:
        """Find a broken module in place of the cog's."""

        @staticmethod
        def find_spec(name: str, *_: object) -> None:
            if name == "cogs.websearch.cog":
                message = "made to fail"
                raise SyntaxError(message)

    with monkeypatch.context() as broken:
        broken.setattr(sys, "meta_path", [Breaking, *sys.meta_path])
        said = await told(discord_, owner, place.channel, "reload")
    assert said == (
        "The code can't be loaded (SyntaxError): the bot's log says where it fails.\nWeb search goes on as before."
    )
    assert "made to fail" in caplog.text
    assert set(bot.cogs) == {"WebSearch"}
    assert await searched(place)
    assert await told(discord_, owner, place.channel, "reload") == AGAIN


async def test_two_reloads_at_once_are_made_in_turn(
    bot: SearchBot, discord_: LoopbackDiscord, place: Place, owner: Member
) -> None:
    """BOT-07: an impatient owner gets two answers, and the bot has one cog."""
    for _ in range(2):
        mention(discord_, owner, place.channel, "reload")
    await discord_.until(lambda: len(written(discord_, place.channel)) == 2)
    assert [message.content for message in written(discord_, place.channel)] == [AGAIN] * 2
    assert set(bot.cogs) == {"WebSearch"}
    assert await searched(place)


@pytest.mark.usefixtures("bot")
async def test_status(
    discord_: LoopbackDiscord, place: Place, owner: Member, settings: dict[str, object], config: Path
) -> None:
    """BOT-08: everything that the owner may want to know is there, and nothing that others may not."""
    await searched(place)
    said = await told(discord_, owner, place.channel, "status")
    # The bot's own clock is Discord's, which stands still; the cog that it loaded itself reads the machine's.
    began, now = int(discord_.clock.now()), time.time()
    assert [moment for moment in map(int, re.findall(r"<t:(\d+):R>", said)) if not began <= moment <= now] == []
    # How long a search took, and in which second, is the machine's business.
    said = re.sub(r"<t:\d+:R>", "now", re.sub(r"takes [\d.]+ s", "takes 0 s", said))
    assert said.splitlines()[1:] == [
        "Started now",
        "In 1 server",
        "Commands for all servers: Search the web, search, searches, websearch; synced now",
        "Engine: Exa",
        "usually takes 0 s · last answered now · 0.007 US dollars today",
        "Database: it answers.",
        "Today: 1 search, 0.007 US dollars",
        "Configuration: all of it is in force.",
    ]
    assert discord.__version__ in said.splitlines()[0]
    assert str(settings["exa-api-key"]) not in said
    assert str(config.parent) not in said


@pytest.mark.usefixtures("bot")
async def test_status_names_a_token_that_waits(
    discord_: LoopbackDiscord, place: Place, owner: Member, settings: dict[str, object], config: Path
) -> None:
    """BOT-20: a reload reads a new token but can't connect with it, and the owner reads that it waits for a restart."""
    write_config(config, settings | {"discord-token": "another-token"})
    assert await told(discord_, owner, place.channel, "reload") == AGAIN
    said = await told(discord_, owner, place.channel, "status")
    assert said.splitlines()[-1] == "Changed by the bot's owner, but used only after a restart: discord-token"
    assert "all of it is in force" not in said
    write_config(config, settings | {"discord-token": discord_.token})
    assert await told(discord_, owner, place.channel, "reload") == AGAIN
    assert "Configuration: all of it is in force." in await told(discord_, owner, place.channel, "status")


@pytest.mark.usefixtures("bot")
async def test_status_names_keys_that_arent_read(
    discord_: LoopbackDiscord, place: Place, owner: Member, config: Path
) -> None:
    """BOT-21: where a key that's probably meant for the search isn't read, the owner reads which, and no folder."""
    config.write_text("enable_web_search = true\nexa_api_key = 'J5hY1nBs0Gc4Ue8Dq7T'\n", "utf-8")
    assert await told(discord_, owner, place.channel, "reload") == AGAIN
    said = await told(discord_, owner, place.channel, "status")
    assert "Web search is switched off everywhere" in said
    assert (
        r"The configuration: enable\_web\_search isn't read by the web search. If it's meant for that, write "
        "enable-web-search."
    ) in said
    assert "J5hY1nBs0Gc4Ue8Dq7T" not in said
    assert str(config.parent) not in said


@pytest.mark.usefixtures("config")
async def test_status_names_what_a_sync_would_delete(discord_: LoopbackDiscord, place: Place, owner: Member) -> None:
    """BOT-08, BOT-11: while the app has another bot's commands, its owner reads which, and a sync ends that."""
    for number in range(40):
        discord_.commands.upsert(None, {"name": f"another_bots_command_{number}", "description": "Not ours", "type": 1})
    async with bundled_bot(discord_):
        said = await told(discord_, owner, place.channel, "status")
        assert (
            "Commands: not synced. Mentioned with “sync everywhere”, I'd delete this app's others: "
            r"another\_bots\_command\_0, "
        ) in said
        await told(discord_, owner, place.channel, "sync everywhere")
        said = await told(discord_, owner, place.channel, "status")
        assert "Commands for all servers: Search the web, search, searches, websearch; " in said


async def test_status_of_a_bot_in_trouble(
    bot: SearchBot, discord_: LoopbackDiscord, place: Place, owner: Member, settings: dict[str, object]
) -> None:
    """BOT-08: a database that fails is told, and so is a permission that a server doesn't grant."""
    with closing(sqlite3.connect(str(settings["web-database"]))) as vandal:
        vandal.execute("DROP TABLE counter")
    place.guild.everyone.permissions &= ~Permission.EMBED_LINKS
    discord_.emit(
        "GUILD_ROLE_UPDATE",
        {"guild_id": str(place.guild.id), "role": place.guild.everyone.payload()},
        guild=place.guild,
    )
    said = (await told(discord_, owner, place.channel, "status")).splitlines()
    assert "Database: it fails, and the bot's log says why." in said
    assert said[-1] == "- Library: Embed Links"
    assert len(bot.guilds) == 1


@pytest.mark.usefixtures("config")
async def test_missing_permissions_are_logged_once(
    discord_: LoopbackDiscord, place: Place, caplog: pytest.LogCaptureFixture
) -> None:
    """BOT-14: however often the bot connects anew, the log names the servers once."""
    place.guild.everyone.permissions &= ~Permission.SEND_MESSAGES
    async with bundled_bot(discord_) as bot:
        # Until the servers have come.
        await bot.wait_until_ready()
        await bot.on_ready()
        await bot.on_ready()
    assert caplog.text.count("lacks permissions") == 1


@pytest.mark.usefixtures("config")
async def test_a_status_of_hundreds_of_servers_fits(discord_: LoopbackDiscord, place: Place, owner: Member) -> None:
    """BOT-09: the servers that don't fit are counted, and their names, whatever they are, do nothing."""
    for number in range(300):
        guild = discord_.add_guild(f"@everyone **<@{owner.id}>** `{number}` [a](https://example.org) " + "x" * 60)
        guild.everyone.permissions = Permission(0)
    async with bundled_bot(discord_):
        said = await told(discord_, owner, place.channel, "status")
    assert len(said) <= limits.MESSAGE_CONTENT
    shown = [line for line in said.splitlines() if line.startswith("- ")]
    assert said.splitlines()[-1] == f"… and {300 - len(shown)} more"
    assert all(line.startswith(r"- \@everyone \*\*") for line in shown)


@profile(max_examples=100, deadline=None)
@given(st.lists(st.text(max_size=400), max_size=300))
def test_any_lines_fit(lines: list[str]) -> None:
    """BOT-09: what is joined fits into a message, and says how much was left out."""
    said = owner_commands.fit(lines, Words())
    assert len(said) <= limits.MESSAGE_CONTENT
    if said != "\n".join(lines):
        kept, _, last = said.rpartition("\n")
        left = int(last.split(" ")[2].replace(",", ""))
        assert kept == "\n".join(lines[: len(lines) - left])


@pytest.mark.usefixtures("bot")
async def test_the_language_is_the_servers(discord_: LoopbackDiscord) -> None:
    """BOT-10: a German server reads German, a direct message is English."""
    guild = discord_.add_guild("Bibliothek", locale="de")
    owner, channel = guild.add_member(discord_.owner), guild.add_text_channel("allgemein")
    assert (await told(discord_, owner, channel, "hilfe")).startswith("Erwähne mich mit einem dieser Wörter:")
    dm = discord_.open_dm(discord_.owner)
    assert (await told(discord_, discord_.owner, dm, "hilfe")).startswith(USAGE)


@pytest.mark.usefixtures("bot")
async def test_where_it_may_not_write_the_owner_is_written_to(
    discord_: LoopbackDiscord, place: Place, owner: Member
) -> None:
    """BOT-10: in a channel where the bot may not write, its owner is answered by direct message."""
    place.channel.deny(place.guild.bot_role, Permission.SEND_MESSAGES)
    mention(discord_, owner, place.channel, "status")
    dm = discord_.open_dm(discord_.owner)
    assert (await answer(discord_, dm, before=0)).startswith("discord-websearch ")
    assert written(discord_, place.channel) == []


@pytest.mark.usefixtures("bot")
async def test_an_owner_who_cant_be_answered_at_all_is_logged(
    discord_: LoopbackDiscord, place: Place, owner: Member, caplog: pytest.LogCaptureFixture
) -> None:
    """BOT-10: an owner who takes no direct messages either finds a line in the log, and the bot goes on."""
    discord_.owner.open_to_messages = False
    place.channel.deny(place.guild.bot_role, Permission.SEND_MESSAGES)
    mention(discord_, owner, place.channel, "status")
    await discord_.until(lambda: sum(request.status == 403 for request in discord_.requests) == 2)
    elsewhere = place.guild.add_text_channel("elsewhere")
    assert (await told(discord_, owner, elsewhere, "nonsense")).startswith(USAGE)
    assert "the owner can be answered neither where they asked nor by direct message" in caplog.text


@pytest.mark.usefixtures("config")
async def test_shards(discord_: LoopbackDiscord, place: Place, owner: Member, monkeypatch: pytest.MonkeyPatch) -> None:
    """BOT-18: told to split its servers over two connections, the bot does, and its status counts them."""

    async def at_once(_client: discord.Client, _shard_id: int | None, *, initial: bool = False) -> None:
        """Leave out the five seconds that Discord asks for between two connections, and the stand-in doesn't."""

    monkeypatch.setattr(discord.Client, "before_identify_hook", at_once)
    discord_.gateway.shards = 2
    async with bundled_bot(discord_):
        assert "In 1 server, on 2 connections" in await told(discord_, owner, place.channel, "status")


@pytest.mark.usefixtures("bot")
async def test_a_server_without_the_scope(discord_: LoopbackDiscord, place: Place, owner: Member) -> None:
    """BOT-19: where the invitation had no commands, the owner gets the address that invites the bot anew."""
    discord_.fail("PUT", r"/guilds/\d+/commands$", status=403, code=50001)
    said = await told(discord_, owner, place.channel, "sync here")
    assert said == (
        "I may not have commands in this server: invite me again with the address that my log names at each start."
    )


@pytest.mark.parametrize(
    ("status", "code", "said"),
    [
        (503, 0, "Discord fails with error 503: look at its status page, and try again in a few minutes."),
        (400, 50035, "Discord doesn't take my commands: my log says why."),
        (400, 30034, "Discord refuses the bot with error 400: look at the app's page on Discord, then try again."),
    ],
)
@pytest.mark.usefixtures("bot")
async def test_a_sync_that_discord_refuses(
    discord_: LoopbackDiscord, place: Place, owner: Member, status: int, code: int, said: str
) -> None:
    """BOT-19: whatever Discord answers, the owner reads a sentence."""
    discord_.fail("PUT", r"/commands$", status=status, code=code)
    assert await told(discord_, owner, place.channel, "sync everywhere") == said
