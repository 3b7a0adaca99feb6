"""Measure a search with Exa, request to cleaned results, beside one bare pooled aiohttp POST and `json()`.

The engine stands in a process of its own and answers as fast as it can, so that what is compared is the client's work.
Rounds of the two are interleaved; a table shows medians with the quartiles of their ratio, and the ratio of the work
that this process does, which holds still where other programs keep the machine busy. Run it from the root of the
source: `python -m benchmarks.client`. It takes about twenty seconds.
"""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import statistics
import sys
import time
from typing import TYPE_CHECKING, Final

import aiohttp

from cogs.websearch.backends import exa, http
from cogs.websearch.models import SearchRequest

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from multiprocessing.connection import Connection

    Search = Callable[[], Awaitable[object]]

ROUNDS: Final = 40
# How many run at once, how many searches a round has, and the design's budget for the ratio.
LOADS: Final = ((1, 100, 1.35), (50, 400, 1.8))
RESULTS: Final = 5
SNIPPET: Final = 400
KEY: Final = "5f0c9d1e-7a3b-4c52-9e86-d4b1a2f37c60"
SENTENCE: Final = (
    "The event loop runs callbacks, performs network input & output, and runs “subprocesses” in **turn**. "
)


def body() -> bytes:
    """Make the answer: as many characters of highlights and of text as are asked for, a quarter more than a snippet."""
    passage = (SENTENCE * 20)[: SNIPPET * 5 // 4]
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


def serve(pipe: Connection) -> None:
    """Serve on a free port that is told over the pipe, until the process is ended."""

    async def main() -> None:
        content = body()
        head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n".encode()
        server = await asyncio.get_running_loop().create_server(lambda: Engine(head + content), "127.0.0.1", 0)
        pipe.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(main())


async def timed(search: Search, at_once: int, count: int) -> tuple[float, float]:
    """Return the seconds that one search takes on average, and those that this process works for it."""

    async def worker() -> None:
        for _ in range(count // at_once):
            await search()

    start, worked = time.perf_counter(), time.process_time()
    await asyncio.gather(*(worker() for _ in range(at_once)))
    return (time.perf_counter() - start) / count, (time.process_time() - worked) / count


def line(at_once: int, budget: float, pairs: list[tuple[tuple[float, float], tuple[float, float]]]) -> str:
    """Return a line of the table for rounds of the bare request and ours."""
    low, middle, high = statistics.quantiles([ours[0] / bare[0] for bare, ours in pairs], n=4)
    work = statistics.median(ours[1] / bare[1] for bare, ours in pairs)
    bare_us, ours_us = (statistics.median(times[0] for times in side) * 1e6 for side in zip(*pairs, strict=True))
    times = f"{at_once:7}   {bare_us:6.0f} µs   {ours_us:5.0f} µs"
    return f"{times}   {middle:5.2f}   ({low:.2f}-{high:.2f})   {budget:6.2f}   {work:12.2f}"


async def measure(url: str) -> list[str]:
    """Return the lines of the table."""
    request = SearchRequest(query="how does the event loop run callbacks", count=RESULTS)
    payload = exa.to_payload(request, search_type="auto", snippet_chars=SNIPPET, now=time.time())
    session = aiohttp.ClientSession()
    searcher = exa.ExaSearcher(
        http.Transport(http.open_session(), backend=exa.NAME, timeout_s=15),
        key=KEY,
        base_url=url,
        search_type="auto",
        snippet_chars=SNIPPET,
    )

    async def bare() -> object:
        async with session.post(f"{url}/search", json=payload, headers={"x-api-key": KEY}) as response:
            found: object = await response.json()
            return found

    async def ours() -> object:
        return await searcher.search(request)

    lines = ["at once   bare POST   a search   ratio   (quartiles)   budget   ratio of CPU"]
    for at_once, count, budget in LOADS:
        await timed(bare, at_once, count)
        await timed(ours, at_once, count)
        pairs = [(await timed(bare, at_once, count), await timed(ours, at_once, count)) for _ in range(ROUNDS)]
        lines.append(line(at_once, budget, pairs))
    await session.close()
    await searcher.close()
    return lines


def main() -> None:
    """Start the engine, measure, and print the table."""
    ours, theirs = multiprocessing.Pipe()
    engine = multiprocessing.get_context("spawn").Process(target=serve, args=(theirs,), daemon=True)
    engine.start()
    try:
        lines = asyncio.run(measure(f"http://127.0.0.1:{ours.recv()}"))
    finally:
        engine.terminate()
        engine.join()
    sys.stdout.write("\n".join((*lines, f"aiohttp {aiohttp.__version__}, Python {sys.version.split()[0]}", "")))


if __name__ == "__main__":
    main()
