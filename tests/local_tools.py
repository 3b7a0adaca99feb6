"""Give the tests of the local search documents, searchers and processes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cogs.websearch.backends.local import LocalSearcher
from cogs.websearch.models import SearchRequest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from cogs.websearch.models import SearchPage

SITE: Final = "https://docs.example.org/guide/"


class FakeClock:
    """Tell monotonic seconds that only the test moves."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        """Tell the time."""
        return self.now


def write(folder: Path, files: Mapping[str, str | bytes]) -> None:
    """Write files by their paths below a folder, and the folders that they need."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


async def open_folder(
    folder: Path,
    cache: Path,
    *,
    progress: Callable[[int, int], None] | None = None,
    clock: Callable[[], float] | None = None,
    snippet_chars: int = 400,
) -> LocalSearcher:
    """Open a folder that is published at `SITE`."""
    return await LocalSearcher.open(
        folder, SITE, snippet_chars=snippet_chars, progress=progress, cache_dir=cache, clock=clock or FakeClock()
    )


async def ask(searcher: LocalSearcher, query: str, *, count: int = 5, sites: tuple[str, ...] = ()) -> SearchPage:
    """Search for a text."""
    return await searcher.search(SearchRequest(query=query, count=count, sites=sites))


async def titles(searcher: LocalSearcher, query: str, *, count: int = 5) -> list[str]:
    """Return the titles of what is found."""
    return [result.title for result in (await ask(searcher, query, count=count)).results]


async def search_folder(folder: Path, cache: Path, query: str) -> SearchPage:
    """Open a folder, search it once and close it."""
    searcher = await open_folder(folder, cache)
    try:
        return await ask(searcher, query)
    finally:
        await searcher.close()
