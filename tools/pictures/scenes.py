"""Run the cog in an unmodified discord.py client over the loopback Discord, and look at what members see."""

from __future__ import annotations

import asyncio
import os
import tempfile
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from unittest import mock

import owning
from bots import Place, cog_of, searching_bot, settings_for, write_config
from cogs.websearch.playground.discord import Clock, LoopbackDiscord, Permission, connect
from loopback_engine.streams import stream
from loopback_exa import LoopbackExa, faults
from loopback_searxng import LoopbackSearxng

from . import content
from .seen import Seen, Shot

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

    from discord.ext import commands

    from cogs.websearch.playground.discord import Invocation, Message
    from loopback_exa import Fault

    from .content import Row

# A fixed moment, so that pictures change only where replies do.
NOON: Final = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
QUESTION: Final = "run blocking code without freezing the event loop"


@dataclass
class Stage:
    """Hold what a scene is played with: both stand-ins, the bot, and a place with its people."""

    bot: commands.Bot
    discord_: LoopbackDiscord
    exa: LoopbackExa
    place: Place

    async def ask(
        self,
        query: str,
        rows: Sequence[Row] = (),
        **options: Any,  # noqa: ANN401 - a command's options are of several types
    ) -> Invocation:
        """Use `/search` as the member; the engine will answer with the rows."""
        self.exa.recover()
        self.exa.fail(faults.rows(*rows))
        return await self.place.member.invoke(self.place.channel, "search", query=query, **options)

    async def search(
        self,
        query: str,
        rows: Sequence[Row] = (),
        **options: Any,  # noqa: ANN401 - likewise
    ) -> Message:
        """Use `/search` and wait for the reply."""
        return await (await self.ask(query, rows, **options)).reply()


@asynccontextmanager
async def stage() -> AsyncIterator[Stage]:
    """Connect a bot with the cog; raise AssertionError where it sent something that Discord would refuse."""
    async with LoopbackDiscord(Clock(NOON.timestamp())) as discord_, LoopbackExa() as exa:
        discord_.bot.name = "Web Search"
        with tempfile.TemporaryDirectory() as folder, connect(discord_):
            # One member plays all scenes within a minute.
            settings = settings_for(exa, Path(folder)) | {"web-per-minute": 1000, "web-daily-per-user": 1000}
            async with searching_bot(discord_, settings) as bot:
                yield Stage(bot, discord_, exa, Place.make(discord_))
        if discord_.problems:
            raise AssertionError("; ".join(map(str, discord_.problems)))


async def results(on: Stage) -> list[Seen]:
    """Show a first page of several."""
    return [Seen.of(await on.search(QUESTION, content.BLOCKING))]


async def last_page(on: Stage) -> list[Seen]:
    """Turn to the last page."""
    reply = await on.search(QUESTION, content.BLOCKING)
    await (await on.place.member.press(reply, "Next")).reply()
    return [Seen.of(reply)]


async def one(on: Stage) -> list[Seen]:
    """Show a single result."""
    return [Seen.of(await on.search("bread recipe", content.BREAD))]


async def filters(on: Stage) -> list[Seen]:
    """Name the options that narrowed a search."""
    options = {"category": "news", "period": "week", "site": "news.example.com, news.example.org"}
    return [Seen.of(await on.search("pictures of a distant galaxy", content.GALAXY, **options))]


async def private(on: Stage) -> list[Seen]:
    """Show results to the member alone."""
    return [Seen.of(await on.search("bread recipe", content.BREAD, private=True))]


async def thinking(on: Stage) -> list[Seen]:
    """Look while the engine works, then let it finish."""
    on.exa.hold()
    asked = await on.ask("bread recipe", content.BREAD)
    await asked.acknowledged()
    if asked.original is None:
        message = "an acknowledged search has no reply"
        raise AssertionError(message)
    before = Seen.of(asked.original)
    on.exa.release()
    await asked.reply()
    return [before]


async def nothing(on: Stage) -> list[Seen]:
    """Find nothing, publicly and privately, and find only what can't be shown."""
    unfit = content.row("javascript:alert(1)", "x")
    return [
        Seen.of(await on.search("qwxzy plugh")),
        Seen.of(await on.search("qwxzy plugh", private=True)),
        Seen.of(await on.search("qwxzy plugh", [unfit, unfit])),
    ]


