"""Hold what a call returns, what it costs, and what becomes of it where something goes wrong."""

from __future__ import annotations

import asyncio
import re
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

import attacks
from bots import Place, RunBot, cog_of
from chatting import QUERY, Chat
from cogs.websearch import cog as cog_module
from cogs.websearch import limits, links, text
from cogs.websearch.i18n import Words
from cogs.websearch.tool_wording import moment
from loopback_engine.faults import answer
from loopback_exa import LoopbackExa, faults

if TYPE_CHECKING:
    from discord.ext import commands

    from cogs.websearch.playground.discord import LoopbackDiscord

pytestmark = pytest.mark.usefixtures("no_mistakes")

PAGE = "https://docs.example.org/asyncio/to-thread"
RESTARTED = {"error": "Web search is being restarted: try again in a moment."}


def sessions(settings: dict[str, object]) -> int:
    """Count the sessions in the database."""
    with closing(sqlite3.connect(str(settings["web-database"]))) as database:
        return int(database.execute("SELECT count(*) FROM session").fetchone()[0])


async def test_a_search_returns_results(chat: Chat, settings: dict[str, object]) -> None:
    """TOOL-20: query and results, each with title, address, snippet, and the day of publication, and nothing else."""
    found = await chat.call("web_search", query=f"  {QUERY} ", num_results=2)
    assert found["query"] == QUERY
    first, second = found["results"]
    assert first == {
        "title": "New telescope sends its first pictures of a distant galaxy",
        "url": "https://news.example.com/2026/11/telescope",
        "snippet": first["snippet"],
        "published": "2026-11-29",
    }
    assert first["snippet"].startswith("The telescope sent its first pictures on Sunday.")
    assert set(second) == set(first)
    assert await chat.counted() == 1
    # Nothing is kept for buttons that aren't there.
    assert sessions(settings) == 0


async def test_what_has_no_date_says_so(chat: Chat) -> None:
    """TOOL-20: a page whose day isn't known has null there."""
    found = await chat.call("web_search", query="sensors for greenhouses Example Instruments", num_results=1)
    assert found["results"][0]["published"] is None


async def test_a_page_is_read(chat: Chat) -> None:
    """TOOL-21: address, title, text, whether it was cut, and the day; counted as one search."""
    read = await chat.call("web_fetch", url=PAGE)
    assert (read["url"], read["title"], read["truncated"]) == (PAGE, "Running blocking code in a thread", False)
    assert "lets the event loop go on" in read["text"]
    assert read["published"] == "2026-05-04"
    assert set(read) == {"url", "title", "text", "truncated", "published"}
    assert await chat.counted() == 1


async def test_a_long_page_is_cut_to_what_a_model_takes(chat: Chat, exa: LoopbackExa) -> None:
    """TOOL-21: between two words or graphemes, with an ellipsis, and it's said."""
    whole = "漢字を読む。" * 1500
    exa.fail(faults.rows({"url": PAGE, "id": PAGE, "title": "Long", "text": whole}, statuses=[]))
    read = await chat.call("web_fetch", url=PAGE)
    assert len(read["text"]) <= limits.TOOL_TEXT < limits.PAGE_TEXT
    assert len(read["text"]) > limits.TOOL_TEXT - 50
    assert read["text"].endswith("…")
    assert read["truncated"] is True


async def test_a_question_is_answered(chat: Chat) -> None:
    """TOOL-22: the answer with its marks, the sources by their numbers, and whether it's whole; counted as one."""
    said = await chat.call("web_answer", query=QUERY)
    assert (said["query"], said["complete"]) == (QUERY, True)
    assert "[1]" in said["answer"]
    assert [source["number"] for source in said["sources"]] == [1, 2]
    assert all(set(source) == {"number", "title", "url"} for source in said["sources"])
    assert await chat.counted() == 1


async def test_nothing_found_is_a_sentence(chat: Chat, exa: LoopbackExa) -> None:
    """TOOL-23: a search that brings nothing says so, and counts as it does for a command."""
    exa.fail(faults.rows())
    assert await chat.call("web_search", query=QUERY) == {"error": "Nothing was found: try fewer or other words."}
    assert await chat.counted() == 1


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (faults.error(401, "INVALID_API_KEY"), "Exa doesn't accept the bot's key"),
        (faults.error(429, headers={"Retry-After": "400"}), "try again in about 7 minutes"),
        (faults.gibberish, "sent an answer that makes no sense"),
    ],
)
async def test_a_failing_engine_is_a_sentence(chat: Chat, exa: LoopbackExa, fault: faults.Fault, said: str) -> None:
    """TOOL-23: as a member reads it, and what the engine failed at isn't counted."""
    exa.fail(always=fault)
    for name, given in (
        ("web_search", {"query": QUERY}),
        ("web_fetch", {"url": PAGE}),
        ("web_answer", {"query": QUERY}),
    ):
        assert said in (await chat.call(name, given))["error"]
    assert await chat.counted() == 0


