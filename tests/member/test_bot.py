"""Hold the bundled bot, in a process of its own."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

import pytest
from yarl import URL

from bots import Place, bot_process, titles, write_config

if TYPE_CHECKING:
    from asyncio.subprocess import Process
    from contextlib import AbstractAsyncContextManager
    from pathlib import Path

    from cogs.websearch.playground.discord import LoopbackDiscord
    from loopback_exa import LoopbackExa


def bundled_bot(discord_: LoopbackDiscord, config: Path, **env: str) -> AbstractAsyncContextManager[Process]:
    """Run the bundled bot, and end it where it's still running."""
    return bot_process(discord_, config, "runbot.py", "run", **env)


@pytest.fixture
def config(settings: dict[str, object], tmp_path: Path) -> Path:
    """Write the settings into a file."""
    return write_config(tmp_path / "config.toml", settings)


@pytest.mark.parametrize("signal_", [signal.SIGTERM, signal.SIGINT])
async def test_it_answers_and_ends_when_told(
    discord_: LoopbackDiscord, place: Place, config: Path, signal_: signal.Signals
) -> None:
    """LOAD-06: started with a token and a file, it has synced its command and answers; a signal ends it cleanly."""
    async with bundled_bot(discord_, config) as process:
        await discord_.connected()
        assert {command.name for command in discord_.commands.all()} == {"search", "websearch"}
        reply = await (await place.member.invoke(place.channel, "search", query="the bundled bot answers")).reply()
        assert titles(reply)
        process.send_signal(signal_)
        _, said = await process.communicate()
    assert process.returncode == 0
    assert b"Traceback" not in said, said.decode()


@pytest.mark.usefixtures("place")
async def test_it_says_when_its_ready(discord_: LoopbackDiscord, config: Path) -> None:
    """LOAD-06: one line names the bot, how many servers it's in, its commands, and the address that invites it."""
    async with bundled_bot(discord_, config) as process:
        assert process.stderr is not None
        while b" ready as " not in (line := await process.stderr.readline()):
            assert line, "it ended before it was ready"
        process.send_signal(signal.SIGTERM)
        _, rest = await process.communicate()
    told = line.decode().partition(" ready as ")[2].strip()
    assert "; servers: 1; commands: search, websearch; invite it with https://discord.com/oauth2/authorize?" in told
    url = URL(told.rpartition(" ")[2])
    # Discord's bits for viewing channels (10), sending messages (11) and embedding links (14).
    assert (url.query["scope"], int(url.query["permissions"])) == (
        "bot applications.commands",
        1 << 10 | 1 << 11 | 1 << 14,
    )
    assert url.query["client_id"].isdigit()
    assert b" ready as " not in rest


async def test_it_ends_while_a_search_is_under_way(
    discord_: LoopbackDiscord, place: Place, config: Path, exa: LoopbackExa
) -> None:
    """LOAD-06: an engine that does not answer keeps nobody from ending the bot."""
    exa.hold()
    async with bundled_bot(discord_, config) as process:
        await discord_.connected()
        inv = await place.member.invoke(place.channel, "search", query="never to be answered")
        await inv.acknowledged()
        await exa.received(1)
        process.send_signal(signal.SIGTERM)
        _, said = await process.communicate()
    assert process.returncode == 0
    assert b"Traceback" not in said, said.decode()


async def test_a_wrong_token_is_a_sentence(discord_: LoopbackDiscord, config: Path) -> None:
    """LOAD-07: Discord's refusal is told in our words, with what to do, and the exit code says that it failed."""
    async with bundled_bot(discord_, config, DISCORD_TOKEN="not-the-token") as process:  # noqa: S106 - it is none
        _, said = await process.communicate()
    assert process.returncode == 3
    assert said.decode().splitlines()[-1].startswith("Discord doesn't know the bot's token")
    assert b"Traceback" not in said
    assert b"not-the-token" not in said
    # The one thing that was wrong with this client is its token.
    assert [problem.where for problem in discord_.problems] == ["GET /users/@me"]
    discord_.problems.clear()


async def test_no_connection_is_a_sentence(discord_: LoopbackDiscord, config: Path) -> None:
    """LOAD-07: without a way to Discord the bot says so."""
    async with bundled_bot(discord_, config, API_URL="http://127.0.0.1:9") as process:
        _, said = await process.communicate()
    assert process.returncode == 3
    assert said.decode().splitlines()[-1].startswith("Discord can't be reached")
    assert b"Traceback" not in said


async def test_a_configuration_that_cant_be_used_is_a_sentence(
    discord_: LoopbackDiscord, tmp_path: Path, settings: dict[str, object]
) -> None:
    """LOAD-04: what keeps the cog from loading is the last line that the bundled bot says."""
    config = write_config(tmp_path / "config.toml", settings | {"web-database": "/"})
    async with bundled_bot(discord_, config) as process:
        _, said = await process.communicate()
    assert process.returncode == 3
    assert b"Traceback" not in said, said.decode()
    assert "/" in said.decode().splitlines()[-1]
