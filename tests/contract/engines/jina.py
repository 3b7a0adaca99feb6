"""What Jina's search and reader answer, and how they refuse: https://jina.ai/reader."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cogs.websearch import errors
from cogs.websearch.backends import jina
from contract.shape import SNIPPET_CHARS, Engine, Opening, Refusal, Shape, Way, refused
from loopback_jina import KEY, faults

if TYPE_CHECKING:
    from collections.abc import Iterator

_META: Final = {"usage": {"tokens": 10_000}}
_ROW: Final = {"content": "", "warning": "Slow", "usage": {"tokens": 2000}}


def _search(*rows: object) -> dict[str, object]:
    return {"code": 200, "status": 20_000, "data": list(rows), "meta": _META}


def _read(*rows: object) -> dict[str, object]:
    return {"code": 200, "status": 20_000, "data": rows[0] if rows else None, "meta": _META}


def _refusals() -> Iterator[Refusal]:
    for status, code, ends in (
        (401, 40103, errors.KeyRefused),
        (402, 40203, errors.CreditsExhausted),
        (429, 42903, errors.RateLimited),
        (451, 45102, errors.ContentProhibited),
    ):
        yield Refusal(what=f"`{status}` with `{code}`", fault=faults.error(status, code), ends=ends)
    nothing = faults.error(422, 42206)
    yield Refusal(what="`422` with `42206`", fault=nothing, ends=None, ways=(Way.SEARCH,))
    yield Refusal(what="`422` with `42206`", fault=nothing, ends=errors.PageUnreadable, ways=(Way.FETCH,))
    yield from refused("`422` with another code", faults.error(422, 42200), errors.RequestRejected)
    yield from refused("`400`", faults.error(400, 40001), errors.RequestRejected)
    yield Refusal(what="`500`", fault=faults.error(500, 50000), ends=errors.BackendBroken)
    yield Refusal(what="`503`", fault=faults.error(503, 50300), ends=errors.BackendOverloaded)


def _open(opening: Opening) -> jina.JinaSearcher:
    return jina.JinaSearcher(
        opening.transport,
        key=KEY,
        search_url=opening.url,
        reader_url=opening.url,
        snippet_chars=SNIPPET_CHARS,
        wall_clock=opening.wall_clock,
    )


ENGINE: Final = Engine(
    name="jina",
    shown=jina.NAME,
    key=KEY,
    prefix="jina_",
    open=_open,
    able=jina.JinaSearcher.capabilities,
    shapes={
        Way.SEARCH: Shape(
            wrap=_search,
            names={"url": "url", "title": "title", "text": "description", "published": "publishedTime"},
            extra=_ROW,
        ),
        Way.FETCH: Shape(
            wrap=_read,
            names={"url": "url", "title": "title", "text": "content", "published": "publishedTime"},
            extra={"description": "", "usage": {"tokens": 400}},
        ),
    },
    error=lambda message: faults.error_body(400, 40001, message),
    limited=errors.RateLimited,
    refusals=tuple(_refusals()),
    price="A search 10,000 tokens, which is $0.0005 at $0.05 for a million; a page as many as it has. What Jina names "
    "as its tokens counts.",
    proof="Nothing of Jina's that could be installed: it follows Jina's reference field by field.",
)
