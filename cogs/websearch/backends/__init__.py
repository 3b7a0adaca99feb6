"""Open the engines that the configuration names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from ..config import Config
    from . import exa, tavily
    from .base import Answerer, Searcher

    # Called with how many documents are indexed, and how many there are.
    Progress = Callable[[int, int], None]
    Opener = Callable[[Config, Progress | None], Awaitable[Searcher]]
    AnswererOpener = Callable[[Config, Progress | None], Awaitable[Answerer]]


async def open_searcher(config: Config, *, progress: Progress | None = None) -> Searcher:
    """Open the engine that `web-backend` names; the caller closes it.

    `progress` is told how far an engine is that must first build an index.
    """
    return await SEARCHERS[config.web_backend](config, progress)


def opened_with(config: Config) -> tuple[object, ...]:
    """Return what the configured engine is opened with, nothing while the switch is off.

    Where it's the same of two configurations, the engine that was opened for one does for the other.
    """
    if not config.enable_web_search:
        return ()
    return config.web_backend, *(getattr(config, name) for name in SETTINGS[config.web_backend])


async def open_answerer(config: Config) -> Answerer | None:
    """Open what answers questions, or return None where `web-backend` can't and nothing else is named.

    The caller closes it. It has a connection pool and a deadline of its own.
    """
    opener = ANSWERERS.get(config.web_answer_backend or config.web_backend)
    return None if opener is None else await opener(config, None)


def answered_with(config: Config) -> tuple[object, ...]:
    """Return what the configured answerer is opened with, as `opened_with` does for the engine."""
    name = config.web_answer_backend or config.web_backend
    if not config.enable_web_search or name not in ANSWERERS:
        return ()
    return name, *(getattr(config, setting) for setting in SETTINGS[name])


# An engine is imported when it is opened: who searches local documents needs no HTTP client.
async def _open_exa(config: Config, _progress: Progress | None) -> exa.ExaSearcher:
    from . import exa, http  # noqa: PLC0415 - see above

    transport = http.Transport(http.open_session(), backend=exa.NAME, timeout_s=config.web_timeout_s)
    return exa.ExaSearcher(
        transport,
        key=config.exa_api_key,
        base_url=config.exa_base_url,
        search_type=config.exa_search_type,
        snippet_chars=config.web_snippet_chars,
        answer_timeout_s=config.web_answer_timeout_s,
    )


async def _open_tavily(config: Config, _progress: Progress | None) -> tavily.TavilySearcher:
    from . import http, tavily  # noqa: PLC0415 - see above

    return tavily.TavilySearcher(
        http.Transport(http.open_session(), backend=tavily.NAME, timeout_s=config.web_timeout_s),
        key=config.tavily_api_key,
        base_url=config.tavily_base_url,
        snippet_chars=config.web_snippet_chars,
        answer_timeout_s=config.web_answer_timeout_s,
    )


async def _open_jina(config: Config, _progress: Progress | None) -> Searcher:
    from . import http, jina  # noqa: PLC0415 - see above

    return jina.JinaSearcher(
        http.Transport(http.open_session(), backend=jina.NAME, timeout_s=config.web_timeout_s),
        key=config.jina_api_key,
        search_url=config.jina_search_url,
        reader_url=config.jina_reader_url,
        snippet_chars=config.web_snippet_chars,
    )


async def _open_searxng(config: Config, _progress: Progress | None) -> Searcher:
    from . import http, searxng  # noqa: PLC0415 - see above

    return searxng.SearxngSearcher(
        http.Transport(http.open_session(), backend=searxng.NAME, timeout_s=config.web_timeout_s),
        base_url=config.searxng_url,
        snippet_chars=config.web_snippet_chars,
    )


async def _open_chat(config: Config, _progress: Progress | None) -> Answerer:
    from . import chat, http  # noqa: PLC0415 - see above

    return chat.ChatAnswerer(
        http.Transport(http.open_session(), backend=chat.NAME, timeout_s=config.web_answer_timeout_s),
        key=config.chat_api_key,
        base_url=config.chat_base_url,
        model=config.chat_model,
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


SEARCHERS: Final[Mapping[str, Opener]] = {
    "exa": _open_exa,
    "tavily": _open_tavily,
    "jina": _open_jina,
    "searxng": _open_searxng,
    "local": _open_local,
}

# What answers questions beside, or instead of, searching.
ANSWERERS: Final[Mapping[str, AnswererOpener]] = {"exa": _open_exa, "tavily": _open_tavily, "chat": _open_chat}

# The settings that the openers read, by engine; a change of any of them opens it anew.
SETTINGS: Final[Mapping[str, tuple[str, ...]]] = {
    "exa": (
        *("exa_api_key", "exa_base_url", "exa_search_type"),
        *("web_snippet_chars", "web_timeout_s", "web_answer_timeout_s"),
    ),
    "tavily": ("tavily_api_key", "tavily_base_url", "web_snippet_chars", "web_timeout_s", "web_answer_timeout_s"),
    "jina": ("jina_api_key", "jina_search_url", "jina_reader_url", "web_snippet_chars", "web_timeout_s"),
    "searxng": ("searxng_url", "web_snippet_chars", "web_timeout_s"),
    "chat": ("chat_api_key", "chat_base_url", "chat_model", "web_snippet_chars", "web_answer_timeout_s"),
    "local": ("local_documents", "local_base_url", "web_snippet_chars"),
}
