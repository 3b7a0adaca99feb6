"""Point discord.py at the loopback Discord whose addresses the environment of this process holds."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cogs.websearch.playground.discord.connect import connect

if TYPE_CHECKING:
    from contextlib import AbstractContextManager


@dataclass
class Addresses:
    """Hold where the loopback Discord is served."""

    api_url: str
    gateway_url: str


def connected() -> AbstractContextManager[None]:
    """Connect every client of this process, as long as the context lasts; `bots.bot_process` sets the environment."""
    return connect(Addresses(os.environ["API_URL"], os.environ["GATEWAY_URL"]))
