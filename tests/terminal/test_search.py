"""Hold the command line's search: output, exit codes, and what it does without."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from importlib.metadata import version
from typing import TYPE_CHECKING

import pytest

from loopback_exa import KEY, LoopbackExa
from terminal_tools import MODULE, environment, run, start

if TYPE_CHECKING:
    from pathlib import Path


def write_config(folder: Path, *lines: str) -> Path:
    """Write a configuration and return its path."""
    path = folder / "websearch.toml"
    path.write_text("\n".join(["enable-web-search = true", *lines]) + "\n", encoding="utf-8")
    return path


def exa_config(folder: Path, engine: LoopbackExa) -> Path:
    """Write a configuration that searches a stand-in for Exa."""
    return write_config(
        folder, 'web-backend = "exa"', f'exa-api-key = "{engine.key}"', f'exa-base-url = "{engine.url}"'
    )


def test_results_are_printed(home: Path) -> None:
    """CLI-01 CLI-02 CLI-04: without a configuration, Python's documentation answers, as plain text in a pipe."""
    done = run(home, "search", "asyncio.to_thread", "--results", "2")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[:3] == ["2 results · Python documentation", "", "1. asyncio.to_thread"]
    assert "   https://docs.python.org/3.11/library/asyncio-task.html#asyncio.to_thread\n" in done.stdout
    assert "\x1b" not in done.stdout


def test_a_query_of_several_words_needs_no_quotes(home: Path) -> None:
    """CLI-01: the words of the command line are one query."""
    done = run(home, "search", "--json", "delete", "a", "folder")
    assert json.loads(done.stdout)["query"] == "delete a folder"


def test_json_has_the_agreed_shape(home: Path) -> None:
    """CLI-01: one object with the query and its results."""
    done = run(home, "search", "--json", "--results", "3", "json.loads")
    found = json.loads(done.stdout)
    assert (done.returncode, found["query"], len(found["results"])) == (0, "json.loads", 3)
    assert [list(result) for result in found["results"]] == [["title", "url", "snippet", "published"]] * 3
    assert found["results"][0]["title"] == "json.loads"


def test_nothing_found(home: Path) -> None:
    """CLI-02: nothing found is code 1, said on standard error, and an empty list in JSON."""
    plain, as_json = run(home, "search", "zzqx"), run(home, "search", "--json", "zzqx")
    assert (plain.returncode, plain.stdout) == (1, "")
    assert plain.stderr.startswith("Nothing was found")
    assert (as_json.returncode, json.loads(as_json.stdout)) == (1, {"query": "zzqx", "results": []})


