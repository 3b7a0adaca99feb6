"""Hold the gateway's vocabulary, and what it knows of a shard's session and of a connection."""

from __future__ import annotations

import asyncio
import json
from collections import deque
from dataclasses import dataclass, field
from enum import IntEnum, IntFlag
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from aiohttp import web

    from .refusals import Json


# How many events of a session can be told again; a client that missed more must identify anew.
KEPT: Final = 1000


class Op(IntEnum):
    """Name the gateway's operations."""

    DISPATCH = 0
    HEARTBEAT = 1
    IDENTIFY = 2
    PRESENCE = 3
    VOICE_STATE = 4
    RESUME = 6
    RECONNECT = 7
    REQUEST_MEMBERS = 8
    INVALID_SESSION = 9
    HELLO = 10
    HEARTBEAT_ACK = 11


class CloseCode(IntEnum):
    """Name the codes with which the gateway closes."""

    GOING_AWAY = 1001
    UNKNOWN_OP = 4001
    BAD_FRAME = 4002
    NOT_AUTHENTICATED = 4003
    WRONG_TOKEN = 4004
    ALREADY_AUTHENTICATED = 4005
    INVALID_SEQUENCE = 4007
    INVALID_SHARD = 4010
    DISALLOWED_INTENTS = 4014


class Intent(IntFlag):
    """Name the intents that matter here; the privileged ones are those that an app's owner must switch on."""

    GUILDS = 1 << 0
    GUILD_MEMBERS = 1 << 1
    PRESENCES = 1 << 8
    GUILD_MESSAGES = 1 << 9
    DIRECT_MESSAGES = 1 << 12
    MESSAGE_CONTENT = 1 << 15


PRIVILEGED: Final = Intent.GUILD_MEMBERS | Intent.PRESENCES | Intent.MESSAGE_CONTENT


@dataclass
class Session:
    """Hold what the gateway knows of a shard's session, connected or not."""

    id: str
    shard: tuple[int, int]
    intents: int
    sequence: int = 0
    sent: deque[tuple[int, str]] = field(default_factory=lambda: deque(maxlen=KEPT))
    connection: Connection | None = None

    def dispatch(self, event: str, payload: Json) -> None:
        """Send an event, or keep it until the session is resumed."""
        self.sequence += 1
        frame = json.dumps({"op": int(Op.DISPATCH), "s": self.sequence, "t": event, "d": payload})
        self.sent.append((self.sequence, frame))
        if self.connection is not None:
            self.connection.frames.put_nowait(frame)

    def covers(self, guild_id: int | None) -> bool:
        """Tell whether a server's events go to this shard; direct messages go to the first."""
        number, count = self.shard
        return ((guild_id or 0) >> 22) % count == number


@dataclass(eq=False)
class Connection:
    """Hold one websocket: frames to be sent, in order, and then perhaps a code to close it with."""

    socket: web.WebSocketResponse
    transport: asyncio.Transport | None
    frames: asyncio.Queue[str | int | None] = field(default_factory=asyncio.Queue)
    session: Session | None = None

    def push(self, op: Op, payload: object) -> None:
        """Send an operation that is no event."""
        self.frames.put_nowait(json.dumps({"op": int(op), "d": payload, "s": None, "t": None}))

    async def write(self) -> None:
        """Send what is queued until told to close, or by None to end."""
        while isinstance(frame := await self.frames.get(), str):
            await self.socket.send_str(frame)
        if frame is not None:
            await self.socket.close(code=frame)
