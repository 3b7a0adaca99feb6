"""Hold what a member is offered who types into `site`, over a loopback Discord."""

from __future__ import annotations

import asyncio
import dataclasses
from typing import TYPE_CHECKING, Any

import pytest

from bots import Place, RunBot, cog_of, titles
from cogs.websearch.playground.discord import StillWaiting
from loopback_exa import faults
from staff import QUERY, Staff, ask
from trouble import CALLBACK, mistakes, rename_table

if TYPE_CHECKING:
    from discord.ext import commands

    from cogs.websearch.playground.discord import LoopbackDiscord
    from loopback_exa import LoopbackExa

pytestmark = pytest.mark.usefixtures("no_mistakes")


async def found(place: Place, exa: LoopbackExa, *hosts: str) -> None:
    """Let the member find pages on these hosts."""
    exa.fail(faults.rows(*({"title": "t", "url": f"https://{host}/", "text": "x"} for host in hosts)))
    assert titles(await (await place.member.invoke(place.channel, "search", query=QUERY)).reply())


async def offered(place: Place, typed: str, **options: Any) -> list[str]:  # noqa: ANN401 - options of any kind
    """Type into the option, and return what is shown."""
    choices = await place.member.autocomplete(place.channel, "search", "site", typed, **options)
    return [choice["name"] for choice in choices]


@pytest.mark.usefixtures("bot")
async def test_hosts_of_the_last_results(place: Place, exa: LoopbackExa) -> None:
    """SITE-01, SITE-03: the latest first, completed with what's typed before, and the choice can be searched by."""
    assert await offered(place, "") == []
    await found(place, exa, "example.com", "docs.python.org")
    await found(place, exa, "bücher.de", "example.org")
    assert await offered(place, "", query=QUERY) == ["bücher.de", "example.org", "example.com", "docs.python.org"]
    assert await offered(place, "EXA") == ["example.org", "example.com"]
    assert await offered(place, "a.org, exa") == ["a.org, example.org", "a.org, example.com"]
    (choice,) = await place.member.autocomplete(place.channel, "search", "site", "a.org bü")
    inv = await place.member.invoke(place.channel, "search", query=QUERY, site=choice["value"])
    await inv.reply()
    assert exa.requests[-1].json["includeDomains"] == ["a.org", "xn--bcher-kva.de"]


async def test_others_see_nothing_of_it(bot: commands.Bot, place: Place, exa: LoopbackExa) -> None:
    """SITE-04: each member is offered their own, without what the owner blocks by now."""
    await found(place, exa, "example.com", "bad.example.org", "xn--bcher-kva.de")
    assert await place.other.autocomplete(place.channel, "search", "site", "") == []
    service = cog_of(bot).service
    await service.reconfigure(dataclasses.replace(service.config, web_block_sites=("example.org", "xn--bcher-kva.de")))
    assert await offered(place, "") == ["example.com"]


@pytest.mark.usefixtures("bot")
async def test_it_needs_neither_database_nor_engine(
    place: Place, exa: LoopbackExa, settings: dict[str, object], caplog: pytest.LogCaptureFixture
) -> None:
    """SITE-04: where both fail, what's offered is there all the same."""
    await found(place, exa, "example.com")
    calls = len(exa.requests)
    for table in ("counter", "session", "setting"):
        await rename_table(settings, table, f"hidden_{table}")
    assert await offered(place, "e") == ["example.com"]
    assert len(exa.requests) == calls
    for table in ("counter", "session", "setting"):
        await rename_table(settings, f"hidden_{table}", table)
    # What the cog does each hour may have met that, and have logged it.
    assert all("the database failed to" in mistake for mistake in mistakes(caplog))
    caplog.clear()


@pytest.mark.usefixtures("bot")
async def test_nothing_where_searching_is_off(staff: Staff, place: Place, exa: LoopbackExa) -> None:
    """SITE-04: nobody is offered what they couldn't search for."""
    await found(place, exa, "example.com")
    assert await place.member.autocomplete(staff.channel, "search", "site", "e") != []
    await ask(staff.moderator, staff.channel, "off")
    assert await place.member.autocomplete(staff.channel, "search", "site", "e") == []


async def test_installed_to_a_member(
    run_bot: RunBot, settings: dict[str, object], discord_: LoopbackDiscord, exa: LoopbackExa
) -> None:
    """SITE-04: where the bot is not, too, while the owner allows that."""
    settings["web-user-install"] = True
    elsewhere = discord_.add_guild("Elsewhere", installed=False)
    reader, channel = elsewhere.add_member("reader"), elsewhere.add_text_channel("there")
    async with run_bot() as bot:
        exa.fail(faults.rows({"title": "t", "url": "https://example.com/", "text": "x"}))
        await (await reader.invoke(channel, "search", query=QUERY, user_install=True)).reply()
        assert await reader.autocomplete(channel, "search", "site", "e", user_install=True) != []
        service = cog_of(bot).service
        service.engines.config = dataclasses.replace(service.config, web_user_install=False)
        assert await reader.autocomplete(channel, "search", "site", "e", user_install=True) == []


@pytest.mark.parametrize("typed", ["\x00\ud800", ",,,,", "a" * 6000, "https://[", "﷽" * 50, "a b c d e f"])
@pytest.mark.usefixtures("bot")
async def test_nonsense(place: Place, exa: LoopbackExa, typed: str) -> None:
    """SITE-03: whatever is typed is answered."""
    await found(place, exa, "example.com")
    assert await offered(place, typed) in ([], ["example.com"])


@pytest.mark.usefixtures("bot")
async def test_too_late(place: Place, exa: LoopbackExa, discord_: LoopbackDiscord) -> None:
    """SITE-05: choices that Discord doesn't take any more leave no traceback, and are sent once."""
    await found(place, exa, "example.com")
    hold = discord_.hold(*CALLBACK)
    typing = asyncio.create_task(place.member.autocomplete(place.channel, "search", "site", "e"))
    await hold.reached()
    discord_.clock.advance(4)
    with pytest.raises(StillWaiting):
        await typing
    before = len(discord_.requests)
    hold.release()
    await found(place, exa, "example.org")
    late = [one for one in discord_.requests[before:] if one.path.endswith("/callback")]
    assert len(late) == 1
    discord_.problems.clear()


@pytest.mark.usefixtures("bot")
async def test_a_connection_that_breaks(place: Place, exa: LoopbackExa, discord_: LoopbackDiscord) -> None:
    """SITE-05: it's tried again."""
    await found(place, exa, "example.com")
    discord_.drop(*CALLBACK)
    assert await offered(place, "e") == ["example.com"]
