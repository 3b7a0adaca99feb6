"""Tell a search's transport, past the engine's adapter, how much time it has and when it may try again.

Both differ from search to search, and adapters have nothing to do with either.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Final

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator


class Terms(msgspec.Struct, frozen=True):
    """Hold the seconds that all tries of a call have together, and what waits for the turn of each further try.

    `turn` is called with the seconds that are left; it returns whether there's to be another try.
    """

    timeout_s: float
    turn: Callable[[float], Awaitable[bool]]


_CURRENT: Final[ContextVar[Terms | None]] = ContextVar("terms of a search", default=None)


def current() -> Terms | None:
    """Return the terms of the search that's under way in this task, or None where nobody set any."""
    return _CURRENT.get()


@contextmanager
def under(terms: Terms) -> Iterator[None]:
    """Let what is asked inside keep these terms."""
    token = _CURRENT.set(terms)
    try:
        yield
    finally:
        _CURRENT.reset(token)
