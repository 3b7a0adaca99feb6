"""Be a bot that does whatever a test says when it's asked."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Self

import discord
from discord import app_commands
from discord.ext import commands

from cogs.websearch.playground.discord import LoopbackDiscord, connect

if TYPE_CHECKING:
    import re

Interaction = discord.Interaction[Any]
Behaviour = Callable[[Interaction], Awaitable[object]]


class Outcomes:
    """Hold what a behaviour does, and hand on what came of it: its value or its exception."""

    def __init__(self) -> None:
        """Do nothing at first."""
        self.behave: Behaviour | None = None
        self._queue: asyncio.Queue[object] = asyncio.Queue()
        self.seen: list[Interaction] = []
        self._arrived: asyncio.Queue[Interaction] = asyncio.Queue()

    async def run(self, interaction: Interaction) -> None:
        """Run the behaviour and keep what came of it."""
        self.seen.append(interaction)
        self._arrived.put_nowait(interaction)
        if self.behave is None:
            return
        try:
            self._queue.put_nowait(await self.behave(interaction))
        except discord.HTTPException as error:
            self._queue.put_nowait(error)

    async def received(self) -> Interaction:
        """Wait for the next interaction that the bot has received."""
        async with asyncio.timeout(10):
            return await self._arrived.get()

    async def next(self) -> object:
        """Wait for the next outcome."""
        async with asyncio.timeout(10):
            return await self._queue.get()

    async def error(self) -> discord.HTTPException:
        """Wait for the next outcome, which must be a refusal."""
        outcome = await self.next()
        assert isinstance(outcome, discord.HTTPException), outcome
        return outcome


class Heard:
    """Collect the interactions of a type, for a test to answer by itself."""

    def __init__(self, bot: commands.Bot | commands.AutoShardedBot, kind: discord.InteractionType) -> None:
        """Listen from now on."""
        self._queue: asyncio.Queue[Interaction] = asyncio.Queue()

        async def listen(interaction: Interaction) -> None:
            if interaction.type is kind:
                self._queue.put_nowait(interaction)

        bot.add_listener(listen, "on_interaction")

    async def get(self) -> Interaction:
        """Wait for the next one."""
        async with asyncio.timeout(10):
            return await self._queue.get()


class Turn(discord.ui.DynamicItem[discord.ui.Button[discord.ui.View]], template=r"turn:(?P<page>\d+)"):
    """Be a button that carries the number of a page."""

    def __init__(self, page: int) -> None:
        """Lead to the page."""
        super().__init__(discord.ui.Button(label=f"Page {page}", custom_id=f"turn:{page}"))
        self.page = page

    @classmethod
    async def from_custom_id(cls, _interaction: Interaction, _item: discord.ui.Item[Any], match: re.Match[str]) -> Self:
        """Read the page from the custom id."""
        return cls(int(match["page"]))

    async def callback(self, interaction: Interaction) -> None:
        """Show the page."""
        await interaction.response.edit_message(content=f"page {self.page}")


def turning(page: int) -> discord.ui.View:
    """Make a view that holds a button to the page."""
    return discord.ui.View(timeout=None).add_item(Turn(page))


class Admin(commands.GroupCog, group_name="admin"):
    """Be commands for those who may manage channels."""

    def __init__(self, outcomes: Outcomes) -> None:
        """Run the outcomes' behaviour."""
        self.outcomes = outcomes
        super().__init__()

    @app_commands.command()
    async def on(self, interaction: Interaction, channel: discord.abc.GuildChannel | discord.Thread) -> None:
        """Name a channel."""
        interaction.extras["channel"] = channel
        await self.outcomes.run(interaction)


class Probe(commands.Cog):
    """Be commands with an option of each kind that the tests need."""

    def __init__(self, outcomes: Outcomes) -> None:
        """Run the outcomes' behaviour."""
        self.outcomes = outcomes

    @app_commands.command()
    @app_commands.allowed_installs(guilds=True, users=True)
    @app_commands.allowed_contexts(guilds=True, dms=True, private_channels=True)
    @app_commands.choices(
        kind=[app_commands.Choice(name="Short", value="s"), app_commands.Choice(name="Long", value="l")]
    )
    async def probe(  # noqa: PLR0917 - one parameter for each kind of option
        self,
        interaction: Interaction,
        text: app_commands.Range[str, 1, 400] = "",
        count: app_commands.Range[int, 1, 10] = 5,
        kind: str = "s",
        user: discord.User | None = None,
        channel: discord.TextChannel | None = None,
        hint: str = "",
    ) -> None:
        """Do what the test says."""
        interaction.extras.update(text=text, count=count, kind=kind, user=user, channel=channel, hint=hint)
        await self.outcomes.run(interaction)

    @probe.autocomplete("hint")
    async def hints(self, _interaction: Interaction, typed: str) -> list[app_commands.Choice[str]]:
        """Offer what was typed, twice."""
        return [app_commands.Choice(name=f"{typed}{n}", value=f"{typed}{n}") for n in (1, 2)]

    @app_commands.command()
    @app_commands.guild_only()
    async def required(self, interaction: Interaction, text: str) -> None:
        """Need an option, and a server."""
        interaction.extras["text"] = text
        await self.outcomes.run(interaction)

    @app_commands.command(nsfw=True)
    async def adult(self, interaction: Interaction) -> None:
        """Need an age-restricted channel."""
        await self.outcomes.run(interaction)


class ProbeMixin:
    """Add the probes to a bot of any class."""

    outcomes: Outcomes

    async def setup_hook(self) -> None:
        """Load the commands and sync them."""
        assert isinstance(self, commands.Bot | commands.AutoShardedBot)
        outcomes = self.outcomes
        await self.add_cog(Probe(outcomes))
        admin = Admin(outcomes)
        assert admin.app_command is not None
        admin.app_command.default_permissions = discord.Permissions(manage_channels=True)
        await self.add_cog(admin)

        async def menu(interaction: Interaction, message: discord.Message) -> None:
            interaction.extras["message"] = message
            await outcomes.run(interaction)

        self.tree.add_command(app_commands.ContextMenu(name="Look at it", callback=menu))
        self.add_dynamic_items(Turn)
        await self.tree.sync()


class ProbeBot(ProbeMixin, commands.Bot):
    """Be an ordinary bot with the probes."""


class ShardedProbeBot(ProbeMixin, commands.AutoShardedBot):
    """Be a sharded bot with the probes."""

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:
        """Leave out the five seconds that discord.py sleeps between shards."""


def make(kind: type[ProbeBot | ShardedProbeBot] = ProbeBot, **options: Any) -> ProbeBot | ShardedProbeBot:  # noqa: ANN401 - whatever discord.py's client takes
    """Make a bot that is ready at once, where discord.py would wait two seconds for more servers."""
    options.setdefault("intents", discord.Intents.default())
    bot = kind(commands.when_mentioned, guild_ready_timeout=0, **options)
    bot.outcomes = Outcomes()
    return bot


@asynccontextmanager
async def running(
    world: LoopbackDiscord, bot: ProbeBot | ShardedProbeBot, *, sessions: int = 1
) -> AsyncIterator[ProbeBot | ShardedProbeBot]:
    """Run a bot against the loopback Discord, and close all of it at the end."""
    with connect(world):
        async with bot:
            task = asyncio.create_task(bot.start(world.token))
            waiting = asyncio.create_task(world.connected(sessions))
            await asyncio.wait((task, waiting), return_when=asyncio.FIRST_COMPLETED)
            if task.done():
                waiting.cancel()
                await task
            await waiting
            yield bot
        await task
