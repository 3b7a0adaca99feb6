"""Hold what members see where a server blocks sites, or allows some alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bots import Place, buttons, cog_of, sentence, titles
from cogs.websearch import errors
from cogs.websearch.models import Asker
from cogs.websearch.places import server
from loopback_exa import LoopbackExa, faults
from trouble import ask, counted

if TYPE_CHECKING:
    from discord.ext import commands

    from bots import RunBot
    from cogs.websearch.playground.discord import LoopbackDiscord, Message

pytestmark = pytest.mark.usefixtures("no_mistakes")

HOSTS = ("a.example.org", "b.example.org", "example.com", "example.net")
MENU = "Read a page…"
HIDDEN = "Nothing of {} is shown in this server: its moderators have ruled that out."


def found(exa: LoopbackExa) -> None:
    """Let Exa find a page on each of the hosts, whatever it's asked for."""
    rows = ({"title": f"Page of {host}", "url": f"https://{host}/", "text": "Text."} for host in HOSTS)
    exa.fail(always=faults.rows(*rows))


async def rule(bot: commands.Bot, place: Place, *domains: str, allowed: bool) -> None:
    """Block or allow sites in the place's server, as its moderators do."""
    await cog_of(bot).service.switchboard.rule_sites(place.guild.id, domains, allowed=allowed, by=1)


def shown(message: Message) -> list[str]:
    """List the hosts of the pages on a page of results, in order."""
    return [title.rpartition(" of ")[2] for title in titles(message)]


def menu(message: Message) -> list[str]:
    """List what the menu of a reply offers."""
    components = [component for row in message.components for component in row["components"]]
    return [option["value"] for component in components for option in component.get("options", ())]


async def test_results_keep_to_the_rules(bot: commands.Bot, place: Place, exa: LoopbackExa) -> None:
    """RULE-02 RULE-03 RULE-05: blocked sites are gone, then all but the allowed ones; Exa is asked for just these."""
    found(exa)
    await rule(bot, place, "example.net", allowed=False)
    reply = await (await ask(place)).reply()
    assert shown(reply) == list(HOSTS[:3])
    assert exa.requests[-1].json["excludeDomains"] == ["example.net"]
    await rule(bot, place, "example.org", "example.net", allowed=True)
    await rule(bot, place, "b.example.org", allowed=False)
    reply = await (await ask(place)).reply()
    assert shown(reply) == ["a.example.org", "example.net"]
    assert exa.requests[-1].json["includeDomains"] == ["example.net", "example.org"]
    assert exa.requests[-1].json["excludeDomains"] == ["b.example.org"]


async def test_other_places_have_other_rules(
    bot: commands.Bot, place: Place, exa: LoopbackExa, discord_: LoopbackDiscord
) -> None:
    """RULE-04: neither another server nor a direct message is bound by them."""
    found(exa)
    await rule(bot, place, "example.org", allowed=True)
    other = Place.make(discord_)
    assert len(titles(await (await ask(other)).reply())) == 3
    direct = discord_.open_dm(place.member.user)
    assert len(titles(await (await place.member.user.invoke(direct, "search", query="x")).reply())) == 3
    assert len(titles(await (await ask(place)).reply())) == 2


async def test_nothing_on_the_allowed_sites(bot: commands.Bot, place: Place, exa: LoopbackExa) -> None:
    """RULE-05: where nothing that was found may be shown, that's said, and why; so it is where nothing was found."""
    found(exa)
    await rule(bot, place, "docs.python.org", allowed=True)
    said = "Nothing was found on the sites that this server allows: try other words."
    assert sentence(await (await ask(place)).reply()) == said
    exa.fail(always=faults.rows())
    assert sentence(await (await ask(place)).reply()) == said


async def test_a_search_on_a_hidden_site(bot: commands.Bot, place: Place, exa: LoopbackExa) -> None:
    """RULE-06: it's refused at once and privately, nothing is asked or charged; parts that are allowed are searched."""
    found(exa)
    await rule(bot, place, "a.example.org", "example.com", allowed=True)
    for site, shown in (("example.net", "example.net"), ("a.example.org, https://B.example.org/x", "b.example.org")):
        told = await (await place.member.invoke(place.channel, "search", query="x", site=site)).reply()
        assert sentence(told) == HIDDEN.format(shown)
        assert told.ephemeral
    assert exa.requests == []
    assert await counted(bot, place) == 0
    told = await (await place.member.invoke(place.channel, "search", query="x", site="example.org")).reply()
    assert exa.requests[-1].json["includeDomains"] == ["a.example.org"]
    assert "example.org" in str(told.embeds[0])


async def test_a_rule_that_comes_while_the_search_waits(
    bot: commands.Bot, place: Place, exa: LoopbackExa, settings: dict[str, object]
) -> None:
    """RULE-02 RULE-08: what's blocked after the search is left out on the next press, and its page isn't read."""
    assert settings["web-cache-minutes"] == 0
    exa.fail(
        always=faults.rows(
            *({"title": f"Page {n}", "url": f"https://{HOSTS[n % 4]}/{n}", "text": "Text."} for n in range(5))
        )
    )
    reply = await (await ask(place)).reply()
    assert menu(reply) == ["1", "2", "3"]
    await rule(bot, place, "b.example.org", allowed=False)
    calls = len(exa.requests)
    told = await (await place.other.choose(reply, MENU, ["2"])).reply()
    assert sentence(told) == HIDDEN.format("b.example.org")
    assert len(exa.requests) == calls
    await (await place.member.press(reply, "Next")).reply()
    await (await place.member.press(reply, "Previous")).reply()
    assert titles(reply) == ["1 · Page 0", "3 · Page 2"]
    assert menu(reply) == ["1", "3"]


