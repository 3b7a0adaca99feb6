"""Make answers and pages as an engine's adapter does, hostile ones too, and read the links in what they're shown as."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hypothesis import strategies as st
from msgspec.structs import replace

from cogs.websearch import errors, limits
from cogs.websearch.models import Answer, Answered, FetchedPage, Reading, SearchRequest, SearchResult, SiteRules
from cogs.websearch.text import clean, clean_paragraphs
from text import hostile

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterator, Sequence

    import oracle


async def broken_off(growing: AsyncGenerator[Answer, None]) -> tuple[list[Answer], errors.BackendError]:
    """Read a stream to its end; return what came, and the error by which it broke off."""
    found: list[Answer] = []
    try:
        async for answer in growing:
            found.append(answer)  # noqa: PERF401 - a comprehension would lose it by the error
    except errors.BackendError as error:
        return found, error
    msg = "the stream ended well"
    raise AssertionError(msg)


def source(number: int, **fields: object) -> SearchResult:
    """Make a source whose address names its number."""
    host = "example.com"
    plain = SearchResult(title=f"Title {number}", url=f"https://{host}/{number}", host=host, snippet="")
    return replace(plain, **fields)


def answered(text: str, *sources: SearchResult, complete: bool = True, **options: object) -> Answered:
    """Make an answer to a question."""
    request = replace(SearchRequest(query="why is the sky blue", count=5), **options)
    return Answered(request=request, answer=Answer(backend="Exa", text=text, sources=sources, complete=complete))


def reading(text: str, **fields: object) -> Reading:
    """Make a page to read."""
    plain = FetchedPage(
        backend="Exa", url="https://example.com/page", host="example.com", title="A page", text=text, truncated=False
    )
    return Reading(page=replace(plain, **fields))


_marks = st.integers(0, 25).map("[{}]".format)
# With marks where they make sense, and where markup is about to begin or to end.
texts = st.lists(st.one_of(hostile.mangled, _marks, st.sampled_from(["\n", " ", ". "])), max_size=40).map("".join)
_sources = st.builds(
    lambda title, tail: source(0, title=clean(title, limits.TITLE), url=f"https://example.com/{tail}"),
    st.one_of(hostile.pages, st.just("")),
    st.sampled_from(["", "a?b=c&d=%28e%29", "x" * 100, "y" * 400, "z" * (limits.EMBED_URL - 20), "_a_~b~;c:d@e!"]),
)


def _make(text: str, repeat: int, sources: Sequence[SearchResult], blocked: Sequence[str], query: str) -> Answered:
    cleaned, _ = clean_paragraphs(text * repeat, limits.ANSWER)
    numbered = [replace(one, url=f"{one.url}#{number}") for number, one in enumerate(sources, start=1)]
    return answered(cleaned, *numbered, query=query, rules=SiteRules(owner_blocked=tuple(blocked)))


# Answers as adapters clean them, but for their marks, which point anywhere.
hostile_answers = st.builds(
    _make,
    texts,
    st.sampled_from([1, 1, 5, 60]),
    st.lists(_sources, max_size=limits.SOURCES),
    st.sampled_from([(), (), (), ("example.com",)]),
    hostile.pages.map(lambda page: clean(page, limits.QUERY) or "x"),
)
hostile_readings = st.builds(
    lambda text, repeat, title: reading(
        clean_paragraphs(text * repeat, limits.PAGE_TEXT)[0] or "x", title=clean(title, limits.TITLE), truncated=True
    ),
    texts,
    st.sampled_from([1, 5, 60]),
    hostile.pages,
)


def links(tree: oracle.Tree) -> Iterator[tuple[str, str]]:
    """List the links in a parsed text, each with what it reads as."""
    for node in tree:
        if node["type"] in {"link", "autolink"}:
            yield _reading(node["content"]), node["target"]
        elif isinstance(node.get("content"), list):
            yield from links(node["content"])


def bare(markdown: str) -> str:
    """Return a text without the links that we make of marks and titles, for rules that know no links."""
    return re.sub(r"\[([^\n]*?)\]\(<https://example\.com/[^<>\s]*>\)", r"\1", markdown)


def _reading(tree: oracle.Tree) -> str:
    return "".join(str(node.get("content") or node.get("name") or "") for node in tree)
