"""Let every engine send rows of all kinds, as results and as sources."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

import msgspec
import pytest

from cogs.websearch import errors, limits
from cogs.websearch.backends.rows import MOST
from cogs.websearch.models import Answer, SearchPage, SearchRequest, SearchResult, SiteRules
from contract.checks import outcome
from contract.shape import IMAGE, TEXT, TITLE, URL, Engine, Way
from contract.stage import QUERY, REQUEST, Stage, staged
from contract.suite import CASES, SEARCHES
from loopback_engine import faults

if TYPE_CHECKING:
    from collections.abc import Sequence

# Where rows become results or sources.
ROWED: Final = {name: case for name, case in CASES.items() if case[1] is not Way.FETCH}
ALL = pytest.mark.parametrize(("engine", "way"), ROWED.values(), ids=ROWED)
EACH = pytest.mark.parametrize("engine", SEARCHES.values(), ids=SEARCHES)
MANY: Final = SearchRequest(query=QUERY, count=limits.RESULTS)


def address(number: int) -> str:
    """Name a page of its own."""
    return f"https://docs.example.org/{number}"


async def rows_of(
    stage: Stage, way: Way, rows: Sequence[object], request: SearchRequest = MANY
) -> Sequence[SearchResult]:
    """Let the engine answer with these rows, and return the results or the sources."""
    stage.server.fail(always=faults.answer(stage.engine.shapes[way].body(*rows)))
    found = await outcome(stage, way, request)
    if isinstance(found, SearchPage):
        assert found.found == min(len(rows), MOST)
        return found.results
    assert isinstance(found, Answer)
    return found.sources


@EACH
async def test_counts(engine: Engine) -> None:
    """CON-10: however many rows come, as many are shown as were asked for at most, the first ones, in their order."""
    shape = engine.shapes[Way.SEARCH]
    async with staged(engine) as stage:
        for sent, count in itertools.product((0, 1, 9, 10, 11, 99, 100, 101, 5000), (1, 3, limits.RESULTS)):
            rows = [shape.row(url=address(number), title=f"Page {number}") for number in range(sent)]
            if not rows:
                continue
            found = await rows_of(stage, Way.SEARCH, rows, SearchRequest(query=QUERY, count=count))
            assert [result.url for result in found] == [address(number) for number in range(min(sent, count))]


@ALL
async def test_no_rows(engine: Engine, way: Way) -> None:
    """CON-10: no rows are a page without results, and an answer without sources, and no error."""
    async with staged(engine) as stage:
        assert await rows_of(stage, way, []) == ()


@ALL
async def test_missing_and_empty_fields(engine: Engine, way: Way) -> None:
    """CON-11: whatever a row lacks but its address, or has as null or nothing, it's shown with the rest."""
    shape = engine.shapes[way]
    whole = {"title": TITLE, "text": TEXT, "published": "2026-05-04", "image": IMAGE}
    async with staged(engine) as stage:
        for size, absent in itertools.product(range(len(whole) + 1), (None, "", " ", ...)):
            for names in itertools.combinations(whole, size):
                parts = {name: absent if name in names else value for name, value in whole.items()}
                row = shape.row(url=URL, **{name: value for name, value in parts.items() if value is not ...})
                (result,) = await rows_of(stage, way, [row])
                assert result.url == URL
                assert result.title == (TITLE if shape.has("title") and "title" not in names else result.title)
                assert not ("title" in names and result.title)
                assert not ("text" in names and result.snippet)
                assert (result.image is not None) == (shape.has("image") and "image" not in names)
                assert (result.published is not None) == (shape.has("published") and "published" not in names)


