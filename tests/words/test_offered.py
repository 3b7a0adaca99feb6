"""Hold what Discord is told of the commands in every language that is shipped."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any

import discord
import pytest
from discord import app_commands
from discord.ext import commands

import catalogue
from cogs.websearch import CommandTranslator, WebSearch, limits
from cogs.websearch.playground.discord.command_rules import check_command

if TYPE_CHECKING:
    from collections.abc import Iterator

Json = dict[str, Any]

# Discord's documented rule for the names of slash commands and their options.
NAME = re.compile(r"[-_'\w]{1,32}")
_SUBCOMMANDS = (1, 2)


class OneLanguage(app_commands.Translator):
    """Translate by the package's translator, and note every text that is asked for."""

    def __init__(self) -> None:
        self.asked: set[str] = set()
        self._translator = CommandTranslator()

    async def translate(
        self,
        string: app_commands.locale_str,
        locale: discord.Locale,
        context: app_commands.TranslationContextTypes,
    ) -> str | None:
        """Translate one text."""
        self.asked.add(string.message)
        return await self._translator.translate(string, locale, context)


@pytest.fixture
async def translator() -> OneLanguage:
    """Translate, and remember."""
    return OneLanguage()


@pytest.fixture
async def offered(translator: OneLanguage) -> list[Json]:
    """Make what a bot with the cog tells Discord of its commands."""
    bot = commands.Bot(command_prefix="!", intents=discord.Intents.none())
    await bot.tree.set_translator(translator)
    made = WebSearch(bot, {}).get_app_commands()
    return [await command.get_translated_payload(bot.tree, translator) for command in made]


def nested(thing: Json) -> Iterator[Json]:
    """Return a command with all that is in it: subcommands, options."""
    yield thing
    for option in thing.get("options", ()):
        yield from nested(option)


def languages() -> list[str]:
    """List the locales of Discord that are shown a catalogue: Spanish, say, is two of them."""
    folders = {language.replace("_", "-").lower() for language, _ in catalogue.shipped()}
    tags = [locale.value for locale in discord.Locale]
    return [tag for tag in tags if {tag.lower(), tag.partition("-")[0].lower()} & folders]


def names(thing: Json, locale: str) -> set[str]:
    """Return what a thing can be called by a reader of a language: its English name stays good."""
    return {thing["name"], thing.get("name_localizations", {}).get(locale, thing["name"])}


def test_discord_would_take_them(offered: list[Json]) -> None:
    """I18N-14: names, descriptions and choices, in English and in each translation, break no rule of Discord's."""
    flaws = [str(flaw) for index, command in enumerate(offered) for flaw in check_command(command, (index,))]
    assert flaws == []
    for thing in (part for command in offered for part in nested(command)):
        for name in (thing["name"], *thing.get("name_localizations", {}).values()):
            assert NAME.fullmatch(name), name
            assert name == name.lower()
        for text in (thing["description"], *thing.get("description_localizations", {}).values()):
            assert 0 < len(text.strip()) <= limits.COMMAND_DESCRIPTION, text


@pytest.mark.parametrize("locale", languages())
def test_names_differ_from_those_beside_them(offered: list[Json], locale: str) -> None:
    """I18N-14: nothing has a name that something beside it has, in the same language or in English."""
    groups = [offered, *(part.get("options", []) for command in offered for part in nested(command))]
    for group in groups:
        counted = Counter(name for thing in group for name in names(thing, locale))
        assert [name for name, times in counted.items() if times > 1] == []


@pytest.mark.parametrize("locale", languages())
def test_choices_differ(offered: list[Json], locale: str) -> None:
    """I18N-14: the choices of one option can be told apart, and are at most 100 characters long."""
    lists = [part["choices"] for command in offered for part in nested(command) if part.get("choices")]
    assert len(lists) >= 3
    for choices in lists:
        told = [choice.get("name_localizations", {}).get(locale, choice["name"]) for choice in choices]
        assert len(set(told)) == len(told)
        assert max(map(len, told)) <= 100


@pytest.mark.parametrize("locale", languages())
def test_everything_is_translated(offered: list[Json], locale: str) -> None:
    """I18N-14: each description is told in each language; a name may be the same word."""
    for thing in (part for command in offered for part in nested(command)):
        assert locale in thing["description_localizations"], thing["name"]


async def test_the_entry_of_a_messages_menu(translator: OneLanguage) -> None:
    """I18N-14, MENU-08: its name is told in each language, and is none that Discord would refuse."""
    bot = commands.Bot(command_prefix="!", intents=discord.Intents.none())
    await bot.tree.set_translator(translator)
    told: Json = await WebSearch(bot, {}).menu.command.get_translated_payload(bot.tree, translator)
    assert [str(flaw) for flaw in check_command(told, (0,))] == []
    assert told["name_localizations"].keys() >= set(languages())


def test_every_text_is_in_the_catalogues(offered: list[Json], translator: OneLanguage) -> None:
    """I18N-15: no name, description or choice is told to Discord that a translator of the package can't know."""
    assert {command["name"] for command in offered} >= {"search", "searches", "websearch"}
    known = {message.id for message in catalogue.read(catalogue.extract().encode(), "de")}
    assert translator.asked - known == set()


@pytest.mark.parametrize(
    ("text", "german"),
    [
        *(("search", "suche"), ("websearch", "websuche"), ("on", "an"), ("query", "suchbegriff"), ("channel", "kanal")),
        *(("sites", "websites"), ("block", "sperren"), ("allow", "erlauben"), ("remove", "entfernen")),
    ],
)
def test_a_german_client_shows_german_names(offered: list[Json], text: str, german: str) -> None:
    """I18N-14: the commands and options of a German client are called what a German would call them."""
    told = [part for command in offered for part in nested(command) if part["name"] == text]
    assert told
    assert {part["name_localizations"]["de"] for part in told} == {german}
