"""Serve the loopback Discord on 127.0.0.1: its REST routes and its gateway."""

from __future__ import annotations

import asyncio
import json
import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Self

from aiohttp import web

from . import contract, refusals, routes_app, routes_channels, routes_guilds, routes_interactions
from .clock import Clock
from .faults import Fault, Faults
from .refusals import Json, Refusal
from .rest import Answer, Call, Route, Router
from .sessions import CloseCode, Intent
from .world import World

if TYPE_CHECKING:
    from types import TracebackType

_API: Final = "/api/v10"
_GATEWAY: Final = "/gateway"
_ALL_INTENTS: Final = Intent((1 << 26) - 1)
# What Discord takes at most in one request; more is cut off by the server.
_LARGEST_BODY: Final = 25 * 1024 * 1024


@dataclass
class Request:
    """Hold a request that came in, and what was answered.

    `status` is None while it's unanswered, 0 where the connection was cut. `template` is the path as Discord's document
    writes it, empty where there is no such route.
    """

    method: str
    path: str
    query: dict[str, str]
    body: object = None
    files: tuple[tuple[str, bytes], ...] = ()
    status: int | None = None
    template: str = ""
    answer: object = None

    def __str__(self) -> str:
        """Write method and path."""
        return f"{self.method} {self.path}"


class LoopbackDiscord(World):
    """Be a world and its server, for as long as the context lasts.

    `api_url` and `gateway_url` are its addresses, also for a bot in another process; `token` is the one that it takes.
    `requests` holds every request, `problems` every rule that the client broke. `patience` is in real seconds.
    """

    def __init__(
        self, clock: Clock | None = None, *, patience: float = 10.0, intents: Intent = _ALL_INTENTS, shards: int = 1
    ) -> None:
        """Make an empty world; `shards` is how many the bot is told to use."""
        super().__init__(clock or Clock(), secrets.token_urlsafe(32), patience=patience, intents=intents)
        self.gateway.shards = shards
        self.requests: list[Request] = []
        self.contract = contract.load()
        self.faults = Faults(self.changes)
        self.fail = self.faults.fail
        self.drop = self.faults.drop
        self.hold = self.faults.hold
        self.slow = self.faults.slow
        self.disturb = self.faults.disturb
        self.api_url = ""
        self.gateway_url = ""
        self._runner: web.AppRunner | None = None
        routes = (routes_app, routes_interactions, routes_channels, routes_guilds)
        self._router = Router(route for module in routes for route in module.ROUTES)

    def forget(self) -> None:
        """Forget the answered requests and the spent faults, and whatever else the world need not keep."""
        super().forget()
        self.requests[:] = [request for request in self.requests if request.status is None]
        self.faults.forget_spent()

    async def __aenter__(self) -> Self:
        """Start to serve."""
        app = web.Application(client_max_size=_LARGEST_BODY)
        app.router.add_get(_GATEWAY, self.gateway.serve)
        app.router.add_route("*", _API + "{path:/.*}", self._serve)
        self._runner = web.AppRunner(app, shutdown_timeout=1.0, access_log=None)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        port = self._runner.addresses[0][1]
        self.api_url = f"http://127.0.0.1:{port}{_API}"
        self.gateway_url = self.gateway.url = f"ws://127.0.0.1:{port}{_GATEWAY}"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Release what is held and close every connection."""
        self.faults.clear()
        self.gateway.close(CloseCode.GOING_AWAY)
        if self._runner is not None:
            await self._runner.cleanup()

    async def _serve(self, raw: web.Request) -> web.StreamResponse:
        path = raw.match_info["path"]
        request = Request(raw.method, path, dict(raw.query))
        self.requests.append(request)
        fault = self.faults.take(raw.method, path)
        if fault is not None and not fault.after:
            early = await self._suffer(raw, request, fault)
            if early is not None:
                return early
        try:
            response = await self._answer(raw, request)
        except ConnectionError:
            # The client has gone before all of it arrived: nobody is left to be answered.
            return self._cut(raw, request)
        if fault is not None and fault.after:
            response = await self._suffer(raw, request, fault) or response
        request.status = response.status
        self.changes.notify()
        return response

    async def _suffer(self, raw: web.Request, request: Request, fault: Fault) -> web.StreamResponse | None:
        if fault.gate is not None:
            await fault.gate.wait()
            return None
        if fault.seconds:
            await asyncio.sleep(fault.seconds)
            return None
        if fault.drop:
            return self._cut(raw, request)
        request.status = fault.status
        if isinstance(fault.body, str):
            kind = "text/html"
            return web.Response(status=fault.status or 500, text=fault.body, content_type=kind, headers=fault.headers)
        return _json(fault.body, fault.status or 500, fault.headers)

    def _cut(self, raw: web.Request, request: Request) -> web.Response:
        request.status = 0
        if raw.transport is not None:
            raw.transport.abort()
        self.changes.notify()
        return web.Response(status=500)

    async def _answer(self, raw: web.Request, request: Request) -> web.StreamResponse:
        try:
            answer = await self._dispatch(raw, request)
        except Refusal as refusal:
            request.answer = refusal.body()
            if refusal.problem:
                details = "; ".join(map(str, refusal.flaws)) or str(refusal)
                self.report(str(request), details)
            return _json(refusal.body(), refusal.status)
        except ConnectionError:
            raise
        except Exception as error:
            # aiohttp logs it and answers 500, which a client would take for a fault that passes.
            self.report(str(request), f"the loopback failed on it: {error!r}")
            raise
        request.answer = answer.body
        if answer.body is None:
            return web.Response(status=204)
        return _json(answer.body, answer.status)

    async def _dispatch(self, raw: web.Request, request: Request) -> Answer:
        found = self._router.find(request.method, request.path)
        if found is None:
            self.report(str(request), "there is no such route here")
            raise Refusal(404, 0, "404: Not Found")
        route, params = found
        request.template = route.template
        if not route.public and raw.headers.get("Authorization") != f"Bot {self.token}":
            raise refusals.unauthorized()
        await _read(raw, request)
        self._check(route, request)
        call = Call(self, request.method, request.path, params, request.query, request.body, request.files)
        return route.handler(call)

    def _check(self, route: Route, request: Request) -> None:
        if self.contract is None:
            return
        refusals.check(self.contract.check_request(route.method, route.template, request.body))


async def _read(raw: web.Request, request: Request) -> None:
    if raw.content_type == "multipart/form-data":
        form = await raw.post()
        said = form.get("payload_json", "{}")
        text = said.decode() if isinstance(said, bytes | bytearray) else str(said)
        files: dict[str, tuple[str, bytes]] = {}
        for name, value in form.items():
            if isinstance(value, web.FileField):
                files[name] = (value.filename, await asyncio.to_thread(value.file.read))
        request.files = tuple(files[name] for name in sorted(files, key=lambda name: (len(name), name)))
    else:
        text = await raw.text()
    if not text:
        return
    try:
        request.body = json.loads(text)
        # Half of a surrogate pair is a valid escape in JSON, and no text.
        json.dumps(request.body, ensure_ascii=False).encode()
    except ValueError:
        raise refusals.invalid_json() from None


def _json(body: object, status: int, headers: Json | None = None) -> web.Response:
    # aiohttp would add a charset; Discord sends none, and discord.py takes an answer for JSON only without one.
    exact = {**(headers or {}), "Content-Type": "application/json"}
    return web.Response(body=json.dumps(body).encode(), status=status, headers=exact)
