"""Extract the texts that the code marks into the template of the catalogues: `python tests/catalogue.py` writes it.

Tests write catalogues of their own by `write`.
"""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Final

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import write_po

import cogs.websearch

if TYPE_CHECKING:
    from collections.abc import Mapping

    # A text, or a plural's forms.
    Text = str | tuple[str, ...]

PACKAGE: Final = Path(cogs.websearch.__file__).parent
TEMPLATE: Final = PACKAGE / "locales" / "websearch.pot"

# What a text is marked by: `N_("…")` in a table, a `Words` called by one of these names, and its `plural("…", "…", n)`.
_KEYWORDS: Final = {"_": None, "N_": None, "words": None, "_words": None, "plural": (1, 2)}
# Without dates, places and wrapping, so that the template changes with the texts alone.
_HEADER: Final = """\
# The texts of discord-websearch. Start a language with:
# pybabel init -D websearch -i cogs/websearch/locales/websearch.pot -d cogs/websearch/locales -l de
msgid ""
msgstr ""
"MIME-Version: 1.0\\n"
"Content-Type: text/plain; charset=utf-8\\n"
"Content-Transfer-Encoding: 8bit\\n"

"""


def extract() -> str:
    """Return the template as it should be."""
    catalogue = Catalog(charset="utf-8")
    for _, _, message, _, _ in extract_from_dir(PACKAGE, keywords=_KEYWORDS):
        catalogue.add(message)
    body = BytesIO()
    write_po(body, catalogue, width=0, omit_header=True, sort_output=True)
    return _HEADER + body.getvalue().decode()


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
    TEMPLATE.write_text(extract(), "utf-8")
