"""Hold what a member sees of `/search`, over a loopback Discord and an unmodified client."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import pytest

from bots import Place, RunBot, buttons, cog_of, sentence, titles
from loopback_exa import Fault, LoopbackExa, faults
from trouble import rename_table

if TYPE_CHECKING:
    from discord.ext import commands

    from cogs.websearch.playground.discord import Channel, LoopbackDiscord

QUERY = "pictures of a distant galaxy"


@pytest.mark.usefixtures("bot")
async def test_a_page_of_results_appears(place: Place, exa: LoopbackExa) -> None:
    """WEB-01, WEB-06, WEB-07: a search brings a header and results whose titles link to their sources."""
    reply = await (await place.member.invoke(place.channel, "search", query=QUERY)).reply()
    header, *results = reply.embeds
    assert (header["title"], header["description"]) == (QUERY, "5 results · Exa · page 1 of 2")
    assert results[0]["title"] == "1 · New telescope sends its first pictures of a distant galaxy"
    assert all(embed["url"].startswith("https://") for embed in results)
    assert "thumbnail" in results[0]
    assert not reply.ephemeral
    assert exa.requests[0].json["numResults"] == 5


@pytest.mark.usefixtures("bot")
async def test_options_reach_the_engine(place: Place, exa: LoopbackExa) -> None:
    """WEB-01, WEB-07: what narrows a search is asked of the engine and named in the header."""
    options: dict[str, Any] = {"results": 2, "category": "news", "period": "year", "site": "example.com, example.org"}
    reply = await (await place.member.invoke(place.channel, "search", query=QUERY, **options)).reply()
    sent = exa.requests[0].json
    assert (sent["numResults"], sent["category"]) == (2, "news")
    assert sent["includeDomains"] == ["example.com", "example.org"]
    assert "startPublishedDate" in sent
    assert reply.embeds[0]["description"].endswith("Exa · News · Past year · example.com, example.org")


@pytest.mark.usefixtures("bot")
async def test_nothing_that_identifies_the_member_leaves(place: Place, exa: LoopbackExa) -> None:
    """WEB-01: the engine reads the query, and neither the member's name nor any id of Discord's."""
    await (await place.member.invoke(place.channel, "search", query=QUERY)).reply()
    (call,) = exa.requests
    sent = call.body.decode() + repr(dict(call.headers))
    for known in (place.member.user, place.channel, place.guild):
        assert str(known.id) not in sent
        assert known.name not in sent


@pytest.mark.usefixtures("bot")
async def test_acknowledged_before_engine_and_database(
    place: Place, exa: LoopbackExa, settings: dict[str, object]
) -> None:
    """WEB-03: the member sees the bot think while the database is held, which keeps the engine from being asked."""
    exa.hold()
    database = str(settings["web-database"])
    with closing(sqlite3.connect(database, isolation_level=None, check_same_thread=False)) as blocker:
        await asyncio.to_thread(blocker.execute, "BEGIN IMMEDIATE")
        inv = await place.member.invoke(place.channel, "search", query=QUERY)
        await inv.acknowledged()
        assert inv.original is not None
        assert inv.original.loading
        assert exa.requests == []
        blocker.execute("ROLLBACK")
        await exa.received(1)
        assert inv.original.loading
        exa.release()
    assert titles(await inv.reply())


@pytest.mark.usefixtures("bot")
async def test_a_private_search_was_never_public(place: Place, discord_: LoopbackDiscord) -> None:
    """WEB-04: from the acknowledgement on, nobody but the member who asked sees anything of it."""
    inv = await place.member.invoke(place.channel, "search", query=QUERY, private=True)
    reply = await inv.reply()
    assert reply.ephemeral
    assert inv.callbacks[0]["data"]["flags"] == 64
    assert reply.visible_to(place.member)
    assert [message for message in discord_.messages.values() if message.visible_to(place.other)] == []


@pytest.mark.parametrize("private", [False, True])
@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (faults.rows(), "Nothing was found: try fewer or other words."),
        (faults.rows({"title": "x", "url": "javascript:alert(1)"}, 5), "2 pages were found, but none is fit"),
        (faults.error(404, "NOT_FOUND"), "Exa isn't at the address that the bot has for it: tell the bot's owner."),
        (faults.html(), "Exa sent an answer that makes no sense: try again in a moment."),
    ],
)
@pytest.mark.usefixtures("bot")
async def test_why_there_are_no_results_is_private( place: Place, exa: LoopbackExa, discord_: LoopbackDiscord, *,
    fault: Fault, said: str, private: bool,
) -> None:  # fmt: skip
    """WEB-02, WEB-23: also after a public acknowledgement only the asker reads the sentence; then the next works."""
    exa.fail(fault)
    reply = await (await place.member.invoke(place.channel, "search", query=QUERY, private=private)).reply()
    assert sentence(reply).startswith(said)
    assert reply.embeds[0]["title"] == QUERY
    assert reply.ephemeral
    assert [message for message in discord_.messages.values() if message.visible_to(place.other)] == []
    assert titles(await (await place.member.invoke(place.channel, "search", query=QUERY)).reply())


async def test_an_engine_that_never_answers_ends_in_a_sentence(
    run_bot: RunBot, settings: dict[str, object], place: Place, exa: LoopbackExa
) -> None:
    """WEB-23: a reply does not think for ever."""
    settings["web-timeout-s"] = 1
    exa.fail(faults.hang)
    async with run_bot():
        reply = await (await place.member.invoke(place.channel, "search", query=QUERY)).reply()
    assert sentence(reply) == "Exa took too long: try again in a moment."


@pytest.mark.usefixtures("bot")
async def test_a_broken_database_ends_in_a_sentence_and_recovers(place: Place, settings: dict[str, object]) -> None:
    """WEB-23: a session that can't be kept is told as the database's failure, and the next search works."""
    await rename_table(settings, "session", "hidden")
    reply = await (await place.member.invoke(place.channel, "search", query=QUERY)).reply()
    assert sentence(reply).startswith("The bot's database failed")
    assert reply.ephemeral
    await rename_table(settings, "hidden", "session")
    assert titles(await (await place.member.invoke(place.channel, "search", query=QUERY)).reply())


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"query": ""}, "There's nothing to search for"),
        ({"query": "\u200b\u2060 \u3164"}, "There's nothing to search for"),
        ({"query": "long " * 999 + "queue"}, "The query has 5,000 characters, but at most 400"),
        ({"query": "sky", "results": 0}, "A search can't bring 0 results: ask for 1 to 10."),
        ({"query": "sky", "results": 99}, "A search can't bring 99 results: ask for 1 to 10."),
        (
            {"query": "sky", "site": "not\\_a\\_domain"},
            r"“not\\\_a\\\_domain” is no domain of the public web: type one such as example.com.",
        ),
        ({"query": "sky", "category": "people", "period": "week"}, "The options period and category “"),
        ({"query": "sky", "category": "company", "period": "day"}, "The options period and category “"),
    ],
)
@pytest.mark.usefixtures("bot")
async def test_bad_input_is_said_at_once_and_privately(
    place: Place, exa: LoopbackExa, options: dict[str, Any], said: str
) -> None:
    """WEB-14, WEB-15: also what no honest client sends is answered by one sentence, and nothing is searched."""
    inv = await place.member.invoke(place.channel, "search", force=True, **options)
    reply = await inv.reply()
    assert inv.callbacks[0]["type"] == 4
    assert reply.ephemeral
    assert sentence(reply).startswith(said)
    assert exa.requests == []


@pytest.mark.usefixtures("bot")
async def test_a_category_that_no_client_offers_is_said(place: Place, exa: LoopbackExa) -> None:
    """WEB-14: a forged category or period is answered like any other bad option."""
    forgeries: tuple[dict[str, Any], ...] = ({"category": "everything"}, {"period": "aeon"})
    for forged in forgeries:
        inv = await place.member.invoke(place.channel, "search", force=True, query=QUERY, **forged)
        reply = await inv.reply()
        assert reply.ephemeral
        assert sentence(reply).endswith("take one from its list.")
    assert exa.requests == []


async def test_the_main_switch_refuses_at_once(
    settings: dict[str, object], run_bot: RunBot, place: Place, exa: LoopbackExa
) -> None:
    """WEB-18: while the owner has not switched it on, nobody searches."""
    settings["enable-web-search"] = False
    async with run_bot():
        reply = await (await place.member.invoke(place.channel, "search", query=QUERY)).reply()
    assert sentence(reply) == "Web search is switched off: only the bot's owner can switch it on."
    assert reply.ephemeral
    assert exa.requests == []


def places(place: Place, discord_: LoopbackDiscord) -> dict[str, Channel]:
    """List the kinds of place where members search."""
    forum = place.guild.add_forum("questions")
    return {
        "channel": place.channel,
        "public thread": place.channel.add_thread("side talk"),
        "private thread": place.channel.add_thread("hidden talk", private=True, owner=place.member),
        "forum post": forum.add_post("a question", owner=place.member),
        "voice": place.guild.add_voice_channel("lounge"),
        "direct message": discord_.open_dm(place.member.user),
    }


@pytest.mark.parametrize(
    "kind", ["channel", "public thread", "private thread", "forum post", "voice", "direct message"]
)
@pytest.mark.usefixtures("bot")
async def test_it_works_in_every_kind_of_place(place: Place, discord_: LoopbackDiscord, kind: str) -> None:
    """WEB-16: servers, threads, forum posts and direct messages alike, pages included."""
    where = places(place, discord_)[kind]
    actor = place.member.user if kind == "direct message" else place.member
    reply = await (await actor.invoke(where, "search", query=QUERY)).reply()
    assert titles(reply)
    await (await actor.press(reply, "Next")).reply()
    assert "page 2 of 2" in reply.embeds[0]["description"]


@pytest.mark.parametrize("allowed", [True, False])
async def test_installed_to_a_member_it_works_where_the_owner_allows(
    run_bot: RunBot, settings: dict[str, object], discord_: LoopbackDiscord, place: Place, exa: LoopbackExa, *,
    allowed: bool,
) -> None:  # fmt: skip
    """WEB-17: in a server without the bot the command is there only with the owner's leave, checked when it runs."""
    abroad = discord_.add_guild("Elsewhere", installed=False)
    channel = abroad.add_text_channel("general")
    visitor = abroad.add_member(place.member.user)
    settings["web-user-install"] = True
    async with run_bot() as bot:
        # The owner changes their mind; Discord still offers what was synced before.
        service = cog_of(bot).service
        service.engines.config = replace(service.config, web_user_install=allowed)
        reply = await (await visitor.invoke(channel, "search", query=QUERY, user_install=True)).reply()
        if allowed:
            assert titles(reply)
        else:
            assert sentence(reply).startswith("Web search doesn't work here")
            assert reply.ephemeral
            assert exa.requests == []


