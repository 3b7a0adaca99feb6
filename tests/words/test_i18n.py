"""Hold the words against languages that are made up here."""

from __future__ import annotations

import logging
import subprocess
import sys
from datetime import UTC, date, datetime
from pathlib import Path

import discord
import pytest
from babel import Locale
from babel.numbers import format_decimal
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from catalogue import write
from cogs.websearch.i18n import N_, Catalogues, Words

ROOT = Path(__file__).parent.parent.parent
RESULT = ("{count} result", "{count} results")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Make catalogues of three made-up languages that count as Polish, Chinese and German do."""
    forms = ("{count} wynik", "{count} wyniki", "{count} wyników")
    write(tmp_path, "pl", "pl", {"Delete": "Usuń", RESULT: forms, "Page {page} of {pages}": "{pages}/{page}"})
    write(tmp_path, "zh_TW", "zh_TW", {RESULT: ("{count} 個結果",)})
    write(tmp_path, "de", "de", {"Delete": "Löschen", "Hello {name}": "Hallo {nam}", "Bye {name}": "Tschüss {name"})
    return tmp_path


def test_english_needs_no_catalogue() -> None:
    """I18N-03, I18N-04: English texts are their own translation, with parameters and plurals."""
    words = Catalogues().words("en-US")
    assert words("Page {page} of {pages}", page=1, pages=3) == "Page 1 of 3"
    assert [words.plural(*RESULT, count) for count in (0, 1, 2, 1234)] == [
        "0 results",
        "1 result",
        "2 results",
        "1,234 results",
    ]
    assert words.find("Delete") is None


@pytest.mark.parametrize(
    ("locale", "found", "translated"),
    [
        ("de", "de", "Löschen"),
        ("de-AT", "de-AT", "Löschen"),
        ("de_CH", "de_CH", "Löschen"),
        ("DE", "DE", "Löschen"),
        ("pl", "pl", "Usuń"),
        ("fr", "en", "Delete"),
        ("zh-TW", "zh-TW", "Delete"),
        ("zh-CN", "en", "Delete"),
        ("en-GB", "en-GB", "Delete"),
        ("", "en", "Delete"),
    ],
)
def test_the_nearest_catalogue_is_taken(folder: Path, locale: str, found: str, translated: str) -> None:
    """I18N-03: a region falls back to its language and that to English, as does a text that is not translated."""
    words = Catalogues(folder).words(locale)
    assert words.locale == found
    assert words("Delete") == translated


def test_only_a_folder_with_a_catalogue_is_a_language(folder: Path) -> None:
    """I18N-03: a folder without a catalogue, or a file, costs nothing and is nobody's language."""
    (folder / "fr").mkdir()
    (folder / "it").touch()
    assert [Catalogues(folder).words(tag).locale for tag in ("de", "fr", "it")] == ["de", "en", "en"]


def test_plurals_follow_the_language(folder: Path) -> None:
    """I18N-04: a language with three forms, and one with a single form, get the right one."""
    words = Catalogues(folder).words("pl")
    assert [words.plural(*RESULT, count) for count in (1, 3, 5, 22)] == [
        "1 wynik",
        "3 wyniki",
        "5 wyników",
        "22 wyniki",
    ]
    chinese = Catalogues(folder).words("zh-TW")
    assert [chinese.plural(*RESULT, count) for count in (1, 2)] == ["1 個結果", "2 個結果"]


def test_parameters_may_change_places(folder: Path) -> None:
    """I18N-03: a translation puts parameters where its language wants them."""
    assert Catalogues(folder).words("pl")("Page {page} of {pages}", page=1, pages=3) == "3/1"


@pytest.mark.parametrize(
    ("locale", "number", "fraction", "day"),
    [
        ("en-US", "1,234,567", "0.5", "Nov 30, 2026"),
        ("en-GB", "1,234,567", "0.5", "30 Nov 2026"),
        ("de", "1.234.567", "0,5", "30.11.2026"),
        ("en-IN", "12,34,567", "0.5", "30 Nov 2026"),
        ("zh-TW", "1,234,567", "0.5", "2026年11月30日"),
        ("de-ZZ", "1.234.567", "0,5", "30.11.2026"),
    ],
)
def test_numbers_and_dates_follow_the_region(folder: Path, locale: str, number: str, fraction: str, day: str) -> None:
    """I18N-04: numbers and dates are written as the region does, and as the language does where it's unknown."""
    words = Catalogues(folder).words(locale)
    assert words.number(1234567) == number
    assert words.number(0.5) == fraction
    assert words.date(date(2026, 11, 30)) == day
    assert words.date(datetime(2026, 11, 30, 23, 59, tzinfo=UTC)) == day


