"""Hold how the index is kept, renewed, replaced and closed."""

from __future__ import annotations

import asyncio
import logging
import os
import random
import signal
import sqlite3
import sys
import threading
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from cogs.websearch import errors
from cogs.websearch.backends.base import Capabilities
from cogs.websearch.backends.local import LocalSearcher, index
from cogs.websearch.backends.local import searcher as searchers
from cogs.websearch.models import SearchRequest, SiteRules
from local_tools import SITE, FakeClock, ask, open_folder, search_folder, titles, write

if TYPE_CHECKING:
    from pathlib import Path

WORDS = {"a.txt": "Apes\n\nThe zebra meets an ape.", "b.txt": "Bees\n\nThe zebra meets a bee."}


def only_file(cache: Path) -> Path:
    """Return the one file in the folder for indexes."""
    (file,) = cache.iterdir()
    return file


class Steps:
    """Remember the steps that are told, and in which thread."""

    def __init__(self) -> None:
        self.told: list[tuple[int, int]] = []
        self.threads: set[int] = set()

    def __call__(self, done: int, total: int) -> None:
        """Be told of a step."""
        self.told.append((done, total))
        self.threads.add(threading.get_ident())


async def test_an_index_is_built_once(folder: Path, cache: Path) -> None:
    """LOC-17: the first start tells each step in the event loop, the second builds nothing."""
    write(folder, WORDS)
    first, second = Steps(), Steps()
    for steps in (first, second):
        searcher = await open_folder(folder, cache, progress=steps)
        assert sorted(await titles(searcher, "zebra")) == ["Apes", "Bees"]
        await searcher.close()
    assert first.told == [(0, 2), (1, 2), (2, 2)]
    assert first.threads == {threading.get_ident()}
    assert second.told == []


@pytest.mark.parametrize("change", ["add", "edit", "remove", "touch"])
async def test_changes_are_seen_at_the_next_start(folder: Path, cache: Path, change: str) -> None:
    """LOC-18: a file that was added, changed or removed makes a new index, and the old one's file goes."""
    write(folder, WORDS)
    await search_folder(folder, cache, "zebra")
    before = only_file(cache)
    match change:
        case "add":
            write(folder, {"c.txt": "Cats\n\nNo zebra."})
        case "edit":
            write(folder, {"b.txt": "Cats\n\nThe zebra meets a cat, at last."})
        case "remove":
            (folder / "b.txt").unlink()
        case _:
            os.utime(folder / "b.txt", (1, 1))
    found = {result.title for result in (await search_folder(folder, cache, "zebra")).results}
    assert found == {"add": {"Apes", "Bees", "Cats"}, "edit": {"Apes", "Cats"}, "remove": {"Apes"}}.get(
        change, {"Apes", "Bees"}
    )
    assert only_file(cache) != before


async def test_changes_are_seen_while_it_runs(folder: Path, cache: Path) -> None:
    """LOC-18: a search a minute later still answers from the old index, and sets off what brings the new one."""
    clock = FakeClock()
    write(folder, WORDS)
    searcher = await open_folder(folder, cache, clock=clock)
    write(folder, {"c.txt": "Cats\n\nThe zebra meets a cat."})
    assert len(await titles(searcher, "zebra")) == 2
    clock.now = searchers.LOOK_AGAIN_S
    assert len(await titles(searcher, "zebra")) == 2
    (renewal,) = asyncio.all_tasks() - {asyncio.current_task()}
    await renewal
    assert len(await titles(searcher, "zebra")) == 3
    await searcher.close()


