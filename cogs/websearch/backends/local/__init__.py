"""Search documents on this machine: an engine that needs neither key nor network.

Documents come from a source (`stdlib`, `folder` with `formats`), are cut into `passages`, written by `index` and kept
by `storage`. A query is read by `words`, answered by `ranking`, shown by `snippets`. `LocalSearcher` is what the rest
of the package sees.
"""

from __future__ import annotations

from .searcher import SETTINGS, LocalSearcher, list_price, open_engine

__all__ = ["SETTINGS", "LocalSearcher", "list_price", "open_engine"]
