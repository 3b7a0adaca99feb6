"""Run `python -m cogs.websearch` against a loopback Discord, whose addresses the environment holds."""

from __future__ import annotations

import sys

from addresses import connected
from cogs.websearch.__main__ import main

if __name__ == "__main__":
    with connected():
        sys.exit(main(sys.argv[1:]))
