"""Hold in which language members and moderators are answered, over a loopback Discord."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import pytest
from discord.ext import commands

import alert_tools
from bots import Place, buttons, connected_bot, sentence
from cogs.websearch import CommandTranslator, WebSearch, delivery, owner_status
from cogs.websearch.i18n import Catalogues
from cogs.websearch.playground.discord import Permission
from cogs.websearch.syncing import Syncing
from loopback_exa import LoopbackExa, faults
from made_up import english_in, write_foreign
from staff import Staff, ask, line
from trouble import DELETE, public, settled

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping
    from pathlib import Path

    from cogs.websearch.playground.discord import Channel, LoopbackDiscord, Member, Message

QUERY = "宇宙"
NOTHING = "Es wurde nichts gefunden: Versuche es mit weniger oder anderen Wörtern."


@pytest.fixture(autouse=True)
def german_server(place: Place, settings: dict[str, object]) -> None:
    """Let the server be German, while its members have clients in English until a test says otherwise."""
    place.guild.locale = "de"
    settings["web-per-minute"] = 60


@asynccontextmanager
async def translated_bot(
    discord_: LoopbackDiscord, settings: Mapping[str, object], catalogues: Catalogues | None = None
) -> AsyncIterator[commands.Bot]:
    """Connect a bot with the cog that translates its commands, as the bundled one does."""
    async with connected_bot(discord_) as bot:
        await bot.tree.set_translator(CommandTranslator(catalogues))
        cog = WebSearch(bot, settings, clock=discord_.clock.now)
        if catalogues is not None:
            cog.catalogues = catalogues
        await bot.add_cog(cog)
        await bot.tree.sync()
        yield bot


@pytest.fixture
async def translated(discord_: LoopbackDiscord, settings: dict[str, object]) -> AsyncIterator[commands.Bot]:
    """Run it."""
    async with translated_bot(discord_, settings) as bot:
        yield bot


async def search(member: Member, where: Channel, locale: str, *, private: bool = False) -> Message:
    """Search with a client in a language."""
    return await (await member.invoke(where, "search", query=QUERY, private=private, locale=locale)).reply()


@pytest.mark.usefixtures("translated")
@pytest.mark.parametrize(
    ("server", "member", "private", "told"),
    [
        ("de", "en-US", False, "5 Ergebnisse · Exa · Seite 1 von 2"),
        ("de", "en-US", True, "5 results · Exa · page 1 of 2"),
        ("en-US", "de", False, "5 results · Exa · page 1 of 2"),
        ("en-US", "de", True, "5 Ergebnisse · Exa · Seite 1 von 2"),
        ("fr", "de", False, "5 results · Exa · page 1 of 2"),
        ("de", "fr", True, "5 results · Exa · page 1 of 2"),
    ],
)
async def test_a_reply_is_in_its_readers_language(
    place: Place, server: str, member: str, told: str, *, private: bool
) -> None:
    """I18N-17: the server's where all read it, the member's where they alone do, English where there's no catalogue."""
    place.guild.locale = server
    reply = await search(place.member, place.channel, member, private=private)
    assert reply.embeds[0]["description"] == told
    german = "Ergebnisse" in told
    shown = (
        ["Zurück", "Weiter", "Antwort", "Teilen", "Löschen"]
        if german
        else ["Previous", "Next", "Answer", "Share", "Delete"]
    )
    assert list(buttons(reply)) == [label for label in shown if private or label not in {"Teilen", "Share"}]


@pytest.mark.usefixtures("translated")
async def test_direct_messages_are_in_the_members_language(place: Place, discord_: LoopbackDiscord) -> None:
    """I18N-17: where there's no server, it's who writes."""
    direct = discord_.open_dm(place.member.user)
    reply = await (await place.member.user.invoke(direct, "search", query=QUERY, locale="de")).reply()
    assert reply.embeds[0]["description"] == "5 Ergebnisse · Exa · Seite 1 von 2"


