"""Hold how commands are translated."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import discord
import pytest
from discord import app_commands
from discord.app_commands import TranslationContext, TranslationContextLocation, locale_str

from catalogue import write
from cogs.websearch.i18n import Catalogues
from cogs.websearch.translator import CommandTranslator

if TYPE_CHECKING:
    from pathlib import Path

    from catalogue import Text

TEXTS: dict[Text, Text] = {
    "search": "suche",
    "results": "Große Zahl",
    "category": "ROT",
    "Search the web": "Durchsucht das Netz",
    "What to search for": "x" * 101,
    "Past day": "Letzter Tag",
}


@pytest.fixture
def translator(tmp_path: Path) -> CommandTranslator:
    """Translate into a German that is partly too long, in capitals or with spaces."""
    write(tmp_path, "de", "de", TEXTS)
    return CommandTranslator(Catalogues(tmp_path))


@app_commands.command(name=locale_str("search"), description=locale_str("Search the web"))
@app_commands.describe(query=locale_str("What to search for"), period=locale_str("Only pages of this period"))
@app_commands.choices(period=[app_commands.Choice(name=locale_str("Past day"), value="day")])
@app_commands.rename(number=locale_str("results"))
async def a_command(interaction: discord.Interaction, query: str, period: str, number: int) -> None:
    """Do nothing: only its description is sent."""


async def translate(translator: CommandTranslator, text: str, location: str, data: object) -> str | None:
    """Translate a text into German at a place in a command."""
    context: Any = SimpleNamespace(location=TranslationContextLocation[location], data=data)
    return await translator.translate(locale_str(text), discord.Locale.german, context)


async def test_a_command_is_translated_where_it_can_be(translator: CommandTranslator) -> None:
    """I18N-09: what is sent to Discord holds the translations that the catalogue has and Discord takes."""
    tree = app_commands.CommandTree(discord.Client(intents=discord.Intents.none()))
    await tree.set_translator(translator)
    payload: Any = await a_command.get_translated_payload(tree, translator)
    assert payload["name_localizations"] == {"de": "suche"}
    assert payload["description_localizations"] == {"de": "Durchsucht das Netz"}
    options = {given["name"]: given for given in payload["options"]}
    assert "description_localizations" not in options["query"]
    assert "name_localizations" not in options["results"]
    assert options["period"]["choices"][0]["name_localizations"] == {"de": "Letzter Tag"}


@pytest.mark.parametrize("text", ["results", "category"])
async def test_a_name_that_discord_refuses_is_left_out(
    translator: CommandTranslator, text: str, caplog: pytest.LogCaptureFixture
) -> None:
    """I18N-09: spaces and capitals in an option's name would keep all commands from being synced."""
    assert await translate(translator, text, "parameter_name", a_command) is None
    assert len(caplog.records) == 1
    assert await translate(translator, text, "choice_name", a_command) == TEXTS[text]


async def test_a_menu_may_have_spaces(translator: CommandTranslator) -> None:
    """I18N-09: the name of a message menu follows other rules than a command's."""

    async def look(interaction: discord.Interaction, message: discord.Message) -> None:
        """Do nothing."""

    menu = app_commands.ContextMenu(name="results", callback=look)
    assert await translate(translator, "results", "command_name", menu) == "Große Zahl"


async def test_other_languages_have_no_translation(translator: CommandTranslator) -> None:
    """I18N-09: without a catalogue there's no translation, in any language that Discord has."""
    context: Any = TranslationContext(TranslationContextLocation.command_name, a_command)
    others = [locale for locale in discord.Locale if locale is not discord.Locale.german]
    assert [await translator.translate(locale_str("search"), locale, context) for locale in others] == [None] * len(
        others
    )


async def test_the_packages_own_catalogues_serve() -> None:
    """I18N-09: over the catalogues of the package, every language of Discord is taken without a fault."""
    translator = CommandTranslator(Catalogues())
    context: Any = TranslationContext(TranslationContextLocation.command_name, a_command)
    for locale in discord.Locale:
        translated = await translator.translate(locale_str("search"), locale, context)
        assert translated is None or translated == translated.lower()
