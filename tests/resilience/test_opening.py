"""Hold what becomes of a fallback that can't be opened, or not soon."""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from typing import TYPE_CHECKING, Any

import pytest

from cogs.websearch import backends, errors
from cogs.websearch.backends import http
from cogs.websearch.config import Config
from cogs.websearch.lineup import Lineup
from cogs.websearch.opening import AGAIN_SECONDS
from cogs.websearch.service import SearchService
from engine_tools import NOW
from loopback_engine import faults
from resilience.asking import search
from resilience.test_status import told

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    import aiohttp

    from cogs.websearch.backends.base import Searcher
    from engine_tools import FakeTime
    from loopback_exa import LoopbackExa
    from meter_tools import OpenService


class Doors:
    """Let engines be opened, or not, as a test says; count what is opened and what isn't closed."""

    def __init__(self, open_: Callable[[Config], Awaitable[Searcher]]) -> None:
        self.held: dict[str, asyncio.Event] = {}
        self.broken: dict[str, Exception] = {}
        self.tried: list[str] = []
        self.reached: defaultdict[str, asyncio.Event] = defaultdict(asyncio.Event)
        self.sessions: list[aiohttp.ClientSession] = []
        self._open = open_

    async def open(self, config: Config) -> Searcher:
        """Open an engine when that's let, or fail."""
        name = config.web_backend
        self.tried.append(name)
        self.reached[name].set()
        if name in self.held:
            await self.held[name].wait()
        if name in self.broken:
            raise self.broken[name]
        return await self._open(config)

    def hold(self, name: str) -> asyncio.Event:
        """Keep an engine from being opened until the event is set."""
        return self.held.setdefault(name, asyncio.Event())

    @property
    def left_open(self) -> int:
        """Count the engines' sessions that aren't closed."""
        return sum(not session.closed for session in self.sessions)


@pytest.fixture
def doors(monkeypatch: pytest.MonkeyPatch) -> Doors:
    """Stand in the way of what is opened."""
    made = Doors(backends.open_searcher)
    monkeypatch.setattr(backends, "open_searcher", made.open)
    open_session = http.open_session

    def record() -> aiohttp.ClientSession:
        made.sessions.append(open_session())
        return made.sessions[-1]

    monkeypatch.setattr(http, "open_session", record)
    return made


def opening() -> list[asyncio.Task[Any]]:
    """List the tasks that open fallbacks."""
    return [task for task in asyncio.all_tasks() if task.get_name() == "websearch fallback opening"]


async def opened() -> None:
    """Wait until they have ended."""
    if tasks := opening():
        await asyncio.wait(tasks)


async def test_a_fallback_whose_folder_is_gone(
    open_service: OpenService, given_: dict[str, Any], exa: LoopbackExa, tmp_path: Path
) -> None:
    """RES-30: the first engine is asked all the same, and a status names the fallback and what's the matter."""
    given = given_ | {"local-documents": str(tmp_path / "docs"), "local-base-url": "https://docs.example.org"}
    config = Config.from_mapping(given | {"web-fallbacks": ["local", "tavily"]}, env={})
    with pytest.raises(errors.InvalidValue):
        Config.from_mapping(given | {"web-backend": "local"}, env={})
    service = await open_service(web_fallbacks=[])
    await service.reconfigure(config)
    assert (await search(service)).page.backend == "Exa"
    assert (await told(service))[2:5] == [
        "Fallback: local, which isn't open yet",
        f"last failed <t:{int(NOW)}:R>, backend-broken",
        "Fallback: Tavily",
    ]
    exa.fail(always=faults.html())
    assert (await search(service)).page.backend == "Tavily"


async def test_it_is_tried_again(
    given_: dict[str, Any], doors: Doors, time_: FakeTime, caplog: pytest.LogCaptureFixture
) -> None:
    """RES-30: once a minute, each kind of failure logged once, until it's open; then it's asked as any other."""
    caplog.set_level(logging.INFO, "cogs.websearch.opening")
    doors.broken["tavily"] = errors.BackendBroken("Tavily", "no folder")
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)
        if len(waits) == 2:
            doors.broken["tavily"] = ZeroDivisionError("secret")
        if len(waits) == 3:
            doors.broken.clear()

    config, lineup = Config.from_mapping(given_, env={}), Lineup(clock=time_.wall_clock, sleep=sleep)
    lineup.take(config, await lineup.open(config))
    await opened()
    assert lineup.engines[1].signs.is_open
    assert waits == [AGAIN_SECONDS] * 3
    assert [engine.signs.name for engine in lineup.engines] == ["Exa", "Tavily"]
    first, fault, well = [record.getMessage() for record in caplog.records]
    assert first.startswith("the fallback tavily can't be opened, and is tried again each minute: ")
    assert "ZeroDivisionError" in fault
    assert "secret" not in fault
    assert well == "the fallback tavily is open now"
    await lineup.close()
    assert (doors.left_open, opening()) == (0, [])


