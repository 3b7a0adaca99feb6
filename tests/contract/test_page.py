"""Hold the page of engines against what the suite plays."""

from __future__ import annotations

import pytest

import backend_page
from cogs.websearch.charges import DOLLAR
from cogs.websearch.config import BACKENDS, Config
from cogs.websearch.meter import price_of
from contract.shape import Engine, Way
from contract.suite import ENGINES, SEARCHES


@pytest.mark.skipif(not backend_page.PAGE.parent.is_dir(), reason="the docs are not beside these tests")
def test_the_page_is_what_the_suite_plays() -> None:
    """CON-23: `python tests/backend_page.py` writes docs/backends.md anew."""
    assert backend_page.PAGE.read_text("utf-8") == backend_page.written()


def test_every_engine_is_in_the_suite() -> None:
    """CON-23: no engine can be configured that the suite doesn't hold."""
    held = {engine.name for engine in ENGINES if Way.SEARCH in engine.shapes}
    assert held | {"local"} == set(BACKENDS)


@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.name)
def test_what_an_engine_can_do_is_what_is_played(engine: Engine) -> None:
    """CON-23: an engine is held in every way that it says it has."""
    assert engine.able.fetches == (Way.FETCH in engine.shapes)
    assert engine.able.answers == (Way.ANSWER in engine.shapes)


@pytest.mark.parametrize("engine", SEARCHES.values(), ids=SEARCHES)
def test_the_price_is_what_is_charged(engine: Engine) -> None:
    """CON-23: the page names what the meter charges for a search."""
    price = price_of(Config(), engine.name) / DOLLAR
    assert f"${price:.4f}".rstrip("0") in engine.price if price else engine.price == "Nothing."
