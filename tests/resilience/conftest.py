"""Search with the real service, store and clients over two loopback engines, of which one stands in for the other."""

from __future__ import annotations

from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any

import pytest

from cogs.websearch.config import Config
from cogs.websearch.service import SearchService
from engine_tools import FakeTime
from loopback_tavily import LoopbackTavily

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from loopback_exa import LoopbackExa
    from meter_tools import OpenService


@pytest.fixture
def time_() -> FakeTime:
    """Give a clock that stands at noon; the event loop's own goes on."""
    return FakeTime()


@pytest.fixture
async def tavily() -> AsyncIterator[LoopbackTavily]:
    """Run a stand-in for Tavily."""
    async with LoopbackTavily() as running:
        yield running


@pytest.fixture
def given_(exa: LoopbackExa, tavily: LoopbackTavily, path: Path) -> dict[str, Any]:
    """Give the settings of a bot that asks Exa, and Tavily where that fails."""
    return {
        "enable-web-search": True,
        "web-fallbacks": ["tavily"],
        "web-pace-per-second": 1000,
        "web-per-minute": 1000,
        "web-daily-per-user": 1000,
        "exa-api-key": exa.key,
        "exa-base-url": exa.url,
        "tavily-api-key": tavily.key,
        "tavily-base-url": tavily.url,
        "web-database": str(path),
    }


@pytest.fixture
async def open_service(given_: dict[str, Any], time_: FakeTime) -> AsyncIterator[OpenService]:
    """Return a function that opens a service with settings of its own; it's closed at the end of the test."""
    async with AsyncExitStack() as services:

        async def open_(**settings: object) -> SearchService:
            given = {**given_, **{name.replace("_", "-"): value for name, value in settings.items()}}
            service = await SearchService.open(Config.from_mapping(given, env={}), clock=time_.wall_clock)
            services.push_async_callback(service.close)
            return service

        yield open_