# Dates as they were seen, and as they are made up; None is no date.
DATES: Final[dict[object, datetime | None]] = {
    "2026-05-04T09:30:00.000Z": datetime(2026, 5, 4, 9, 30, tzinfo=UTC),
    "2026-05-04T09:30:00Z": datetime(2026, 5, 4, 9, 30, tzinfo=UTC),
    "2026-05-04T09:30:00": datetime(2026, 5, 4, 9, 30, tzinfo=UTC),
    "2026-05-04T09:30:00+02:00": datetime(2026, 5, 4, 7, 30, tzinfo=UTC),
    "2026-05-04T09:30:00.123456+02:00": datetime(2026, 5, 4, 7, 30, 0, 123_456, tzinfo=UTC),
    "2026-05-04 09:30:00": datetime(2026, 5, 4, 9, 30, tzinfo=UTC),
    "2026-05-04": datetime(2026, 5, 4, 12, tzinfo=UTC),
    "2026-05-04T00:00:00.000Z": datetime(2026, 5, 4, 12, tzinfo=UTC),
    "Mon, 04 May 2026 09:30:00 GMT": datetime(2026, 5, 4, 9, 30, tzinfo=UTC),
    "Mon, 4 May 2026 09:30:00 +0200": datetime(2026, 5, 4, 7, 30, tzinfo=UTC),
    "1600-02-29": datetime(1600, 2, 29, 12, tzinfo=UTC),
    "2027-06-01": datetime(2027, 6, 1, 12, tzinfo=UTC),
    "2030-01-01": None,
    "9999-12-31T23:59:59-23:59": None,
    "0001-01-01T00:00:00+23:59": None,
    "0000-00-00": None,
    "2026-02-30": None,
    "2026-13-01T00:00:00Z": None,
    "yesterday": None,
    "Mon, 99 May 2026 09:30:00 GMT": None,
    "1796040000": None,
    "\uff12\uff10\uff12\uff16-05-04": None,
    "2026-05-04T09:30:00Z" * 1000: None,
    "": None,
    1_796_040_000: None,
    -1: None,
    1e300: None,
    True: None,
    None: None,
}


@ALL
async def test_dates(engine: Engine, way: Way) -> None:
    """CON-12: a date in any form is a moment in UTC, noon where it names a day alone, or nothing; the row stays."""
    shape = engine.shapes[way]
    async with staged(engine) as stage:
        for raw, moment in DATES.items():
            (result,) = await rows_of(stage, way, [shape.row(url=URL, title=TITLE, published=raw)])
            assert result.published == (moment if shape.has("published") else None), raw


IMAGES: Final[dict[object, str | None]] = {
    IMAGE: IMAGE,
    "http://docs.example.org/a b.png": "http://docs.example.org/a%20b.png",
    "https://docs.example.org/ä.png?utm_source=x": "https://docs.example.org/%C3%A4.png",
    "/relative.png": None,
    "relative.png": None,
    "//docs.example.org/a.png": None,
    "https:///a.png": None,
    "https://": None,
    "http://localhost/a.png": None,
    "http://127.0.0.1/a.png": None,
    "http://[::1]/a.png": None,
    "https://user:word@docs.example.org/a.png": None,
    "data:image/png;base64,AAAA": None,
    "javascript:alert(1)": None,
    "ftp://docs.example.org/a.png": None,
    "https://docs.example.org/\x00.png": None,
    "https://docs.example.org/" + "x" * 10_000: None,
    "no address": None,
    "\ud83d": None,
    5: None,
    False: None,
}


@ALL
async def test_images(engine: Engine, way: Way) -> None:
    """CON-13: of images only vetted addresses are shown; a relative or broken one is left out, and the row stays."""
    shape = engine.shapes[way]
    async with staged(engine) as stage:
        for raw, image in IMAGES.items():
            (result,) = await rows_of(stage, way, [shape.row(url=URL, title=TITLE, image=raw)])
            assert result.image == (image if shape.has("image") else None), raw


@ALL
async def test_addresses_that_are_none(engine: Engine, way: Way) -> None:
    """CON-14: a row whose address is none, or none that may be shown, isn't shown, and the others are."""
    shape = engine.shapes[way]
    bad = [raw for raw, image in IMAGES.items() if image is None]
    rows = [shape.row(url=raw, title="Bad") for raw in bad]
    async with staged(engine) as stage:
        assert await rows_of(stage, way, rows) == ()
        found = await rows_of(stage, way, [*rows[:9], shape.row(url=URL, title=TITLE), *rows[9:]])
        assert [result.url for result in found] == [URL]


