"""Save sessions until killed, or a given number, and tell each one that is saved: a process for the tests."""

from __future__ import annotations

import asyncio
import sys
from itertools import count, islice

from cogs.websearch.store.sqlite import SqliteStore
from store_sessions import a_session


async def main(path: str, prefix: str, most: int | None) -> None:
    """Save sessions under ids that start with `prefix`, and print each id once it is saved."""
    store = await SqliteStore.open(path)
    for number in islice(count(), most):
        session_id = f"{prefix}-{number}"
        await store.sessions.save(a_session(session_id, query="question " * 500))
        sys.stdout.write(f"{session_id}\n")
        sys.stdout.flush()
    await store.close()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3]) or None))
