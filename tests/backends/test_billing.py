"""Tell which calls an engine may bill, and ask for none of them twice."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import aiohttp
import pytest
from yarl import URL

from cogs.websearch import errors
from cogs.websearch.backends import http
from engine_tools import FakeTime, open_transport
from loopback_exa import Call, LoopbackExa, faults

if TYPE_CHECKING:
    from loopback_exa import Fault

FAST = faults.answer({"results": []})


def call(exa: LoopbackExa) -> http.Call:
    """Make a request for the stand-in."""
    return http.Call(method="POST", url=URL(exa.url) / "search", headers={"x-api-key": exa.key}, body=b"{}")


@pytest.mark.parametrize("fault", [faults.reset_midway, faults.cut_short])
async def test_an_answer_that_breaks_off(exa: LoopbackExa, fake_time: FakeTime, fault: Fault) -> None:
    """HTTP-15, HTTP-16: what breaks after the head of a success is unreachable, and isn't asked for twice."""
    transport = open_transport(fake_time)
    exa.fail(fault, FAST)
    with pytest.raises(errors.BackendUnreachable) as caught:
        await transport.call(call(exa))
    assert len(exa.requests) == 1
    assert caught.value.billed
    await transport.close()


async def test_an_error_that_breaks_off(exa: LoopbackExa, fake_time: FakeTime) -> None:
    """HTTP-15, HTTP-16: an error's body that breaks was no success: it's asked again, and billed nothing."""

    async def act(arrived: Call) -> aiohttp.web.StreamResponse:
        response = aiohttp.web.StreamResponse(status=503, headers={"Content-Length": "500"})
        await response.prepare(arrived.request)
        assert arrived.request.transport is not None
        arrived.request.transport.close()
        return response

    transport = open_transport(fake_time)
    exa.fail(always=act)
    with pytest.raises(errors.BackendUnreachable) as caught:
        await transport.call(call(exa))
    assert len(exa.requests) == 4
    assert not caught.value.billed
    await transport.close()


@pytest.mark.parametrize("fault", [faults.hang, faults.hang_midway])
async def test_a_timeout_after_sending(exa: LoopbackExa, fake_time: FakeTime, fault: Fault) -> None:
    """HTTP-16: a timeout may be billed once the request went out."""
    transport = open_transport(fake_time, timeout_s=0.2)
    exa.fail(always=fault)
    with pytest.raises(errors.BackendTimeout) as caught:
        await transport.call(call(exa))
    assert caught.value.billed
    await transport.close()


async def test_a_timeout_before_sending(exa: LoopbackExa) -> None:
    """HTTP-16: what waits in vain for a connection was never sent, and bills nothing."""
    session = http.open_session()
    patient, hasty = (http.Transport(session, backend="Exa", timeout_s=seconds) for seconds in (15, 0.2))
    exa.hold()
    busy = [asyncio.create_task(patient.call(call(exa))) for _ in range(http.CONNECTIONS)]
    await exa.received(http.CONNECTIONS)
    with pytest.raises(errors.BackendTimeout) as caught:
        await hasty.call(call(exa))
    assert not caught.value.billed
    for one in busy:
        one.cancel()
    await asyncio.gather(*busy, return_exceptions=True)
    exa.release()
    await session.close()


@pytest.mark.parametrize(("fault", "billed"), [(faults.error(503), False), (faults.reset, True)])
async def test_a_timeout_between_tries(exa: LoopbackExa, fault: Fault, *, billed: bool) -> None:
    """HTTP-16: a deadline that comes during the wait for another try goes by how the last one ended."""

    async def oversleep(_: float) -> None:
        await asyncio.Event().wait()

    transport = http.Transport(http.open_session(), backend="Exa", timeout_s=0.2, sleep=oversleep, random=lambda: 0.0)
    exa.fail(always=fault)
    with pytest.raises(errors.BackendTimeout) as caught:
        await transport.call(call(exa))
    assert caught.value.billed is billed
    await transport.close()
