"""Look at an SQLite database as it is: neither make nor migrate it, and stop nobody who uses it."""

from __future__ import annotations

import os
import shutil
import sqlite3
import time
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from .. import errors
from . import engines
from .connection import BESIDE, problem_at, problem_of
from .migrations import APPLICATION_ID, read_migrations

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..charges import Act
    from ..health import Note

# How long another process's write is waited for, as a write of the store waits.
_BUSY_SECONDS: Final = 5.0
# SQLite's steps between two looks at the clock: some milliseconds.
_STEPS: Final = 100_000


@dataclass(frozen=True, kw_only=True, slots=True)
class Inspection:
    """Hold what a database is like: `size` and `free` are in bytes, of its files and of what its disk has left.

    `version` is None where there's no database yet; `newest` is the one that this program brings it to. `checked` is
    false where there was no time to read all of it.
    """

    version: int | None
    newest: int
    size: int
    free: int
    checked: bool = True


def inspect(path: str, *, seconds: float, clock: Callable[[], float] = time.monotonic) -> Inspection:
    """Look at the database at `path`, reading for at most so many seconds; raise `DatabaseUnusable`.

    Call it on a thread that may wait.
    """
    problem = problem_at(path)
    if problem is not None:
        raise errors.DatabaseUnusable(path, problem)
    # Where it's a link, SQLite makes all its files at that one's end.
    file = Path(os.path.realpath(path))
    try:
        free = shutil.disk_usage(file.parent).free
        size = sum(beside.stat().st_size for end in ("", *BESIDE) if (beside := Path(f"{file}{end}")).is_file())
    except OSError:
        raise errors.DatabaseUnusable(path, "unusable") from None
    newest = len(read_migrations())
    # SQLite makes files beside the database.
    if not os.access(file.parent, os.W_OK | os.X_OK) or (file.exists() and not os.access(file, os.R_OK | os.W_OK)):
        raise errors.DatabaseUnusable(path, "read-only")
    if not file.exists() or not file.stat().st_size:
        return Inspection(version=None, newest=newest, size=0, free=free)
    with _opened(path) as (connection, version):
        checked = _check(connection, path, clock() + seconds, clock)
    if version > newest:
        raise errors.DatabaseUnusable(path, "newer")
    return Inspection(version=version, newest=newest, size=size, free=free, checked=checked)


def notes(path: str, *, day: int) -> dict[tuple[str, Act], Note]:
    """Map each engine and what it's asked to do to what was last noted of that, with the engine's cost of a day.

    Raise `DatabaseUnusable`. It's empty where there's no database yet, or one that's older than that. Call it on a
    thread that may wait.
    """
    file = Path(path)
    if not file.exists() or not file.stat().st_size:
        return {}
    with _opened(path) as (connection, version):
        connection.execute("PRAGMA query_only = ON")
        return engines.read(connection, day) if version >= engines.VERSION else {}


@contextmanager
def _opened(path: str) -> Iterator[tuple[sqlite3.Connection, int]]:
    """Open a database that's there and ours, and give it with its version; raise `DatabaseUnusable`, also inside."""
    # `rw`, so that SQLite takes away what it puts beside a database that nobody else has open.
    uri = f"{Path(path).absolute().as_uri()}?mode=rw"
    try:
        with closing(sqlite3.connect(uri, uri=True, timeout=_BUSY_SECONDS, isolation_level=None)) as connection:
            ((owner,),) = connection.execute("PRAGMA application_id")
            ((version,),) = connection.execute("PRAGMA user_version")
            if owner != APPLICATION_ID:
                raise errors.DatabaseUnusable(path, "foreign")
            yield connection, version
    except sqlite3.Error as error:
        raise errors.DatabaseUnusable(path, problem_of(error, path)) from None


def _check(connection: sqlite3.Connection, path: str, until: float, clock: Callable[[], float]) -> bool:
    """Tell whether the whole was checked and is sound; raise `sqlite3.Error`, `DatabaseUnusable`."""
    # Whether it can be written to, without writing.
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("ROLLBACK")
    connection.execute("PRAGMA query_only = ON")
    connection.set_progress_handler(lambda: clock() > until, _STEPS)
    try:
        ((found,),) = connection.execute("PRAGMA quick_check(1)")
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode != sqlite3.SQLITE_INTERRUPT:
            raise
        return False
    if found != "ok":
        raise errors.DatabaseUnusable(path, "corrupt")
    return True