async def trouble(on: Stage) -> list[Seen]:
    """Meet an engine that refuses, has too much to do, or makes no sense."""
    seen = []
    for fault in (
        faults.error(401, "INVALID_API_KEY"),
        faults.error(429, "RATE_LIMIT_EXCEEDED", headers={"Retry-After": "120"}),
        faults.html(),
    ):
        on.exa.recover()
        on.exa.fail(always=fault)
        asked = await on.place.member.invoke(on.place.channel, "search", query=QUESTION)
        seen.append(Seen.of(await asked.reply()))
        # An engine that refused the key isn't asked again before that.
        service = cog_of(on.bot).service
        await service.reconfigure(service.config)
    return seen


async def alert(on: Stage) -> list[Seen]:
    """Tell the bot's owner that the engine refuses the key, and that it takes one again."""
    to = on.discord_.open_dm(on.discord_.owner)
    service = cog_of(on.bot).service
    # The scene before has had its hour.
    on.discord_.clock.advance(3600)
    before = len(to.messages)
    on.exa.recover()
    on.exa.fail(always=faults.error(401, "INVALID_API_KEY", "Invalid API key"))
    await (await on.place.member.invoke(on.place.channel, "search", query=QUESTION)).reply()
    await on.discord_.until(lambda: len(to.messages) > before, "an alert")
    await service.reconfigure(service.config)
    await on.search(QUESTION, content.BREAD)
    await on.discord_.until(lambda: len(to.messages) > before + 1, "the end of an alert")
    return [Seen.of(message) for message in to.messages[before:]]


async def german(on: Stage) -> list[Seen]:
    """Search in a German server, find nothing, and look at the status as a moderator."""
    place = on.place
    place.guild.locale = "de"
    moderator = place.guild.add_member("hausmeister", permissions=Permission.MANAGE_CHANNELS)
    asked = [
        await on.search("Brot backen", content.BREAD, period="month", locale="de"),
        await on.search("qwxzy plugh", locale="de"),
        await (await moderator.invoke(place.channel, "websearch status", locale="de")).reply(),
    ]
    place.guild.locale = "en-US"
    return [Seen.of(reply) for reply in asked]


async def mistakes(on: Stage) -> list[Seen]:
    """Ask for what can't be searched."""
    asked = [
        on.search("bread", site="my favourite site!"),
        on.search("bread", category="people", period="week"),
        on.search("\u200b \u2060", force=True),
        on.search("why " * 150, force=True),
    ]
    return [Seen.of(await reply) for reply in asked]


async def others(on: Stage) -> list[Seen]:
    """Press buttons under somebody else's search."""
    reply = await on.search("bread recipe", content.BLOCKING)
    seen = []
    for button in ("Next", "Delete"):
        press = await on.place.other.press(reply, button)
        await press.reply()
        seen.append(Seen.of(press.followups[0]))
    return seen


async def too_old(on: Stage) -> list[Seen]:
    """Press a button a day later."""
    reply = await on.search("bread recipe", content.BREAD)
    on.discord_.clock.advance(24 * 3600 + 1)
    press = await on.place.member.press(reply, "Delete")
    await on.discord_.until(lambda: press.followups != [])
    return [Seen.of(reply), Seen.of(press.followups[0])]


async def no_embeds(on: Stage) -> list[Seen]:
    """Search where the bot may not embed links: results, a hostile page, and nothing found."""
    place = on.place
    place.channel.deny(place.guild.bot_role, Permission.EMBED_LINKS)
    pages = (("bread recipe", content.BREAD), ("**free** nitro @everyone", content.HOSTILE), ("qwxzy plugh", ()))
    seen = [Seen.of(await on.search(query, rows)) for query, rows in pages]
    place.channel.allow(place.guild.bot_role, Permission.EMBED_LINKS)
    return seen


async def scripts(on: Stage) -> list[Seen]:
    """Show results in several scripts, over two pages."""
    reply = await on.search("قهوة चाय コーヒー กาแฟ 커피 קפה ☕", content.SCRIPTS, results=6)
    first = Seen.of(reply)
    await (await on.place.member.press(reply, "Next")).reply()
    return [first, Seen.of(reply)]


