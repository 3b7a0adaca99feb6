"""Take pictures with Debian's Chromium, told over its own debugging protocol what to do."""

from __future__ import annotations

import asyncio
import base64
import json
import re
import tempfile
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Final

import aiohttp

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

_FLAGS: Final = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync", "--remote-debugging-port=0"),
)
_LISTENING: Final = re.compile(rb"DevTools listening on (ws://\S+)")
# How long the browser may take to start, and for each thing that it is told, in seconds.
_PATIENCE: Final = 60
# A page with all its fonts; a picture of a long page has many megabytes in base64.
_LARGEST_MESSAGE: Final = 256 * 1024 * 1024
_BOX: Final = """
document.fonts.ready.then(() => Object.fromEntries(Array.from(document.querySelectorAll("[id]"), element => {
  const box = element.getBoundingClientRect();
  return [element.id, {x: box.x, y: box.y, width: box.width, height: box.height}];
})))
"""


class BrowserFailed(RuntimeError):
    """Say that the browser did not start, or refused something; `said` is what it wrote."""

    def __init__(self, said: str) -> None:
        super().__init__(f"Chromium failed: {said}")


class Tab:
    """Be one page of a running browser."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._session = ""
        self._count = 0

    async def open(self) -> None:
        """Open an empty page."""
        target = await self._tell("Target.createTarget", url="about:blank")
        attached = await self._tell("Target.attachToTarget", targetId=target["targetId"], flatten=True)
        self._session = attached["sessionId"]

    async def show(self, html: str, *, width: int, scale: float) -> dict[str, dict[str, float]]:
        """Show a page in a window of `width` pixels at `scale`; return the box of each element with an id, by id."""
        await self._tell(
            "Emulation.setDeviceMetricsOverride", width=width, height=800, deviceScaleFactor=scale, mobile=False
        )
        frame = (await self._tell("Page.getFrameTree"))["frameTree"]["frame"]["id"]
        await self._tell("Page.setDocumentContent", frameId=frame, html=html)
        found = await self._tell("Runtime.evaluate", expression=_BOX, awaitPromise=True, returnByValue=True)
        boxes: dict[str, dict[str, float]] = found["result"]["value"]
        return boxes

    async def picture(self, box: dict[str, float]) -> bytes:
        """Take a PNG of a part of the page."""
        taken = await self._tell(
            "Page.captureScreenshot", format="png", captureBeyondViewport=True, clip={**box, "scale": 1}
        )
        return base64.b64decode(taken["data"])

    async def _tell(self, method: str, **params: object) -> dict[str, Any]:
        self._count += 1
        asked: dict[str, object] = {"id": self._count, "method": method, "params": params}
        if self._session:
            asked["sessionId"] = self._session
        await self._socket.send_json(asked)
        while True:
            answer = await self._socket.receive_json(timeout=_PATIENCE)
            if answer.get("id") == self._count:
                break
        if "error" in answer:
            raise BrowserFailed(json.dumps(answer["error"]))
        result: dict[str, Any] = answer["result"]
        return result


@asynccontextmanager
async def browser() -> AsyncIterator[Tab]:
    """Run Chromium with a new, empty profile and give one page of it; raise `BrowserFailed` where it won't start."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        process = await asyncio.create_subprocess_exec(
            "chromium", *_FLAGS, f"--user-data-dir={profile}", "about:blank",
            stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        assert process.stderr is not None  # noqa: S101 - a pipe was asked for
        try:
            async with asyncio.timeout(_PATIENCE):
                address = await _address(process.stderr)
            drained = asyncio.create_task(process.stderr.read())
            async with (
                aiohttp.ClientSession() as session,
                session.ws_connect(address, max_msg_size=_LARGEST_MESSAGE) as socket,
            ):
                tab = Tab(socket)
                await tab.open()
                yield tab
            process.terminate()
            await drained
        finally:
            if process.returncode is None:
                process.kill()
            await process.wait()


async def _address(stderr: asyncio.StreamReader) -> str:
    lines = []
    async for line in stderr:
        lines.append(line.decode(errors="replace"))
        if found := _LISTENING.search(line):
            return found[1].decode()
    raise BrowserFailed("".join(lines[-5:]))
