"""Offer the documents of a folder that is published somewhere: Markdown, HTML, text and Python files.

A result links to the base URL with the file's path behind it. Names that begin with a dot, and folders that hold what
programs put there, are passed over. What can't be read as a document is left out, and said in the log.
"""

from __future__ import annotations

import codecs
import logging
import os
import re
import stat
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

import msgspec

from ...i18n import N_
from . import formats
from .documents import Document, digest, plain

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from .documents import Progress

_log = logging.getLogger(__name__)

# A book of a thousand pages; what's larger is data.
FILE_BYTES: Final = 4 * 1024 * 1024
# More files than any documentation has; a folder beyond that is the wrong one.
FILES: Final = 50_000
_PASSED_OVER: Final = frozenset({"__pycache__", "node_modules"})
_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# How HTML and Python name their encoding, within the first lines.
_DECLARED: Final = re.compile(rb"(?:charset|coding)[=:]\s*[\"']?([-\w.]{1,40})")
_DECLARED_WITHIN: Final = 1024
# Where nothing else is known; every byte is a character of it.
_LAST_RESORT: Final = "latin-1"


class File(msgspec.Struct, frozen=True, order=True):
    """Hold a file as it was seen: its path below the folder, with slashes, its size in bytes and its time in ns."""

    path: str
    size: int
    modified: int


class Folder:
    """Be the source of the documents in a folder that is published at `base_url`."""

    name = N_("local documents")

    def __init__(self, path: Path, base_url: str) -> None:
        """Take any path, whether something is there or not."""
        self._path = path.absolute()
        self._base_url = base_url.rstrip("/")

    @property
    def identity(self) -> str:
        """Tell one folder, published at one address, from others."""
        return f"folder-{digest(repr((str(self._path), self._base_url)))}"

    def survey(self) -> FolderSurvey:
        """List the files without reading them; raise OSError where the folder can't be listed."""
        left_out: list[tuple[str, str]] = []
        files: list[File] = []
        for file in _walk(self._path, left_out):
            if len(files) == FILES:
                left_out.append((file.path, f"more than {FILES} files"))
                break
            files.append(file)
        return FolderSurvey(self._path, self._base_url, tuple(sorted(files)), tuple(left_out))


class FolderSurvey:
    """Hold what a folder held at one moment."""

    def __init__(
        self, path: Path, base_url: str, files: tuple[File, ...], left_out: tuple[tuple[str, str], ...]
    ) -> None:
        """Take the files to read, and those that were left out with the reason."""
        self._path = path
        self._base_url = base_url
        self._files = files
        self._left_out = left_out

    @property
    def fingerprint(self) -> str:
        """Tell paths, sizes and times of all files, and where they're published."""
        return digest(repr((self._base_url, [msgspec.structs.astuple(file) for file in self._files])))

    @property
    def empty(self) -> bool:
        """Tell whether there's no file to read."""
        return not self._files

    @property
    def count(self) -> int:
        """Tell how many files there are to read."""
        return len(self._files)

    def documents(self, progress: Progress) -> Generator[Document, None, None]:
        """Read the files one by one; what can't be read is left out, and said in the log at the end."""
        left_out = list(self._left_out)
        progress(0, len(self._files))
        for done, file in enumerate(self._files, start=1):
            try:
                source = decode(_read(self._path / file.path)).replace("\r\n", "\n").replace("\r", "\n")
            except OSError as error:
                left_out.append((file.path, error.strerror or "unreadable"))
            except ValueError:
                left_out.append((file.path, "no text"))
            else:
                yield self._document(file.path, source)
            progress(done, len(self._files))
        _say(self._path, left_out)

    def _document(self, path: str, source: str) -> Document:
        stem, suffix = os.path.splitext(path)  # noqa: PTH122 - the path is a text with slashes on every system
        title, body = formats.READERS[suffix.lower()](source)
        # What is no UTF-8 in a file's name travels as the bytes that it is.
        url = f"{self._base_url}/{quote(os.fsencode(path))}"
        place = plain(stem)
        return Document(title=title or plain(path), url=url, text=body, place=place)


def _walk(top: Path, left_out: list[tuple[str, str]]) -> Iterator[File]:
    """Yield the documents below a folder, folder by folder; links to folders aren't followed, so there are no loops."""
    root = top.resolve()
    pending = [""]
    while pending:
        folder = pending.pop()
        try:
            with os.scandir(root / folder) as entries:
                found = sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            if not folder:
                raise
            left_out.append((folder, error.strerror or "unreadable"))
            continue
        for entry in found:
            path = f"{folder}/{entry.name}" if folder else entry.name
            if entry.name.startswith(".") or entry.name in _PASSED_OVER:
                continue
            if entry.is_dir(follow_symlinks=False):
                pending.append(path)
            elif os.path.splitext(entry.name)[1].lower() in formats.READERS:  # noqa: PTH122 - likewise
                file = _look(root, path, entry, left_out)
                if file is not None:
                    yield file


def _look(root: Path, path: str, entry: os.DirEntry[str], left_out: list[tuple[str, str]]) -> File | None:
    try:
        # A link must not publish what lies outside the folder.
        if entry.is_symlink() and not Path(entry.path).resolve(strict=True).is_relative_to(root):
            left_out.append((path, "a link out of the folder"))
            return None
        state = entry.stat()
    except (OSError, RuntimeError):
        left_out.append((path, "a link to nothing"))
        return None
    if not stat.S_ISREG(state.st_mode):
        left_out.append((path, "no file"))
    elif state.st_size > FILE_BYTES:
        left_out.append((path, "too large"))
    else:
        return File(path, state.st_size, state.st_mtime_ns)
    return None


def _read(path: Path) -> bytes:
    with path.open("rb") as file:
        # It may have grown since it was looked at.
        return file.read(FILE_BYTES)


def decode(data: bytes) -> str:
    """Return the text that the bytes hold; raise ValueError where they hold none.

    UTF-8 and UTF-16 with a mark are known by themselves; then comes the encoding that the text declares, and at last
    Latin-1, in which every byte is a character.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return data.decode(encoding, errors="replace")
    if b"\0" in data:
        message = "a zero byte is in no text"
        raise ValueError(message)
    declared = _DECLARED.search(data, 0, _DECLARED_WITHIN)
    for encoding in ("utf-8", declared[1].decode("ascii", "replace") if declared else _LAST_RESORT):
        try:
            return data.decode(encoding)
        except (ValueError, LookupError):
            # LookupError also stands for codecs that make no text of bytes.
            continue
    return data.decode(_LAST_RESORT)


def _say(path: Path, left_out: list[tuple[str, str]]) -> None:
    if not left_out:
        return
    reasons = Counter(reason for _, reason in left_out)
    _log.warning(
        "%d files under %s are left out of the search (%s), such as %s",
        len(left_out),
        path,
        ", ".join(f"{reason}: {count}" for reason, count in reasons.items()),
        plain(left_out[0][0]),
    )