def _said(
    *pieces: str,
    sources: Sequence[Row] = content.BLOCKING[:4],
    broken: bool = False,
    gates: tuple[asyncio.Event, ...] = (),
) -> Fault:
    """Stream an answer, and its sources at the end."""
    named = [{"id": one["url"], "url": one["url"], "title": one["title"]} for one in sources]
    events = [{"choices": [{"index": 0, "delta": {"role": "assistant", "content": piece}}]} for piece in pieces]
    return stream(*events, *([{"citations": named}] if named else []), broken=broken, gates=gates)


async def _answer(on: Stage, fault: Fault, **options: Any) -> Message:  # noqa: ANN401 - as in `ask`
    """Ask for an answer, which the engine gives like that, and wait until it's whole."""
    on.exa.recover()
    on.exa.fail(fault)
    asked = await on.place.member.invoke(on.place.channel, "search", query=QUESTION, mode="answer", **options)
    reply = await asked.reply()
    await on.discord_.until(lambda: reply.components != [], "a whole answer")
    return reply


async def answer(on: Stage) -> list[Seen]:
    """Answer with sources, of which one isn't cited."""
    return [Seen.of(await _answer(on, _said(*content.ANSWER)))]


async def growing(on: Stage) -> list[Seen]:
    """Look while an answer still grows, then let it finish."""
    ready, rest = asyncio.Event(), asyncio.Event()
    ready.set()
    on.exa.recover()
    on.exa.fail(_said(*content.ANSWER, gates=(ready, rest)))
    asked = await on.place.member.invoke(on.place.channel, "search", query=QUESTION, mode="answer")
    reply = await asked.reply()
    before = Seen.of(reply)
    rest.set()
    await on.discord_.until(lambda: reply.components != [], "a whole answer")
    return [before]


async def poor(on: Stage) -> list[Seen]:
    """Answer without sources, break off, ask for what answers can't honour, and where nothing answers."""
    refused = await on.place.member.invoke(on.place.channel, "search", query=QUESTION, mode="answer", category="news")
    return [
        Seen.of(await _answer(on, _said(content.ANSWER[0], sources=()))),
        Seen.of(await _answer(on, _said(*content.ANSWER[:2], broken=True))),
        Seen.of(await refused.reply()),
        Seen.of(await _unanswered(on)),
    ]


async def _unanswered(on: Stage) -> Message:
    """Ask an engine that answers no questions."""
    service = cog_of(on.bot).service
    before = service.config
    async with LoopbackSearxng(limiter=False) as searxng:
        await service.reconfigure(replace(before, web_backend="searxng", searxng_url=searxng.url))
        query = "pictures of a distant galaxy"
        asked = await on.place.member.invoke(on.place.channel, "search", query=query, mode="answer", results=1)
        reply = await asked.reply()
        await service.reconfigure(before)
    return reply


async def reading(on: Stage) -> list[Seen]:
    """Open the menu, choose a page, turn to its last part, and choose one that can't be read."""
    reply = await on.search(QUESTION, content.BLOCKING)
    first = content.BLOCKING[0]
    on.exa.fail(faults.rows(first | {"text": content.PAGE}, statuses=[{"id": first["url"], "status": "success"}]))
    opened = await (await on.place.member.choose(reply, "Read a page…", ["1"])).reply()
    part = Seen.of(opened)
    while not next(button for button in opened.buttons() if button["label"] == "Next").get("disabled"):
        await (await on.place.member.press(opened, "Next")).reply()
    on.exa.fail(faults.rows(statuses=[{"id": first["url"], "status": "error", "error": {"tag": "CRAWL_NOT_FOUND"}}]))
    unread = await (await on.place.member.choose(reply, "Read a page…", ["2"])).reply()
    return [Seen.of(reply, opened=True), part, Seen.of(opened), Seen.of(unread)]


async def sharing(on: Stage) -> list[Seen]:
    """Share a private reply, and try to where it's there already."""
    reply = await on.search("bread recipe", content.BREAD, private=True)
    before = Seen.of(reply)
    press = await on.place.member.press(reply, "Share")
    shared = await press.reply()
    await on.discord_.until(lambda: all(one["label"] != "Share" for one in reply.buttons()), "the button gone")
    return [before, Seen.of(shared)]


