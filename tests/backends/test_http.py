"""Carry requests over real connections, and wait on a clock that only sleeping moves."""

from __future__ import annotations

import asyncio
import gc
import json
import subprocess
import sys
import time
import tracemalloc
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import TYPE_CHECKING

import aiohttp
import pytest
from hypothesis import given
from hypothesis import strategies as st
from yarl import URL

from cogs.websearch import errors, limits
from cogs.websearch.backends import http, jsonbody
from engine_tools import NOW, FakeTime, open_transport
from loopback_exa import Call, LoopbackExa, faults

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from loopback_exa import Fault

FAST = faults.answer({"results": []})
BROKEN = [faults.hang_up, faults.reset]


@pytest.fixture
async def transport(fake_time: FakeTime) -> AsyncIterator[http.Transport]:
    """Open a transport with a deadline of 15 seconds on the fake clock."""
    opened = open_transport(fake_time)
    yield opened
    await opened.close()


def call(exa: LoopbackExa) -> http.Call:
    """Make a request for the stand-in."""
    return http.Call(method="POST", url=URL(exa.url) / "search", headers={"x-api-key": exa.key}, body=b"{}")


async def test_one_pool(exa: LoopbackExa, transport: http.Transport) -> None:
    """HTTP-01: searches one after the other go over the same connection."""
    ports = set()

    async def remember(arrived: Call) -> aiohttp.web.StreamResponse:
        assert arrived.request.transport is not None
        ports.add(arrived.request.transport.get_extra_info("peername")[1])
        return await FAST(arrived)

    exa.fail(always=remember)
    for _ in range(5):
        await transport.call(call(exa))
    assert len(ports) == 1


async def test_closing_twice(exa: LoopbackExa, fake_time: FakeTime) -> None:
    """HTTP-01: closing twice does no harm, and closes the session that was handed over."""
    session = http.open_session()
    transport = http.Transport(session, backend="Exa", timeout_s=15, sleep=fake_time.sleep)
    exa.fail(always=FAST)
    await transport.call(call(exa))
    await transport.close()
    await transport.close()
    assert session.closed


@pytest.mark.parametrize("fault", [faults.hang, faults.hang_midway, faults.drip])
async def test_deadline_over_reading(exa: LoopbackExa, fake_time: FakeTime, fault: Fault) -> None:
    """HTTP-02: an answer that doesn't come, stops or drips ends at the deadline."""
    transport = open_transport(fake_time, timeout_s=0.2)
    exa.fail(always=fault)
    start = time.monotonic()
    with pytest.raises(errors.BackendTimeout):
        await transport.call(call(exa))
    assert 0.15 < time.monotonic() - start < 5
    assert len(exa.requests) == 1
    await transport.close()


async def test_deadline_over_waits(exa: LoopbackExa) -> None:
    """HTTP-02: a wait between two tries that takes longer than it should ends at the deadline as well."""

    async def oversleep(_: float) -> None:
        await asyncio.Event().wait()

    transport = http.Transport(http.open_session(), backend="Exa", timeout_s=0.2, sleep=oversleep, random=lambda: 0.0)
    exa.fail(always=faults.error(503))
    with pytest.raises(errors.BackendTimeout):
        await transport.call(call(exa))
    await transport.close()


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
async def test_passing_statuses(exa: LoopbackExa, transport: http.Transport, fake_time: FakeTime, status: int) -> None:
    """HTTP-03: a passing failure is tried again after waits that double, and the next good answer counts."""
    exa.fail(*[faults.error(status)] * 3, FAST)
    assert (await transport.call(call(exa))).status == 200
    assert fake_time.slept == [0.125, 0.25, 0.5]
    assert len(exa.requests) == 4


@pytest.mark.parametrize("fault", BROKEN)
async def test_broken_connections(exa: LoopbackExa, transport: http.Transport, fault: Fault) -> None:
    """HTTP-03: a connection that breaks is opened again."""
    exa.fail(fault, fault, FAST)
    assert (await transport.call(call(exa))).status == 200
    assert len(exa.requests) == 3


