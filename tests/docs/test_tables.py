"""Hold the pages' tables against the configuration, the database and the package."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import cogs.websearch
from cogs.websearch.config import BACKENDS, KEYS
from cogs.websearch.models import Answer, FetchedPage, Outcome, SearchPage, SearchRequest, SearchResult
from cogs.websearch.store.migrations import migrate, read_migrations
from doc_pages import IS_CHECKOUT, ROOT, page

if not IS_CHECKOUT:
    pytest.skip("the pages are not beside these tests", allow_module_level=True)

PACKAGE = Path(cogs.websearch.__file__).parent
# A key's line in the example, and the lines of comment right above it.
_SHOWN = re.compile(r"((?:^#.*\n)+)^(# )?([a-z][a-z-]+) = (.*)$", re.MULTILINE)
# Line for line what stands in for Discord: its own folder says what they are.
_PLAYGROUND = "playground/discord"


def test_the_readme_has_every_key() -> None:
    """DOCS-09: a row has the key, its default, and the example's comment; where one is lost, it's shown here."""
    expected = [
        [f"`{name}`", "left out" if left_out else f"`{value}`", " ".join(comment.replace("#", " ").split())]
        for comment, left_out, name, value in _SHOWN.findall((ROOT / "config.example.toml").read_text("utf-8"))
    ]
    rows = page("README.md").rows("## Configuration")
    assert [row for row in expected if row not in rows] == [], "rows that the README lacks"
    assert rows == expected
    assert {row[0].strip("`") for row in rows} == set(KEYS)


def columns() -> set[str]:
    """Name every column of a new database, as `table.column`."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        migrate(connection, read_migrations(), ":memory:")
        found = connection.execute(
            "SELECT tables.name || '.' || columns.name"
            " FROM sqlite_master AS tables, pragma_table_info(tables.name) AS columns WHERE tables.type = 'table'"
        )
        return {name for (name,) in found}


def test_what_is_stored_is_told() -> None:
    """DOCS-10: the page on privacy has every table and every column, each in one row, and none that isn't there."""
    rows = page("docs/privacy.md").rows("## What is stored")
    named = [f"{table}.{name}" for table, names, *_ in rows for name in re.findall(r"`(\w+)`", names)]
    told = [name.replace("`", "") for name in named]
    assert sorted(told) == sorted(set(told)), "columns that are named twice"
    assert sorted(columns() - set(told)) == [], "columns that the page lacks"
    assert sorted(set(told) - columns()) == [], "columns that aren't there"


def test_what_leaves_is_told() -> None:
    """DOCS-10: of each engine that can be configured, the page says what leaves to it."""
    rows = page("docs/privacy.md").rows("## What leaves to whom")
    assert [name for name in BACKENDS if not any(f'`web-backend = "{name}"`' in row[-1] for row in rows)] == []


def modules() -> set[str]:
    """Name every module of the package by its path, a folder standing for its `__init__.py`."""
    files = {file.relative_to(PACKAGE) for file in PACKAGE.rglob("*.py")}
    names = {f"{file.parent}/" if file.name == "__init__.py" else str(file) for file in files}
    return {name for name in names if not name.startswith(f"{_PLAYGROUND}/") or name == f"{_PLAYGROUND}/"} - {"./"}


def test_the_map_has_every_module() -> None:
    """DOCS-11: who looks for a room finds it: each module has one line in the map."""
    text = page("CONTRIBUTING.md").text.partition("\n## The map\n")[2].partition("\n## ")[0]
    named = [
        name
        for line in text.splitlines()
        if line.startswith("- ")
        for name in re.findall(r"`([\w/.]+)`", line.partition(":")[0])
    ]
    assert sorted(named) == sorted(set(named)), "modules that are named twice"
    assert sorted(modules() - set(named)) == [], "modules that the map lacks"
    assert sorted(set(named) - modules() - {"__init__.py"}) == [], "modules that aren't there"


def test_the_fields_of_events_are_told() -> None:
    """DOCS-14: of what a listener is handed, each field is named, and none that isn't there."""
    rows = page("docs/events.md").rows("## What they hold")
    told = {value: set(re.findall(r"`(\w+)`", fields.partition(":")[0].partition(";")[0])) for value, fields in rows}
    assert told == {
        "`request`": set(SearchRequest.__struct_fields__),
        "a result, a source": set(SearchResult.__struct_fields__),
        "`page` of an `Outcome`": set(SearchPage.__struct_fields__),
        "`answer`": set(Answer.__struct_fields__),
        "`page` of a `Reading`": set(FetchedPage.__struct_fields__),
    }
    assert set(Outcome.__struct_fields__) == {"request", "page", "unanswered"}
