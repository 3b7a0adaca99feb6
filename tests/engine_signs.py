"""Make what is known of an engine, with all that a status can say of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from cogs.websearch.breaker import State
from cogs.websearch.charges import Act
from cogs.websearch.health import Signs
from cogs.websearch.troubles import Kind

if TYPE_CHECKING:
    from cogs.websearch.troubles import Trouble


def signs_of(trouble: Trouble | None, *, stands_in: bool = False) -> Signs:
    """Return the signs of an engine with a trouble, or of one that a search is about to try."""
    own = Signs(
        name="local documents",
        state=State.HALF_OPEN if trouble is None else State.OPEN,
        trouble=trouble,
        succeeded=2.0**33,
        failed=2.0**33,
        failure="backend-answer-too-large",
        latency=119.96,
    )
    # What the engine says of the account is told once, unless it says so of pages and answers alone.
    told = trouble is None or trouble.kind is Kind.ENGINE
    beside = {act: own for act in Act if act is not Act.SEARCH}
    return replace(own, stands_in=stands_in, cost=10**12, trouble=trouble if told else None, beside=beside)


def all_signs_of(trouble: Trouble | None) -> tuple[Signs, ...]:
    """Return likewise all that can be said, whatever the trouble is."""
    found = signs_of(trouble)
    return found, replace(found, trouble=trouble), replace(found, trouble=trouble, answers=True, beside={})
