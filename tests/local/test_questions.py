"""Hold the answers of the local search against questions in everyday words."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import tomli
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cogs.websearch import limits
from local_tools import ask, open_folder, titles, write

if TYPE_CHECKING:
    from cogs.websearch.backends.local import LocalSearcher

HERE = Path(__file__).parent
FIRST = 5


@pytest.mark.parametrize(("file", "floor"), [("questions.toml", 18), ("heldout.toml", 14)])
async def test_everyday_questions_find_their_page(library: LocalSearcher, file: str, floor: int) -> None:
    """LOC-02: enough of twenty questions have the right page among the first five."""
    questions = tomli.loads((HERE / file).read_text("utf-8"))["question"]
    missed = []
    for question in questions:
        found = await titles(library, question["ask"], count=FIRST)
        if not {question["page"], *question.get("or", [])} & set(found):
            missed.append((question["ask"], found))
    assert len(questions) == 20
    assert len(questions) - len(missed) >= floor, missed


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("asyncio.to_thread", "asyncio.to_thread"),
        ("to_thread", "asyncio.to_thread"),
        ("json.loads()", "json.loads"),
        ("TemporaryDirectory", "tempfile.TemporaryDirectory"),
        ("how do I use TemporaryDirectory?", "tempfile.TemporaryDirectory"),
        ("shutil.copy2", "shutil.copy2"),
        ("print", "print"),
        ("what does os.path.join do", "os.path.join"),
    ],
)
async def test_a_name_finds_what_it_names(library: LocalSearcher, query: str, name: str) -> None:
    """LOC-03: a document that is called what was typed is the first result."""
    assert (await titles(library, query))[0] == name


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("copy a file", "shutil.copy"),
        ("move a file", "shutil.move"),
        ("how do I read a csv file", "csv.reader"),
        ("sort a list", "list.sort"),
        ("what time is it", "time.time"),
    ],
)
async def test_a_name_that_is_a_word_of_the_question_comes_first(library: LocalSearcher, query: str, name: str) -> None:
    """LOC-25: among documents that answer, the one whose name or module is asked for comes first."""
    assert (await titles(library, query))[0] == name


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("C++", ["C++ guide"]),
        ("c++ ", ["C++ guide"]),
        ("guide to C++", ["C++ guide", "C guide", "F# guide"]),
        ("f#", ["F# guide"]),
        ("c#", []),
    ],
)
async def test_a_letter_with_signs_is_found_as_it_stands(
    folder: Path, cache: Path, query: str, found: list[str]
) -> None:
    """LOC-26: C++ is neither C nor any other letter, and where nothing speaks of it nothing is found."""
    write(
        folder,
        {
            "a.md": "# C++ guide\n\nThe language C++ has classes.",
            "b.md": "# C guide\n\nThe language C has none, a + b.",
            "d.md": "# F# guide\n\nThe language F# is another.",
        },
    )
    searcher = await open_folder(folder, cache)
    assert sorted(await titles(searcher, query)) == sorted(found)
    assert (await titles(searcher, query))[:1] == found[:1]
    await searcher.close()


ODD = [
    "what's up?",
    "C++",
    "foo:bar",
    '"',
    '"unclosed',
    "*",
    "a*",
    "-",
    "NOT",
    "AND OR",
    "NEAR(a b)",
    "^",
    "{a}: b",
    "(",
    "\0",
]


@pytest.mark.parametrize("query", [*ODD, "😀", "🏳️‍🌈 flag", "e\u0301", "١٢٣", "\ud800", "name : x", "x" * limits.QUERY])
async def test_odd_queries_are_queries(library: LocalSearcher, query: str) -> None:
    """LOC-01: what would be syntax to a database is text here."""
    assert (await ask(library, query)).backend == "Python documentation"


ANY = st.text(max_size=limits.QUERY)
SYNTAX = st.lists(
    st.sampled_from(
        ["AND", "OR", "NOT", "NEAR", '"', "'", "*", "(", ")", ":", "^", "+", "-", "{", "}", "a", "名前", "name", ","]
    ),
    max_size=60,
).map(" ".join)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(query=ANY | SYNTAX)
async def test_any_text_is_a_query(library: LocalSearcher, query: str) -> None:
    """LOC-01: any text brings results or none, never an error."""
    page = await ask(library, query, count=3)
    assert len(page.results) <= 3


@pytest.mark.parametrize(
    ("query", "title"),
    [
        ("東京タワー", "塔"),
        ("東京", "塔"),
        ("高さ", "塔"),
        ("塔", "塔"),
        ("エッフェル塔の高さは何メートルですか", "塔"),
        ("北京的天气", "天气"),
        ("天气", "天气"),
        ("กรุงเทพ", "เมือง"),
        ("서울에서", "도시"),
        ("plain words", "plain"),
    ],
)
async def test_scripts_without_spaces(folder: Path, cache: Path, query: str, title: str) -> None:
    """LOC-04: a piece of Chinese, Japanese, Thai or Korean text finds the document that it stands in."""
    write(
        folder,
        {
            "a.md": "# 塔\n\n東京タワーの高さは333メートルです。",
            "b.md": "# 天气\n\n今天北京的天气很好。",
            "c.md": "# เมือง\n\nกรุงเทพมหานครเป็นเมืองหลวง",
            "d.md": "# 도시\n\n서울에서 부산까지",
            "e.md": "# plain\n\nWords in plain English.",
        },
    )
    searcher = await open_folder(folder, cache)
    assert (await titles(searcher, query))[0] == title
    await searcher.close()


async def test_accents_and_endings_dont_matter(folder: Path, cache: Path) -> None:
    """LOC-01: words are found without their accents and in another form."""
    write(folder, {"a.txt": "Résumés are kept in the filing cabinet."})
    searcher = await open_folder(folder, cache)
    assert [len((await ask(searcher, query)).results) for query in ("resume", "RÉSUMÉ", "cabinets", "keeping")] == [
        1,
        1,
        1,
        0,
    ]
    await searcher.close()


async def test_a_long_document_is_found_by_one_part(folder: Path, cache: Path) -> None:
    """LOC-05 LOC-06: the part that answers is what the one result shows."""
    filler = "\n\n".join(f"Paragraph {number} speaks of nothing in particular." for number in range(300))
    write(folder, {"long.md": f"# Long\n\n{filler}\n\nThe zebra crossing is painted anew each spring.\n\n{filler}"})
    searcher = await open_folder(folder, cache, snippet_chars=100)
    (result,) = (await ask(searcher, "when is the zebra crossing painted?")).results
    assert result.title == "Long"
    assert result.snippet.startswith("… The zebra crossing is painted")
    assert len(result.snippet) <= 100
    await searcher.close()
