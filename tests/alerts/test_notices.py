"""Hold what is told when, by the real store, to a teller that remembers."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from contextlib import closing, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from alert_tools import alerts_sent
from cogs.websearch import errors
from cogs.websearch import notices as notices_module
from cogs.websearch.charges import Act
from cogs.websearch.days import Day
from cogs.websearch.engine_slot import EngineSlot
from cogs.websearch.notices import HOUR_SECONDS, Notices
from cogs.websearch.troubles import Kind, Part, Trouble
from engine_tools import FakeTime

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from cogs.websearch.store.sqlite import SqliteStore
    from store_sessions import Opener

KEY = Trouble(kind=Kind.KEY, where="Exa", since=0)
DOWN = Trouble(kind=Kind.ENGINE, where="Exa", since=0)


class Owner:
    """Remember what was told; while the gate is closed, it isn't told to its end."""

    def __init__(self) -> None:
        self.told: list[tuple[Kind, bool]] = []
        self.begun = asyncio.Event()
        self.gate = asyncio.Event()
        self.gate.set()

    async def hear(self, trouble: Trouble, over: bool) -> None:  # noqa: FBT001 - the shape of a teller
        """Be told."""
        self.begun.set()
        await self.gate.wait()
        self.told.append((trouble.kind, over))


@pytest.fixture
def time_() -> FakeTime:
    """Give a clock that stands."""
    return FakeTime()


@pytest.fixture
def owner() -> Owner:
    """Give somebody to be told."""
    return Owner()


@pytest.fixture
def notices(store: SqliteStore, time_: FakeTime, owner: Owner) -> Notices:
    """Connect them."""
    return told_to(owner, store, time_)


@pytest.fixture
def failing(store: SqliteStore, path: Path) -> Iterator[sqlite3.Connection]:
    """Take the table of alerts away from a store that is open."""
    # Opened by now, with all its tables.
    del store
    with closing(sqlite3.connect(path)) as vandal:
        vandal.execute("ALTER TABLE alert RENAME TO hidden")
        yield vandal


def told_to(owner: Owner, store: SqliteStore, time_: FakeTime) -> Notices:
    """Connect an owner with a store."""
    notices = Notices(store.alerts, clock=time_.wall_clock)
    notices.teller = owner.hear
    return notices


@dataclass
class Nobody:
    """Be an engine that nobody asks."""

    name: str

    async def close(self) -> None:
        """Have nothing to close."""


def ask(notices: Notices, slot: EngineSlot[Any], act: Act, ending: errors.BackendError | None = None) -> None:
    """Ask the engine in a slot, and let that end like this."""
    with suppress(errors.BackendError), notices.watching(slot, act) as health, health.attempt():
        if ending is not None:
            raise ending


def works_again(notices: Notices, part: Part, time_: FakeTime) -> None:
    """Let the database do something now."""
    notices.database_works(part, began=time_.wall_clock())


async def test_what_was_replaced_is_not_ill(notices: Notices, owner: Owner) -> None:
    """HLT-09: an answerer that another took the place of, itself in trouble, keeps no name ill that it had."""
    searcher, answerer = (EngineSlot[Any](Nobody("Exa")) for _ in range(2))
    ask(notices, answerer, Act.ANSWER, errors.KeyRefused("Exa"))
    await alerts_sent()
    ask(notices, searcher, Act.SEARCH)
    await alerts_sent()
    assert owner.told == [(Kind.KEY, False)]
    answerer.put(Nobody("Tavily"))
    ask(notices, answerer, Act.ANSWER, errors.CreditsExhausted("Tavily"))
    ask(notices, searcher, Act.SEARCH)
    await alerts_sent()
    assert owner.told == [(Kind.KEY, False), (Kind.CREDITS, False), (Kind.KEY, True)]
    for slot in (searcher, answerer):
        await slot.close()


async def test_two_of_one_name(notices: Notices, owner: Owner) -> None:
    """HLT-09: while any of a name is in trouble, none that does well ends that."""
    first, second, third = (EngineSlot[Any](Nobody("Exa")) for _ in range(3))
    for slot in (first, second):
        ask(notices, slot, Act.ANSWER, errors.CreditsExhausted("Exa"))
    second.forgive()
    for _ in range(2):
        ask(notices, third, Act.ANSWER)
        await alerts_sent()
        assert owner.told == [(Kind.CREDITS, False)]
    first.forgive()
    ask(notices, first, Act.ANSWER)
    await alerts_sent()
    assert owner.told == [(Kind.CREDITS, False), (Kind.CREDITS, True)]
    for slot in (first, second, third):
        await slot.close()


