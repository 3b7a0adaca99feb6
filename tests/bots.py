"""Give tests a connected bot, a place to search at, and a look at what members see."""

from __future__ import annotations

import asyncio
import os
import sys
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self, TypeAlias, cast

import discord
from discord.ext import commands

from cogs.websearch import WebSearch
from cogs.websearch.playground.discord import Channel, Guild, LoopbackDiscord, Member, Message, Permission

if TYPE_CHECKING:
    from asyncio.subprocess import Process
    from collections.abc import AsyncIterator, Callable, Mapping
    from contextlib import AbstractAsyncContextManager

    from loopback_exa import LoopbackExa

# Called without arguments, it runs a bot with the cog while its context lasts.
RunBot: TypeAlias = "Callable[[], AbstractAsyncContextManager[commands.Bot]]"

_FOLDER: Final = Path(__file__).parent


@dataclass
class Place:
    """Hold a server with one channel, the member who searches, another member, and a moderator."""

    guild: Guild
    channel: Channel
    member: Member
    other: Member
    moderator: Member

    @classmethod
    def make(cls, discord_: LoopbackDiscord) -> Self:
        """Make all of it."""
        guild = discord_.add_guild("Library")
        return cls(
            guild=guild,
            channel=guild.add_text_channel("general"),
            member=guild.add_member("reader"),
            other=guild.add_member("neighbour"),
            moderator=guild.add_member("warden", permissions=Permission.MANAGE_MESSAGES),
        )


@asynccontextmanager
async def connected_bot(
    discord_: LoopbackDiscord, kind: type[commands.Bot] = commands.Bot, *, guilds: bool = True
) -> AsyncIterator[commands.Bot]:
    """Connect a bot without privileged intents, maybe without that for servers, and disconnect it."""
    # Discord's stand-in announces its servers at once: there is no need to wait for more of them.
    intents = discord.Intents(guilds=guilds)
    bot = kind(command_prefix="!", intents=intents, help_command=None, guild_ready_timeout=0.01)
    ready = asyncio.Event()

    @bot.listen()
    async def on_ready() -> None:
        ready.set()

    async with bot:
        running = asyncio.create_task(bot.start(discord_.token))
        arrived = asyncio.create_task(ready.wait())
        await asyncio.wait({running, arrived}, return_when=asyncio.FIRST_COMPLETED)
        if running.done():
            arrived.cancel()
            running.result()
        yield bot
        await bot.close()
        await running


@asynccontextmanager
async def searching_bot(
    discord_: LoopbackDiscord, settings: Mapping[str, object], *, guilds: bool = True
) -> AsyncIterator[commands.Bot]:
    """Connect a bot with the cog, on Discord's clock, its commands synced; maybe without the intent for servers."""
    async with connected_bot(discord_, guilds=guilds) as bot:
        await bot.add_cog(WebSearch(bot, settings, clock=discord_.clock.now))
        await bot.tree.sync()
        yield bot


@asynccontextmanager
async def bot_process(discord_: LoopbackDiscord, config: Path, *program: str, **env: str) -> AsyncIterator[Process]:
    """Run a program of this folder, with its arguments, in a process of its own; kill it where it's still running."""
    given = {
        "API_URL": discord_.api_url,
        "GATEWAY_URL": discord_.gateway_url,
        "WEBSEARCH_CONFIG": str(config),
        "DISCORD_TOKEN": discord_.token,
    }
    name, *arguments = program
    process = await asyncio.create_subprocess_exec(
        sys.executable, str(_FOLDER / name), *arguments, env=os.environ | given | env, stderr=asyncio.subprocess.PIPE
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
            await process.communicate()


def settings_for(exa: LoopbackExa, folder: Path) -> dict[str, object]:
    """Configure the cog for a stand-in for Exa, with a database in the folder."""
    return {
        "enable-web-search": True,
        "exa-api-key": exa.key,
        # No test waits for its turn that isn't about turns.
        "web-pace-per-second": 1000,
        # Nor is a search answered by an earlier one where repeats aren't what it's about.
        "web-cache-minutes": 0,
        "exa-base-url": exa.url,
        "web-database": str(folder / "websearch.db"),
    }


def cog_of(bot: commands.Bot) -> WebSearch:
    """Return the cog that the bot has loaded."""
    return cast("WebSearch", bot.get_cog("WebSearch"))


def write_config(path: Path, settings: Mapping[str, object]) -> Path:
    """Write settings, whose values are texts and switches, as a configuration file; return its path."""
    lines = (
        f"{key} = {str(value).lower() if isinstance(value, bool) else repr(value)}\n" for key, value in settings.items()
    )
    path.write_text("".join(lines), "utf-8")
    return path


def titles(message: Message) -> list[str]:
    """List the titles of the results on a page, in order; the header is left out."""
    return [embed["title"] for embed in message.embeds[1:]]


def sentence(message: Message) -> str:
    """Return what a reply of one sentence says."""
    (embed,) = message.embeds
    text: str = embed["description"]
    return text


def buttons(message: Message) -> dict[str, dict[str, Any]]:
    """Map the labels of a message's buttons to the buttons."""
    return {button["label"]: button for row in message.components for button in row["components"] if "label" in button}
