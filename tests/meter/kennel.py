"""Fork processes that search until they're killed, from one that has imported everything: a process for the tests.

Each line read names a round, whose number the fork's members and server are made of; the fork's process id is printed.
It writes a line to the file of answers for each search that was answered.
"""

from __future__ import annotations

import asyncio
import logging
import os
import random
import signal
import sys
from itertools import count
from typing import Final

from cogs.websearch import backends, errors
from cogs.websearch.backends.base import Capabilities
from cogs.websearch.config import Config
from cogs.websearch.lineup import Lineup
from cogs.websearch.models import SearchPage, SearchRequest, SearchResult
from cogs.websearch.service import SearchService
from cogs.websearch.store.sqlite import SqliteStore
from meter_tools import search

PER_MEMBER: Final = 5
PER_SERVER: Final = 200
# Rounds that search in the same server, and members of a round, most of whom the next one has too.
ROUNDS: Final = 5
MEMBERS: Final = 30
STEP: Final = 5
AT_ONCE: Final = 8

# Its list price is asked for: a fork that imports it first would be killed over that.
backends.adapter("exa")


class Engine:
    """Answer at once, at changing cost, and fail now and then."""

    name: Final = "Exa"
    capabilities: Final = Capabilities()

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance

    async def search(self, _request: SearchRequest) -> SearchPage:
        """Answer or fail, after others had their turn."""
        await asyncio.sleep(0)
        if self._chance.random() < 0.2:
            # What tells nothing of the engine, so that it's asked on and on.
            raise errors.BackendUnable(self.name)
        result = SearchResult(title="title", url="https://example.com", host="example.com", snippet="")
        return SearchPage(backend=self.name, results=(result,), found=1, cost=self._chance.choice([0.007, 0.012, None]))

    async def close(self) -> None:
        """Have nothing to close."""


async def work(database: str, answers: int, number: int) -> None:
    """Search without end, in a server of some rounds, as members of which each soon has searched its fill."""
    chance = random.Random(number)  # noqa: S311 - it's a test that draws
    settings = {
        "enable-web-search": True,
        "exa-api-key": "never-asked",
        "web-per-minute": 1000,
        "web-pace-per-second": 1000,
        "web-daily-per-user": PER_MEMBER,
        "web-daily-per-guild": PER_SERVER,
    }
    store = await SqliteStore.open(database)
    config, lineup = Config.from_mapping(settings, env={}), Lineup()
    lineup.take(config, {"exa": Engine(chance)})
    service = SearchService(config, lineup, store)
    guild_id = 1 + number // ROUNDS

    async def member() -> None:
        for _ in count():
            user_id = number * STEP + chance.randrange(MEMBERS)
            try:
                await search(service, user_id, guild_id)
            except (errors.LimitReached, errors.BackendUnable):
                continue
            os.write(answers, f"{user_id} {guild_id}\n".encode())

    await asyncio.gather(*(member() for _ in range(AT_ONCE)))


def main(database: str, path: str) -> None:
    """Fork a process a line."""
    logging.disable()
    # Those that were killed leave nothing to wait for.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    answers = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    for line in sys.stdin:
        forked = os.fork()
        if not forked:
            asyncio.run(work(database, answers, int(line)))
        sys.stdout.write(f"{forked}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
