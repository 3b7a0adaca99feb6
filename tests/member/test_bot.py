"""Hold the bundled bot, in a process of its own: how it starts, and what it says of what keeps it from that."""

from __future__ import annotations

import logging
import signal
import socket
from typing import TYPE_CHECKING

import pytest
from yarl import URL

from bots import Place, bot_process, titles, write_config
from cogs.websearch.discord_faults import Reconnections
from cogs.websearch.playground.discord import Permission

if TYPE_CHECKING:
    from asyncio.subprocess import Process
    from contextlib import AbstractAsyncContextManager
    from pathlib import Path

    from cogs.websearch.playground.discord import LoopbackDiscord

NAMES = {"Search the web", "search", "searches", "websearch"}


def bundled_bot(discord_: LoopbackDiscord, config: Path, **env: str) -> AbstractAsyncContextManager[Process]:
    """Run the bundled bot, and end it where it's still running."""
    return bot_process(discord_, config, "runbot.py", "run", **env)


@pytest.fixture
def config(settings: dict[str, object], tmp_path: Path) -> Path:
    """Write the settings into a file."""
    return write_config(tmp_path / "config.toml", settings)


async def heard(process: Process, wanted: str) -> str:
    """Read what the bot says up to a line that holds some words, and return that line."""
    assert process.stderr is not None
    said = []
    while wanted not in (line := (await process.stderr.readline()).decode()):
        said.append(line)
        assert line, f"it ended before it said {wanted!r}: {''.join(said)}"
    return line.strip()


async def last_words(process: Process) -> str:
    """Wait for the bot to end by itself with the code for failures and without a traceback; return its last line."""
    _, said = await process.communicate()
    assert process.returncode == 3, said.decode()
    assert b"Traceback" not in said, said.decode()
    return said.decode().splitlines()[-1]


async def end(process: Process) -> str:
    """Tell the bot to end, hold that it does so cleanly, and return what it said until then."""
    process.send_signal(signal.SIGTERM)
    _, said = await process.communicate()
    assert process.returncode == 0, said.decode()
    return said.decode()


async def test_it_answers(discord_: LoopbackDiscord, place: Place, config: Path) -> None:
    """LOAD-06: started with a token and a file, it has synced its command and answers."""
    async with bundled_bot(discord_, config) as process:
        await discord_.connected()
        assert {command.name for command in discord_.commands.all()} == NAMES
        reply = await (await place.member.invoke(place.channel, "search", query="the bundled bot answers")).reply()
        assert titles(reply)
        assert "Traceback" not in await end(process)


@pytest.mark.usefixtures("place")
async def test_it_says_when_its_ready(discord_: LoopbackDiscord, config: Path) -> None:
    """LOAD-06: one line names the bot, how many servers it's in, its commands, and the address that invites it."""
    async with bundled_bot(discord_, config) as process:
        line = await heard(process, " ready as ")
        rest = await end(process)
    told = line.partition(" ready as ")[2]
    names = ", ".join(sorted(NAMES))
    assert f"; servers: 1; commands: {names}; invite it with https://discord.com/oauth2/authorize?" in told
    url = URL(told.rpartition(" ")[2])
    # Discord's bits for viewing channels (10), sending messages (11) and embedding links (14).
    assert (url.query["scope"], int(url.query["permissions"])) == (
        "bot applications.commands",
        1 << 10 | 1 << 11 | 1 << 14,
    )
    assert url.query["client_id"].isdigit()
    assert " ready as " not in rest
    assert "lacks permissions" not in rest


async def test_it_says_where_permissions_are_missing(discord_: LoopbackDiscord, config: Path) -> None:
    """BOT-14: one line names servers and permissions, at most twenty of them, and no name breaks it."""
    discord_.add_guild("All is well")
    for number in range(22):
        guild = discord_.add_guild(f"Server\n{number}")
        guild.everyone.permissions &= ~(Permission.EMBED_LINKS | Permission.SEND_MESSAGES)
    async with bundled_bot(discord_, config) as process:
        line = await heard(process, "the bot lacks permissions")
        await end(process)
    assert "Server 0: Send Messages, Embed Links; Server 1: Send Messages, Embed Links; " in line
    assert line.endswith("; and 2 more")
    assert "All is well" not in line


