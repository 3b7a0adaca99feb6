"""Hold what members read when the engine fails, by one table that docs/errors.md is written from, too."""

from __future__ import annotations

import asyncio
import gc
import json
import threading
import tracemalloc
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import cogs.websearch
import error_page
from bots import Place, RunBot, cog_of, sentence, titles
from fault_table import GROUPS, SHOWN

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from aiohttp import web
    from discord.ext import commands

    from cogs.websearch.playground.discord import Invocation, LoopbackDiscord, Member
    from loopback_exa import Call, LoopbackExa

pytestmark = pytest.mark.usefixtures("no_mistakes")

RESULTS = "1 · Good"
# What each fault ends in: the sentence that the member reads, or the title of the good row.
ENDS = {name: group.said for group in GROUPS for name in group.faults} | dict.fromkeys(SHOWN, RESULTS)
FAULTS = {name: fault for group in GROUPS for name, fault in group.faults.items()} | dict(SHOWN)
# What counts in the day: results, and what the engine refuses to search for.
REFUSED = ("backend-request-rejected", "backend-content-prohibited")
COUNTED = {*SHOWN, *(name for group in GROUPS if group.key in REFUSED for name in group.faults)}
# What closes the engine to all that come later: these are asked for together, after the others.
CLOSING = {
    name
    for group in GROUPS
    if group.key in {"backend-key-refused", "backend-credits-exhausted"}
    for name in group.faults
}
# A query names its fault by a number, so that searches at once each meet their own, at every try.
NAMES = dict(enumerate(FAULTS))
# Fewer than there are connections to one engine.
AT_ONCE = 40
ROUNDS = 2
# More is a leak: what one search needs at once, kept for each of a few hundred, comes to several times this.
KEPT_BYTES = 256 * 1024


async def by_query(call: Call) -> web.StreamResponse:
    """Meet the fault that the query names."""
    number = int(str(call.json["query"]).rpartition(" ")[2])
    return await FAULTS[NAMES[number]](call)


@pytest.fixture(autouse=True)
def quick(settings: dict[str, object], exa: LoopbackExa) -> None:
    """Let a search take three seconds at most, and meet the fault that its query names."""
    settings["web-timeout-s"] = 3
    settings["web-per-minute"] = settings["web-daily-per-user"] = 1000
    exa.fail(always=by_query)


async def ask_together(members: Mapping[str, Member], place: Place, names: Collection[str]) -> dict[str, Invocation]:
    """Let members search at once, every second one privately."""
    return {
        name: await members[name].invoke(
            place.channel, "search", query=f"what comes of fault number {number}", private=bool(number % 2)
        )
        for number, name in NAMES.items()
        if name in names
    }


async def everybody_asks(
    bot: commands.Bot, members: Mapping[str, Member], place: Place, exa: LoopbackExa
) -> dict[str, Invocation]:
    """Let each member search, many at once, and wait until all have their answers; the engine's health is then as new.

    The engine holds its answers until all of a group have asked: one that fails again and again isn't asked any more.
    """
    others = [name for name in NAMES.values() if name not in CLOSING]
    groups = [others[start : start + AT_ONCE] for start in range(0, len(others), AT_ONCE)]
    service = cog_of(bot).service
    asked: dict[str, Invocation] = {}
    for group in (*groups, CLOSING):
        so_far = len(exa.requests)
        exa.hold()
        together = await ask_together(members, place, group)
        await exa.received(so_far + len(group))
        exa.release()
        await asyncio.gather(*(inv.reply() for inv in together.values()))
        await service.reconfigure(service.config)
        asked |= together
    return asked


def seen(inv: Invocation) -> str:
    """Return the sentence of a reply, or the title of its first result."""
    assert inv.answer is not None
    return titles(inv.answer)[0] if len(inv.answer.embeds) > 1 else sentence(inv.answer)