@pytest.mark.parametrize(
    "arguments",
    [
        ["search"],
        ["search", ""],
        ["search", "\u200b"],
        ["search", "x" * 5000],
        ["search", "--results", "0", "x"],
        ["search", "--results", "99", "x"],
        ["search", "--results", "many", "x"],
        ["search", "--site", "no domain", "x"],
        ["search", "--period", "day", "x"],
        ["search", "--category", "news", "x"],
        ["search", "--category", "nonsense", "x"],
        ["doctor", "now"],
        ["playground"],
        ["backup"],
        ["backup", "missing/copy.db"],
        ["--nonsense"],
    ],
)
def test_what_cant_be_done_is_said(home: Path, arguments: list[str]) -> None:
    """CLI-02: a search that can't be made, and a verb that there isn't, are code 2 and a sentence."""
    done = run(home, *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.strip()
    assert "Traceback" not in done.stderr


def test_sites(home: Path) -> None:
    """CLI-01: the search can be narrowed to sites, which here are all or nothing, and nothing is said with the site."""
    assert run(home, "search", "--site", "python.org", "json").returncode == 0
    assert run(home, "search", "--site", "example.org", "--site", "example.com", "json").returncode == 1
    done = run(home, "search", "--site", "example.org", "json")
    assert done.stderr == "Nothing was found on example.org: try other words, or leave the site out.\n"


def test_wrong_usage_names_what_there_is(home: Path) -> None:
    """CLI-02: choices are shown as they're typed, and each argument has a name."""
    wrong = run(home, "search", "--category", "nonsense", "x").stderr
    assert "argument --category: invalid choice: 'nonsense' (choose from 'company', " in wrong
    assert "Category" not in wrong
    assert (
        "argument VERB: invalid choice: 'cure' (choose from 'run', 'search', 'doctor', 'backup')"
        in run(home, "cure").stderr
    )
    assert run(home, "--help").stdout.startswith("usage: python -m cogs.websearch [-h] [--version] VERB ...\n")


def test_the_version(home: Path) -> None:
    """CLI-13: the version is the one that was installed."""
    done = run(home, "--version")
    assert (done.returncode, done.stdout) == (0, f"discord-websearch {version('discord-websearch')}\n")


def test_help_says_the_exit_codes(home: Path) -> None:
    """CLI-02: the codes stand in the help, which names the verbs that there are."""
    done = run(home, "--help")
    assert done.returncode == 0
    for code in ("0 ", "1 ", "2 ", "3 ", "130"):
        assert f"\n    {code}" in done.stdout
    for verb in ("run", "search", "doctor", "backup"):
        assert f"\n    {verb} " in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 120


@pytest.mark.parametrize(
    ("verb", "codes"),
    [("run", "0 2 3 130"), ("search", "0 1 2 3 130"), ("doctor", "0 2 3 130"), ("backup", "0 2 3 130")],
)
def test_each_verb_says_its_own_exit_codes(home: Path, verb: str, codes: str) -> None:
    """CLI-02: the help of a verb has the codes that it ends with, and no other's."""
    shown = run(home, verb, "--help").stdout.partition("Exit codes:\n")[2].splitlines()
    assert " ".join(line.split()[0] for line in shown) == codes
    others = {"run": "the bot", "search": "results", "doctor": "warnings", "backup": "backup"}
    said = "\n".join(shown)
    assert [name for name, word in others.items() if word in said] == [verb]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"web-backend = ", "no valid TOML"),
        (b"web-backend = 'google'", "web-backend"),
        (b"enable-web-search = 'yes'", "enable-web-search"),
        (b"\xff\xfe\x00", "UTF-8"),
        (b"enable-web-search = true", "exa-api-key"),
        (None, "no configuration"),
    ],
)
def test_a_wrong_configuration_is_said(home: Path, tmp_path: Path, content: bytes | None, said: str) -> None:
    """CLI-02 CLI-04: what is wrong with the named file is one line, code 2, and no search is made."""
    path = tmp_path / "websearch.toml"
    if content is not None:
        path.write_bytes(content)
    done = run(home, "search", "json", WEBSEARCH_CONFIG=str(path))
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert said in done.stderr


@pytest.mark.parametrize("named", [True, False], ids=["named", "in the working directory"])
@pytest.mark.parametrize("content", ["enable-web-search = false\nweb-backend = 'exa'\n", "prefix = '!'\n"])
def test_a_file_that_leaves_searching_off(home: Path, tmp_path: Path, content: str, named: bool) -> None:  # noqa: FBT001 - one of two cases
    """CLI-04: where the switch is off, Python's documentation is searched, and one line says why and by which file."""
    path = tmp_path / "config.toml"
    path.write_text(content, encoding="utf-8")
    variables = {"XDG_CACHE_HOME": str(home / "cache"), **({"WEBSEARCH_CONFIG": str(path)} if named else {})}
    for arguments in (["search", "json.loads"], ["run"], []):
        done = run(tmp_path, *arguments, **variables)
        assert (done.returncode, "Python documentation" in done.stdout) == (0, True)
        assert done.stderr == f"{path} has enable-web-search off, so this searches Python's documentation.\n"


def test_a_configured_folder_is_searched(home: Path, tmp_path: Path) -> None:
    """CLI-04 CLI-12: the configuration's documents answer, and what drives a terminal stays behind."""
    (tmp_path / "documents").mkdir()
    hostile = "# Birds\x1b]0;gotcha\x07\n\nThe \x1b[2Jpelican\x9b31m eats\u202e \x00fish.\r\x08"
    (tmp_path / "documents" / "birds.md").write_text(hostile.replace("\0", ""), encoding="utf-8")
    config = write_config(
        tmp_path,
        'web-backend = "local"',
        'local-documents = "documents"',
        'local-base-url = "https://docs.example.org"',
    )
    done = run(home, "search", "pelican\x1b[31m", WEBSEARCH_CONFIG=str(config))
    assert done.returncode == 0, done.stderr
    assert "https://docs.example.org/birds.md" in done.stdout
    assert all(sign.isprintable() or sign == "\n" for sign in done.stdout)
    missed = run(home, "search", "--json", "nothing\x1b[31m", WEBSEARCH_CONFIG=str(config))
    assert "\\u001b" not in missed.stdout