async def test_a_folder_that_vanishes_leaves_the_old_index(
    folder: Path, cache: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """LOC-18: where the folder is gone a minute later, the old index answers on, and the log says so."""
    clock = FakeClock()
    write(folder, WORDS)
    searcher = await open_folder(folder, cache, clock=clock)
    folder.rename(folder.with_name("elsewhere"))
    clock.now = searchers.LOOK_AGAIN_S
    await ask(searcher, "zebra")
    (renewal,) = asyncio.all_tasks() - {asyncio.current_task()}
    await renewal
    assert len(await titles(searcher, "zebra")) == 2
    assert "the old index stays" in caplog.text
    await searcher.close()


def spoil(file: Path, how: str) -> None:
    """Damage an index."""
    data = file.read_bytes()
    match how:
        case "empty":
            file.write_bytes(b"")
        case "cut":
            file.write_bytes(data[: len(data) // 2])
        case "noise":
            file.write_bytes(random.Random(7).randbytes(len(data)))  # noqa: S311 - any bytes will do
        case "zeros":
            file.write_bytes(data[:4096] + bytes(len(data) - 4096))
        case "folder":
            file.unlink()
            (file / "in the way").mkdir(parents=True)
        case "older":
            with closing(sqlite3.connect(file)) as connection:
                connection.execute(f"PRAGMA user_version = {index.FORMAT - 1}")
        case _:
            with closing(sqlite3.connect(file)) as connection:
                connection.execute("PRAGMA application_id = 7")


@pytest.mark.parametrize("how", ["empty", "cut", "noise", "zeros", "older", "foreign"])
async def test_a_bad_index_is_replaced(folder: Path, cache: Path, how: str) -> None:
    """LOC-19: whatever stands in the index's place, the next start builds a sound one there."""
    write(folder, WORDS)
    await search_folder(folder, cache, "zebra")
    file = only_file(cache)
    spoil(file, how)
    assert len((await search_folder(folder, cache, "zebra")).results) == 2
    assert only_file(cache) == file
    steps = Steps()
    searcher = await open_folder(folder, cache, progress=steps)
    await searcher.close()
    assert steps.told == []


@pytest.mark.parametrize("obstacle", ["file", "folder"])
async def test_without_a_file_it_works_from_memory(
    folder: Path, cache: Path, obstacle: str, caplog: pytest.LogCaptureFixture
) -> None:
    """LOC-21: where nothing can be kept, searching works all the same, and the log says why it's slow to start."""
    write(folder, WORDS)
    if obstacle == "file":
        cache.write_text("in the way", encoding="utf-8")
    else:
        await search_folder(folder, cache, "zebra")
        spoil(only_file(cache), "folder")
    with caplog.at_level(logging.WARNING):
        assert len((await search_folder(folder, cache, "zebra")).results) == 2
    assert "can't be kept" in caplog.text
    assert obstacle == "file" or only_file(cache).is_dir()


async def test_damage_while_in_use_fails_one_search(folder: Path, cache: Path) -> None:
    """LOC-22: the search that meets the damage fails as the engine's, and the index is built anew."""
    write(folder, {f"{number}.txt": f"Page {number}\n\nzebra {number} " + "filler " * 300 for number in range(60)})
    searcher = await open_folder(folder, cache)
    with only_file(cache).open("rb+") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(0)
        file.write(bytes(size))
    with pytest.raises(errors.BackendBroken):
        await ask(searcher, "zebra")
    (renewal,) = asyncio.all_tasks() - {asyncio.current_task()}
    await renewal
    assert len(await titles(searcher, "zebra")) == 5
    await searcher.close()


SCRIPT = """
import asyncio, sys
from pathlib import Path
from cogs.websearch.backends.local import LocalSearcher
from cogs.websearch.backends.local.documents import Document
from cogs.websearch.backends.local.folder import FolderSurvey
from cogs.websearch.models import SearchRequest
documents = FolderSurvey.documents
def slow(self, progress):
    for place, document in enumerate(documents(self, progress)):
        yield document
        if place == 0:
            print("building", flush=True)
            sys.stdin.readline()
FolderSurvey.documents = slow
async def main():
    searcher = await LocalSearcher.open(Path(sys.argv[1]), sys.argv[2], snippet_chars=400, cache_dir=Path(sys.argv[3]))
    page = await searcher.search(SearchRequest(query="zebra", count=5))
    print(len(page.results), flush=True)
    await searcher.close()
asyncio.run(main())
"""


async def start_builder(folder: Path, cache: Path) -> asyncio.subprocess.Process:
    """Start a process that stops in the middle of building until it's given a line."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", SCRIPT, str(folder), SITE, str(cache)),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None
    assert await process.stdout.readline() == b"building\n"
    return process


async def test_two_processes_at_once(folder: Path, cache: Path) -> None:
    """LOC-20: two that build the same index at the same time both search it, and one file is left."""
    write(folder, WORDS)
    builders = [await start_builder(folder, cache) for _ in range(2)]
    answers = [await builder.communicate(b"\n") for builder in builders]
    assert [answer for answer, _ in answers] == [b"2\n", b"2\n"]
    assert only_file(cache).suffix == ".db"


async def test_a_killed_process_does_no_harm(folder: Path, cache: Path) -> None:
    """LOC-20: what a killed process had built by then is never used, and is cleared away once it's old."""
    write(folder, WORDS)
    builder = await start_builder(folder, cache)
    builder.send_signal(signal.SIGKILL)
    await builder.communicate()
    left = only_file(cache)
    assert len((await search_folder(folder, cache, "zebra")).results) == 2
    assert left.exists()
    os.utime(left, (1, 1))
    write(folder, {"c.txt": "Cats\n\nNo zebra."})
    await search_folder(folder, cache, "zebra")
    assert only_file(cache).suffix == ".db"


def resources() -> tuple[int, int]:
    """Count open files and threads, those aside that the event loop keeps for any work."""
    threads = [thread for thread in threading.enumerate() if thread.name.startswith("local-search")]
    return len(os.listdir("/proc/self/fd")), len(threads)  # noqa: PTH208 - entries vanish while they're looked at


async def test_closing_leaves_nothing(folder: Path, cache: Path) -> None:
    """LOC-23: after two closings no thread and no file is left, and a search fails as the engine's."""
    write(folder, WORDS)
    await search_folder(folder, cache, "zebra")
    before = resources()
    searcher = await open_folder(folder, cache)
    await ask(searcher, "zebra")
    await searcher.close()
    await searcher.close()
    assert resources() == before
    with pytest.raises(errors.BackendBroken):
        await ask(searcher, "zebra")


async def test_closing_ends_a_renewal(folder: Path, cache: Path) -> None:
    """LOC-23: closing while the documents are looked at again leaves no task."""
    clock = FakeClock()
    write(folder, WORDS)
    searcher = await open_folder(folder, cache, clock=clock)
    write(folder, {"c.txt": "Cats\n\nThe zebra meets a cat."})
    clock.now = searchers.LOOK_AGAIN_S
    await ask(searcher, "zebra")
    await searcher.close()
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_cancelled_opening_leaves_nothing(folder: Path, cache: Path) -> None:
    """LOC-23: opening that is cancelled stops building and leaves neither a file nor half an index."""
    write(folder, {f"{number}.txt": "zebra" for number in range(500)})
    before = resources()
    started = asyncio.Event()
    opening = asyncio.create_task(open_folder(folder, cache, progress=lambda _done, _total: started.set()))
    await started.wait()
    opening.cancel()
    with pytest.raises(asyncio.CancelledError):
        await opening
    assert resources() == before
    assert [path.suffix for path in cache.iterdir()] in ([], [".db"])


async def test_sites_and_capabilities(folder: Path, cache: Path) -> None:
    """LOC-24: narrowing to one's own site or what's above it changes nothing, to another brings nothing."""
    write(folder, WORDS)
    searcher = await open_folder(folder, cache)
    assert searcher.capabilities == Capabilities(sites=True, fetches=True)
    counts = [
        len((await ask(searcher, "zebra", sites=sites)).results)
        for sites in [("docs.example.org",), ("example.org",), ("example.com", "example.org"), ("example.com",)]
    ]
    assert counts == [2, 2, 2, 0]
    blocked = await searcher.search(
        SearchRequest(query="zebra", count=5, rules=SiteRules(owner_blocked=("example.org",)))
    )
    assert (blocked.found, blocked.results) == (2, ())
    await searcher.close()


async def test_the_library_is_a_searcher_like_any_other(library: LocalSearcher) -> None:
    """LOC-24: over Python's documentation, docs.python.org is the one site."""
    assert (await ask(library, "json", sites=("python.org",))).found
    assert not (await ask(library, "json", sites=("example.org",))).found
