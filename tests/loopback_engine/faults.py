"""Misbehave like the servers, gateways and networks between us and any engine."""

from __future__ import annotations

import asyncio
import json
import socket
import struct
import zlib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from aiohttp import web


@dataclass(frozen=True)
class Call:
    """Hold one request as it arrived: where, with which headers (names in lower case) and with which raw body."""

    request: web.Request
    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes
    closing: asyncio.Event

    @property
    def json(self) -> dict[str, object]:
        """Return the body as the JSON object that it must be."""
        found = json.loads(self.body)
        assert isinstance(found, dict)
        return found

    @property
    def params(self) -> dict[str, str]:
        """Return what stands behind the question mark of the address."""
        return dict(self.request.query)

    @property
    def key(self) -> str:
        """Return the key that was sent, in either of the two ways, or an empty string."""
        return self.headers.get("x-api-key") or self.headers.get("authorization", "").removeprefix("Bearer ")


Fault = Callable[[Call], Awaitable[web.StreamResponse]]


def answer(body: object = b"", status: int = 200, headers: Mapping[str, str] | None = None) -> Fault:
    """Answer with bytes as they are, or with anything else as JSON."""
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    sent = {"Content-Type": "application/json", **(headers or {})}

    async def act(_: Call) -> web.StreamResponse:
        return web.Response(status=status, body=raw, headers=sent)

    return act


def html(status: int = 200, text: str = "<!doctype html><title>Bad gateway</title><h1>Bad gateway</h1>") -> Fault:
    """Answer with the page of a gateway."""
    return answer(text.encode(), status, {"Content-Type": "text/html; charset=utf-8"})


def redirect(location: str, status: int = 302) -> Fault:
    """Send the client elsewhere."""
    return answer(b"", status, {"Location": location})


def zipped(raw: bytes, encoding: str = "gzip") -> Fault:
    """Answer with a body that says it is compressed, whether it is or not."""
    return answer(raw, headers={"Content-Encoding": encoding})


def bomb(mebibytes: int) -> Fault:
    """Answer with a few kilobytes of gzip that unpack to so many mebibytes of blanks."""
    packer = zlib.compressobj(9, wbits=31)
    blanks = b" " * 1024 * 1024
    packed = b"".join(packer.compress(blanks) for _ in range(mebibytes)) + packer.flush()
    return zipped(packed)


async def hang(call: Call) -> web.StreamResponse:
    """Never answer."""
    await call.closing.wait()
    return web.Response(status=500)


async def hang_midway(call: Call) -> web.StreamResponse:
    """Send the head and half of an object, then nothing more."""
    response = await _begin(call)
    await call.closing.wait()
    return response


async def drip(call: Call) -> web.StreamResponse:
    """Send an answer a byte at a time, without an end."""
    response = await _begin(call)
    while not call.closing.is_set():
        await response.write(b" ")
        # The pace of a slow server, not a wait for something to happen.
        await asyncio.sleep(0.01)
    return response


async def hang_up(call: Call) -> web.StreamResponse:
    """Close the connection in good order, without an answer."""
    _transport(call).close()
    return web.Response(status=500)


async def reset(call: Call) -> web.StreamResponse:
    """Reset the connection without an answer."""
    abort(call)
    return web.Response(status=500)


async def reset_midway(call: Call) -> web.StreamResponse:
    """Reset the connection in the middle of the body."""
    response = await _begin(call)
    abort(call)
    return response


async def cut_short(call: Call) -> web.StreamResponse:
    """Promise more bytes than are sent, then close in good order."""
    transport = _transport(call)
    transport.write(b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{"results": [')
    transport.close()
    return web.Response(status=500)


async def gibberish(call: Call) -> web.StreamResponse:
    """Answer with something that is no HTTP."""
    transport = _transport(call)
    transport.write(b"\x00\x01 this is no HTTP\r\n\r\n")
    transport.close()
    return web.Response(status=500)


async def _begin(call: Call) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": "application/json"})
    await response.prepare(call.request)
    await response.write(b'{"results": [')
    return response


def _transport(call: Call) -> asyncio.Transport:
    transport = call.request.transport
    assert isinstance(transport, asyncio.Transport)
    return transport


def abort(call: Call) -> None:
    """Reset the connection at once."""
    transport = _transport(call)
    # Without lingering, a close is a reset (RST) instead of a farewell (FIN).
    transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    transport.abort()
