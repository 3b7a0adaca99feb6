"""Point discord.py at a loopback Discord; the only module here that knows discord.py."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from yarl import URL

if TYPE_CHECKING:
    from collections.abc import Iterator


class Addresses(Protocol):
    """Be what tells where a loopback Discord is served, such as `LoopbackDiscord` itself."""

    api_url: str
    gateway_url: str


@contextmanager
def connect(place: Addresses) -> Iterator[None]:
    """Let every discord.py client of this process talk to `place` as long as the context lasts.

    The client itself is left as it is: these two class attributes are where discord.py keeps Discord's addresses.
    """
    # Only whoever runs a client in this process pays for discord.py, not the server.
    from discord.gateway import DiscordWebSocket  # noqa: PLC0415 - see above
    from discord.http import Route  # noqa: PLC0415 - see above

    before = Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY
    Route.BASE = place.api_url
    DiscordWebSocket.DEFAULT_GATEWAY = URL(place.gateway_url)
    try:
        yield
    finally:
        Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY = before
