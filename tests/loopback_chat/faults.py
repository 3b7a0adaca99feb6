"""Misbehave like OpenAI-compatible endpoints, and like the servers and networks between us and them."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
    "said",
    "zipped",
]


def error_body(message: str, kind: str = "server_error", code: object = None) -> dict[str, object]:
    """Return the documented body of an error."""
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


def error(
    status: int,
    code: object = None,
    message: str = "Refused",
    kind: str = "server_error",
    headers: Mapping[str, str] | None = None,
) -> Fault:
    """Answer with an error as documented."""
    return answer(error_body(message, kind, code), status, headers)


def said(text: object, *, finish: str | None = "stop", **fields: object) -> Fault:
    """Answer 200 with a message of this text, beside further fields."""
    message = {"role": "assistant", "content": text}
    return answer({"choices": [{"index": 0, "message": message, "finish_reason": finish}], **fields})


def echo(make: Callable[[Call], str], status: int = 401, code: str = "invalid_api_key") -> Fault:
    """Answer with an error whose message is made of what was sent."""

    async def act(call: Call) -> web.StreamResponse:
        return web.json_response(error_body(make(call), code=code), status=status)

    return act