@pytest.mark.usefixtures("translated")
async def test_turning_pages_keeps_the_language(place: Place) -> None:
    """I18N-17: pressed with an English client, a German reply stays German."""
    reply = await search(place.member, place.channel, "en-US")
    await (await place.member.press(reply, "Weiter", locale="en-US")).reply()
    assert reply.embeds[0]["description"] == "5 Ergebnisse · Exa · Seite 2 von 2"
    assert list(buttons(reply)) == ["Zurück", "Weiter", "Antwort", "Löschen"]


@pytest.mark.usefixtures("translated")
@pytest.mark.parametrize(
    ("locale", "told"),
    [
        ("de", "Blättern kann nur das Mitglied, das gesucht hat: Öffne die Antwort für dich, oder suche mit /suche."),
        (
            "en-GB",
            "Only the member who searched can turn the pages: open the reply for yourself, or search with /search.",
        ),
    ],
)
async def test_who_presses_is_told_in_their_own_language(place: Place, locale: str, told: str) -> None:
    """I18N-16, I18N-18: a member of another language than the reply's, with the command as their client shows it."""
    reply = await search(place.member, place.channel, "en-US")
    said = await (await place.other.press(reply, "Weiter", locale=locale)).reply()
    assert said.ephemeral
    assert sentence(said) == told


async def test_a_command_is_named_as_the_client_shows_it(
    discord_: LoopbackDiscord, settings: dict[str, object], place: Place
) -> None:
    """I18N-16: without a translator, a German client shows /search, and so does the German sentence."""
    settings["web-default-on"] = False
    for translator, name in ((None, "/websearch"), (CommandTranslator(), "/websuche")):
        async with connected_bot(discord_) as bot:
            await bot.tree.set_translator(translator)
            await bot.add_cog(WebSearch(bot, settings, clock=discord_.clock.now))
            await bot.tree.sync()
            told = sentence(await search(place.member, place.channel, "de"))
            assert told == f"Die Websuche ist hier aus, bis die Moderation sie mit {name} einschaltet."


@pytest.mark.parametrize(
    ("locale", "told"), [("de", NOTHING), ("en-US", "Nothing was found: try fewer or other words.")]
)
async def test_an_error_after_a_public_acknowledgement(
    translated: commands.Bot, place: Place, discord_: LoopbackDiscord, exa: LoopbackExa, locale: str, told: str
) -> None:
    """I18N-18: the member alone reads why, in their own language, whatever the server's is."""
    place.guild.locale = "de" if locale == "en-US" else "en-US"
    exa.fail(faults.rows())
    inv = await place.member.invoke(place.channel, "search", query=QUERY, locale=locale)
    said = await inv.reply()
    await settled(translated, discord_, inv)
    assert (sentence(said), said.ephemeral) == (told, True)
    assert public(discord_, place) == []


@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize("fault", [False, True])
async def test_what_all_may_read_is_in_the_servers_language(
    translated: commands.Bot, place: Place, discord_: LoopbackDiscord, exa: LoopbackExa,
    monkeypatch: pytest.MonkeyPatch, *, fault: bool,
) -> None:  # fmt: skip
    """I18N-18: where a public "thinking" can't be deleted, it says something neutral to the server."""

    async def fail(*_: object, **__: object) -> None:
        raise RuntimeError

    exa.fail(faults.rows())
    if fault:
        monkeypatch.setattr(delivery, "search", fail)
    discord_.fail(*DELETE, times=None)
    inv = await place.member.invoke(place.channel, "search", query=QUERY, locale="en-US")
    said = await inv.reply()
    await settled(translated, discord_, inv)
    assert sentence(said) == (
        "Im Bot ist etwas schiefgegangen: Sage dem Betreiber des Bots Bescheid."
        if fault
        else "Discord hat die Antwort nicht angenommen: Versuche es gleich noch einmal."
    )


