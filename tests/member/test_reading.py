"""Hold the menu under results: one page, read privately by whoever chose it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bots import Place, buttons, cog_of, sentence
from loopback_exa import LoopbackExa, faults
from loopback_jina import LoopbackJina
from loopback_jina import faults as jina_faults
from loopback_tavily import LoopbackTavily
from trouble import ask, counted

if TYPE_CHECKING:
    from discord.ext import commands

    from bots import RunBot
    from cogs.websearch.playground.discord import Invocation, Message

pytestmark = pytest.mark.usefixtures("no_mistakes")

MENU = "Read a page…"
LONG = "A sentence of the page that goes on. " * 150


def menu(message: Message) -> list[dict[str, str]]:
    """List the options of a reply's menu; empty where it has none."""
    components = [component for row in message.components for component in row["components"]]
    return next((component["options"] for component in components if "options" in component), [])


def page_of(exa: LoopbackExa, text: str, title: str = "A long page") -> None:
    """Let Exa send this text for the next page."""
    found = {"url": "https://example.com/long", "title": title, "text": text}
    exa.fail(faults.rows(found, statuses=[{"id": found["url"], "status": "success"}]))


async def read(place: Place, reply: Message, number: str = "1") -> Invocation:
    """Choose a page in the menu as another member."""
    return await place.other.choose(reply, MENU, [number])


async def test_a_page_is_read_privately(bot: commands.Bot, place: Place, exa: LoopbackExa) -> None:
    """REPLY-01, READ-01: whoever chose a page reads it alone, its title linked; they pay, and the results stay."""
    reply = await (await ask(place)).reply()
    before = reply.payload()
    assert [option["value"] for option in menu(reply)] == ["1", "2", "3"]
    first = menu(reply)[0]
    opened = await (await read(place, reply)).reply()
    assert opened.ephemeral
    assert opened.visible_to(place.other)
    assert not opened.visible_to(place.member)
    (embed,) = opened.embeds
    assert embed["title"] in first["label"]
    assert embed["url"] == exa.requests[-1].json["urls"][0]  # type: ignore[index] # a list, as the stand-in has checked
    assert "Exa" in str(embed)
    assert reply.payload() == before
    assert await counted(bot, place) == 1
    assert (await cog_of(bot).service.usage(user_id=place.other.id)).member.searches == 1


@pytest.mark.usefixtures("bot")
async def test_a_long_page_comes_in_parts(place: Place, exa: LoopbackExa) -> None:
    """REPLY-01, READ-02: previous and next lead through the parts, and what was left out is said."""
    reply = await (await ask(place)).reply()
    page_of(exa, LONG * 3)
    opened = await (await read(place, reply)).reply()
    seen = [str(opened.embeds[0]["description"])]
    while not buttons(opened)["Next"]["disabled"]:
        await (await place.other.press(opened, "Next")).reply()
        seen.append(str(opened.embeds[0]["description"]))
    assert len(seen) > 5
    assert len(set(seen)) == len(seen)
    assert "shortened" in seen[-1]
    await (await place.other.press(opened, "Previous")).reply()
    assert opened.embeds[0]["description"] == seen[-2]


@pytest.mark.usefixtures("bot")
async def test_pages_of_each_page_can_be_read(place: Place) -> None:
    """REPLY-01: the menu goes with the page of results that is shown, by its numbers."""
    reply = await (await ask(place)).reply()
    await (await place.member.press(reply, "Next")).reply()
    assert [option["value"] for option in menu(reply)] == ["4", "5"]
    titles = [embed["title"] for embed in reply.embeds[1:]]
    assert [option["label"] for option in menu(reply)] == titles


async def test_a_page_that_cannot_be_read(bot: commands.Bot, place: Place, exa: LoopbackExa) -> None:
    """REPLY-02: whoever chose it reads why, and isn't charged; a fallback that can read it does."""
    reply = await (await ask(place)).reply()
    missing = {"id": "https://example.com/", "status": "error", "error": {"tag": "CRAWL_NOT_FOUND"}}
    exa.fail(faults.rows(statuses=[missing]))
    told = await (await read(place, reply)).reply()
    assert told.ephemeral
    assert sentence(told) == "Exa can't read that page: try another one."
    assert (await cog_of(bot).service.usage(user_id=place.other.id)).member.searches == 0


