"""Run the benchmarks, print their table, and write it to a file.

`python -m benchmarks --help` says how. All of it takes a few minutes, on loopback alone. Nothing fails where a budget
is missed: a machine that is busy misses some now and then, and the table says so.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import platform
import sqlite3
import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Final

from . import charge, cleaning, client, command, loading, repeat
from .figures import table

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from .figures import Comparison

_MEASURES: Final[Mapping[str, Callable[..., list[Comparison]]]] = {
    "client": client.measure,
    "charge": charge.measure,
    "repeat": repeat.measure,
    "command": command.measure,
    "cleaning": cleaning.measure,
    "loading": loading.measure,
}
_ABOUT: Final = (client.ABOUT, charge.ABOUT, repeat.ABOUT, command.ABOUT, cleaning.ABOUT, loading.ABOUT)
_LIBRARIES: Final = ("aiohttp", "aiosqlite", "discord.py", "exa-py", "msgspec", "regex")

_INTRODUCTION: Final = """# Benchmarks

Written by `make bench`, which takes a few minutes. Each figure says how many times as much the first thing takes as the
second. Both are measured in turns in one run, on one machine and over loopback alone, so that another machine brings
much the same. Shown are the median of all rounds, the quartiles, the same ratio of the CPU's time, and the budget that
the median is held against.
"""


def main(arguments: list[str]) -> None:
    """Measure what is named, or everything, and print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Measure what the cog costs.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"what to measure: {', '.join(_MEASURES)}; else all")
    parser.add_argument("--quick", action="store_true", help="try that each of them works; the figures mean little")
    parser.add_argument("--write", type=Path, metavar="FILE", help="write the table to a file, too")
    asked = parser.parse_args(arguments)
    unknown = set(asked.names) - set(_MEASURES)
    if unknown:
        parser.error(f"there is no benchmark {', '.join(sorted(unknown))}")
    comparisons: list[Comparison] = []
    for name in asked.names or _MEASURES:
        sys.stderr.write(f"measuring {name}\n")
        comparisons += _MEASURES[name](quick=asked.quick)
    sys.stdout.write("\n".join((*table(comparisons, times=True), "", verdict(comparisons), versions(), "")))
    if asked.write:
        asked.write.write_text(document(comparisons), "utf-8")


def document(comparisons: list[Comparison]) -> str:
    """Return the page that shows the figures: ratios alone, since the rest is the machine's."""
    parts = (_INTRODUCTION, *table(comparisons), "", _wrapped(verdict(comparisons)), "", _wrapped(versions()))
    return "\n".join((*parts, "", "## What is measured", "", "\n\n".join(map(_wrapped, _ABOUT)), ""))


def verdict(comparisons: list[Comparison]) -> str:
    """Say in a sentence how many budgets are met."""
    held = [comparison for comparison in comparisons if comparison.budget is not None]
    missed = [comparison.what for comparison in held if not comparison.met]
    if not missed:
        return f"All {len(held)} budgets are met."
    return f"{len(held) - len(missed)} of {len(held)} budgets are met; missed: {', '.join(missed)}."


def _wrapped(text: str) -> str:
    return textwrap.fill(text, 118, break_long_words=False, break_on_hyphens=False)


def versions() -> str:
    """Name Python and the libraries that were measured."""
    named = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in _LIBRARIES)
    return f"Measured with Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}, {named}."


if __name__ == "__main__":
    main(sys.argv[1:])
