"""Hold the README against what it describes: its commands run, its Python runs, its configuration loads."""

from __future__ import annotations

import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from cogs.websearch.config import load
from terminal_tools import environment

ROOT = Path(__file__).parent.parent.parent
README = ROOT / "README.md"

if not README.is_file():
    pytest.skip("the README is not beside these tests", allow_module_level=True)

# A block of code, which may stand in a list.
BLOCK = re.compile(r"^( *)```(\w*)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
# What sets up more than a test can: pip needs the packages that it installs.
NOT_HERE = ("make ", "pip ")
# A bot that isn't connected, which runs the code that it's given.
HOST = """
import ast, asyncio, sys
import discord
from discord.ext import commands
async def main():
    async with commands.Bot("!", intents=discord.Intents.none(), help_command=None) as bot:
        code = compile(sys.argv[1], "README.md", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        await eval(code, {"bot": bot})
        print(bot.get_cog("WebSearch") is not None, bot.tree.translator is not None)
asyncio.run(main())
"""
LINK = re.compile(r"\]\((?!https?:)([^)#]+)\)")


def blocks(language: str) -> list[str]:
    """List the README's blocks of a language, in order."""
    found = BLOCK.findall(README.read_text("utf-8"))
    assert {name for _, name, _ in found} == {"sh", "python", "toml"}
    return [textwrap.dedent(code) for _, name, code in found if name == language]


def shell_commands(*, here: bool) -> list[str]:
    """List the shell commands that can run here, or the others."""
    lines = [line for block in blocks("sh") for line in block.splitlines()]
    return [line for line in lines if line.startswith(NOT_HERE) != here]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Make a folder that looks like a checkout in which `make run` has set up `.venv`."""
    (tmp_path / "cogs").symlink_to(ROOT / "cogs")
    python = tmp_path / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n', "utf-8")
    python.chmod(0o755)
    return tmp_path


@pytest.mark.parametrize("command", shell_commands(here=True))
def test_commands_run(checkout: Path, tmp_path_factory: pytest.TempPathFactory, command: str) -> None:
    """PKG-07: a command of the README, typed in a checkout, does something and says nothing of an error."""
    home = tmp_path_factory.getbasetemp() / "readme-home"
    done = subprocess.run(  # noqa: S603 - a shell and our own text
        ["/bin/sh", "-c", command],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        check=False,
        cwd=checkout,
        env=environment(home),
    )
    assert (done.returncode, bool(done.stdout)) == (0, True), done.stderr
    assert done.stderr in {"", "Reading the documents, this once.\n"}


def test_what_cant_run_here_is_there() -> None:
    """PKG-07: each target of make that the README names is in the Makefile, and what pip installs is the checkout."""
    targets = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    named = {line.split()[1] for line in shell_commands(here=False) if line.startswith("make ")}
    assert named
    assert named <= targets
    assert [line for line in shell_commands(here=False) if line.startswith("pip ")] == ["pip install ."]


@pytest.mark.parametrize("code", blocks("python"), ids=lambda code: code.splitlines()[-1])
def test_python_runs(tmp_path: Path, code: str) -> None:
    """PKG-07: the README's Python runs as it stands in a bot's `setup_hook`, beside the README's configuration."""
    (tmp_path / "config.toml").write_text(blocks("toml")[0], "utf-8")
    # In a process of its own, since a bot that ends takes an extension's modules away.
    done = subprocess.run(  # noqa: S603 - this interpreter and our own text
        [sys.executable, "-c", HOST, code],
        capture_output=True,
        encoding="utf-8",
        check=False,
        cwd=tmp_path,
        env=environment(tmp_path),
    )
    loads, translates = "WebSearch(" in code or "load_extension" in code, "set_translator" in code
    assert (done.stderr, done.stdout) == ("", f"{loads} {translates}\n")


@pytest.mark.parametrize("number", range(len(blocks("toml"))))
def test_configuration_loads(tmp_path: Path, number: int) -> None:
    """PKG-07: the README's configuration is one, with the search on, and nothing but it is needed."""
    path = tmp_path / "config.toml"
    path.write_text(blocks("toml")[number], "utf-8")
    assert load(path, {}).enable_web_search


def test_links_lead_somewhere() -> None:
    """PKG-07: the files, folders and pictures that the README links to are there."""
    links = LINK.findall(README.read_text("utf-8"))
    assert len(links) >= 5
    assert [link for link in links if not (ROOT / link).exists()] == []
