"""Share a home folder whose cache holds the library's index, and one that is empty."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from terminal_tools import run

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a home folder where somebody has searched before."""
    path = tmp_path_factory.mktemp("home")
    assert run(path, "search", "json").returncode == 0
    return path
