"""Read local documents by the addresses of their results."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from cogs.websearch import errors, limits
from local_tools import SITE, FakeClock, ask, open_folder, write

if TYPE_CHECKING:
    from pathlib import Path

    from cogs.websearch.backends.local import LocalSearcher


async def test_result(folder: Path, cache: Path) -> None:
    """LOC-30: the address of a result gives the whole document, cleaned, with its paragraphs."""
    body = "Bread needs time.\n\n" + "\n\n".join(f"Step {number}: fold the dough." for number in range(100))
    write(folder, {"b r/e&d.md": f"# Bread\n\n{body}\n", "other.md": "# Other\n\nNothing of the kind.\n"})
    searcher = await open_folder(folder, cache)
    (found, *_) = (await ask(searcher, "bread dough")).results
    page = await searcher.fetch(found.url)
    assert (page.url, page.host, page.title) == (found.url, found.host, "Bread")
    lines = page.text.split("\n")
    assert lines[-101:] == ["Bread needs time.", *(f"Step {number}: fold the dough." for number in range(100))]
    assert not page.truncated
    await searcher.close()


async def test_every_result_of_the_library(library: LocalSearcher) -> None:
    """LOC-30: so it is for the standard library, and whatever is found can be read."""
    for question in ("run a blocking function in a thread", "parse JSON", "temporary folder"):
        for found in (await ask(library, question)).results:
            page = await library.fetch(found.url)
            assert page.title == found.title
            assert page.text


@pytest.mark.parametrize("url", ["https://elsewhere.example.org/", f"{SITE}missing", f"{SITE}../../etc/passwd"])
async def test_what_is_not_indexed(folder: Path, cache: Path, url: str) -> None:
    """LOC-31: an address that no document has can't be read, whatever lies on the disk."""
    write(folder, {"page.md": "# Page\n\nText.\n"})
    searcher = await open_folder(folder, cache)
    with pytest.raises(errors.PageUnreadable):
        await searcher.fetch(url)
    await searcher.close()


@pytest.mark.parametrize("url", ["", "file:///etc/passwd", "http://localhost/page", "page.md"])
async def test_no_address(library: LocalSearcher, url: str) -> None:
    """LOC-31: what is no address of a public page is refused."""
    with pytest.raises(errors.InvalidAddress):
        await library.fetch(url)


async def test_file_that_came_later(folder: Path, cache: Path) -> None:
    """LOC-31: a file that isn't indexed yet isn't read; reading looks for changes as searching does."""
    write(folder, {"page.md": "# Page\n\nText.\n"})
    clock = FakeClock()
    searcher = await open_folder(folder, cache, clock=clock)
    (page,) = (await ask(searcher, "page")).results
    write(folder, {"page.md": "# Page\n\nAnother text, which is longer.\n"})
    assert (await searcher.fetch(page.url)).text.endswith("Text.")
    clock.now += 61
    await searcher.fetch(page.url)
    assert searcher._renewal is not None  # noqa: SLF001 - what a search doesn't wait for, a test does
    await searcher._renewal  # noqa: SLF001 - likewise
    assert (await searcher.fetch(page.url)).text.endswith("Another text, which is longer.")
    await searcher.close()


async def test_long_document(folder: Path, cache: Path) -> None:
    """LOC-32: a long document is cut, and says so."""
    write(folder, {"long.txt": "A line of text.\n\n" * 20_000})
    searcher = await open_folder(folder, cache)
    (found,) = (await ask(searcher, "line of text")).results
    page = await searcher.fetch(found.url)
    assert page.truncated
    assert limits.PAGE_TEXT - 100 < len(page.text) <= limits.PAGE_TEXT
    await searcher.close()


async def test_closed(folder: Path, cache: Path) -> None:
    """LOC-23: a closed engine says that it failed, also when it's asked for a page."""
    write(folder, {"page.md": "# Page\n\nText.\n"})
    searcher = await open_folder(folder, cache)
    await searcher.close()
    with pytest.raises(errors.BackendBroken):
        await searcher.fetch(f"{SITE}page")