@pytest.mark.usefixtures("translated")
async def test_a_moderator_is_answered_in_their_own_language(staff: Staff) -> None:
    """I18N-17: all that /websearch says is private, so that the server's language doesn't count."""
    staff.guild.locale = "en-US"
    told = line(await ask(staff.manager, staff.channel, "off", locale="de", **{"for": "2h"}), "Websuche: ")
    assert told.startswith("**aus** laut Kanal *desk*, festgelegt von <@")
    status = (await ask(staff.manager, staff.channel, "status", locale="de")).embeds[0]["description"]
    assert "Antworten: **öffentlich** laut Voreinstellung" in status
    assert "Limits je Mitglied: 60 in der Minute, 30 am Tag" in status
    assert "Heute auf diesem Server: 0 Suchen" in status
    english = line(await ask(staff.manager, staff.channel, "status", locale="en-US"))
    assert english.startswith("**off** by the channel *desk*, set by <@")
    refused = await ask(staff.moderator, staff.channel, "off", locale="de", server=True)
    assert sentence(refused) == "Dafür musst du diesen Server verwalten dürfen."


async def test_alerts_are_in_the_servers_language(
    discord_: LoopbackDiscord, settings: dict[str, object], place: Place, exa: LoopbackExa
) -> None:
    """I18N-17: trouble is told to the channel for it in that server's language, whatever the searching member's is."""
    settings["web-alert-channel"] = place.channel.id
    exa.fail(always=alert_tools.KEY)
    async with translated_bot(discord_, settings):
        await search(place.member, place.channel, "en-US")
        await alert_tools.alerts_sent()
        (told,) = alert_tools.said(place.channel)
    assert told.startswith("**Exa lehnt den Schlüssel des Bots ab")


@pytest.mark.usefixtures("translated")
def test_commands_are_synced_in_each_language(discord_: LoopbackDiscord) -> None:
    """I18N-09, I18N-14: Discord is told the German names and descriptions beside the English ones."""
    told = {command.name: command.data for command in discord_.commands.all()}
    assert told["search"]["name_localizations"] == {"de": "suche"}
    assert told["search"]["description_localizations"] == {"de": "Im Web suchen"}
    assert told["websearch"]["name_localizations"] == {"de": "websuche"}
    options = {option["name"]: option for option in told["search"]["options"]}
    assert options["query"]["name_localizations"] == {"de": "suchbegriff"}
    assert options["period"]["description_localizations"]["de"].startswith("Nur Seiten")
    choices = {choice["value"]: choice for choice in options["period"]["choices"]}
    assert choices["day"]["name_localizations"] == {"de": "Letzter Tag"}


@pytest.fixture
async def foreign(
    discord_: LoopbackDiscord, settings: dict[str, object], exa: LoopbackExa, tmp_path: Path
) -> AsyncIterator[commands.Bot]:
    """Run a bot whose German is made up, without an English letter; nothing that it finds has one."""
    exa.fail(
        always=faults.rows(*({"title": QUERY, "url": f"https://example.com/{n}", "text": QUERY} for n in range(4)))
    )
    write_foreign(tmp_path / "locales")
    async with translated_bot(discord_, settings, Catalogues(tmp_path / "locales")) as bot:
        yield bot


def shown(message: Message) -> list[str]:
    """List all that a message shows."""
    embeds = [text for embed in message.embeds for text in (embed.get("title", ""), embed.get("description", ""))]
    return [message.content, *embeds, *buttons(message)]


def untranslated(*messages: Message) -> list[str]:
    """List the English in messages."""
    return [word for message in messages for text in shown(message) for word in english_in(text)]


async def foreign_search(place: Place, where: Channel, **options: Any) -> Message:  # noqa: ANN401 - as each option takes it
    """Search with a client in that language."""
    return await (await place.member.invoke(where, "search", query=QUERY, locale="de", **options)).reply()


@pytest.mark.usefixtures("foreign")
@pytest.mark.parametrize("bare", [False, True])
async def test_no_english_is_left_of_results(place: Place, *, bare: bool) -> None:
    """I18N-20: header, results, buttons and pages, as embeds and as plain text."""
    where = place.guild.add_text_channel("広場")
    if bare:
        where.deny(place.guild.bot_role, Permission.EMBED_LINKS)
    options = {"results": 4, "category": "news", "period": "week", "site": "example.com"}
    reply = await foreign_search(place, where, **options)
    assert len(buttons(reply)) == 3
    assert untranslated(reply) == []
    await (await place.member.press(reply, list(buttons(reply))[1], locale="de")).reply()
    assert untranslated(reply) == []


