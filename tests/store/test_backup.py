"""Hold the backup: a whole copy while others write, under a new name or not at all."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cogs.websearch.errors import BackupFailed, BackupRefused, DatabaseUnusable
from cogs.websearch.settings import Choice, PlaceKind, Spot
from cogs.websearch.store import backup
from cogs.websearch.store.migrations import APPLICATION_ID
from meter_tools import DAY, WIDE, a_charge, rows
from store_sessions import a_session

if TYPE_CHECKING:
    from cogs.websearch.store.sqlite import SqliteStore
    from store_sessions import Opener

CHARGER = Path(__file__).with_name("charger.py")


@pytest.fixture
def target(tmp_path: Path) -> Path:
    """Name a backup that isn't there yet, in a folder of its own."""
    (tmp_path / "backups").mkdir()
    return tmp_path / "backups" / "copy.db"


def sound(path: Path) -> bool:
    """Tell whether a database is whole and ours."""
    with closing(sqlite3.connect(path)) as connection:
        checks = connection.execute("PRAGMA integrity_check").fetchall()
        return checks == [("ok",)] and connection.execute("PRAGMA application_id").fetchall() == [(APPLICATION_ID,)]


def names(folder: Path) -> list[str]:
    """List what is in a folder."""
    return sorted(file.name for file in folder.iterdir())


async def test_a_backup_holds_everything(opened: Opener, store: SqliteStore, target: Path) -> None:
    """BAK-01, BAK-02, BAK-06: counters, settings, sessions and costs come back from the copy, whose size is told."""
    assert await store.meters.charge(a_charge(7, 9), WIDE) is None
    await store.settings.switch(Spot(guild_id=9, id=5, kind=PlaceKind.CHANNEL), Choice(value=False, by=1, at=1.0))
    await store.sessions.save(a_session())
    await store.engines.spend(DAY, "exa", 7000)
    assert await store.backup(target) == target.stat().st_size
    assert names(target.parent) == [target.name]
    assert sound(target)
    assert rows(target) == rows(Path(store._path))  # noqa: SLF001 - the store's own file
    restored = await opened(target)
    assert (await restored.settings.load()).of_guild(9) == (await store.settings.load()).of_guild(9) != ()
    assert await restored.sessions.load("id", now=0.0) == a_session()
    assert await restored.engines.spent(DAY) == {"exa": 7000}


async def test_only_its_owner_reads_it(store: SqliteStore, target: Path) -> None:
    """BAK-06: whatever the process lets others read, a backup is for its owner alone."""
    before = os.umask(0)
    try:
        await store.backup(target)
    finally:
        os.umask(before)
    assert target.stat().st_mode & 0o777 == 0o600


async def test_what_was_deleted_is_not_in_it(store: SqliteStore, target: Path) -> None:
    """BAK-02: neither a deleted question nor the room that it took is copied."""
    await store.sessions.save(a_session("gone", query="an embarrassing question " * 1000))
    await store.sessions.delete("gone")
    await store.backup(target)
    assert b"embarrassing" not in target.read_bytes()
    with closing(sqlite3.connect(target)) as connection:
        assert connection.execute("PRAGMA freelist_count").fetchall() == [(0,)]