@pytest.mark.usefixtures("place")
async def test_another_bots_commands_are_left_alone(discord_: LoopbackDiscord, config: Path) -> None:
    """BOT-11: an app that has other commands keeps them, and the log names them with what to do."""
    for name in ("ban", "search"):
        discord_.commands.upsert(None, {"name": name, "description": "Not ours", "type": 1})
    async with bundled_bot(discord_, config) as process:
        line = await heard(process, "the commands were not synced")
        await discord_.connected()
        await end(process)
    assert {command.name: command.data["description"] for command in discord_.commands.all()} == {
        "ban": "Not ours",
        "search": "Not ours",
    }
    assert "ban" in line
    assert "sync everywhere" in line


@pytest.mark.usefixtures("place")
async def test_commands_that_cant_be_synced_keep_nobody_from_searching(discord_: LoopbackDiscord, config: Path) -> None:
    """BOT-12: where Discord doesn't take the commands at the start, a line says so and the bot goes on."""
    discord_.fail("PUT", r"/commands$", status=503)
    async with bundled_bot(discord_, config) as process:
        line = await heard(process, "the commands were not synced")
        await discord_.connected()
        assert "Traceback" not in await end(process)
    assert "Discord fails with error 503" in line


async def test_a_wrong_token_is_a_sentence(discord_: LoopbackDiscord, config: Path) -> None:
    """LOAD-07, BOT-13: Discord's refusal is told in our words, with what to do, and the exit code says it failed."""
    async with bundled_bot(discord_, config, DISCORD_TOKEN="not-the-token") as process:  # noqa: S106 - it is none
        _, said = await process.communicate()
    assert process.returncode == 3
    assert said.decode().splitlines()[-1].startswith("Discord doesn't know the bot's token")
    assert b"Traceback" not in said
    assert b"not-the-token" not in said
    # The one thing that was wrong with this client is its token.
    assert [problem.where for problem in discord_.problems] == ["GET /users/@me"]
    discord_.problems.clear()


@pytest.mark.parametrize(
    ("wrap", "code", "said"),
    [
        ('"{}"', 3, "The bot's token has quotes around it"),
        ("'{}'", 3, "The bot's token has quotes around it"),
        ("Bot {}", 2, "what follows “Bot” alone: write it without “Bot”."),
    ],
)
async def test_a_token_with_something_around_it_is_a_sentence(
    discord_: LoopbackDiscord, config: Path, wrap: str, code: int, said: str
) -> None:
    """BOT-13: a token in quotes, or after the word Bot, is told apart from a wrong one, and not shown."""
    async with bundled_bot(discord_, config, DISCORD_TOKEN=wrap.format(discord_.token)) as process:
        _, told = await process.communicate()
    assert process.returncode == code
    assert said in told.decode().splitlines()[-1]
    assert b"Traceback" not in told
    assert discord_.token not in told.decode()
    assert discord_.requests == []


async def test_no_connection_is_a_sentence(discord_: LoopbackDiscord, config: Path) -> None:
    """LOAD-07, BOT-13: without a way to Discord the bot says so."""
    with socket.socket() as taken:
        # Nobody listens there, and nobody else can.
        taken.bind(("127.0.0.1", 0))
        nowhere = f"http://127.0.0.1:{taken.getsockname()[1]}"
        async with bundled_bot(discord_, config, API_URL=nowhere) as process:
            assert (await last_words(process)).startswith("Discord can't be reached: check this machine's connection")


async def test_no_such_name_is_a_sentence(discord_: LoopbackDiscord, config: Path) -> None:
    """BOT-13: where Discord's name isn't known, the bot says where to look."""
    async with bundled_bot(discord_, config, API_URL="http://discord.invalid/api") as process:
        assert (await last_words(process)).startswith("Discord's address can't be looked up")


