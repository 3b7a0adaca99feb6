"""Hold that answers and pages fit in the longest language that is shipped, and are of the catalogue's words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

import catalogue
from answer_tools import answered, reading, source
from cogs.websearch import limits, parts, plain_answer, render_answer, render_page
from cogs.websearch.i18n import Catalogues, Words
from cogs.websearch.models import Category, Period
from made_up import english_in, write_foreign, write_longest

if TYPE_CHECKING:
    from pathlib import Path

    from cogs.websearch.models import Answered, Reading

_LANGUAGES = ["longest", *(language for language, _ in catalogue.shipped())]
# As long as any once it's escaped.
_TEXT = "*" * (parts.MOST // 2)
_LONG = "https://example.com/" + "x" * (limits.EMBED_URL - 20)


@pytest.fixture(params=_LANGUAGES)
def words(request: pytest.FixtureRequest, tmp_path: Path) -> Words:
    """Speak each language that is shipped, and the one that has the longest text of all for each."""
    if request.param == "longest":
        write_longest(tmp_path)
        return Catalogues(tmp_path).words("de")
    return Catalogues().words(request.param)


def made(*, sources: bool, complete: bool = False) -> Answered:
    """Make an answer of two parts with all that an answer can say of itself."""
    found = [source(n, title="*" * 120, url=_LONG, host="a" * 240 + ".example") for n in range(limits.SOURCES)]
    told = answered(
        f"{_TEXT} {_TEXT}",
        *(found if sources else ()),
        complete=complete,
        query="*" * limits.QUERY,
        category=Category.FINANCIAL_REPORT,
        period=Period.MONTH,
        sites=tuple(f"{'a' * 60}.{n}.example" for n in range(limits.SITES)),
    )
    return replace(told, answer=replace(told.answer, backend="local documents"))


def _bare(told: Answered) -> Answered:
    """Return the answer with nothing in Latin letters that isn't ours."""
    sources = (source(1, title="ж", host="ж"),) * len(told.answer.sources)
    request = replace(told.request, query="ж", category=None, period=None, sites=())
    return replace(told, request=request, answer=replace(told.answer, sources=sources))


def page() -> Reading:
    """Make a page of two parts with all that can be said of one."""
    return reading(
        f"{_TEXT} {_TEXT}",
        backend="local documents",
        instead_of="local documents",
        title="*" * 120,
        host="*" * 240,
        url=_LONG,
        truncated=True,
    )


@pytest.mark.parametrize("sources", [True, False])
def test_answers_fit(words: Words, sources: bool) -> None:  # noqa: FBT001 - pytest passes it by name
    """ANS-06 ANS-08 I18N-19: in each look, and what an answer says of itself is whole."""
    told = made(sources=sources)
    assert render_answer.part_count(told) == 2
    shown = [render_answer.answer(told, part, words) for part in (0, 1)]
    for embeds in (*shown, render_answer.growing(told, words)):
        assert sum(map(len, embeds)) <= limits.EMBEDS_TOTAL
        assert max(len(embed.description or "") for embed in embeds) <= limits.EMBED_DESCRIPTION
    plain = [plain_answer.answer(told, part, words) for part in (0, 1)]
    for text in (*plain, plain_answer.growing(told, words)):
        assert len(text) <= limits.MESSAGE_CONTENT
    note = render_answer.notes(told, words, is_last=True)
    assert note in plain[1]
    assert note in (shown[1][1].description or "")
    if sources:
        # The host, which nobody can cut, may leave no room for any: they're counted then.
        assert render_answer.more(limits.SOURCES, words) in plain[1]
    for goes_on in (True, False):
        assert len(render_answer.still(words, goes_on=goes_on)) < 150


def test_pages_fit(words: Words) -> None:
    """READ-05 READ-06 I18N-19: in each look, and the facts are whole."""
    told = page()
    for part in (0, 1):
        (embed,) = render_page.page(told, part, words)
        assert len(embed.description or "") <= limits.EMBED_DESCRIPTION
        assert len(plain_answer.page(told, part, words)) <= limits.MESSAGE_CONTENT
        small = (embed.description or "").split("\n")[-1]
        assert small.endswith(render_answer.place(part, 2, words)[0])


def test_no_text_bypasses_the_catalogues(tmp_path: Path) -> None:
    """I18N-20: nothing of an answer or a page is English in a language that has no English letter."""
    write_foreign(tmp_path)
    words = Catalogues(tmp_path).words("de")
    for told in (_bare(made(sources=True)), _bare(made(sources=False))):
        for embed in (*render_answer.answer(told, 1, words), *render_answer.growing(told, words)):
            shown = f"{embed.title or ''} {embed.description or ''}"
            assert english_in(shown.replace("https://example.com/1", "")) == []
    (embed,) = render_page.page(replace(page(), page=replace(page().page, host="ж")), 1, words)
    assert english_in(embed.description or "") == []
