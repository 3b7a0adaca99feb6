"""Keep an index in a file: made beside its place and renamed, so that nobody ever sees half of one.

A process that is killed leaves a file that the next one clears away; two that build at once both succeed, and the later
one's file stays. The name of a file holds the fingerprint of its documents, so programs that see different documents
don't take each other's place.
"""

from __future__ import annotations

import logging
import os
import sqlite3
import tempfile
import time
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from . import index
from .documents import digest

if TYPE_CHECKING:
    import threading
    from collections.abc import Generator

    from .documents import Document, Progress, Source, Survey

_log = logging.getLogger(__name__)

_BUILDING: Final = ".building"
# No index takes as long; a file that's older was left by a process that is gone. In seconds.
_ABANDONED: Final = 3600.0
# Nothing is read back before the file is complete, so SQLite needs no journal and needn't wait for the disk.
_QUICK: Final = "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"


class Stopped(Exception):
    """Be raised in the thread that builds an index once it was told to stop."""


class Storage:
    """Keep the index of one source in a folder."""

    def __init__(self, source: Source, folder: Path | None) -> None:
        """Take the folder, which is made when something is kept there, or None where nothing can be kept."""
        self.source = source
        self._folder = folder

    def open(self, survey: Survey, progress: Progress, stop: threading.Event) -> sqlite3.Connection:
        """Open the index of these documents for reading, and build it first where there's no sound one.

        Where it can't be kept in a file, it's built in memory, and the log says so. The connection may be used by one
        thread at a time. Raise OSError where the documents can't be read, `sqlite3.Error` where there's no room in
        memory either, `Stopped` where `stop` was set.
        """
        if self._folder is None:
            return _in_memory(survey, "there's no home folder", progress, stop)
        path = self._path(self._folder, survey)
        kept = _open(path, survey.fingerprint)
        if kept is not None:
            return kept
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            descriptor, name = tempfile.mkstemp(prefix=f"{self.source.identity}-", suffix=_BUILDING, dir=self._folder)
        except OSError as error:
            return _in_memory(survey, error, progress, stop)
        os.close(descriptor)
        trouble: Exception | None
        try:
            _write(Path(name), survey, progress, stop)
            trouble = _settle(Path(name), path)
        except sqlite3.Error as error:
            trouble = error
        finally:
            with suppress(OSError):
                Path(name).unlink(missing_ok=True)
        self._clear_away(self._folder, path)
        built = None if trouble else _open(path, survey.fingerprint)
        return built or _in_memory(survey, trouble, progress, stop)

    def discard(self, survey: Survey) -> None:
        """Delete the index of these documents, where it turned out to be damaged."""
        if self._folder is not None:
            with suppress(OSError):
                self._path(self._folder, survey).unlink(missing_ok=True)

    def _path(self, folder: Path, survey: Survey) -> Path:
        return folder / f"{self.source.identity}-{digest(f'{index.FORMAT} {survey.fingerprint}')}.db"

    def _clear_away(self, folder: Path, current: Path) -> None:
        """Delete what earlier states of the documents and killed processes left; what can't be deleted stays."""
        for path in folder.glob(f"{self.source.identity}-*"):
            with suppress(OSError):
                abandoned = path.suffix == _BUILDING and time.time() - path.stat().st_mtime > _ABANDONED
                if abandoned or (path.suffix == current.suffix and path != current):
                    path.unlink()


def _open(path: Path, fingerprint: str) -> sqlite3.Connection | None:
    """Open a sound index, or return None where there's none."""
    try:
        connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, check_same_thread=False)
    except sqlite3.Error:
        return None
    if index.is_current(connection, fingerprint):
        return connection
    connection.close()
    return None


def _write(path: Path, survey: Survey, progress: Progress, stop: threading.Event) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(_QUICK)
        index.build(connection, _until(stop, survey.documents(progress)), survey.fingerprint)


def _settle(path: Path, place: Path) -> OSError | None:
    """Put a complete index in its place; return what keeps it from there, such as a damaged file held open."""
    try:
        with path.open("rb+") as file:
            # Renamed before it's on the disk, it could be empty after a power failure.
            os.fsync(file.fileno())
        path.replace(place)
    except OSError as error:
        return error
    return None


def _in_memory(
    survey: Survey, reason: Exception | str | None, progress: Progress, stop: threading.Event
) -> sqlite3.Connection:
    _log.warning("the index of the local search can't be kept, so it's built again at each start: %s", reason)
    connection = sqlite3.connect(":memory:", check_same_thread=False)
    try:
        index.build(connection, _until(stop, survey.documents(progress)), survey.fingerprint)
    except BaseException:
        connection.close()
        raise
    return connection


def _until(stop: threading.Event, documents: Generator[Document, None, None]) -> Generator[Document, None, None]:
    with closing(documents):
        for document in documents:
            if stop.is_set():
                raise Stopped
            yield document
