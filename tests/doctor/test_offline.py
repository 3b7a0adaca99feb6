"""Hold what the doctor finds without asking anybody: configuration, database, documents."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from itertools import count
from typing import TYPE_CHECKING

import pytest

from bots import write_config
from cogs.websearch import tomlfile
from cogs.websearch.doctor import storage
from cogs.websearch.doctor.findings import ok
from cogs.websearch.store import inspection
from cogs.websearch.store.migrations import APPLICATION_ID, read_migrations
from doctor_tools import MARKS, Diagnosis, Doctor
from loopback_exa import KEY
from meter_tools import WIDE, a_charge
from terminal_tools import Terminal, run

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from cogs.websearch.doctor.case import Case
    from cogs.websearch.doctor.findings import Finding
    from loopback_exa import LoopbackExa
    from store_sessions import Opener

NEWEST = len(read_migrations())


async def test_all_is_well(doctor: Doctor, exa: LoopbackExa, tmp_path: Path) -> None:
    """DOC-01, DOC-02, DOC-04, DOC-09: each check is a line with its mark, the engine isn't asked, and the code is 0."""
    found = await doctor()
    assert found.code == 0
    assert found.errors == ""
    assert (
        found.find("The configuration is ")
        == f"ok: The configuration is {tmp_path}/config.toml, named by WEBSEARCH_CONFIG."
    )
    assert found.marks() == ["skipped", "skipped"]
    assert found.find("isn't set") == "skipped: discord-token isn't set."
    assert found.find("Discord:").startswith("skipped: Discord: --live asks it")
    assert found.shown.endswith("\n\nNothing is wrong.\n")
    assert exa.requests == []
    assert [file.name for file in tmp_path.iterdir()] == ["config.toml"]


def test_the_command_line(tmp_path: Path) -> None:
    """DOC-01, DOC-02, DOC-04: from a shell in a bot's folder it prints plain lines, and its code is the doctor's."""
    missing = run(tmp_path, "doctor")
    assert (missing.returncode, missing.stderr) == (2, "")
    assert f"/{tmp_path.name}/config.toml: copy config.example.toml there" in " ".join(missing.stdout.split())
    (tmp_path / "config.toml").write_text('enable-web-search = true\nweb-backend = "local"\n', "utf-8")
    done = run(tmp_path, "doctor")
    assert (done.returncode, done.stderr) == (0, "Reading the documents, this once.\n")
    assert "/config.toml, in the working directory." in " ".join(done.stdout.split())
    lines = done.stdout.splitlines()
    assert all(line.startswith((*(f"{mark} " for mark in MARKS), " " * 9)) for line in lines[:-2])
    assert "\x1b" not in done.stdout
    assert lines[-1] == "Nothing is wrong."
    assert sorted(file.name for file in tmp_path.iterdir()) == ["cache", "config.toml"]


def test_on_a_terminal(tmp_path: Path) -> None:
    """DOC-01: there the marks have colours, and read the same without; a path is never broken."""
    folder = tmp_path / ("deep" * 10)
    folder.mkdir()
    with Terminal(
        tmp_path, "doctor", columns=40, variables={"WEBSEARCH_CONFIG": str(folder / "config.toml")}
    ) as terminal:
        assert terminal.wait() == 2
    assert "\x1b[31mwrong\x1b[0m    There's no" in terminal.shown
    write_config(folder / "config.toml", {"web-backend": "local"})
    with Terminal(
        tmp_path, "doctor", columns=40, variables={"WEBSEARCH_CONFIG": str(folder / "config.toml")}
    ) as terminal:
        assert terminal.wait() == 0
    assert f"{folder}/config.toml" in terminal.shown


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"web-results": "many"}, 'web-results is "many"'),
        ({"web-resuls": 3}, "write web-results"),
        ({"web-timezone": "Berlin"}, "Europe/Berlin"),
        ({"exa-base-url": "http://user:secret-password@example.com"}, "exa-base-url"),
    ],
)
async def test_a_wrong_configuration(
    doctor: Doctor, settings: dict[str, object], changes: dict[str, object], said: str
) -> None:
    """DOC-02, DOC-03, DOC-04: its sentence is told, the code is 2, what needs it is skipped, the rest is looked at."""
    settings.update(changes)
    found = await doctor()
    assert found.code == 2
    assert found.find(said).startswith("wrong: ")
    assert "secret-password" not in found.shown
    assert [f"{mark}: {sentence}" for mark, sentence in found.findings if mark == "skipped"] == [
        "skipped: The database: the configuration can't be used.",
        "skipped: The search engine: the configuration can't be used.",
        "skipped: How the engines did: the configuration can't be used.",
        "skipped: Discord: --live asks it about the token, the commands and the servers.",
    ]
    assert found.find("Languages").startswith("ok: ")


