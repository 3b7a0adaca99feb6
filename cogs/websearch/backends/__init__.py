"""Open the search engine that the configuration names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from ..config import Config
    from .base import Searcher

    # Called with how many documents are indexed, and how many there are.
    Progress = Callable[[int, int], None]
    Opener = Callable[[Config, Progress | None], Awaitable[Searcher]]


async def open_searcher(config: Config, *, progress: Progress | None = None) -> Searcher:
    """Open the engine that `web-backend` names; the caller closes it.

    `progress` is told how far an engine is that must first build an index.
    """
    return await SEARCHERS[config.web_backend](config, progress)


# An engine is imported when it is opened: who searches local documents needs no HTTP client.
async def _open_exa(config: Config, _progress: Progress | None) -> Searcher:
    from . import exa, http  # noqa: PLC0415 - see above

    transport = http.Transport(http.open_session(), backend=exa.NAME, timeout_s=config.web_timeout_s)
    return exa.ExaSearcher(
        transport,
        key=config.exa_api_key,
        base_url=config.exa_base_url,
        search_type=config.exa_search_type,
        snippet_chars=config.web_snippet_chars,
    )


async def _open_local(config: Config, progress: Progress | None) -> Searcher:
    from . import local  # noqa: PLC0415 - see above

    return await local.LocalSearcher.open(
        config.local_documents,
        config.local_base_url or None,
        snippet_chars=config.web_snippet_chars,
        progress=progress,
    )


SEARCHERS: Final[Mapping[str, Opener]] = {"exa": _open_exa, "local": _open_local}
