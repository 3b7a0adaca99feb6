"""Hold that a configuration changes under a running bot, as members, moderators and owners see it."""

from __future__ import annotations

import asyncio
import logging
import os
import threading
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import pytest

from bots import Place, bot_process, cog_of, connected_bot, sentence, titles, write_config
from cogs.websearch import WebSearch, backends, presses
from cogs.websearch.backends import http
from cogs.websearch.config_source import ConfigFile
from loopback_exa import LoopbackExa
from staff import QUERY, Staff, ask, line, search
from ticks import Ticks

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable
    from contextlib import AbstractAsyncContextManager

    import aiohttp
    from discord.ext import commands

    from cogs.websearch.backends.base import Searcher
    from cogs.websearch.config_source import Given
    from cogs.websearch.playground.discord import LoopbackDiscord

RunWith: TypeAlias = "Callable[[Given], AbstractAsyncContextManager[commands.Bot]]"
# Writes the file with changes to the settings, and lets it take effect.
Change: TypeAlias = "Callable[[dict[str, object]], Awaitable[None]]"

BROKEN = "The bot goes on with its last good configuration, since a change can't be used: "
RELOADED = "Changed by the bot's owner, but used only after a reload or a restart: "
WAITING = "Changed by the bot's owner, but used only after a restart: "


@pytest.fixture
def ticks() -> Ticks:
    """Let the seconds between looks pass."""
    return Ticks()


@pytest.fixture
def file(settings: dict[str, object], near: Path) -> Path:
    """Write the settings into a file."""
    settings["web-per-minute"] = "60"
    return rewrite(near / "config.toml", settings)


@pytest.fixture
def change(file: Path, settings: dict[str, object], ticks: Ticks) -> Change:
    """Return a function that changes the file, and lets the two looks pass that it takes."""

    async def change(changes: dict[str, object]) -> None:
        settings.update(changes)
        rewrite(file, settings)
        await ticks.seconds(2)

    return change


def rewrite(path: Path, settings: dict[str, object]) -> Path:
    """Put another file in place of the one at `path`."""
    new = path.with_suffix(".new")
    lines = {key: value for key, value in settings.items() if not (isinstance(value, str) and value.isdecimal())}
    write_config(new, lines)
    with new.open("a", encoding="utf-8") as numbers:
        numbers.writelines(f"{key} = {settings[key]}\n" for key in settings if key not in lines)
    return new.replace(path)


@pytest.fixture
def run_with(discord_: LoopbackDiscord, ticks: Ticks) -> RunWith:
    """Give a context in which a bot runs whose configuration is looked at when the test lets a second pass."""

    @asynccontextmanager
    async def run(given: Given) -> AsyncIterator[commands.Bot]:
        async with connected_bot(discord_) as bot:
            await bot.add_cog(WebSearch(bot, given, clock=discord_.clock.now, sleep=ticks.sleep))
            await bot.tree.sync()
            yield bot

    return run


@pytest.fixture
async def running(run_with: RunWith, file: Path) -> AsyncIterator[commands.Bot]:
    """Run a bot that follows the file."""
    async with run_with(ConfigFile(file, {})) as bot:
        yield bot


@pytest.fixture
async def other() -> AsyncIterator[LoopbackExa]:
    """Run a second stand-in for Exa, which takes another key."""
    async with LoopbackExa(key="0b7e6a52-19cd-4f8e-8a31-6c2d9f405be8") as running:
        yield running


@pytest.fixture
def sessions(monkeypatch: pytest.MonkeyPatch) -> list[aiohttp.ClientSession]:
    """Collect the connection pools that engines open."""
    opened: list[aiohttp.ClientSession] = []
    open_session = http.open_session

    def record() -> aiohttp.ClientSession:
        opened.append(open_session())
        return opened[-1]

    monkeypatch.setattr(http, "open_session", record)
    return opened


async def engines_closed() -> None:
    """Wait until every engine that's no longer used is closed."""
    for task in asyncio.all_tasks():
        if task.get_name() == "websearch engine closing":
            await task


def logged(caplog: pytest.LogCaptureFixture) -> list[str]:
    """List what was logged of the configuration."""
    return [record.getMessage() for record in caplog.records if record.name.endswith(".reload")]


