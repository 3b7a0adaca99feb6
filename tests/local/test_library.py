"""Hold the documentation of the standard library: its names, its pages, and how it's read."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import venv
from contextlib import closing
from pathlib import Path

import pytest

from cogs.websearch import errors
from cogs.websearch.backends.local import LocalSearcher, collect, inventory, stdlib
from local_tools import ask

INDEX = Path("/usr/share/doc/python3.11/html/objects.inv")
ODD = inventory.Entry("__import__", "function", "library/functions.html", "import__")


def test_links_lead_where_the_list_says() -> None:
    """LOC-07: a function, a module and a name whose anchor is unlike it have the addresses of their pages."""
    urls = {
        entry.name: entry.url for entry in inventory.load() if entry.name in {"asyncio.to_thread", "json", "__import__"}
    }
    assert urls == {
        "asyncio.to_thread": "https://docs.python.org/3.11/library/asyncio-task.html#asyncio.to_thread",
        "json": "https://docs.python.org/3.11/library/json.html#module-json",
        "__import__": "https://docs.python.org/3.11/library/functions.html#import__",
    }


async def test_every_result_is_on_the_list(library: LocalSearcher, shared_cache: Path) -> None:
    """LOC-07: each document of the index has a documented name and that name's page."""
    await ask(library, "anything")
    (file,) = shared_cache.glob("*.db")
    with closing(sqlite3.connect(file)) as connection:
        documents = connection.execute("SELECT title, url FROM documents").fetchall()
    assert len(documents) > 4000
    assert set(documents) <= {(entry.name, entry.url) for entry in inventory.load()}


# Where changes are accepted, it must not be skipped.
@pytest.mark.skipif(
    not INDEX.is_file() and "WEBSEARCH_CI" not in os.environ, reason="Debian's package python3.11-doc is not installed"
)
def test_the_list_is_debians() -> None:
    """LOC-08: the shipped list says what Debian's index of the documentation says."""
    assert inventory.load() == inventory.parse(INDEX.read_bytes())


def test_the_list_is_written_as_it_is_read(tmp_path: Path) -> None:
    """LOC-08: making the list anew from what it says changes nothing."""
    copy = tmp_path / "pages.txt"
    copy.write_text(inventory.dump(inventory.load()), encoding="utf-8")
    assert copy.read_bytes() == inventory.LIST.read_bytes()
    assert ODD in inventory.load(copy)


@pytest.mark.parametrize("data", [b"", b"# Sphinx inventory version 1\n", b"# Sphinx inventory version 2\n\n\nnothing"])
def test_another_file_is_no_index(data: bytes) -> None:
    """LOC-08: what isn't an index of documentation is refused."""
    with pytest.raises(ValueError, match="inventory"):
        inventory.parse(data)


def run_script(modules: str, *, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run the collecting script as the search does."""
    return subprocess.run(  # noqa: S603 - this interpreter and a script of the package
        [sys.executable, "-I", "-S", collect.__file__],
        input=modules,
        capture_output=True,
        text=True,
        check=False,
        cwd=cwd,
    )


def test_modules_cant_speak_or_stop_the_others(tmp_path: Path) -> None:
    """LOC-09: a module that prints, isn't there, or ends the process when it's imported costs its own texts alone."""
    # `this` prints a poem, and the second is a program that ends at once.
    modules = ["this", "lib2to3.__main__", "no_such_module", "json"]
    done = run_script(json.dumps([[module, [module, f"{module}.loads"]] for module in modules]), cwd=tmp_path)
    *others, last = map(json.loads, done.stdout.splitlines())
    assert (done.returncode, done.stderr, others) == (0, "", [[], [], []])
    assert [name for name, _ in last] == ["json", "json.loads"]


def test_files_of_the_working_directory_are_not_run(tmp_path: Path) -> None:
    """LOC-09: a file that is named like a module isn't imported in its place."""
    (tmp_path / "json.py").write_text("raise SystemExit('this was run')\n", encoding="utf-8")
    done = run_script('[["json", ["json.loads"]]]', cwd=tmp_path)
    assert "Deserialize" in done.stdout


def test_reading_imports_nothing_here(tmp_path: Path) -> None:
    """LOC-09: the process that searches imports none of the modules whose texts it reads."""
    code = """
import asyncio, sys, pathlib
from cogs.websearch.backends.local import LocalSearcher
async def main():
    searcher = await LocalSearcher.open(None, None, snippet_chars=400, cache_dir=pathlib.Path(sys.argv[1]))
    await searcher.close()
asyncio.run(main())
print({"turtle", "pdb", "wsgiref", "smtpd", "curses"} & set(sys.modules))
"""
    done = subprocess.run(  # noqa: S603 - this interpreter and the text above
        [sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert (done.stdout.strip(), done.stderr) == ("set()", "")


@pytest.fixture
def broken_interpreter(tmp_path: Path) -> str:
    """Put a program in the interpreter's place that fails at once."""
    program = tmp_path / "python"
    program.write_text("#!/bin/sh\nexit 3\n", encoding="utf-8")
    program.chmod(0o755)
    return str(program)


@pytest.mark.parametrize("path", ["", "/no/such/interpreter", "broken"])
async def test_without_an_interpreter_the_engine_fails(
    path: str, broken_interpreter: str, monkeypatch: pytest.MonkeyPatch, cache: Path
) -> None:
    """LOC-10: the failure is the engine's, and no half of an index stays."""
    monkeypatch.setattr(sys, "executable", broken_interpreter if path == "broken" else path)
    with pytest.raises(errors.BackendBroken):
        await LocalSearcher.open(None, None, snippet_chars=400, cache_dir=cache)
    assert list(cache.iterdir()) == []


def test_virtual_environments_share_an_index(tmp_path: Path) -> None:
    """LOC-17: one Python in several environments has one index, and another Python doesn't clear it away."""
    code = """
import os, sys
sys.path[:0] = sys.argv[1:]
from cogs.websearch.backends.local.stdlib import StandardLibrary
print(StandardLibrary().identity, StandardLibrary().fingerprint)
sys.prefix = sys.base_prefix = "/another"
for name in list(sys.modules):
    if name.startswith("cogs"):
        del sys.modules[name]
from cogs.websearch.backends.local.stdlib import StandardLibrary
print(StandardLibrary().identity)
"""
    venv.create(tmp_path / "env", with_pip=False)
    told = [
        subprocess.run(  # noqa: S603 - this Python and the text above
            [python, "-c", code, *sys.path], capture_output=True, text=True, check=True, cwd=tmp_path
        ).stdout.splitlines()
        for python in (sys.executable, str(tmp_path / "env" / "bin" / "python"))
    ]
    assert told[0] == told[1]
    assert told[0][1] not in told[0][0]


def test_the_library_has_texts_of_the_public_names() -> None:
    """LOC-07: a function that is defined elsewhere is found under the name that the documentation gives it."""
    documents = {
        document.title: document for document in stdlib.StandardLibrary().documents(lambda _done, _total: None)
    }
    assert "separate thread" in documents["asyncio.to_thread"].text
    assert not {"asyncio.threads.to_thread", "_collections_abc.Mapping", "test.support"} & documents.keys()
