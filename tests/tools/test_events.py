"""Hold what a host's own listeners hear."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from discord.ext import commands

from bots import Place, RunBot, cog_of, titles
from chatting import QUERY, Chat
from cogs.websearch.events import Surface, WebSearchEvent, WebSearchFailure
from cogs.websearch.models import Answered, Outcome, Reading
from loopback_exa import LoopbackExa, faults
from staff import ask as tell
from trouble import EDIT, mistakes, rename_table, settled

if TYPE_CHECKING:
    from cogs.websearch.playground.discord import LoopbackDiscord
    from staff import Staff

PAGE = "https://docs.example.org/asyncio/to-thread"


class Diary(commands.Cog):
    """Be a host's own cog that writes down what it hears."""

    def __init__(self, bot: commands.Bot) -> None:
        self.bot = bot
        self.heard: list[tuple[str, Any]] = []
        self.written = asyncio.Event()

    def _write(self, name: str, event: object) -> None:
        self.heard.append((name, event))
        self.written.set()

    async def read(self, count: int) -> list[tuple[str, Any]]:
        """Wait until so much was heard, and return it."""
        while len(self.heard) < count:
            self.written.clear()
            await self.written.wait()
        return self.heard

    @commands.Cog.listener()
    async def on_web_search(self, event: WebSearchEvent) -> None:
        """Hear of a search."""
        self._write("search", event)

    @commands.Cog.listener()
    async def on_web_answer(self, event: WebSearchEvent) -> None:
        """Hear of an answer."""
        self._write("answer", event)

    @commands.Cog.listener()
    async def on_web_read(self, event: WebSearchEvent) -> None:
        """Hear of a page."""
        self._write("read", event)

    @commands.Cog.listener()
    async def on_web_share(self, event: WebSearchEvent) -> None:
        """Hear of a shared reply."""
        self._write("share", event)

    @commands.Cog.listener()
    async def on_web_search_failed(self, event: WebSearchFailure) -> None:
        """Hear of a failure."""
        self._write("failed", event)


@pytest.fixture
async def diary(bot: commands.Bot) -> Diary:
    """Let the host listen."""
    cog = Diary(bot)
    await bot.add_cog(cog)
    return cog


@pytest.mark.usefixtures("no_mistakes")
async def test_tools_are_heard(diary: Diary, chat: Chat) -> None:
    """EVT-01, EVT-02: search, answer and page of a chat bot, each with its member; of a failure the key alone."""
    await chat.call("web_search", query=QUERY)
    await chat.call("web_answer", query=QUERY)
    await chat.call("web_fetch", url=PAGE)
    await chat.call("web_fetch", url="nowhere")
    await chat.call("web_search_pause", paused=True)
    await chat.call("web_search", query=QUERY)
    heard = await diary.read(5)
    assert [name for name, _ in heard] == ["search", "answer", "read", "failed", "failed"]
    assert {event.surface for _, event in heard} == {Surface.TOOL}
    assert {(event.asker.user_id, event.asker.guild_id) for _, event in heard} == {(chat.user_id, chat.guild_id)}
    contents = [event.content for name, event in heard if name != "failed"]
    assert [type(content) for content in contents] == [Outcome, Answered, Reading]
    assert [event.key for name, event in heard if name == "failed"] == ["address-invalid", "search-paused"]


@pytest.mark.usefixtures("no_mistakes")
async def test_commands_and_buttons_are_heard(
    diary: Diary, place: Place, discord_: LoopbackDiscord, exa: LoopbackExa
) -> None:
    """EVT-01: search and answer by command, a page and a shared reply by button; what was refused, and what failed."""
    reply = await (await place.member.invoke(place.channel, "search", query=QUERY, private=True)).reply()
    await diary.read(1)
    await place.member.choose(reply, "Read a page…", ["1"])
    await diary.read(2)
    await place.member.press(reply, "Share")
    await diary.read(3)
    await place.member.invoke(place.channel, "search", query=QUERY, mode="answer")
    await diary.read(4)
    await place.member.invoke(place.channel, "search", query=QUERY, site="localhost")
    await diary.read(5)
    exa.fail(faults.rows())
    inv = await place.member.invoke(place.channel, "search", query=QUERY)
    heard = await diary.read(6)
    await settled(diary.bot, discord_, inv)
    assert [(name, event.surface) for name, event in heard] == [
        ("search", Surface.COMMAND),
        ("read", Surface.BUTTON),
        ("share", Surface.BUTTON),
        ("answer", Surface.COMMAND),
        ("failed", Surface.COMMAND),
        ("failed", Surface.COMMAND),
    ]
    assert heard[2][1].content == heard[0][1].content
    assert [event.key for _, event in heard[4:]] == ["site-invalid", "nothing-found"]


