"""Know what Discord and the way to it raise, and what that means to the owner of the bundled bot."""

from __future__ import annotations

import logging
from http import HTTPStatus
from typing import TYPE_CHECKING, Final

import aiohttp
import discord

from .errors import DiscordUnreachable, DiscordUnusable, TokenRefused

if TYPE_CHECKING:
    from .errors import WebSearchError

# What Discord, or the connection to it, does to a request.
FAILURES: Final = (discord.DiscordException, aiohttp.ClientError, OSError)
# With what Discord closes a connection for good: its documentation of the gateway's close event codes.
_WRONG_TOKEN: Final = 4004
_SHARDS: Final = frozenset({4010, 4011})
_INTENTS: Final = frozenset({4013, 4014})
_QUOTES: Final = "\"'`"
_AGAIN: Final = (
    "Discord can't be reached (%s), and is tried again in a few seconds: where that lasts, check this machine's "
    "connection and Discord's status page"
)


def check_token(token: str) -> None:
    """Raise `DiscordUnusable` where a token has quotes around it, of which Discord would say that it's unknown."""
    if token.strip(_QUOTES) != token:
        raise DiscordUnusable("token")


def explain(error: Exception) -> WebSearchError | None:
    """Return what an error of discord.py or of the connection means to the bot's owner; None for any other."""
    match error:
        case discord.LoginFailure():
            return TokenRefused()
        case discord.PrivilegedIntentsRequired():
            return DiscordUnusable("intents")
        case discord.ConnectionClosed(code=code):
            return _closed(code)
        case (
            discord.HTTPException(status=status)
            | discord.GatewayNotFound(__cause__=discord.HTTPException(status=status))
        ):
            return _refused(status)
        case aiohttp.ClientError() | OSError():
            return _unreached(error)
        case _:
            return None


def _unreached(error: aiohttp.ClientError | OSError) -> WebSearchError:
    """Tell why there's no connection; a time-out is an `OSError`, too."""
    if isinstance(error, aiohttp.ClientConnectorDNSError):
        return DiscordUnusable("name")
    return DiscordUnusable("certificate") if isinstance(error, aiohttp.ClientSSLError) else DiscordUnreachable()


def _closed(code: int) -> WebSearchError:
    if code == _WRONG_TOKEN:
        return TokenRefused()
    if code in _SHARDS:
        return DiscordUnusable("shards", code)
    return DiscordUnusable("intents" if code in _INTENTS else "gateway", code)


def _refused(status: int) -> WebSearchError:
    if status == HTTPStatus.UNAUTHORIZED:
        # The token was good a moment ago, and was replaced since.
        return TokenRefused()
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        return DiscordUnusable("too-fast", status)
    return DiscordUnusable("failing" if status >= HTTPStatus.INTERNAL_SERVER_ERROR else "refused", status)


class Reconnections(logging.Filter):
    """Let discord.py's log say in a line, rather than in a traceback, that it tries again to reach Discord.

    For its logger `discord.shard`, which writes a traceback for each try.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        """Shorten a record of a connection that failed; let each through."""
        error = record.exc_info[1] if isinstance(record.exc_info, tuple) else None
        if isinstance(error, Exception) and explain(error) is not None:
            record.exc_info = record.exc_text = None
            record.levelno, record.levelname = logging.WARNING, "WARNING"
            record.msg = _AGAIN
            record.args = (type(error).__name__,)
        return True
