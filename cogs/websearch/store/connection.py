"""Connect to one SQLite file and watch it: whether it is still the one at its path, and still of our version."""

from __future__ import annotations

import os
import sqlite3
import time
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from .. import errors
from .migrations import migrate, read_migrations

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

MEMORY: Final = ":memory:"
# How long a write waits for another process that writes, and how long once one has waited in vain: others may be
# queued behind it, and shouldn't each wait as long again.
_BUSY_SECONDS: Final = 5.0
_BUSY_AGAIN_MS: Final = 50
# How long is waited between two tries to switch to write-ahead logging.
_SWITCH_SECONDS: Final = 0.005
# What SQLite keeps beside a database with write-ahead logging: the log, and an index of it.
BESIDE: Final = ("-wal", "-shm")

_PROBLEMS: Final = {
    sqlite3.SQLITE_READONLY: "read-only",
    sqlite3.SQLITE_NOTADB: "not-a-database",
    sqlite3.SQLITE_CORRUPT: "corrupt",
    sqlite3.SQLITE_BUSY: "busy",
    sqlite3.SQLITE_LOCKED: "busy",
    sqlite3.SQLITE_FULL: "full",
}
# By their extended result codes. What is beside the database can't be made as large as it has to be.
_EXTENDED: Final = {sqlite3.SQLITE_IOERR_SHMSIZE: "full"}


class FileGone(sqlite3.OperationalError):
    """Say that no file is at the database's path any more; nothing was run."""


class FileReplaced(sqlite3.OperationalError):
    """Say that what's open isn't the database at its path, which must be opened anew; nothing was run."""


class VersionNewer(sqlite3.OperationalError):
    """Say that a newer program has changed the database meanwhile; nothing was run."""


class WatchedConnection(sqlite3.Connection):
    """Look before each statement whether the database is still the right one.

    SQLite itself goes on with a file that was deleted or replaced, where nobody else would ever see what it writes.
    """

    _path: str | None = None
    _file: tuple[int, int] | None = None
    _beside: Mapping[str, tuple[int, int] | None] = {}
    _version = 0
    _missed = False
    _impatient = False

    def watch(self, path: str, version: int) -> None:
        """Begin to look, at a file whose newest version is that one."""
        self._path = path
        self._version = version
        self._file = _identity(path)
        # The files beside it are made when it's first read.
        super().execute("PRAGMA user_version").fetchall()
        self._beside = {end: _identity(path + end) for end in BESIDE}

    def execute(  # type: ignore[override] # the base class takes a type of its stubs that has no public name
        self, statement: str, parameters: Sequence[object] | Mapping[str, object] = (), /
    ) -> sqlite3.Cursor:
        """Run a statement; raise `FileGone`, `FileReplaced`, `VersionNewer` or what SQLite raises."""
        if self._path is not None:
            self._look(self._path)
        try:
            cursor = super().execute(statement, parameters)
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode == sqlite3.SQLITE_BUSY:
                self._wait(_BUSY_AGAIN_MS)
                self._impatient = True
            raise
        if self._impatient:
            self._wait(int(_BUSY_SECONDS * 1000))
            self._impatient = False
        return cursor

    def close(self) -> None:
        """Close the database, and leave nothing that another one at its path would take for its own."""
        if self._missed:
            # Where the file was only moved away, what was written must be found in it once it's back.
            with suppress(sqlite3.Error):
                super().execute("PRAGMA wal_checkpoint(TRUNCATE)")
        super().close()
        if self._path is not None and _identity(self._path) != self._file:
            for end, file in self._beside.items():
                if file is not None and _identity(self._path + end) == file:
                    Path(self._path + end).unlink(missing_ok=True)

    def _look(self, path: str) -> None:
        found = _identity(path)
        if found != self._file:
            # Whoever meets this first is told; then a new database is made where the old one doesn't come back.
            if found is None and not self._missed:
                self._missed = True
                raise FileGone
            raise FileReplaced
        self._missed = False
        ((version,),) = super().execute("PRAGMA user_version")
        if version > self._version:
            raise VersionNewer

    def _wait(self, milliseconds: int) -> None:
        super().execute(f"PRAGMA busy_timeout = {milliseconds}")


