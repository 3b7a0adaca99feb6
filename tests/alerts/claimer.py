"""Try to take on an alert, as one of several processes, once a line says so; print how often that went well."""

from __future__ import annotations

import asyncio
import sys

from cogs.websearch.store.sqlite import SqliteStore

TRIES = 20


async def main(path: str) -> None:
    """Open the database, wait for the line, and try."""
    store = await SqliteStore.open(path)
    try:
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        await asyncio.to_thread(sys.stdin.readline)
        tries = (
            store.alerts.claim("key-refused", "Exa", now=10_000.0, before=6_400.0, lasts=True) for _ in range(TRIES)
        )
        sys.stdout.write(f"{sum(await asyncio.gather(*tries))}\n")
    finally:
        await store.close()


asyncio.run(main(sys.argv[1]))
