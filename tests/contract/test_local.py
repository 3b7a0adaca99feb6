"""Hold the search of local documents to the same contract: it has no server, but a folder and an index."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cogs.websearch import errors, limits, links, text, wording
from cogs.websearch.i18n import Words
from cogs.websearch.models import SearchPage, SearchRequest
from contract.folders import TROUBLES, Place, fill
from contract.forbidden import FORBIDDEN
from contract.shape import TEXT
from local_tools import SITE, open_folder, write

if TYPE_CHECKING:
    from pathlib import Path

    from cogs.websearch.backends.local import LocalSearcher

GOOD = f"{SITE}good.md"
REQUEST = SearchRequest(query="a good page", count=3)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """Give a folder with documents, and a place for the index."""
    made = Place(folder=tmp_path / "documents", cache=tmp_path / "cache")
    fill(made)
    return made


async def searched(searcher: LocalSearcher, request: SearchRequest = REQUEST) -> SearchPage | errors.BackendError:
    """Search, and check what comes back."""
    try:
        page = await searcher.search(request)
    except errors.BackendError as error:
        return checked(error)
    assert len(page.results) <= min(request.count, page.found)
    assert page.cost is None
    for result in page.results:
        assert links.vet(result.url) == links.Link(result.url, result.host)
        assert text.clean(result.title, 120) == result.title
        assert text.clean(result.snippet, 400) == result.snippet
    return page


def checked(error: errors.BackendError) -> errors.BackendError:
    """Check that an error has a sentence, and neither the query nor a path in it."""
    sentence = wording.explain(error, Words())
    assert error.backend in sentence[:1].lower() + sentence[1:]
    assert REQUEST.query not in error.detail
    assert "/" not in sentence
    return error


def is_good(found: SearchPage | errors.BackendError) -> bool:
    """Tell whether the good document comes first."""
    return isinstance(found, SearchPage) and found.results[0].title == "Good"


@pytest.mark.parametrize("what", TROUBLES)
async def test_a_folders_trouble_ends_as_it_should(place: Place, what: str) -> None:
    """CON-22: what's wrong with a file leaves the others, with an index builds it anew; no folder is one error."""
    trouble = TROUBLES[what]
    if trouble.indexed:
        await (await open_folder(place.folder, place.cache)).close()
    if not trouble.after:
        trouble.make(place)
    if trouble.ends is not None and not trouble.after:
        with pytest.raises(trouble.ends) as caught:
            await open_folder(place.folder, place.cache)
        checked(caught.value)
        return
    searcher = await open_folder(place.folder, place.cache)
    try:
        if trouble.after:
            trouble.make(place)
        found = await searched(searcher)
        if trouble.ends is None:
            assert is_good(found)
        else:
            assert type(found) is trouble.ends
            await asyncio.wait(asyncio.all_tasks() - {asyncio.current_task()})
            assert is_good(await searched(searcher))
        assert (await searcher.fetch(GOOD)).text.endswith(TEXT)
    finally:
        await searcher.close()


async def test_any_query(place: Place) -> None:
    """CON-22: any text is a query, and what comes back is a page."""
    queries: list[str] = []

    @settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(
        st.text(max_size=40) | st.lists(st.sampled_from([*'"*():^-+', "AND", "NEAR(", "good", "\x00"])).map(" ".join)
    )
    def collect(query: str) -> None:
        queries.append(query)

    collect()
    searcher = await open_folder(place.folder, place.cache)
    for query in queries:
        assert isinstance(await searched(searcher, SearchRequest(query=query, count=10)), SearchPage)
    await searcher.close()


async def test_counts(place: Place) -> None:
    """CON-10: as many documents come back as were asked for at most, and none where none fits."""
    searcher = await open_folder(place.folder, place.cache)
    for count in range(1, 11):
        found = await searched(searcher, SearchRequest(query="filler", count=count))
        assert isinstance(found, SearchPage)
        assert len(found.results) == count
    nothing = await searched(searcher, SearchRequest(query="xylophone", count=5))
    assert isinstance(nothing, SearchPage)
    assert (nothing.results, nothing.found) == ((), 0)
    await searcher.close()


async def test_pages(place: Place) -> None:
    """CON-19, CON-20: a document is read by its address alone, whole or cut; what isn't among them can't be read."""
    write(place.folder, {"long.md": "# Long\n\n" + "A line of é.\n\n" * 20_000, "empty.md": ""})
    searcher = await open_folder(place.folder, place.cache)
    short = await searcher.fetch(f" {GOOD}?utm_source=x ")
    assert (short.url, short.title, short.truncated) == (GOOD, "Good", False)
    long = await searcher.fetch(f"{SITE}long.md")
    assert long.truncated
    assert limits.PAGE_TEXT // 2 < len(long.text) <= limits.PAGE_TEXT
    for url in FORBIDDEN:
        with pytest.raises(errors.InvalidAddress):
            await searcher.fetch(url)
    for name in ("none.md", "empty.md", "../documents/good.md", "%2e%2e/good.md", "good.md/", "GOOD.md", ""):
        with pytest.raises(errors.PageUnreadable) as caught:
            await searcher.fetch(f"{SITE}{name}")
        checked(caught.value)
    await searcher.close()