@pytest.mark.parametrize(
    ("seconds", "english", "german"),
    [
        (0, "1 second ago", "vor 1 Sekunde"),
        (0.4, "1 second ago", "vor 1 Sekunde"),
        (42, "42 seconds ago", "vor 42 Sekunden"),
        (300, "5 minutes ago", "vor 5 Minuten"),
        (3 * 3600, "3 hours ago", "vor 3 Stunden"),
        (40 * 86400, "1 month ago", "vor 1 Monat"),
        (-120, "in 2 minutes", "in 2 Minuten"),
    ],
)
def test_ages_follow_the_language(folder: Path, seconds: float, english: str, german: str) -> None:
    """I18N-04: how long ago something was is said as the language does; what a wrong clock puts ahead is to come."""
    found = [Catalogues(folder).words(locale).ago(seconds) for locale in ("en-US", "de")]
    assert found == [english, german]


def test_moments_have_a_zone(folder: Path) -> None:
    """I18N-04: a moment is written as the locale does, in the zone that it's given in."""
    moment = datetime(2026, 11, 30, 15, 59, 5, tzinfo=UTC)
    english, german = (Catalogues(folder).words(locale).moment(moment) for locale in ("en-US", "de"))
    assert english.startswith("November 30, 2026")
    assert english.replace("\u202f", " ").endswith("3:59:05 PM UTC")
    assert german.startswith("30. November 2026")
    assert german.endswith("15:59:05 UTC")


@pytest.mark.parametrize("locale", [str(locale.value) for locale in discord.Locale] + ["ar-EG", "fa", "de-CH"])
def test_small_numbers_are_written_as_babel_does(locale: str) -> None:
    """I18N-04: numbers without groups are the same in each of Discord's languages, so that they need no library."""
    parsed = Locale.parse(locale, sep="-")
    words = Words(locale)
    for number in (0, 1, 9, 10, 99, 100, 500, 999, 1000, 1001, -1):
        assert words.number(number) == format_decimal(number, locale=parsed), number


@pytest.mark.parametrize("locale", ["en", "en-US", "en-GB"])
@given(
    number=st.integers(-(10**20), 10**20)
    | st.integers(-(10**9), 10**9).map(lambda thousandths: thousandths / 1000)
    | st.sampled_from([0.0075, 0.0125, 1.0625, 0.00049, 0.9996, 1234.9999, 1e15])
)
def test_english_numbers_are_written_as_babel_does(locale: str, number: float) -> None:
    """I18N-04: a number in English, which needs no library, is written as in every other language."""
    assert Words(locale).number(number) == format_decimal(number, locale=Locale.parse(locale, sep="-"))


# Loads what a bot has loaded that has shown nobody a number yet, then leaves no descriptor to be had.
_OUT_OF_DESCRIPTORS = """
import os, resource, sys
from datetime import date
import discord
from cogs.websearch.i18n import Catalogues, Words
catalogues = Catalogues()
assert not any(name.startswith("babel") for name in sys.modules)
before = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (os.dup(0) + 1, before[1]))
for words in (Words(), Words("de"), catalogues.words("en-US"), catalogues.words("de")):
    print(words("Delete"), words.plural("{count} result", "{count} results", 1234), words.number(0.5), end=" ")
    print(words.date(date(2026, 11, 30)))
resource.setrlimit(resource.RLIMIT_NOFILE, before)
words = catalogues.words("de")
print(words("Delete"), words.number(1234.5), words.date(date(2026, 11, 30)))
"""


def test_a_process_out_of_descriptors_has_words() -> None:
    """I18N-25: where nothing can be loaded any more, there are words and numbers, and the language's own later."""
    pytest.importorskip("resource")
    said = subprocess.run(  # noqa: S603 - our own interpreter and our own text
        [sys.executable, "-c", _OUT_OF_DESCRIPTORS], check=True, capture_output=True, text=True, cwd=ROOT
    )
    assert said.stderr == ""
    assert said.stdout.splitlines() == ["Delete 1,234 results 0.5 2026-11-30"] * 4 + ["Löschen 1.234,5 30.11.2026"]


