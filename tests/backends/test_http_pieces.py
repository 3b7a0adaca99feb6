"""Take the body of an answer piece by piece, or only its beginning."""

from __future__ import annotations

import asyncio

import pytest
from yarl import URL

from cogs.websearch import errors, limits
from cogs.websearch.backends import http, sse
from engine_tools import FakeTime, open_transport
from loopback_engine.streams import stream
from loopback_exa import LoopbackExa, faults


def call(
    exa: LoopbackExa, *, feed: list[bytes] | None = None, cuts: bool = False, timeout_s: float | None = None
) -> http.Call:
    """Make a call to the stand-in, whose pieces go into a list."""
    return http.Call(
        method="POST",
        url=URL(exa.url),
        headers={},
        body=b"{}",
        feed=None if feed is None else feed.append,
        cuts=cuts,
        timeout_s=timeout_s,
    )


async def test_pieces(exa: LoopbackExa, fake_time: FakeTime) -> None:
    """HTTP-19: the pieces of a success come as they arrive and make up the body; those of an error don't come."""
    transport = open_transport(fake_time)
    gates = (asyncio.Event(), asyncio.Event())
    exa.fail(faults.error(503), stream(b"one", b"two", gates=gates))
    pieces: list[bytes] = []
    came = asyncio.Event()

    def feed(piece: bytes) -> None:
        pieces.append(piece)
        came.set()

    asked = asyncio.create_task(
        transport.call(http.Call(method="POST", url=URL(exa.url), headers={}, body=b"{}", feed=feed))
    )
    gates[0].set()
    await came.wait()
    assert pieces == [b"one"]
    assert not asked.done()
    gates[1].set()
    assert (await asked).body == b"onetwo" == b"".join(pieces)
    await transport.close()


async def test_deadline_of_a_call(exa: LoopbackExa, fake_time: FakeTime) -> None:
    """HTTP-19: a call's own deadline counts, not that of the transport."""
    transport = open_transport(fake_time, timeout_s=60)
    exa.fail(faults.hang)
    with pytest.raises(errors.BackendTimeout):
        await transport.call(call(exa, timeout_s=0.05))
    await transport.close()


async def test_beginning(exa: LoopbackExa, fake_time: FakeTime) -> None:
    """HTTP-17: of a body that's too large the beginning comes, where that was asked for, and says so; also unpacked."""
    transport = open_transport(fake_time)
    exa.fail(faults.answer(b"x" * (limits.BODY_BYTES + 1)), faults.bomb(20), faults.answer(b"x" * limits.BODY_BYTES))
    for cut in (True, True, False):
        reply = await transport.call(call(exa, cuts=True))
        assert (len(reply.body), reply.cut) == (limits.BODY_BYTES, cut)
    exa.fail(faults.answer(b"x" * (limits.BODY_BYTES + 1)))
    with pytest.raises(errors.AnswerTooLarge):
        await transport.call(call(exa))
    await transport.close()


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_lines(size: int) -> None:
    """HTTP-19: lines of a stream are put together, wherever pieces and lines end; comments and blanks say nothing."""
    raw = b': hello\r\n\r\ndata: {"a": 1}\r\n\ndata:{"b": 2}\nevent: x\nid: 5\r\rdata:   \ndata: [DONE]\ndata: cut off'
    lines = sse.Lines()
    found = [data for start in range(0, len(raw), size) for data in lines.feed(raw[start : start + size])]
    assert found == [b'{"a": 1}', b'{"b": 2}']
