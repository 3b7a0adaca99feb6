"""Run every command, every line of Python and every configuration of the pages."""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
from typing import TYPE_CHECKING, Final

import pytest

import doc_names
from cogs.websearch.config import load
from cogs.websearch.errors import InvalidValue
from cogs.websearch.i18n import Words
from cogs.websearch.wording import explain
from doc_pages import IS_CHECKOUT, PAGES, ROOT, WRITTEN, Page, page
from doc_shell import run_shell
from store_sessions import a_session
from terminal_tools import environment

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from cogs.websearch.playground.discord import LoopbackDiscord
    from store_sessions import Opener

if not IS_CHECKOUT:
    pytest.skip("the pages are not beside these tests", allow_module_level=True)

# The pages whose commands need a database that a bot has made.
_OF_OWNERS: Final = {"docs/RUNBOOK.md", "docs/privacy.md"}
# What stands in the pages in place of a secret, and is refused as that.
_PLACEHOLDER: Final = re.compile(r"your-(?:key|token)-from-[a-z]+(?:\.ai)?")
# What the terminal search says, this once, beside its results.
_INDEXING: Final = "Reading the documents, this once.\n"


def _has_path(command: str) -> bool:
    paths = [word for word in command.split()[1:] if "/" in word]
    return all((ROOT / path).exists() for path in paths)


# The commands that can't run here, why, and what is looked at instead.
NOT_HERE: Final[dict[str, tuple[str, Callable[[str], bool]]]] = {
    "make ": ("sets up `.venv`, which takes pip and a network", doc_names.is_target),
    "pip install": ("needs the packages that it installs", "pip install .".__eq__),
    "git pull": ("needs the repository that the clone is of", "git pull".__eq__),
    "git checkout": ("needs a history", "git checkout ORIG_HEAD".__eq__),
    ".venv/bin/python -m pytest": ("would run these tests within themselves", _has_path),
    "bash .ci/": ("runs all the tests, and installs", lambda command: (ROOT / command.split()[1]).is_file()),
}


def filled(code: str) -> str:
    """Return what a page gives to be written, with secrets in the place of its placeholders."""
    return _PLACEHOLDER.sub("Q9x4Zt7Kp2Vw8", code)


def _is_here(command: str) -> bool:
    return not command.startswith(tuple(NOT_HERE))


def commands_of(one: Page) -> list[str]:
    """List the lines of the page's blocks for the shell."""
    return [line for block in one.blocks("sh") for line in block.splitlines()]


@pytest.mark.parametrize("one", PAGES, ids=lambda one: one.name)
async def test_commands_run(checkout: Path, opened: Opener, one: Page) -> None:
    """PKG-07 DOCS-01: the commands of a page, typed one after the other in a checkout, succeed without an error."""
    (checkout / "config.toml").write_text('enable-web-search = true\nweb-backend = "local"\n', "utf-8")
    if one.name in _OF_OWNERS:
        store = await opened(checkout / "websearch.db")
        await store.sessions.save(a_session())
    for block in one.blocks("sh"):
        script = "\n".join(line for line in block.splitlines() if _is_here(line))
        if not script:
            continue
        done = await asyncio.to_thread(run_shell, script, checkout)
        assert done.returncode == 0, f"{script}\n{done.stdout}{done.stderr}"
        assert "Traceback" not in done.stderr
        if one.name == "README.md":
            assert done.stdout
            assert done.stderr in {"", _INDEXING}


def test_what_cant_run_here_is_there() -> None:
    """PKG-07 DOCS-01: each target, file and path in a command that can't run within a test is there."""
    lines = [line for one in PAGES for line in (*commands_of(one), *one.codes)]
    for start, (why, is_there) in NOT_HERE.items():
        named = [line for line in lines if line.startswith(start)]
        assert [line for line in named if not is_there(line)] == [], why
    assert {"make run", "make test", "pip install ."} <= set(lines)


def test_blocks_are_of_languages_that_are_tried() -> None:
    """DOCS-01: no block of what people read first is in a language that no test runs or loads."""
    assert {name for one in WRITTEN for name in one.languages} <= {"sh", "python", "toml"}


@pytest.mark.parametrize(
    "code", [code for one in PAGES for code in one.blocks("python")], ids=lambda code: code.splitlines()[-1]
)
async def test_python_runs(discord_: LoopbackDiscord, tmp_path: Path, code: str) -> None:
    """PKG-07 DOCS-02: Python of the pages runs as it stands in the `setup_hook` of a bot that then connects."""
    (tmp_path / "config.toml").write_text(filled(page("README.md").blocks("toml")[0]), "utf-8")
    given = {"API_URL": discord_.api_url, "GATEWAY_URL": discord_.gateway_url, "DISCORD_TOKEN": discord_.token}
    # In a process of its own, since a bot that ends takes an extension's modules away.
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, str(ROOT / "tests" / "dochost.py"), filled(code)),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
        env=environment(tmp_path, **given),
    )
    said, errors = await process.communicate()
    translated = ", translated" if "set_translator" in code else ""
    assert (process.returncode, said.decode(), errors.decode()) == (0, f"loaded{translated}\n", "")
    synced = {command.name for command in discord_.commands.all()}
    offered = {"Search the web", "search", "searches", "websearch"}
    assert synced == (offered if "tree.sync" in code else set())


@pytest.mark.parametrize("code", [code for one in PAGES for code in one.blocks("toml")])
def test_configuration_loads(tmp_path: Path, code: str) -> None:
    """PKG-07 DOCS-03: a configuration of the pages is one, with the search on, and nothing but it is needed."""
    path = tmp_path / "config.toml"
    path.write_text(filled(code), "utf-8")
    assert load(path, {}).enable_web_search


@pytest.mark.parametrize("code", [code for one in PAGES for code in one.blocks("toml") if filled(code) != code])
def test_a_placeholder_is_told(tmp_path: Path, code: str) -> None:
    """DOCS-13, CFG-15: a configuration that was copied as it stands in a page says that its secret is a placeholder."""
    path = tmp_path / "config.toml"
    path.write_text(code, "utf-8")
    with pytest.raises(InvalidValue) as caught:
        load(path, {})
    assert "the placeholder of an example" in explain(caught.value, Words())