async def test_blocked_sites_are_not_shown(run_bot: RunBot, settings: dict[str, object], place: Place) -> None:
    """TOOL-24: neither found, nor read, nor named as a source."""
    settings["web-block-sites"] = ["news.example.com", "docs.example.org"]
    async with run_bot() as bot:
        chat = Chat.of(bot, place)
        found = await chat.call("web_search", query=QUERY, num_results=10)
        said = await chat.call("web_answer", query=QUERY)
        refused = await chat.call("web_fetch", url=PAGE)
    assert not [one for one in (*found["results"], *said["sources"]) if "news.example.com" in one["url"]]
    assert "the bot's owner blocks it" in refused["error"]


async def test_a_limit_says_when_it_resets(run_bot: RunBot, settings: dict[str, object], place: Place) -> None:
    """TOOL-25: of calls at once exactly as many pass as the limit has; the others read when that's over."""
    settings["web-per-minute"] = 3
    async with run_bot() as bot:
        chat = Chat.of(bot, place)
        found = await asyncio.gather(*(chat.call("web_search", query=f"{QUERY} {number}") for number in range(8)))
        assert sum("results" in one for one in found) == 3
        refused = [one["error"] for one in found if "error" in one]
        assert len(refused) == 5
        for said in refused:
            told = (
                r"You can make 3 searches in a minute: search again in 6[01] seconds, at \d{4}-\d\d-\d\d [\d:]{8} UTC\."
            )
            assert re.fullmatch(told, said), said
        assert await chat.counted() == 3


async def test_a_command_and_a_tool_share_their_limits(
    run_bot: RunBot, settings: dict[str, object], place: Place
) -> None:
    """TOOL-25: what a member searched for by `/search` counts for their chat bot, and the other way round."""
    settings["web-daily-per-user"] = 2
    async with run_bot() as bot:
        chat = Chat.of(bot, place)
        await (await place.member.invoke(place.channel, "search", query=QUERY)).reply()
        assert "results" in await chat.call("web_search", query=QUERY)
        assert (
            "searches a day, and they're used up: search again in"
            in (await chat.call("web_search", query=QUERY))["error"]
        )
        reply = await (await place.member.invoke(place.channel, "search", query=QUERY)).reply()
    assert "used up" in reply.embeds[0]["description"]


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        *[(-5, "in 1 second"), (0, "in 1 second"), (1.2, "in 2 seconds"), (90, "in 90 seconds")],
        *[(91, "in 2 minutes"), (5400, "in 90 minutes"), (5401, "in 2 hours"), (86_400, "in 24 hours")],
    ],
)
def test_a_moment_is_said_from_now_on_and_by_the_clock(seconds: float, said: str) -> None:
    """TOOL-25: a model may know neither the time nor how long it thought; rounded up, so that it's never too early."""
    resets = 1_796_040_000
    assert moment(resets, now=resets - seconds, words=Words()) == f"{said}, at 2026-11-30 12:00:00 UTC"


@pytest.mark.parametrize("attack", [*attacks.MARKUP, *attacks.HTML, *attacks.CHARACTERS], ids=lambda one: one.kind)
async def test_what_a_hostile_page_says_is_cleaned(chat: Chat, exa: LoopbackExa, attack: attacks.Attack) -> None:
    """TOOL-26: no control, bidi, invisible or tag character, no HTML is left in any text of any tool's result."""
    row = {"id": PAGE, "url": PAGE, "title": attack.sent, "text": attack.sent, "highlights": [attack.sent]}
    exa.fail(faults.rows(row), faults.rows(row, statuses=[]), _answered(attack.sent, row))
    found = await chat.call("web_search", query=QUERY)
    read = await chat.call("web_fetch", url=PAGE)
    said = await chat.call("web_answer", query=QUERY)
    lines = [one[key] for one in found.get("results", ()) for key in ("title", "snippet")]
    lines += [read.get("title", ""), *read.get("text", "").split("\n"), *said.get("answer", "").split("\n")]
    assert any(lines)
    for line in lines:
        assert text.clean(line, limits.PAGE_TEXT) == line
    for one in (*found.get("results", ()), *said.get("sources", ())):
        vetted = links.vet(one["url"])
        assert vetted is not None
        assert vetted.url == one["url"]


