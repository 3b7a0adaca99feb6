"""Clean fetched pages and answers, whatever engines and strangers write."""

from __future__ import annotations

import re
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cogs.websearch import codespans, errors, limits, links, text
from cogs.websearch.backends import pages, rows
from cogs.websearch.backends.rows import Row
from cogs.websearch.models import Answer, SearchRequest, SiteRules

REQUEST = SearchRequest(query="soil", count=5)
LINK = links.Link("https://docs.example.org/soil", "docs.example.org")
FIRST = Row(url="https://docs.example.org/1", title="First")
SECOND = Row(url="https://docs.example.org/2", title="Second")

HOSTILE = (
    st.sampled_from(["[1]", "[2]", "[9]", "[1,", "[", "]", "(", ")", ",", "^", "【", "】", "†", "9", "1", "\n", "\r\n"])
    | st.sampled_from(["［", "］", "-", ";", "0", "[1-2]", "[1;3]", "２"])  # noqa: RUF001 - full-width is meant
    | st.sampled_from(["<b>", "</b>", "&#91;", "&amp;", "<!--", "-->", "<script>", "</script>", "\u200b", "\u0301"])
    | st.sampled_from(["[a](https://docs.example.org/1)", "[](https://x.example.org)", "https://", "<a\n b>"])
    | st.text(max_size=4)
    | st.just(" ")
)
TEXTS = st.lists(HOSTILE, max_size=40).map("".join)


def answer(raw: str, *found: Row | None, request: SearchRequest = REQUEST) -> Answer:
    """Clean an answer of these sources."""
    return pages.to_answer(raw, found, request, backend="Exa", snippet_chars=400)


def test_page() -> None:
    """PAGE-01: a page's paragraphs stay, each cleaned, and its title is cleaned as a result's is."""
    page = pages.to_fetched(
        LINK, backend="Exa", title="<b>Soil</b>", raw="# Soil &amp; carbon\r\n\r\n\n  One\u200b\tline.\n<p>Two</p>\n"
    )
    assert (page.title, page.text, page.truncated) == ("Soil", "# Soil & carbon\nOne line.\nTwo", False)
    assert (page.url, page.host, page.backend) == (LINK.url, LINK.host, "Exa")


def test_markup_over_lines() -> None:
    """PAGE-01: what spans lines, such as a script, a comment and a tag, is taken out as a whole."""
    raw = (
        'Before.\n<script>\nlet secret = 1;\n</script>\n<!-- a\nb -->Between.\n<a\n  href="https://x.example">Link</a>.'
    )
    assert pages.to_fetched(LINK, backend="Exa", raw=raw).text == "Before.\nBetween.\nLink."


def test_page_is_cut() -> None:
    """PAGE-02: a long page is cut between graphemes with an ellipsis, and says that it's cut."""
    page = pages.to_fetched(LINK, backend="Exa", raw="A line of 👩‍👩‍👧‍👦.\n" * 5000)
    assert page.truncated
    assert len(page.text) <= limits.PAGE_TEXT
    assert page.text.endswith("…")
    assert not page.text.rstrip("…").endswith("\u200d")


@pytest.mark.parametrize("raw", ["", " \n\t\n", "<p></p>", "\u200b", "<script>x</script>"])
def test_page_without_text(raw: str) -> None:
    """PAGE-03: a page of which no text is left is one that can't be read."""
    with pytest.raises(errors.PageUnreadable):
        pages.to_fetched(LINK, backend="Exa", raw=raw)


@given(TEXTS, st.integers(1, 80))
@settings(max_examples=400, deadline=None)
def test_paragraphs(raw: str, limit: int) -> None:
    """PAGE-04: each line is as `clean` leaves it, the length holds, and cleaning again changes nothing."""
    cleaned, _ = text.clean_paragraphs(raw, limit)
    assert len(cleaned) <= limit
    assert text.clean_paragraphs(cleaned, limit)[0] == cleaned
    for line in cleaned.split("\n") if cleaned else ():
        assert line
        assert text.clean(line, limit) == line


@given(TEXTS)
@settings(max_examples=200, deadline=None)
def test_paragraphs_of_one_line(raw: str) -> None:
    """PAGE-04: a text without line breaks comes out as `clean` has it."""
    line = " ".join(raw.split()).replace("\u2319", "")
    assert text.clean_paragraphs(line, 300)[0].replace("\n", " ") == text.clean(line, 300)


