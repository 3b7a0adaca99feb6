"""List the engines that the suite is run over: a new one joins with one line."""

from __future__ import annotations

from typing import Final

from contract.engines import chat, exa, jina, searxng, tavily
from contract.shape import Engine, Way

ENGINES: Final[tuple[Engine, ...]] = (
    exa.ENGINE,
    tavily.ENGINE,
    jina.ENGINE,
    searxng.ENGINE,
    chat.ENGINE,
)

# Every engine in every way that it has, with a name for each.
CASES: Final = {f"{engine.name}-{way}": (engine, way) for engine in ENGINES for way in engine.shapes}
SEARCHES: Final = {engine.name: engine for engine in ENGINES if Way.SEARCH in engine.shapes}
FETCHES: Final = {engine.name: engine for engine in ENGINES if Way.FETCH in engine.shapes}
ANSWERS: Final = {engine.name: engine for engine in ENGINES if Way.ANSWER in engine.shapes}