def _answered(said: str, row: dict[str, Any]) -> faults.Fault:
    return answer({"answer": f"Said: {said}", "citations": [row]})


@pytest.mark.parametrize("how", ["unload", "end"])
async def test_a_call_under_way_ends_with_an_unload(
    run_bot: RunBot, place: Place, exa: LoopbackExa, discord_: LoopbackDiscord, how: str
) -> None:
    """TOOL-27: the host reads that search is being restarted, and goes on; the search doesn't count."""
    exa.hold()
    async with run_bot() as bot:
        chat = Chat.of(bot, place)
        tasks = [asyncio.create_task(_host(chat, name)) for name in ("web_search", "web_answer", "web_fetch")]
        await exa.received(3)
        cog = cog_of(bot)
        if how == "unload":
            await bot.remove_cog("WebSearch")
    assert await asyncio.gather(*tasks) == [RESTARTED] * 3
    assert await cog.call_tool("web_search", {"query": QUERY}, **chat.where) == RESTARTED
    assert discord_.requests


async def _host(chat: Chat, name: str) -> dict[str, Any]:
    found = await chat.call(name, {"query": QUERY, "url": PAGE})
    # Whatever the host has to do afterwards isn't cut off by our unload.
    await asyncio.sleep(0)
    return found


async def test_an_unload_that_cannot_wait_ends_the_call_alone(
    bot: commands.Bot, chat: Chat, settings: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    """TOOL-27: where the database hangs, the call is given up, and the host's own task isn't cancelled."""
    monkeypatch.setattr(cog_module, "_UNLOAD_SECONDS", 0.05)
    with closing(sqlite3.connect(str(settings["web-database"]), isolation_level=None)) as blocker:
        blocker.execute("BEGIN IMMEDIATE")
        host = asyncio.create_task(_host(chat, "web_search"))
        await asyncio.sleep(0)
        unloading = asyncio.create_task(bot.remove_cog("WebSearch"))
        assert await host == RESTARTED
        blocker.execute("ROLLBACK")
        await unloading


async def test_a_host_that_is_cancelled_is(chat: Chat, exa: LoopbackExa) -> None:
    """TOOL-28: a call that its host gives up ends at once, leaves no task, and what it charged is given back."""
    exa.hold()
    before = asyncio.all_tasks()
    host = asyncio.create_task(_host(chat, "web_search"))
    await exa.received(1)
    host.cancel()
    with pytest.raises(asyncio.CancelledError):
        await host
    assert {task for task in asyncio.all_tasks() - before if "websearch tool" in task.get_name()} == set()
    assert await chat.counted() == 0
    exa.release()
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0):
            await chat.call("web_search", query=QUERY)


async def test_calls_leave_nothing_behind(chat: Chat, bot: commands.Bot, exa: LoopbackExa) -> None:
    """TOOL-28: neither a task nor anything that an unload would wait for, however calls ended."""
    before = asyncio.all_tasks()
    for number in range(50):
        exa.fail(*([faults.gibberish] if number % 3 == 0 else []))
        await asyncio.gather(
            *(chat.call(name, {"query": f"{QUERY} {number}", "url": PAGE}) for name in ("web_search", "web_fetch")),
            chat.call("web_search", "{"),
            chat.names(),
        )
    await asyncio.sleep(0)
    assert {task for task in asyncio.all_tasks() - before if task.get_name().startswith("websearch")} == set()
    async with asyncio.timeout(1):
        await cog_of(bot).underway.settle(10)


async def test_a_fault_of_ours_is_a_sentence(
    bot: commands.Bot, chat: Chat, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """TOOL-28: what nobody foresaw is a sentence, too, and one line of the log that quotes no query."""

    def broken(*_: object) -> None:
        raise KeyError(QUERY)

    monkeypatch.setattr(cog_of(bot).service, "permit", broken)
    assert await chat.call("web_search", query=QUERY) == {
        "error": "Something went wrong in the bot: tell the bot's owner."
    }
    (line,) = [record.getMessage() for record in caplog.records if record.levelname == "ERROR"]
    assert line.startswith("a fault of our own: KeyError at")
    assert QUERY not in caplog.text
    caplog.clear()
