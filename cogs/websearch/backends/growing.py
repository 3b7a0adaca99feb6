"""Let an answer grow out of the pieces in which an engine sends it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from .. import errors, limits, text
from ..charges import Act
from . import rows

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable

    from ..models import Answer
    from .client import Event

# An answer is shown again when so many code points are new, or a quarter of it: each time it's cleaned as a whole.
STEP: Final = 100
_SHARE: Final = 4
# Code points of an answer that are kept: as much as cleaning looks at of one.
MOST: Final = text.scan_limit(2 * limits.ANSWER)


class Piece(msgspec.Struct, frozen=True, kw_only=True):
    """Hold what one event adds: more text, all sources where it names them or `added` ones, the cost where it's named.

    `broken` is true where the engine says that the answer ends before it's complete.
    """

    text: str = ""
    sources: list[rows.Row | None] | None = None
    added: list[rows.Row | None] = msgspec.field(default_factory=list)
    cost: float | None = None
    broken: bool = False


class Draft(msgspec.Struct, kw_only=True):
    """Hold what has come of an answer so far, untouched, and what earlier steps made of its sources.

    `lost` counts the requests before that weren't answered.
    """

    text: str = ""
    sources: list[rows.Row | None] = msgspec.field(default_factory=list)
    added: list[rows.Row | None] = msgspec.field(default_factory=list)
    cost: float | None = None
    lost: int = 0
    complete: bool = True
    known: rows.Known = msgspec.field(default_factory=dict)

    def take(self, piece: Piece) -> None:
        """Add a piece."""
        # An answer that never ends mustn't be copied again and again.
        self.text = self.text if len(self.text) > MOST else self.text + piece.text
        self.sources = self.sources if piece.sources is None else piece.sources
        # Some engines repeat all of them with every piece.
        self.added = [*self.added, *piece.added][-rows.MOST :] if piece.added else self.added
        self.cost = self.cost if piece.cost is None else piece.cost
        self.complete = self.complete and not piece.broken


async def grow(
    events: AsyncGenerator[Event, None], read: Callable[[object], Piece], show: Callable[[Draft], Answer]
) -> AsyncGenerator[Answer, None]:
    """Yield what `show` makes of the draft as it grows, and at the end; the last one says whether it's complete.

    `read` makes a piece of an event's body, `show` a cleaned answer of a draft, and both may raise `BackendError`.
    Raise that error, or the one by which the events end, after what came before it, where that can be shown.
    """
    draft = Draft()
    due = STEP
    failed: errors.BackendError | None = None
    try:
        async for event in events:
            draft.lost = event.lost
            draft.take(read(event.body))
            if len(draft.text) >= due:
                due = len(draft.text) + max(STEP, len(draft.text) // _SHARE)
                shown = _shown(msgspec.structs.replace(draft, complete=False), show)
                if shown is not None:
                    yield shown
    except errors.BackendError as error:
        failed = error
    finally:
        await events.aclose()
    draft.complete = draft.complete and failed is None
    shown = None
    try:
        shown = _shown(draft, show) if failed is not None else _whole(draft, show)
    except errors.BackendError as error:
        failed = error
    if shown is not None:
        yield shown
    if failed is not None:
        failed.lost, failed.act = max(failed.lost, draft.lost), Act.ANSWER
        raise failed


def _shown(draft: Draft, show: Callable[[Draft], Answer]) -> Answer | None:
    try:
        return _whole(draft, show)
    except errors.BackendUnable:
        # Nothing yet that can be read.
        return None


def _whole(draft: Draft, show: Callable[[Draft], Answer]) -> Answer:
    return msgspec.structs.replace(show(draft), lost=draft.lost)
