"""Look at what a search has left behind once the bot is done with it."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

from bots import Place, cog_of

if TYPE_CHECKING:
    import pytest
    from discord.ext import commands

    from cogs.websearch.playground.discord import Invocation, LoopbackDiscord, Message

QUERY = "a search that meets trouble on its way"
# The requests of a reply: their methods, and patterns of their paths.
CALLBACK = ("POST", r"/callback$")
EDIT = ("PATCH", r"/messages/@original$")
DELETE = ("DELETE", r"/messages/@original$")
FOLLOW_UP = ("POST", r"^/webhooks/[^/]+/[^/]+$")


async def ask(place: Place, *, private: bool = False, results: int = 5) -> Invocation:
    """Search as the member."""
    return await place.member.invoke(place.channel, "search", query=QUERY, private=private, results=results)


async def settled(bot: commands.Bot, discord_: LoopbackDiscord, *asked: Invocation) -> None:
    """Wait until the bot has done all that it does about interactions."""
    for inv in asked:
        await discord_.until(lambda inv=inv: any(inv.token in request.path for request in discord_.requests))  # type: ignore[misc] # a lambda of a loop
    await cog_of(bot).underway.settle(10)


async def counted(bot: commands.Bot, place: Place) -> int:
    """Tell how many searches of the member count."""
    return (await cog_of(bot).service.usage(user_id=place.member.id)).member.searches


def sessions(settings: dict[str, object]) -> int:
    """Count the sessions in the database."""
    with closing(sqlite3.connect(str(settings["web-database"]))) as database:
        return int(database.execute("SELECT count(*) FROM session").fetchone()[0])


async def rename_table(settings: dict[str, object], table: str, name: str) -> None:
    """Give a table of the database another name, so that whoever looks for it fails, or its own name back."""

    def rename() -> None:
        with closing(sqlite3.connect(str(settings["web-database"]))) as vandal:
            vandal.execute(f"ALTER TABLE {table} RENAME TO {name}")
            vandal.commit()

    await asyncio.to_thread(rename)


def sent(discord_: LoopbackDiscord, wanted: tuple[str, str], inv: Invocation) -> int:
    """Count the requests of a kind that were made for an interaction."""
    method, path = wanted
    end = path.rpartition("/")[2].strip("$")
    requests = [one for one in discord_.requests if one.method == method and inv.token in one.path]
    return sum(one.path.endswith(end) for one in requests)


def public(discord_: LoopbackDiscord, place: Place) -> list[Message]:
    """List what other members see of the bot."""
    return [message for message in discord_.messages.values() if message.visible_to(place.other)]


def mistakes(caplog: pytest.LogCaptureFixture) -> list[str]:
    """List what was logged as an error or with a traceback, by anybody, since the test was set up."""
    # Of `caplog.records` nothing is left of the test itself once its fixtures are taken down.
    records = [record for phase in ("setup", "call", "teardown") for record in caplog.get_records(phase)]
    found = [record for record in records if record.exc_info or record.levelno >= logging.ERROR]
    return [record.getMessage() for record in found]
