"""Hold every catalogue that is shipped: a new language is held by its file being there."""

from __future__ import annotations

import re
from datetime import date
from importlib import resources
from typing import TYPE_CHECKING

import pytest

import catalogue
from cogs.websearch.i18n import Catalogues

if TYPE_CHECKING:
    from pathlib import Path

    from babel.messages.catalog import Catalog, Message

SHIPPED = dict(catalogue.shipped())
# Descriptions of commands: Discord shows them as they are, so that they name commands themselves.
DESCRIBED = {"Say who sees the replies to /search": "search"}
# A slash that begins a word: what a reader takes for a command.
_COMMAND = re.compile(r"(?<![\w/:.])/\w+")
# Quotation marks and apostrophes that German doesn't have, and the formal address.
_NOT_GERMAN = re.compile(r"[\"”\u2019]|\w'\w|\bIhr(e|en|em|er|es)?\b|\bIhnen\b|(?<!^)(?<![.:] )\bSie\b")


@pytest.fixture(params=SHIPPED)
def language(request: pytest.FixtureRequest) -> str:
    """Name each language in turn."""
    return str(request.param)


@pytest.fixture
def shipped(language: str) -> Catalog:
    """Read its catalogue."""
    return catalogue.read(SHIPPED[language].read_bytes(), language)


def forms(text: object) -> tuple[str, ...]:
    """Return the forms of a text, of which a plural has several."""
    return tuple(map(str, text)) if isinstance(text, list | tuple) else (str(text or ""),)


def texts(shipped: Catalog) -> list[Message]:
    """List the messages of a catalogue without its header."""
    return [message for message in shipped if message.id]


def test_german_is_there() -> None:
    """I18N-21: the folder of the catalogues has German."""
    assert "de" in SHIPPED


def test_it_is_as_it_would_be_written(language: str) -> None:
    """I18N-12: it has the texts of the code and no others, in order; where not, `make catalogue` renews it."""
    path = SHIPPED[language]
    assert path.read_text("utf-8") == catalogue.renewed(path.read_bytes(), language)


def test_nothing_is_missing(shipped: Catalog) -> None:
    """I18N-12: every text is translated, and each plural has as many forms as the language."""
    assert [message.id for message in texts(shipped) if not all(forms(message.string))] == []
    plurals = [message for message in texts(shipped) if isinstance(message.id, tuple)]
    assert plurals
    assert {len(forms(message.string)) for message in plurals} == {shipped.num_plurals}


def test_nothing_is_guessed(shipped: Catalog) -> None:
    """I18N-12: no translation is marked as a guess, and none of a text that is gone is kept."""
    assert [message.id for message in texts(shipped) if message.fuzzy] == []
    assert not shipped.obsolete


def test_ends_agree(shipped: Catalog) -> None:
    """I18N-13: spaces at the ends and the last sign are those of the English text."""
    for message in texts(shipped):
        english = forms(message.id)[-1]
        for form in filter(None, forms(message.string)):
            assert form == form.strip(), form
            assert "\n" not in form or "\n" in english, form
            for sign in ".:;,?!…":
                assert form.endswith(sign) == english.endswith(sign), form
            assert "  " not in form, form
            assert "!" not in form, form


def test_sentences_name_commands_by_parameters(shipped: Catalog) -> None:
    """I18N-16: no text names a command by itself, save descriptions, which name it as their readers see it."""
    named = {str(message.id): str(message.string) for message in texts(shipped)}
    for message in texts(shipped):
        expected = [f"/{named[DESCRIBED[message.id]]}"] if message.id in DESCRIBED else []
        for form in filter(None, forms(message.string)):
            assert _COMMAND.findall(form) == expected, form
        if not expected:
            assert _COMMAND.findall(" ".join(forms(message.id))) == [], message.id


def test_german_reads_as_german() -> None:
    """I18N-21: quotation marks are German ones, readers are called du, and no apostrophe came from English."""
    for message in texts(catalogue.read(SHIPPED["de"].read_bytes(), "de")):
        for form in forms(message.string):
            assert form.count("„") == form.count("“"), form
            assert _NOT_GERMAN.search(form) is None, form


@pytest.mark.parametrize("locale", ["de", "de-AT", "de-CH", "de_AT"])
def test_the_installed_package_speaks_german(locale: str) -> None:
    """I18N-21: read the way it's read when it runs, a German text is found, and its plurals are."""
    words = Catalogues().words(locale)
    assert words.locale == locale
    assert words("Delete") == "Löschen"
    counted = [words.plural("{count} result", "{count} results", count) for count in (0, 1, 2)]
    assert counted == ["0 Ergebnisse", "1 Ergebnis", "2 Ergebnisse"]
    where = resources.files("cogs.websearch").joinpath("locales", "de", "LC_MESSAGES", "websearch.po")
    assert where.is_file()


def test_figures_follow_the_region() -> None:
    """I18N-04, I18N-21: Austria and Switzerland read German, with figures and dates as each writes them."""
    words = [Catalogues().words(locale) for locale in ("de", "de-AT", "de-CH")]
    assert [one.number(0.5) for one in words] == ["0,5", "0,5", "0.5"]
    assert [one.date(date(2026, 11, 30)) for one in words] == ["30.11.2026", "30.11.2026", "30.11.2026"]


RENEWED = """\
msgid ""
msgstr ""
"Content-Type: text/plain; charset=utf-8\\n"

msgid "Delete"
msgstr "Löschen"

# A guess that somebody else's tool made.
#, fuzzy
msgid "Next"
msgstr "Daneben"

msgid "a text that is gone"
msgstr "ein Text, der fort ist"

msgid "{count} result"
msgstr "{count} Ergebnis"

#~ msgid "an older one"
#~ msgstr "ein älterer"
"""


def test_renewing_keeps_what_stands() -> None:
    """I18N-22: of an old file the standing translation stays alone; the rest is new, in order, and empty."""
    once = catalogue.renewed(RENEWED.encode(), "de")
    assert catalogue.renewed(once.encode(), "de") == once
    result = catalogue.read(once.encode(), "de")
    assert {message.id for message in result} == {message.id for message in catalogue.read(_template(), "de")}
    assert {message.id: message.string for message in texts(result) if any(forms(message.string))} == {
        "Delete": "Löschen"
    }
    assert "fuzzy" not in once
    assert "a text that is gone" not in once
    assert "#~" not in once


def _template() -> bytes:
    return catalogue.extract().encode()


def test_renewing_writes_every_language(tmp_path: Path) -> None:
    """I18N-22: the template and each language's file are written; a second time nothing changes."""
    catalogue.write(tmp_path, "pl", "pl", {"Delete": "Usuń"})
    catalogue.write(tmp_path, "pt_BR", "pt_BR", {"Delete": "Apagar"})
    catalogue.renew(tmp_path)
    written = {path: path.read_bytes() for path in tmp_path.rglob("websearch.po*")}
    assert len(written) == 3
    assert written[tmp_path / "websearch.pot"] == catalogue.TEMPLATE.read_bytes()
    catalogue.renew(tmp_path)
    assert {path: path.read_bytes() for path in written} == written
    polish = catalogue.read(written[tmp_path / "pl" / "LC_MESSAGES" / "websearch.po"], "pl")
    assert (polish["Delete"].string, polish.num_plurals) == ("Usuń", 3)
