"""Copy an SQLite database to another file while others write to it.

`VACUUM INTO` reads one snapshot, so that the copy is of one moment and no writer waits; it leaves out free pages, and
with them what was deleted, and the copy is one file without a log beside it.
"""

from __future__ import annotations

import asyncio
import errno
import os
import secrets
import sqlite3
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from .. import errors
from .connection import BESIDE, MEMORY, problem_at, problem_of
from .migrations import APPLICATION_ID

if TYPE_CHECKING:
    from collections.abc import Iterator

# How long another program's exclusive lock is waited for, as a write of the store waits.
_BUSY_SECONDS: Final = 5.0
# Of a copy that isn't complete; whoever finds one after a crash or a power cut may delete it.
PARTIAL: Final = ".websearch-backup-{}.partial"
_MODE: Final = 0o600
# What SQLite puts beside a database, and takes for that of any database of the name: it would replay or undo what an
# earlier file of that name left.
_ENDS: Final = (*BESIDE, "-journal")
# What SQLite says where a write fails: the last two by a limit for the size of files, or by a disk's quota.
_UNWRITTEN: Final = frozenset({sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR})
# The primary result codes of what may be wrong with the copy as well as with the database.
_EITHERS: Final = frozenset({sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN})
# Where a file system has no hard links: FAT, and some that are mounted over a network.
_NO_LINKS: Final = frozenset({errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK})
_PROBLEMS: Final = {
    errno.ENOSPC: "full",
    errno.EDQUOT: "full",
    errno.EFBIG: "full",
    errno.EACCES: "read-only",
    errno.EPERM: "read-only",
    errno.EROFS: "read-only",
}


async def copy(database: str, target: Path) -> int:
    """Write a consistent, checked copy of the database to `target`; return its size in bytes.

    What was committed before the call is in it. The database is neither made nor migrated. The copy appears under its
    name when it's complete, in a file that its owner alone can read. Cancelled, it leaves nothing. Raise
    `BackupRefused`, `BackupFailed` or `DatabaseUnusable`.
    """
    copying = _Copying(database, target)
    working = asyncio.ensure_future(asyncio.to_thread(copying.run))
    try:
        return await asyncio.shield(working)
    except asyncio.CancelledError:
        # The thread can't be cancelled, but SQLite can be stopped; what it began is gone once it has ended.
        copying.stop()
        working.add_done_callback(lambda done: done.cancelled() or done.exception())
        await asyncio.wait({working})
        raise


class _Copying:
    """Copy on a thread of its own, until told to stop."""

    def __init__(self, database: str, target: Path) -> None:
        self._database = database
        self._target = target
        self._stopped = False

    def stop(self) -> None:
        """End the copying at SQLite's next step; nothing is left of it."""
        self._stopped = True

    def run(self) -> int:
        """Return the size of the copy in bytes; raise as `copy` does."""
        with _failing(self._target):
            _require(self._database, self._target)
            return self._run()

    def _run(self) -> int:
        with _partial(self._target) as partial:
            self._write(partial)
            self._check(partial)
            size = _sync(partial)
            if self._stopped:
                raise errors.BackupFailed(str(self._target), "stopped")
            _publish(partial, self._target)
        return size

    def _write(self, partial: Path) -> None:
        uri = f"{Path(self._database).absolute().as_uri()}?mode=rw"
        try:
            # `rw`, so that SQLite takes away what it puts beside a database that nobody else has open.
            with closing(self._connect(uri)) as connection:
                ((owner,),) = connection.execute("PRAGMA application_id")
                if owner != APPLICATION_ID:
                    raise errors.DatabaseUnusable(self._database, "foreign")
                connection.execute("VACUUM INTO ?", (str(partial.absolute()),))
        except sqlite3.Error as error:
            raise self._failure(error, uri) from None

    def _failure(self, error: sqlite3.Error, uri: str) -> errors.WebSearchError:
        if self._stopped:
            return errors.BackupFailed(str(self._target), "stopped")
        # One message may be of either file. A database that can be read as a whole isn't to blame; a damaged one asks
        # for more than any disk has.
        code: int = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
        if code & 0xFF in _EITHERS and self._look(uri) == "ok":
            return errors.BackupFailed(str(self._target), "full" if code in _UNWRITTEN else "unusable")
        problem = "corrupt" if code == sqlite3.SQLITE_FULL else problem_of(error, self._database)
        return errors.DatabaseUnusable(self._database, problem)

    def _check(self, partial: Path) -> None:
        """Read the copy back; raise `BackupFailed` where it isn't sound."""
        if self._look(f"{partial.absolute().as_uri()}?mode=ro") != "ok":
            raise errors.BackupFailed(str(self._target), "stopped" if self._stopped else "damaged")

    def _look(self, uri: str) -> str:
        """Return `ok` for a sound database of ours, else what's wrong with it."""
        try:
            with closing(self._connect(uri)) as connection:
                ((found,),) = connection.execute("PRAGMA quick_check(1)")
                ((owner,),) = connection.execute("PRAGMA application_id")
        except sqlite3.Error as error:
            return getattr(error, "sqlite_errorname", "failed")
        return str(found) if owner == APPLICATION_ID else "foreign"

    def _connect(self, uri: str) -> sqlite3.Connection:
        connection = sqlite3.connect(uri, uri=True, timeout=_BUSY_SECONDS, isolation_level=None)
        connection.set_progress_handler(lambda: self._stopped, 10_000)
        return connection


