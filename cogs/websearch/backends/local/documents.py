"""Define what the index takes: documents, and where they come from."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Generator
from typing import Final, Protocol

import msgspec

# Control characters but for white space, and lone surrogates, which no database takes as text.
_UNFIT: Final = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
_BLANK: Final = re.compile(r"[^\S\n]+")
_GAP: Final = re.compile(r" ?\n(?: ?\n)+ ?")

# Called with how many steps are done, and how many there are in all.
Progress = Callable[[int, int], None]


class Document(msgspec.Struct, frozen=True, kw_only=True):
    """Hold one page to be found: plain text, and the public address that a result links to.

    `place` is what the document lies in, such as a module or a folder: words that say less of it than its title.
    `weight` multiplies its score: 1.0 unless its source knows that it's less often meant than others.
    """

    title: str
    url: str
    text: str
    place: str = ""
    weight: float = 1.0


class Survey(Protocol):
    """Hold the state of a source at one moment: cheap to take, compared by its fingerprint."""

    @property
    def fingerprint(self) -> str:
        """Tell a text that changes whenever the documents may have changed."""

    @property
    def empty(self) -> bool:
        """Tell whether there's nothing to search."""

    def documents(self, progress: Progress) -> Generator[Document, None, None]:
        """Read the documents one by one, and report steps done and steps in all."""


class Source(Protocol):
    """Know where documents are."""

    @property
    def identity(self) -> str:
        """Tell what distinguishes this source from others whose indexes lie in the same folder."""

    @property
    def name(self) -> str:
        """Tell the name that members see."""

    def survey(self) -> Survey:
        """Look at what there is, without reading it. Raise OSError where there's nothing to look at."""


def plain(text: str) -> str:
    """Return text with single spaces, an empty line between paragraphs and no control characters."""
    text = _UNFIT.sub(" ", text.replace("\r\n", "\n").replace("\r", "\n"))
    return _GAP.sub("\n\n", _BLANK.sub(" ", text)).strip()


def digest(text: str) -> str:
    """Return 16 hexadecimal digits that tell texts apart."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
