"""Name sites of a server, and take some back, once a line says so; tell each change: a process for the tests."""

from __future__ import annotations

import asyncio
import sys

from cogs.websearch.store.sqlite import SqliteStore
from switch_tools import GUILD

TURNS = 60


async def main(path: str, number: int) -> None:
    """Name one to three sites a step, which nobody else names, and print them after a plus once they're stored.

    Every third step takes the first of them back, and prints them after a minus.
    """
    store = await SqliteStore.open(path)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    await asyncio.to_thread(sys.stdin.readline)
    kept: list[list[str]] = []
    for step in range(TURNS):
        domains = [f"{number}-{step}-{which}.example" for which in range(1 + step % 3)]
        if await store.settings.rule_sites(GUILD, domains, allowed=bool(step % 2), by=number, at=float(step)):
            kept.append(domains)
            sys.stdout.write(f"+ {' '.join(domains)}\n")
        if step % 3 == 2 and kept:
            freed = kept.pop(0)
            await store.settings.free_sites(GUILD, freed)
            sys.stdout.write(f"- {' '.join(freed)}\n")
    await store.close()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2])))
