"""Hold what becomes of a configuration's changes while the bot runs."""

from __future__ import annotations

import asyncio
import logging
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cogs.websearch import errors
from cogs.websearch.config import Config
from cogs.websearch.config_source import ConfigValue, Unread
from cogs.websearch.reload import Reloader
from ticks import Ticks

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

START = Config(web_results=3)
BROKEN = errors.InvalidValue("bot.toml", "web-results", "99", "whole-number", 1, 10)
ALSO_BROKEN = errors.UnknownKey("bot.toml", "web-result", "web-results")
SENTENCE = "bot.toml: web-results is 99, but takes a whole number from 1 to 10."
ALSO_SENTENCE = "bot.toml has an unknown key web-result: write web-results, or take it out."


class Script:
    """Be a source whose looks find what was queued, or nothing new; `asked` holds whether each was to look again."""

    fixed = False
    unread = Unread()

    def __init__(self, *queue: Config | BaseException | None) -> None:
        self.queue = list(queue)
        self.asked: list[bool] = []

    def first(self) -> Config:
        """Return what it starts with."""
        return START

    async def look(self, *, again: bool = False) -> Config | None:
        """Return or raise what's next."""
        self.asked.append(again)
        found = self.queue.pop(0) if self.queue else None
        if isinstance(found, BaseException):
            raise found
        return found


class Taker:
    """Remember what's taken on; `hold` keeps it under way, `refuse` lets it fail."""

    def __init__(self) -> None:
        self.taken: list[Config] = []
        self.refuse: BaseException | None = None
        self.begun = asyncio.Event()
        self.ended = asyncio.Event()
        self.hold = asyncio.Event()
        self.hold.set()
        self.cancelled = False

    async def __call__(self, config: Config) -> None:
        """Take on, or fail."""
        self.taken.append(config)
        self.begun.set()
        try:
            await self.hold.wait()
        except asyncio.CancelledError:
            self.cancelled = True
            raise
        finally:
            self.ended.set()
        if self.refuse is not None:
            raise self.refuse


@asynccontextmanager
async def following(source: Script, taker: Taker, ticks: Ticks) -> AsyncIterator[Reloader]:
    """Follow a source while the context lasts."""
    reloader = Reloader(source, START, taker, sleep=ticks.sleep)
    reloader.start()
    try:
        yield reloader
    finally:
        await reloader.close()


def problem_of(reloader: Reloader) -> errors.WebSearchError | None:
    """Return what's wrong by now."""
    return reloader.problem


def lines(caplog: pytest.LogCaptureFixture) -> list[str]:
    """List what was logged."""
    return [record.getMessage() for record in caplog.records if record.name.endswith((".reload", ".following"))]


@pytest.fixture(autouse=True)
def all_levels(caplog: pytest.LogCaptureFixture) -> None:
    """Hear everything."""
    caplog.set_level(logging.DEBUG, "cogs.websearch")


async def test_a_change_is_taken_on_and_logged(caplog: pytest.LogCaptureFixture) -> None:
    """REL-01: the log names the keys that have changed, and not their values."""
    changed = replace(START, web_results=7, exa_api_key="3f8a7c1e-52d4-4b6f")
    taker, ticks = Taker(), Ticks()
    async with following(Script(changed), taker, ticks):
        await ticks.seconds(2)
    assert taker.taken == [changed]
    assert lines(caplog) == ["the configuration has changed: web-results, exa-api-key"]


async def test_what_is_the_same_is_not_taken_on(caplog: pytest.LogCaptureFixture) -> None:
    """REL-01: a file that was only touched changes nothing and is no news."""
    taker, ticks = Taker(), Ticks()
    async with following(Script(replace(START)), taker, ticks):
        await ticks.seconds(1)
    assert (taker.taken, lines(caplog)) == ([], [])


async def test_changes_and_a_change_back_come_one_after_the_other() -> None:
    """REL-01: each is taken on in its order."""
    one, two = replace(START, web_results=4), replace(START, web_results=5)
    taker, ticks = Taker(), Ticks()
    async with following(Script(one, two, START), taker, ticks):
        await ticks.seconds(3)
    assert taker.taken == [one, two, START]


async def test_a_newer_change_ends_the_one_that_is_under_way(caplog: pytest.LogCaptureFixture) -> None:
    """REL-16: looking goes on while an engine is being opened, and the newer configuration holds alone."""
    slow, off = replace(START, web_backend="local"), replace(START, enable_web_search=True)
    taker, ticks = Taker(), Ticks()
    taker.hold.clear()
    async with following(Script(slow, slow, off), taker, ticks) as reloader:
        await ticks.seconds(2)
        assert (taker.taken, taker.cancelled) == ([slow], False)
        await ticks.begin()
        await taker.ended.wait()
        taker.hold.set()
        await ticks.end()
        assert (taker.taken, taker.cancelled) == ([slow, off], True)
        assert problem_of(reloader) is None
    assert lines(caplog) == ["the configuration has changed: enable-web-search"]