@ALL
async def test_duplicates(engine: Engine, way: Way) -> None:
    """CON-14: an address that comes again, also with other tracking, is shown once, as it came first."""
    shape = engine.shapes[way]
    addresses = (URL, URL, f"{URL}?utm_source=x", f"{URL}?gclid=1", "https://docs.example.org:443/good", f" {URL} ")
    rows = [shape.row(url=raw, title=f"Page {number}") for number, raw in enumerate(addresses)]
    other = shape.row(url=address(1), title="Other")
    async with staged(engine) as stage:
        found = await rows_of(stage, way, [*rows, other])
        assert [result.url for result in found] == [URL, address(1)]
        assert found[0].title == ("Page 0" if shape.has("title") else "")


@ALL
async def test_blocked_sites(engine: Engine, way: Way) -> None:
    """CON-14: pages on blocked sites aren't shown, whatever the engine makes of the wish."""
    shape = engine.shapes[way]
    hosts = ("a.example.org", "www.a.example.org", "b.example.org")
    rows = [shape.row(url=f"https://{host}/", title="Page") for host in hosts]
    request = msgspec.structs.replace(MANY, rules=SiteRules(owner_blocked=("a.example.org",)))
    async with staged(engine) as stage:
        assert [result.host for result in await rows_of(stage, way, rows)] == list(hosts)
        found = await rows_of(stage, way, rows, request)
        assert [result.host for result in found] == ["b.example.org"]


@ALL
async def test_allowed_sites(engine: Engine, way: Way) -> None:
    """RULE-03 RULE-05: where some sites are allowed, no others are shown, also by an engine that can't be told."""
    shape = engine.shapes[way]
    hosts = ("a.example.org", "www.a.example.org", "x.a.example.org", "b.example.org")
    rows = [shape.row(url=f"https://{host}/", title="Page") for host in hosts]
    request = msgspec.structs.replace(MANY, rules=SiteRules(allowed=("a.example.org",), blocked=("x.a.example.org",)))
    async with staged(engine) as stage:
        found = await rows_of(stage, way, rows, request)
        assert [result.host for result in found] == ["a.example.org", "www.a.example.org"]


@ALL
async def test_long_texts(engine: Engine, way: Way) -> None:
    """CON-15: 600,000 characters in any field, of whatever script, are cut or left out within the deadline."""
    shape = engine.shapes[way]
    units = ("long ", "x", "長", "<b>", "&amp;", "👩‍👩‍👧‍👦", "e\u0301", "[1](", "\n", "\u200b")
    async with staged(engine) as stage:
        for unit, name in itertools.product(units, ("title", "text", "published", "image", "url")):
            text = unit * (600_000 // len(unit))
            body = msgspec.json.encode(shape.body(shape.row(**{"url": URL, name: text}), shape.row(url=address(2))))
            stage.server.fail(always=faults.answer(body))
            found = await outcome(stage, way, MANY)
            # Some name a source more than once.
            assert isinstance(found, SearchPage | Answer if len(body) <= limits.BODY_BYTES else errors.AnswerTooLarge)


@ALL
async def test_rows_that_are_none(engine: Engine, way: Way) -> None:
    """CON-11: what is no row at all, among rows, is passed over."""
    shape = engine.shapes[way]
    none: tuple[object, ...] = (
        *(None, 0, 7, 1.5, 1e300, True, "row", [], {}, [shape.row(url=URL)], {"title": "no address"}),
        *({"url": None}, {"url": {}}, {"url": 7}, {"url": [URL]}, {"url": ""}, {"url": "doc:1042"}),
    )
    async with staged(engine) as stage:
        found = await rows_of(stage, way, [*none, shape.row(url=URL, title=TITLE), *none])
        assert [result.url for result in found] == [URL]


@ALL
async def test_nothing_is_added_to_what_is_asked(engine: Engine, way: Way) -> None:
    """CON-16: a call goes to the engine alone, once, with the query, and with nothing that says who searches."""
    async with staged(engine) as stage:
        stage.server.fail(always=faults.answer(engine.shapes[way].good))
        await outcome(stage, way, REQUEST)
        (call,) = stage.server.requests
        assert QUERY in (call.body.decode() + "".join(call.params.values()))
        assert call.key == engine.key
        assert not {"cookie", "referer", "origin", "x-forwarded-for"} & set(call.headers)
        assert not engine.key or engine.key not in str(call.request.rel_url)
        assert type(await outcome(stage, way, REQUEST)) is not errors.BackendError