async def test_a_key_that_is_missing(doctor: Doctor, settings: dict[str, object]) -> None:
    """DOC-03, DOC-06: that's wrong, but what needs no key is looked at all the same."""
    del settings["exa-api-key"]
    found = await doctor()
    assert (found.code, found.marks()) == (2, ["wrong", "skipped", "skipped", "skipped"])
    assert found.find("exa-api-key is missing").startswith("wrong: ")
    assert found.find("The database").startswith("ok: ")
    assert found.find("isn't set") == "skipped: exa-api-key isn't set; discord-token isn't set."


async def test_where_secrets_come_from(doctor: Doctor, settings: dict[str, object], tmp_path: Path) -> None:
    """DOC-06: file, environment or both are told, and never a part of a secret."""
    found = await doctor(EXA_API_KEY="J5hY1nBs0Gc4Ue8Dq7T", DISCORD_TOKEN="Q9x4Zt7Kp2Vw8Lm3Rf6")  # noqa: S106 - none
    assert found.find("exa-api-key") == (
        "ok: exa-api-key is in the file, which counts, and in EXA_API_KEY; discord-token comes from DISCORD_TOKEN."
    )
    for secret in (KEY, "J5hY1nBs0Gc4Ue8Dq7T", "Q9x4Zt7Kp2Vw8Lm3Rf6"):
        assert not any(secret[start : start + 6] in found.shown for start in range(len(secret) - 5))
    del settings["exa-api-key"]
    (tmp_path / "config.toml").unlink()
    assert "exa-api-key comes from EXA_API_KEY" in (await doctor(EXA_API_KEY=KEY)).shown


@pytest.mark.parametrize(
    ("mode", "key", "warned"), [(0o644, True, True), (0o640, True, False), (0o600, True, False), (0o644, False, False)]
)
def test_a_file_that_everybody_reads(tmp_path: Path, mode: int, key: bool, warned: bool) -> None:  # noqa: FBT001 - one case each
    """DOC-06: it's a warning with the command that mends it, where it holds a secret."""
    path = tmp_path / "my bot.toml"
    write_config(path, {"web-backend": "local", **({"discord-token": "Q9x4Zt7Kp2Vw8Lm3Rf6"} if key else {})})
    path.chmod(mode)
    done = run(tmp_path, "doctor", WEBSEARCH_CONFIG=str(path))
    said = " ".join(done.stdout.split())
    assert done.returncode == 0
    assert (f"everybody on this machine can read it. Run: chmod 600 '{path}'" in said) == warned


@pytest.mark.parametrize(
    ("content", "said", "code"),
    [
        (
            "enable-websearch = true",
            "enable-websearch isn't read by the web search. If it's meant for that, write enable-web-search.",
            2,
        ),
        (
            "enable-web-search = true\n[websearch]",
            "enable-web-search stands outside of [websearch], where it isn't read. Move it below [websearch].",
            2,
        ),
        (
            "[Web_Search]\nenable-web-search = true",
            "[Web_Search] isn't read by the web search. If it's meant for that, write [websearch].",
            2,
        ),
        (
            "enable_web_search = false\n[websearch]\nenable-web-search = true\nweb-backend = 'local'",
            "enable_web_search isn't read by the web search. If it's meant for that, write enable-web-search.",
            0,
        ),
        (
            "local_documents = 'docs'",
            "local_documents isn't read by the web search. If it's meant for that, write local-documents.",
            0,
        ),
        (
            "web-results = 3\n[websearch]",
            "web-results stands outside of [websearch], where it isn't read. Move it below [websearch].",
            0,
        ),
        ("discordtoken = 'a-secret-of-mine'", "If it's meant for that, write discord-token.", 0),
    ],
)
def test_keys_that_nobody_reads(tmp_path: Path, content: str, said: str, code: int) -> None:
    """DOC-05: what's nearly a key of ours is told without its value, wrong where it's the switch and searching is off.

    A host's own keys are passed over.
    """
    (tmp_path / "config.toml").write_text(f"prefix = '!'\nowner = 5\n{content}\n", "utf-8")
    done = run(tmp_path, "doctor")
    assert done.returncode == code
    assert ("Nothing is wrong" in done.stdout) == (code == 0)
    assert said in " ".join(done.stdout.split())
    assert "a-secret-of-mine" not in done.stdout
    assert "prefix" not in done.stdout


async def test_searching_is_off(doctor: Doctor, settings: dict[str, object], exa: LoopbackExa) -> None:
    """DOC-02, DOC-07: that's a warning with the line that switches it on, nothing is asked, and the code is 0."""
    settings["enable-web-search"] = False
    found = await doctor(live=True)
    assert (found.code, exa.requests) == (0, [])
    assert found.find("nothing will be searched").startswith("warning: ")
    assert "Write enable-web-search = true into " in found.find("nothing will be searched")
    assert found.find("The search engine: searching is switched off.").startswith("skipped: ")
    assert found.shown.endswith("Nothing is wrong, with 1 warning.\n")