async def test_another_reader_is_asked(run_bot: RunBot, place: Place, settings: dict[str, object]) -> None:
    """CON-26, RES-02: what one engine's reader refuses for its address, the next one reads."""
    async with LoopbackJina() as jina, LoopbackTavily() as tavily:
        settings |= {"web-backend": "jina", "jina-search-url": jina.url, "jina-reader-url": jina.url}
        settings |= {"web-fallbacks": ["tavily"], "jina-api-key": jina.key}
        settings |= {"tavily-api-key": tavily.key, "tavily-base-url": tavily.url}
        async with run_bot():
            reply = await (await ask(place)).reply()
            for code in (400, 422):
                jina.fail(jina_faults.error(code, code * 100 + 1, "Domain 'example.com' could not be resolved"))
                told = await (await read(place, reply)).reply()
                assert "Tavily, since Jina didn't answer" in str(told.embeds)
        assert [call.path for call in tavily.requests] == ["/extract"] * 2


async def test_a_blocked_site_is_not_read(run_bot: RunBot, place: Place, settings: dict[str, object]) -> None:
    """REPLY-02: what the owner blocks after the search is neither shown nor read: whoever chooses it reads why."""
    async with run_bot():
        reply = await (await ask(place)).reply()
        chosen = menu(reply)[0]
    host = str(reply.embeds[1]["url"]).split("/")[2]
    settings["web-block-sites"] = [host]
    async with run_bot():
        told = await (await place.other.choose(reply, MENU, [chosen["value"]])).reply()
        assert sentence(told) == f"Nothing of {host} is shown here: the bot's owner blocks it."
        told = await (await place.other.choose(reply, MENU, ["0"], force=True)).reply()
        assert "too old" in sentence(told)


async def test_a_page_that_leads_to_a_blocked_site(
    run_bot: RunBot, place: Place, settings: dict[str, object], exa: LoopbackExa
) -> None:
    """REPLY-02: where the engine was led on to such a site, what it read there isn't shown."""
    settings["web-block-sites"] = ["blocked.example.net"]
    async with run_bot():
        reply = await (await ask(place)).reply()
        row = {"url": "https://blocked.example.net/x", "title": "Elsewhere", "text": LONG}
        exa.fail(faults.rows(row, statuses=[]))
        told = await (await read(place, reply)).reply()
    assert sentence(told) == "Nothing of blocked.example.net is shown here: the bot's owner blocks it."


async def test_without_a_reader_there_is_no_menu(run_bot: RunBot, place: Place, settings: dict[str, object]) -> None:
    """REPLY-02: SearXNG reads no pages; a menu of before says so."""
    async with run_bot():
        reply = await (await ask(place)).reply()
    settings.update({"web-backend": "searxng", "searxng-url": "http://127.0.0.1:9"})
    async with run_bot():
        told = await (await read(place, reply)).reply()
        assert sentence(told) == "SearXNG can't read pages: open the page itself by its link."
        await (await place.member.press(reply, "Next")).reply()
        assert menu(reply) == []


@pytest.mark.usefixtures("bot")
async def test_chosen_twice_it_is_read_once(place: Place, exa: LoopbackExa) -> None:
    """REPLY-10: while it's read, a second choice of the same says so; another page is read beside it."""
    reply = await (await ask(place)).reply()
    exa.hold()
    first = await read(place, reply)
    await exa.received(2)
    second = await read(place, reply)
    assert sentence(await second.reply()) == "That's on its way already: wait a moment."
    other = await read(place, reply, "2")
    await exa.received(3)
    exa.release()
    assert (await first.reply()).embeds[0]["url"] != (await other.reply()).embeds[0]["url"]


@pytest.mark.usefixtures("bot")
async def test_a_value_that_was_not_offered(place: Place, exa: LoopbackExa) -> None:
    """REPLY-09: what a forged client chooses reads nothing."""
    reply = await (await ask(place)).reply()
    for value in ("0", "9", "https://example.com/", "-1", ""):
        told = await (await place.other.choose(reply, MENU, [value], force=True)).reply()
        assert "too old" in sentence(told)
    assert len(exa.requests) == 1
