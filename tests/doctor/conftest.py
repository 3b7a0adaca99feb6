"""Run the doctor on a bot whose folder, engine and Discord a test sets up."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bots import settings_for, write_config
from cogs.websearch.playground.discord import Clock, LoopbackDiscord, connect
from doctor_tools import Doctor

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from loopback_exa import LoopbackExa


@pytest.fixture
async def discord_() -> AsyncIterator[LoopbackDiscord]:
    """Run a stand-in for Discord."""
    async with LoopbackDiscord(Clock()) as running:
        with connect(running):
            yield running


@pytest.fixture
def settings(exa: LoopbackExa, tmp_path: Path) -> dict[str, object]:
    """Configure a bot; a test may change the mapping before it calls the doctor."""
    return settings_for(exa, tmp_path)


@pytest.fixture
def doctor(tmp_path: Path, settings: dict[str, object], capsys: pytest.CaptureFixture[str]) -> Doctor:
    """Give a doctor who looks at the configuration that the settings make."""

    def write() -> Path:
        path = write_config(tmp_path / "config.toml", settings)
        path.chmod(0o600)
        return path

    return Doctor(write, capsys)
