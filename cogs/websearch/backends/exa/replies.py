"""Read what all of Exa's replies share: the errors and the costs."""

from __future__ import annotations

from typing import Final

from ... import errors
from ...patterns import late_re
from .. import http, jsonbody
from ..client import KINDS as COMMON
from ..client import field, price, refusal, to_text
from ..redaction import explain

NAME: Final = "Exa"
# In US dollars, ten times the dearest search on Exa's list, which is a deep one at $12 per 1000: more is a mistake, not
# a price, and would use up a budget.
DEAREST: Final = 0.12

KINDS: Final[dict[int, type[errors.BackendError]]] = {
    **COMMON,
    402: errors.CreditsExhausted,
    429: errors.RateLimited,
    501: errors.BackendUnable,
}
# Where it's known that what was asked for is at fault, not the account.
_PROHIBITING: Final[dict[int, type[errors.BackendError]]] = {**KINDS, 403: errors.ContentProhibited}
_PROHIBITED: Final = frozenset({"PROHIBITED_CONTENT", "CONTENT_FILTER_ERROR"})
# What is no letter, between the words of a tag.
_GAP: Final = late_re(r"[^A-Za-z]+")


def to_error(reply: http.Reply, secrets: tuple[str, ...]) -> errors.BackendError:
    """Return the error that an answer stands for which is no success.

    The status decides, as Exa's reference asks for: its set of tags is open, and a tag only tells the two kinds of 403
    apart. Both shapes of 429 are taken, with a tag and with {"error"} alone.
    """
    body = jsonbody.decode(reply.body)
    tag = to_text(field(body, "tag"))
    kinds = _PROHIBITING if tag in _PROHIBITED else KINDS
    return refusal(reply, field(body, "error"), secrets, backend=NAME, kinds=kinds, tag=explain(tag, secrets))


def to_streamed_error(payload: object, secrets: tuple[str, ...]) -> errors.BackendError:
    """Return the error that stands in an event of a stream, whose answer had begun, so that it may be billed.

    Its code decides as a status does. Exa's reference knows no tag in it, so that its message tells the kinds of 403
    apart, where it names one: as tags are written, or in words.
    """
    error = field(payload, "error")
    code, message = field(error, "code"), to_text(field(error, "message"))
    tag = to_text(field(error, "tag")) or to_text(field(payload, "tag"))
    named = _GAP.sub("_", f"{tag} {message}"[: http.ERROR_BYTES]).upper()
    kinds = _PROHIBITING if any(known in named for known in _PROHIBITED) else KINDS
    kind = kinds.get(code, errors.BackendBroken) if isinstance(code, int) else errors.BackendBroken
    return kind(NAME, explain(message, secrets), explain(tag, secrets), billed=True)


def cost_of(body: object) -> float | None:
    """Return what a decoded answer says that it costs, in US dollars, or None where that can't be a price."""
    return price(field(field(body, "costDollars"), "total"), 1.0, dearest=DEAREST)
