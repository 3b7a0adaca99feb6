"""Share one index of the standard library's documentation, and a searcher over it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from cogs.websearch.backends.local import LocalSearcher

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path


@pytest.fixture(scope="session")
def shared_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a folder in which the library's index is built once for all tests."""
    return tmp_path_factory.mktemp("library")


@pytest.fixture
async def library(shared_cache: Path) -> AsyncIterator[LocalSearcher]:
    """Open the documentation of this Python's standard library."""
    searcher = await LocalSearcher.open(None, None, snippet_chars=400, cache_dir=shared_cache)
    yield searcher
    await searcher.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Give an empty folder for documents."""
    path = tmp_path / "documents"
    path.mkdir()
    return path


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """Give the path of a folder for indexes, which isn't there yet."""
    return tmp_path / "cache"
