"""Search with the real service over loopback engines, on a clock that only tests move."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from engine_tools import FakeTime
from meter_tools import services

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from loopback_exa import LoopbackExa
    from meter_tools import OpenService


@pytest.fixture
def time_() -> FakeTime:
    """Give a clock that stands at noon."""
    return FakeTime()


@pytest.fixture
async def open_service(exa: LoopbackExa, path: Path, time_: FakeTime) -> AsyncIterator[OpenService]:
    """Return a function that opens a service with settings of its own; it's closed at the end of the test."""
    async with services(exa, path, time_, {"web-per-minute": 1000, "web-daily-per-user": 1000}) as open_:
        yield open_
