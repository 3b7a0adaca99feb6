"""Hold what is remembered where there's no database."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cogs.websearch import marks

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

NOW = 1_796_040_000.0
HOUR = 3600.0


def claim(folder: Path, now: float, what: str = "unopened /srv/bot/websearch.db") -> bool:
    """Claim something in a folder of the test's own."""
    return marks.claim(what, now=now, seconds=HOUR, folder=folder)


def test_an_hour_is_claimed_once(tmp_path: Path) -> None:
    """ALR-17: again when it's over, apart for each database; the name of a database is no file's name."""
    folder = tmp_path / "not" / "there"
    assert claim(folder, NOW)
    assert not claim(folder, NOW + HOUR - 1)
    assert claim(folder, NOW, "unopened /srv/other/\udcff" + "x" * 5000)
    assert claim(folder, NOW + HOUR)
    assert len(list(folder.iterdir())) == 2


def test_a_wrong_clock_claims_nothing_for_long(tmp_path: Path) -> None:
    """ALR-16: what was claimed in the future is claimed again."""
    assert claim(tmp_path, NOW + 1000 * HOUR)
    assert claim(tmp_path, NOW)


def test_what_cannot_be_kept_is_not_claimed(tmp_path: Path) -> None:
    """ALR-17: silence is better than a message at each start."""
    file = tmp_path / "a file"
    file.touch()
    assert not claim(file, NOW)


def test_it_is_kept_where_users_keep_such_things(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """ALR-17: in this system's folder for what may be lost."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert marks.claim("it", now=NOW, seconds=HOUR)
    assert not marks.claim("it", now=NOW, seconds=HOUR)
    assert [path.suffix for path in tmp_path.rglob("*") if path.is_file()] == [".mark"]
