"""Be Discord and an engine in a process of their own: members use commands, as many as are asked for over a pipe."""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass
from itertools import cycle, islice
from typing import TYPE_CHECKING, Any, Final

from cogs.websearch.playground.discord import Clock, LoopbackDiscord

from . import engine

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    from cogs.websearch.playground.discord import Channel, Member

# Enough that none of them meets a limit.
_MEMBERS: Final = 200
QUERY: Final = "how does the event loop run callbacks"


@dataclass
class Addresses:
    """Hold where the bot finds Discord and the engine, and the token that it's let in with."""

    api_url: str
    gateway_url: str
    token: str
    engine_url: str


@dataclass
class Asked:
    """Ask that a command is used so many times, one after another."""

    command: str
    count: int


def serve(pipe: Connection) -> None:
    """Send the addresses over the pipe, then answer each `Asked` with its last reply's embeds, until it's closed."""
    # Bodies aren't held against Discord's document: that takes longer than all the rest.
    os.environ["WEBSEARCH_CONTRACTS"] = os.devnull
    asyncio.run(_serve(pipe))


async def _serve(pipe: Connection) -> None:
    async with LoopbackDiscord(Clock()) as discord_, engine.serving() as engine_url:
        guild = discord_.add_guild("Library")
        channel = guild.add_text_channel("general")
        members = cycle([guild.add_member(f"reader-{number}") for number in range(_MEMBERS)])
        pipe.send(Addresses(discord_.api_url, discord_.gateway_url, discord_.token, engine_url))
        while True:
            try:
                asked: Asked = await asyncio.to_thread(pipe.recv)
            except (EOFError, OSError):
                return
            embeds: list[dict[str, Any]] = []
            for member in islice(members, asked.count):
                embeds = await _use(member, channel, asked.command)
            if discord_.problems:
                # The bot's side reads the end of the pipe, and this side's traceback says why.
                raise AssertionError(discord_.problems[0])
            discord_.requests.clear()
            pipe.send(embeds)


async def _use(member: Member, channel: Channel, command: str) -> list[dict[str, Any]]:
    invocation = await member.invoke(channel, command, query=QUERY)
    return (await invocation.reply()).embeds
