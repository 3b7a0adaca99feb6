"""Hold what the pages give owners to type against a database that members have used."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from doc_pages import IS_CHECKOUT, page
from doc_shell import run_shell
from meter_tools import WIDE, a_charge
from store_sessions import a_session
from switch_tools import CHANNEL, GUILD, SERVER, chosen

if TYPE_CHECKING:
    from pathlib import Path

    from store_sessions import Opener

if not IS_CHECKOUT:
    pytest.skip("the pages are not beside these tests", allow_module_level=True)

# As the pages have it.
MEMBER = 123456789012345678
OTHER = MEMBER + 1


@pytest.fixture
async def used(checkout: Path, opened: Opener) -> Path:
    """Return the database of a checkout in which two members searched and moderated."""
    path = checkout / "websearch.db"
    store = await opened(path)
    for member in (MEMBER, OTHER):
        await store.meters.charge(a_charge(member), WIDE)
        session = a_session(str(member), query=f"asked by {member}")
        await store.sessions.save(replace(session, asker=replace(session.asker, user_id=member)))
        await store.pauses.pause(member, now=1.0)
    await store.settings.switch(CHANNEL, chosen(value=False, by=MEMBER))
    await store.settings.switch(SERVER, chosen(value=False, by=OTHER))
    await store.settings.rule_sites(GUILD, ["a.example"], allowed=False, by=MEMBER, at=1.0)
    await store.settings.rule_sites(GUILD, ["b.example"], allowed=False, by=OTHER, at=1.0)
    await store.close()
    return path


def counted(path: Path, statement: str) -> list[tuple[object, ...]]:
    """Return the rows of a statement."""
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(statement).fetchall()


def test_one_member_is_forgotten(checkout: Path, used: Path) -> None:
    """DOCS-12: the command deletes what is stored of the member, overwritten, and nothing of anybody else."""
    (command,) = page("docs/privacy.md").blocks("sh")
    done = run_shell(command, checkout)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (
        "Deleted searches: 1. Deleted counts: 2. Deleted pauses: 1.\nSettings without the id now: 2.\n"
    )
    assert counted(used, "SELECT id FROM session") == [(str(OTHER),)]
    assert counted(used, "SELECT scope, id FROM counter ORDER BY scope") == [(0, OTHER), (1, OTHER), (2, 9), (3, 0)]
    assert counted(used, "SELECT user_id FROM pause") == [(OTHER,)]
    assert counted(used, "SELECT lasting, lasting_by FROM setting ORDER BY place_id") == [(0, 0), (0, OTHER)]
    assert counted(used, "SELECT domain, made_by FROM site_rule") == [("a.example", 0), ("b.example", OTHER)]
    assert str(MEMBER).encode() not in used.read_bytes()


@pytest.mark.parametrize("member", ["@reader", "", "¹²³", "9" * 30])
def test_what_is_no_id_is_told(checkout: Path, used: Path, member: str) -> None:
    """DOCS-12: a name, or a number that's no id, is told in a line, and nothing is deleted."""
    (command,) = page("docs/privacy.md").blocks("sh")
    done = run_shell(command.replace(str(MEMBER), f"'{member}'"), checkout)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert len(counted(used, "SELECT id FROM session")) == 2


@pytest.mark.parametrize("name", ["docs/privacy.md", "docs/RUNBOOK.md"])
@pytest.mark.parametrize("other", [True, False], ids=["another file", "no file"])
def test_a_wrong_folder_is_told(checkout: Path, name: str, other: bool) -> None:  # noqa: FBT001 - one case each
    """DOCS-12: where the database isn't, the command says so in a line, and leaves no empty one behind."""
    (command,) = (block for block in page(name).blocks("sh") if "import" in block and "sqlite3" in block)
    if other:
        (checkout / "websearch.db").touch()
    done = run_shell(command, checkout)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert done.stderr.startswith("websearch.db: ")
    assert (checkout / "websearch.db").exists() == other


def test_what_was_spent_is_shown(checkout: Path, used: Path) -> None:
    """DOCS-12: the runbook's command shows each day's searches and what they cost."""
    (command,) = (block for block in page("docs/RUNBOOK.md").blocks("sh") if "FROM counter" in block)
    assert used.exists()
    assert run_shell(command, checkout).stdout == "2026-11-30 2 searches 0.014 US dollars\n"


async def test_a_backup_is_restored(checkout: Path, used: Path, opened: Opener) -> None:
    """DOCS-12: backed up and restored by the runbook's commands, the database is as it was when it was copied."""
    (checkout / "config.toml").write_text('web-backend = "local"\n', "utf-8")
    backup, _ = (block for block in page("docs/RUNBOOK.md").blocks("sh") if " backup " in block)
    (restore,) = (block for block in page("docs/RUNBOOK.md").blocks("sh") if block.startswith("mkdir"))
    before = counted(used, "SELECT * FROM counter"), counted(used, "SELECT * FROM setting")
    assert run_shell(backup, checkout).returncode == 0
    store = await opened(used)
    await store.meters.charge(a_charge(OTHER), WIDE)
    # As after a crash, what was written last stands beside the database.
    assert used.with_name("websearch.db-wal").exists()
    assert run_shell(restore, checkout).returncode == 0
    assert (counted(used, "SELECT * FROM counter"), counted(used, "SELECT * FROM setting")) == before