async def copies(on: Stage) -> list[Seen]:
    """Turn somebody else's pages, and open them for oneself."""
    reply = await on.search("bread recipe", content.BLOCKING)
    press = await on.place.other.press(reply, "Next")
    await press.reply()
    note = press.followups[0]
    before = Seen.of(note)
    await (await on.place.other.press(note, "Open it for me")).reply()
    return [before, Seen.of(note)]


async def menu(on: Stage) -> list[Seen]:
    """Search what a message says, and one that says nothing."""
    said = on.place.other.send(on.place.channel, "How do I **run blocking code** without freezing the event loop?")
    silent = on.place.other.send(on.place.channel, "\u200b")
    on.exa.recover()
    on.exa.fail(faults.rows(*content.BLOCKING[:1]))
    asked = [await on.place.member.use_menu(message, "Search the web") for message in (said, silent)]
    return [Seen.of(await inv.reply()) for inv in asked]


async def own(on: Stage) -> list[Seen]:
    """Look at one's own searches, keep chat bots from searching, and have all forgotten."""
    reply = await (await on.place.member.invoke(on.place.channel, "searches")).reply()
    seen = [Seen.of(reply)]
    for button in ("Don't let chat bots search for me", "Forget me"):
        press = await on.place.member.press(reply, button)
        await press.reply()
        seen += [Seen.of(one) for one in (reply, *press.followups)]
    return seen


def _page(query: str, rows: Sequence[Row]) -> Callable[[Stage], Awaitable[list[Seen]]]:
    async def play(on: Stage) -> list[Seen]:
        return [Seen.of(await on.search(query, rows))]

    return play


# In this order, since the last one moves the clock.
async def switch(on: Stage) -> list[Seen]:
    """Switch searching off for a while as a moderator, look at the status, and be refused as a member."""
    moderator = on.place.guild.add_member("keeper", permissions=Permission.MANAGE_CHANNELS | Permission.MANAGE_GUILD)
    commands: list[tuple[str, dict[str, Any]]] = [
        ("websearch off", {"for": "2h"}),
        ("websearch status", {}),
    ]
    seen = []
    for command, options in commands:
        asked = await moderator.invoke(on.place.channel, command, **options)
        seen.append(Seen.of(await asked.reply()))
    seen.append(Seen.of(await on.search("bread recipe")))
    await (await moderator.invoke(on.place.channel, "websearch on")).reply()
    return seen


async def hidden(on: Stage) -> list[Seen]:
    """Turn pages once a server hides what's on them, first all but one result, then all; search on a hidden site."""
    reply = await on.search(QUESTION, content.BLOCKING)
    board, guild_id = cog_of(on.bot).service.switchboard, on.place.guild.id
    await board.rule_sites(guild_id, ["docs.example.org"], allowed=True, by=1)
    for way in ("Next", "Previous"):
        await (await on.place.member.press(reply, way)).reply()
    some = Seen.of(reply)
    await board.rule_sites(guild_id, ["example.org"], allowed=False, by=1)
    await (await on.place.member.press(reply, "Next")).reply()
    told = await on.place.member.invoke(on.place.channel, "search", query="bread recipe", site="docs.example.org")
    seen = [some, Seen.of(reply), Seen.of(await told.reply())]
    await board.free_sites(guild_id, ["docs.example.org", "example.org"])
    return seen


async def sites(on: Stage) -> list[Seen]:
    """Block sites in a server and allow some alone as a moderator, one of them in vain, and look at the list."""
    service = cog_of(on.bot).service
    before = service.config
    await service.reconfigure(replace(before, web_block_sites=("spam.example.net", "spam.example.org")))
    moderator = on.place.guild.add_member("curator", permissions=Permission.MANAGE_CHANNELS | Permission.MANAGE_GUILD)
    domains = "docs.python.org, en.wikipedia.org, bücher.de, forum.example.com"
    commands: list[tuple[str, dict[str, Any]]] = [
        ("block", {"domains": "example.com, https://www.example.org/news"}),
        ("allow", {"domains": domains}),
        ("remove", {"domains": "forum.example.com, example.net"}),
        ("list", {}),
    ]
    seen = []
    for command, options in commands:
        asked = await moderator.invoke(on.place.channel, f"websearch sites {command}", **options)
        seen.append(Seen.of(await asked.reply()))
    await (await moderator.invoke(on.place.channel, "websearch sites remove", domains=domains)).reply()
    await (
        await moderator.invoke(on.place.channel, "websearch sites remove", domains="example.com, www.example.org")
    ).reply()
    await service.reconfigure(before)
    return seen


