"""Log faults of our own, without what was typed."""

from __future__ import annotations

import traceback
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import logging


def log_fault(log: logging.Logger, error: BaseException) -> None:
    """Log where a fault of our own is."""
    where = "".join(traceback.format_tb(error.__traceback__))
    # Not the exception's text: it may quote a query.
    log.error("a fault of our own: %s at\n%s", type(error).__name__, where)
