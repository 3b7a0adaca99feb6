"""Read server-sent events as engines send them: each on a line of its own that begins with `data:`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

_FIELD: Final = b"data:"
# How streams end that don't just end.
_DONE: Final = b"[DONE]"


class Lines:
    """Put lines together out of pieces that end anywhere, and give what stands in those that hold data."""

    def __init__(self) -> None:
        self._rest: list[bytes] = []

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """Take the next piece and yield the data of each line that it ends; a comment or a blank line has none.

        A line that never ends yields nothing.
        """
        *ended, rest = chunk.replace(b"\r", b"\n").split(b"\n")
        for line in ended:
            self._rest.append(line)
            whole = b"".join(self._rest)
            self._rest.clear()
            if whole.startswith(_FIELD):
                data = whole[len(_FIELD) :].strip()
                if data and data != _DONE:
                    yield data
        if rest:
            self._rest.append(rest)
