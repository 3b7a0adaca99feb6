"""Tell how much time has passed, whatever is done to the system's clock."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def steady(clock: Callable[[], float]) -> Callable[[], float]:
    """Return the clock, in seconds, by which spans of time are measured where `clock` tells the time of day.

    That's the one which nobody sets, beside the system's own; of any other, whoever passes it in says how it goes.
    """
    return time.monotonic if clock is time.time else clock
