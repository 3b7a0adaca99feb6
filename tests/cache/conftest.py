"""Search with the real service over loopback engines, on a clock that only tests move."""

from __future__ import annotations

from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

import pytest

from cogs.websearch.config import Config
from cogs.websearch.service import SearchService
from engine_tools import FakeTime

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
    async with AsyncExitStack() as services:

        async def open_(**settings: object) -> SearchService:
            given = {
                "enable-web-search": True,
                "exa-api-key": exa.key,
                "exa-base-url": exa.url,
                "web-database": str(path),
                "web-per-minute": 1000,
                "web-daily-per-user": 1000,
                **{name.replace("_", "-"): value for name, value in settings.items()},
            }
            service = await SearchService.open(Config.from_mapping(given, env={}), clock=time_.wall_clock)
            services.push_async_callback(service.close)
            return service

        yield open_
