"""Read what all of Exa's replies share: the errors and the costs."""

from __future__ import annotations

from typing import Final

from ... import errors
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
_PROHIBITED: Final = frozenset({"PROHIBITED_CONTENT", "CONTENT_FILTER_ERROR"})


def to_error(reply: http.Reply, secrets: tuple[str, ...]) -> errors.BackendError:
    """Return the error that an answer stands for which is no success.

    The status decides, as Exa's reference asks for: its set of tags is open, and a tag only tells the two kinds of 403
    apart. Both shapes of 429 are taken, with a tag and with {"error"} alone.
    """
    body = jsonbody.decode(reply.body)
    tag = to_text(field(body, "tag"))
    kinds = {**KINDS, 403: errors.ContentProhibited} if tag in _PROHIBITED else KINDS
    return refusal(reply, field(body, "error"), secrets, backend=NAME, kinds=kinds, tag=explain(tag, secrets))


def cost_of(body: object) -> float | None:
    """Return what a decoded answer says that it costs, in US dollars, or None where that can't be a price."""
    return price(field(field(body, "costDollars"), "total"), 1.0, dearest=DEAREST)