@pytest.mark.usefixtures("running")
async def test_a_change_of_the_file_takes_effect(place: Place, exa: LoopbackExa, change: Change) -> None:
    """REL-01: the next search goes by what the owner has written."""
    await change({"web-results": "2", "web-block-sites": ["example.org"]})
    await search(place.member, place.channel)
    assert exa.requests[0].json["numResults"] == 2
    assert exa.requests[0].json["excludeDomains"] == ["example.org"]


async def test_it_takes_effect_within_seconds(
    discord_: LoopbackDiscord, place: Place, exa: LoopbackExa, file: Path, settings: dict[str, object],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """REL-01: on the real clock, loaded as an extension, a change is in force before ten seconds are over."""
    changed = asyncio.Event()

    class Listener(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if "has changed: web-results" in record.getMessage():
                changed.set()

    monkeypatch.setenv("WEBSEARCH_CONFIG", str(file))
    listener = Listener()
    logging.getLogger("cogs.websearch").addHandler(listener)
    try:
        async with connected_bot(discord_) as bot:
            await bot.load_extension("cogs.websearch")
            await bot.tree.sync()
            rewrite(file, settings | {"web-results": "2"})
            await asyncio.wait_for(changed.wait(), 10)
            await search(place.member, place.channel)
            assert exa.requests[0].json["numResults"] == 2
    finally:
        logging.getLogger("cogs.websearch").removeHandler(listener)


async def test_a_broken_file_leaves_the_last_good_one(
    running: commands.Bot, staff: Staff, place: Place, change: Change, file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """REL-05, REL-06: members search on, moderators see why in status, the log says it once, and its end once."""
    caplog.set_level(logging.INFO, "cogs.websearch")
    await change({"web-results": "99"})
    await change({})
    assert titles(await search(place.member, place.channel))
    said = line(await ask(staff.moderator, staff.channel, "status"), BROKEN)
    assert said == "config.toml: web-results is 99, but takes a whole number from 1 to 10."
    await change({"web-results": "5"})
    reply = await ask(staff.moderator, staff.channel, "status")
    assert BROKEN not in sentence(reply)
    assert logged(caplog) == [
        f"the last good configuration stays in force: {file}: {said.partition(': ')[2]}",
        "the configuration is good again",
    ]
    assert cog_of(running).config.web_results == 5


@pytest.mark.usefixtures("running")
@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"local-documents": "/srv/secret/docs"}, "config.toml: local-documents is a text, but takes the path of a"),
        ({"exa-base-url": "http://10.0.0.5/x"}, "config.toml: exa-base-url is a text, but takes an address such as"),
        ({"exa-api-key": ""}, "config.toml: exa-api-key is missing."),
        ({"web-databases": "/srv/x.db"}, "config.toml has an unknown key web-databases: write web-database"),
    ],
)
async def test_status_shows_no_folder_and_no_address(
    staff: Staff, change: Change, changes: dict[str, object], said: str
) -> None:
    """REL-06: what a wrong configuration holds of the owner's machine and network isn't shown to moderators."""
    await change(changes)
    assert line(await ask(staff.moderator, staff.channel, "status"), BROKEN).startswith(said)


@pytest.mark.usefixtures("running")
@pytest.mark.parametrize(
    ("becomes", "said"),
    [
        (Path.touch, "config.toml has lost all its keys for the web search: put them back, or set"),
        (os.mkfifo, "config.toml is no file any more, but a pipe or a device: put a file there."),
    ],
)
async def test_what_befell_the_file_switches_nothing_off(
    staff: Staff, place: Place, file: Path, change: Change, ticks: Ticks, *, becomes: Callable[[Path], None], said: str
) -> None:
    """REL-18: an editor on a full disk, and what's put in the file's place, leave members searching."""
    file.unlink()
    becomes(file)
    await ticks.seconds(2)
    assert titles(await search(place.member, place.channel))
    assert line(await ask(staff.moderator, staff.channel, "status"), BROKEN).startswith(said)
    await change({})
    assert BROKEN not in sentence(await ask(staff.moderator, staff.channel, "status"))


@pytest.mark.usefixtures("running")
async def test_what_needs_a_restart_is_said(staff: Staff, place: Place, change: Change, tmp_path: Path) -> None:
    """REL-07: the open database goes on, none is made, and status says which keys wait, until they're changed back."""
    before = str(tmp_path / "websearch.db")
    await change({"web-database": str(tmp_path / "new.db"), "discord-token": "not.a.token-at-all"})
    reply = await ask(staff.moderator, staff.channel, "status")
    assert (line(reply, RELOADED), line(reply, WAITING)) == ("web-database", "discord-token")
    assert titles(await search(place.member, place.channel))
    assert not (tmp_path / "new.db").exists()
    await change({"web-database": before, "discord-token": ""})
    said = sentence(await ask(staff.moderator, staff.channel, "status"))
    assert WAITING not in said
    assert RELOADED not in said


