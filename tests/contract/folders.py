"""List what a folder of documents and the index of it can do wrong, and what each ends in."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from cogs.websearch import errors
from local_tools import write

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class Place:
    """Hold where the documents are, and where the index is kept."""

    folder: Path
    cache: Path

    @property
    def index(self) -> Path:
        """Return the file of the one index that is kept."""
        (file,) = self.cache.iterdir()
        return file


@dataclass(frozen=True, kw_only=True)
class Trouble:
    """Hold what happens: `make` does it, before the engine is opened or `after`; `indexed` ones need an index first.

    `ends` is the error, or None where the good document is found all the same.
    """

    make: Callable[[Place], None]
    ends: type[errors.BackendError] | None
    after: bool = False
    indexed: bool = False


def fill(place: Place) -> None:
    """Write a good document among others, enough for an index of many pages."""
    others = {f"{number}.txt": f"Page {number}\n\nnumber {number} " + "filler " * 300 for number in range(60)}
    write(place.folder, {"good.md": "# Good\n\nA good page.\n", **others})


def _file(name: str, content: str | bytes) -> Callable[[Place], None]:
    return lambda place: write(place.folder, {name: content})


def _gone(place: Place) -> None:
    shutil.rmtree(place.folder)


def _a_file_instead(place: Place) -> None:
    _gone(place)
    place.folder.write_text("no folder", "utf-8")


def _link(target: str, name: str) -> Callable[[Place], None]:
    return lambda place: (place.folder / name).symlink_to(target)


def _no_cache(place: Place) -> None:
    place.cache.write_text("no folder", "utf-8")


def _link_out(place: Place) -> None:
    (place.folder.parent / "outside.md").write_text("# Good\n\nA good page that is nobody's business.\n", "utf-8")
    _link("../outside.md", "a-good-page.md")(place)


def _damaged(place: Place) -> None:
    with place.index.open("rb+") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(0)
        file.write(bytes(size))


def _damaged_outside(place: Place) -> None:
    place.index.write_bytes(b"nothing of the kind")


def _cut(place: Place) -> None:
    os.truncate(place.index, place.index.stat().st_size // 2)


TROUBLES: Final = {
    "the folder is gone when the engine is opened": Trouble(make=_gone, ends=errors.BackendBroken),
    "a file is in the folder's place": Trouble(make=_a_file_instead, ends=errors.BackendBroken),
    "the index is damaged while it's used, for one search": Trouble(
        make=_damaged, ends=errors.BackendBroken, after=True
    ),
    "a file of more than 4 MiB": Trouble(make=_file("huge.txt", b"huge " * 1_000_000), ends=None),
    "a file of 600,000 characters": Trouble(make=_file("long.txt", "long " * 120_000), ends=None),
    "a file that holds no text": Trouble(make=_file("bytes.txt", bytes(1000)), ends=None),
    "a file in no encoding that there is": Trouble(make=_file("odd.txt", b"coding: klingon \xff\xfe\x00"), ends=None),
    "a file that is empty": Trouble(make=_file("empty.md", b""), ends=None),
    "a link to nothing": Trouble(make=_link("nowhere.md", "lost.md"), ends=None),
    "a link to itself": Trouble(make=_link("loop.md", "loop.md"), ends=None),
    "a link out of the folder": Trouble(make=_link_out, ends=None),
    "a link to the folder above": Trouble(make=_link("..", "above"), ends=None),
    "a pipe with the name of a document": Trouble(make=lambda place: os.mkfifo(place.folder / "pipe.md"), ends=None),
    "a folder with the name of a document": Trouble(make=lambda place: (place.folder / "a.md").mkdir(), ends=None),
    "the index can't be kept": Trouble(make=_no_cache, ends=None),
    "the index is damaged when the engine is opened": Trouble(make=_damaged_outside, ends=None, indexed=True),
    "half of the index is there": Trouble(make=_cut, ends=None, indexed=True),
    "the index is gone": Trouble(make=lambda place: place.index.unlink(), ends=None, indexed=True),
    "the index goes while it's used": Trouble(make=lambda place: place.index.unlink(), ends=None, after=True),
    "the folder goes while the engine is used": Trouble(make=_gone, ends=None, after=True),
    "the document goes while the engine is used": Trouble(
        make=lambda place: (place.folder / "good.md").unlink(), ends=None, after=True
    ),
}
