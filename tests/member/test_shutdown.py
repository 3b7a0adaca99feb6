"""Hold that a signal ends the bundled bot, in a process of its own, within a second of being told."""

from __future__ import annotations

import re
import signal
import sqlite3
import time
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from bots import Place, bot_process, sentence, write_config
from owning import told

if TYPE_CHECKING:
    from asyncio.subprocess import Process
    from collections.abc import AsyncIterator

    from cogs.websearch.playground.discord import LoopbackDiscord
    from loopback_exa import LoopbackExa

RESTARTED: Final = "Web search is being restarted: try again in a moment."
# What the code holds to, and what starting and ending an interpreter may take on a busy machine besides.
MOST_SECONDS: Final = 1.0 + 3.0


@pytest.fixture
def config(settings: dict[str, object], tmp_path: Path) -> Path:
    """Write the settings into a file."""
    return write_config(tmp_path / "config.toml", settings)


@asynccontextmanager
async def bundled_bot(discord_: LoopbackDiscord, config: Path, **env: str) -> AsyncIterator[Process]:
    """Run the bundled bot; once the context ends, hold that it was told to end, and did so cleanly and in time."""
    async with bot_process(discord_, config, "runbot.py", "run", **env) as process:
        yield process
        began = time.monotonic()
        _, said = await process.communicate()
        took = time.monotonic() - began
    assert process.returncode == 0, said.decode()
    assert b"Traceback" not in said, said.decode()
    assert not re.search(rb"(?i)unclosed|never retrieved|destroyed", said), said.decode()
    assert took < MOST_SECONDS


def is_closed(settings: dict[str, object]) -> bool:
    """Tell whether the database was closed: it's there, and SQLite has taken its log beside it away."""
    path = Path(str(settings["web-database"]))
    return path.exists() and not path.with_name(f"{path.name}-wal").exists()


@pytest.mark.parametrize("signal_", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
async def test_searches_under_way_are_told(
    discord_: LoopbackDiscord,
    place: Place,
    config: Path,
    settings: dict[str, object],
    exa: LoopbackExa,
    signal_: signal.Signals,
) -> None:
    """LOAD-06, BOT-15: twenty members whose searches hang read why, and the process is gone within the second."""
    exa.hold()
    members = [place.guild.add_member(f"member {number}") for number in range(20)]
    async with bundled_bot(discord_, config) as process:
        await discord_.connected()
        asked = [
            await member.invoke(place.channel, "search", query=f"never to be answered {member.id}")
            for member in members
        ]
        await exa.received(20)
        process.send_signal(signal_)
    assert [sentence(await inv.reply()) for inv in asked] == [RESTARTED] * 20
    assert discord_.gateway.open_sessions() == 0
    assert is_closed(settings)


@pytest.mark.parametrize("second", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
async def test_a_second_signal_changes_nothing(
    discord_: LoopbackDiscord, place: Place, config: Path, exa: LoopbackExa, second: signal.Signals
) -> None:
    """BOT-15: an impatient owner breaks nothing: members are told all the same, and the code is still 0."""
    exa.hold()
    async with bundled_bot(discord_, config) as process:
        await discord_.connected()
        inv = await place.member.invoke(place.channel, "search", query="never to be answered")
        await exa.received(1)
        held = discord_.hold("DELETE", "/messages/@original$")
        process.send_signal(signal.SIGTERM)
        await held.reached()
        for _ in range(3):
            process.send_signal(second)
        held.release()
    assert sentence(await inv.reply()) == RESTARTED


async def test_after_a_reload(
    discord_: LoopbackDiscord, place: Place, config: Path, settings: dict[str, object], exa: LoopbackExa
) -> None:
    """BOT-07, BOT-15: a bot whose every module was replaced ends as well as one that has just begun."""
    owner = place.guild.add_member(discord_.owner)
    exa.hold()
    async with bundled_bot(discord_, config) as process:
        await discord_.connected()
        for _ in range(2):
            assert (await told(discord_, owner, place.channel, "reload")).startswith("Web search is loaded anew.")
        inv = await place.member.invoke(place.channel, "search", query="never to be answered")
        await exa.received(1)
        process.send_signal(signal.SIGTERM)
    assert sentence(await inv.reply()) == RESTARTED
    assert is_closed(settings)


async def test_while_it_logs_in(discord_: LoopbackDiscord, config: Path) -> None:
    """BOT-16: a bot whose first request Discord never answers ends as well."""
    held = discord_.hold("GET", "/users/@me$")
    async with bundled_bot(discord_, config) as process:
        await held.reached()
        process.send_signal(signal.SIGTERM)


async def test_while_it_syncs(discord_: LoopbackDiscord, config: Path, settings: dict[str, object]) -> None:
    """BOT-16: so does one that waits for its commands to be taken, and closes the database that it has opened."""
    held = discord_.hold("PUT", "/commands$")
    async with bundled_bot(discord_, config) as process:
        await held.reached()
        process.send_signal(signal.SIGTERM)
    assert is_closed(settings)


async def test_while_it_connects(discord_: LoopbackDiscord, config: Path, settings: dict[str, object]) -> None:
    """BOT-16: so does one that the gateway says nothing to."""
    discord_.gateway.silent = True
    async with bundled_bot(discord_, config) as process:
        await discord_.until(lambda: len(discord_.gateway.connections) == 1)
        process.send_signal(signal.SIGTERM)
    assert is_closed(settings)


@pytest.mark.usefixtures("place")
async def test_while_it_reconnects(discord_: LoopbackDiscord, config: Path, settings: dict[str, object]) -> None:
    """BOT-16: so does one that lost its connection, and hears nothing on the new one."""
    async with bundled_bot(discord_, config) as process:
        await discord_.connected()
        discord_.gateway.silent = True
        lost = set(discord_.gateway.connections)
        discord_.gateway.ask_reconnect()
        await discord_.until(lambda: bool(discord_.gateway.connections - lost))
        process.send_signal(signal.SIGTERM)
    assert is_closed(settings)


async def test_while_discord_hangs(
    discord_: LoopbackDiscord, place: Place, config: Path, settings: dict[str, object], exa: LoopbackExa
) -> None:
    """BOT-16: where Discord takes no reply any more, members can't be told, but the bot ends and counts are kept."""
    exa.hold()
    async with bundled_bot(discord_, config) as process:
        await discord_.connected()
        members = [place.guild.add_member(f"member {number}") for number in range(20)]
        for member in members:
            inv = await member.invoke(place.channel, "search", query=f"never to be answered {member.id}")
            await inv.acknowledged()
        await exa.received(20)
        discord_.hold("*", "")
        process.send_signal(signal.SIGTERM)
    assert is_closed(settings)
    with closing(sqlite3.connect(str(settings["web-database"]))) as database:
        # Exa was asked, so that the searches are given back, but not what they may cost.
        assert database.execute("SELECT max(searches), max(cost) FROM counter WHERE day > 0").fetchone() == (0, 140_000)


async def test_while_the_name_server_hangs(discord_: LoopbackDiscord, config: Path) -> None:
    """BOT-16: a thread that can't be interrupted, such as one that looks up a name, keeps nobody from ending."""
    nowhere = "http://discord.invalid/api"
    async with bundled_bot(discord_, config, API_URL=nowhere, NAME_SERVER="hangs") as process:
        assert process.stderr is not None
        while b"looking up discord.invalid" not in (line := await process.stderr.readline()):
            assert line
        process.send_signal(signal.SIGTERM)
