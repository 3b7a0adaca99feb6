"""Speak the gateway's side of the websocket: sessions, shards, sequence numbers, resuming.

Nothing is compressed: Discord sends text frames to clients that can't do it, and discord.py takes either.
"""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Final

from aiohttp import WSMsgType, web

from .sessions import PRIVILEGED, CloseCode, Connection, Intent, Op, Session

if TYPE_CHECKING:
    from .guilds import Guild
    from .refusals import Json
    from .world import World

# Discord's own interval, in milliseconds.
HEARTBEAT_MS: Final = 41_250
# How long a client has to answer when it's sent away.
_CLOSE_SECONDS: Final = 1.0


class Hub:
    """Hold the bot's sessions and connections, and let a test disturb them.

    `url` is where the bot is sent, `shards` how many it's told to use, `starts_left` how often it's told that it may
    still identify today. `refusal` is a code with which whoever identifies is turned away; with `silent`, a connection
    hears nothing at all.
    """

    def __init__(self, world: World, allowed: Intent) -> None:
        self._world = world
        self._allowed = allowed
        self.shards = 1
        self.starts_left = 1000
        self.refusal: int | None = None
        self.silent = False
        self.url = ""
        self.sessions: dict[str, Session] = {}
        self.connections: set[Connection] = set()
        self.identified = 0
        self.resumed = 0
        self.heartbeats = 0

    def open_sessions(self) -> int:
        """Count the sessions that are identified and connected."""
        return sum(session.connection is not None for session in self.sessions.values())

    def send(
        self, event: str, payload: Json, *, guild_id: int | None, intents: int = 0, needs_content: bool = False
    ) -> None:
        """Dispatch an event to the shard that covers the server; 0 intents means that none is needed.

        With `needs_content` a session without that intent gets the message's frame with nothing in it.
        """
        for session in self.sessions.values():
            if not session.covers(guild_id) or (intents and not session.intents & intents):
                continue
            bare = needs_content and not session.intents & Intent.MESSAGE_CONTENT and "content" in payload
            empty = {"content": "", "embeds": [], "components": [], "attachments": []}
            session.dispatch(event, {**payload, **empty} if bare else payload)

    def drop(self) -> None:
        """Cut every connection without a word; the sessions can be resumed."""
        for connection in self.connections:
            if connection.transport is not None:
                connection.transport.abort()

    def close(self, code: int) -> None:
        """Close every connection with a code."""
        for connection in self.connections:
            connection.frames.put_nowait(code)

    def ask_reconnect(self) -> None:
        """Ask every connection to reconnect and resume."""
        for connection in self.connections:
            connection.push(Op.RECONNECT, None)

    def invalidate(self, *, resumable: bool = False) -> None:
        """Tell every connection that its session is invalid; unless `resumable`, it's forgotten."""
        for connection in self.connections:
            connection.push(Op.INVALID_SESSION, resumable)
            if connection.session is not None and not resumable:
                self._forget(connection)

    def ask_heartbeat(self) -> None:
        """Ask every connection for a heartbeat at once."""
        for connection in self.connections:
            connection.push(Op.HEARTBEAT, None)

    async def serve(self, request: web.Request) -> web.WebSocketResponse:
        """Serve one connection until it closes."""
        socket = web.WebSocketResponse(autoclose=True, timeout=_CLOSE_SECONDS)
        await socket.prepare(request)
        connection = Connection(socket, request.transport)
        self.connections.add(connection)
        if not self.silent:
            connection.push(Op.HELLO, {"heartbeat_interval": HEARTBEAT_MS})
        self._world.changes.notify()
        writer = asyncio.create_task(connection.write())
        try:
            async for frame in socket:
                code = self._receive(connection, frame.data) if frame.type is WSMsgType.TEXT else CloseCode.BAD_FRAME
                if code is None:
                    continue
                if code != self.refusal:
                    self._world.report("gateway", f"closed with {code!r} after {str(frame.data)[:200]}")
                # From this task, since aiohttp lets a client answer only where nobody receives meanwhile, and who can't
                # answer takes the connection for a broken one.
                connection.frames.put_nowait(None)
                await writer
                await socket.close(code=int(code))
        finally:
            writer.cancel()
            await asyncio.gather(writer, return_exceptions=True)
            self.connections.discard(connection)
            self._leave(connection, socket.close_code)
        return socket

    def _leave(self, connection: Connection, code: int | None) -> None:
        session = connection.session
        if session is None:
            return
        if session.connection is connection:
            session.connection = None
        # A client that says goodbye with one of these ends its session; any other end can be resumed.
        if code in (1000, 1001):
            self.sessions.pop(session.id, None)
        self._world.changes.notify()

    def _forget(self, connection: Connection) -> None:
        if connection.session is not None:
            connection.session.connection = None
            self.sessions.pop(connection.session.id, None)
            connection.session = None
        self._world.changes.notify()

    def _receive(self, connection: Connection, text: str) -> int | None:
        try:
            frame = json.loads(text)
            return self._handle(connection, frame["op"], frame.get("d"))
        except (AttributeError, KeyError, TypeError, ValueError):
            # What these frames hold is read as if they were right; where they aren't, that is what a client hears.
            return CloseCode.BAD_FRAME

    def _handle(self, connection: Connection, op: int, data: Json) -> int | None:
        if op == Op.HEARTBEAT:
            self.heartbeats += 1
            connection.push(Op.HEARTBEAT_ACK, None)
            self._world.changes.notify()
            return None
        if op in (Op.IDENTIFY, Op.RESUME):
            return self._authenticate(connection, op, data)
        if connection.session is None:
            return CloseCode.NOT_AUTHENTICATED
        if op == Op.REQUEST_MEMBERS:
            self._members(connection.session, data)
            return None
        return None if op in (Op.PRESENCE, Op.VOICE_STATE) else CloseCode.UNKNOWN_OP

    def _authenticate(self, connection: Connection, op: int, data: Json) -> int | None:
        if connection.session is not None:
            return CloseCode.ALREADY_AUTHENTICATED
        if data.get("token") != self._world.token:
            return CloseCode.WRONG_TOKEN
        return self._identify(connection, data) if op == Op.IDENTIFY else self._resume(connection, data)

    def _identify(self, connection: Connection, data: Json) -> int | None:
        if self.refusal is not None:
            return self.refusal
        number, count = data.get("shard") or (0, 1)
        if not 0 <= number < count:
            return CloseCode.INVALID_SHARD
        if data["intents"] & PRIVILEGED & ~self._allowed:
            return CloseCode.DISALLOWED_INTENTS
        shard = (number, count)
        for stale in [s for s in self.sessions.values() if s.shard == shard and s.connection is None]:
            del self.sessions[stale.id]
        session = Session(f"session-{self._world.ids.next()}", shard, data["intents"])
        session.connection = connection
        connection.session = session
        self.sessions[session.id] = session
        self.identified += 1
        self._greet(session)
        self._world.changes.notify()
        return None

    def _greet(self, session: Session) -> None:
        guilds = [g for g in self._world.guilds.values() if g.installed and session.covers(g.id)]
        application = {"id": str(self._world.application_id), "flags": 0}
        ready = {
            "v": 10,
            "user": self._world.bot.payload(),
            "guilds": [{"id": str(guild.id), "unavailable": True} for guild in guilds],
            "session_id": session.id,
            "resume_gateway_url": self.url,
            "shard": list(session.shard),
            "application": application,
        }
        session.dispatch("READY", ready)
        # Without the intent a client learns of its servers no more than that.
        for guild in guilds if session.intents & Intent.GUILDS else ():
            # The key tells a client that the server became available, rather than that the bot has joined it.
            session.dispatch("GUILD_CREATE", {**guild.create_payload(), "unavailable": False})

    def _resume(self, connection: Connection, data: Json) -> int | None:
        session = self.sessions.get(data.get("session_id") or "")
        if session is None or (session.sent and session.sent[0][0] > data["seq"] + 1):
            connection.push(Op.INVALID_SESSION, payload=False)
            return None
        if data["seq"] > session.sequence:
            return CloseCode.INVALID_SEQUENCE
        connection.session = session
        for sequence, frame in session.sent:
            if sequence > data["seq"]:
                connection.frames.put_nowait(frame)
        session.connection = connection
        self.resumed += 1
        session.dispatch("RESUMED", {})
        self._world.changes.notify()
        return None

    def _members(self, session: Session, data: Json) -> None:
        guild = self._world.guilds.get(int(data["guild_id"]))
        if guild is None or not guild.installed:
            return
        wanted = {int(one) for one in data.get("user_ids") or ()}
        prefix = (data.get("query") or "").lower()
        members = [m for m in guild.members.values() if not wanted or m.id in wanted]
        members = [m for m in members if m.user.name.lower().startswith(prefix)]
        session.dispatch("GUILD_MEMBERS_CHUNK", self._chunk(guild, [m.payload() for m in members], data))

    def _chunk(self, guild: Guild, members: list[Json], data: Json) -> Json:
        limit = data.get("limit") or len(members)
        chunk: Json = {
            "guild_id": str(guild.id),
            "members": members[:limit],
            "chunk_index": 0,
            "chunk_count": 1,
            "not_found": [],
        }
        return {**chunk, "nonce": data["nonce"]} if "nonce" in data else chunk