async def test_a_change_back_ends_the_one_that_is_under_way() -> None:
    """REL-16: the configuration in force needs nothing, and what was being opened for another is left."""
    taker, ticks = Taker(), Ticks()
    taker.hold.clear()
    async with following(Script(replace(START, web_backend="local"), START), taker, ticks):
        await ticks.seconds(2)
        await taker.ended.wait()
    assert (len(taker.taken), taker.cancelled) == (1, True)


async def test_a_broken_one_does_not_end_the_one_that_is_under_way(caplog: pytest.LogCaptureFixture) -> None:
    """REL-05, REL-16: the last good one is the one that's being opened, and the problem stays told after that."""
    good = replace(START, web_backend="local")
    taker, ticks = Taker(), Ticks()
    taker.hold.clear()
    async with following(Script(good, BROKEN, None, good), taker, ticks) as reloader:
        await ticks.seconds(2)
        taker.hold.set()
        await taker.ended.wait()
        await ticks.seconds(1)
        assert (taker.taken, taker.cancelled) == ([good], False)
        assert problem_of(reloader) is BROKEN
        await ticks.seconds(1)
        assert problem_of(reloader) is None
    assert taker.taken == [good]
    assert lines(caplog) == [
        f"the last good configuration stays in force: {SENTENCE}",
        "the configuration has changed: web-backend",
        "the configuration is good again",
    ]


async def test_a_problem_is_told_once_and_its_end_once(caplog: pytest.LogCaptureFixture) -> None:
    """REL-05: what's broken in two ways is told of each once, and that it's good again once."""
    taker, ticks = Taker(), Ticks()
    source = Script(BROKEN, BROKEN, ALSO_BROKEN, BROKEN, ALSO_BROKEN, START, START)
    async with following(source, taker, ticks) as reloader:
        await ticks.seconds(1)
        assert problem_of(reloader) is BROKEN
        await ticks.seconds(4)
        assert problem_of(reloader) is ALSO_BROKEN
        await ticks.seconds(2)
        assert problem_of(reloader) is None
    assert taker.taken == []
    assert lines(caplog) == [
        f"the last good configuration stays in force: {SENTENCE}",
        f"the last good configuration stays in force: {ALSO_SENTENCE}",
        "the configuration is good again",
    ]


async def test_a_problem_that_comes_back_is_told_again(caplog: pytest.LogCaptureFixture) -> None:
    """REL-05: once it was good, the same mistake is news."""
    ticks = Ticks()
    async with following(Script(BROKEN, START, BROKEN), Taker(), ticks):
        await ticks.seconds(3)
    assert [SENTENCE in line for line in lines(caplog)] == [True, False, True]


async def test_what_is_broken_is_read_again_now_and_then() -> None:
    """REL-05: a cause outside of the file, such as a missing folder, is found gone within ten seconds."""
    source, ticks = Script(BROKEN), Ticks()
    async with following(source, Taker(), ticks):
        await ticks.seconds(20)
        source.queue.append(START)
        await ticks.seconds(20)
    assert [number for number, again in enumerate(source.asked, start=1) if again] == [10, 20]


async def test_what_cant_be_taken_on_is_tried_again(caplog: pytest.LogCaptureFixture) -> None:
    """REL-09: it's told once, tried again within ten seconds and not each second, and the keys keep their values."""
    taker, ticks = Taker(), Ticks()
    taker.refuse = errors.BackendBroken("Documents", "FileNotFoundError: docs")
    changed = replace(START, web_backend="local")
    async with following(Script(*[changed] * 25), taker, ticks) as reloader:
        await ticks.seconds(10)
        assert taker.taken == [changed] * 2
        assert isinstance(problem_of(reloader), errors.BackendBroken)
        taker.refuse = None
        await ticks.seconds(10)
        assert problem_of(reloader) is None
    assert taker.taken == [changed] * 3
    assert lines(caplog) == [
        "the last good configuration stays in force: Documents can't be opened: “FileNotFoundError: docs”.",
        "the configuration has changed: web-backend",
        "the configuration is good again",
    ]


async def test_a_change_back_ends_what_cant_be_taken_on() -> None:
    """REL-09: the configuration that's in force needs nothing to be opened."""
    taker, ticks = Taker(), Ticks()
    taker.refuse = errors.BackendBroken("Documents", "gone")
    async with following(Script(replace(START, web_backend="local"), START), taker, ticks) as reloader:
        await ticks.seconds(2)
        assert problem_of(reloader) is None
    assert len(taker.taken) == 1


async def test_what_needs_a_restart_keeps_its_value(caplog: pytest.LogCaptureFixture) -> None:
    """REL-07: database and token are told once and stay, other keys beside them change, a change back ends it."""
    changed = replace(START, web_database="other.db", discord_token="a-token-of-mine", web_results=7)  # noqa: S106 - no token
    taker, ticks = Taker(), Ticks()
    async with following(Script(changed, changed, replace(START, web_results=7)), taker, ticks) as reloader:
        await ticks.seconds(2)
        assert taker.taken == [replace(START, web_results=7)]
        assert list(reloader.pending) == ["web-database", "discord-token"]
        await ticks.seconds(1)
        assert list(reloader.pending) == []
    assert lines(caplog) == [
        "the configuration has changed: web-results",
        "changed in the configuration, but used only after a restart: web-database, discord-token",
        "for web-database, loading the cog anew does instead of a restart",
    ]


