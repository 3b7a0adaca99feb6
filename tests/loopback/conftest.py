"""Give each test a world of its own, and hold at its end that the client broke no rule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from cogs.websearch.playground.discord import Channel, Clock, Guild, LoopbackDiscord, Member
from loopback.probe import Outcomes, ProbeBot, ShardedProbeBot, make, running
from markdown_watch import WATCH

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator


@pytest.fixture(autouse=True)
def unwatched(request: pytest.FixtureRequest) -> Iterator[None]:
    """Let the bots of these tests say whatever they like: they aren't the cog."""
    watch = request.config.stash[WATCH]
    watch.paused = True
    yield
    watch.paused = False


@pytest.fixture
async def world() -> AsyncIterator[LoopbackDiscord]:
    """Serve an empty world; a test that breaks rules on purpose clears `problems` itself."""
    async with LoopbackDiscord(Clock()) as served:
        yield served
    assert [str(problem) for problem in served.problems] == []
    assert wrong_answers(served) == []


def wrong_answers(served: LoopbackDiscord) -> list[str]:
    """List where an answer of the loopback itself is not what Discord's document promises (LOOP-17)."""
    if served.contract is None:
        return []
    flaws = []
    for request in served.requests:
        if request.status in (200, 201):
            found = served.contract.check_answer(request.method, request.template, request.status, request.answer)
            flaws += [f"{request}: {flaw}" for flaw in found]
    return flaws


@dataclass
class Scene:
    """Hold a world with one server, one channel, one member, and the bot in it."""

    world: LoopbackDiscord
    guild: Guild
    channel: Channel
    member: Member
    bot: ProbeBot | ShardedProbeBot

    @property
    def outcomes(self) -> Outcomes:
        """Return what the bot does and what came of it."""
        return self.bot.outcomes


@pytest.fixture
async def scene(world: LoopbackDiscord) -> AsyncIterator[Scene]:
    """Set the scene with a running bot."""
    guild = world.add_guild("Library")
    channel = guild.add_text_channel("general")
    member = guild.add_member("reader")
    async with running(world, make()) as bot:
        yield Scene(world, guild, channel, member, bot)
