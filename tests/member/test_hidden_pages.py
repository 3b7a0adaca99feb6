"""Hold replies whose sites were ruled out after they were made, by the bot's owner or a server."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from bots import Place, buttons, cog_of, sentence, titles
from cogs.websearch.playground.discord import Permission
from loopback_exa import faults
from trouble import ask, public, settled

if TYPE_CHECKING:
    from discord.ext import commands

    from cogs.websearch.playground.discord import LoopbackDiscord, Message
    from loopback_exa import LoopbackExa

pytestmark = pytest.mark.usefixtures("no_mistakes")

RULED_OUT = "The sites of these results aren't shown here any more."
NOTHING_TO_SHARE = "The sites of these results aren't shown here any more, so there's nothing to share."
# The first page has the first three, the second the rest.
HOSTS = ("a.example.org", "b.example.org", "a.example.org", "example.net", "example.net")


@pytest.fixture(autouse=True)
def five_rows(exa: LoopbackExa) -> None:
    """Let every search bring a page of each of the hosts."""
    rows = ({"title": f"Page {n}", "url": f"https://{host}/{n}", "text": "Text."} for n, host in enumerate(HOSTS))
    exa.fail(always=faults.rows(*rows))


@pytest.fixture(params=["owner", "server"])
def by(request: pytest.FixtureRequest) -> str:
    """Name whose rules they are."""
    return str(request.param)


async def rule_out(bot: commands.Bot, place: Place, by: str, *domains: str) -> None:
    """Block sites for the place's server."""
    service = cog_of(bot).service
    if by == "owner":
        await service.reconfigure(replace(service.config, web_block_sites=domains))
    else:
        await service.switchboard.rule_sites(place.guild.id, domains, allowed=False, by=1)


def facts(reply: Message) -> str:
    """Return the first line of facts, and with it what the reply counts."""
    return str(reply.embeds[0]["description"])


async def test_a_page_with_nothing_left_says_so(
    bot: commands.Bot, place: Place, discord_: LoopbackDiscord, by: str
) -> None:
    """REPLY-18: instead of an empty page; it has neither menu nor *Share*, and the way back works."""
    reply = await (await ask(place, private=True)).reply()
    assert facts(reply) == "5 results · Exa · page 1 of 2"
    await rule_out(bot, place, by, "example.net")
    await (await place.member.press(reply, "Next")).reply()
    assert facts(reply) == "3 of 5 results · Exa · page 2 of 2"
    assert [embed["description"] for embed in reply.embeds[1:]] == [RULED_OUT]
    assert reply.menus() == []
    assert list(buttons(reply)) == ["Previous", "Next", "Answer", "Delete"]
    await (await place.member.press(reply, "Previous")).reply()
    assert len(titles(reply)) == 3
    await settled(bot, discord_, await place.member.press(reply, "Share"))
    (shared,) = public(discord_, place)
    assert facts(shared) == "3 of 5 results · Exa · page 1 of 2"
    assert len(titles(shared)) == 3


async def test_a_page_with_nothing_left_is_not_shared(
    bot: commands.Bot, place: Place, discord_: LoopbackDiscord, by: str
) -> None:
    """REPLY-18, REPLY-07: a button of before says why; once the sites are back, it shares."""
    reply = await (await ask(place, private=True)).reply()
    await rule_out(bot, place, by, *HOSTS)
    press = await place.member.press(reply, "Share")
    await settled(bot, discord_, press)
    (told,) = press.followups
    assert told.ephemeral
    assert sentence(told) == NOTHING_TO_SHARE
    assert public(discord_, place) == []
    if by == "owner":
        await rule_out(bot, place, by)
        await settled(bot, discord_, await place.member.press(reply, "Share"))
        assert len(public(discord_, place)) == 1


async def test_where_embeds_are_not_shown(bot: commands.Bot, place: Place, by: str) -> None:
    """REPLY-18: the text says the same, and counts the same."""
    place.channel.deny(place.guild.bot_role, Permission.EMBED_LINKS)
    reply = await (await ask(place, private=True)).reply()
    await rule_out(bot, place, by, "example.net", "b.example.org")
    await (await place.member.press(reply, "Next")).reply()
    head, _, rest = reply.content.partition("\n\n")
    assert head.endswith("\n-# 2 of 5 results · Exa · page 2 of 2")
    assert rest == RULED_OUT
    assert "Share" not in buttons(reply)
    await (await place.member.press(reply, "Previous")).reply()
    assert "-# 2 of 5 results · Exa · page 1 of 2\n\n**1 · Page 0**" in reply.content
    assert RULED_OUT not in reply.content