def _identity(path: str) -> tuple[int, int] | None:
    """Return what tells a file from any other, or None where there's none to be seen."""
    try:
        found = os.stat(path)  # noqa: PTH116 - a Path takes several times as long, before each statement
    except OSError:
        return None
    return found.st_dev, found.st_ino


def connect(path: str) -> sqlite3.Connection:
    """Open, migrate and set up the database, on the thread that will use it; raise `DatabaseUnusable`."""
    problem = None if path == MEMORY else problem_at(path)
    if problem is not None:
        raise errors.DatabaseUnusable(path, problem)
    migrations = read_migrations()
    with ExitStack() as undo:
        try:
            connection = sqlite3.connect(path, timeout=_BUSY_SECONDS, isolation_level=None, factory=WatchedConnection)
            undo.callback(connection.close)
            migrate(connection, migrations, path)
            _write_ahead(connection)
            # What is deleted was a member's question: it's overwritten, not only forgotten.
            connection.execute("PRAGMA secure_delete = ON")
            if path != MEMORY:
                connection.watch(path, len(migrations))
        except (sqlite3.Error, ValueError) as error:
            # ValueError: a path that can't be a file's name.
            raise errors.DatabaseUnusable(path, problem_of(error, path)) from error
        undo.pop_all()
    return connection


def _write_ahead(
    connection: sqlite3.Connection,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> None:
    """Let readers not wait for writers; a killed process loses nothing, a power cut at most the last writes."""
    until = clock() + _BUSY_SECONDS
    # Unlike a write, the switch doesn't wait for others that open the same new file: a write waits in its place, though
    # only for a moment where one has waited in vain.
    while not _runs(connection, ("PRAGMA journal_mode = WAL",), fails=clock() >= until):
        _runs(connection, ("BEGIN IMMEDIATE", "ROLLBACK"))
        sleep(_SWITCH_SECONDS)
    connection.execute("PRAGMA synchronous = NORMAL")


def _runs(connection: sqlite3.Connection, statements: Sequence[str], *, fails: bool = False) -> bool:
    """Run statements, and tell whether no other held the database; raise that, too, where it `fails`."""
    try:
        for statement in statements:
            connection.execute(statement)
    except sqlite3.OperationalError as error:
        if fails or error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
            raise
        return False
    return True


def problem_at(path: str) -> str | None:
    """Name what is wrong with a path before SQLite sees it, whose own message would be the same for all."""
    try:
        file = Path(path)
        if file.is_dir():
            return "directory"
        if not file.parent.is_dir():
            return "no-folder"
        if _leads_nowhere(file):
            return "link"
        # SQLite takes a device for an empty database, and waits for a pipe for ever.
        return "not-a-database" if file.exists() and not file.is_file() else None
    except (OSError, ValueError):
        return "unusable"


def _leads_nowhere(file: Path) -> bool:
    """Tell whether that's a link in a circle, or into a folder that isn't there; SQLite makes a file at any other."""
    if not file.is_symlink() or file.exists():
        return False
    end = Path(os.path.realpath(file))
    return end.is_symlink() or not end.parent.is_dir()


def problem_of(error: Exception, path: str) -> str:
    """Name what SQLite says, by its primary result code (the lowest 8 bits of the extended one)."""
    extended: int = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
    if extended in _EXTENDED:
        return _EXTENDED[extended]
    code = extended & 0xFF
    if code == sqlite3.SQLITE_CANTOPEN and not Path(path).exists():
        # The folder is there, yet no file can be made in it.
        return "read-only"
    return _PROBLEMS.get(code, "unusable")