@pytest.mark.parametrize(
    "changes",
    [{"exa-search-type": "fast"}, {"web-snippet-chars": "60"}, {"web-timeout-s": "20"}, {"web-snippet-chars": "400"}],
)
async def test_the_engine_is_opened_anew_for_its_own_settings(
    run_with: RunWith, file: Path, place: Place, exa: LoopbackExa, change: Change, *,
    sessions: list[aiohttp.ClientSession], changes: dict[str, object],
) -> None:  # fmt: skip
    """REL-08: a setting of its own opens it anew and is asked by; the same value opens nothing."""
    async with run_with(ConfigFile(file, {})):
        await change(changes)
        await engines_closed()
        await search(place.member, place.channel)
        asked = exa.requests[0].json
        assert asked["type"] == changes.get("exa-search-type", "auto")
        contents: Any = asked["contents"]
        assert contents["text"]["maxCharacters"] == int(str(changes.get("web-snippet-chars", 400))) * 5 // 4
        same = changes == {"web-snippet-chars": "400"}
        assert [session.closed for session in sessions] == ([False] if same else [True, False])


async def test_a_search_under_way_ends_on_the_old_engine(
    run_with: RunWith, file: Path, place: Place, exa: LoopbackExa, other: LoopbackExa, *,
    change: Change, sessions: list[aiohttp.ClientSession],
) -> None:  # fmt: skip
    """REL-08: with another address and key the next search goes there; the old pool closes after its last search."""
    async with run_with(ConfigFile(file, {})):
        exa.hold()
        slow = await place.member.invoke(place.channel, "search", query="begun before the change")
        await exa.received(1)
        await change({"exa-base-url": other.url, "exa-api-key": other.key})
        assert titles(await search(place.other, place.channel))
        assert len(other.requests) == 1
        await engines_closed()
        assert [session.closed for session in sessions] == [False, False]
        exa.release()
        assert titles(await slow.reply())
        await engines_closed()
        assert [session.closed for session in sessions] == [True, False]
    assert [session.closed for session in sessions] == [True, True]


async def test_changes_under_load_cut_nothing_off(
    run_with: RunWith, file: Path, place: Place, exa: LoopbackExa, other: LoopbackExa, *,
    change: Change, sessions: list[aiohttp.ClientSession],
) -> None:  # fmt: skip
    """REL-08: forth and back ten times while members search, each is answered, and one engine is open at the end."""
    async with run_with(ConfigFile(file, {})) as bot:
        begun = []
        for number in range(10):
            to = (other, exa)[number % 2]
            begun += [await place.member.invoke(place.channel, "search", query=f"{QUERY} {number}") for _ in range(2)]
            await change({"exa-base-url": to.url, "exa-api-key": to.key})
        replies = [await one.reply() for one in begun]
        assert [bool(titles(reply)) for reply in replies] == [True] * 20
        await engines_closed()
        assert [session.closed for session in sessions] == [True] * 10 + [False]
        await bot.remove_cog(presses.COG_NAME)
    assert [session.closed for session in sessions] == [True] * 11


async def test_an_engine_that_cant_be_opened_leaves_the_old_one(
    run_with: RunWith, file: Path, staff: Staff, place: Place, change: Change, *, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture,
) -> None:  # fmt: skip
    """REL-09: the search goes on by the whole old configuration, which moderators and the log are told."""
    caplog.set_level(logging.INFO, "cogs.websearch")
    (file.parent / "docs").mkdir()
    (file.parent / "docs" / "galaxy.md").write_text("# Galaxy\n\nPictures of a distant galaxy.\n", "utf-8")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    async with run_with(ConfigFile(file, {})) as bot:
        # An address as such, but of no public host that results could link to.
        local = {"web-backend": "local", "local-documents": "docs", "local-base-url": "https://intranet"}
        await change({**local, "web-results": "1"})
        assert len(titles(await search(place.member, place.channel))) == 3
        reply = await ask(staff.moderator, staff.channel, "status")
        assert line(reply, "Engine: ") == "Exa"
        assert "local-base-url is" in line(reply, BROKEN)
        (told,) = logged(caplog)
        assert "local-base-url is" in told
        await change({"local-base-url": "https://docs.example.org"})
        assert len(titles(await search(place.member, place.channel))) == 1
        assert BROKEN not in sentence(await ask(staff.moderator, staff.channel, "status"))
        assert cog_of(bot).reloader.problem is None


