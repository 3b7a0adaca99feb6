"""Be the command line: `python -m cogs.websearch`.

What it does is in `commandline`, which takes a moment to import: whoever presses Ctrl-C by then sees no traceback.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from . import shutdown_signals

if TYPE_CHECKING:
    from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what the command line says; return an exit code."""
    try:
        from . import commandline  # noqa: PLC0415 - see the module's docstring

        return commandline.main(arguments)
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    shutdown_signals.heed_at_start(sys.argv[1:])
    sys.exit(main())