async def test_another_process_keeps_the_hour(
    notices: Notices, time_: FakeTime, owner: Owner, opened: Opener, path: Path
) -> None:
    """ALR-03: what one told, the other doesn't; once the hour is over, either does within a minute."""
    other = told_to(owner, await opened(path), time_)
    notices.report(KEY)
    await alerts_sent()
    for passed in (0, 1800, 1799):
        time_.passed += passed
        other.report(KEY)
        await alerts_sent()
    assert owner.told == [(Kind.KEY, False)]
    time_.passed += 61
    other.report(KEY)
    await alerts_sent()
    notices.report(KEY)
    await alerts_sent()
    assert owner.told == [(Kind.KEY, False)] * 2


@pytest.mark.usefixtures("failing")
async def test_memory_holds_where_the_database_fails(notices: Notices, time_: FakeTime, owner: Owner) -> None:
    """ALR-02, ALR-03, ALR-06: one process tells once an hour, and of the end once, also without its database."""
    for _ in range(3):
        notices.report_database(Part.SEARCHES, "websearch.db")
        notices.report(KEY)
        await alerts_sent()
        time_.passed += 1000
    assert owner.told == [(Kind.DATABASE, False), (Kind.KEY, False)]
    time_.passed += 1000
    notices.report_database(Part.SEARCHES, "websearch.db")
    await alerts_sent()
    for _ in range(2):
        works_again(notices, Part.SESSIONS, time_)
        await alerts_sent()
    assert owner.told[2:] == [(Kind.DATABASE, False)]
    for _ in range(2):
        works_again(notices, Part.SEARCHES, time_)
        notices.works("Exa")
        await alerts_sent()
    assert owner.told[2:] == [(Kind.DATABASE, False), (Kind.DATABASE, True), (Kind.KEY, True)]


async def test_the_count_starts_over(notices: Notices, time_: FakeTime, store: SqliteStore) -> None:
    """ALR-01: what failed before the database worked again is another trouble, with its own beginning."""
    heard: list[Trouble] = []

    async def hear(trouble: Trouble, over: bool) -> None:  # noqa: FBT001 - the shape of a teller
        if not over:
            heard.append(trouble)

    notices.teller = hear
    notices.report_database(Part.SEARCHES, "websearch.db")
    await alerts_sent()
    notices.report_database(Part.SEARCHES, "websearch.db")
    notices.works("Exa")
    works_again(notices, Part.SEARCHES, time_)
    time_.passed = HOUR_SECONDS + 1
    notices.report_database(Part.TIDYING, "websearch.db", searches=0)
    notices.report_database(Part.SEARCHES, "websearch.db")
    await alerts_sent()
    assert [(trouble.count, trouble.detail) for trouble in heard] == [(1, "websearch.db"), (0, "websearch.db")]
    assert heard[1].since == time_.wall_clock()
    await store.close()


async def test_one_thing_that_works_ends_no_other(
    notices: Notices, time_: FakeTime, owner: Owner, opened: Opener, path: Path
) -> None:
    """ALR-20: while sessions fail, no search that's counted is an end, by whichever process, restarted or not."""
    other = told_to(owner, await opened(path), time_)
    for hours in range(3):
        works_again(notices, Part.SEARCHES, time_)
        notices.report_database(Part.SESSIONS, "websearch.db")
        await alerts_sent()
        for another in (notices, other, told_to(owner, await opened(path), time_)):
            works_again(another, Part.SEARCHES, time_)
            another.works("Exa")
            await alerts_sent()
        assert owner.told == [(Kind.DATABASE, False)] * (hours + 1)
        time_.passed += HOUR_SECONDS
    for each in (other, notices):
        works_again(each, Part.SESSIONS, time_)
        await alerts_sent()
    assert owner.told[3:] == [(Kind.DATABASE, True)]


async def test_all_that_failed_works_again(notices: Notices, time_: FakeTime, owner: Owner) -> None:
    """ALR-02, ALR-20: however much fails, it's told once an hour, and the end when the last of it works again."""
    for part in Part:
        notices.report_database(part, "websearch.db")
    await alerts_sent()
    time_.passed += HOUR_SECONDS
    for part in Part:
        notices.report_database(part, "websearch.db")
    await alerts_sent()
    for part in Part:
        assert owner.told == [(Kind.DATABASE, False)] * 2
        works_again(notices, part, time_)
        await alerts_sent()
    assert owner.told[2:] == [(Kind.DATABASE, True)]


