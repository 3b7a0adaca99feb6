"""Extract the texts that the code marks: `python tests/catalogue.py` writes the template and renews every catalogue.

In a catalogue, new texts come in empty, texts that are gone leave, and translations that stand are kept as they are.
Tests write catalogues of their own by `write`.
"""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Final

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po, write_po

import cogs.websearch

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    # A text, or a plural's forms.
    Text = str | tuple[str, ...]

PACKAGE: Final = Path(cogs.websearch.__file__).parent
LOCALES: Final = PACKAGE / "locales"
TEMPLATE: Final = LOCALES / "websearch.pot"

# What a text is marked by: `N_("…")` in a table, a `Words` called by one of these names, and its `plural("…", "…", n)`.
_KEYWORDS: Final = {"N_": None, "words": None, "_words": None, "plural": (1, 2)}
# Headers have neither dates nor people, so that a file changes with the texts alone.
_HEADER: Final = """\
msgid ""
msgstr ""
"MIME-Version: 1.0\\n"
"Content-Type: text/plain; charset=utf-8\\n"
"Content-Transfer-Encoding: 8bit\\n"
"""
_TEMPLATE_COMMENT: Final = """\
# The texts of discord-websearch. Start a language with:
# pybabel init -D websearch -i cogs/websearch/locales/websearch.pot -d cogs/websearch/locales -l de
# python tests/catalogue.py
"""


def extract() -> str:
    """Return the template as it should be."""
    return f"{_TEMPLATE_COMMENT}{_HEADER}\n{_body(_extracted())}"


def renewed(content: bytes, language: str) -> str:
    """Return a catalogue's file as it should be: the texts of the code, with the translations that it has."""
    catalogue = read(content, language)
    # A guess by likeness would be read by members before anybody checked it.
    catalogue.update(_extracted(), no_fuzzy_matching=True)
    for message in catalogue:
        if message.id and message.fuzzy:
            # What was one text has become a plural, or the other way round.
            message.flags.discard("fuzzy")
            message.string = ""
    rules = f'"Language: {language}\\n"\n"Plural-Forms: {catalogue.plural_forms}\\n"\n'
    comment = f"# {catalogue.locale.english_name if catalogue.locale else language}: the texts of discord-websearch.\n"
    return f"{comment}{_HEADER}{rules}\n{_body(catalogue)}"


def read(content: bytes, language: str) -> Catalog:
    """Return the catalogue that a file holds, with the rules of a language such as `de` or `pt_BR`."""
    return read_po(BytesIO(content), locale=language, abort_invalid=True)


def shipped(locales: Path = LOCALES) -> Iterator[tuple[str, Path]]:
    """Name each language that a folder of catalogues has, and the language's file, in order."""
    for path in sorted(locales.glob("*/LC_MESSAGES/websearch.po")):
        yield path.parent.parent.name, path


def renew(locales: Path = LOCALES) -> None:
    """Write the template of a folder anew, and every catalogue in it."""
    _put(locales.joinpath(TEMPLATE.name), extract())
    for language, path in shipped(locales):
        _put(path, renewed(path.read_bytes(), language))


def _put(path: Path, content: str) -> None:
    """Write a file so that whoever reads it meanwhile, such as a bot or a test, reads the former one or all of this."""
    written = path.with_name(f".{path.name}.new")
    written.write_text(content, "utf-8")
    written.replace(path)


def _extracted() -> Catalog:
    catalogue = Catalog(charset="utf-8")
    for _, _, message, _, _ in extract_from_dir(PACKAGE, keywords=_KEYWORDS):
        catalogue.add(message)
    return catalogue


def _body(catalogue: Catalog) -> str:
    """Write the messages of a catalogue, sorted, without their places, never wrapped."""
    body = BytesIO()
    write_po(body, catalogue, width=0, omit_header=True, sort_output=True, ignore_obsolete=True, no_location=True)
    return body.getvalue().decode()


def write(folder: Path, name: str, language: str, texts: Mapping[Text, Text]) -> Path:
    """Write translations in the rules of a real language as that of a folder of any name; return the file's path."""
    catalogue = Catalog(locale=language)
    for english, translated in texts.items():
        catalogue.add(english, translated)
    path = folder / name / "LC_MESSAGES" / "websearch.po"
    path.parent.mkdir(parents=True)
    with path.open("wb") as file:
        write_po(file, catalogue)
    return path


if __name__ == "__main__":
    renew()