async def test_a_configured_engine_is_asked(home: Path, tmp_path: Path) -> None:
    """CLI-04: with Exa configured, Exa's results are shown."""
    async with LoopbackExa() as engine:
        process = await start(home, "search", "python", WEBSEARCH_CONFIG=str(exa_config(tmp_path, engine)))
        stdout, stderr = await process.communicate()
    assert (process.returncode, stderr) == (0, b"")
    assert b"\xc2\xb7 Exa\n" in stdout


async def test_a_failing_engine(home: Path, tmp_path: Path) -> None:
    """CLI-02: an engine that fails is code 3 and a sentence, which shows neither key nor query."""
    async with LoopbackExa(key="another-key") as engine:
        config = exa_config(tmp_path, engine)
        config.write_text(config.read_text("utf-8").replace("another-key", KEY), encoding="utf-8")
        process = await start(home, "search", "sesame", WEBSEARCH_CONFIG=str(config))
        stdout, stderr = await process.communicate()
    assert (process.returncode, stdout) == (3, b"")
    assert b"key" in stderr
    assert KEY.encode() not in stderr
    assert b"sesame" not in stderr
    assert b"Traceback" not in stderr


async def test_ctrl_c_while_it_searches(home: Path, tmp_path: Path) -> None:
    """CLI-02 CLI-09: Ctrl-C while the engine is asked ends the search with 130 and nothing else."""
    async with LoopbackExa() as engine:
        engine.hold()
        process = await start(home, "search", "python", WEBSEARCH_CONFIG=str(exa_config(tmp_path, engine)))
        await engine.received(1)
        process.send_signal(signal.SIGINT)
        stdout, stderr = await process.communicate()
        engine.release()
    assert (process.returncode, stdout, stderr) == (130, b"", b"")