@pytest.mark.usefixtures("foreign")
async def test_no_english_is_left_of_refusals(place: Place, discord_: LoopbackDiscord, exa: LoopbackExa) -> None:
    """I18N-20: what a member can't do, what isn't found, and a press that does nothing."""
    where = place.guild.add_text_channel("広場")
    reply = await foreign_search(place, where)
    label = list(buttons(reply))[1]
    told = [await (await place.other.press(reply, label, locale="de")).reply()]
    told.append(await foreign_search(place, where, site="広場"))
    exa.fail(faults.rows())
    told.append(await foreign_search(place, where))
    discord_.clock.advance(25 * 3600)
    press = await place.member.press(reply, label, locale="de")
    await discord_.until(lambda: press.followups != [])
    told += press.followups
    assert all(message.ephemeral for message in told)
    assert untranslated(*told) == []


@pytest.mark.usefixtures("foreign")
async def test_no_english_is_left_of_settings(staff: Staff) -> None:
    """I18N-20: all that /websearch answers."""
    where = staff.guild.add_text_channel("広場", category=staff.category)
    for command, options in (
        ("status", {}),
        ("off", {"for": "2h"}),
        ("on", {}),
        ("replies", {"visibility": "private"}),
        ("status", {"server": True}),
        ("inherit", {}),
        ("status", {}),
        ("sites list", {}),
        ("sites block", {"domains": "example.com"}),
        ("sites allow", {"domains": "example.com"}),
        ("status", {}),
        ("sites allow", {"domains": "広場.example.com"}),
        ("sites block", {"domains": "example.com"}),
        ("sites remove", {"domains": "example.com"}),
        ("sites remove", {"domains": "example.com"}),
        ("sites block", {"domains": "広場"}),
        ("sites block", {"domains": ","}),
    ):
        assert untranslated(await ask(staff.manager, where, command, locale="de", **options)) == []
    refused = await ask(staff.moderator, where, "off", locale="de", server=True)
    assert untranslated(refused) == []


@pytest.mark.usefixtures("foreign")
async def test_no_english_is_left_of_ones_own_searches(place: Place) -> None:
    """I18N-20: what `/searches` shows, before and after each of its buttons."""
    where = place.guild.add_text_channel("広場")
    reply = await (await place.member.invoke(where, "searches", locale="de")).reply()
    assert untranslated(reply) == []
    await foreign_search(place, where)
    for name in ("websearch:pause", "websearch:forget-me", "websearch:pause", "websearch:resume"):
        await (await place.member.press(reply, name, locale="de")).reply()
        assert untranslated(reply) == []
        assert reply.embeds[0]["description"]


async def test_no_english_is_left_of_the_owners_status(
    discord_: LoopbackDiscord, settings: dict[str, object], tmp_path: Path
) -> None:
    """I18N-20: versions, servers, commands, missing permissions, and how the search is."""
    write_foreign(tmp_path / "locales")
    words = Catalogues(tmp_path / "locales").words("de")
    guild = discord_.add_guild("広場")
    guild.bot_role.permissions = Permission(0)
    async with connected_bot(discord_, commands.AutoShardedBot) as bot:  # type: ignore[arg-type] # a bot, too
        assert isinstance(bot, commands.AutoShardedBot)
        await bot.add_cog(WebSearch(bot, settings, clock=discord_.clock.now))
        syncing = Syncing(bot.tree, clock=discord_.clock.now)
        told = await owner_status.lines(bot, syncing, 99.5, words)
        await syncing.everywhere()
        told += await owner_status.lines(bot, syncing, 99.5, words)
    assert len(told) > 10
    for text in told:
        assert english_in(text, "Search the web", "websearch", "searches", "search") == []
