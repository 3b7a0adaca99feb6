"""Hold how a database comes to the version that the program writes."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from cogs.websearch.store.migrations import migrate, read_migrations

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ONE = "-- Why; with a semicolon in it\nCREATE TABLE one (id);\nCREATE INDEX one_id\n  ON one (id);\n"
TWO = "CREATE TABLE two (id); INSERT INTO two VALUES ('a;b'); -- done\n"
BROKEN = "CREATE TABLE three (id);\nCREATE TABLE one (id);\n"


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """Open an empty database as the store does."""
    with closing(sqlite3.connect(tmp_path / "any.db", isolation_level=None)) as connection:
        yield connection


def tables(connection: sqlite3.Connection) -> set[str]:
    """Name the tables of a database."""
    return {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}


def version(connection: sqlite3.Connection) -> int:
    """Return the version that the database says it has."""
    ((number,),) = connection.execute("PRAGMA user_version")
    return int(number)


def test_migrations_run_in_order_and_once(connection: sqlite3.Connection) -> None:
    """STO-09: an older database gets what it lacks, a current one nothing."""
    migrate(connection, [ONE], "any.db")
    assert (tables(connection), version(connection)) == ({"one"}, 1)
    migrate(connection, [ONE, TWO], "any.db")
    migrate(connection, [ONE, TWO], "any.db")
    assert (tables(connection), version(connection)) == ({"one", "two"}, 2)
    assert connection.execute("SELECT id FROM two").fetchall() == [("a;b",)]


def test_a_failing_migration_changes_nothing(connection: sqlite3.Connection) -> None:
    """STO-09: where one statement fails, neither its tables nor the version of any migration before it stay."""
    migrate(connection, [ONE], "any.db")
    with pytest.raises(sqlite3.OperationalError):
        migrate(connection, [ONE, TWO, BROKEN], "any.db")
    connection.rollback()
    assert (tables(connection), version(connection)) == ({"one"}, 1)
    migrate(connection, [ONE, TWO], "any.db")
    assert version(connection) == 2


def test_every_migration_of_the_package_says_why() -> None:
    """STO-09: each numbered script starts with a comment, and together they run."""
    migrations = read_migrations()
    assert migrations
    assert all(script.startswith("-- ") for script in migrations)
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        migrate(connection, migrations, ":memory:")
        assert version(connection) == len(migrations)


@pytest.mark.parametrize("names", [["0002_b.sql"], ["0001_a.sql", "0003_c.sql"], ["0001_a.sql", "0001_b.sql"]])
def test_a_gap_in_the_numbers_is_an_error(tmp_path: Path, names: list[str]) -> None:
    """STO-09: scripts that aren't numbered from 1 without a gap are not run at all."""
    for name in names:
        (tmp_path / name).write_text(ONE, "utf-8")
    with pytest.raises(ValueError, match="without a gap"):
        read_migrations(tmp_path)


def test_other_files_are_no_migrations(tmp_path: Path) -> None:
    """STO-09: only numbered scripts are read, in the order of their numbers."""
    for name, script in (("0002_b.sql", TWO), ("0001_a.sql", ONE), ("notes.txt", "x"), ("0003_c.sql~", "x")):
        (tmp_path / name).write_text(script, "utf-8")
    assert read_migrations(tmp_path) == [ONE, TWO]