async def test_no_fifth_try(exa: LoopbackExa, transport: http.Transport) -> None:
    """HTTP-03: after four tries the last answer is what counts."""
    exa.fail(faults.error(500), faults.error(502), faults.reset, always=faults.error(503))
    assert (await transport.call(call(exa))).status == 503
    assert len(exa.requests) == 4


@pytest.mark.parametrize("fault", BROKEN)
async def test_unreachable(exa: LoopbackExa, transport: http.Transport, fault: Fault) -> None:
    """HTTP-03: a connection that breaks each time is said to be unreachable."""
    exa.fail(always=fault)
    with pytest.raises(errors.BackendUnreachable) as caught:
        await transport.call(call(exa))
    assert len(exa.requests) == 4
    assert caught.value.billed


async def test_nobody_listens(transport: http.Transport, fake_time: FakeTime) -> None:
    """HTTP-03, HTTP-16: an address where nobody listens is tried four times, is unreachable and bills nothing."""
    async with LoopbackExa() as exa:
        gone = call(exa)
    with pytest.raises(errors.BackendUnreachable) as caught:
        await transport.call(gone)
    assert not caught.value.billed
    assert len(fake_time.slept) == 3


@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 409, 422, 501])
async def test_lasting_statuses(exa: LoopbackExa, transport: http.Transport, status: int) -> None:
    """HTTP-03: what won't change by asking again isn't asked again."""
    exa.fail(always=faults.error(status))
    assert (await transport.call(call(exa))).status == status
    assert len(exa.requests) == 1


@pytest.mark.parametrize("chance", [0.0, 0.5, 1.0])
async def test_jitter(exa: LoopbackExa, fake_time: FakeTime, chance: float) -> None:
    """HTTP-03: chance moves a wait between its half and the whole."""
    transport = open_transport(fake_time, chance=chance)
    exa.fail(faults.error(503), FAST)
    await transport.call(call(exa))
    assert fake_time.slept == [0.25 * (0.5 + chance / 2)]
    await transport.close()


async def test_backoff_within_the_deadline(exa: LoopbackExa, fake_time: FakeTime) -> None:
    """HTTP-02, HTTP-03: a wait that would reach the deadline isn't begun."""
    transport = open_transport(fake_time, timeout_s=0.3)
    exa.fail(always=faults.error(503))
    assert (await transport.call(call(exa))).status == 503
    assert fake_time.slept == [0.125]
    await transport.close()


async def test_retry_after_that_fits(exa: LoopbackExa, transport: http.Transport, fake_time: FakeTime) -> None:
    """HTTP-04: a wait that the server asks for is waited for, in seconds and as a date."""
    later = format_datetime(datetime.fromtimestamp(NOW, UTC) + timedelta(seconds=9), usegmt=True)
    exa.fail(faults.error(429, headers={"Retry-After": "3"}), faults.error(503, headers={"Retry-After": later}), FAST)
    assert (await transport.call(call(exa))).status == 200
    assert fake_time.slept[0] == 3.125
    assert sum(fake_time.slept) == pytest.approx(9.25)


@pytest.mark.parametrize("asked", ["15", "60", "1e9", format_datetime(datetime(2026, 11, 30, 12, 1, tzinfo=UTC))])
async def test_retry_after_that_does_not_fit(
    exa: LoopbackExa, transport: http.Transport, fake_time: FakeTime, asked: str
) -> None:
    """HTTP-04: a wait that the deadline doesn't leave room for is told at once."""
    exa.fail(always=faults.error(429, headers={"Retry-After": asked}))
    reply = await transport.call(call(exa))
    assert reply.status == 429
    assert reply.retry_after == {"15": 15, "60": 60, "1e9": 86400}.get(asked, 60)
    assert fake_time.slept == []


@given(st.text(max_size=40) | st.floats().map(str) | st.datetimes().map(format_datetime))
def test_any_retry_after(header: str) -> None:
    """HTTP-04: whatever the header holds, it is up to a day of seconds or nothing."""
    found = http.parse_retry_after(header, now=NOW)
    assert found is None or 0 <= found <= 86400