async def test_every_fault_ends_in_its_sentence(
    bot: commands.Bot, place: Place, discord_: LoopbackDiscord, exa: LoopbackExa
) -> None:
    """FLT-01, FLT-02, FLT-03, FLT-04: each at once; then the engine is well again, and each member finds something."""
    members = {name: place.guild.add_member(f"reader {number}") for number, name in NAMES.items()}
    asked = await everybody_asks(bot, members, place, exa)
    assert {name: seen(inv) for name, inv in asked.items()} == ENDS
    told = [inv for name, inv in asked.items() if name not in SHOWN]
    assert all(inv.answer is not None and inv.answer.ephemeral for inv in told)
    await cog_of(bot).underway.settle(10)
    public = [message for message in discord_.messages.values() if message.visible_to(place.other)]
    assert [message for message in public if len(message.embeds) == 1] == []

    service = cog_of(bot).service
    counts = {name: (await service.usage(user_id=member.id)).member.searches for name, member in members.items()}
    assert counts == {name: int(name in COUNTED) for name in NAMES.values()}
    usage = await service.usage(guild_id=place.guild.id)
    assert usage.server.searches == usage.total.searches == len(COUNTED)

    sent = json.dumps([request.body for request in discord_.requests]).lower()
    assert [exa.key[start : start + 6] for start in range(31) if exa.key[start : start + 6] in sent] == []

    exa.recover()
    again = await everybody_asks(bot, members, place, exa)
    assert {name for name, inv in again.items() if len(inv.answer.embeds if inv.answer else ()) < 2} == set()


async def test_an_engine_that_is_not_there(
    run_bot: RunBot, place: Place, exa: LoopbackExa, settings: dict[str, object], unused_tcp_port: int
) -> None:
    """FLT-01, FLT-02: where nothing listens, or a name has no address, the member reads that, until it's back."""
    said = next(group.said for group in GROUPS if group.key == "backend-unreachable")
    for address in (f"http://127.0.0.1:{unused_tcp_port}", "https://engine.invalid"):
        settings["exa-base-url"] = address
        async with run_bot():
            inv = await place.member.invoke(place.channel, "search", query="is there anybody out there")
            assert sentence(await inv.reply()) == said
    exa.recover()
    settings["exa-base-url"] = exa.url
    async with run_bot():
        inv = await place.member.invoke(place.channel, "search", query="is there anybody out there")
        assert titles(await inv.reply())


def left() -> dict[str, int]:
    """Count what searches could leave behind in this process."""
    return {
        "descriptors": sum(1 for _ in Path("/proc/self/fd").iterdir()),
        "tasks": len(asyncio.all_tasks()),
        "threads": threading.active_count(),
    }


async def settled(before: Mapping[str, int]) -> dict[str, int]:
    """Give the event loop some turns to close what is closing, and name what is more than before."""
    for _ in range(500):
        if all(count <= before[what] for what, count in left().items()):
            break
        await asyncio.sleep(0)
    return {what: count for what, count in left().items() if count > before[what]}


def kept() -> int:
    """Tell how many bytes the package holds, without the stand-in for Discord, which remembers everything."""
    gc.collect()
    ours = Path(cogs.websearch.__file__).parent
    filters = [
        tracemalloc.Filter(True, f"{ours}/*"),  # noqa: FBT003 - tracemalloc names it `inclusive`, and by place alone
        tracemalloc.Filter(False, f"{ours}/playground/*"),  # noqa: FBT003 - likewise
    ]
    snapshot = tracemalloc.take_snapshot().filter_traces(filters)
    return sum(trace.size for trace in snapshot.traces)


async def test_nothing_is_left_of_hundreds_of_faults(
    run_bot: RunBot, place: Place, exa: LoopbackExa, settings: dict[str, object]
) -> None:
    """FLT-05: several rounds of all faults hold no more than one did, and once the bot has ended nothing is left."""
    members = {name: place.guild.add_member(f"reader {number}") for number, name in NAMES.items()}
    # What hangs until then has been there long enough to leave something.
    settings["web-timeout-s"] = 1
    before = left()
    async with run_bot() as bot:

        async def round_of_faults() -> None:
            await everybody_asks(bot, members, place, exa)
            await cog_of(bot).underway.settle(10)

        # The first one fills caches and opens what stays open.
        await round_of_faults()
        tracemalloc.start()
        try:
            await round_of_faults()
            memory, now = kept(), left()
            for _ in range(ROUNDS):
                await round_of_faults()
            assert len(exa.requests) > ROUNDS * len(NAMES)
            assert kept() - memory < KEPT_BYTES
        finally:
            tracemalloc.stop()
        # How many idle connections there are, each with a task of the stand-ins, depends on how many searches met.
        spare = {"descriptors": len(NAMES), "tasks": len(NAMES), "threads": 0}
        assert await settled({what: count + spare[what] for what, count in now.items()}) == {}
    assert await settled(before) == {}


@pytest.mark.skipif(not error_page.PAGE.parent.is_dir(), reason="the docs are not beside these tests")
def test_the_page_of_errors_is_what_the_table_says() -> None:
    """FLT-06: `python tests/error_page.py` writes it anew."""
    assert error_page.PAGE.read_text("utf-8") == error_page.written()
