"""Make what the pages' commands and code are run in."""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING

import pytest

import cogs.websearch
from doc_pages import ROOT

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Make a folder that looks like a checkout in which `make run` has set up `.venv`.

    The package in it is a copy, so that no command of a page changes the real one.
    """
    folder = tmp_path / "checkout"
    source = cogs.websearch.__path__[0]
    shutil.copytree(source, folder / "cogs" / "websearch", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("config.example.toml", "tests", "specs", "docs"):
        (folder / name).symlink_to(ROOT / name)
    python = folder / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n', "utf-8")
    python.chmod(0o755)
    return folder