async def test_a_database_in_use(doctor: Doctor, opened: Opener, tmp_path: Path) -> None:
    """DOC-08: while a bot has it open it's found sound, and the bot counts on."""
    store = await opened(tmp_path / "websearch.db")
    assert await store.meters.charge(a_charge(1, None), WIDE) is None
    found = await doctor()
    said = found.find("The database")
    assert said.startswith(f"ok: The database {tmp_path}/websearch.db is sound: version {NEWEST}, ")
    assert await store.meters.charge(a_charge(2, None), WIDE) is None


async def test_no_database_yet(doctor: Doctor, tmp_path: Path) -> None:
    """DOC-08: none is made, and it's told that one will be."""
    assert "will be made when the bot starts" in (await doctor()).find("The database")
    assert not (tmp_path / "websearch.db").exists()


@pytest.mark.skipif(os.geteuid() == 0, reason="whoever may do everything can write in every folder")
async def test_a_folder_where_none_can_be_made(doctor: Doctor, settings: dict[str, object], tmp_path: Path) -> None:
    """DOC-08: where the database's folder can't be written to, that's wrong before the bot finds out."""
    (tmp_path / "closed").mkdir(mode=0o500)
    settings["web-database"] = str(tmp_path / "closed" / "websearch.db")
    assert (await doctor()).find("can't be written to").startswith("wrong: ")


async def test_an_older_database(doctor: Doctor, tmp_path: Path) -> None:
    """DOC-08: it's left as old as it is, and its update is announced."""
    path = tmp_path / "websearch.db"
    with closing(sqlite3.connect(path)) as older:
        older.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        older.execute("PRAGMA user_version = 1")
    before = path.read_bytes()
    said = (await doctor()).find("The database")
    assert said.startswith("ok: ")
    assert f"The bot brings it to version {NEWEST} when it starts." in said
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("folder", "that's a folder"),
        ("no folder", "its folder isn't there"),
        ("text", "is no database"),
        ("foreign", "belongs to another program"),
        ("newer", "was written by a newer version"),
        ("corrupt", "is damaged"),
        ("pipe", "is no database"),
    ],
)
async def test_a_database_that_cant_be_used(
    doctor: Doctor, settings: dict[str, object], opened: Opener, tmp_path: Path, kind: str, said: str
) -> None:
    """DOC-02, DOC-08: what the bot would say is said now, the code is 3, and the file stays as it was."""
    path = tmp_path / "websearch.db"
    match kind:
        case "folder":
            path.mkdir()
        case "no folder":
            settings["web-database"] = str(tmp_path / "missing" / "websearch.db")
        case "text":
            path.write_bytes(b"no database at all " * 999)
        case "pipe":
            os.mkfifo(path)
        case _:
            await spoil(opened, path, kind)
    before = path.read_bytes() if path.is_file() else b""
    found = await doctor()
    assert found.code == 3
    assert found.find(said).startswith("wrong: ")
    assert found.shown.endswith("1 thing is wrong.\n")
    assert (path.read_bytes() if path.is_file() else b"") == before


