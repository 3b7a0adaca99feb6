"""Run `python -m cogs.websearch` against a loopback Discord, whose addresses the environment holds."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass

from cogs.websearch.__main__ import main
from cogs.websearch.playground.discord.connect import connect


@dataclass
class Addresses:
    """Hold where the loopback Discord is served."""

    api_url: str
    gateway_url: str


if __name__ == "__main__":
    with connect(Addresses(os.environ["API_URL"], os.environ["GATEWAY_URL"])):
        sys.exit(main(sys.argv[1:]))