async def test_three_processes_write_meanwhile(opened: Opener, path: Path, target: Path, tmp_path: Path) -> None:
    """BAK-01, BAK-03: under load of three processes each charge that was acknowledged before is in the sound copy."""
    await (await opened(path)).close()
    writers = [
        await asyncio.create_subprocess_exec(
            *(sys.executable, str(CHARGER), str(path), str(number)),
            stdout=asyncio.subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
        for number in range(1, 4)
    ]
    acknowledged: list[int] = []
    copied = target
    try:
        for number in range(3):
            for writer in writers:
                assert writer.stdout is not None
                acknowledged += [int(await writer.stdout.readline()) for _ in range(20)]
            copied = target.with_name(f"{number}.db")
            assert await backup.copy(str(path), copied) == copied.stat().st_size
            assert all(writer.returncode is None for writer in writers)
            assert sound(copied)
            assert {id_ for _, scope, id_ in rows(copied) if scope == 1} >= set(acknowledged)
    finally:
        for writer in writers:
            writer.kill()
            await writer.communicate()
    # Restored as the documentation says, over a database whose log is still beside it.
    restored = tmp_path / "restored.db"
    for end in ("", "-wal", "-shm"):
        if Path(f"{path}{end}").exists():
            shutil.copy(f"{path}{end}", f"{restored}{end}")
    for end in ("-wal", "-shm"):
        Path(f"{restored}{end}").unlink(missing_ok=True)
    shutil.copy(copied, restored)
    store = await opened(restored)
    assert await store.meters.charge(a_charge(10**9, None), WIDE) is None
    await store.close()
    assert {id_ for _, scope, id_ in rows(restored) if scope == 1} >= {*acknowledged, 10**9}


async def test_it_waits_for_no_writer_and_keeps_none_waiting(store: SqliteStore, path: Path, target: Path) -> None:
    """BAK-03: a copy is made while another process holds the lock of writers."""
    assert await store.meters.charge(a_charge(7, None), WIDE) is None
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        other.execute("DELETE FROM counter")
        await store.backup(target)
        other.execute("ROLLBACK")
    assert len(rows(target)) == len(rows(path)) > 0


async def test_an_older_database_stays_as_old(path: Path, target: Path) -> None:
    """BAK-07: a backup before an update neither migrates what the older program has open, nor the copy."""
    with closing(sqlite3.connect(path, isolation_level=None)) as older:
        older.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        older.execute("PRAGMA user_version = 1")
        older.execute("CREATE TABLE old (value TEXT)")
    before = path.read_bytes()
    await backup.copy(str(path), target)
    assert path.read_bytes() == before
    with closing(sqlite3.connect(target)) as copied:
        assert copied.execute("PRAGMA user_version").fetchall() == [(1,)]


def occupy(target: Path, kind: str) -> None:
    """Put something where the backup would go."""
    match kind:
        case "file":
            target.write_bytes(b"precious")
        case "empty file":
            target.touch()
        case "folder":
            target.mkdir()
        case "dangling link":
            target.symlink_to(target.with_name("nowhere"))
        case "pipe":
            os.mkfifo(target)


@pytest.mark.parametrize("kind", ["file", "empty file", "folder", "dangling link", "pipe"])
async def test_nothing_is_overwritten(store: SqliteStore, target: Path, kind: str) -> None:
    """BAK-04: whatever has the name stays as it was, and nothing else comes to lie beside it."""
    occupy(target, kind)
    before = target.lstat()
    with pytest.raises(BackupRefused) as refused:
        await store.backup(target)
    assert refused.value.problem == ("directory" if kind == "folder" else "exists")
    after = target.lstat()
    assert (after.st_ino, after.st_size, after.st_mtime_ns) == (before.st_ino, before.st_size, before.st_mtime_ns)
    assert names(target.parent) == [target.name]


LEFT = ["-wal", "-shm", "-journal"]


@pytest.mark.parametrize("end", LEFT)
@pytest.mark.parametrize("dangling", [False, True])
async def test_what_an_earlier_file_left(store: SqliteStore, target: Path, end: str, *, dangling: bool) -> None:
    """BAK-11: beside a log or journal of that name no backup is made, and what lies there stays as it was."""
    left = Path(f"{target}{end}")
    if dangling:
        left.symlink_to("nowhere")
    else:
        left.write_bytes(b"of another database")
    with pytest.raises(BackupRefused) as refused:
        await store.backup(target)
    assert refused.value.problem == "leftover"
    assert names(target.parent) == [left.name]
    assert dangling or left.read_bytes() == b"of another database"


@pytest.mark.parametrize("end", LEFT)
async def test_what_is_put_beside_it_meanwhile(
    store: SqliteStore, target: Path, monkeypatch: pytest.MonkeyPatch, end: str
) -> None:
    """BAK-11: it's looked for once more before the copy gets its name."""
    check = backup._Copying._check  # noqa: SLF001 - the moment to be met

    def late(self: backup._Copying, partial: Path) -> None:
        check(self, partial)
        Path(f"{target}{end}").touch()

    monkeypatch.setattr(backup._Copying, "_check", late)  # noqa: SLF001 - likewise
    with pytest.raises(BackupRefused) as refused:
        await store.backup(target)
    assert refused.value.problem == "leftover"
    assert names(target.parent) == [f"{target.name}{end}"]


async def test_a_log_of_an_earlier_file_spoils_nothing(store: SqliteStore, path: Path, target: Path) -> None:
    """BAK-11: what SQLite would have replayed into the copy keeps the copy from being made, until it's gone."""
    await store.sessions.save(a_session("old", query="question " * 500))
    left = Path(f"{target}-wal")
    shutil.copy(f"{path}-wal", left)
    await store.sessions.save(a_session("new", query="question " * 500))
    with pytest.raises(BackupRefused):
        await store.backup(target)
    left.unlink()
    await store.backup(target)
    assert sound(target)
    assert len(names(target.parent)) == 1


async def test_two_backups_at_once(store: SqliteStore, target: Path) -> None:
    """BAK-04: of several backups to one name exactly one is made, and it's whole."""
    made = await asyncio.gather(*(store.backup(target) for _ in range(5)), return_exceptions=True)
    assert sum(isinstance(one, int) for one in made) == 1
    assert {one.problem for one in made if isinstance(one, BackupRefused)} == {"exists"}
    assert names(target.parent) == [target.name]
    assert sound(target)


@pytest.mark.parametrize("links", [True, False])
async def test_a_name_that_is_taken_meanwhile(
    store: SqliteStore,
    target: Path,
    monkeypatch: pytest.MonkeyPatch,
    links: bool,  # noqa: FBT001 - one of two cases
) -> None:
    """BAK-04: what appears under the name while the copy is written stays, also on a disk without hard links."""
    link = os.link

    def late(source: Path, name: Path) -> None:
        target.write_bytes(b"precious")
        if not links:
            raise PermissionError(1, "Operation not permitted")
        link(source, name)

    # Nothing else lets a test in at that moment.
    monkeypatch.setattr(os, "link", late)
    with pytest.raises(BackupRefused):
        await store.backup(target)
    assert target.read_bytes() == b"precious"
    assert names(target.parent) == [target.name]


async def test_a_disk_without_hard_links(store: SqliteStore, target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """BAK-04, BAK-06: there, too, a backup is made, for its owner alone and whole."""

    def refuse(_source: Path, _name: Path) -> None:
        raise PermissionError(1, "Operation not permitted")

    # As FAT says; no test can count on such a disk.
    monkeypatch.setattr(os, "link", refuse)
    assert await store.backup(target) == target.stat().st_size
    assert (sound(target), target.stat().st_mode & 0o777, names(target.parent)) == (True, 0o600, [target.name])


@pytest.mark.parametrize("end", ["", "-wal", "-shm", "-journal"])
@pytest.mark.parametrize("way", ["itself", "by another way", "by a link"])
async def test_onto_itself(store: SqliteStore, path: Path, tmp_path: Path, end: str, way: str) -> None:
    """BAK-05: the database and the files that SQLite keeps beside it are refused by whatever name, there or not."""
    await store.close()
    target = Path(f"{path}{end}")
    if way == "by another way":
        (tmp_path / "sub").mkdir()
        target = tmp_path / "sub" / ".." / target.name
    elif way == "by a link":
        target = tmp_path / "linked"
        target.symlink_to(f"{path}{end}")
    with pytest.raises(BackupRefused) as refused:
        await backup.copy(str(path), target)
    assert refused.value.problem == "itself"
    assert sound(path)


async def test_a_database_that_is_reached_by_a_link(opened: Opener, path: Path, tmp_path: Path) -> None:
    """BAK-05: the files beside the real database are refused, too."""
    link = tmp_path / "link.db"
    link.symlink_to(path)
    await (await opened(path)).close()
    for target in (path, Path(f"{path}-wal"), tmp_path / "link.db"):
        with pytest.raises(BackupRefused) as refused:
            await backup.copy(str(link), target)
        assert refused.value.problem == "itself"


async def test_without_a_folder(store: SqliteStore, tmp_path: Path) -> None:
    """BAK-05: a folder that isn't there is not made."""
    with pytest.raises(BackupRefused) as refused:
        await store.backup(tmp_path / "missing" / "copy.db")
    assert refused.value.problem == "no-folder"


@pytest.mark.parametrize("content", [None, b""])
async def test_without_a_database(path: Path, target: Path, content: bytes | None) -> None:
    """BAK-05: where there's none yet, none is made."""
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(BackupFailed) as failed:
        await backup.copy(str(path), target)
    assert failed.value.problem == "no-database"
    assert names(target.parent) == []
    assert path.exists() == (content is not None)


async def test_a_database_in_memory(opened: Opener, target: Path) -> None:
    """BAK-05: what is kept in memory alone can't be backed up."""
    with pytest.raises(BackupFailed) as failed:
        await (await opened(":memory:")).backup(target)
    assert failed.value.problem == "memory"


@pytest.mark.parametrize("kind", ["foreign", "not-a-database", "corrupt"])
async def test_a_database_that_cant_be_read(store: SqliteStore, path: Path, target: Path, kind: str) -> None:
    """BAK-05: another program's database, a text and a damaged one are told by their problem, and nothing is left."""
    for number in range(50):
        await store.sessions.save(a_session(f"{number}", query="question " * 500))
    await store.close()
    if kind == "foreign":
        with closing(sqlite3.connect(path)) as other:
            other.execute("PRAGMA application_id = 1")
    elif kind == "not-a-database":
        path.write_bytes(b"no database at all " * 999)
    else:
        content = path.read_bytes()
        path.write_bytes(content[: len(content) // 2] + b"\xff" * (len(content) - len(content) // 2))
    with pytest.raises(DatabaseUnusable) as unusable:
        await backup.copy(str(path), target)
    assert unusable.value.problem == kind
    assert names(target.parent) == []


@pytest.mark.parametrize(
    ("most", "said"),
    [
        (20_000, "DatabaseUnusable full"),
        (40_000, "BackupFailed full"),
        (100_000, "BackupFailed full"),
        (200_000, "BackupFailed full"),
    ],
)
async def test_a_limit_for_files(store: SqliteStore, path: Path, target: Path, most: int, said: str) -> None:
    """BAK-05, BAK-08: whatever write fails, the copy's or that of the database's own index, the right file is named."""
    for number in range(50):
        await store.sessions.save(a_session(f"{number}", query="question " * 500))
    await store.close()
    assert (await copied_within(most, path, target), names(target.parent)) == (said, [])


async def test_a_full_disk(store: SqliteStore, path: Path, target: Path) -> None:
    """BAK-05, BAK-08: where no more can be written, that's told and nothing of it is left."""
    for number in range(50):
        await store.sessions.save(a_session(f"{number}", query="question " * 500))
    assert (await copied_within(20_000, path, target), names(target.parent)) == ("BackupFailed full", [])


async def copied_within(most: int, path: Path, target: Path) -> str:
    """Back up where no file may be larger than so many bytes, and say what that ends in."""
    # In a process of its own, which the system lets write no file beyond a size.
    code = f"""
import asyncio, resource
from pathlib import Path
from cogs.websearch.errors import BackupFailed, DatabaseUnusable
from cogs.websearch.store.backup import copy
resource.setrlimit(resource.RLIMIT_FSIZE, ({most}, {most}))
try:
    asyncio.run(copy({str(path)!r}, Path({str(target)!r})))
except (BackupFailed, DatabaseUnusable) as error:
    print(type(error).__name__, error.problem)
"""
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", code, stdout=asyncio.subprocess.PIPE)
    said, _ = await process.communicate()
    return said.decode().strip()


@pytest.mark.skipif(os.geteuid() == 0, reason="whoever may do everything can write in every folder")
async def test_a_folder_that_cant_be_written_to(store: SqliteStore, target: Path) -> None:
    """BAK-05: the operating system's refusal has its own problem."""
    target.parent.chmod(0o500)
    with pytest.raises(BackupFailed) as failed:
        await store.backup(target)
    assert failed.value.problem == "read-only"


@pytest.mark.parametrize("turns", [0, 1, 5])
async def test_whoever_cancels_leaves_nothing(store: SqliteStore, target: Path, turns: int) -> None:
    """BAK-08: cancelled at whatever point, a backup leaves no file and no thread, or it's there as a whole."""
    for number in range(50):
        await store.sessions.save(a_session(f"{number}", query="question " * 500))
    copying = asyncio.ensure_future(store.backup(target))
    for _ in range(turns):
        await asyncio.sleep(0)
    copying.cancel()
    with pytest.raises(asyncio.CancelledError):
        await copying
    assert names(target.parent) in ([], [target.name])
    if target.exists():
        assert sound(target)


async def test_a_stopped_copy_leaves_nothing(store: SqliteStore, target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """BAK-08: what is stopped while SQLite writes is taken away before the caller goes on."""
    for number in range(50):
        await store.sessions.save(a_session(f"{number}", query="question " * 500))
    begun, go_on = threading.Event(), threading.Event()
    write = backup._Copying._write  # noqa: SLF001 - the moment to be met

    def held(self: backup._Copying, partial: Path) -> None:
        begun.set()
        assert go_on.wait(30)
        write(self, partial)

    monkeypatch.setattr(backup._Copying, "_write", held)  # noqa: SLF001 - likewise
    copying = asyncio.ensure_future(store.backup(target))
    await asyncio.to_thread(begun.wait, 30)
    assert [Path(name).suffix for name in names(target.parent)] == [".partial"]
    copying.cancel()
    await asyncio.sleep(0)
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await copying
    assert names(target.parent) == []


@given(name=st.text(st.characters(codec="utf-8", exclude_characters="/\0"), min_size=1, max_size=60))
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_name_is_taken_or_refused(tmp_path: Path, name: str) -> None:
    """BAK-09: whatever a file is called, the copy is made under that name alone, or an error of ours says why not."""
    database = tmp_path / "source.db"
    if not database.exists():
        with closing(sqlite3.connect(database)) as source:
            source.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    folder = tmp_path / "names"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    try:
        asyncio.run(backup.copy(str(database), folder / name))
    except (BackupRefused, BackupFailed):
        assert names(folder) == []
    else:
        assert names(folder) == [name]


def test_a_hang_up_that_is_ignored(path: Path, target: Path) -> None:
    """BAK-08: whoever started it by `nohup` gets the backup."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        done = back_up_until_signalled(path, target, signal.SIGHUP)
    finally:
        signal.signal(signal.SIGHUP, before)
    assert (done.returncode, done.stderr, names(target.parent)) == (0, "", [target.name])


def back_up_until_signalled(path: Path, target: Path, signal_: signal.Signals) -> subprocess.CompletedProcess[str]:
    """Let the command line back up in a process that gets a signal while it writes."""
    config = path.with_name("config.toml")
    config.write_text("", "utf-8")
    with closing(sqlite3.connect(path)) as source:
        source.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    code = f"""
import signal, sys
from cogs.websearch.__main__ import main
from cogs.websearch.store import backup
write = backup._Copying._write
def held(self, partial):
    signal.raise_signal({int(signal_)})
    write(self, partial)
backup._Copying._write = held
sys.exit(main(["backup", {str(target)!r}]))
"""
    env = {**os.environ, "WEBSEARCH_CONFIG": str(config)}
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, env=env)  # noqa: S603 - the text above


@pytest.mark.parametrize("signal_", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT])
def test_a_signal_leaves_nothing(path: Path, target: Path, signal_: signal.Signals) -> None:
    """BAK-08: Ctrl-C, a supervisor's end and a terminal that's gone come with code 130, no word and no file."""
    done = back_up_until_signalled(path, target, signal_)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")
    assert names(target.parent) == []


async def test_a_killed_backup_is_in_nobodys_way(path: Path, target: Path) -> None:
    """BAK-08: what a killed process leaves is known by its name, and the next backup is made."""
    assert back_up_until_signalled(path, target, signal.SIGKILL).returncode == -signal.SIGKILL
    (left,) = names(target.parent)
    assert left.startswith(".websearch-backup-")
    assert left.endswith(".partial")
    await backup.copy(str(path), target)
    assert names(target.parent) == sorted([left, target.name])
