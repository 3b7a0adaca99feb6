"""Read what all of Exa's replies share: the errors and the costs."""

from __future__ import annotations

from typing import Final

from ... import errors
from .. import http
from ..client import excerpt
from ..redaction import explain

NAME: Final = "Exa"
# In US dollars, ten times the dearest search on Exa's list, which is a deep one at $12 per 1000: more is a mistake, not
# a price, and would use up a budget.
DEAREST: Final = 0.12

KINDS: Final[dict[int, type[errors.BackendError]]] = {
    400: errors.RequestRejected,
    401: errors.KeyRefused,
    402: errors.CreditsExhausted,
    403: errors.FeatureDisabled,
    404: errors.EndpointMissing,
    429: errors.RateLimited,
    501: errors.BackendUnable,
    503: errors.BackendOverloaded,
    504: errors.BackendTimeout,
}
_PROHIBITED: Final = frozenset({"PROHIBITED_CONTENT", "CONTENT_FILTER_ERROR"})


def to_error(reply: http.Reply, secrets: tuple[str, ...]) -> errors.BackendError:
    """Return the error that an answer stands for which is no success.

    The status decides, as Exa's reference asks for: its set of tags is open, and a tag only tells the two kinds of 403
    apart. Both shapes of 429 are taken, with a tag and with {"error"} alone.
    """
    body = http.decode(reply.body)
    fields = body if isinstance(body, dict) else {}
    message, tag = fields.get("error"), fields.get("tag")
    detail = explain(message if isinstance(message, str) else excerpt(reply.body), secrets)
    known = explain(tag, secrets) if isinstance(tag, str) else ""
    if reply.status == 429:  # noqa: PLR2004 - the one status that names a wait
        return errors.RateLimited(NAME, detail, known, reply.retry_after)
    if reply.status == 403 and tag in _PROHIBITED:  # noqa: PLR2004 - the one status of two kinds
        return errors.ContentProhibited(NAME, detail, known)
    return KINDS.get(reply.status, errors.BackendBroken)(NAME, detail, known)


def cost_of(body: object) -> float | None:
    """Return what a decoded answer says that it costs, in US dollars, or None where that can't be a price."""
    cost = body.get("costDollars") if isinstance(body, dict) else None
    total = cost.get("total") if isinstance(cost, dict) else None
    if isinstance(total, bool) or not isinstance(total, int | float):
        return None
    # Neither infinity nor what is no number passes this.
    return float(total) if 0 <= total <= DEAREST else None
