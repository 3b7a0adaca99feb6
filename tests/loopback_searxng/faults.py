"""Misbehave like SearXNG; what any server does wrong is in `loopback_engine.faults`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aiohttp import web

from loopback_engine.faults import answer, html

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from loopback_engine import Call, Fault

_PAGE = "<!doctype html><html><head><title>{0}</title></head><body><h1>{0}</h1></body></html>"


def body(*found: object, query: str = "bread") -> dict[str, object]:
    """Return the documented body of an answer with these rows."""
    return {
        "query": query,
        "results": list(found),
        "answers": [],
        "corrections": [],
        "infoboxes": [],
        "suggestions": ["bread recipe"],
        "unresponsive_engines": [],
    }


def page(status: int, title: str) -> web.Response:
    """Make the page that stands for an error."""
    return web.Response(status=status, text=_PAGE.format(title), content_type="text/html")


def error(status: int, message: str = "Refused", headers: Mapping[str, str] | None = None) -> Fault:
    """Answer with an error as documented: a page where the instance is set so, else the message alone."""
    if status in {403, 429} and not headers:
        return html(status, _PAGE.format(message))
    return answer({"error": message}, status, headers)


def rows(*found: object, **fields: object) -> Fault:
    """Answer 200 with these rows, whatever they are, beside further fields."""
    return answer({**body(*found), **fields})


def echo(make: Callable[[Call], str], status: int = 400) -> Fault:
    """Answer with an error whose message is made of what was sent."""

    async def act(call: Call) -> web.StreamResponse:
        return web.json_response({"error": make(call)}, status=status)

    return act
