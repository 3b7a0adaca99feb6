"""Make the pictures of replies: play scenes, draw what was seen, write docs/pictures or the folder that is named."""

from __future__ import annotations

import asyncio
import logging
import subprocess
import sys
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Final

from . import scenes
from .browser import browser
from .drawing import Drawer, figure, page

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .browser import Tab
    from .seen import Shot

FOLDER: Final = Path(__file__).resolve().parents[2] / "docs" / "pictures"
OVERVIEW: Final = "all"
# Sharp on the screens that most people have, without being heavy.
_SCALE: Final = 1.5
_SHEET_SCALE: Final = 0.6
_WINDOW: Final = 2200
# Enough for a dark page of text and buttons, and for the emoji on it.
_COLOURS: Final = 64


def main(folder: Path = FOLDER) -> int:
    """Write all pictures into a folder; tell 1 where markup is alive that a page or a member put there."""
    # Engines fail on purpose in some scenes, which the cog logs as warnings.
    logging.basicConfig(level=logging.ERROR)
    shots = asyncio.run(scenes.play_all())
    drawer = Drawer(shots)
    made = asyncio.run(_photograph(shots, drawer))
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.png"):
        if old.stem not in made:
            old.unlink()
    for name, picture in made.items():
        (folder / f"{name}.png").write_bytes(_smaller(picture))
    size = sum(path.stat().st_size for path in folder.glob("*.png"))
    sys.stdout.write(f"{len(made)} pictures in {folder}, {size / 1024:.0f} KiB\n")
    alive = {shot.name: sorted(drawer.alive(shot)) for shot in shots if drawer.alive(shot)}
    for name, found in alive.items():
        sys.stderr.write(f"{name}: alive and not ours: {', '.join(found)}\n")
    return 1 if alive else 0


async def _photograph(shots: Sequence[Shot], drawer: Drawer) -> dict[str, bytes]:
    made: dict[str, bytes] = {}
    async with browser() as tab:
        figures = [
            figure(f"{shot.name}{suffix}", drawer.shot(shot), phone=bool(suffix))
            for suffix in ("", "-phone")
            for shot in shots
        ]
        boxes = await tab.show(page(figures), width=_WINDOW, scale=_SCALE)
        for name, box in boxes.items():
            made[name] = await tab.picture(box)
        made[OVERVIEW] = await _overview(tab, shots, drawer)
    return made


async def _overview(tab: Tab, shots: Sequence[Shot], drawer: Drawer) -> bytes:
    pairs = (
        f'<figure><figcaption>{escape(shot.caption)}</figcaption><div class="pair">'
        + "".join(figure(f"{shot.name}-{phone}", drawer.shot(shot), phone=phone) for phone in (False, True))
        + "</div></figure>"
        for shot in shots
    )
    sheet = f'<div class="overview" id="{OVERVIEW}">{"".join(pairs)}</div>'
    boxes = await tab.show(page([sheet]), width=_WINDOW, scale=_SHEET_SCALE)
    return await tab.picture(boxes[OVERVIEW])


def _smaller(png: bytes) -> bytes:
    """Return the picture with a palette of `_COLOURS`: a third of the size, and the same to the eye."""
    done = subprocess.run(  # noqa: S603 - what is run is ours, and the picture goes to it as data
        ["pngquant", "--speed", "1", "--strip", str(_COLOURS), "-"],  # noqa: S607 - wherever this machine has it
        input=png,
        capture_output=True,
        check=True,
    )
    return done.stdout


if __name__ == "__main__":
    sys.exit(main(*map(Path, sys.argv[1:])))
