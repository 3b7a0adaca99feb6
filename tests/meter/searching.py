"""Search many times at once as one member, and tell how many searches passed: a process for the tests."""

from __future__ import annotations

import asyncio
import sys

from cogs.websearch.config import Config
from cogs.websearch.errors import LimitReached
from cogs.websearch.service import SearchService
from meter_tools import search


async def main(database: str, url: str, key: str, count: str, limit: str) -> None:
    """Wait for a line, so that all processes begin together; search, and print how many were answered and stopped."""
    settings = {
        "enable-web-search": True,
        "web-database": database,
        "exa-base-url": url,
        "exa-api-key": key,
        "web-daily-per-user": int(limit),
        "web-per-minute": 1000,
        "web-pace-per-second": 1000,
        "web-timeout-s": 100,
    }
    service = await SearchService.open(Config.from_mapping(settings, env={}))
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    await asyncio.to_thread(sys.stdin.readline)
    found = await asyncio.gather(*(search(service) for _ in range(int(count))), return_exceptions=True)
    await service.close()
    stopped = sum(isinstance(one, LimitReached) for one in found)
    answered = sum(not isinstance(one, BaseException) for one in found)
    sys.stdout.write(f"{answered} {stopped}\n")


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
