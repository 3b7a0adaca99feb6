"""Hold a crowd that presses at random, for a minute in CI, while Discord and the engine fail now and then."""

from __future__ import annotations

import asyncio
import os
import re
import signal
from collections import Counter
from contextlib import asynccontextmanager, suppress
from random import Random
from typing import TYPE_CHECKING, Final

import pytest

from bots import Place, bot_process, buttons, write_config
from cogs.websearch.playground.discord import NotOffered, StillWaiting
from loopback_engine import faults as engine_faults
from loopback_exa import faults
from markdown_watch import WATCH

if TYPE_CHECKING:
    from asyncio.subprocess import Process
    from collections.abc import AsyncIterator, Callable, Iterator
    from pathlib import Path

    from aiohttp import web

    from cogs.websearch.playground.discord import Channel, Invocation, LoopbackDiscord, Member, Message
    from loopback_exa import Call, LoopbackExa

MEMBERS: Final = 300
CHANNELS: Final = 10
SECONDS: Final = float(os.environ.get("WEBSEARCH_CROWD_SECONDS") or (60 if os.environ.get("WEBSEARCH_CI") else 10))
# So many presses fill what stays: caches, pools, the first of everything.
WARM: Final = 600
# By how many blocks of memory the bot may grow after that, of some 350,000, and for each press. A minute with 3,000
# presses brought some 9,000 when this was written, and 34,000 where each session stayed: ten seconds can't tell.
GROWTH: Final = 8_000
GROWTH_A_PRESS: Final = 5
KINDS: Final = frozenset({"ask", "read", "Next", "Answer", "Share", "Delete", "Open it for me"})
FAILING: Final = (
    faults.error(500, "INTERNAL_ERROR"),
    faults.error(429, "RATE_LIMIT_EXCEEDED"),
    faults.error(503, "SERVICE_OVERLOADED"),
    engine_faults.reset,
    engine_faults.reset_midway,
    engine_faults.html(),
    engine_faults.hang,
)


class Moody:
    """Answer as Exa does, but for one call in ten."""

    def __init__(self, exa: LoopbackExa, random: Random) -> None:
        self._exa = exa
        self._random = random

    async def __call__(self, call: Call) -> web.StreamResponse:
        """Answer, or fail."""
        if self._random.random() > 0.1:
            return self._exa.answer(call)
        return await self._random.choice(FAILING)(call)


class Crowd:
    """Let members do what they like with what they see, until it's over."""

    def __init__(self, discord_: LoopbackDiscord, place: Place, random: Random) -> None:
        self._discord = discord_
        self._random = random
        self._channels = [place.guild.add_text_channel(f"room {number}") for number in range(CHANNELS)]
        self._members = [place.guild.add_member(f"reader {number}") for number in range(MEMBERS)]
        self._seen: dict[Channel, list[Message]] = {channel: [] for channel in self._channels}
        self.done: Counter[str] = Counter()
        self.asked: list[Invocation] = []
        self.unanswered: list[Invocation] = []

    async def press_for(self, seconds: float) -> None:
        """Press for so many seconds, and wait for what that brings."""
        now = asyncio.get_running_loop().time
        end = now() + seconds
        await self._press_while(lambda: now() < end)

    async def warm_up(self) -> None:
        """Press until each kind of thing has been, and `WARM` presses, which takes a slow machine longer."""
        await self._press_while(lambda: len(self.asked) < WARM or not self.done.keys() >= KINDS)

    async def _press_while(self, goes_on: Callable[[], bool]) -> None:
        await asyncio.gather(*(self._live(member, goes_on) for member in self._members))

    def close_a_channel(self) -> None:
        """Delete a channel, with all that's under way in it."""
        self._channels[0].delete()
        self._channels = self._channels[1:]

    async def _live(self, member: Member, goes_on: Callable[[], bool]) -> None:
        while goes_on():
            await asyncio.sleep(self._random.uniform(0.5, 4))
            channel = self._random.choice(self._channels)
            # What others deleted meanwhile, or a press has taken away, isn't there to be pressed.
            with suppress(NotOffered, KeyError):
                await self._act(member, channel)

    async def _act(self, member: Member, channel: Channel) -> None:
        seen = [one for one in self._seen[channel] if one.visible_to(member) and not one.deleted]
        seen = [one for one in seen if one.components]
        if not seen or self._random.random() < 0.25:
            inv = await self._ask(member, channel)
        else:
            inv = await self._press(member, self._random.choice(seen[-20:]))
        self.asked.append(inv)
        try:
            reply = await inv.reply()
        except StillWaiting:
            # A deletion or a private note is all that some presses come to, and what was deleted can't be completed.
            if inv.original is not None and not inv.original.deleted and not inv.followups:
                self.unanswered.append(inv)
            return
        self._seen[channel] += [one for one in (reply, *inv.followups) if one not in self._seen[channel]]
        if self._random.random() < 0.05:
            # A moderator, or whoever it is that deletes messages.
            reply.delete()

    async def _ask(self, member: Member, channel: Channel) -> Invocation:
        self.done["ask"] += 1
        way, private = self._random.choice(("results", "answer", "menu", "own")), self._random.random() < 0.5
        if way == "menu":
            return await member.use_menu(member.send(channel, "what is the sky made of?"), "Search the web")
        if way == "own":
            return await member.invoke(channel, "searches")
        return await member.invoke(channel, "search", query="a question of many", mode=way, private=private)

    async def _press(self, member: Member, message: Message) -> Invocation:
        menus = message.menus()
        names = [*buttons(message), *(menu["custom_id"] for menu in menus)]
        # Who deletes everything sees little.
        name = self._random.choices(names, [0.1 if name == "Delete" else 1 for name in names])[0]
        menu = next((menu for menu in menus if menu["custom_id"] == name), None)
        if menu is None:
            inv = await member.press(message, name)
        else:
            inv = await member.choose(message, name, [self._random.choice(menu["options"])["value"]])
        self.done["read" if menu is not None else name] += 1
        return inv


