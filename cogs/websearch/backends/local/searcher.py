"""Search local documents, and read them: an engine that needs neither key nor network."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Final, Self, TypeVar
from urllib.parse import urlsplit

import platformdirs

from ... import errors, limits, links
from .. import pages, rows
from ..base import Capabilities, vetted
from . import index, inventory, ranking
from .folder import Folder
from .stdlib import StandardLibrary
from .storage import Storage

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from ...charges import Act
    from ...config import Config
    from ...models import FetchedPage, SearchPage, SearchRequest
    from .documents import Progress, Source, Survey

_log = logging.getLogger(__name__)

# How the folder for indexes is called, in the place that the system has for caches.
_APPLICATION: Final = "discord-websearch"
# How long a change of the documents may go unseen, in seconds; looking costs some milliseconds a thousand files.
LOOK_AGAIN_S: Final = 60.0
# Rows beyond those asked for, in case some can't be shown.
_SPARE: Final = 10
# Characters of a document that are read: more than a page keeps, so that it's seen to be cut.
_FETCHED: Final = 2 * limits.PAGE_TEXT

Read = TypeVar("Read")


class LocalSearcher:
    """Search a folder of documents, or by default the documentation of this Python's standard library.

    All results come from one site, so narrowing a search to sites gives all of them or none.
    """

    capabilities = Capabilities(sites=True, fetches=True)

    def __init__(
        self,
        storage: Storage,
        survey: Survey,
        connection: sqlite3.Connection,
        *,
        host: str,
        snippet_chars: int,
        clock: Callable[[], float],
    ) -> None:
        """Take over an open index; `open` makes one."""
        self._storage = storage
        self._survey = survey
        self._connection = connection
        self._host = host
        self._snippet_chars = snippet_chars
        self._clock = clock
        # SQLite's connections are for one thread at a time.
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="local-search")
        self._looked = clock()
        self._renewal: asyncio.Task[None] | None = None
        self._closed = False

    @classmethod
    async def open(
        cls,
        documents: Path | None,
        base_url: str | None,
        *,
        snippet_chars: int,
        progress: Progress | None = None,
        cache_dir: Path | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> Self:
        """Open the index of a folder that is published at `base_url`, or of the standard library where both are None.

        The index is built where there's no current one in `cache_dir`, by default the user's; `progress` is then called
        in the event loop with the steps done and the steps in all. `clock` tells monotonic seconds. The two are what a
        checked configuration holds: a folder, and a public address. Raise `BackendBroken` where reading fails.
        """
        source, host = _source(documents, base_url)
        storage = Storage(source, cache_dir or _user_cache())
        try:
            survey = await asyncio.to_thread(source.survey)
            connection = await _open_index(storage, survey, progress)
        except (OSError, sqlite3.Error) as error:
            raise _broken(source, error) from error
        if survey.empty:
            _log.warning("there are no documents in %s, so nothing will be found there", documents)
        return cls(
            storage,
            survey,
            connection,
            host=host,
            snippet_chars=snippet_chars,
            clock=clock,
        )

    @property
    def name(self) -> str:
        """Tell what is searched, as members see it."""
        return self._storage.source.name

    async def search(self, request: SearchRequest) -> SearchPage:
        """Return the documents that answer best; any text is a query. Raise `BackendBroken` where the index fails."""
        if self._closed:
            raise errors.BackendBroken(self.name, "the search was closed")
        found: list[ranking.Hit] = []
        if not request.sites or any(links.matches(self._host, site) for site in request.sites):
            found = await self._find(request.query, request.count + _SPARE)
        self._look_again()
        page = (rows.Row(url=hit.url, title=hit.title, snippet=hit.snippet) for hit in found)
        return rows.to_page(page, request, backend=self.name, snippet_chars=self._snippet_chars)

    async def fetch(self, url: str) -> FetchedPage:
        """Return the text of a document by its result's address; nothing that isn't in the index is ever read.

        Raise `InvalidAddress`, `PageUnreadable` where no document has that address, or `BackendBroken`.
        """
        if self._closed:
            raise errors.BackendBroken(self.name, "the search was closed")
        link = vetted(url)
        found = await self._run(partial(index.text_of, self._connection, link.url, _FETCHED))
        self._look_again()
        if found is None:
            raise errors.PageUnreadable(self.name)
        title, text = found
        return pages.to_fetched(link, backend=self.name, title=title, raw=text)

    async def _find(self, query: str, most: int) -> list[ranking.Hit]:
        return await self._run(partial(ranking.find, self._connection, query, most, self._snippet_chars))

    async def _run(self, work: Callable[[], Read]) -> Read:
        """Read the index in its thread; raise `BackendBroken` where it can't be read."""
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, work)
        except sqlite3.Error as error:
            # Damaged since it was opened: out of the way with it, so that the next look builds it anew.
            self._storage.discard(self._survey)
            self._renew()
            raise _broken(self._storage.source, error) from error

    def _look_again(self) -> None:
        """Begin to look whether the documents changed, where that was a while ago; the search doesn't wait for it."""
        if self._clock() - self._looked >= LOOK_AGAIN_S:
            self._renew(only_if_changed=True)

    def _renew(self, *, only_if_changed: bool = False) -> None:
        if self._renewal is None and not self._closed:
            self._looked = self._clock()
            self._renewal = asyncio.create_task(self._renewed(only_if_changed=only_if_changed))

    async def _renewed(self, *, only_if_changed: bool) -> None:
        try:
            survey = await asyncio.to_thread(self._storage.source.survey)
            if only_if_changed and survey.fingerprint == self._survey.fingerprint:
                return
            fresh = await _open_index(self._storage, survey, None)
        except (OSError, sqlite3.Error) as error:
            _log.warning("%s changed and can't be read, so the old index stays: %s", self.name, error)
            return
        finally:
            self._renewal = None
        old, self._connection, self._survey = self._connection, fresh, survey
        # Behind whatever search still reads it.
        self._thread.submit(old.close)

    async def close(self) -> None:
        """Close the index; closing twice does no harm."""
        if self._closed:
            return
        self._closed = True
        if self._renewal is not None:
            self._renewal.cancel()
            await asyncio.wait([self._renewal])
        await asyncio.get_running_loop().run_in_executor(self._thread, self._connection.close)
        self._thread.shutdown()


