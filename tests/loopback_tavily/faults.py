"""Misbehave like Tavily; what any server does wrong is in `loopback_engine.faults`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from aiohttp import web

from loopback_engine.faults import answer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from loopback_engine import Call, Fault

REQUEST_ID: Final = "9f1c2d3e-0000-4000-8000-1234567890ab"


def error_body(message: str) -> dict[str, dict[str, str]]:
    """Return the documented body of an error."""
    return {"detail": {"error": message}}


def error(status: int, message: str = "Refused", headers: Mapping[str, str] | None = None) -> Fault:
    """Answer with an error as documented."""
    return answer(error_body(message), status, headers)


def rows(*found: object, **fields: object) -> Fault:
    """Answer 200 with these rows, whatever they are, beside further fields."""
    body = {"query": "bread", "answer": None, "images": [], "results": list(found), "response_time": 0.5}
    return answer({**body, "request_id": REQUEST_ID, **fields})


def echo(make: Callable[[Call], str], status: int = 401) -> Fault:
    """Answer with an error whose message is made of what was sent."""

    async def act(call: Call) -> web.StreamResponse:
        return web.json_response(error_body(make(call)), status=status)

    return act