async def test_a_configuration_that_is_a_pipe(doctor: Doctor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """DOC-04: a pipe that nobody writes into is named, and not waited for for ever."""
    parse = tomlfile.parse
    monkeypatch.setattr(tomlfile, "parse", lambda file: parse(file, seconds=0.01))
    pipe = tmp_path / "pipe.toml"
    os.mkfifo(pipe)
    found = await doctor(WEBSEARCH_CONFIG=str(pipe))
    assert found.code == 2
    assert found.find("pipe.toml can't be read").startswith("wrong: ")


async def test_a_key_in_an_address(doctor: Doctor, settings: dict[str, object]) -> None:
    """DOC-15: a key that was put into an address, too, isn't shown, though the file can't be used."""
    settings["exa-base-url"] = f"https://api.exa.ai/?k={KEY}"
    settings["web-results"] = 3
    found = await doctor()
    assert found.find("exa-base-url is ").startswith("wrong: ")
    assert KEY not in found.shown


async def test_a_secret_of_a_file_that_cant_be_used(doctor: Doctor, settings: dict[str, object]) -> None:
    """DOC-15: what the file holds as a secret is shown nowhere, also where something else in it is wrong."""
    settings["tavily-api-key"] = "sesameopenup"
    settings["web-backend"] = "sesameopenup"
    found = await doctor()
    assert found.code == 2
    assert "sesameopenup" not in found.shown


async def spoil(opened: Opener, path: Path, kind: str) -> None:
    """Make a database that can't be used."""
    store = await opened(path)
    for user_id in range(500):
        assert await store.meters.charge(a_charge(user_id, None), WIDE) is None
    await store.close()
    if kind == "corrupt":
        content = bytearray(path.read_bytes())
        # The second half of the pages is another's.
        content[len(content) // 2 :] = b"\xff" * (len(content) - len(content) // 2)
        path.write_bytes(content)
        return
    with closing(sqlite3.connect(path)) as other:
        other.execute({"foreign": "PRAGMA application_id = 1", "newer": "PRAGMA user_version = 9999"}[kind])


async def test_a_database_that_is_held(
    doctor: Doctor, opened: Opener, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DOC-08, DOC-16: where another program keeps it locked, that's told after seconds."""
    monkeypatch.setattr(inspection, "_BUSY_SECONDS", 0.3)
    await (await opened(tmp_path / "websearch.db")).close()
    with closing(sqlite3.connect(tmp_path / "websearch.db", isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        found = await doctor()
        other.execute("ROLLBACK")
    assert found.find("is held by another program").startswith("wrong: ")


def test_a_database_that_takes_too_long(tmp_path: Path) -> None:
    """DOC-16: where there's no time to read all of a large one, that's said, and it's not called sound."""
    path = tmp_path / "websearch.db"
    with closing(sqlite3.connect(path)) as large:
        large.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        large.execute("CREATE TABLE much (value TEXT)")
        large.execute("INSERT INTO much VALUES ('text')")
        for _ in range(16):
            large.execute("INSERT INTO much SELECT 'text' FROM much")
        large.commit()
    ticks = count()
    found = inspection.inspect(str(path), seconds=0.5, clock=lambda: float(next(ticks)))
    assert (found.version, found.checked) == (0, False)
    assert inspection.inspect(str(path), seconds=60).checked


async def test_a_check_that_fails_itself(doctor: Doctor, monkeypatch: pytest.MonkeyPatch) -> None:
    """DOC-03, DOC-15: a fault of our own is told by its kind alone, and the other checks are made."""

    async def fail(case: Case) -> AsyncIterator[Finding]:
        if case.live:
            yield ok("never reached")
        message = "a secret"
        raise ZeroDivisionError(message)

    monkeypatch.setattr(storage, "check", fail)
    found = await doctor()
    assert (found.code, found.marks()) == (3, ["skipped", "wrong", "skipped"])
    assert "ZeroDivisionError" in found.find("A check itself failed")
    assert "a secret" not in found.shown


async def test_a_database_in_memory(doctor: Doctor, settings: dict[str, object]) -> None:
    """DOC-08: that works, but not for long."""
    settings["web-database"] = ":memory:"
    assert (await doctor()).find("kept in memory").startswith("warning: ")


@pytest.mark.parametrize(("files", "mark"), [(3, "ok"), (0, "wrong")])
async def test_local_documents(
    doctor: Doctor, settings: dict[str, object], tmp_path: Path, files: int, mark: str
) -> None:
    """DOC-09: they are counted; none at all is wrong."""
    (tmp_path / "docs").mkdir()
    for number in range(files):
        (tmp_path / "docs" / f"{number}.md").write_text("# Title\n\nText.\n", "utf-8")
    settings |= {
        "web-backend": "local",
        "local-documents": str(tmp_path / "docs"),
        "local-base-url": "https://example.com",
    }
    found = await doctor()
    assert found.find("can be searched in ").startswith(
        f"{mark}: {files} documents can be searched in {tmp_path}/docs."
    )
    assert found.code == (0 if files else 3)
    assert ("there are no documents in" in found.shown) == (files == 0)


async def test_limits(doctor: Doctor, settings: dict[str, object]) -> None:
    """DOC-14: the day's end, the budget or that there's none, and the languages are told."""
    found = await doctor()
    assert found.find("time zone") == "ok: A day ends at midnight in the time zone UTC."
    assert found.find("web-daily-budget-usd would set one").startswith("ok: There's no ceiling")
    assert found.find("Languages").startswith("ok: Languages: en")
    settings |= {"web-daily-budget-usd": Raw("2.5"), "web-timezone": "Europe/Berlin"}
    found = await doctor()
    assert found.find("time zone").endswith("Europe/Berlin.")
    assert found.find("US dollars") == "ok: At most 2.5 US dollars are spent on searches in a day."


class Raw(str):
    """Be a value that is written as it is."""

    __slots__ = ()

    def __repr__(self) -> str:
        """Return it without quotes."""
        return str(self)


def test_a_diagnosis_reads_itself() -> None:
    """DOC-01: what the tests read as findings is what stands there."""
    shown = "ok       One thing\n         goes on.\nwrong    Another.\n\n1 thing is wrong.\n"
    assert Diagnosis(3, shown, "").findings == [("ok", "One thing goes on."), ("wrong", "Another.")]