@pytest.mark.parametrize("piece", ["a b\n", "<", " ", "\n", "<b>x</b>\n", "\u0301", "&amp;", "[1](https://", "<!--"])
def test_time(piece: str) -> None:
    """PAGE-05: a page that is a hundred times as long takes no more time, but for some slack of the clock's."""

    def timed(size: int) -> float:
        raw = piece * (size // len(piece))
        text.clean_paragraphs(raw, 2000)
        started = process_time()
        text.clean_paragraphs(raw, 2000)
        return process_time() - started

    assert timed(4_000_000) < 20 * timed(40_000) + 0.2


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        ("Soil holds carbon [1].", "Soil holds carbon [1]."),
        ("Soil[2] holds[1][2] carbon[1, 2].", "Soil[2] holds[1][2] carbon[1][2]."),
        ("Soil [^1] holds 【2†source】 carbon.", "Soil [1] holds [2] carbon."),
        ("It holds [3] carbon [12].", "It holds carbon."),
        ("It holds [1, 7].", "It holds [1]."),
        ("It holds ([docs](https://docs.example.org/2?utm_source=openai)).", "It holds [2]."),
        ("See [the docs](https://docs.example.org/1).", "See the docs [1]."),
        ("See [the rest](https://elsewhere.example.org/).", "See the rest."),
        ("It holds [1](https://docs.example.org/2) and [[1]](https://docs.example.org/1).", "It holds [2] and [1]."),
        ("It holds [5](https://elsewhere.example.org/).", "It holds."),
        ("Use rows[0].", "Use rows[0]."),
        ("One [1].\n\n- Two [2].", "One [1].\n- Two [2]."),
        ("It [0] holds [99999999999] carbon [00].", "It holds carbon."),
        ("It holds [1][99999999999999].", "It holds [1]."),
        (f"It holds [{'9' * 5000}].", "It holds."),
        ("It [1-3] holds [2–9] carbon [7-8].", "It [1][2] holds [2] carbon."),  # noqa: RUF001 - an en dash is meant
        ("It [1;2] holds [1 2] carbon [8; 1-99999999999].", "It [1][2] holds [1][2] carbon."),
        ("It ［2］ holds ［7］ carbon ［１、２］.", "It [2] holds carbon [1][2]."),  # noqa: RUF001 - full-width is meant
        ("It [01] holds [¹] and [٢].", "It [1] holds [1] and [2]."),
        ("It [[2]] holds [[7]] and [ 2 ].", "It [2] holds and [2]."),
        ("It 【9999999999†x】 holds [" + "1, " * 50 + "2].", "It holds [1][2]."),
        ("Soil[01] holds rows[0, 5].", "Soil[1] holds rows[0, 5]."),
        ("天空[1]是[9]藍色的。", "天空[1]是藍色的。"),
        ("`a[7]` [9]`b[7]`[9]`c`", "`a[7]` `b[7]` `c`"),
        ("Met on [2026-11-30] at [12:30].", "Met on [2026-11-30] at [12:30]."),
    ],
)
def test_marks(raw: str, said: str) -> None:
    """ANSWER-01: however an engine writes its citations, each becomes a mark that points to a source, or goes."""
    assert answer(raw, FIRST, SECOND).text == said


@pytest.mark.parametrize(
    "raw",
    [
        "`argv[1]` and `array[5] = 3` are code.",
        "Write ``a`[7]`` or `m[2][9][1, 2]`.",
        "```python\nx = rows[7]\nsee([a](https://docs.example.org/1))\n```",
        "array[5] = 3 and rows[7][1] += 1 and x[2] == y.",
        "```\nrows[7]",
        "Write [see `x](https://docs.example.org/1) y` so.",
    ],
)
def test_code(raw: str) -> None:
    """ANSWER-09: what an engine writes as code stays as it is, and so does what's assigned to."""
    assert answer(raw, FIRST, SECOND).text == raw


def test_code_that_is_cut() -> None:
    """ANSWER-09: where the end is missing, what is open is code."""
    said = pages.to_answer("So `rows[7]", [], REQUEST, backend="Exa", snippet_chars=400, complete=False).text
    assert said == "So `rows[7]"
    assert answer("So `rows[7]").text == "So `rows"
    assert " `rows[7] rows[7] " in answer("word `x` " * 442 + f"`{'rows[7] ' * 20}`").text


