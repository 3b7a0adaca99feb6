"""Hold what a model gets where a server blocks sites, or allows some alone."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from bots import Place, cog_of
from loopback_engine.streams import stream
from loopback_exa import LoopbackExa, faults

if TYPE_CHECKING:
    from discord.ext import commands

    from chatting import Chat

pytestmark = pytest.mark.usefixtures("no_mistakes")


async def test_chat_bots_keep_to_the_rules(chat: Chat, bot: commands.Bot, place: Place, exa: LoopbackExa) -> None:
    """RULE-02 RULE-03 RULE-07: a model gets no page of a hidden site, reads none, and isn't offered such answers."""
    addresses = [f"https://{host}/" for host in ("a.example.org", "b.example.org", "example.com")]
    exa.fail(always=faults.rows(*({"title": "Page", "url": url, "text": "Text."} for url in addresses)))
    assert "web_answer" in await chat.names()
    board = cog_of(bot).service.switchboard
    await board.rule_sites(place.guild.id, ["example.org"], allowed=True, by=1)
    await board.rule_sites(place.guild.id, ["b.example.org"], allowed=False, by=1)
    assert [one["url"] for one in (await chat.call("web_search", query="x"))["results"]] == addresses[:1]
    calls = len(exa.requests)
    for url in addresses[1:]:
        assert "its moderators have ruled that out" in (await chat.call("web_fetch", url=url))["error"]
    assert "web_answer" not in await chat.names()
    assert "allows some sites alone" in (await chat.call("web_answer", query="x"))["error"]
    assert len(exa.requests) == calls


async def test_an_answer_under_way(chat: Chat, bot: commands.Bot, place: Place, exa: LoopbackExa) -> None:
    """RULE-02 RULE-08: a model gets no source that was hidden while it was asked, nor a mark that points to it."""
    sources = [{"title": "Page", "url": f"https://{host}/"} for host in ("a.example.org", "example.com")]
    said = {"choices": [{"index": 0, "delta": {"content": "One [1], two [2]."}}]}
    exa.fail(stream(said, {"citations": sources}))
    exa.hold()
    call = asyncio.create_task(chat.call("web_answer", query="x"))
    await exa.received(1)
    await cog_of(bot).service.switchboard.rule_sites(place.guild.id, ["example.org"], allowed=False, by=1)
    exa.release()
    told = await call
    assert told["answer"] == "One, two [2]."
    assert told["sources"] == [{"number": 2, "title": "Page", "url": "https://example.com/"}]
