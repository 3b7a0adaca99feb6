"""Send an answer piece by piece, as servers that stream do (SSE), to its end or not so far."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from aiohttp import web

from .faults import abort

if TYPE_CHECKING:
    import asyncio

    from .faults import Call, Fault


def stream(
    *events: object, broken: bool = False, hanging: bool = False, gates: tuple[asyncio.Event, ...] = (), end: str = ""
) -> Fault:
    """Send each event when its gate opens, where it has one; bytes are sent as they are, anything else as an event.

    Then write `end`, reset the connection where the stream is `broken`, or send nothing more where it's `hanging`.
    """

    async def act(call: Call) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(call.request)
        for place, event in enumerate(events):
            if place < len(gates):
                await gates[place].wait()
            raw = event if isinstance(event, bytes) else f"data: {json.dumps(event)}\n\n".encode()
            await response.write(raw)
        await response.write(end.encode())
        if hanging:
            await call.closing.wait()
        if broken:
            abort(call)
        return response

    return act