@given(st.lists(st.tuples(TEXTS, st.text("a1[]9(),^=. ", min_size=1, max_size=20)), max_size=6))
@settings(max_examples=200, deadline=None)
def test_any_code(pieces: list[tuple[str, str]]) -> None:
    """ANSWER-09: whatever stands beside it, nothing in code is lost or changed."""
    codes = [f"`x{' '.join(code.split())}`" for _, code in pieces]
    raw = "".join(
        f"{text.clean_paragraphs(before, 400)[0]}\n{code}\n" for (before, _), code in zip(pieces, codes, strict=True)
    )
    lines = iter(answer(f"So.\n{raw}", FIRST, SECOND).text.split("\n"))
    assert all(code in lines for code in codes)


def test_sources() -> None:
    """ANSWER-02: sources that can't be shown leave, each comes once, and the marks follow."""
    blocked = SearchRequest(query="soil", count=1, rules=SiteRules(owner_blocked=("example.net",)))
    found = answer(
        "A [1], b [2], c [3], d [4], e [5].",
        *(
            Row(url="https://www.example.net/x"),
            None,
            FIRST,
            Row(url="https://docs.example.org/1?utm_source=a"),
            SECOND,
        ),
        request=blocked,
    )
    assert [source.url for source in found.sources] == [FIRST.url, SECOND.url]
    assert found.text == "A, b, c [1], d [1], e [2]."


def test_no_sources() -> None:
    """ANSWER-03: an answer may have no sources, and its sources needn't have marks."""
    assert answer("It does.").sources == ()
    assert len(answer("It does.", FIRST, SECOND).sources) == 2


def test_number_of_sources() -> None:
    """ANSWER-02: no more sources are kept than can be listed, and no mark points beyond them."""
    found = answer("Much [1][99].", *(Row(url=f"https://docs.example.org/{number}") for number in range(100)))
    assert len(found.sources) == limits.SOURCES
    assert found.text == "Much [1]."


@pytest.mark.parametrize("raw", ["", " ", "[7]", "<p></p>"])
def test_nothing_said(raw: str) -> None:
    """ANSWER-04: an answer that says nothing is one that the engine couldn't give."""
    with pytest.raises(errors.BackendUnable):
        answer(raw)


def test_long_answer() -> None:
    """ANSWER-05: a long answer is cut and ends in an ellipsis, also where its links made it long."""
    assert len(answer("word [1] " * 4000, FIRST).text) <= limits.ANSWER
    long = answer("[w](https://docs.example.org/page/that/is/long) " * 1000)
    assert long.text.endswith("…")


@given(TEXTS, st.lists(st.sampled_from([FIRST, SECOND, None]), max_size=4))
@settings(max_examples=400, deadline=None)
def test_any_answer(raw: str, found: list[Row | None]) -> None:
    """ANSWER-01, ANSWER-05: whatever comes, no mark points beyond the sources, and every line is clean."""
    try:
        said = answer(raw, *found)
    except errors.BackendUnable:
        return
    assert 0 < len(said.text) <= limits.ANSWER
    marked = [*re.finditer(r"[\[［【](?!0)(\d+(?:[-,; ]\d+)*)[\]］】]", said.text)]  # noqa: RUF001 - full-width is meant
    code = codespans.find(said.text)
    codes = (code.holds(mark.start()) or codespans.is_index(mark) for mark in marked)
    numbers = [mark[1] for mark, is_code in zip(marked, codes, strict=True) if not is_code]
    assert all(number in {"1", "2", "3", "4"} and int(number) <= len(said.sources) for number in numbers)
    assert all(text.clean(line, limits.ANSWER) == line for line in said.text.split("\n"))


def test_sources_are_looked_at_once() -> None:
    """ANSWER-08: what was made of a source is there for the next step of the answer; another source is looked at."""
    known: rows.Known = {}
    first = pages.to_answer("Soil [1]", [FIRST], REQUEST, backend="Exa", snippet_chars=400, known=known)
    then = pages.to_answer("Soil [1][2]", [FIRST, SECOND], REQUEST, backend="Exa", snippet_chars=400, known=known)
    assert then.sources[0] is first.sources[0]
    assert [source.url for source in then.sources] == [FIRST.url, SECOND.url]