def _require(database: str, target: Path) -> None:
    """Raise what's wrong with either path before anything is written."""
    path = str(target)
    if database == MEMORY:
        raise errors.BackupFailed(path, "memory")
    if os.path.realpath(target) in {os.path.realpath(database) + end for end in ("", *_ENDS)}:
        raise errors.BackupRefused(path, "itself")
    if target.is_dir():
        raise errors.BackupRefused(path, "directory")
    if os.path.lexists(target):
        raise errors.BackupRefused(path, "exists")
    _require_nothing_beside(target)
    if not target.parent.is_dir():
        raise errors.BackupRefused(path, "no-folder")
    problem = problem_at(database)
    if problem is not None and problem != "no-folder":
        raise errors.DatabaseUnusable(database, problem)
    if problem is not None or not Path(database).exists() or not Path(database).stat().st_size:
        raise errors.BackupFailed(database, "no-database")


def _require_nothing_beside(target: Path) -> None:
    """Raise `BackupRefused` where a file would be taken for a part of the copy, which spoils it."""
    if any(os.path.lexists(f"{target}{end}") for end in _ENDS):
        raise errors.BackupRefused(str(target), "leftover")


@contextmanager
def _failing(target: Path) -> Iterator[None]:
    """Raise `BackupFailed` for what the operating system says."""
    try:
        yield
    except FileExistsError:
        raise errors.BackupRefused(str(target), "exists") from None
    except (OSError, ValueError) as error:
        # ValueError: a name that SQLite doesn't take, such as one that's no Unicode.
        code = error.errno if isinstance(error, OSError) else None
        raise errors.BackupFailed(str(target), _PROBLEMS.get(code or 0, "unusable")) from None


@contextmanager
def _partial(target: Path) -> Iterator[Path]:
    """Make an empty file beside the target, for its owner alone, that's gone when the context ends."""
    path = target.parent / PARTIAL.format(secrets.token_hex(8))
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, _MODE))
    try:
        yield path
    finally:
        for end in ("", *_ENDS):
            Path(f"{path}{end}").unlink(missing_ok=True)


def _sync(path: Path) -> int:
    """Bring the file to the disk, and return its size in bytes."""
    file = os.open(path, os.O_RDWR)
    try:
        os.fsync(file)
        return os.fstat(file).st_size
    finally:
        os.close(file)


def _publish(partial: Path, target: Path) -> None:
    """Give the copy its name, whatever else took that meanwhile staying as it is; raise FileExistsError then.

    Raise `BackupRefused` where something was put beside it meanwhile.
    """
    _require_nothing_beside(target)
    try:
        os.link(partial, target)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        # The name is taken first, then the copy put over what's ours.
        os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY, _MODE))
        try:
            partial.replace(target)
        except OSError:
            target.unlink(missing_ok=True)
            raise
    # Not every system lets a folder be opened, or be brought to the disk.
    with suppress(OSError):
        folder = os.open(target.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
