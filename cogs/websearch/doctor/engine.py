"""Check the search engine: that it opens, and with `--live` that it answers, by one search."""

from __future__ import annotations

import logging
import sys
import time
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from .. import backends, errors, keys, wording
from ..backends.local.folder import Folder
from ..config import KEYS
from ..i18n import N_
from ..lineup import engines_of
from ..models import SearchRequest
from ..service import ask
from ..terminal import Progress
from . import refusals
from .findings import ok, skipped, warning, wrong

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator

    from ..backends.base import Searcher
    from ..config import Config
    from .case import Case
    from .findings import Finding

# Any engine knows pages about it, and one result costs least.
_QUERY: Final = "discord"
_LOCAL: Final = "local"


async def check(case: Case, *, clock: Callable[[], float] = time.monotonic) -> AsyncIterator[Finding]:
    """Open each engine that may be asked, search once where that's allowed, and close it; `clock` tells seconds."""
    words = case.words
    if case.config is None:
        yield skipped(words("The search engine: the configuration can't be used."))
        return
    if not case.config.enable_web_search:
        yield skipped(words("The search engine: searching is switched off."))
        return
    with _warnings() as told:
        for name in engines_of(case.config):
            yield await _open(replace(case.config, web_backend=name), case, clock)
    for line in told:
        yield warning(case.outside(line))


async def _open(config: Config, case: Case, clock: Callable[[], float]) -> Finding:
    progress = Progress(sys.stderr, case.words)
    try:
        searcher = await backends.open_searcher(config, progress=progress)
    except (errors.BackendError, errors.ConfigError) as error:
        return wrong(wording.explain_to_owner(error, case.words))
    finally:
        progress.end()
    try:
        return await _judge(searcher, config, case, clock)
    finally:
        await searcher.close()


async def _judge(searcher: Searcher, config: Config, case: Case, clock: Callable[[], float]) -> Finding:
    words = case.words
    if config.web_backend == _LOCAL:
        return _documents(searcher, config, case)
    if not case.live:
        return ok(words("{backend} has all that it needs to be asked; --live asks it.", backend=searcher.name))
    request, cost, began = SearchRequest(query=_QUERY, count=1), None, clock()
    try:
        cost = (await ask(searcher, request, timeout_s=config.web_timeout_s)).page.cost
    except errors.NoResults:
        # It has answered, all the same.
        pass
    except errors.BackendError as error:
        return refusals.tell(error, case, refusals.SEARCH)
    took = words.number(round(clock() - began, 1))
    # Of an engine that has no key, neither that nor the cost matters.
    if not _has_key(config):
        said = N_("{backend} answers; that took {seconds} s.")
    elif cost is None:
        said = N_("{backend} takes the key and answers; that took {seconds} s, and it didn't say what it cost.")
    else:
        said = N_("{backend} takes the key and answers; that took {seconds} s and cost {cost} US dollars.")
    return ok(words(said, backend=searcher.name, seconds=took, cost=words.number(cost or 0)))


def _has_key(config: Config) -> bool:
    """Tell whether the engine is opened with a secret."""
    read = {setting: KEYS[setting.replace("_", "-")] for setting in backends.adapter(config.web_backend).SETTINGS}
    return any(isinstance(key.kind, keys.Secret) and getattr(config, setting) for setting, key in read.items())


def _documents(searcher: Searcher, config: Config, case: Case) -> Finding:
    words = case.words
    folder = config.local_documents
    if folder is None:
        return ok(words("{backend} can be searched.", backend=searcher.name))
    try:
        count = Folder(folder, config.local_base_url).survey().count
    except OSError:
        return wrong(words("The folder {path} can't be read.", path=folder), words("Let the bot read it."))
    said = words.plural(
        "{count} document can be searched in {path}.",
        "{count} documents can be searched in {path}.",
        count,
        path=folder,
    )
    return ok(said) if count else wrong(said, words("Put documents there, or correct local-documents."))


@contextmanager
def _warnings() -> Iterator[list[str]]:
    """Collect what's wrong with local documents or the place of their index, in spite of which the search goes on."""
    told: list[str] = []
    handler = logging.Handler(logging.WARNING)
    handler.emit = lambda record: told.append(record.getMessage())  # type: ignore[method-assign] # a list is all it takes
    log = logging.getLogger(f"{backends.__name__}.{_LOCAL}")
    log.addHandler(handler)
    try:
        yield told
    finally:
        log.removeHandler(handler)
