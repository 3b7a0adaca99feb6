"""Hold what members see where the bot may not embed links: plain text with the same buttons."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bots import Place, RunBot, buttons
from cogs.websearch import delivery
from cogs.websearch.playground.discord import Permission
from loopback_exa import LoopbackExa, faults
from text.alive import alive

if TYPE_CHECKING:
    from cogs.websearch.playground.discord import LoopbackDiscord, Message

QUERY = "*plain* text in a _bare_ channel"
ESCAPED = r"**\*plain\* text in a \_bare\_ channel**"
# A page that tries all it can.
HOSTILE = "@everyone <@1> **free** [nitro](https://evil.example) https://evil.example `x` ||y|| <t:0:R> discord.gg/abc"


@pytest.fixture(autouse=True)
def bare(place: Place) -> None:
    """Take the right to embed links from the bot."""
    place.channel.deny(place.guild.bot_role, Permission.EMBED_LINKS)


@pytest.fixture(autouse=True)
def five_rows(exa: LoopbackExa) -> None:
    """Let every search bring five results."""
    rows = ({"title": f"{HOSTILE} {n}", "url": f"https://example.com/{n}", "text": HOSTILE * 9} for n in range(5))
    exa.fail(always=faults.rows(*rows))


async def search(place: Place, *, private: bool = False) -> Message:
    """Search as the member and return the reply."""
    return await (await place.member.invoke(place.channel, "search", query=QUERY, private=private)).reply()


def numbers(message: Message) -> list[int]:
    """List the numbers of the results whose addresses stand on a page."""
    prefix = "<https://example.com/"
    return [int(line.removeprefix(prefix)[:-1]) for line in message.content.split("\n") if line.startswith(prefix)]


@pytest.mark.usefixtures("bot")
@pytest.mark.parametrize("private", [False, True])
async def test_results_are_plain_text(place: Place, *, private: bool) -> None:
    """FLT-17, FLT-18, FLT-19, FLT-21: what an embed would show stands in the text, dead, and its buttons work."""
    reply = await search(place, private=private)
    assert reply.content.startswith(f"{ESCAPED}\n-# 5 results · Exa · page 1 of 2\n\n**1 · ")
    assert numbers(reply) == [0, 1, 2]
    assert list(buttons(reply)) == ["Previous", "Next", "Answer", *(["Share"] if private else []), "Delete"]
    await (await place.member.press(reply, "Next")).reply()
    assert f"{ESCAPED}\n-# 5 results · Exa · page 2 of 2\n\n**4 · " in reply.content
    assert numbers(reply) == [3, 4]
    ours = ("**", "-# ", "<https://example.com/")
    lines = [line for line in reply.content.split("\n") if not line.startswith(ours)]
    titles = [line[2:-2] for line in reply.content.split("\n") if line.startswith("**")]
    assert len(titles) == 3
    assert [alive(line) for line in (*lines, *titles) if alive(line)] == []
    assert reply.pings == frozenset()


@pytest.mark.usefixtures("bot")
async def test_each_page_follows_what_the_bot_may_do_then(place: Place) -> None:
    """FLT-21: with the right given and taken between two presses, each page is shown in the way that is seen."""
    reply = await search(place)
    place.channel.allow(place.guild.bot_role, Permission.EMBED_LINKS)
    await (await place.member.press(reply, "Next")).reply()
    assert reply.content == ""
    assert [embed["url"] for embed in reply.embeds[1:]] == ["https://example.com/3", "https://example.com/4"]
    place.channel.deny(place.guild.bot_role, Permission.EMBED_LINKS)
    await (await place.member.press(reply, "Previous")).reply()
    assert (numbers(reply), reply.embeds) == ([0, 1, 2], [])
    # Nothing that would be dropped was sent at all.
    assert reply.edits[-1]["embeds"] == []


@pytest.mark.usefixtures("bot")
async def test_refusals_and_errors_are_plain_text(place: Place, exa: LoopbackExa) -> None:
    """FLT-20: what is refused at once, what went wrong, and what is told to who presses."""
    refused = await (await place.member.invoke(place.channel, "search", query="\u200b", force=True)).reply()
    assert refused.content == "There's nothing to search for: type a few words."
    reply = await search(place)
    press = await place.other.press(reply, "Next")
    await press.reply()
    assert press.followups[0].content.startswith("Only the member who searched can turn the pages")
    for private in (False, True):
        exa.recover()
        exa.fail(faults.error(404, "NOT_FOUND"))
        failed = await search(place, private=private)
        assert failed.content == f"{ESCAPED}\nExa isn't at the address that the bot has for it: tell the bot's owner."
        assert failed.ephemeral


@pytest.mark.usefixtures("bot")
async def test_moderators_read_plain_text(place: Place) -> None:
    """FLT-20: the panel of /websearch, too."""
    warden = place.guild.add_member("chief", permissions=Permission.MANAGE_CHANNELS)
    off = await (await warden.invoke(place.channel, "websearch off")).reply()
    assert off.content.startswith("**general**\nWeb search: **off** by the channel *general*, set by <@")
    assert off.pings == frozenset()


async def test_elsewhere_it_follows_discord(
    run_bot: RunBot, settings: dict[str, object], place: Place, discord_: LoopbackDiscord
) -> None:
    """FLT-22: in direct messages embeds are shown; where the app acts for a member, as far as the member may embed."""
    settings["web-user-install"] = True
    abroad = discord_.add_guild("Elsewhere", installed=False)
    free, bare = abroad.add_text_channel("free"), abroad.add_text_channel("bare")
    bare.deny(abroad.everyone, Permission.EMBED_LINKS)
    visitor = abroad.add_member(place.member.user)
    async with run_bot():
        direct = discord_.open_dm(place.member.user)
        reply = await (await place.member.user.invoke(direct, "search", query=QUERY)).reply()
        assert len(reply.embeds) == 4
        reply = await (await visitor.invoke(free, "search", query=QUERY, user_install=True)).reply()
        assert len(reply.embeds) == 4
        reply = await (await visitor.invoke(bare, "search", query=QUERY, user_install=True)).reply()
        assert numbers(reply) == [0, 1, 2]


@pytest.mark.usefixtures("bot")
async def test_a_fault_of_the_bot_itself_is_plain_text(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """FLT-20: a fault of our own can be read as well."""

    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(delivery, "search", fail)
    reply = await search(place)
    assert reply.content == "Something went wrong in the bot: tell the bot's owner."
    assert reply.ephemeral
