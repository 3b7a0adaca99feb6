"""Compare importing discord.py and loading the cog with importing discord.py alone."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from . import engine
from .figures import Comparison, Cost, in_turns

ABOUT: Final = (
    "**Import and load** is what a bot waits for at its start: a fresh interpreter imports discord.py, makes a bot that"
    " isn't connected, and loads the cog with a database that's there already. Beside it stands the same without the"
    " cog. The interpreter's own start is counted for neither."
)
_BUDGET: Final = 1.25
_ROUNDS: Final = 25
_ROOT: Final = Path(__file__).parent.parent


def measure(*, quick: bool) -> list[Comparison]:
    """Start an interpreter for each measurement."""
    with TemporaryDirectory() as folder:
        config = Path(folder, "config.toml")
        config.write_text(f'enable-web-search = true\nexa-api-key = "{engine.KEY}"\n', "utf-8")
        env = {**os.environ, "WEBSEARCH_CONFIG": str(config)}
        # Else what isn't compiled yet would be compiled at every start.
        env.pop("PYTHONDONTWRITEBYTECODE", None)
        sides = {name: partial(_start, name, env) for name in ("alone", "cog")}
        costs = asyncio.run(in_turns(3 if quick else _ROUNDS, sides))
    return [
        Comparison(
            what="import and load",
            beside="discord.py alone",
            ours=costs["cog"],
            theirs=costs["alone"],
            budget=_BUDGET,
        )
    ]


async def _start(name: str, env: dict[str, str]) -> Cost:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "benchmarks.fresh", name, stdout=subprocess.PIPE, env=env, cwd=_ROOT
    )
    try:
        printed, _ = await process.communicate()
    except BaseException:
        process.kill()
        await process.wait()
        raise
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, "benchmarks.fresh")
    passed, worked = map(float, printed.split())
    return Cost(passed, worked)
