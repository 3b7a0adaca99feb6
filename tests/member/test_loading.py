"""Hold that the cog loads in one line, and leaves nothing behind."""

from __future__ import annotations

import asyncio
import gc
import shutil
import sqlite3
import sys
import threading
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import discord
import discord.ext.test as dpytest
import pytest
from discord import app_commands
from discord.ext import commands

import cogs.websearch
from bots import Place, connected_bot, titles, write_config
from cogs.websearch import WebSearch, errors, presses
from cogs.websearch.playground.discord import Clock, LoopbackDiscord, NotOffered, connect

if TYPE_CHECKING:
    from loopback_exa import LoopbackExa

EXTENSION = "cogs.websearch"
PACKAGE = Path(cogs.websearch.__file__).parent
WARM = 40
NAMES = {"Search the web", "search", "searches", "websearch"}


@pytest.fixture
def config(settings: dict[str, object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write the settings into the file that `load_extension` reads."""
    path = write_config(tmp_path / "config.toml", settings)
    monkeypatch.setenv("WEBSEARCH_CONFIG", str(path))
    return path


def new_bot(kind: type[commands.Bot] = commands.Bot) -> commands.Bot:
    """Make a bot that is not connected."""
    return kind(command_prefix="!", intents=discord.Intents(guilds=True), help_command=None)


def traces(bot: commands.Bot) -> dict[str, object]:
    """List what a cog could leave behind in a bot and in this process."""
    return {
        "commands": [command.name for command in bot.tree.get_commands()],
        "cogs": list(bot.cogs),
        "extensions": list(bot.extensions),
        "dynamic items": list(bot._connection._view_store._dynamic_items.values()),  # noqa: SLF001 - no public list
        "threads": {thread.name for thread in threading.enumerate() if "aiosqlite" in thread.name.lower()},
        "tasks": {task.get_name() for task in asyncio.all_tasks() if task is not asyncio.current_task()},
    }


def descriptors() -> int:
    """Count the open file descriptors of this process."""
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


def living() -> int:
    """Count the objects of this process that Python keeps track of, once it has collected what it can."""
    gc.collect()
    return len(gc.get_objects())


@pytest.mark.usefixtures("config")
@pytest.mark.parametrize("kind", [commands.Bot, commands.AutoShardedBot])
async def test_it_loads_reloads_and_unloads_without_a_trace(kind: type[commands.Bot]) -> None:
    """LOAD-01: the command is there once loaded, and after unloading everything is as before."""
    async with new_bot(kind) as bot:
        before = traces(bot)
        for _ in range(3):
            await bot.load_extension(EXTENSION)
            assert {command.name for command in bot.tree.get_commands()} == NAMES
            await bot.reload_extension(EXTENSION)
            await bot.unload_extension(EXTENSION)
            await asyncio.sleep(0)
            assert traces(bot) == before


@pytest.mark.timeout(600)
@pytest.mark.usefixtures("config")
async def test_a_hundred_times_leave_nothing() -> None:
    """FLT-26: load, reload and unload a hundred times: no thread, task, descriptor or item stays, nor more memory."""
    async with new_bot() as bot:

        async def cycle() -> None:
            await bot.load_extension(EXTENSION)
            await bot.reload_extension(EXTENSION)
            await bot.unload_extension(EXTENSION)
            await asyncio.sleep(0)

        # Caches of Python's own fill first, such as those of `typing`, which hold the last things that were asked for.
        for _ in range(WARM):
            await cycle()
        before, files, objects = traces(bot), descriptors(), living()
        for _ in range(100 - WARM):
            await cycle()
        assert traces(bot) == before
        assert descriptors() <= files
        # A single copy of the package has more.
        assert living() - objects < 2000


def own_command(name: str) -> app_commands.Command[Any, ..., Any]:
    """Make a plain command of the host's own."""

    async def own(interaction: discord.Interaction) -> None:
        """Do nothing."""

    return app_commands.Command(name=name, description="The host's own", callback=own)


def own_group(name: str) -> app_commands.Group:
    """Make a group of the host's own."""
    return app_commands.Group(name=name, description="The host's own")


@pytest.mark.usefixtures("config")
@pytest.mark.parametrize("kind", [commands.Bot, commands.AutoShardedBot])
@pytest.mark.parametrize("name", ["search", "searches", "websearch"])
@pytest.mark.parametrize("theirs", ["command", "group", "cog"])
@pytest.mark.parametrize("extension", [True, False])
async def test_a_clash_names_the_command_and_leaves_nothing(
    settings: dict[str, object], kind: type[commands.Bot], name: str, theirs: str, *, extension: bool
) -> None:
    """LOAD-02, FLT-27: whichever name is taken, and by what, the host's own stays and the error says which it is."""
    async with new_bot(kind) as bot:
        if theirs == "cog":

            class Own(commands.Cog):
                own = own_group(name)

            await bot.add_cog(Own())
        else:
            bot.tree.add_command(own_command(name) if theirs == "command" else own_group(name))
        before, own = traces(bot), bot.tree.get_command(name)
        with pytest.raises(commands.ExtensionFailed if extension else errors.CommandClash) as caught:
            await (bot.load_extension(EXTENSION) if extension else bot.add_cog(WebSearch(bot, settings)))
        # A load brings the package's classes anew, so that the error is known by its key.
        clash: Any = getattr(caught.value, "original", caught.value)
        assert (clash.key, clash.name) == ("command-clash", name)
        assert f"a command named {name} already" in str(clash)
        assert traces(bot) == before
        assert bot.tree.get_command(name) is own
        assert not Path(str(settings["web-database"])).exists()


async def test_a_second_cog_leaves_the_first(settings: dict[str, object]) -> None:
    """FLT-27: a cog that is there already is refused by discord.py, and goes on."""
    async with new_bot() as bot:
        await bot.add_cog(WebSearch(bot, settings))
        before = traces(bot)
        with pytest.raises(discord.ClientException):
            await bot.add_cog(WebSearch(bot, settings))
        await asyncio.sleep(0)
        assert traces(bot) == before


async def test_a_full_command_tree_leaves_nothing(settings: dict[str, object]) -> None:
    """LOAD-02: where Discord's hundred commands are taken, nothing stays open."""
    async with new_bot() as bot:

        async def nothing(interaction: discord.Interaction) -> None:
            """Do nothing."""

        # One place is left, and the cog needs three.
        for number in range(99):
            bot.tree.add_command(app_commands.Command(name=f"own-{number}", description="-", callback=nothing))
        before = traces(bot)
        with pytest.raises(errors.CommandsFull):
            await bot.add_cog(WebSearch(bot, settings))
        assert traces(bot) == before


async def test_unloading_twice_does_no_harm(settings: dict[str, object]) -> None:
    """LOAD-01: closing what is closed is no error, and nothing is left either time."""
    async with new_bot() as bot:
        before = traces(bot)
        cog = WebSearch(bot, settings)
        await bot.add_cog(cog)
        await bot.remove_cog(cog.qualified_name)
        assert traces(bot) == before
        await cog.cog_unload()
        assert traces(bot) == before


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        ({"exa-api-key": ""}, errors.KeyNeeded),
        ({"web-result": 3}, errors.UnknownKey),
        ({"web-results": 0}, errors.InvalidValue),
        ({"web-results": True}, errors.InvalidValue),
        ({"web-database": "/"}, errors.DatabaseUnusable),
        ({"web-database": "/nowhere/at/all.db"}, errors.DatabaseUnusable),
        ({"web-database": __file__}, errors.DatabaseUnusable),
    ],
)
async def test_what_cant_be_used_keeps_it_from_loading(
    settings: dict[str, object], change: dict[str, object], kind: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    """LOAD-04: the owner gets an error of its own kind, and nothing is left open."""
    monkeypatch.delenv("EXA_API_KEY", raising=False)
    async with new_bot() as bot:
        before = traces(bot)
        with pytest.raises(kind):
            await bot.add_cog(WebSearch(bot, settings | change))
        assert traces(bot) == before


async def test_a_missing_file_is_said_by_load_extension(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """LOAD-04: a configuration that is not there is an error with its path."""
    monkeypatch.setenv("WEBSEARCH_CONFIG", str(tmp_path / "missing.toml"))
    async with new_bot() as bot:
        before = traces(bot)
        with pytest.raises(commands.ExtensionFailed) as caught:
            await bot.load_extension(EXTENSION)
        assert str(caught.value.original).startswith("There's no configuration at ")
        assert traces(bot) == before


@pytest.mark.usefixtures("config")
async def test_a_host_loads_it_in_one_line(discord_: LoopbackDiscord, place: Place) -> None:
    """LOAD-01: `load_extension` and a sync of the host's own are all that a search needs."""
    async with connected_bot(discord_) as bot:
        await bot.load_extension(EXTENSION)
        await bot.tree.sync()
        reply = await (await place.member.invoke(place.channel, "search", query="one line is enough")).reply()
        assert titles(reply)


async def test_a_mapping_is_enough(discord_: LoopbackDiscord, place: Place, settings: dict[str, object]) -> None:
    """LOAD-03: a host that holds its own configuration hands it over, in a table of its own or not."""
    async with connected_bot(discord_) as bot:
        await bot.add_cog(WebSearch(bot, {"prefix": "!", "websearch": settings}))
        await bot.tree.sync()
        assert titles(await (await place.member.invoke(place.channel, "search", query="from a mapping")).reply())


class Sharded(commands.AutoShardedBot):
    """Be a bot of several shards that may all identify at once."""

    async def before_identify_hook(self, _shard_id: int | None, *, initial: bool = False) -> None:
        """Wait for nothing, as the stand-in for Discord doesn't ask for it."""


async def test_a_bot_of_several_shards_searches_in_each(settings: dict[str, object]) -> None:
    """FLT-28: servers of two shards, and direct messages, each get their results, and their buttons work."""
    async with LoopbackDiscord(Clock(), shards=2) as discord_:
        guilds = [discord_.add_guild("Library")]
        while {(guild.id >> 22) % 2 for guild in guilds} != {0, 1}:
            discord_.clock.advance(0.001)
            guilds.append(discord_.add_guild("Another library"))
        readers = [guild.add_member("reader") for guild in guilds]
        asking = [(reader, guild.add_text_channel("general")) for reader, guild in zip(readers, guilds, strict=True)]
        direct = readers[0].user
        with connect(discord_):
            async with connected_bot(discord_, cast("type[commands.Bot]", Sharded)) as bot:
                await bot.add_cog(WebSearch(bot, settings, clock=discord_.clock.now))
                await bot.tree.sync()
                for who, where in (*asking, (direct, discord_.open_dm(direct))):
                    reply = await (await who.invoke(where, "search", query="a bot of several shards")).reply()
                    assert titles(reply)
                    await (await who.press(reply, "Next")).reply()
                    assert "page 2 of 2" in reply.embeds[0]["description"]
        assert [str(problem) for problem in discord_.problems] == []


async def test_it_lives_beside_prefix_commands(settings: dict[str, object]) -> None:
    """LOAD-05: a host's own prefix commands answer with the cog loaded, and no message makes the cog speak."""
    intents = discord.Intents(guilds=True, members=True, messages=True, message_content=True)
    async with commands.Bot(command_prefix="!", intents=intents) as bot:

        @bot.command()
        async def ping(ctx: commands.Context[commands.Bot]) -> None:
            await ctx.send("pong")

        await bot._async_setup_hook()  # noqa: SLF001 - dpytest asks for it
        await bot.add_cog(WebSearch(bot, settings))
        dpytest.configure(bot, members=2)
        await dpytest.message("!ping")
        assert dpytest.verify().message().content("pong")
        await dpytest.message("search the web for me")
        assert dpytest.verify().message().nothing()
        await bot.remove_cog(presses.COG_NAME)
        await dpytest.empty_queue()
        # What dpytest puts in its place has no connection that could be closed.
        bot.ws = None  # type: ignore[assignment]


@pytest.mark.parametrize("own_init", [False, True])
async def test_the_folder_drops_into_a_host(
    tmp_path: Path, settings: dict[str, object], exa: LoopbackExa, *, own_init: bool
) -> None:
    """LOAD-05: copied into a host's own `cogs/`, with or without `__init__.py`, it loads by the host's name for it."""
    host = tmp_path / "host"
    ignore = shutil.ignore_patterns("__pycache__")
    shutil.copytree(PACKAGE, host / "cogs" / "websearch", ignore=ignore)
    (host / "cogs" / "greetings.py").write_text("async def setup(bot): bot.greeted = True\n", "utf-8")
    if own_init:
        (host / "cogs" / "__init__.py").write_text("", "utf-8")
    ours = write_config(tmp_path / "ours.toml", settings).read_text("utf-8")
    (host / "config.toml").write_text(f'prefix = "!"\n\n[websearch]\n{ours}', "utf-8")
    script = (
        "import asyncio, sys, discord\n"
        "sys.path.insert(0, '.')\n"
        "from discord.ext import commands\n"
        "async def main():\n"
        "    async with commands.Bot('!', intents=discord.Intents.none()) as bot:\n"
        "        await bot.load_extension('cogs.greetings')\n"
        "        await bot.load_extension('cogs.websearch')\n"
        "        print(bot.greeted, bot.extensions['cogs.websearch'].__file__)\n"
        "        print(sorted(command.name for command in bot.tree.get_commands()))\n"
        "asyncio.run(main())\n"
    )
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", script, cwd=host, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    out, err = await process.communicate()
    assert process.returncode == 0, err.decode()
    assert out.decode().splitlines() == [f"True {host / 'cogs/websearch/__init__.py'}", str(sorted(NAMES))]
    assert exa.requests == []
    with closing(sqlite3.connect(str(settings["web-database"]))) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)


HOME, OTHER, ELSEWHERE = (discord.Object(number) for number in (1, 2, 3))


def names(bot: commands.Bot, guild: discord.Object | None = None) -> set[str]:
    """Name the commands and entries of a server, or those that are everywhere."""
    return {command.name for command in bot.tree.get_commands(guild=guild)}


@pytest.mark.parametrize("where", [{"guild": HOME}, {"guilds": [HOME]}, {"guilds": [HOME, OTHER, HOME]}])
@pytest.mark.parametrize("again", [True, False])
async def test_a_host_names_the_servers(settings: dict[str, object], where: dict[str, Any], *, again: bool) -> None:
    """LOAD-08: all commands and the menu's entry are there alone, and go, whether the host names them again or not."""
    async with new_bot() as bot:
        before = traces(bot)
        await bot.add_cog(WebSearch(bot, settings), **where)
        for guild in (HOME, OTHER, ELSEWHERE):
            assert names(bot, guild) == (NAMES if guild in {HOME, *where.get("guilds", ())} else set())
        assert names(bot) == set()
        await bot.remove_cog(presses.COG_NAME, **(where if again else {}))
        assert not any(names(bot, guild) for guild in (HOME, OTHER, None))
        assert traces(bot) == before


@pytest.mark.parametrize("where", [{"guild": None}, {"guilds": []}])
async def test_no_server_means_everywhere(settings: dict[str, object], where: dict[str, Any]) -> None:
    """LOAD-08: as discord.py has it."""
    async with new_bot() as bot:
        await bot.add_cog(WebSearch(bot, settings), **where)
        assert names(bot) == NAMES
        await bot.remove_cog(presses.COG_NAME)
        assert names(bot) == set()


@pytest.mark.parametrize("name", ["search", "searches", "websearch"])
@pytest.mark.parametrize("where", [{"guild": HOME}, {"guilds": [ELSEWHERE, HOME]}])
async def test_a_clash_in_one_server_leaves_nothing(
    settings: dict[str, object], name: str, where: dict[str, Any]
) -> None:
    """LOAD-02, LOAD-08: the error names what the server has already, and nothing is added to any or opened."""
    async with new_bot() as bot:
        bot.tree.add_command(own_command(name), guild=HOME)
        before = traces(bot)
        with pytest.raises(errors.CommandClash) as caught:
            await bot.add_cog(WebSearch(bot, settings), **where)
        assert caught.value.name == name
        assert traces(bot) == before
        assert (names(bot, HOME), names(bot, ELSEWHERE)) == ({name}, set())
        assert not Path(str(settings["web-database"])).exists()


async def test_a_full_server_leaves_nothing(settings: dict[str, object]) -> None:
    """LOAD-02, LOAD-08: likewise where one of the servers has a hundred commands of its own."""
    async with new_bot() as bot:
        for number in range(98):
            bot.tree.add_command(own_command(f"own-{number}"), guild=OTHER)
        before = traces(bot)
        with pytest.raises(errors.CommandsFull):
            await bot.add_cog(WebSearch(bot, settings), guilds=[HOME, OTHER])
        assert traces(bot) == before
        assert names(bot, HOME) == set()


@pytest.mark.parametrize("guild", [HOME, None])
async def test_what_other_places_have_is_no_clash(settings: dict[str, object], guild: discord.Object | None) -> None:
    """LOAD-08: neither by name nor by number, be it another server's or, for one server alone, what is everywhere."""
    async with new_bot() as bot:
        for other in {HOME, OTHER, None} - {guild}:
            for name in ("search", "websearch", *(f"own-{number}" for number in range(98))):
                bot.tree.add_command(own_command(name), guild=other)
        await bot.add_cog(WebSearch(bot, settings), guild=guild)
        assert names(bot, guild) == NAMES
        await bot.remove_cog(presses.COG_NAME)
        assert names(bot, guild) == set()
        assert all(len(names(bot, other)) == 100 for other in {HOME, OTHER, None} - {guild})


async def test_one_server_searches(
    discord_: LoopbackDiscord, place: Place, settings: dict[str, object], exa: LoopbackExa
) -> None:
    """LOAD-08: there command, menu and buttons work, and elsewhere nothing is offered."""
    elsewhere = discord_.add_guild("Elsewhere")
    reader, channel = elsewhere.add_member("reader"), elsewhere.add_text_channel("there")
    async with connected_bot(discord_) as bot:
        home = discord.Object(place.guild.id)
        await bot.add_cog(WebSearch(bot, settings, clock=discord_.clock.now), guild=home)
        await bot.tree.sync(guild=home)
        await bot.tree.sync()
        reply = await (await place.member.invoke(place.channel, "search", query="in one server")).reply()
        assert titles(reply)
        await (await place.member.press(reply, "Next")).reply()
        message = place.other.send(place.channel, "what stands in a message")
        assert titles(await (await place.member.use_menu(message, "Search the web")).reply())
        with pytest.raises(NotOffered):
            await reader.invoke(channel, "search", query="elsewhere")
        with pytest.raises(NotOffered):
            await reader.use_menu(reader.send(channel, "elsewhere"), "Search the web")
        assert len(exa.requests) == 2
        await bot.remove_cog(presses.COG_NAME)


async def test_what_discord_py_alone_refuses_leaves_nothing(settings: dict[str, object]) -> None:
    """LOAD-02: what shows only while discord.py adds the commands closes what was opened, too."""
    async with new_bot() as bot:
        before = traces(bot)
        cog = WebSearch(bot, settings)
        with pytest.raises(TypeError):
            await bot.add_cog(cog, guild=HOME, guilds=[HOME])
        # Unloading twice waits for the closing under way, and does no harm.
        await asyncio.sleep(0)
        await cog.cog_unload()
        assert cog._closing is not None  # noqa: SLF001 - what a loop of a host would wait for by running on
        await cog._closing  # noqa: SLF001 - likewise
        assert traces(bot) == before
        assert names(bot, HOME) == set()