def test_a_reader_that_leaves_early(home: Path) -> None:
    """CLI-09: where nobody reads the output, the search ends quietly."""
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(  # noqa: S603 - this interpreter and our own module
        [*MODULE, "search", "json"],
        stdin=subprocess.DEVNULL,
        stdout=writer,
        stderr=subprocess.PIPE,
        check=False,
        cwd=home,
        env=environment(home),
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize(
    ("arguments", "output", "said"),
    [
        ("search --json json", ">&-", "Standard output is closed"),
        ("search json", ">&-", "Standard output is closed"),
        ("run", ">&-", "Standard output is closed"),
        ("search --json json", ">/dev/full", "Standard output can't be written"),
        ("run", ">/dev/full", "Standard output can't be written"),
        ("--help", ">/dev/full", "Standard output can't be written"),
        ("--version", ">/dev/full", "Standard output can't be written"),
        ("search json", ">&- 2>&-", ""),
        ("search json", ">&- 2>/dev/full", ""),
    ],
)
def test_an_output_that_cant_be_written(home: Path, arguments: str, output: str, said: str) -> None:
    """CLI-09: what can't be written is told in one sentence, where that can be, and the code says that it failed."""
    done = subprocess.run(  # noqa: S603 - a shell and our own module
        ["/bin/sh", "-c", f'"$0" -m cogs.websearch {arguments} {output}', sys.executable],
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        check=False,
        cwd=home,
        env=environment(home),
    )
    assert (done.returncode, done.stderr.count("\n")) == (3, 1 if said else 0)
    assert done.stderr.startswith(said)


@pytest.mark.parametrize("module", ["cogs.websearch.commandline", "asyncio", "cogs.websearch.terminal"])
def test_ctrl_c_while_it_starts(home: Path, module: str) -> None:
    """CLI-09: Ctrl-C before everything is imported ends the start with 130 and nothing else."""
    code = f"""
import runpy, signal, sys
class Interruption:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            signal.raise_signal(signal.SIGINT)
sys.meta_path.insert(0, Interruption())
sys.argv = ["cogs.websearch", "search", "json"]
runpy.run_module("cogs.websearch", run_name="__main__")
"""
    done = subprocess.run(  # noqa: S603 - this interpreter and the text above
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=home, env=environment(home)
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


def test_an_output_of_few_letters(home: Path) -> None:
    """CLI-09: what an ASCII output can't hold becomes a question mark, and an escape in JSON."""
    ascii_only = {"PYTHONIOENCODING": "ascii"}
    plain = run(home, "search", "json", **ascii_only)
    assert (plain.returncode, plain.stderr) == (0, "")
    assert plain.stdout.startswith("5 results ? Python")
    found = json.loads(run(home, "search", "--json", "ž", **ascii_only).stdout)
    assert found["query"] == "ž"


def test_a_first_search_says_that_it_reads(tmp_path: Path) -> None:
    """CLI-11: the line about building the index is on standard error, so that JSON stays JSON."""
    done = run(tmp_path, "search", "--json", "json")
    assert done.stderr == "Reading the documents, this once.\n"
    assert json.loads(done.stdout)["results"]


def test_an_index_that_cant_be_kept_is_told(home: Path) -> None:
    """CLI-14, LOC-21: where the folder for caches can't be written, the search goes on and says why it's slow."""
    done = run(home, "search", "--json", "json", XDG_CACHE_HOME="/dev/null/cache")
    assert (done.returncode, bool(json.loads(done.stdout)["results"])) == (0, True)
    assert "can't be kept" in done.stderr
    assert "/dev/null/cache" in done.stderr


def test_without_a_home_nothing_is_kept(tmp_path: Path) -> None:
    """CLI-14, LOC-21: for a user who has no home folder the search works, and makes no folder of an odd name."""
    code = """
import os, pwd, sys
from cogs.websearch.__main__ import main
def nobody(_uid):
    raise KeyError
pwd.getpwuid = nobody
del os.environ["HOME"], os.environ["XDG_CACHE_HOME"]
sys.exit(main(["search", "json"]))
"""
    done = subprocess.run(  # noqa: S603 - this interpreter and the text above
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env=environment(tmp_path),
    )
    assert (done.returncode, "there's no home folder" in done.stderr) == (0, True), done.stderr
    assert list(tmp_path.iterdir()) == []


def test_an_empty_folder_is_told(home: Path, tmp_path: Path) -> None:
    """CLI-14, LOC-13: a folder that holds no document is named on standard error."""
    (tmp_path / "documents").mkdir()
    config = write_config(
        tmp_path,
        'web-backend = "local"',
        'local-documents = "documents"',
        'local-base-url = "https://docs.example.org"',
    )
    done = run(home, "search", "json", WEBSEARCH_CONFIG=str(config))
    assert done.returncode == 1
    assert f"no documents in {tmp_path / 'documents'}" in done.stderr


def test_nothing_heavy_is_imported(home: Path) -> None:
    """CLI-03: over local documents, neither discord.py nor an HTTP client is imported."""
    code = """
import sys
from cogs.websearch.__main__ import main
assert main(["search", "json"]) == 0
print({"discord", "aiohttp", "tenacity", "aiosqlite"} & set(sys.modules), file=sys.stderr)
"""
    done = subprocess.run(  # noqa: S603 - this interpreter and the text above
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=home, env=environment(home)
    )
    assert done.stderr == "set()\n"


async def test_the_web_needs_no_discord(home: Path, tmp_path: Path) -> None:
    """CLI-03: a search of the web from the terminal doesn't import discord.py either."""
    code = """
import sys
from cogs.websearch.__main__ import main
assert main(["search", "python"]) == 0
print({"discord"} & set(sys.modules), file=sys.stderr)
"""
    async with LoopbackExa() as engine:
        env = environment(home, WEBSEARCH_CONFIG=str(exa_config(tmp_path, engine)))
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", code),
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
            cwd=home,
            env=env,
        )
        _, stderr = await process.communicate()
    assert stderr == b"set()\n"
