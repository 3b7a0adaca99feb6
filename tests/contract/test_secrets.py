"""Let every engine send back what it was sent, and look for it everywhere outside."""

from __future__ import annotations

import json
import logging
import traceback
from html import escape
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

import msgspec
import pytest

from cogs.websearch import errors
from contract.checks import outcome, said
from contract.shape import Engine, Way
from contract.stage import QUERY, staged
from contract.suite import CASES
from loopback_engine import faults

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from aiohttp import web

    from contract.stage import Value
    from loopback_engine import Call, Fault

KEYED: Final = {name: case for name, case in CASES.items() if case[0].key}
# Runs of a key that give it away in an error, and in what is shown, where pages hold much by chance.
RUN: Final = 6
SHOWN_RUN: Final = 17
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
}


def runs(secret: str, length: int) -> set[str]:
    """Return all runs of a length in a secret, in small letters."""
    return {secret[start : start + length].lower() for start in range(len(secret) - length + 1)}


def given_away(text: str, secret: str, length: int = RUN) -> set[str]:
    """Return the runs of a secret that stand in a text."""
    folded = text.lower()
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


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("engine", "way"), KEYED.values(), ids=KEYED)
async def test_a_key_in_an_error(engine: Engine, way: Way, form: str, caplog: pytest.LogCaptureFixture) -> None:
    """CON-08: a key that comes back with an error, in whatever form, is seen nowhere, nor is a part of it."""
    caplog.set_level(logging.DEBUG, "cogs.websearch")
    written = FORMS[form](engine.key)
    async with staged(engine) as stage:
        for what, fault in echoes(engine, f"{written} is bad"):
            stage.server.fail(always=fault)
            found = await outcome(stage, way)
            assert isinstance(found, errors.BackendError), what
            assert given_away(everything(found), engine.secret) == set(), what
    assert given_away(caplog.text, engine.secret) == set()


@pytest.mark.parametrize(("engine", "way"), KEYED.values(), ids=KEYED)
async def test_a_key_at_a_cut(engine: Engine, way: Way) -> None:
    """CON-08: wherever a message is cut, by the engine or by us, no part of a key is left at its end."""
    async with staged(engine) as stage:
        for before in (*range(150, 210, 4), *range(4050, 4100, 6), *range(65_500, 65_540, 8)):
            stage.server.fail(always=faults.answer(engine.error(f"{'x' * before}{engine.key}"), 401))
            found = await outcome(stage, way)
            assert given_away(everything(found), engine.secret) == set(), before
        for kept in range(RUN, len(engine.key)):
            stage.server.fail(always=faults.answer(engine.error(f"Bad key: {engine.key[:kept]}"), 401))
            found = await outcome(stage, way)
            assert given_away(everything(found), engine.secret) == set(), kept


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


@pytest.mark.parametrize("form", ["whole", "its first half", "its second half", "its middle"])
@pytest.mark.parametrize(("engine", "way"), KEYED.values(), ids=KEYED)
async def test_a_key_in_a_good_answer(engine: Engine, way: Way, form: str) -> None:
    """CON-08: a key, or half of it, in any field of a good answer is shown to nobody, also where JSON escapes it."""
    part = FORMS[form](engine.key)
    escaped = "".join(f"\\u{ord(sign):04x}" for sign in part)
    async with staged(engine) as stage:
        for body in leaves(engine.shapes[way].good, f"Your key is {part}."):
            raw = json.dumps(body)
            for sent in (raw, raw.replace(part, escaped), raw.replace(part, "<b></b>".join(part))):
                stage.server.fail(always=faults.answer(sent.encode()))
                found = await outcome(stage, way)
                assert given_away(everything(found), engine.secret, SHOWN_RUN) == set(), sent


QUERIES: Final = {
    "as it is": QUERY,
    "in capitals": QUERY.upper(),
    "encoded for URLs": quote(QUERY),
    "escaped for JSON": json.dumps(QUERY),
    "escaped for HTML": escape(QUERY).replace("ä", "&auml;"),
    "its end": QUERY[8:],
}


@pytest.mark.parametrize("form", QUERIES)
@pytest.mark.parametrize(("engine", "way"), CASES.values(), ids=CASES)
async def test_a_query_in_an_error(engine: Engine, way: Way, form: str, caplog: pytest.LogCaptureFixture) -> None:
    """CON-09: what was asked for, and comes back with an error, is neither in the error nor in a log."""
    caplog.set_level(logging.DEBUG, "cogs.websearch")
    asked = QUERIES[form]
    if way is Way.FETCH:
        asked = {"as it is": "https://docs.example.org/good", "its end": "example.org/good"}.get(form, "")
    words = {"ingwer", "wächst", "w%c3%a4chst", "am besten", "docs.example.org/good", "example.org/good"}
    async with staged(engine) as stage:
        for what, fault in echoes(engine, f"About {asked}:"):
            stage.server.fail(always=fault)
            found = await outcome(stage, way)
            assert isinstance(found, errors.BackendError), what
            assert [word for word in words if word in everything(found).lower()] == [], what
    assert [word for word in words if word in caplog.text.lower()] == []
