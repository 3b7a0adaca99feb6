"""Stand in for Exa as fast as can be: the same bytes for every request, so that a client's work is what is measured."""

from __future__ import annotations

import asyncio
import json
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final

from .processes import until_closed

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from multiprocessing.connection import Connection

RESULTS: Final = 5
SNIPPET: Final = 400
# The shape of a real key, a UUID; no such key exists.
KEY: Final = "5f0c9d1e-7a3b-4c52-9e86-d4b1a2f37c60"
_SENTENCE: Final = (
    "The event loop runs callbacks, performs network input & output, and runs “subprocesses” in **turn**. "
)


def body() -> bytes:
    """Make the answer: as many characters of highlights and of text as are asked for, a quarter more than a snippet."""
    passage = (_SENTENCE * 20)[: SNIPPET * 5 // 4]
    row = {
        "title": "Event loops — the core of every asynchronous program",
        "publishedDate": "2026-05-04T09:30:00.000Z",
        "author": "The documentation team",
        "image": "https://docs.example.org/static/loop.png",
        "favicon": "https://docs.example.org/favicon.ico",
        "text": passage,
        "highlights": [passage],
        "highlightScores": [0.5],
    }
    urls = [f"https://docs.example.org/asyncio/event-loop-{number}?utm_source=feed" for number in range(RESULTS)]
    rows = [{"id": url, "url": url, **row} for url in urls]
    return json.dumps({"requestId": "0" * 32, "results": rows, "costDollars": {"total": 0.007}}).encode()


class Engine(asyncio.Protocol):
    """Answer each request with the same bytes, over HTTP/1.1 with connections that stay open."""

    def __init__(self, answer: bytes) -> None:
        self._answer = answer
        self._buffer = b""
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport to write to."""
        assert isinstance(transport, asyncio.Transport)  # noqa: S101 - a stream socket has this one
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Answer every request that is complete."""
        self._buffer += data
        while (end := self._buffer.find(b"\r\n\r\n")) >= 0:
            head = self._buffer[:end].lower()
            length = int(head.partition(b"content-length:")[2].partition(b"\r\n")[0] or 0)
            if len(self._buffer) < end + 4 + length:
                return
            self._buffer = self._buffer[end + 4 + length :]
            if self._transport:
                self._transport.write(self._answer)


@asynccontextmanager
async def serving() -> AsyncIterator[str]:
    """Serve on a free port of 127.0.0.1 while the context lasts, and give the address."""
    content = body()
    head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n".encode()
    server = await asyncio.get_running_loop().create_server(lambda: Engine(head + content), "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()


def serve(pipe: Connection) -> None:
    """Send the address over the pipe, and serve until it's closed."""

    async def main() -> None:
        async with serving() as url:
            pipe.send(url)
            await until_closed(pipe)

    asyncio.run(main())