async def test_switched_off_nothing_is_needed_and_nothing_is_open(
    run_with: RunWith, file: Path, settings: dict[str, object], staff: Staff, place: Place, exa: LoopbackExa, *,
    change: Change, sessions: list[aiohttp.ClientSession],
) -> None:  # fmt: skip
    """REL-10: off at load no key is needed; on, it searches; off again, the engine is closed and searches refused."""
    rewrite(file, settings | {"enable-web-search": False, "exa-api-key": ""})
    async with run_with(ConfigFile(file, {})):
        assert sentence(await search(place.member, place.channel)).startswith("Web search is switched off")
        reply = await ask(staff.moderator, staff.channel, "status")
        assert "Engine" not in sentence(reply)
        assert sessions == []
        await change({})
        assert titles(await search(place.member, place.channel))
        assert line(await ask(staff.moderator, staff.channel, "status"), "Engine: ") == "Exa"
        await change({"enable-web-search": False})
        await engines_closed()
        assert sentence(await search(place.member, place.channel)).startswith("Web search is switched off")
        assert [session.closed for session in sessions] == [True]
    assert len(exa.requests) == 1


async def test_switched_off_amid_a_search_it_ends(
    run_with: RunWith, file: Path, place: Place, exa: LoopbackExa, change: Change, sessions: list[aiohttp.ClientSession]
) -> None:
    """REL-08, REL-10: who searched before the switch was turned off reads the results, then the engine closes."""
    async with run_with(ConfigFile(file, {})):
        exa.hold()
        slow = await place.member.invoke(place.channel, "search", query=QUERY)
        await exa.received(1)
        await change({"enable-web-search": False})
        exa.release()
        assert titles(await slow.reply())
        await engines_closed()
        assert [session.closed for session in sessions] == [True]


async def test_switched_off_while_an_engine_is_being_opened(
    running: commands.Bot, place: Place, exa: LoopbackExa, change: Change, monkeypatch: pytest.MonkeyPatch
) -> None:
    """REL-16: a folder of many documents, or one on a slow drive, keeps neither the switch nor a limit waiting."""
    closed = asyncio.Event()

    async def never(*_: object) -> Searcher:
        try:
            await asyncio.Event().wait()
        finally:
            closed.set()
        raise AssertionError

    monkeypatch.setattr(backends.adapter("local"), "open_engine", never)
    await change({"web-backend": "local"})
    assert titles(await search(place.member, place.channel))
    await change({"enable-web-search": False})
    await closed.wait()
    assert sentence(await search(place.member, place.channel)).startswith("Web search is switched off")
    await change({"enable-web-search": True})
    assert sentence(await search(place.member, place.channel)).startswith("Web search is switched off")
    closed.clear()
    await change({"web-backend": "exa", "web-results": "1"})
    await closed.wait()
    await search(place.member, place.channel)
    assert exa.requests[-1].json["numResults"] == 1
    assert cog_of(running).reloader.problem is None


async def test_leave_for_members_holds_at_once_and_is_offered_at_the_next_sync(
    running: commands.Bot, discord_: LoopbackDiscord, place: Place, change: Change
) -> None:
    """REL-11: what Discord offers is the host's to sync; whether the search runs is not."""
    abroad = discord_.add_guild("Elsewhere", installed=False)
    channel = abroad.add_text_channel("general")
    visitor = abroad.add_member(place.member.user)

    def offered() -> set[int]:
        return set(next(command for command in discord_.commands.all() if command.name == "search").installs)

    await change({"web-user-install": True})
    assert offered() == {0}
    await running.tree.sync()
    assert offered() == {0, 1}
    assert titles(await (await visitor.invoke(channel, "search", query=QUERY, user_install=True)).reply())
    await change({"web-user-install": False})
    refused = await (await visitor.invoke(channel, "search", query=QUERY, user_install=True)).reply()
    assert sentence(refused).startswith("Web search doesn't work here")