async def test_a_clock_that_was_put_back_keeps_no_trouble_alive(
    notices: Notices, time_: FakeTime, owner: Owner
) -> None:
    """ALR-20: what failed at a time that's still to come is over when it works again, not a day later."""
    time_.passed = 86_400.0
    notices.report_database(Part.SEARCHES, "websearch.db")
    await alerts_sent()
    time_.passed = 0.0
    works_again(notices, Part.SEARCHES, time_)
    await alerts_sent()
    assert owner.told == [(Kind.DATABASE, False), (Kind.DATABASE, True)]


async def test_what_nobody_does_again_is_not_waited_for(notices: Notices, time_: FakeTime, owner: Owner) -> None:
    """ALR-20: what failed and wasn't tried for a day keeps no trouble alive."""
    notices.report_database(Part.SEARCHES, "websearch.db")
    notices.report_database(Part.PAUSES, "websearch.db")
    await alerts_sent()
    for passed in (1, 82_799, HOUR_SECONDS):
        assert owner.told == [(Kind.DATABASE, False)]
        time_.passed += passed
        works_again(notices, Part.SEARCHES, time_)
        await alerts_sent()
    assert owner.told[1:] == [(Kind.DATABASE, True)]


async def test_who_was_not_refused_ends_no_refusal(
    notices: Notices, time_: FakeTime, owner: Owner, opened: Opener, path: Path
) -> None:
    """ALR-18: while a process whose key was refused goes on, another's good searches, restarted or not, end nothing."""
    other = told_to(owner, await opened(path), time_)
    other.works("Exa")
    notices.report(KEY)
    await alerts_sent()
    for another in (other, told_to(owner, await opened(path), time_)):
        another.works("Exa")
        await alerts_sent()
    assert owner.told == [(Kind.KEY, False)]
    for _ in range(2):
        notices.works("Exa")
        await alerts_sent()
    assert owner.told == [(Kind.KEY, False), (Kind.KEY, True)]


async def test_who_was_refused_too_ends_it(
    notices: Notices, time_: FakeTime, owner: Owner, opened: Opener, path: Path
) -> None:
    """ALR-06, ALR-18: of two that met the refusal the first whose key is good again tells so, and the other doesn't."""
    other = told_to(owner, await opened(path), time_)
    for each in (notices, other):
        each.report(KEY)
        await alerts_sent()
    for each in (other, notices, other):
        each.works("Exa")
        await alerts_sent()
    assert owner.told == [(Kind.KEY, False), (Kind.KEY, True)]


async def test_who_told_of_a_refusal_leaves_its_end_to_others(
    notices: Notices, time_: FakeTime, owner: Owner, opened: Opener, path: Path
) -> None:
    """ALR-06, ALR-18: after a reload or a restart whoever searches first with a good key tells the end."""
    notices.report(KEY)
    await alerts_sent()
    await notices.close()
    told_to(owner, await opened(path), time_).works("Exa")
    await alerts_sent()
    assert owner.told == [(Kind.KEY, False), (Kind.KEY, True)]


async def test_who_was_killed_holds_it_for_an_hour(
    notices: Notices, time_: FakeTime, owner: Owner, opened: Opener, path: Path
) -> None:
    """ALR-18: what nobody tells again for an hour is over for whoever's key is good, without a restart."""
    other = told_to(owner, await opened(path), time_)
    notices.report(KEY)
    await alerts_sent()
    for passed in (0, 3599, 1):
        time_.passed += passed
        assert owner.told == [(Kind.KEY, False)]
        other.works("Exa")
        await alerts_sent()
    assert owner.told == [(Kind.KEY, False), (Kind.KEY, True)]


async def test_what_was_cut_off_is_told_by_the_next(
    notices: Notices, time_: FakeTime, owner: Owner, opened: Opener, path: Path
) -> None:
    """ALR-13: an alert that an unload cut off hasn't used its hour, and has no end of its own."""
    owner.gate.clear()
    notices.report(KEY)
    await owner.begun.wait()
    await notices.close()
    owner.gate.set()
    next_ = told_to(owner, await opened(path), time_)
    next_.works("Exa")
    await alerts_sent()
    assert owner.told == []
    next_.report(KEY)
    await alerts_sent()
    assert owner.told == [(Kind.KEY, False)]


