"""Search as a bot's process does, at each line that says so, and let it note at others: a process for the tests."""

from __future__ import annotations

import asyncio
import sys

from cogs.websearch.config import Config
from cogs.websearch.journal import NOTE_SECONDS
from cogs.websearch.service import SearchService
from resilience.asking import search
from ticks import Ticks


async def main(database: str, url: str, key: str) -> None:
    """Do what each line says, and say so; close where there's none any more."""
    ticks = Ticks(NOTE_SECONDS)
    settings = {
        "enable-web-search": True,
        "web-database": database,
        "exa-base-url": url,
        "exa-api-key": key,
        "web-per-minute": 1000,
        "web-daily-per-user": 1000,
    }
    service = await SearchService.open(Config.from_mapping(settings, env={}), sleep=ticks.sleep)
    while line := (await asyncio.to_thread(sys.stdin.readline)).strip():
        await (search(service) if line == "search" else ticks.seconds(1))
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()
    await service.close()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
