"""List what any server, gateway or network does wrong, and what each ends in, whatever the engine."""

from __future__ import annotations

import gzip
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import msgspec

from cogs.websearch import errors, limits
from contract.shape import Engine, Way
from loopback_engine import faults

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from loopback_engine import Fault

    Kind = type[errors.BackendError] | None
    Maker = Callable[[bytes], Fault]

_MOST: Final = limits.BODY_BYTES
_BOMB: Final = faults.bomb(20)
_BOM: Final = b"\xef\xbb\xbf"


@dataclass(frozen=True, kw_only=True)
class Trouble:
    """Hold what happens: `make` makes the fault of a good answer's bytes.

    `ends` is the error, or None where the good answer is shown all the same; `fetched` is the same where a page is
    fetched, of which what is beyond 4 MiB is left out, not refused. What is `endless` ends with the deadline.
    """

    make: Maker
    ends: Kind
    fetched: Kind
    endless: bool = False

    def end(self, way: Way) -> Kind:
        """Tell what it ends in."""
        return self.fetched if way is Way.FETCH else self.ends


def always(fault: Fault) -> Maker:
    """Make the same fault of any answer."""
    return lambda _good: fault


def good(engine: Engine, way: Way) -> bytes:
    """Return a good answer as bytes."""
    return msgspec.json.encode(engine.shapes[way].good)


def _all(ends: Kind, makers: Mapping[str, Maker]) -> dict[str, Trouble]:
    return {what: Trouble(make=make, ends=ends, fetched=ends) for what, make in makers.items()}


_TIMEOUTS: Final = {
    what: Trouble(make=always(fault), ends=errors.BackendTimeout, fetched=errors.BackendTimeout, endless=True)
    for what, fault in {
        "no answer": faults.hang,
        "half of an answer, then nothing": faults.hang_midway,
        "an answer a byte at a time, without an end": faults.drip,
    }.items()
}
_BROKEN: Final = _all(
    errors.BackendUnreachable,
    {
        "the connection is reset": always(faults.reset),
        "the connection is reset in the middle of an answer": always(faults.reset_midway),
        "the connection is closed without an answer": always(faults.hang_up),
        "the connection is closed in the middle of an answer": always(faults.cut_short),
    },
)
_STATUSES: Final = {
    **_all(errors.BackendBroken, {"`502` with a gateway's page": always(faults.html(502))}),
    **_all(errors.BackendBroken, {"`418`, undocumented": always(faults.html(418))}),
    **_all(errors.BackendOverloaded, {"`503` with a gateway's page": always(faults.html(503))}),
    **_all(errors.BackendTimeout, {"`504` with a gateway's page": always(faults.html(504))}),
    **_all(errors.EndpointMissing, {"`404` with a page": always(faults.html(404))}),
}
_SENSELESS: Final = _all(
    errors.InvalidAnswer,
    {
        "an empty answer": always(faults.answer(b"")),
        "`204`": always(faults.answer(b"", 204)),
        "`null`": always(faults.answer(None)),
        "a list": always(faults.answer([])),
        "a list that holds the answer": lambda raw: faults.answer(b"[" + raw + b"]"),
        "a number": always(faults.answer(7)),
        "a text": always(faults.answer("Good")),
        "an object without fields": always(faults.answer({})),
        "an answer that stops halfway": lambda raw: faults.answer(raw[: len(raw) // 2]),
        "an answer without its last byte": lambda raw: faults.answer(raw[:-1]),
        "an answer twice": lambda raw: faults.answer(raw + raw),
        "an HTML page with `200`": always(faults.html()),
        "text that is not UTF-8": lambda raw: faults.answer(raw.replace(b"ood", b"o\xffd")),
        "UTF-16": lambda raw: faults.answer(raw.decode().encode("utf-16")),
        "`NaN` in a field": lambda raw: faults.answer(b'{"new":NaN,' + raw[1:]),
        "100,000 brackets inside each other": always(faults.answer(b"[" * 100_000 + b"]" * 100_000)),
        "100,000 brackets in a field": lambda raw: faults.answer(
            b'{"new":' + b"[" * 100_000 + b"]" * 100_000 + b"," + raw[1:]
        ),
        "gzip that is none": always(faults.zipped(b"nothing of the kind")),
        "gzip that is damaged": lambda raw: faults.zipped(gzip.compress(raw)[:12] + b"\xff" * 40),
        "something that is no HTTP": always(faults.gibberish),
    },
)
_LARGE: Final = {
    what: Trouble(make=always(fault), ends=errors.AnswerTooLarge, fetched=errors.InvalidAnswer)
    for what, fault in {
        "4 MiB of nothing and a byte more": faults.answer(b" " * (_MOST + 1)),
        "gzip of a few kilobytes that unpacks to 20 MiB of nothing": _BOMB,
    }.items()
}
_TOO_LONG: Final = {
    "a good answer, and more than 4 MiB in a field that nobody knows": Trouble(
        make=lambda raw: faults.answer(raw[:-1] + b',"new":"' + b"x" * _MOST + b'"}'),
        ends=errors.AnswerTooLarge,
        fetched=None,
    )
}
_GOOD: Final = _all(
    None,
    {
        "a good answer": faults.answer,
        "a good answer as text": lambda raw: faults.answer(raw, headers={"Content-Type": "text/plain"}),
        "a good answer with `201`": lambda raw: faults.answer(raw, 201),
        "a good answer in gzip": lambda raw: faults.zipped(gzip.compress(raw)),
        "a good answer in deflate": lambda raw: faults.zipped(zlib.compress(raw), "deflate"),
        "a good answer of 4 MiB, most of it blank": lambda raw: faults.answer(raw + b" " * (_MOST - len(raw))),
        "fields that nobody knows": lambda raw: faults.answer(b'{"new":[1],"newer":{"a":null},' + raw[1:]),
        "a number beyond all numbers in a field that nobody knows": lambda raw: faults.answer(
            b'{"new":1e999,' + raw[1:]
        ),
        "half an emoji in a field that nobody knows": lambda raw: faults.answer(b'{"new":"\\ud83d",' + raw[1:]),
    },
)

# All but redirects, which need the address of a second server.
TROUBLES: Final[Mapping[str, Trouble]] = {
    **_TIMEOUTS, **_BROKEN, **_STATUSES, **_SENSELESS, **_LARGE, **_TOO_LONG, **_GOOD,
}  # fmt: skip
# How many searches are made at most while a fault lasts.
TRIES: Final = 4
REDIRECTS: Final = (301, 302, 303, 307, 308)