SCENES: Final[tuple[tuple[str, str, Callable[[Stage], Awaitable[list[Seen]]]], ...]] = (
    ("results", "The first of two pages", results),
    ("last-page", "The last page", last_page),
    ("answer", "An answer with its sources, of which one isn't cited", answer),
    ("growing", "An answer while it's still being written", growing),
    ("poor", "An answer without sources, one that broke off, one that can't be narrowed so, and none", poor),
    ("reading", "The menu of pages, opened; a page that is read, its last part, and one that can't be", reading),
    ("sharing", "A private reply before it's shared, and the one that the channel sees", sharing),
    ("menu", "A message's text searched by its menu, and a message that has none", menu),
    ("copies", "Somebody else's pages, and a copy of them", copies),
    ("own", "One's own searches, chat bots kept from searching, and all forgotten", own),
    ("one", "One result", one),
    ("filters", "A search narrowed to a category, a period and two sites", filters),
    ("private", "A private reply", private),
    ("thinking", "While the engine works", thinking),
    ("nothing", "Nothing found: after a public and a private search; nothing fit to be shown", nothing),
    ("trouble", "A key refused, an engine with too much to do, an answer that is none", trouble),
    ("alert", "What the bot's owner reads: a key refused, and one that is taken again", alert),
    ("mistakes", "A site that is none, options that exclude each other, no query, a query too long", mistakes),
    ("no-embeds", "Where the bot may not embed links", no_embeds),
    ("others", "Buttons under somebody else's search", others),
    ("scripts", "Several scripts", scripts),
    ("long", "Long titles, hosts and words", _page("the longest words that there are", content.LONG)),
    ("long-query", "A query as long as can be", _page(("why is the sky " * 27).strip()[:400], content.BREAD)),
    ("bare", "No date, no title, no text", _page("pages of which little is known", content.BARE)),
    ("hostile", "A hostile page, shown dead", _page("**free** nitro @everyone", content.HOSTILE)),
    ("look-alikes", "Hosts as they really are", _page("sign in", content.LOOKALIKES)),
    ("german", "In German: results, nothing found, and the status", german),
    ("switch", "Switched off for two hours: what the moderator and the member read, and the status", switch),
    ("sites", "Sites blocked, others allowed alone, one in vain, and a rule removed; then the list", sites),
    ("hidden", "Pages turned once sites are hidden: some results gone, then all; and a search on such a site", hidden),
    ("too-old", "A button pressed a day later", too_old),
)


OWNER: Final = "owner"


async def owner() -> Shot:
    """Mention the bundled bot as its owner does."""
    async with LoopbackDiscord(Clock(NOON.timestamp())) as discord_, LoopbackExa() as exa:
        discord_.bot.name = "Web Search"
        with tempfile.TemporaryDirectory() as folder, connect(discord_):
            path = write_config(Path(folder) / "config.toml", settings_for(exa, Path(folder)))
            place = Place.make(discord_)
            who = place.guild.add_member(discord_.owner)
            with mock.patch.dict(os.environ, {"WEBSEARCH_CONFIG": str(path)}):
                async with owning.bundled_bot(discord_):
                    for said in ("sync everywhere", "status", "help"):
                        await owning.told(discord_, who, place.channel, said)
        seen = tuple(map(Seen.of, owning.written(discord_, place.channel)))
        return Shot(name=OWNER, caption="What the bundled bot's owner reads: sync, status, help", messages=seen)


async def play_all() -> list[Shot]:
    """Play every scene and return what was seen, in order."""
    async with stage() as on:
        shots = [Shot(name=name, caption=caption, messages=tuple(await play(on))) for name, caption, play in SCENES]
    return [*shots, await owner()]
