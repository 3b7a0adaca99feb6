"""Run the benchmarks quickly: that they work, not what they bring."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

if not (ROOT / "benchmarks").is_dir():
    pytest.skip("the benchmarks are not beside these tests", allow_module_level=True)


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the benchmarks until nobody holds their output any longer, so that whatever they started is gone, too."""
    return subprocess.run(  # noqa: S603 - our own interpreter and our own arguments
        [sys.executable, "-m", "benchmarks", *arguments], capture_output=True, text=True, cwd=ROOT, check=False
    )


def cells(text: str) -> list[list[str]]:
    """Return the rows of the table in a text."""
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def test_all_of_them_run(tmp_path: Path) -> None:
    """BEN-01 BEN-02 BEN-03: every benchmark prints its rows and writes them, and no process stays."""
    page = tmp_path / "benchmarks.md"
    done = run("--quick", "--write", str(page))
    assert done.returncode == 0, done.stderr
    rows = cells(done.stdout)
    budgets = {what: budget for what, _, _, _, _, budget, *_ in rows if budget}
    expected = {
        "a search, one at a time": "1.35",
        "a search, 50 at once": "1.80",
        "a charge": "1.00",
        "a repeat": "0.10",
        "`/search`": "1.80",
        "cleaning, plain text": "1.20",
        "import and load": "1.25",
    }
    assert expected.items() <= budgets.items()
    for row in rows:
        assert re.fullmatch(r"\d+\.\d\d", row[2]), row
        assert row[6] in (("yes", "no") if row[5] else ("",)), row
    missed = [row[0] for row in rows if row[6] == "no"]
    verdict = next(line for line in done.stdout.splitlines() if "budgets are met" in line)
    assert all(what in verdict for what in missed)

    written = page.read_text("utf-8")
    assert cells(written) == [row[:7] for row in rows]
    assert "µs" not in written
    assert f"Python {sys.version.split()[0]}" in written
    for heading in ("A search", "A charge", "A repeat", "`/search`", "Cleaning", "Import and load"):
        assert f"**{heading}**" in written


def test_one_of_them_runs_alone() -> None:
    """BEN-01: a benchmark can be named, and a name that none has is refused."""
    done = run("--quick", "cleaning")
    assert done.returncode == 0, done.stderr
    assert {row[0].partition(",")[0] for row in cells(done.stdout)} == {"cleaning"}
    assert run("--quick", "weather").returncode == 2
