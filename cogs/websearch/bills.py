"""Note what asking engines for one search comes to."""

from __future__ import annotations

from dataclasses import dataclass, field

from . import errors


@dataclass(eq=False)
class Bills:
    """Hold which engines were asked for one search, by their names in the configuration, and what each named as cost.

    Costs are in US dollars; None is where an engine was asked and has named none yet, so that its list price stands.
    What nothing was asked for, such as a repeat, has no entry.
    """

    named: dict[str, float | None] = field(default_factory=dict)

    def ask(self, engine: str) -> None:
        """Note that an engine is being asked: whatever happens now, it may bill."""
        self.named[engine] = None

    def answer(self, engine: str, cost: float | None) -> None:
        """Note what the engine named, or that it named nothing."""
        self.named[engine] = cost

    def fail(self, engine: str, error: errors.BackendError) -> None:
        """Note what the engine may bill for a search that it failed."""
        free = isinstance(error, errors.ContentProhibited | errors.RequestRejected) or not error.billed
        self.named[engine] = 0.0 if free else error.cost
