"""Search, read pages and answer with Exa: https://exa.ai/docs/reference, API 2.0.0.

`search`, `contents` and `answers` each hold one endpoint as a pure pair, request out and response in; `replies` holds
what they share. `ExaSearcher` is what the rest of the package sees.
"""

from __future__ import annotations

from .replies import DEAREST, NAME, cost_of, to_error
from .search import HIGHLIGHTS, UNDATED, to_page, to_payload
from .searcher import SETTINGS, ExaSearcher, list_price, open_engine

__all__ = [
    "DEAREST",
    "HIGHLIGHTS",
    "NAME",
    "SETTINGS",
    "UNDATED",
    "ExaSearcher",
    "cost_of",
    "list_price",
    "open_engine",
    "to_error",
    "to_page",
    "to_payload",
]
