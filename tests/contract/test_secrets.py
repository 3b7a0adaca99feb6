"""Let every engine send back what it was sent, and look for it everywhere outside."""

from __future__ import annotations

import json
import logging
from html import escape
from typing import Final
from urllib.parse import quote

import pytest

from cogs.websearch import errors
from contract.checks import outcome
from contract.echoes import FORMS, PARTS, RUN, SHOWN_RUN, disguised, echoes, everything, given_away, leaves
from contract.shape import Engine, Way
from contract.stage import QUERY, staged
from contract.suite import CASES
from loopback_engine import faults

KEYED: Final = {name: case for name, case in CASES.items() if case[0].key}


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


@pytest.mark.parametrize("form", PARTS)
@pytest.mark.parametrize(("engine", "way"), KEYED.values(), ids=KEYED)
async def test_a_key_in_a_good_answer(engine: Engine, way: Way, form: str) -> None:
    """CON-08: a key, or half of it, in any field of a good answer is shown to nobody, also where JSON escapes it."""
    part = FORMS[form](engine.key)
    async with staged(engine) as stage:
        for body in leaves(engine.shapes[way].good, f"Your key is {part}."):
            for sent in disguised(json.dumps(body), part):
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