async def test_a_slow_one_keeps_nobody_waiting(given_: dict[str, Any], doors: Doors, exa: LoopbackExa) -> None:
    """RES-31: the service opens and searches, and the fallback is asked from when it's open."""
    door = doors.hold("tavily")
    service = await SearchService.open(Config.from_mapping(given_, env={}))
    assert (await search(service)).page.backend == "Exa"
    assert not [*service.engines.signs.values()][1].is_open
    exa.fail(always=faults.html())
    with pytest.raises(errors.InvalidAnswer):
        await search(service)
    door.set()
    await opened()
    assert (await search(service)).page.backend == "Tavily"
    await service.close()
    assert doors.left_open == 0


async def test_what_is_being_opened_stays_so_until_it_is_not_needed(given_: dict[str, Any], doors: Doors) -> None:
    """RES-31: a change of something else leaves it as it is; closing, or a change of what's asked, ends it."""
    doors.hold("tavily")
    config = Config.from_mapping(given_, env={})
    lineup = Lineup()
    for _ in range(2):
        lineup.take(config, await lineup.open(config))
    assert doors.tried == ["exa", "tavily"]
    alone = Config.from_mapping(given_ | {"web-fallbacks": []}, env={})
    lineup.take(alone, await lineup.open(alone))
    lineup.take(config, await lineup.open(config))
    await lineup.close()
    assert (doors.left_open, opening()) == (0, [])


async def test_one_that_becomes_the_first_is_waited_for(given_: dict[str, Any], doors: Doors) -> None:
    """RES-31: `web-backend` itself is always open, also where it was being opened as a fallback."""
    door = doors.hold("tavily")
    config, lineup = Config.from_mapping(given_, env={}), Lineup()
    lineup.take(config, await lineup.open(config))
    other = Config.from_mapping(given_ | {"web-backend": "tavily", "web-fallbacks": []}, env={})
    taking = asyncio.ensure_future(lineup.open(other))
    await asyncio.sleep(0)
    door.set()
    lineup.take(other, await taking)
    assert [engine.signs.name for engine in lineup.engines] == ["Tavily"]
    await lineup.close()
    assert (doors.left_open, opening()) == (0, [])


async def test_the_first_engine_must_open(given_: dict[str, Any], doors: Doors) -> None:
    """RES-30: where `web-backend` can't be opened nothing is, as before."""
    doors.broken["exa"] = errors.BackendBroken("Exa", "")
    with pytest.raises(errors.BackendBroken):
        await SearchService.open(Config.from_mapping(given_, env={}))
    assert (doors.left_open, opening()) == (0, [])


@pytest.mark.parametrize("slow", ["tavily", "exa"])
async def test_closing_amid_a_change(given_: dict[str, Any], doors: Doors, slow: str) -> None:
    """RES-32: what's opened after `close` is closed, and isn't used, whether it was to be the first engine or not."""
    config = Config.from_mapping(given_, env={})
    service = await SearchService.open(Config.from_mapping(given_ | {"enable-web-search": False}, env={}))
    door = doors.hold(slow)
    changing = asyncio.ensure_future(service.reconfigure(config))
    await doors.reached[slow].wait()
    await service.close()
    door.set()
    with pytest.raises(errors.SearchInterrupted):
        await changing
    assert service.engines.signs == {}
    assert (doors.left_open, opening()) == (0, [])


async def test_nothing_is_taken_after_closing(given_: dict[str, Any], doors: Doors) -> None:
    """RES-32: also where it was opened before."""
    doors.hold("tavily")
    config, lineup = Config.from_mapping(given_, env={}), Lineup()
    found = await lineup.open(config)
    await lineup.close()
    lineup.take(config, found)
    assert lineup.engines == ()
    await lineup.close()
    assert (doors.left_open, opening()) == (0, [])
