"""Say what holds of whatever an adapter brings, and of however it fails."""

from __future__ import annotations

import math
import re
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from cogs.websearch import codespans, errors, limits, links, text, wording
from cogs.websearch.i18n import Words
from cogs.websearch.models import Answer, FetchedPage, SearchPage, SearchRequest, SearchResult
from contract.shape import SNIPPET_CHARS, Engine, Way

if TYPE_CHECKING:
    from collections.abc import Sequence

    from contract.stage import Stage, Value

# Lists in programs count from 0, and no answer has so many sources: other numbers are no marks.
_MARK: Final = re.compile(r"\[([1-9][0-9]{0,8})\]")
_WORDS: Final = Words()


async def outcome(stage: Stage, way: Way, request: SearchRequest | None = None) -> Value | errors.BackendError:
    """Ask, and return what comes back, an error included; anything else than these two is a fault of the adapter."""
    try:
        found = await (stage.ask(way) if request is None else stage.ask(way, request))
    except errors.BackendError as error:
        check_error(error, stage.engine)
        return error
    check(found, stage.engine, way, request)
    return found


def check(found: Value, engine: Engine, way: Way, request: SearchRequest | None = None) -> None:
    """Hold that a value is whole: of the right kind, cleaned, vetted, within its limits."""
    assert found.backend == engine.shown
    assert found.cost is None or (math.isfinite(found.cost) and found.cost >= 0)
    most = 3 if request is None else request.count
    match found:
        case SearchPage():
            assert way is Way.SEARCH
            assert len(found.results) <= min(most, found.found)
            _check_results(found.results)
        case FetchedPage():
            assert way is Way.FETCH
            assert links.vet(found.url) == links.Link(found.url, found.host)
            assert text.clean(found.title, limits.TITLE) == found.title
            _check_paragraphs(found.text, limits.PAGE_TEXT)
        case Answer():
            assert way is Way.ANSWER
            assert len(found.sources) <= limits.SOURCES
            _check_results(found.sources)
            _check_paragraphs(found.text, limits.ANSWER)
            code = codespans.find(found.text, broken=not found.complete or found.text.endswith("…"))
            for mark in _MARK.finditer(found.text):
                is_code = code.holds(mark.start()) or codespans.is_index(mark)
                assert is_code or 0 < int(mark[1]) <= len(found.sources)


def check_error(error: errors.BackendError, engine: Engine) -> None:
    """Hold that an error has a sentence of its own, and nothing behind it."""
    sentence = said(error)
    assert sentence != wording.explain(errors.OwnFault(), _WORDS)
    assert engine.shown in sentence
    assert str(error) == error.key
    assert error.__context__ is None
    assert len(error.detail) <= limits.DETAIL
    assert len(error.detail.splitlines()) <= 1
    assert len(error.tag) <= limits.DETAIL


def said(error: errors.WebSearchError) -> str:
    """Return what a member reads."""
    return wording.explain(error, _WORDS)


def _check_results(results: Sequence[SearchResult]) -> None:
    assert len({result.url for result in results}) == len(results)
    for result in results:
        assert links.vet(result.url) == links.Link(result.url, result.host)
        assert text.clean(result.title, limits.TITLE) == result.title
        assert text.clean(result.snippet, SNIPPET_CHARS) == result.snippet
        assert result.published is None or result.published.utcoffset() == timedelta(0)
        if result.image is not None:
            link = links.vet(result.image)
            assert link is not None
            assert link.url == result.image


def _check_paragraphs(paragraphs: str, most: int) -> None:
    assert 0 < len(paragraphs) <= most
    assert text.clean_paragraphs(paragraphs, most) == (paragraphs, False)
