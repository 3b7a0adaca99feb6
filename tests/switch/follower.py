"""Follow settings and tell each change that is seen: a process for the tests."""

from __future__ import annotations

import asyncio
import sys

from cogs.websearch.store.sqlite import SqliteStore
from cogs.websearch.switchboard import Switchboard
from switch_tools import CHANNEL, GUILD


async def main(path: str) -> None:
    """Print what the channel's switch is and what its server says of sites, each time that changed, until killed."""
    store = await SqliteStore.open(path)
    told = ""

    def tell() -> None:
        nonlocal told
        one = board.settings.of(CHANNEL)
        switch = "none" if one is None or one.lasting is None else "on" if one.lasting.value else "off"
        sites = [f"{'+' if rule.allowed else '-'}{rule.domain}" for rule in board.settings.sites_of(GUILD)]
        seen = " ".join((switch, *sites))
        if seen != told:
            told = seen
            sys.stdout.write(f"{seen}\n")
            sys.stdout.flush()

    async def sleep(seconds: float) -> None:
        tell()
        await asyncio.sleep(seconds)

    board = Switchboard(store.settings, sleep=sleep)
    await board.open()
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