async def test_largest_answer(exa: LoopbackExa, transport: http.Transport) -> None:
    """HTTP-05: an answer of exactly 4 MiB is read, and one of a byte more is refused."""
    exa.fail(faults.answer(b" " * limits.BODY_BYTES), always=faults.answer(b" " * (limits.BODY_BYTES + 1)))
    assert len((await transport.call(call(exa))).body) == limits.BODY_BYTES
    with pytest.raises(errors.AnswerTooLarge):
        await transport.call(call(exa))
    assert len(exa.requests) == 2


async def test_bomb(exa: LoopbackExa, transport: http.Transport) -> None:
    """HTTP-05: a few kilobytes that unpack to a hundred mebibytes are refused and never in memory."""
    exa.fail(always=faults.bomb(100))
    gc.collect()
    tracemalloc.start()
    try:
        with pytest.raises(errors.AnswerTooLarge):
            await transport.call(call(exa))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 4 * limits.BODY_BYTES


async def test_zipped_answers(exa: LoopbackExa, transport: http.Transport) -> None:
    """HTTP-05: an honest compressed answer arrives unpacked."""

    async def zipped(arrived: Call) -> aiohttp.web.StreamResponse:
        response = aiohttp.web.Response(body=b'{"results": []}' + b" " * 5000)
        response.enable_compression(aiohttp.web.ContentCoding.gzip)
        assert "gzip" in arrived.headers["accept-encoding"]
        return response

    exa.fail(always=zipped)
    assert jsonbody.decode((await transport.call(call(exa))).body) == {"results": []}


async def test_huge_error(exa: LoopbackExa, transport: http.Transport) -> None:
    """HTTP-05: a huge body doesn't hide what an error is, and isn't read to its end."""
    exa.fail(always=faults.html(401, "<p>Refused</p>" * 500_000))
    reply = await transport.call(call(exa))
    assert reply.status == 401
    assert len(reply.body) < 1024**2


@pytest.mark.parametrize("status", [301, 302, 303, 304, 307, 308])
async def test_redirects(exa: LoopbackExa, transport: http.Transport, status: int) -> None:
    """HTTP-06: a redirect is an error, and its target hears nothing."""
    async with LoopbackExa() as elsewhere:
        exa.fail(always=faults.redirect(f"{elsewhere.url}/search", status))
        with pytest.raises(errors.UnexpectedRedirect):
            await transport.call(call(exa))
        assert elsewhere.requests == []
    assert len(exa.requests) == 1


@pytest.mark.parametrize(
    "fault",
    [
        faults.gibberish,
        faults.zipped(b"this is not gzip"),
        faults.zipped(b"x", "br"),
        faults.zipped(b"\x00" * 9, "deflate"),
    ],
)
async def test_undecodable(exa: LoopbackExa, transport: http.Transport, fault: Fault) -> None:
    """HTTP-07: an answer that is no HTTP, or can't be unpacked, is invalid and isn't asked for again."""
    exa.fail(always=fault)
    with pytest.raises(errors.InvalidAnswer):
        await transport.call(call(exa))
    assert len(exa.requests) == 1


@pytest.mark.parametrize(
    "body",
    [
        *(
            b"",
            b" ",
            b"null",
            b"<html></html>",
            b'{"results": [',
            b'{"a": NaN}',
            b'{"a": -Infinity}',
            b"\xff\xfe{\x00}\x00",
        ),
        *(b'{"a": "\xe9"}', b"[" * 100_000, b'{"a":' * 100_000, b'{"a": 1} 2', b"9" * 5000, b'{"a": "\xed\xa0\x80"}'),
    ],
)
def test_what_is_no_json(body: bytes) -> None:
    """HTTP-07: what is no JSON in UTF-8, or is nested absurdly deep, is nothing."""
    assert jsonbody.decode(body) is None


def strictly(body: bytes) -> object:
    """Decode with the standard library, which takes Infinity and NaN for numbers unless it is told not to."""

    def refuse(name: str) -> object:
        raise ValueError(name)

    try:
        return json.loads(body.decode(), parse_constant=refuse)
    except (ValueError, RecursionError):
        return None


LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(codec=None), max_size=8)
VALUES = st.recursive(LEAVES, lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=4), inner), max_leaves=8)
BODIES = st.builds(lambda value, ascii_: json.dumps(value, ensure_ascii=ascii_), VALUES, st.booleans()).map(
    lambda written: written.encode(errors="surrogatepass")
)


DAMAGED = st.builds(lambda body, at, junk: body[:at] + junk + body[at:], BODIES, st.integers(0, 9), st.binary())


@given(BODIES | DAMAGED | st.binary(max_size=200))
def test_both_decoders_agree(body: bytes) -> None:
    """HTTP-07: whatever the bytes, half pairs of surrogates included, the standard library makes the same of them."""
    # Compared as they are written, since 1, 1.0 and True are equal.
    assert repr(jsonbody.decode(body)) == repr(strictly(body))


async def test_cancelled(exa: LoopbackExa, transport: http.Transport) -> None:
    """HTTP-11: a cancelled call ends as cancelled, and the next one works."""
    exa.hold()
    waiting = asyncio.create_task(transport.call(call(exa)))
    await exa.received(1)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    exa.fail(always=FAST)
    exa.release()
    assert (await transport.call(call(exa))).status == 200


async def test_cancelled_while_waiting(exa: LoopbackExa) -> None:
    """HTTP-11: a call that is cancelled between two tries ends as cancelled."""
    asleep = asyncio.Event()

    async def sleep(_: float) -> None:
        asleep.set()
        await asyncio.Event().wait()

    transport = http.Transport(http.open_session(), backend="Exa", timeout_s=15, sleep=sleep)
    exa.fail(always=faults.error(503))
    waiting = asyncio.create_task(transport.call(call(exa)))
    await asleep.wait()
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert len(exa.requests) == 1
    await transport.close()


async def test_connections_are_bounded(exa: LoopbackExa) -> None:
    """HTTP-13: more calls than connections all end well, and no more arrive at a time than there are connections."""
    transport = open_transport(FakeTime(), timeout_s=15)
    exa.fail(always=FAST)
    exa.hold()
    calls = [asyncio.create_task(transport.call(call(exa))) for _ in range(http.CONNECTIONS + 10)]
    await exa.received(http.CONNECTIONS)
    assert len(exa.requests) == http.CONNECTIONS
    exa.release()
    assert {reply.status for reply in await asyncio.gather(*calls)} == {200}
    await transport.close()


async def test_a_host_that_nobody_can_be_asked_for(transport: http.Transport) -> None:
    """HTTP-14: an address that is no host's is one that can't be reached."""
    with pytest.raises(errors.BackendUnreachable):
        await transport.call(http.Call(method="GET", url=URL("http://a..b/", encoded=True), headers={}))


ROOT = Path(__file__).parent.parent.parent
# Calls an address where nobody answers, first where no descriptor is to be had, then where some are.
_OUT_OF_DESCRIPTORS = """
import asyncio, os, resource, sys
from yarl import URL
from cogs.websearch import errors
from cogs.websearch.backends import http
waits = []
async def sleep(seconds):
    waits.append(seconds)
async def call(transport):
    try:
        await transport.call(http.Call(method="GET", url=URL("http://127.0.0.1:9/"), headers={}))
    except errors.BackendUnreachable:
        print(len(waits), "tenacity" in sys.modules)
async def main():
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    transport = http.Transport(http.open_session(), backend="Exa", timeout_s=60, sleep=sleep)
    resource.setrlimit(resource.RLIMIT_NOFILE, (os.dup(0) + 1, before[1]))
    await call(transport)
    resource.setrlimit(resource.RLIMIT_NOFILE, before)
    await call(transport)
    await transport.close()
asyncio.run(main())
"""


def test_a_process_out_of_descriptors_tries_again_once_it_has_some() -> None:
    """HTTP-21: where what tries again can't be loaded, the first call says why it failed; the next is tried again."""
    pytest.importorskip("resource")
    said = subprocess.run(  # noqa: S603 - our own interpreter and our own text
        [sys.executable, "-c", _OUT_OF_DESCRIPTORS], check=True, capture_output=True, text=True, cwd=ROOT
    )
    assert said.stdout.splitlines() == ["0 False", "3 True"]