@pytest.mark.usefixtures("bot")
async def test_without_leave_the_command_is_not_offered_to_members_alone(discord_: LoopbackDiscord) -> None:
    """WEB-17: by default the synced command is for servers and direct messages with the bot."""
    command = next(command for command in discord_.commands.all() if command.name == "search")
    assert set(command.installs) == {0}
    assert set(command.contexts) == {0, 1}


@pytest.mark.usefixtures("bot")
async def test_no_reply_pings(place: Place, discord_: LoopbackDiscord, exa: LoopbackExa) -> None:
    """WEB-19: everything that is sent says that nobody is to be pinged, and nobody is."""
    text = f"@everyone @here <@{place.other.id}> wake up"
    exa.fail(faults.rows(*({"title": text, "url": f"https://example.com/{n}", "text": text} for n in range(4))))
    reply = await (await place.member.invoke(place.channel, "search", query=text)).reply()
    await (await place.member.press(reply, "Next")).reply()
    sent = [message for message in discord_.messages.values() if message.author is discord_.bot]
    assert sent
    assert all(not message.pings for message in sent)
    bodies = [cast("dict[str, Any]", request.body) for request in discord_.requests if "embeds" in repr(request.body)]
    assert bodies
    assert all(body["allowed_mentions"]["parse"] == [] for body in bodies)