def _source(documents: Path | None, base_url: str | None) -> tuple[Source, str]:
    """Return where the documents are, and the host of their links."""
    if documents is None or base_url is None:
        return StandardLibrary(), urlsplit(inventory.SITE).netloc
    return Folder(documents, base_url), urlsplit(base_url).hostname or ""


def _user_cache() -> Path | None:
    """Return the user's folder for caches, or None for a user without a home."""
    try:
        path = platformdirs.user_cache_path(_APPLICATION)
    except RuntimeError:
        return None
    # Earlier versions of platformdirs leave a tilde that stands for nothing, as a folder of that name.
    return path if path.is_absolute() else None


def _broken(source: Source, error: Exception) -> errors.BackendBroken:
    # SQLite's own messages may repeat what was searched for; the name of its error can't.
    detail = getattr(error, "sqlite_errorname", "") if isinstance(error, sqlite3.Error) else str(error)
    return errors.BackendBroken(source.name, f"{type(error).__name__}: {detail}"[: limits.DETAIL])


async def _open_index(storage: Storage, survey: Survey, progress: Progress | None) -> sqlite3.Connection:
    """Open the index in a thread; when cancelled, wait until that thread has stopped."""
    loop = asyncio.get_running_loop()
    stop = threading.Event()

    def report(done: int, total: int) -> None:
        if progress is not None:
            loop.call_soon_threadsafe(progress, done, total)

    work = asyncio.ensure_future(asyncio.to_thread(storage.open, survey, report, stop))
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        stop.set()
        await asyncio.wait([work])
        if not work.cancelled() and work.exception() is None:
            work.result().close()
        raise


# What `open_engine` reads: a change of any of these opens the engine anew.
SETTINGS: Final = ("local_documents", "local_base_url", "web_snippet_chars")


async def open_engine(config: Config, progress: Progress | None) -> LocalSearcher:
    """Open the engine as it's configured; the caller closes it."""
    return await LocalSearcher.open(
        config.local_documents,
        config.local_base_url or None,
        snippet_chars=config.web_snippet_chars,
        progress=progress,
    )


def list_price(_config: Config, _act: Act) -> float:
    """Tell what a search costs: nothing."""
    return 0.0