async def test_without_leave_direct_messages_go_on_for_who_installed_it(
    running: commands.Bot, discord_: LoopbackDiscord, place: Place, change: Change
) -> None:
    """REL-11, WEB-17: who also installed it to themselves writes to the server's bot; to others it's their own app."""
    place.member.user.install_app()
    mine, theirs = discord_.open_dm(place.member.user), discord_.open_dm(place.member.user, place.other.user)
    await change({"web-user-install": True})
    await running.tree.sync()
    for where in (mine, theirs):
        assert titles(await (await place.member.user.invoke(where, "search", query=QUERY)).reply())
    await change({"web-user-install": False})
    assert titles(await (await place.member.user.invoke(mine, "search", query=QUERY)).reply())
    refused = await (await place.member.user.invoke(theirs, "search", query=QUERY)).reply()
    assert sentence(refused).startswith("Web search doesn't work here")


async def test_a_hosts_function_is_followed(
    run_with: RunWith, settings: dict[str, object], staff: Staff, place: Place, exa: LoopbackExa, ticks: Ticks
) -> None:
    """REL-12: once a second and not by a search; what it returns holds, and while it fails the last good one does."""
    failing = False
    calls = 0

    def given() -> dict[str, object]:
        nonlocal calls
        calls += 1
        if failing:
            raise ConnectionError(str(settings["exa-api-key"]))
        return settings

    async with run_with(given):
        settings["web-results"] = 2
        await ticks.seconds(1)
        await search(place.member, place.channel)
        assert (exa.requests[0].json["numResults"], calls) == (2, 2)
        failing = True
        settings["web-results"] = 1
        await ticks.seconds(3)
        await search(place.member, place.channel)
        assert (exa.requests[1].json["numResults"], calls) == (2, 5)
        said = line(await ask(staff.moderator, staff.channel, "status"), BROKEN)
        assert said.startswith("The bot's own function for the configuration fails with ConnectionError")
        failing = False
        await ticks.seconds(1)
        await search(place.member, place.channel)
        assert exa.requests[2].json["numResults"] == 1


async def test_a_mapping_may_change_without_harm(
    run_with: RunWith, settings: dict[str, object], place: Place, exa: LoopbackExa
) -> None:
    """REL-13: what the host does to the mapping that it handed over changes nothing."""
    async with run_with(settings):
        settings["web-results"] = 1
        await search(place.member, place.channel)
        assert exa.requests[0].json["numResults"] == 5


async def test_unloading_amid_a_change_leaves_nothing(
    run_with: RunWith, file: Path, settings: dict[str, object], tmp_path: Path, ticks: Ticks, *,
    sessions: list[aiohttp.ClientSession], monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """REL-14: while a new engine is being opened, an unload ends it, and no task, thread or pool stays."""
    opening = asyncio.Event()
    open_searcher = backends.open_searcher

    async def record(config: object) -> object:
        opening.set()
        return await open_searcher(config)  # type: ignore[arg-type] # passed through

    async with run_with(ConfigFile(file, {})) as bot:
        (file.parent / "docs").mkdir()
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
        monkeypatch.setattr(backends, "open_searcher", record)
        local = {"web-backend": "local", "local-documents": "docs", "local-base-url": "https://docs.example.org"}
        rewrite(file, settings | local)
        await ticks.seconds(1)
        await ticks.begin()
        await opening.wait()
        await bot.remove_cog(presses.COG_NAME)
        await asyncio.sleep(0)
        assert [task for task in asyncio.all_tasks() if task.get_name().startswith("websearch")] == []
        assert [thread for thread in threading.enumerate() if thread.name.startswith("local-search")] == []
        assert [session.closed for session in sessions] == [True]


@pytest.mark.parametrize("way", ["raises", "logs"])
@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"web-results": "99"}, "config.toml: web-results is 99, but takes a whole number from 1 to 10."),
        ({"web-database": "/"}, "The database / can't be used: that's a folder. Name a file in web-database."),
    ],
)
async def test_a_host_reads_a_sentence_in_its_log(
    discord_: LoopbackDiscord, file: Path, settings: dict[str, object], way: str, changes: dict[str, object], said: str
) -> None:
    """REL-15: by discord.py's own logging and by Python's traceback, what the owner has to do is the last line."""
    rewrite(file, settings | changes)
    async with bot_process(discord_, file, "loghost.py", way) as process:
        _, err = await process.communicate()
    lines = err.decode().splitlines()
    assert process.returncode == 1
    assert lines[-1].endswith(said), err.decode()
    assert str(settings["exa-api-key"]) not in err.decode()