@pytest.mark.usefixtures("bot")
async def test_a_reply_that_vanishes_while_its_search_runs_is_no_error(
    place: Place, exa: LoopbackExa, discord_: LoopbackDiscord, caplog: pytest.LogCaptureFixture
) -> None:
    """WEB-21: a moderator deletes the "thinking"; nothing more is sent and no warning is logged."""
    exa.hold()
    inv = await place.member.invoke(place.channel, "search", query=QUERY)
    await inv.acknowledged()
    assert inv.original is not None
    inv.original.delete()
    exa.release()
    await discord_.until(lambda: any(r.method == "PATCH" and r.status == 404 for r in discord_.requests))
    assert [record for record in caplog.records if record.name.startswith("cogs.") and record.levelname != "INFO"] == []


async def test_a_fault_of_the_bot_itself_is_one_sentence(
    place: Place, bot: commands.Bot, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """WEB-22: the member reads a sentence, privately; the log says where, and nothing that was typed."""

    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError(QUERY)

    monkeypatch.setattr(cog_of(bot).service, "prepare", fail)
    reply = await (await place.member.invoke(place.channel, "search", query=QUERY)).reply()
    assert sentence(reply) == "Something went wrong in the bot: tell the bot's owner."
    assert reply.ephemeral
    assert "ZeroDivisionError" in caplog.text
    assert QUERY not in caplog.text


@pytest.mark.usefixtures("exa")
@pytest.mark.usefixtures("bot")
async def test_fifty_members_at_once(place: Place) -> None:
    """WEB-01: searches at the same time each get their own reply."""
    members = [place.guild.add_member(f"reader {number}") for number in range(50)]
    asked = [
        await member.invoke(place.channel, "search", query=f"galaxy number {number}")
        for number, member in enumerate(members)
    ]
    replies = await asyncio.gather(*(inv.reply() for inv in asked))
    assert [reply.embeds[0]["title"] for reply in replies] == [f"galaxy number {number}" for number in range(50)]
    assert len({buttons(reply)["Delete"]["custom_id"] for reply in replies}) == 50


@pytest.mark.usefixtures("bot")
@pytest.mark.parametrize("path", ["/callback$", "/messages/@original$"])
@pytest.mark.parametrize("after", [False, True])
async def test_a_connection_that_breaks_is_tried_again(
    place: Place, discord_: LoopbackDiscord, *, path: str, after: bool
) -> None:
    """WEB-27: whether Discord had taken what was sent or not, the member gets the results, once."""
    discord_.drop("*", path, after=after)
    reply = await (await place.member.invoke(place.channel, "search", query=QUERY)).reply()
    assert titles(reply)
    assert [message for message in discord_.messages.values() if message.author is discord_.bot] == [reply]
    # Whoever can't know whether an acknowledgement arrived sends it again, and is told so.
    assert all("40060" in problem.what for problem in discord_.problems)
    discord_.problems.clear()


@pytest.mark.usefixtures("bot")
async def test_a_private_reason_survives_a_connection_that_breaks(
    place: Place, discord_: LoopbackDiscord, exa: LoopbackExa
) -> None:
    """WEB-27, WEB-02: the public "thinking" goes and the private sentence comes, each at the second try."""
    exa.fail(faults.rows())
    discord_.drop("DELETE", "/messages/@original$", after=True)
    discord_.drop("POST", "/webhooks/")
    reply = await (await place.member.invoke(place.channel, "search", query=QUERY)).reply()
    assert sentence(reply).startswith("Nothing was found")
    assert reply.ephemeral
