"""Know the signals by which others end a process: a supervisor, or a terminal that goes away."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from collections.abc import Sequence


def ending() -> tuple[signal.Signals, ...]:
    """List SIGTERM, and SIGHUP where there's such a signal and nobody, such as `nohup`, has it ignored."""
    hang_up: signal.Signals | None = getattr(signal, "SIGHUP", None)
    if hang_up is None or signal.getsignal(hang_up) is signal.SIG_IGN:
        return (signal.SIGTERM,)
    return (signal.SIGTERM, hang_up)


def heed_at_start(arguments: Sequence[str]) -> None:
    """Let the bundled bot end with code 0 also before it listens itself; other verbs end as processes do.

    Nothing is open by then that must be closed. Call it on the main thread.
    """
    if arguments[:1] in ([], ["run"]):
        for each in ending():
            signal.signal(each, _end)


def _end(_number: int, _frame: object) -> NoReturn:
    # An exception would be lost where an import or a destructor swallows it, or be shown.
    os._exit(0)
