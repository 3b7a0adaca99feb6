"""Share a stand-in for Exa, a clock that only sleeping moves, and a searcher between the two."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from engine_tools import FakeTime, open_exa
from loopback_exa import LoopbackExa

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from cogs.websearch.backends.exa import ExaSearcher


@pytest.fixture
async def engine() -> AsyncIterator[LoopbackExa]:
    """Run a stand-in for Exa."""
    async with LoopbackExa() as running:
        yield running


@pytest.fixture
def fake_time() -> FakeTime:
    """Give a clock that only its own `sleep` moves."""
    return FakeTime()


@pytest.fixture
async def searcher(engine: LoopbackExa, fake_time: FakeTime) -> AsyncIterator[ExaSearcher]:
    """Open a searcher that asks the stand-in and waits on the fake clock."""
    opened = open_exa(engine, fake_time)
    yield opened
    await opened.close()
