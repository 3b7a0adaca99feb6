"""Define what a search engine is to the rest of the package."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import msgspec

from .. import errors, links
from ..models import Category

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from ..models import Answer, FetchedPage, SearchPage, SearchRequest


class Capabilities(msgspec.Struct, frozen=True, kw_only=True):
    """Hold which options of a search an engine honours, and what it can do beside searching.

    `undated` are the categories that can't be combined with a period. `safe_search` is true where the engine is asked
    to leave out what isn't fit for everybody. An engine that `fetches` is a `Fetcher`, one that `answers` an
    `Answerer`. One that `reads` asks for what that makes of a query, and can't be asked where it raises
    `InvalidSearch`.
    """

    categories: frozenset[Category] = frozenset()
    periods: bool = False
    sites: bool = False
    undated: frozenset[Category] = frozenset()
    safe_search: bool = False
    fetches: bool = False
    answers: bool = False
    reads: Callable[[str], str] | None = None


class Searcher(Protocol):
    """Search, over a connection pool or an index that lives until `close`."""

    @property
    def name(self) -> str:
        """Tell the engine's name as it is shown, such as Exa."""

    @property
    def capabilities(self) -> Capabilities:
        """Tell which options the engine honours."""

    async def search(self, request: SearchRequest) -> SearchPage:
        """Ask the engine and return its results, cleaned and vetted, in the engine's own order.

        An engine that knows no page returns an empty page. Raise `BackendError` where the engine fails.
        """

    async def close(self) -> None:
        """Release connections and files; closing twice does no harm."""


class Fetcher(Protocol):
    """Read the text of a page by way of an engine; nothing of the page's own server is ever asked."""

    @property
    def name(self) -> str:
        """Tell the engine's name as it is shown."""

    async def fetch(self, url: str) -> FetchedPage:
        """Return the page's text, cleaned, and cut where it's long.

        Raise `InvalidAddress` where `links.vet` doesn't accept the address, `PageUnreadable` where the engine has no
        text of the page, and any other `BackendError` where the engine fails.
        """

    async def close(self) -> None:
        """Release connections and files; closing twice does no harm."""


class Answerer(Protocol):
    """Answer a question in words, with the pages that the answer rests on."""

    @property
    def name(self) -> str:
        """Tell the engine's name as it is shown."""

    @property
    def answering(self) -> Capabilities:
        """Tell which options the engine honours in its answers, which may be fewer than in its searches."""

    async def answer(self, request: SearchRequest) -> Answer:
        """Ask the engine and return its answer, cleaned; having no sources is no error.

        Raise `OptionUnsupported` where it can't honour an option in its answers, and `BackendError` where it fails or
        says nothing.
        """

    async def close(self) -> None:
        """Release connections and files; closing twice does no harm."""


@runtime_checkable
class Streamer(Answerer, Protocol):
    """Answer as an `Answerer` does, and also piece by piece."""

    def stream(self, request: SearchRequest) -> AsyncGenerator[Answer, None]:
        """Yield the answer as it grows, each one whole and cleaned; the last one is the answer.

        Where the last one isn't `complete`, the answer broke off. Raise the `BackendError` that it broke off by, after
        what came, or where nothing came at all.
        """


def require(searcher: Searcher, request: SearchRequest) -> None:
    """Raise `InvalidSearch` where the engine can't honour the query or an option of the request."""
    check(searcher.capabilities, searcher.name, request)


def check(able: Capabilities, name: str, request: SearchRequest) -> None:
    """Do as `require` for what the engine of that name is able to do, such as when it answers."""
    if request.category is not None and request.category not in able.categories:
        raise errors.OptionUnsupported("category", name, str(request.category) if able.categories else "")
    if request.period is not None and not able.periods:
        raise errors.OptionUnsupported("period", name)
    if request.sites and not able.sites:
        raise errors.OptionUnsupported("site", name)
    if request.period is not None and request.category in able.undated:
        raise errors.OptionsExclusive("period", "category", str(request.category))
    if able.reads is not None:
        able.reads(request.query)


def vetted(url: str) -> links.Link:
    """Return the address of a page as it may be fetched; raise `InvalidAddress` where it may not."""
    link = links.vet(url)
    if link is None:
        raise errors.InvalidAddress
    return link
