"""Open the engines that the configuration names: each is a module of this package, called as `web-backend` calls it.

Such a module has `open_engine`, `SETTINGS` and `list_price`. It's imported when its engine is first needed: who
searches local documents needs no HTTP client.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Protocol, cast

from ..config import ANSWER_BACKENDS

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..charges import Act
    from ..config import Config
    from .base import Answerer, Searcher

    # Called with how many documents are indexed, and how many there are.
    Progress = Callable[[int, int], None]


class Adapter(Protocol):
    """Be a module that holds an engine; `SETTINGS` are those that `open_engine` reads."""

    SETTINGS: tuple[str, ...]

    @staticmethod
    async def open_engine(config: Config, progress: Progress | None) -> Searcher | Answerer:
        """Open the engine; the caller closes it."""

    @staticmethod
    def list_price(config: Config, act: Act) -> float:
        """Tell what a search, an answer or a page costs until the engine names its cost, in US dollars."""


def adapter(name: str) -> Adapter:
    """Return the module of an engine."""
    return cast("Adapter", import_module(f".{name}", __name__))


async def open_searcher(config: Config, *, progress: Progress | None = None) -> Searcher:
    """Open the engine that `web-backend` names; the caller closes it.

    `progress` is told how far an engine is that must first build an index.
    """
    return cast("Searcher", await adapter(config.web_backend).open_engine(config, progress))


def opened_with(config: Config) -> tuple[object, ...]:
    """Return what the configured engine is opened with, nothing while the switch is off.

    Where it's the same of two configurations, the engine that was opened for one does for the other.
    """
    return _settings(config, config.web_backend) if config.enable_web_search else ()


async def open_answerer(config: Config) -> Answerer | None:
    """Open what answers questions, or return None where `web-backend` can't and nothing else is named.

    The caller closes it. It has a connection pool and a deadline of its own.
    """
    name = answerer_of(config)
    return None if name is None else cast("Answerer", await adapter(name).open_engine(config, None))


def answered_with(config: Config) -> tuple[object, ...]:
    """Return what the configured answerer is opened with, as `opened_with` does for the engine."""
    name = answerer_of(config)
    return _settings(config, name) if config.enable_web_search and name is not None else ()


def answerer_of(config: Config) -> str | None:
    """Name the engine that answers questions, as the configuration does, or return None where none can."""
    name = config.web_answer_backend or config.web_backend
    return name if name in ANSWER_BACKENDS else None


def _settings(config: Config, name: str) -> tuple[object, ...]:
    return name, *(getattr(config, setting) for setting in adapter(name).SETTINGS)
