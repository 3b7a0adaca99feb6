"""Share a clock that only sleeping moves, and a searcher between it and the stand-in for Exa."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from engine_tools import FakeTime, open_exa

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from cogs.websearch.backends.exa import ExaSearcher
    from loopback_exa import LoopbackExa


@pytest.fixture
def fake_time() -> FakeTime:
    """Give a clock that only its own `sleep` moves."""
    return FakeTime()


@pytest.fixture
async def searcher(exa: LoopbackExa, fake_time: FakeTime) -> AsyncIterator[ExaSearcher]:
    """Open a searcher that asks the stand-in and waits on the fake clock."""
    opened = open_exa(exa, fake_time)
    yield opened
    await opened.close()