async def test_a_connection_without_tls_is_a_sentence(discord_: LoopbackDiscord, config: Path) -> None:
    """BOT-13: where what answers can't prove to be Discord, the bot says where to look."""
    async with bundled_bot(discord_, config, API_URL=discord_.api_url.replace("http:", "https:")) as process:
        assert (await last_words(process)).startswith("Discord's certificate can't be checked")


@pytest.mark.parametrize(
    ("path", "status", "said"),
    [
        ("/users/@me$", 503, "Discord fails with error 503: look at its status page"),
        ("/applications/@me$", 503, "Discord fails with error 503: look at its status page"),
        ("/gateway/bot$", 503, "Discord fails with error 503: look at its status page"),
        ("/users/@me$", 429, "Discord refuses this machine for asking too often"),
        ("/users/@me$", 403, "Discord refuses the bot with error 403"),
        ("/gateway/bot$", 401, "Discord doesn't know the bot's token"),
    ],
)
async def test_a_refusal_at_the_start_is_a_sentence(
    discord_: LoopbackDiscord, config: Path, path: str, status: int, said: str
) -> None:
    """BOT-13: what Discord answers instead of letting the bot in is told with what to do."""
    discord_.fail("GET", path, status=status, times=None)
    async with bundled_bot(discord_, config) as process:
        assert (await last_words(process)).startswith(said)


async def test_no_starts_left_is_a_sentence(discord_: LoopbackDiscord, config: Path) -> None:
    """BOT-13: where one more start would cost the token, the bot doesn't make it and says when it may."""
    discord_.gateway.starts_left = 0
    async with bundled_bot(discord_, config) as process:
        assert (await last_words(process)).endswith("since it started too often: try again in 24 hours.")
    assert discord_.gateway.identified == 0


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (4004, "Discord doesn't know the bot's token"),
        (4010, "Discord doesn't take the bot's servers on these connections"),
        (4011, "Discord doesn't take the bot's servers on these connections"),
        (4012, "Discord ended the connection for good, with code 4012"),
        (4013, "Discord doesn't let the bot hear what it asks for"),
        (4014, "Discord doesn't let the bot hear what it asks for"),
    ],
)
async def test_a_refusal_at_the_gateway_is_a_sentence(
    discord_: LoopbackDiscord, config: Path, code: int, said: str
) -> None:
    """BOT-13: each code with which Discord closes the gateway for good is told with what to do."""
    discord_.gateway.refusal = code
    async with bundled_bot(discord_, config) as process:
        assert (await last_words(process)).startswith(said)


async def test_a_gateway_that_cant_be_reached_is_tried_again(discord_: LoopbackDiscord, config: Path) -> None:
    """BOT-17: where only the gateway is away, a line says that it's tried again, without a traceback."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        discord_.gateway.url = f"ws://127.0.0.1:{taken.getsockname()[1]}"
        async with bundled_bot(discord_, config) as process:
            line = await heard(process, "Discord can't be reached")
            assert "Traceback" not in await end(process)
    assert "ClientConnectorError" in line
    assert "check this machine's connection" in line


@pytest.mark.parametrize(("error", "shortened"), [(TimeoutError("secret"), True), (ValueError("ours"), False)])
def test_a_fault_of_ours_keeps_its_traceback(error: Exception, shortened: bool) -> None:  # noqa: FBT001 - pytest passes it by name
    """BOT-17: of discord.py's log only what tells of a lost connection is shortened."""
    record = logging.LogRecord("discord.shard", logging.ERROR, "", 0, "retrying %s", (1,), (type(error), error, None))
    assert Reconnections().filter(record)
    assert (record.exc_info is None) is shortened
    assert ("TimeoutError" in record.getMessage()) is shortened
    assert "secret" not in record.getMessage()


async def test_a_configuration_that_cant_be_used_is_a_sentence(
    discord_: LoopbackDiscord, tmp_path: Path, settings: dict[str, object]
) -> None:
    """LOAD-04: what keeps the cog from loading is the last line that the bundled bot says."""
    config = write_config(tmp_path / "config.toml", settings | {"web-database": "/"})
    async with bundled_bot(discord_, config) as process:
        assert "/" in await last_words(process)
