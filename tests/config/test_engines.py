"""Hold when an engine is opened anew, and when the one before is closed."""

from __future__ import annotations

import asyncio
import dataclasses
import logging
from typing import TYPE_CHECKING, Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cogs.websearch import backends, errors
from cogs.websearch.backends.base import Capabilities, Searcher
from cogs.websearch.config import BACKENDS, Config
from cogs.websearch.engine_slot import EngineSlot

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from pathlib import Path

    from cogs.websearch.backends.base import Searcher
    from cogs.websearch.models import SearchPage, SearchRequest


class Engine:
    """Count how often it's closed."""

    capabilities = Capabilities()

    def __init__(self, name: str = "an engine", *, fails: bool = False) -> None:
        self.name = name
        self.closed = 0
        self._fails = fails

    async def search(self, request: SearchRequest) -> SearchPage:
        """Find nothing."""
        raise errors.BackendBroken(self.name, request.query)

    async def close(self) -> None:
        """Close, or fail to."""
        self.closed += 1
        if self._fails:
            raise OSError


async def settle() -> None:
    """Let everything that's ready run."""
    while others := [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]:
        await asyncio.wait(others)
    await asyncio.sleep(0)


class Recorder:
    """Stand in for a configuration, and remember which of its settings are read."""

    def __init__(self, config: Config) -> None:
        self._config = config
        self.read: set[str] = set()

    def __getattr__(self, name: str) -> object:
        """Return the setting."""
        self.read.add(name)
        return getattr(self._config, name)


@pytest.mark.parametrize("backend", BACKENDS)
async def test_every_setting_that_an_opener_reads_is_listed(
    backend: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """REL-08: no change of what an engine is opened with goes unnoticed, and no other opens it anew."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "docs").mkdir()
    config = Config(web_backend=backend, local_documents=tmp_path / "docs", local_base_url="https://docs.example.org")
    recorder = Recorder(config)
    searcher = await backends.open_searcher(cast("Config", recorder))
    await searcher.close()
    assert recorder.read == {"web_backend", *backends.adapter(backend).SETTINGS}


@pytest.mark.parametrize("field", [field.name for field in dataclasses.fields(Config)])
def test_only_its_own_settings_open_an_engine_anew(field: str) -> None:
    """REL-08: any other key changes without the engine."""
    config = Config(enable_web_search=True)
    others: dict[str, Any] = {"enable_web_search": False, "web_backend": "local"}
    change: dict[str, Any] = {field: others.get(field, "another")}
    own = {"enable_web_search", "web_backend", *backends.adapter("exa").SETTINGS}
    is_same = backends.opened_with(dataclasses.replace(config, **change)) == backends.opened_with(config)
    assert is_same == (field not in own)


async def test_nothing_is_opened_while_searching_is_off() -> None:
    """REL-10: off, all configurations are the same to engines; nobody is lent one where there's none."""
    assert backends.opened_with(Config(web_backend="local")) == backends.opened_with(Config(exa_api_key="abc")) == ()
    slot: EngineSlot[Searcher] = EngineSlot()
    assert slot.name == ""
    with pytest.raises(errors.SearchDisabled), slot.use():
        pass
    await slot.close()


async def test_an_engine_that_fails_to_close_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    """REL-08: where an old one can't be closed, the log says so, and the new one goes on."""
    caplog.set_level(logging.ERROR, "cogs.websearch")
    slot, new = EngineSlot(Engine(fails=True)), Engine("new")
    slot.put(new)
    await settle()
    assert [record.getMessage() for record in caplog.records] == [
        "an engine that's no longer used could not be closed: OSError"
    ]
    assert (slot.name, new.closed) == ("new", 0)
    await slot.close()
    await slot.close()
    assert new.closed == 1


async def test_closing_ends_searches_and_waits() -> None:
    """REL-14: engines under searches are closed too, once each, however the searches end afterwards."""
    old, new = Engine("old"), Engine("new")
    slot = EngineSlot(old)
    with slot.use() as one:
        slot.put(new)
        with slot.use() as other:
            assert (one, other) == (old, new)
            await slot.close()
            assert (old.closed, new.closed) == (1, 1)
    await settle()
    assert (old.closed, new.closed) == (1, 1)


STEPS = st.sampled_from(["begin", "end first", "end last", "put", "put none", "settle"])


@given(steps=st.lists(STEPS, max_size=20))
def test_engines_are_open_while_they_are_used_and_no_longer(steps: list[str]) -> None:
    """REL-08, REL-14: in any order of searches and changes each engine closes once, after its last search."""

    async def run() -> None:
        engines = [Engine()]
        slot = EngineSlot(engines[0])
        current: Engine | None = engines[0]
        searches: list[tuple[AbstractContextManager[Searcher], Searcher]] = []
        for step in [*steps, "settle"]:
            if step == "begin" and current is not None:
                use: AbstractContextManager[Searcher] = slot.use()
                searches.append((use, use.__enter__()))
                assert searches[-1][1] is current
            elif step.startswith("end") and searches:
                use, _ = searches.pop(0 if step == "end first" else -1)
                use.__exit__(None, None, None)
            elif step.startswith("put"):
                current = None if step == "put none" else Engine()
                engines += [] if current is None else [current]
                slot.put(current)
            elif step == "settle":
                await settle()
                used = {engine for _, engine in searches} | {current}
                assert [engine.closed for engine in engines] == [0 if engine in used else 1 for engine in engines]
        await slot.close()
        assert [engine.closed for engine in engines] == [1] * len(engines)
        for use, _ in searches:
            use.__exit__(None, None, None)
        await settle()
        assert [engine.closed for engine in engines] == [1] * len(engines)

    asyncio.run(run())
