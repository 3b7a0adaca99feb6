"""Bring trouble about, and look at what the bot's owner was told of it."""

from __future__ import annotations

import asyncio
from itertools import count
from typing import TYPE_CHECKING, Final

from cogs.websearch.troubles import Kind
from loopback_exa import faults
from trouble import rename_table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bots import Place
    from cogs.websearch.playground.discord import Channel, LoopbackDiscord, Message
    from loopback_exa import Fault, LoopbackExa

QUERY: Final = "a query that no alert may hold"
_NUMBERS: Final = count(1)
KEY: Final = faults.error(401, "INVALID_API_KEY", "The key is wrong")
CREDITS: Final = faults.error(402, "NO_MORE_CREDITS", "You are out of credits")
# What isn't tried again.
DOWN: Final = faults.html()
FAULTS: Final[Mapping[Kind, Fault]] = {Kind.KEY: KEY, Kind.CREDITS: CREDITS, Kind.ENGINE: DOWN}
# How each kind of trouble, and its end, begins.
BEGINS: Final[Mapping[Kind, str]] = {
    Kind.KEY: "**Exa refuses the bot's key",
    Kind.CREDITS: "**The bot's credit at Exa is used up",
    Kind.BUDGET: "**The bot has spent its budget of 0 US dollars a day",
    Kind.ENGINE: "**Exa fails, search after search.**",
    Kind.DATABASE: "**The bot's database websearch.db fails",
}
ENDS: Final[Mapping[Kind, str]] = {
    Kind.KEY: "Exa takes the bot's key again",
    Kind.CREDITS: "The bot has credit at Exa again",
    Kind.ENGINE: "Exa works again",
    Kind.DATABASE: "The bot's database works again",
}


async def begin(kind: Kind, settings: dict[str, object], exa: LoopbackExa) -> None:
    """Bring a kind of trouble about; a budget is one of the settings, before the bot starts."""
    if kind in FAULTS:
        exa.fail(always=FAULTS[kind])
    if kind is Kind.DATABASE:
        await rename_table(settings, "counter", "hidden")


async def end(kind: Kind, settings: dict[str, object], exa: LoopbackExa) -> None:
    """End it."""
    exa.recover()
    if kind is Kind.DATABASE:
        await rename_table(settings, "hidden", "counter")


async def search(place: Place, times: int = 1) -> list[Message]:
    """Let the member search so many times at once, each for something else, and return the replies."""
    queries = (f"{QUERY} {next(_NUMBERS)}" for _ in range(times))
    asked = [await place.member.invoke(place.channel, "search", query=query) for query in queries]
    return [await inv.reply() for inv in asked]


async def alerts_sent() -> None:
    """Wait until every alert that is being sent has been."""
    while under_way := {task for task in asyncio.all_tasks() if task.get_name() == "websearch alert"}:
        await asyncio.wait(under_way)


def direct(discord_: LoopbackDiscord) -> list[str]:
    """List what the application's owner was told by direct message."""
    return said(discord_.open_dm(discord_.owner))


def said(channel: Channel) -> list[str]:
    """List what the bot wrote into a channel of its own accord."""
    return [message.content for message in channel.messages if message.interaction is None]
