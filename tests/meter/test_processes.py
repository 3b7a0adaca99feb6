"""Hold that no number of processes together passes a limit, and that one that is killed loses nothing."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import sqlite3
import sys
from collections import Counter
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import cogs
from meter_tools import rows

if TYPE_CHECKING:
    from loopback_exa import LoopbackExa

HERE = Path(__file__).parent
MEMBER, SERVER, TOTAL = 1, 2, 3
# Every run kills some; what lands a change kills more.
KILLS = 200 if os.environ.get("WEBSEARCH_CI") else 30
# As in the process that's killed.
PER_MEMBER, PER_SERVER = 5, 200


async def start(script: str, *arguments: object) -> asyncio.subprocess.Process:
    """Start one of the processes beside this file, which waits for a line."""
    # A namespace package knows its folders; the tests' own are above this one.
    folders = [str(Path(folder).parent) for folder in cogs.__path__] + [str(HERE.parent)]
    return await asyncio.create_subprocess_exec(
        sys.executable,
        str(HERE / script),
        *map(str, arguments),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(folders)},
    )


async def ask(process: asyncio.subprocess.Process, line: str) -> str:
    """Write a line to a process, if there's one to write, and return the next one that it writes."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(line.encode())
    return (await process.stdout.readline()).decode().strip()


async def test_three_processes_share_a_limit(exa: LoopbackExa, path: Path) -> None:
    """MET-05: of 200 searches at once in each of three processes exactly 50 pass, and 50 calls reach the engine."""
    processes = await asyncio.gather(*(start("searching.py", path, exa.url, exa.key, 200, 50) for _ in range(3)))
    assert [await ask(process, "") for process in processes] == ["ready"] * 3
    told = await asyncio.gather(*(ask(process, "go\n") for process in processes))
    ended = [await process.wait() for process in processes]
    assert ended == [0, 0, 0]
    answered, stopped = (sum(map(int, column)) for column in zip(*(line.split() for line in told), strict=True))
    assert (answered, stopped) == (50, 550)
    assert len(exa.requests) == 50
    assert {searches for (_, scope, _), (searches, _) in rows(path).items() if scope in {MEMBER, TOTAL}} == {50}


async def next_answer(answers: Path) -> None:
    """Wait for a new answer; of those who live all may have searched their fill, so not for ever."""
    before = size(answers)
    with suppress(TimeoutError):
        async with asyncio.timeout(5):
            while size(answers) == before:  # noqa: ASYNC110 - other processes write it
                await asyncio.sleep(0.005)


def size(answers: Path) -> int:
    """Tell how much is in the file of answers, which the first one makes."""
    return answers.stat().st_size if answers.exists() else 0


@pytest.mark.timeout(600)
async def test_a_killed_process_loses_no_search_that_was_answered(tmp_path: Path, path: Path) -> None:
    """MET-15, MET-01: after many kills at random moments under load all counters agree, and none passed its limit."""
    answers = tmp_path / "answers"
    kennel = await start("kennel.py", path, answers)
    chance = random.Random(KILLS)  # noqa: S311 - it's a test that draws
    alive = [int(await ask(kennel, "0\n"))]
    for number in range(1, KILLS + 1):
        alive.append(int(await ask(kennel, f"{number}\n")))
        # From before the database is open to well into the searches: how far a busy machine gets nobody knows.
        if number % 2:
            await next_answer(answers)
        await asyncio.sleep(chance.uniform(0, 0.08))
        os.kill(alive.pop(chance.randrange(len(alive))), signal.SIGKILL)
    for pid in alive:
        os.kill(pid, signal.SIGKILL)
    await kennel.communicate(b"")
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    told = Counter[tuple[int, int]]()
    for line in answers.read_text("ascii").splitlines():
        user_id, guild_id = map(int, line.split())
        told.update([(MEMBER, user_id), (SERVER, guild_id), (TOTAL, 0)])
    counted = rows(path)
    assert len({day for day, _, _ in counted}) <= 2
    total: Counter[tuple[int, int]] = Counter()
    sums: Counter[int] = Counter()
    costs: Counter[int] = Counter()
    for (_, scope, id_), (searches, cost) in counted.items():
        total[scope, id_] += searches
        sums[scope] += searches
        costs[scope] += cost
        assert searches <= {MEMBER: PER_MEMBER, SERVER: PER_SERVER}.get(scope, searches)
    assert told[TOTAL, 0] > KILLS
    assert [key for key, searches in told.items() if searches > total[key]] == []
    assert sums[MEMBER] == sums[SERVER] == sums[TOTAL]
    assert costs[MEMBER] == costs[SERVER] == costs[TOTAL]
