"""Misbehave like Jina; what any server does wrong is in `loopback_engine.faults`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aiohttp import web

from loopback_engine.faults import answer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from loopback_engine import Call, Fault


def error_body(status: int, code: int, message: str, name: str = "Error") -> dict[str, object]:
    """Return the documented body of an error; `code` is Jina's own, of five digits."""
    return {
        "data": None,
        "code": status,
        "status": code,
        "name": name,
        "message": message,
        "readableMessage": f"{name}: {message}",
    }


def refuse(status: int, code: int, name: str, message: str) -> web.Response:
    """Make the answer of an error."""
    return web.json_response(error_body(status, code, message, name), status=status)


def error(status: int, code: int = 0, message: str = "Refused", headers: Mapping[str, str] | None = None) -> Fault:
    """Answer with an error as documented; without a code of its own, with the status alone and two zeros."""
    return answer(error_body(status, code or status * 100, message), status, headers)


def rows(*found: object, **fields: object) -> Fault:
    """Answer 200 with these rows, whatever they are, beside further fields."""
    return answer({"code": 200, "status": 20_000, "data": list(found), "meta": {}, **fields})


def page(data: object) -> Fault:
    """Answer 200 with a page that was read, whatever it is."""
    return answer({"code": 200, "status": 20_000, "data": data, "meta": {}})


def echo(make: Callable[[Call], str], status: int = 401) -> Fault:
    """Answer with an error whose message is made of what was sent."""

    async def act(call: Call) -> web.StreamResponse:
        return refuse(status, status * 100, "Error", make(call))

    return act
