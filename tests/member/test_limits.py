"""Hold what a member reads whom a limit stops."""

from __future__ import annotations

from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import pytest

from bots import Place, RunBot, sentence, titles
from cogs.websearch.days import day_at
from trouble import rename_table

if TYPE_CHECKING:
    from cogs.websearch.playground.discord import LoopbackDiscord
    from loopback_exa import LoopbackExa

QUERY = "pictures of a distant galaxy"


@pytest.mark.parametrize("private", [False, True])
async def test_a_minute_is_told_as_it_runs(
    run_bot: RunBot,
    settings: dict[str, object],
    place: Place,
    discord_: LoopbackDiscord,
    exa: LoopbackExa,
    *,
    private: bool,
) -> None:
    """MET-16: the refused member alone reads the limit, its size and a live countdown, then searches again."""
    settings["web-per-minute"] = 2
    async with run_bot():
        begun = discord_.clock.now()
        for _ in range(2):
            assert titles(await (await place.member.invoke(place.channel, "search", query=QUERY)).reply())
        reply = await (await place.member.invoke(place.channel, "search", query=QUERY, private=private)).reply()
        before, _, rest = sentence(reply).partition("<t:")
        end, _, after = rest.partition(":R>")
        assert (before, after) == ("You can make 2 searches in a minute: search again ", ".")
        assert begun + 60 <= int(end) <= discord_.clock.now() + 61
        assert reply.ephemeral
        assert reply.embeds[0]["title"] == QUERY
        assert len([message for message in discord_.messages.values() if message.visible_to(place.other)]) == 2
        assert len(exa.requests) == 2
        discord_.clock.advance(61)
        assert titles(await (await place.member.invoke(place.channel, "search", query=QUERY)).reply())


@pytest.mark.parametrize(
    ("limit", "said"),
    [
        ({"web-daily-per-user": 1}, "You can make 1 search a day, and that's used up"),
        ({"web-daily-per-guild": 1}, "This server can make 1 search a day, and that's used up"),
        ({"web-daily-budget-usd": 0.01}, "The bot can spend 0.01 US dollars a day on searches, and they're spent"),
    ],
)
async def test_a_day_is_told_with_its_end( run_bot: RunBot, settings: dict[str, object], place: Place,
    discord_: LoopbackDiscord, limit: dict[str, object], said: str,
) -> None:  # fmt: skip
    """MET-16: a limit of the day names its size, and ends at midnight of the configured zone."""
    settings |= {**limit, "web-timezone": "Pacific/Auckland"}
    async with run_bot():
        assert titles(await (await place.member.invoke(place.channel, "search", query=QUERY)).reply())
        reply = await (await place.member.invoke(place.channel, "search", query=QUERY)).reply()
    end = day_at(discord_.clock.now(), ZoneInfo("Pacific/Auckland")).ends
    assert sentence(reply) == f"{said}: search again <t:{end}:R>."
    assert reply.ephemeral


async def test_a_direct_message_has_no_servers_limit(
    run_bot: RunBot, settings: dict[str, object], place: Place, discord_: LoopbackDiscord
) -> None:
    """MET-03: where a server has searched its fill, its members go on in direct messages."""
    settings["web-daily-per-guild"] = 1
    async with run_bot():
        assert titles(await (await place.member.invoke(place.channel, "search", query=QUERY)).reply())
        assert "server" in sentence(await (await place.other.invoke(place.channel, "search", query=QUERY)).reply())
        dm = discord_.open_dm(place.other.user)
        assert titles(await (await place.other.user.invoke(dm, "search", query=QUERY)).reply())


@pytest.mark.usefixtures("bot")
async def test_a_search_that_cannot_be_counted_is_not_made(
    place: Place, settings: dict[str, object], exa: LoopbackExa
) -> None:
    """MET-14, MET-16: where the database fails the member reads so privately, and the next search works."""
    await rename_table(settings, "counter", "hidden")
    reply = await (await place.member.invoke(place.channel, "search", query=QUERY)).reply()
    assert sentence(reply).startswith("The bot's database failed")
    assert reply.ephemeral
    assert exa.requests == []
    await rename_table(settings, "hidden", "counter")
    assert titles(await (await place.member.invoke(place.channel, "search", query=QUERY)).reply())