@pytest.mark.parametrize(("site", "allowed"), [("b.example.org", False), ("a.example.org", True)])
async def test_a_rule_that_comes_while_the_engine_is_asked(
    bot: commands.Bot, place: Place, exa: LoopbackExa, site: str, *, allowed: bool
) -> None:
    """RULE-02 RULE-08: what was asked for before isn't shown after it either."""
    found(exa)
    exa.hold()
    inv = await ask(place)
    await exa.received(1)
    await rule(bot, place, site, allowed=allowed)
    exa.release()
    assert set(shown(await inv.reply())) == (
        {"a.example.org"} if allowed else {"a.example.org", "example.com", "example.net"}
    )


async def test_a_page_that_was_opened_before(
    bot: commands.Bot, place: Place, exa: LoopbackExa, discord_: LoopbackDiscord
) -> None:
    """RULE-08: a page of a site that's hidden by now has ended."""
    found(exa)
    reply = await (await ask(place)).reply()
    row = {"url": "https://a.example.org/", "title": "Long", "text": "A sentence of the page that goes on. " * 300}
    exa.fail(faults.rows(row, statuses=[{"id": row["url"], "status": "success"}]))
    opened = await (await place.other.choose(reply, MENU, ["1"])).reply()
    await rule(bot, place, "example.com", allowed=True)
    press = await place.other.press(opened, "Next")
    await discord_.until(lambda: press.followups != [])
    assert sentence(press.followups[0]).startswith("This search is too old")


async def test_answers_from_allowed_sites_alone(bot: commands.Bot, place: Place, exa: LoopbackExa) -> None:
    """RULE-07: Exa can't keep its answers to sites, so none is asked for, and none is offered under results."""
    found(exa)
    assert "Answer" in buttons(await (await ask(place)).reply())
    await rule(bot, place, "example.org", allowed=True)
    calls = len(exa.requests)
    told = await (await place.member.invoke(place.channel, "search", query="x", mode="answer")).reply()
    assert sentence(told) == (
        "This server allows some sites alone, and Exa can't keep its answers to them: ask for results."
    )
    assert told.ephemeral
    assert len(exa.requests) == calls
    assert "Answer" not in buttons(await (await ask(place)).reply())


async def test_rules_that_change_before_an_answer(bot: commands.Bot, place: Place, exa: LoopbackExa) -> None:
    """RULE-02 RULE-06 RULE-07: one that was asked for under others keeps to those of now, or isn't asked for."""
    service = cog_of(bot).service
    asker = Asker(user_id=place.member.id, channel_id=place.channel.id, guild_id=place.guild.id)
    here = server(place.guild.id)
    plain = service.prepare(asker, here, query="x", answering=True)
    narrow = service.prepare(asker, here, query="x", sites="example.com")
    await rule(bot, place, "example.com", allowed=False)
    found = await service.answer(plain, asker, here)
    assert found.request.rules == service.site_rules(place.guild.id)
    assert found.request.rules.blocked == ("example.com",)
    calls = len(exa.requests)
    with pytest.raises(errors.SiteHidden):
        await service.answer(narrow, asker, here)
    await rule(bot, place, "example.org", allowed=True)
    with pytest.raises(errors.AnswersUnbound):
        await service.answer(plain, asker, here)
    assert len(exa.requests) == calls


async def test_repeats_under_other_rules(
    run_bot: RunBot, place: Place, exa: LoopbackExa, settings: dict[str, object], discord_: LoopbackDiscord
) -> None:
    """RULE-09: what was found under one server's rules isn't shown under those of another, though the words are."""
    found(exa)
    settings["web-cache-minutes"] = 10
    other = Place.make(discord_)
    async with run_bot() as bot:
        await rule(bot, place, "example.com", allowed=False)
        assert "example.com" not in shown(await (await ask(place)).reply())
        assert "example.com" in shown(await (await ask(other)).reply())
        assert len(exa.requests) == 2
        await (await ask(place)).reply()
        assert len(exa.requests) == 2
        await rule(bot, place, "example.net", allowed=False)
        assert "example.net" not in shown(await (await ask(place)).reply())
        assert len(exa.requests) == 3


async def test_allowed_sites_are_offered(bot: commands.Bot, place: Place, exa: LoopbackExa) -> None:
    """RULE-16, SITE-04: behind the hosts of one's own results; a member who found nothing yet is offered them, too."""
    found(exa)
    await rule(bot, place, "example.org", "xn--bcher-kva.de", allowed=True)
    await (await ask(place)).reply()

    async def offered(who: object) -> list[str]:
        choices = await who.autocomplete(place.channel, "search", "site", "")  # type: ignore[attr-defined] # a member
        return [choice["name"] for choice in choices]

    assert await offered(place.member) == ["a.example.org", "b.example.org", "example.org", "bücher.de"]
    assert await offered(place.other) == ["example.org", "bücher.de"]
