"""Write documents into a full-text index of SQLite, and tell whether an index is still good."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING, Final

from ... import links
from . import words
from .passages import split

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .documents import Document

# Raised whenever what's stored, or how, changes: an index of another format is built anew.
FORMAT: Final = 3
# The application_id of our files ("dsws"), so that another program's database is never taken for an index.
_APPLICATION: Final = 0x64737773
_SCHEMA: Final = f"""
PRAGMA application_id = {_APPLICATION};
CREATE TABLE state (fingerprint TEXT NOT NULL) STRICT;
-- `url` is the address as results show it, `first` the rowid of the first passage; the others follow it.
CREATE TABLE documents (
    id INTEGER PRIMARY KEY, title TEXT NOT NULL, url TEXT NOT NULL, weight REAL NOT NULL, first INTEGER NOT NULL
) STRICT;
-- Words, with their endings cut off and without accents: what a document is called, in what it lies, how it begins,
-- what it says.
CREATE VIRTUAL TABLE words USING fts5 (
    name, place, lead, body, document UNINDEXED, tokenize = "porter unicode61 remove_diacritics 2"
);
-- Every three letters in a row, for scripts that put no spaces between words.
CREATE VIRTUAL TABLE runs USING fts5 (name, body, document UNINDEXED, tokenize = 'trigram');
"""


def build(connection: sqlite3.Connection, documents: Iterable[Document], fingerprint: str) -> None:
    """Fill an empty database; raise `sqlite3.Error` where it can't be written."""
    connection.executescript(_SCHEMA)
    with connection:
        for number, document in enumerate(documents, start=1):
            _add(connection, number, document)
        connection.execute("CREATE INDEX addresses ON documents (url)")
        connection.execute("INSERT INTO state VALUES (?)", (fingerprint,))
        connection.execute("INSERT INTO words (words) VALUES ('optimize')")
    connection.execute(f"PRAGMA user_version = {FORMAT}")


def _add(connection: sqlite3.Connection, number: int, document: Document) -> None:
    name = words.spread(document.title.removeprefix(document.place))
    rows: list[int | None] = []
    for part, body in enumerate(split(document.text) or [""]):
        lead = body.partition("\n\n")[0] if part == 0 else ""
        row = connection.execute(
            "INSERT INTO words VALUES (?, ?, ?, ?, ?)", (name, document.place, lead, body, number)
        ).lastrowid
        rows.append(row)
        if words.has_run(document.title) or words.has_run(body):
            connection.execute(
                "INSERT INTO runs (rowid, name, body, document) VALUES (?, ?, ?, ?)",
                (row, document.title, body, number),
            )
    link = links.vet(document.url)
    connection.execute(
        "INSERT INTO documents VALUES (?, ?, ?, ?, ?)",
        (number, document.title, link.url if link else document.url, document.weight, rows[0]),
    )


def text_of(connection: sqlite3.Connection, url: str, most: int) -> tuple[str, str] | None:
    """Return title and text of what is at an address as results show it, or None where nothing is.

    No more passages are read than make up `most` characters. Raise `sqlite3.Error` where the index can't be read.
    """
    found = connection.execute("SELECT id, title, first FROM documents WHERE url = ? ORDER BY id", (url,)).fetchall()
    bodies: list[str] = []
    size = 0
    for number, _, first in found:
        for body, document in connection.execute(
            "SELECT body, document FROM words WHERE rowid >= ? ORDER BY rowid", (first,)
        ):
            if document != number or size > most:
                break
            bodies.append(body)
            size += len(body)
    return (found[0][1], "\n\n".join(bodies)) if found else None


def is_current(connection: sqlite3.Connection, fingerprint: str) -> bool:
    """Tell whether this is a sound index of the documents with that fingerprint."""
    try:
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if (application, version) != (_APPLICATION, FORMAT):
            return False
        if connection.execute("SELECT fingerprint FROM state").fetchall() != [(fingerprint,)]:
            return False
        return connection.execute("PRAGMA quick_check (1)").fetchall() == [("ok",)]
    except sqlite3.DatabaseError:
        return False
