"""Let every engine that answers say long, odd and deceitful things."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cogs.websearch import errors, limits
from cogs.websearch.models import Answer
from contract.checks import outcome
from contract.shape import SAID, Engine, Way
from contract.stage import Stage, staged
from contract.suite import ANSWERS
from loopback_engine import faults

if TYPE_CHECKING:
    from collections.abc import Sequence

EACH = pytest.mark.parametrize("engine", ANSWERS.values(), ids=ANSWERS)
EXAMPLES = settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
PAGES: Final = ("https://docs.example.org/1", "https://docs.example.org/2", "https://docs.example.org/3")


async def answered(stage: Stage, text: str, pages: Sequence[object] = PAGES) -> Answer | errors.BackendError:
    """Let the engine say that text, with these pages as its sources."""
    shape = stage.engine.shapes[Way.ANSWER]
    body = msgspec.json.encode(shape.body(*(shape.row(url=page, title="Page") for page in pages)))
    # An answer's text stands where the shape puts what a good one says.
    said = msgspec.json.encode(SAID)
    assert said in body
    stage.server.fail(always=faults.answer(body.replace(said, msgspec.json.encode(text))))
    found = await outcome(stage, Way.ANSWER)
    assert isinstance(found, Answer | errors.BackendError)
    return found


@EACH
async def test_marks_point_to_sources(engine: Engine) -> None:
    """CON-21: marks point to sources, those that point to none are gone, and sources needn't have marks."""
    async with staged(engine) as stage:
        for text, shown in (
            ("One [1]. Two [2].", "One [1]. Two [2]."),
            ("One [3][1].", "One [3][1]."),
            ("One [9]. Two [2].", "One. Two [2]."),
            ("None.", "None."),
            ("One [0] [1000000000] [1-2]; rows[0], rows[-1].", "One [1][2]; rows[0], rows[-1]."),
        ):
            found = await answered(stage, text)
            assert isinstance(found, Answer)
            assert [source.url for source in found.sources] == list(PAGES)
            assert found.text == shown


@EACH
async def test_no_sources(engine: Engine) -> None:
    """CON-21: an answer without sources is an answer, without marks."""
    async with staged(engine) as stage:
        found = await answered(stage, "One [1].", ())
        assert isinstance(found, Answer)
        assert (found.text, found.sources) == ("One.", ())


@EACH
async def test_sources_that_cannot_be_shown(engine: Engine) -> None:
    """CON-21: a source that can't be shown is gone with its marks, and the others' marks follow."""
    async with staged(engine) as stage:
        found = await answered(stage, "One [1]. Two [2]. Three [3].", ("http://localhost/", PAGES[1], PAGES[2]))
        assert isinstance(found, Answer)
        assert found.text == "One. Two [1]. Three [2]."
        assert [source.url for source in found.sources] == [PAGES[1], PAGES[2]]


@EACH
async def test_nothing_said(engine: Engine) -> None:
    """CON-21: an answer that says nothing is one that the engine couldn't give."""
    async with staged(engine) as stage:
        for text in ("", " \n", "<script>x</script>", "\u200b", "[9]"):
            assert type(await answered(stage, text)) is errors.BackendUnable, text


@EACH
async def test_long_answers(engine: Engine) -> None:
    """CON-15: an answer of 600,000 characters is cut at a whole character, and its marks still point to sources."""
    async with staged(engine) as stage:
        for unit in ("A sentence [1]. ", "長", "👩‍👩‍👧‍👦", "[1]", "[9]", "[1](", "【1†", "\n", "&#91;1&#93; "):
            found = await answered(stage, "Begin " + unit * (600_000 // len(unit)))
            assert isinstance(found, Answer)
            assert found.text.startswith("Begin")
            assert len(found.text) <= limits.ANSWER


HOSTILE: Final = st.lists(
    st.sampled_from(["[", "]", "(", ")", "1", "2", "9", "[1]", "[9]", "[2](", "https://docs.example.org/1", "\n", " "])
    | st.sampled_from(["Sources:", "【", "†", "】", "<b>", "&#91;", "<think>", "</think>", "\u200b", "*", "`", ":"])
    | st.text(max_size=3),
    max_size=30,
).map("".join)


@EACH
async def test_any_text(engine: Engine) -> None:
    """CON-21: whatever an answer says, it's cleaned, and every mark points to a source."""
    texts: list[str] = []

    @EXAMPLES
    @given(HOSTILE)
    def collect(text: str) -> None:
        texts.append(re.sub(r"[\ud800-\udfff]", "", text))

    collect()
    async with staged(engine) as stage:
        for text in texts:
            await answered(stage, text)
