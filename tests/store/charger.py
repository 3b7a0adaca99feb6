"""Charge searches until killed, and tell each member whose search is counted: a process for the tests."""

from __future__ import annotations

import asyncio
import sys
from itertools import count

from cogs.websearch.store.sqlite import SqliteStore
from meter_tools import WIDE, a_charge


async def main(path: str, number: int) -> None:
    """Charge one search each of members that no other such process charges."""
    store = await SqliteStore.open(path)
    for step in count():
        user_id = number * 1_000_000 + step
        assert await store.meters.charge(a_charge(user_id, None), WIDE) is None
        sys.stdout.write(f"{user_id}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2])))