async def test_trouble_is_told_before_its_end(notices: Notices, owner: Owner) -> None:
    """ALR-06, ALR-12: both at once, however long the first takes; whoever reports goes on at once."""
    owner.gate.clear()
    notices.report(DOWN)
    notices.works("Exa")
    notices.works("Exa")
    await owner.begun.wait()
    assert owner.told == []
    owner.gate.set()
    await alerts_sent()
    assert owner.told == [(Kind.ENGINE, False), (Kind.ENGINE, True)]


async def test_a_budget_is_told_once_a_day(notices: Notices, time_: FakeTime, owner: Owner, store: SqliteStore) -> None:
    """ALR-04: also restarted, on days of 23 and 25 hours, and never twice within an hour."""
    start = int(time_.wall_clock()) - 100
    for hours in (23, 25, 24):
        day = Day(number=1, starts=start, ends=start + hours * 3600)
        told = len(owner.told)
        for _ in range(hours):
            await restarted_and_told(owner, store, time_, Trouble(kind=Kind.BUDGET, since=0, day=day))
            notices.report(Trouble(kind=Kind.BUDGET, since=0, day=day))
            await alerts_sent()
            assert len(owner.told) == told + 1
            time_.passed += 3600
        start = day.ends
    assert owner.told == [(Kind.BUDGET, False)] * 3
    notices.works("Exa")
    await alerts_sent()
    assert len(owner.told) == 3


async def restarted_and_told(owner: Owner, store: SqliteStore, time_: FakeTime, trouble: Trouble) -> None:
    """Report by an object that remembers nothing."""
    told_to(owner, store, time_).report(trouble)
    await alerts_sent()


async def test_a_clock_that_is_put_back_silences_nothing(notices: Notices, time_: FakeTime, owner: Owner) -> None:
    """ALR-16: what was told by a clock that was a year ahead is told again once it's right."""
    time_.passed = 365 * 86_400
    notices.report(KEY)
    await alerts_sent()
    time_.passed = 0
    notices.report(KEY)
    await alerts_sent()
    assert owner.told == [(Kind.KEY, False)] * 2


async def test_closing_ends_all(notices: Notices, owner: Owner, caplog: pytest.LogCaptureFixture) -> None:
    """ALR-13: what's being told ends, what's waiting never begins, and nothing is told afterwards."""
    owner.gate.clear()
    notices.report(KEY)
    notices.report(DOWN)
    notices.works("Exa")
    await owner.begun.wait()
    await notices.close()
    await notices.close()
    notices.report(Trouble(kind=Kind.CREDITS, where="Exa", since=0))
    notices.works("Tavily")
    assert not [task for task in asyncio.all_tasks() if task.get_name() == "websearch alert"]
    assert owner.told == []
    assert caplog.records == []


async def test_a_teller_that_fails_is_logged(notices: Notices, caplog: pytest.LogCaptureFixture) -> None:
    """ALR-11, ALR-14: where it failed is logged, not what it says; the next trouble is told all the same."""
    heard: list[Kind] = []

    async def fail(trouble: Trouble, _over: bool) -> None:  # noqa: FBT001 - the shape of a teller
        heard.append(trouble.kind)
        message = "a secret"
        raise LookupError(message)

    notices.teller = fail
    notices.report(KEY)
    notices.report(DOWN)
    await alerts_sent()
    assert heard == [Kind.KEY, Kind.ENGINE]
    logged = [record for record in caplog.records if record.levelno == logging.ERROR]
    assert len(logged) == 2
    assert "LookupError" in caplog.text
    assert "a secret" not in caplog.text


async def test_a_discord_that_hangs_takes_a_minute(
    notices: Notices, owner: Owner, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """ALR-11: then it's given up with a line in the log, and what waited is told."""
    monkeypatch.setattr(notices_module, "_PATIENCE", 0.01)
    owner.gate.clear()
    notices.report(KEY)
    await alerts_sent()
    owner.gate.set()
    notices.report(DOWN)
    await alerts_sent()
    assert owner.told == [(Kind.ENGINE, False)]
    assert "took too long" in caplog.text


async def test_nobody_to_tell(store: SqliteStore, time_: FakeTime, owner: Owner) -> None:
    """ALR-02: without a teller nothing is claimed, so that it's told once there's one."""
    notices = Notices(store.alerts, clock=time_.wall_clock)
    notices.report(KEY)
    notices.works("Exa")
    await alerts_sent()
    notices.teller = owner.hear
    notices.report(KEY)
    await alerts_sent()
    assert owner.told == [(Kind.KEY, False)]
