"""Hold that a reply outlives the process that wrote it."""

from __future__ import annotations

import signal
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from bots import Place, bot_process, buttons, titles, write_config
from loopback_exa import faults

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from cogs.websearch.playground.discord import LoopbackDiscord
    from loopback_exa import LoopbackExa


@asynccontextmanager
async def host_process(discord_: LoopbackDiscord, config: Path, *, last: signal.Signals) -> AsyncIterator[None]:
    """Run the host bot in a process, end it with a signal, and see that it says nothing on its way out."""
    async with bot_process(discord_, config, "hostbot.py") as process:
        await discord_.connected()
        yield
        process.send_signal(last)
        _, said = await process.communicate()
    assert b"Traceback" not in said, said.decode()
    await discord_.until(lambda: discord_.gateway.open_sessions() == 0)


async def test_page_restart_page_delete(
    discord_: LoopbackDiscord, exa: LoopbackExa, settings: dict[str, object], place: Place, tmp_path: Path
) -> None:
    """WEB-12: search and page, then the bot is killed; a new process pages on and deletes."""
    config = write_config(tmp_path / "config.toml", settings)
    async with host_process(discord_, config, last=signal.SIGKILL):
        inv = await place.member.invoke(place.channel, "search", query="a long lived search", results=5)
        reply = await inv.reply()
        first = titles(reply)
        await (await place.member.press(reply, "Next")).reply()
        second = titles(reply)
    assert len(first + second) == len(set(first + second)) == 5
    async with host_process(discord_, config, last=signal.SIGTERM):
        await (await place.member.press(reply, "Previous")).reply()
        assert titles(reply) == first
        await place.member.press(reply, "Delete")
        await discord_.until(lambda: reply.deleted)
    assert len(exa.requests) == 1


async def test_the_whole_way(
    discord_: LoopbackDiscord, exa: LoopbackExa, settings: dict[str, object], place: Place, tmp_path: Path
) -> None:
    """REPLY-12: search, page, read, answer, share; a new process pages on in each reply, and deletes."""
    config = write_config(tmp_path / "config.toml", settings)
    async with host_process(discord_, config, last=signal.SIGKILL):
        inv = await place.member.invoke(place.channel, "search", query="a long way", results=5, private=True)
        reply = await inv.reply()
        first = titles(reply)
        await (await place.member.press(reply, "Next")).reply()
        second = titles(reply)
        text = "A page of many words, each of which says a little more. " * 60
        row = {"url": "https://example.com/long", "title": "A long page", "text": text}
        exa.fail(faults.rows(row, statuses=[{"id": row["url"], "status": "success"}]))
        page = await (await place.member.choose(reply, "Read a page…", ["4"])).reply()
        beginning = page.embeds[0]["description"]
        press = await place.member.press(reply, "Answer")
        await discord_.until(lambda: press.original is not None and "Delete" in buttons(press.original))
        answer = await press.reply()
        assert answer.ephemeral
        sharing = await place.member.press(reply, "Share")
        await discord_.until(lambda: "Share" not in buttons(reply))
        shared = await sharing.reply()
        assert not shared.ephemeral
        assert titles(shared) == second
    async with host_process(discord_, config, last=signal.SIGTERM):
        for message in (reply, shared):
            await (await place.member.press(message, "Previous")).reply()
            assert titles(message) == first
        await (await place.member.press(page, "Next")).reply()
        assert page.embeds[0]["description"] != beginning
        for message in (answer, page, reply, shared):
            await place.member.press(message, "Delete")
            await discord_.until(lambda message=message: message.deleted)  # type: ignore[misc] # a lambda of a loop
    assert [call.path for call in exa.requests] == ["/search", "/contents", "/answer"]
