"""Run the bundled bot in this process, and mention it as its owner does."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from cogs.websearch.bot import SearchBot

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from cogs.websearch.playground.discord import Channel, LoopbackDiscord, Member, Message, User


@asynccontextmanager
async def bundled_bot(discord_: LoopbackDiscord) -> AsyncIterator[SearchBot]:
    """Connect the bundled bot, on Discord's clock, and disconnect it; `WEBSEARCH_CONFIG` names its configuration."""
    bot = SearchBot(clock=discord_.clock.now)
    async with bot:
        running = asyncio.create_task(bot.start(discord_.token))
        arrived = asyncio.create_task(discord_.connected(discord_.gateway.shards))
        await asyncio.wait({running, arrived}, return_when=asyncio.FIRST_COMPLETED)
        if running.done():
            arrived.cancel()
            running.result()
        await arrived
        yield bot
        await bot.close()
        await running


def mention(discord_: LoopbackDiscord, who: Member | User, where: Channel, said: str) -> Message:
    """Write a message that begins with a mention of the bot."""
    return who.send(where, f"<@{discord_.bot.id}> {said}")


async def answer(discord_: LoopbackDiscord, where: Channel, *, before: int) -> str:
    """Wait for one more message of the bot in a channel that had so many of them, and return what it says."""
    await discord_.until(lambda: len(written(discord_, where)) > before, f"an answer in {where}")
    (message,) = written(discord_, where)[before:]
    assert message.pings == frozenset()
    assert message.allowed_mentions == {"parse": []}
    return message.content


async def told(discord_: LoopbackDiscord, who: Member | User, where: Channel, said: str) -> str:
    """Mention the bot, and return what it answers."""
    before = len(written(discord_, where))
    mention(discord_, who, where, said)
    return await answer(discord_, where, before=before)


def written(discord_: LoopbackDiscord, where: Channel) -> list[Message]:
    """List what the bot has written in a channel by itself, in order."""
    return [message for message in where.messages if message.author is discord_.bot and message.interaction is None]
