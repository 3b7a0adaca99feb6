"""Ask `/answer`, and read what it says, whole or piece by piece."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ... import errors
from .. import pages, rows
from ..client import field, to_text
from ..growing import Piece
from .replies import NAME, cost_of, to_streamed_error
from .search import to_row

if TYPE_CHECKING:
    from ...models import Answer, SearchRequest


def to_payload(request: SearchRequest, *, stream: bool = False) -> dict[str, object]:
    """Return the body of the request; the text of the sources isn't asked for, since it would come whole."""
    return {"query": request.query, "text": False, "stream": stream}


def to_answer(body: object, request: SearchRequest, *, snippet_chars: int, now: float) -> Answer:
    """Return the answer that a decoded body holds, with what is good of its citations; `now` is in Unix seconds.

    Raise `InvalidAnswer` where it has no text, and `BackendUnable` where the text is empty.
    """
    if not isinstance(field(body, "answer"), str):
        raise errors.InvalidAnswer(NAME)
    piece = to_piece(body, (), now=now)
    return pages.to_answer(
        piece.text, piece.sources or (), request, backend=NAME, snippet_chars=snippet_chars, cost=piece.cost
    )


def to_piece(event: object, secrets: tuple[str, ...], *, now: float) -> Piece:
    """Return what one event of a stream adds; an event that nobody knows adds nothing.

    Raise the `BackendError` that the event stands for; `secrets` are the texts that it may not show.
    """
    if field(event, "tag") == "ERROR":
        raise to_streamed_error(field(event, "payload"), secrets)
    choices = field(event, "choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    # What doesn't stream sends the whole answer at once.
    said = field(event, "answer") if choice is None else field(field(choice, "delta"), "content")
    citations = field(event, "citations")
    named = isinstance(citations, list)
    found = rows.read(citations, lambda row: to_row(row, now), backend=NAME) if named else None
    return Piece(text=to_text(said), sources=found, cost=cost_of(event))
