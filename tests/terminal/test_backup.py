"""Hold the command line's backup: what it says, and by which code it ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from terminal_tools import run

if TYPE_CHECKING:
    from pathlib import Path

    from store_sessions import Opener


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """Write a configuration that needs a key of the environment, and names a database beside it."""
    path = tmp_path / "config.toml"
    path.write_text('enable-web-search = true\nweb-database = "kept.db"\n', "utf-8")
    return path


async def test_a_backup_is_told(tmp_path: Path, config: Path, opened: Opener) -> None:
    """BAK-10: one line says where it is and how large, though there's no key; a second one to that name is refused."""
    await opened(tmp_path / "kept.db")
    target = tmp_path / "copy\x1b[31m.db"
    done = run(tmp_path, "backup", str(target), WEBSEARCH_CONFIG=str(config))
    assert (done.returncode, done.stderr) == (0, "")
    shown = str(target).replace("\x1b", "?")
    assert done.stdout == f"The database is backed up: {shown}, {round(target.stat().st_size / 1000)} kB.\n"
    again = run(tmp_path, "backup", str(target), WEBSEARCH_CONFIG=str(config))
    assert (again.returncode, again.stdout) == (2, "")
    assert again.stderr.startswith("There's something at ")
    assert "\x1b" not in again.stderr


@pytest.mark.parametrize(
    ("name", "code", "said"),
    [
        ("missing/copy.db", 2, "its folder isn't there"),
        (".", 2, "is a folder"),
        ("kept.db", 2, "belongs to the database itself"),
        ("kept.db-wal", 2, "belongs to the database itself"),
        ("copy.db", 3, "There's no database at "),
        ("x" * 300, 3, "can't be written"),
    ],
)
def test_what_cant_be_backed_up(tmp_path: Path, config: Path, name: str, code: int, said: str) -> None:
    """BAK-05, BAK-10: a wrong name is code 2, a failure code 3, each a sentence, and nothing is made."""
    done = run(tmp_path, "backup", name, WEBSEARCH_CONFIG=str(config))
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (code, "", 1)
    assert said in done.stderr
    assert [file.name for file in tmp_path.iterdir()] == ["config.toml"]


def test_without_a_configuration(tmp_path: Path) -> None:
    """BAK-10: without a file that names the database, the sentence says where to put one."""
    done = run(tmp_path, "backup", "copy.db")
    assert (done.returncode, done.stdout) == (2, "")
    assert "config.example.toml" in done.stderr
