"""Say what the suite must know of an engine: how it's opened, what its API answers, and how it refuses.

A file of `contract/engines` holds one engine, and a line of `contract/suite.py` joins it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

from cogs.websearch import errors
from cogs.websearch.charges import Act

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from cogs.websearch.backends import http
    from cogs.websearch.backends.base import Capabilities
    from loopback_engine import Fault

URL: Final = "https://docs.example.org/good"
# What a row, a page and an answer say where all is well.
TITLE: Final = "Good"
TEXT: Final = "A good page."
SAID: Final = "It's good [1]."
SNIPPET_CHARS: Final = 400


class Way(StrEnum):
    """Name what an engine can be asked for."""

    SEARCH = "search"
    FETCH = "fetch"
    ANSWER = "answer"


# What the rest of the package calls it.
ACTS: Final = {Way.SEARCH: Act.SEARCH, Way.FETCH: Act.READ, Way.ANSWER: Act.ANSWER}


@dataclass(frozen=True, kw_only=True)
class Opening:
    """Hold what an engine is opened with: `url` is the stand-in's address, `timeout_s` is for searches and answers."""

    transport: http.Transport
    url: str
    timeout_s: float
    wall_clock: Callable[[], float]


@dataclass(frozen=True, kw_only=True)
class Shape:
    """Hold what an API answers in one way.

    `wrap` makes a whole answer of rows, with every field that is documented; an answer's text is `SAID`. `names` maps
    `url`, `title`, `text`, `published` and `image`, as far as a row has them, to what the API calls them. `extra` are
    its further fields, and `nest` puts them together where they aren't side by side.
    """

    wrap: Callable[..., object]
    names: Mapping[str, str]
    extra: Mapping[str, object] = field(default_factory=dict)
    nest: Callable[[dict[str, object]], object] = lambda row: row

    def row(self, **parts: object) -> object:
        """Make a row of these parts; what the API doesn't have is left out."""
        return self.nest({**self.extra, **{self.names[name]: value for name, value in parts.items() if self.has(name)}})

    def has(self, part: str) -> bool:
        """Tell whether a row has that part."""
        return part in self.names

    def body(self, *rows: object) -> object:
        """Make a whole answer of rows as `row` makes them."""
        return self.wrap(*rows)

    @property
    def good(self) -> object:
        """Make a whole answer with one good row."""
        return self.body(self.row(url=URL, title=TITLE, text=TEXT, published="2026-05-04T09:30:00Z", image=IMAGE))


IMAGE: Final = "https://docs.example.org/good.png"


@dataclass(frozen=True, kw_only=True)
class Refusal:
    """Hold a documented reply that is no good answer: what it is, and what it ends in, None for results all the same.

    `ways` are those to which it's given.
    """

    what: str
    fault: Fault
    ends: type[errors.BackendError] | None
    ways: tuple[Way, ...] = tuple(Way)


def refused(what: str, fault: Fault, ends: type[errors.BackendError]) -> Iterator[Refusal]:
    """Yield what a refusal ends in: of a page, whose address alone is ours to choose, the page is at fault."""
    if not issubclass(ends, errors.RequestRejected | errors.BackendUnable):
        yield Refusal(what=what, fault=fault, ends=ends)
        return
    yield Refusal(what=what, fault=fault, ends=ends, ways=(Way.SEARCH, Way.ANSWER))
    yield Refusal(what=what, fault=fault, ends=errors.PageUnreadable, ways=(Way.FETCH,))


@dataclass(frozen=True, kw_only=True)
class Engine:
    """Hold one engine: `name` as configured, `shown` as members read it, `key` as its keys look like.

    `able` is what it honours in searches, `answering` in answers, where it gives any. All keys begin with `prefix`. It
    `streams` where it answers piece by piece, too. `error` makes the documented body of an error with that message.
    `limited` is what a 429 ends in that names no wait. `price` and `proof` are sentences of docs/backends.md: what is
    paid, and what the stand-in is held against.
    """

    name: str
    shown: str
    key: str
    open: Callable[[Opening], Any]
    able: Capabilities
    shapes: Mapping[Way, Shape]
    error: Callable[[str], object]
    limited: type[errors.BackendError]
    refusals: tuple[Refusal, ...]
    price: str
    proof: str
    answering: Capabilities | None = None
    prefix: str = ""
    streams: bool = False

    @property
    def secret(self) -> str:
        """Return the key without what all keys of the engine begin with, which pages on its API show."""
        return self.key.removeprefix(self.prefix)
