"""Extract the texts that the code marks into the template of the catalogues: `python tests/catalogue.py` writes it."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Final

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import write_po

import cogs.websearch

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


if __name__ == "__main__":
    TEMPLATE.write_text(extract(), "utf-8")
