"""Make what is known of an engine, with all that a status can say of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cogs.websearch.breaker import State
from cogs.websearch.health import Signs

if TYPE_CHECKING:
    from cogs.websearch.troubles import Trouble


def signs_of(trouble: Trouble | None, *, stands_in: bool = False) -> Signs:
    """Return the signs of an engine with a trouble, or of one that a search is about to try."""
    return Signs(
        name="local documents",
        state=State.HALF_OPEN if trouble is None else State.OPEN,
        trouble=trouble,
        succeeded=2.0**33,
        failed=2.0**33,
        failure="backend-answer-too-large",
        latency=119.96,
        stands_in=stands_in,
        cost=10**12,
    )
