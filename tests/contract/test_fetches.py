"""Let every engine that reads pages read long, odd and forbidden ones."""

from __future__ import annotations

from typing import Final

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cogs.websearch import errors, limits, links
from cogs.websearch.models import FetchedPage
from contract.checks import outcome
from contract.forbidden import FORBIDDEN
from contract.shape import TITLE, URL, Engine, Way
from contract.stage import Stage, staged
from contract.suite import FETCHES
from loopback_engine import faults

EACH = pytest.mark.parametrize("engine", FETCHES.values(), ids=FETCHES)
EXAMPLES = settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])


async def fetched(stage: Stage, **parts: object) -> FetchedPage | errors.BackendError:
    """Let the engine answer with a page of these parts."""
    shape = stage.engine.shapes[Way.FETCH]
    stage.server.fail(always=faults.answer(msgspec.json.encode(shape.body(shape.row(**parts)))))
    found = await outcome(stage, Way.FETCH)
    assert isinstance(found, FetchedPage | errors.BackendError)
    return found


@EACH
async def test_forbidden_addresses(engine: Engine) -> None:
    """CON-19: what isn't the address of a public page is refused, and nobody is asked."""
    async with staged(engine) as stage:
        for url in FORBIDDEN:
            assert links.vet(url) is None, url
            with pytest.raises(errors.InvalidAddress):
                await stage.adapter.fetch(url)
        assert stage.server.requests == []


@EACH
async def test_any_address(engine: Engine) -> None:
    """CON-19: whatever somebody takes for an address is asked for as it was vetted, or refused without a call."""
    urls: list[str] = []
    pieces = st.sampled_from(
        ("http", "https", ":", "//", "/", "docs.example.org", "@", "\\", "127.0.0.1", "[::1]", ".", "ä", "?", "#", "\n")
    ) | st.sampled_from(("%2e", "xn--", "utm_source=x", "&", ":80", "\u200b"))
    texts = st.lists(pieces, max_size=8).map("".join) | st.text(max_size=20).map("https://docs.example.org/{}".format)

    @EXAMPLES
    @given(texts)
    def collect(url: str) -> None:
        urls.append(url)

    collect()
    async with staged(engine) as stage:
        stage.server.fail(always=faults.answer(engine.shapes[Way.FETCH].good))
        for url in urls:
            stage.server.requests.clear()
            link = links.vet(url)
            if link is None:
                with pytest.raises(errors.InvalidAddress):
                    await stage.adapter.fetch(url)
                assert stage.server.requests == []
            else:
                await stage.adapter.fetch(url)
                (call,) = stage.server.requests
                assert link.url in call.body.decode() + str(call.params)


@EACH
async def test_short_pages_are_whole(engine: Engine) -> None:
    """CON-20: a page that fits is whole, and says so."""
    async with staged(engine) as stage:
        for text in ("One.", "One.\nTwo.", "長い。\n👩‍👩‍👧‍👦", "x" * (limits.PAGE_TEXT - 500), "\U0001f600" * 4000):
            found = await fetched(stage, url=URL, title=TITLE, text=text)
            assert isinstance(found, FetchedPage)
            assert (found.text, found.truncated) == (text, False)


UNITS: Final = (
    "A sentence. ",
    "é",
    "長",
    "\U0001f600",
    "👩‍👩‍👧‍👦",
    "e\u0301",
    "न\u0940",
    "\r\n",
    '\\"',
    "&amp;",
    "<p>x</p>",
    "\u200b",
)


@pytest.mark.parametrize("unit", UNITS, ids=[ascii(unit) for unit in UNITS])
@EACH
async def test_long_pages_are_cut(engine: Engine, unit: str) -> None:
    """CON-20: a page of any length is cut at a whole character, and says so, also where 4 MiB end within it."""
    async with staged(engine) as stage:
        for size in (50_000, 600_000, limits.BODY_BYTES + 5000):
            text = "Begin " + unit * (size // len(unit.encode()))
            found = await fetched(stage, url=URL, title=TITLE, text=text)
            assert isinstance(found, FetchedPage)
            assert found.text.startswith("Begin")
            assert "\ufffd" not in found.text
            assert found.truncated or (unit in {"\r\n", "\u200b"} and size < limits.BODY_BYTES)
            assert len(found.text) <= limits.PAGE_TEXT


@EACH
async def test_a_cut_within_anything(engine: Engine) -> None:
    """CON-20: where 4 MiB end in a character, an escape or a field's name, what came before is the page."""
    shape = engine.shapes[Way.FETCH]
    head, tail = msgspec.json.encode(shape.body(shape.row(url=URL, text="Begin @ End"))).split(b"@")
    async with staged(engine) as stage:
        for unit in ("é", "\U0001f600", "\\n", "\\u00e9", "\\ud83d\\ude00"):
            raw = unit.encode()
            for shift in range(0, len(raw), 1 + len(raw) // 3):
                long = head + b"x" * shift + raw * ((limits.BODY_BYTES - len(head)) // len(raw) + 9)
                stage.server.fail(always=faults.answer(long + tail))
                found = await outcome(stage, Way.FETCH)
                assert isinstance(found, FetchedPage)
                assert found.truncated
                assert found.text.startswith("Begin")
                assert "\ufffd" not in found.text


@EACH
async def test_pages_without_text(engine: Engine) -> None:
    """CON-20: a page that has no text, or none that can be read, is one that the engine can't read."""
    async with staged(engine) as stage:
        for text in ("", " \n ", "<script>x</script>", "\u200b\u200d", "\x00"):
            found = await fetched(stage, url=URL, title=TITLE, text=text)
            assert type(found) is errors.PageUnreadable, text


@EACH
async def test_another_page(engine: Engine) -> None:
    """CON-20: another address that the engine names for what it read is shown if it may be, else what was asked."""
    async with staged(engine) as stage:
        for raw, shown in (
            ("https://docs.example.org/moved?utm_source=x", "https://docs.example.org/moved"),
            ("http://localhost/", URL),
            ("nothing", URL),
            ("", URL),
            (None, URL),
            (7, URL),
        ):
            found = await fetched(stage, url=raw, title=TITLE, text="Text.")
            assert isinstance(found, FetchedPage)
            assert found.url == shown
