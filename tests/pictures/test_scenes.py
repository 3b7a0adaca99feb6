"""Hold the scenes against the pictures, and play them."""

from __future__ import annotations

from pathlib import Path

from tools.pictures.scenes import OWNER, SCENES, play_all
from tools.pictures.seen import Above

NAMES = [*(name for name, *_ in SCENES), OWNER]
FOLDER = Path(__file__).parents[2] / "docs" / "pictures"


def test_every_scene_has_its_pictures() -> None:
    """PIC-01: what `make picture` wrote is what the scenes are, and small enough to be looked at anywhere."""
    expected = {f"{name}{suffix}" for name in NAMES for suffix in ("", "-phone")} | {"all"}
    assert {path.stem for path in FOLDER.glob("*.png")} == expected
    assert sum(path.stat().st_size for path in FOLDER.glob("*.png")) < 4_000_000


async def test_scenes_are_played_by_the_cog() -> None:
    """PIC-02, PIC-05: every scene brings a reply that Discord takes, and follow-ups know what they reply to."""
    shots = {shot.name: shot for shot in await play_all()}
    assert list(shots) == NAMES
    assert all(shot.messages for shot in shots.values())
    assert "page 1 of 2" in shots["results"].messages[0].embeds[0]["description"]
    assert shots["results"].messages[0].above is Above.COMMAND
    assert [seen.above for seen in shots["nothing"].messages[:2]] == [Above.REPLY_TO_DELETED, Above.COMMAND]
    assert [seen.private for seen in shots["too-old"].messages] == [False, True]
    assert shots["too-old"].messages[1].above is Above.REPLY
    assert all(seen.content and not seen.embeds for seen in shots["no-embeds"].messages)
    assert shots["thinking"].messages[0].thinking