@pytest.mark.usefixtures("no_mistakes")
async def test_presses_in_vain_are_heard(diary: Diary, place: Place, staff: Staff, discord_: LoopbackDiscord) -> None:
    """EVT-04: an answer and a page that aren't asked for where that's off; a share isn't one of them."""
    reply = await (await place.member.invoke(staff.channel, "search", query=QUERY, private=True)).reply()
    await diary.read(1)
    await tell(staff.moderator, staff.channel, "off")
    for press in (
        await place.member.press(reply, "Share"),
        await place.member.press(reply, "Answer"),
        await place.member.choose(reply, "Read a page…", ["1"]),
    ):
        await settled(diary.bot, discord_, press)
    heard = [event for _, event in (await diary.read(3))[1:]]
    who = (place.member.id, staff.channel.id)
    assert [(event.key, event.surface) for event in heard] == [("switched-off", Surface.BUTTON)] * 2
    assert {(event.asker.user_id, event.asker.channel_id) for event in heard} == {who}


@pytest.mark.usefixtures("no_mistakes")
async def test_presses_that_do_nothing_are_not_heard(diary: Diary, place: Place, discord_: LoopbackDiscord) -> None:
    """EVT-04: neither the second of two nor one on a reply that has ended."""
    reply = await (await place.member.invoke(place.channel, "search", query=QUERY)).reply()
    hold = discord_.hold(*EDIT, times=1)
    first = await place.member.press(reply, "Answer")
    await hold.reached()
    await (await place.member.press(reply, "Answer")).reply()
    hold.release()
    await settled(diary.bot, discord_, first)
    discord_.clock.advance(24 * 3600 + 1)
    await settled(diary.bot, discord_, await place.member.choose(reply, "Read a page…", ["1"]))
    await place.member.invoke(place.channel, "search", query=QUERY)
    assert [name for name, _ in await diary.read(3)] == ["search", "answer", "search"]


async def test_a_press_that_the_database_fails_is_heard(
    diary: Diary,
    place: Place,
    discord_: LoopbackDiscord,
    settings: dict[str, object],
    caplog: pytest.LogCaptureFixture,
) -> None:
    """EVT-04: once, also where the session isn't found for it."""
    reply = await (await place.member.invoke(place.channel, "search", query=QUERY)).reply()
    await rename_table(settings, "session", "gone")
    await settled(diary.bot, discord_, await place.member.choose(reply, "Read a page…", ["1"]))
    await rename_table(settings, "gone", "session")
    await place.member.invoke(place.channel, "search", query=QUERY)
    heard = await diary.read(3)
    assert [name for name, _ in heard] == ["search", "failed", "search"]
    assert heard[1][1].key == "store-failed"
    assert mistakes(caplog) == ["the database failed to load a session: SQLITE_ERROR"]


@pytest.mark.parametrize("fault", ["raises", "hangs"])
async def test_a_bad_listener_changes_nothing(
    run_bot: RunBot, place: Place, caplog: pytest.LogCaptureFixture, fault: str
) -> None:
    """EVT-03: a listener that raises is reported by discord.py alone, and nobody waits for one that hangs."""
    never = asyncio.Event()
    done: list[str] = []

    async def listener(_event: object) -> None:
        done.append("heard")
        if fault == "raises":
            message = "a listener of the host's"
            raise RuntimeError(message)
        await never.wait()

    async with run_bot() as bot:
        reported: list[str] = []

        async def on_error(name: str, *_args: object, **_kwargs: object) -> None:
            reported.append(name)

        bot.on_error = on_error  # type: ignore[method-assign] # as hosts do
        for name in ("on_web_search", "on_web_search_failed"):
            bot.add_listener(listener, name)
        chat = Chat.of(bot, place)
        assert "results" in await chat.call("web_search", query=QUERY)
        assert "error" in await chat.call("web_search")
        reply = await (await place.member.invoke(place.channel, "search", query=QUERY)).reply()
        assert titles(reply)
        assert await cog_of(bot).tools(**chat.where)
        await asyncio.sleep(0)
        assert done == ["heard"] * 3
        assert len(reported) == (3 if fault == "raises" else 0)
        never.set()
    assert mistakes(caplog) == []
