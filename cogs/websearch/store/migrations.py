"""Bring an SQLite database to the version that this program writes, in one transaction."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING, Final

from .. import errors

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from importlib.resources.abc import Traversable

# "DWS1" in ASCII: marks a file as ours, so that no other program's database is ever changed.
APPLICATION_ID: Final = 0x44575331
_NAME: Final = re.compile(r"\d{4}_\w+\.sql")


def read_migrations(folder: Traversable | None = None) -> list[str]:
    """Return the numbered scripts in their order, by default the package's own.

    Raise `ValueError` where a number is missing or there twice.
    """
    folder = Path(__file__).parent / "sql" / "sqlite" if folder is None else folder
    files = sorted((file.name, file) for file in folder.iterdir() if _NAME.fullmatch(file.name))
    if [int(name[:4]) for name, _ in files] != list(range(1, len(files) + 1)):
        message = f"the migrations are not numbered from 1 without a gap: {[name for name, _ in files]}"
        raise ValueError(message)
    return [file.read_text("utf-8") for _, file in files]


def migrate(connection: sqlite3.Connection, migrations: Sequence[str], path: str) -> None:
    """Run the migrations that the database lacks, and write its version with them.

    The connection has no transaction of its own (`isolation_level=None`); closing it undoes what didn't succeed.
    Writing the version each time also shows whether the file can be written to. Raise `DatabaseUnusable` for a newer or
    a foreign database, and `sqlite3.Error`.
    """
    connection.execute("BEGIN IMMEDIATE")
    version = _version(connection, path)
    if version > len(migrations):
        raise errors.DatabaseUnusable(path, "newer")
    for script in migrations[version:]:
        for statement in _statements(script):
            connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {len(migrations)}")
    connection.execute("COMMIT")


def _version(connection: sqlite3.Connection, path: str) -> int:
    """Return how many migrations the database has had: none where it's empty."""
    ((version,),) = connection.execute("PRAGMA user_version")
    ((owner,),) = connection.execute("PRAGMA application_id")
    if owner == APPLICATION_ID:
        return int(version)
    ((tables,),) = connection.execute("SELECT count(*) FROM sqlite_master")
    if owner or version or tables:
        raise errors.DatabaseUnusable(path, "foreign")
    return 0


def _statements(script: str) -> Iterator[str]:
    """Split a script, since `executescript` would commit the transaction first."""
    statement = ""
    for piece in re.split("(?<=;)", script):
        statement += piece
        # A semicolon in a text, a comment or a trigger ends nothing.
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
    if statement.strip():
        yield statement
