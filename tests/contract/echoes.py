"""Let an engine say what it was sent, in every form, and look for that in what comes out."""

from __future__ import annotations

import traceback
import unicodedata
from typing import TYPE_CHECKING, Final
from urllib.parse import quote, unquote

import msgspec

from cogs.websearch import errors
from contract.checks import said
from loopback_engine import faults

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from aiohttp import web

    from contract.shape import Engine
    from contract.stage import Value
    from loopback_engine import Call, Fault

# Runs of a key that give it away in an error, and in what is shown, where pages hold much by chance.
RUN: Final = 6
SHOWN_RUN: Final = 16
# How a key may be written: as it is, in parts, in other letters, encoded.
FORMS: Final[dict[str, Callable[[str], str]]] = {
    "whole": lambda key: key,
    "its first half": lambda key: key[: len(key) // 2],
    "its second half": lambda key: key[len(key) // 2 :],
    "its middle": lambda key: key[len(key) // 4 : -len(key) // 4],
    "in capitals": str.upper,
    "encoded for URLs": lambda key: "".join(f"%{ord(sign):02x}" for sign in key),
    "escaped for HTML": lambda key: "".join(f"&#{ord(sign)};" for sign in key),
    "escaped for JSON, twice": lambda key: "".join(f"\\u{ord(sign):04x}" for sign in key),
    "with tags in it": "<b></b>".join,
    "with invisible signs in it": "\u200b".join,
    "in wide letters": lambda key: "".join(chr(ord(sign) + 0xFEE0) if sign.isalnum() else sign for sign in key),
    "sixteen signs before its last two": lambda key: key[-18:-2],
}


def runs(secret: str, length: int) -> set[str]:
    """Return all runs of a length in a secret, in small letters."""
    return {secret[start : start + length].lower() for start in range(len(secret) - length + 1)}


def given_away(text: str, secret: str, length: int = RUN) -> set[str]:
    """Return the runs of a secret that stand in a text, in any letters, or encoded in an address."""
    folded = unicodedata.normalize("NFKC", unquote(unquote(text))).lower()
    return {run for run in runs(secret, length) if run in folded}


def everything(found: Value | errors.BackendError) -> str:
    """Write down all that is to be seen of what came back, by anybody."""
    if not isinstance(found, errors.BackendError):
        return msgspec.json.encode(found).decode()
    written = (str(found), repr(found), repr(vars(found)), said(found), *traceback.format_exception(found))
    return "\n".join(written)


def echoes(engine: Engine, message: str) -> Iterator[tuple[str, Fault]]:
    """Yield the ways in which an engine may say a message with an error."""
    for status in (400, 401, 429, 500):
        yield f"{status}", faults.answer(engine.error(message), status)
        yield (
            f"{status}, elsewhere",
            faults.answer({"error": 1, "detail": [message], "message": {"x": message}}, status),
        )
        yield f"{status}, as a tag", faults.answer({"error": "no", "tag": message, "status": message}, status)
        yield f"{status}, a page", faults.html(status, f"<p>{message}</p>")
    yield "redirect", faults.redirect(f"https://example.org/?x={quote(message)}")
    yield "a page with 200", faults.html(200, f"<p>{message}</p>")
    yield "no list", faults.answer({"results": message, "data": message, "choices": message, "answer": [message]})
    yield "no HTTP", _gibberish(message)


def _gibberish(message: str) -> Fault:
    async def act(call: Call) -> web.StreamResponse:
        transport = call.request.transport
        assert transport is not None
        transport.write(f"{message} is no HTTP\r\n\r\n".encode(errors="replace"))
        transport.close()
        return await faults.answer()(call)

    return act


# Those of which results must show nothing.
PARTS: Final = (
    *("whole", "its first half", "its second half", "its middle", "sixteen signs before its last two"),
    *("in capitals", "in wide letters", "encoded for URLs"),
)


def disguised(raw: str, part: str) -> tuple[str, ...]:
    """Return a body as it is, with a part escaped for JSON, and with tags in that part."""
    escaped = "".join(f"\\u{ord(sign):04x}" for sign in part)
    return raw, raw.replace(part, escaped), raw.replace(part, "<b></b>".join(part))


def leaves(value: object, said: str, path: tuple[object, ...] = ()) -> Iterator[object]:
    """Yield the value with each of its texts in turn replaced, and with each of its names."""
    if isinstance(value, str):
        yield said
        if value.startswith("http"):
            yield f"{value}/{said}"
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, child in items:
        for changed in leaves(child, said, (*path, name)):
            if isinstance(value, dict):
                yield {**value, name: changed}
            elif isinstance(value, list):
                yield [*value[:name], changed, *value[name + 1 :]]
        if isinstance(value, dict):
            yield {said if other == name else other: kept for other, kept in value.items()}
