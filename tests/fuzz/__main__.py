"""Try very many hostile examples of each property, in one process: `make fuzz`, or `python -m fuzz --help`.

The seed is printed: with it and the same versions of Python, hypothesis and regex, the same examples are tried again.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import platform
import secrets
import sys
import time
import traceback
import zlib
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from hypothesis import HealthCheck, given, seed, settings

import oracle
from fuzz.parsed import parsed
from fuzz.properties import PROPERTIES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fuzz.properties import Property

# hypothesis remembers what it tried, so that a round must end before that takes longer than trying.
_ROUND: Final = 2_000


@dataclass(kw_only=True)
class Figures:
    """Hold how many examples of a property were tried, in how many seconds, and what failed."""

    examples: int = 0
    seconds: float = 0.0
    failures: list[str] = field(default_factory=list)


def main(arguments: list[str]) -> int:
    """Try the examples and print the figures; return 1 where a property doesn't hold, and 2 where time ran out."""
    parser = argparse.ArgumentParser(prog="python -m fuzz", description="Fuzz cleaning, links and replies.")
    parser.add_argument("--examples", type=int, default=204_000, help="how many to try in all")
    parser.add_argument("--seconds", type=float, default=1_500, help="after how many of them to give up")
    parser.add_argument("--seed", type=int, default=None, help="what the examples follow from; else it's drawn")
    parser.add_argument("--write", type=Path, metavar="FILE", help="write the figures to a file, too")
    asked = parser.parse_args(arguments)
    start = secrets.randbits(32) if asked.seed is None else asked.seed
    sys.stdout.write(f"seed {start}\n")
    with ExitStack() as context:
        tried = {**PROPERTIES, **(parsed(context.enter_context(oracle.Parser())) if oracle.is_there() else {})}
        figures = _try_all(tried, asked.examples, start, asked.seconds)
    total = sum(one.examples for one in figures.values())
    if asked.write:
        asked.write.write_text(_document(figures, tried, start), "utf-8")
    if any(one.failures for one in figures.values()):
        sys.stdout.write(f"A property doesn't hold; to try the same again: make fuzz SEED={start}\n")
        return 1
    sys.stdout.write(f"{total:,} examples, {sum(one.seconds for one in figures.values()):.0f} s, nothing found\n")
    return 0 if total >= asked.examples else 2


def _try_all(tried: Mapping[str, Property], examples: int, start: int, seconds: float) -> dict[str, Figures]:
    end = time.monotonic() + seconds
    shares = sum(one.share for one in tried.values())
    figures: dict[str, Figures] = {}
    for name, one in tried.items():
        # Rounded up, so that all of them together are no fewer than asked for.
        figures[name] = _try(name, one, int(-(-examples * one.share // shares)), start, end)
        sys.stdout.write(f"{name}: {figures[name].examples:,} examples, {figures[name].seconds:.0f} s\n")
        sys.stdout.flush()
    return figures


def _try(name: str, one: Property, examples: int, start: int, end: float) -> Figures:
    figures = Figures()

    def check(example: Any) -> None:  # noqa: ANN401 - each property has examples of its own
        figures.examples += 1
        one.check(example)

    began = time.monotonic()
    for number, first in enumerate(range(0, examples, _ROUND)):
        if time.monotonic() > end or figures.failures:
            break
        chosen = settings(
            max_examples=min(_ROUND, examples - first),
            deadline=None,
            database=None,
            suppress_health_check=list(HealthCheck),
        )
        round_seed = zlib.crc32(f"{start} {name} {number}".encode())
        try:
            seed(round_seed)(chosen(given(one.examples)(check)))()
        except Exception:  # noqa: BLE001 - whatever it is, it's what was looked for
            figures.failures.append(traceback.format_exc())
            sys.stdout.write(f"{name}, round {number}: {figures.failures[-1]}\n")
    figures.seconds = time.monotonic() - began
    return figures


def _document(figures: Mapping[str, Figures], tried: Mapping[str, Property], start: int) -> str:
    versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in ("hypothesis", "regex"))
    lines = [
        "# Written by `make fuzz`, for docs/cleaning.md.",
        f"seed = {start}",
        f'versions = "Python {platform.python_version()}, {versions}"',
    ]
    for name, one in figures.items():
        lines += ["", "[[property]]", f'name = "{name}"', f'about = "{tried[name].about}"']
        lines += [f"examples = {one.examples}", f"seconds = {one.seconds:.0f}", f"failures = {len(one.failures)}"]
    return "\n".join((*lines, ""))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
