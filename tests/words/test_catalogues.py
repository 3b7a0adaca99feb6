"""Hold the template and every catalogue against the code."""

from __future__ import annotations

from collections import Counter
from io import BytesIO
from string import Formatter
from typing import TYPE_CHECKING

from babel.messages.pofile import read_po

import catalogue

if TYPE_CHECKING:
    from pathlib import Path

    from babel.messages.catalog import Catalog


def placeholders(text: str) -> Counter[str]:
    """Count the placeholders of a text by name."""
    return Counter(name for _, name, _, _ in Formatter().parse(text) if name is not None)


def as_tuple(text: object) -> tuple[str, ...]:
    """Return the forms of a message's text, of which a plural has several."""
    return tuple(str(form) for form in text) if isinstance(text, list | tuple) else (str(text),)


def misfits(texts: Catalog) -> list[str]:
    """Name the English texts whose translation has other placeholders; a plural's form may leave out the count."""
    found = []
    for message in texts:
        english = as_tuple(message.id)
        expected = placeholders(english[-1])
        for form in filter(None, as_tuple(message.string) if message.id else ()):
            extra, missing = placeholders(form) - expected, expected - placeholders(form)
            if len(english) > 1:
                missing.pop("count", None)
            if extra or missing:
                found.append(english[0])
    return found


def test_the_template_is_fresh() -> None:
    """I18N-06: extracted again, the template is the same; where it isn't, `make catalogue` renews it."""
    assert catalogue.TEMPLATE.read_text("utf-8") == catalogue.extract()


def test_the_template_has_what_is_marked() -> None:
    """I18N-06: texts in tables, in calls and in plurals are all found."""
    texts = read_po(BytesIO(catalogue.extract().encode()))
    assert {"search", "for", "Past day", "undated", ("{count} result", "{count} results")} <= {
        message.id for message in texts
    }


def misfits_in(folder: Path) -> dict[str, list[str]]:
    """Map each language of a folder that has misfits to them."""
    found = {}
    for path in folder.glob("*/LC_MESSAGES/websearch.po"):
        with path.open("rb") as file:
            found[path.parent.parent.name] = misfits(read_po(file, abort_invalid=True))
    return {language: texts for language, texts in found.items() if texts}


def test_translations_keep_placeholders(tmp_path: Path) -> None:
    """I18N-07: every translation of every catalogue has the placeholders of its text; one that hasn't is found."""
    assert misfits_in(catalogue.PACKAGE / "locales") == {}
    catalogue.write(tmp_path, "de", "de", {"Delete": "Löschen", "Hello {name}": "{name}, hallo"})
    catalogue.write(tmp_path, "pl", "pl", {"Delete": "Usuń", "Hello {name}": "Witaj {nam}"})
    assert misfits_in(tmp_path) == {"pl": ["Hello {name}"]}


def test_other_placeholders_are_noticed() -> None:
    """I18N-07: a translation with a placeholder too many, too few or misspelt is found."""
    lines = """
msgid "one {a}"
msgstr "eins {b}"

msgid "two {a} {b}"
msgstr "zwei {a}"

msgid "three"
msgstr "drei {a}"

msgid "four {a}"
msgstr "{a} vier"

msgid "{count} by {a}"
msgid_plural "{count} of {a}"
msgstr[0] "eins von {a}"
msgstr[1] "{count} von {a}"
"""
    assert misfits(read_po(BytesIO(lines.encode()))) == ["one {a}", "two {a} {b}", "three"]