def test_a_broken_placeholder_falls_back(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    """I18N-05: a translation whose placeholders don't fit is left out for English, and the log says which."""
    words = Catalogues(folder).words("de")
    assert words("Hello {name}", name="you") == "Hello you"
    assert words("Bye {name}", name="you") == "Bye you"
    assert [record.levelno for record in caplog.records] == [logging.WARNING] * 2
    assert "you" not in caplog.messages[0].replace("Hello {name}", "")


def test_a_missing_parameter_is_a_fault_of_the_code() -> None:
    """I18N-05: an English text without its parameter is not passed over in silence."""
    with pytest.raises(KeyError):
        Words()("Hello {name}")


@pytest.mark.parametrize(
    "content",
    [
        b"\xff\xfe\x00",
        b'msgid "Delete"\nmsgstr[7] "x"\n"y\nmsgid',
        b"no catalogue at all",
        b'msgid ""\nmsgstr "Content-Type: text/plain; charset=martian\\n"\n',
        b'msgid ""\nmsgstr "Plural-Forms: nplurals=2; plural=import os;\\n"\n',
        b'msgid ""\nmsgstr "Plural-Forms: nplurals=x; plural=n;\\n"\n',
    ],
)
def test_a_broken_catalogue_costs_one_line(folder: Path, content: bytes, caplog: pytest.LogCaptureFixture) -> None:
    """I18N-05: a catalogue that can't be read is logged once, and its readers get English."""
    (folder / "de" / "LC_MESSAGES" / "websearch.po").write_bytes(content)
    catalogues = Catalogues(folder)
    assert [catalogues.words("de")("Delete") for _ in range(3)] == ["Delete"] * 3
    assert catalogues.words("de-AT").locale == "en"
    assert len(caplog.records) == 1


def test_without_a_folder_everything_is_english(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """I18N-05: where the folder of the catalogues is gone, one log line says so."""
    catalogues = Catalogues(tmp_path / "missing")
    assert catalogues.words("de")("Delete") == "Delete"
    assert catalogues.words("pl")("Delete") == "Delete"
    assert len(caplog.records) == 1


def test_a_catalogue_is_read_once(folder: Path) -> None:
    """I18N-03: what was read stays, also when the file goes."""
    catalogues = Catalogues(folder)
    assert catalogues.words("de")("Delete") == "Löschen"
    (folder / "de" / "LC_MESSAGES" / "websearch.po").unlink()
    assert catalogues.words("de-CH")("Delete") == "Löschen"


def test_a_mark_changes_nothing() -> None:
    """I18N-06: marking a text returns it."""
    assert N_("Delete") == "Delete"


def test_an_empty_text_is_no_header(folder: Path) -> None:
    """I18N-03: the empty text stays empty, though it's the key of a catalogue's header."""
    assert Catalogues(folder).words("de")("") == ""


# The catalogues are of the test's own: those that are shipped may be written anew meanwhile.
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(locale=st.text(max_size=20) | st.from_regex(r"[a-zA-Z]{1,4}([-_][a-zA-Z0-9]{0,9}){0,3}", fullmatch=True))
@example("DE")
@example("PL-x")
@example("zh_tw")
def test_any_tag_gets_words(folder: Path, locale: str) -> None:
    """I18N-11: whatever is given as a locale, it gets words that can count and tell a date."""
    words = Catalogues(folder).words(locale)
    assert words.plural(*RESULT, 2) in {"2 results", "2 wyniki", "2 個結果"}
    assert words.date(date(2026, 11, 30))


PIECES = st.sampled_from(['msgid "', 'msgstr "', '"', "\n", "msgid_plural", "msgstr[", "0", "]", "#", ",", "fuzzy"])
HEADERS = st.sampled_from(["Plural-Forms: ", "nplurals=", "plural=", "n", ";", "Content-Type: ", "charset=", "\\n"])


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=st.binary(max_size=99) | st.lists(PIECES | HEADERS | st.text(max_size=3), max_size=40).map("".join))
def test_any_catalogue_is_read_or_left_out(tmp_path: Path, content: bytes | str) -> None:
    """I18N-05: whatever a catalogue's file holds, there are words."""
    path = tmp_path / "xx" / "LC_MESSAGES" / "websearch.po"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass"))
    assert Catalogues(tmp_path).words("xx").plural(*RESULT, 2)
