"""Check the database, and make none."""

from __future__ import annotations

import asyncio
import math
import threading
import time
from typing import TYPE_CHECKING, Final

from .. import errors, wording
from ..store import inspection
from .findings import ok, skipped, warning, wrong

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from .case import Case
    from .findings import Finding

_MEMORY: Final = ":memory:"
# A database of millions of counters takes some seconds to read.
_SECONDS: Final = 60.0
# Less than this many bytes on the disk, and the database may soon not grow any more.
_ROOM: Final = 100_000_000


async def check(case: Case) -> AsyncIterator[Finding]:
    """Look at the database as it is."""
    words = case.words
    if case.stored is None:
        yield skipped(words("The database: the configuration can't be used."))
        return
    path = case.stored.web_database
    if path == _MEMORY:
        yield warning(
            words("The database is kept in memory: settings and counts are gone after each restart."),
            words("Name a file in web-database."),
        )
        return
    try:
        found = await _inspect(path)
    except errors.DatabaseUnusable as error:
        yield wrong(wording.explain(error, words))
    else:
        yield _judge(path, found, case)


async def _inspect(path: str) -> inspection.Inspection:
    """Look at the database on a thread, which ends soon once nobody waits for it; raise `DatabaseUnusable`."""
    given_up = threading.Event()

    def clock() -> float:
        return math.inf if given_up.is_set() else time.monotonic()

    try:
        return await asyncio.to_thread(inspection.inspect, path, seconds=_SECONDS, clock=clock)
    finally:
        given_up.set()


def _judge(path: str, found: inspection.Inspection, case: Case) -> Finding:
    words = case.words
    free = words.size(found.free)
    if found.version is None:
        said = words(
            "The database {path} will be made when the bot starts; its disk has {free} left.", path=path, free=free
        )
    else:
        said = words(
            "The database {path} is sound: version {version}, {size}, and its disk has {free} left.",
            path=path,
            version=words.number(found.version),
            size=words.size(found.size),
            free=free,
        )
    if found.free < _ROOM:
        return warning(said, words("Make room on that disk: a search that can't be counted isn't made."))
    if not found.checked:
        return warning(
            words("The database {path} opens, but it's too large to be checked as a whole in a minute.", path=path)
        )
    if found.version is not None and found.version < found.newest:
        newest = words.number(found.newest)
        return ok(f"{said} " + words("The bot brings it to version {newest} when it starts.", newest=newest))
    return ok(said)
