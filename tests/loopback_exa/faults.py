"""Misbehave like Exa, and like the servers, gateways and networks between us and it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from aiohttp import web

from loopback_engine.faults import (
    Call,
    Fault,
    answer,
    bomb,
    cut_short,
    drip,
    gibberish,
    hang,
    hang_midway,
    hang_up,
    html,
    redirect,
    reset,
    reset_midway,
    zipped,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = [
    "REQUEST_ID",
    "Call",
    "Fault",
    "answer",
    "bomb",
    "cut_short",
    "drip",
    "echo",
    "error",
    "error_body",
    "gibberish",
    "hang",
    "hang_midway",
    "hang_up",
    "html",
    "redirect",
    "reset",
    "reset_midway",
    "rows",
    "zipped",
]

REQUEST_ID: Final = "0123456789abcdef0123456789abcdef"


def error_body(message: str, tag: str) -> dict[str, str]:
    """Return the documented body of an error."""
    return {"requestId": REQUEST_ID, "error": message, "tag": tag}


def error(status: int, tag: str = "", message: str = "Refused", headers: Mapping[str, str] | None = None) -> Fault:
    """Answer with an error as documented, or with {"error"} alone where no tag is given."""
    return answer(error_body(message, tag) if tag else {"error": message}, status, headers)


def rows(*found: object, **fields: object) -> Fault:
    """Answer 200 with these rows, whatever they are, beside further fields."""
    return answer({"requestId": REQUEST_ID, "results": list(found), **fields})


def echo(make: Callable[[Call], str], status: int = 401, tag: str = "INVALID_API_KEY") -> Fault:
    """Answer with an error whose message is made of what was sent."""

    async def act(call: Call) -> web.StreamResponse:
        return web.json_response(error_body(make(call), tag), status=status)

    return act