async def test_where_a_function_failed_is_logged_without_its_words(caplog: pytest.LogCaptureFixture) -> None:
    """REL-12: the log says in which of the host's lines, and nothing of what the exception says."""
    with pytest.raises(ValueError, match="said-by-the-host") as caught:
        int("said-by-" + "the-host")
    problem = errors.ConfigNotGiven("ValueError")
    problem.__cause__ = caught.value
    ticks = Ticks()
    async with following(Script(problem), Taker(), ticks):
        await ticks.seconds(1)
    (line,) = lines(caplog)
    assert "fails with ValueError: mend it" in line
    assert __file__ in line
    assert "said-by-the-host" not in line


async def test_closing_ends_a_change_that_is_under_way() -> None:
    """REL-14: closing waits for nothing, leaves no task, and does no harm twice."""
    taker, ticks = Taker(), Ticks()
    taker.hold.clear()
    before = asyncio.all_tasks()
    async with following(Script(replace(START, web_results=4)), taker, ticks) as reloader:
        assert len(asyncio.all_tasks() - before) == 1
        await ticks.begin()
        await taker.begun.wait()
        await reloader.close()
        assert taker.cancelled
    assert asyncio.all_tasks() == before


async def test_closing_does_not_wait_for_what_hangs(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """REL-14, REL-16: an opening that can't be interrupted keeps neither the next change waiting nor the unload."""
    monkeypatch.setattr("cogs.websearch.reload._CLOSE_SECONDS", 0.01)
    slow, off = replace(START, web_backend="local"), replace(START, web_results=4)
    freed, begun, taken, tasks = asyncio.Event(), asyncio.Event(), [], []
    ticks = Ticks()

    async def take(config: Config) -> None:
        if config == slow:
            tasks.append(asyncio.current_task())
            begun.set()
            try:
                await freed.wait()
            except asyncio.CancelledError:
                # As a thread that reads from a drive which doesn't answer.
                await freed.wait()
                raise
        taken.append(config)

    reloader = Reloader(Script(slow, off), START, take, sleep=ticks.sleep)
    reloader.start()
    await ticks.begin()
    await begun.wait()
    await ticks.end()
    await ticks.seconds(1)
    assert taken == [off]
    await reloader.close()
    assert lines(caplog) == [
        "the configuration has changed: web-results",
        "an engine that was being opened for a changed configuration doesn't stop",
    ]
    freed.set()
    (task,) = tasks
    assert task is not None
    await asyncio.wait({task})
    assert taken == [off]


async def test_what_never_changes_takes_no_task() -> None:
    """REL-13: a mapping needs nobody to look at it."""
    before = asyncio.all_tasks()
    reloader = Reloader(ConfigValue({}), START, Taker())
    reloader.start()
    assert asyncio.all_tasks() == before
    await reloader.close()


@pytest.mark.parametrize("raised", [RuntimeError("said-by-nobody"), asyncio.CancelledError("said-by-nobody")])
@pytest.mark.parametrize("where", ["source", "taker"])
async def test_a_fault_of_our_own_is_told_and_survived(
    caplog: pytest.LogCaptureFixture, raised: BaseException, where: str
) -> None:
    """REL-17: whatever looking or taking on raises is a problem, logged once with where it was, and tried again."""
    taker, ticks = Taker(), Ticks()
    good = replace(START, web_results=4)
    if where == "source":
        source = Script(raised, raised, good)
    else:
        source = Script(good, None)
        taker.refuse = raised
    async with following(source, taker, ticks) as reloader:
        await ticks.seconds(2)
        assert isinstance(problem_of(reloader), errors.OwnFault)
        taker.refuse = None
        source.queue.append(good)
        source.queue += [good] * 10
        await ticks.seconds(10)
        assert problem_of(reloader) is None
    assert taker.taken[-1] == good
    told, *others = lines(caplog)
    assert f"({type(raised).__name__})" in told
    assert __file__ in told
    assert "said-by-nobody" not in caplog.text
    assert others == ["the configuration has changed: web-results", "the configuration is good again"]


STEPS = st.sampled_from(
    [None, BROKEN, ALSO_BROKEN, START, replace(START, web_results=4), replace(START, web_per_minute=9)]
)


@given(steps=st.lists(STEPS, max_size=10))
def test_the_last_good_one_is_in_force(steps: list[Config | errors.ConfigError | None]) -> None:
    """REL-01, REL-05: whatever came in which order, the last good one was taken on, and the last problem holds."""

    async def run() -> None:
        taker, ticks = Taker(), Ticks()
        async with following(Script(*steps), taker, ticks) as reloader:
            await ticks.seconds(len(steps))
            good = [START, *(step for step in steps if isinstance(step, Config))]
            assert [START, *taker.taken][-1] == good[-1]
            news = [step for step in steps if step is not None]
            assert reloader.problem is (news[-1] if news and isinstance(news[-1], errors.ConfigError) else None)

    asyncio.run(run())