class Log:
    """Read what a process writes while it runs: it would stand still once its pipe is full."""

    def __init__(self, process: Process) -> None:
        self.lines: list[str] = []
        self._process = process
        self._blocks: asyncio.Queue[int] = asyncio.Queue()

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[None]:
        """Read until the process has closed it."""
        task = asyncio.create_task(self._read())
        yield
        await task

    async def blocks(self) -> int:
        """Ask how many blocks of memory the process holds."""
        self._process.send_signal(signal.SIGUSR1)
        return await self._blocks.get()

    async def _read(self) -> None:
        assert self._process.stderr is not None
        async for line in self._process.stderr:
            told = re.fullmatch(r"blocks (\d+)\n", line.decode())
            if told:
                self._blocks.put_nowait(int(told[1]))
            else:
                self.lines.append(line.decode())


@pytest.fixture
def unwatched(pytestconfig: pytest.Config) -> Iterator[None]:
    """Keep the watch over all messages from keeping some thousand."""
    watch = pytestconfig.stash[WATCH]
    watch.paused = True
    yield
    watch.paused = False


@pytest.mark.timeout(SECONDS + 120)
@pytest.mark.usefixtures("unwatched")
async def test_a_crowd_that_presses_at_random(
    discord_: LoopbackDiscord, exa: LoopbackExa, settings: dict[str, object], place: Place, tmp_path: Path
) -> None:
    """REPLY-14: no exception, no interaction acknowledged twice, no body that Discord refuses, and memory stays."""
    settings |= {"web-per-minute": 1000, "web-daily-per-user": 1000, "web-timeout-s": 3, "web-answer-timeout-s": 5}
    random = Random(7)  # noqa: S311 - the same each time, and nobody's secret
    exa.fail(always=Moody(exa, random))
    async with bot_process(discord_, write_config(tmp_path / "config.toml", settings), "hostbot.py") as process:
        log = Log(process)
        async with log.reading():
            await discord_.connected()
            crowd = Crowd(discord_, place, random)
            discord_.disturb(random, 0.03)
            await crowd.warm_up()
            before, pressed = await log.blocks(), len(crowd.asked)
            crowd.close_a_channel()
            await crowd.press_for(SECONDS)
            after = await log.blocks()
            discord_.faults.clear()
            process.terminate()
        await process.wait()
    assert discord_.problems == []
    assert [line for line in log.lines if re.match("Traceback|ERROR|CRITICAL", line)] == []
    assert crowd.unanswered == []
    assert after - before < GROWTH + GROWTH_A_PRESS * (len(crowd.asked) - pressed)
