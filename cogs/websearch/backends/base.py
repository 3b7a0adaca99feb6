"""Define what a search engine is to the rest of the package."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from .. import errors

if TYPE_CHECKING:
    from ..models import Category, SearchPage, SearchRequest


@dataclass(frozen=True, kw_only=True, slots=True)
class Capabilities:
    """Hold which options of a search an engine honours.

    `undated` are the categories that can't be combined with a period.
    """

    categories: frozenset[Category] = frozenset()
    periods: bool = False
    sites: bool = False
    undated: frozenset[Category] = frozenset()


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


def require(searcher: Searcher, request: SearchRequest) -> None:
    """Raise `OptionUnsupported` or `OptionsExclusive` where the engine can't honour an option of the request."""
    able = searcher.capabilities
    if request.category is not None and request.category not in able.categories:
        raise errors.OptionUnsupported("category", searcher.name)
    if request.period is not None and not able.periods:
        raise errors.OptionUnsupported("period", searcher.name)
    if request.sites and not able.sites:
        raise errors.OptionUnsupported("site", searcher.name)
    if request.period is not None and request.category in able.undated:
        raise errors.OptionsExclusive("period", "category", str(request.category))
