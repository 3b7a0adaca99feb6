"""Type what a page says into a shell."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

from terminal_tools import environment

if TYPE_CHECKING:
    from pathlib import Path


def run_shell(script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a script as somebody who has typed it there; the folder is in a test's own, beside those of other tests."""
    # One for all, so that the index of Python's documentation is built once.
    home = folder.parent.parent / "home-of-pages"
    return subprocess.run(  # noqa: S603 - a shell and the text of our own pages
        ["/bin/sh", "-eu", "-c", script],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        check=False,
        cwd=folder,
        env=environment(home, PYTHONPATH=str(folder)),
    )
