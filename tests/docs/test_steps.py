"""Take each wrong step of the README, and hold that it leads back by the words that the README has."""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
from typing import TYPE_CHECKING, Final

import pytest

from doc_pages import IS_CHECKOUT, ROOT, page
from doc_shell import run_shell
from terminal_tools import environment

if TYPE_CHECKING:
    from pathlib import Path

    from cogs.websearch.playground.discord import LoopbackDiscord

if not IS_CHECKOUT:
    pytest.skip("the pages are not beside these tests", allow_module_level=True)

LOAD: Final = 'await bot.load_extension("cogs.websearch")'
# Hides what `pip install .` brings beside discord.py.
BARE: Final = """
import sys
class Bare:
    def find_spec(self, name, path=None, target=None):
        if name in {"aiosqlite", "babel", "msgspec", "platformdirs", "regex", "tenacity", "tomli"}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Bare())
"""
HOST: Final = f"""
import asyncio, discord
from discord.ext import commands
async def main():
    async with commands.Bot("!", intents=discord.Intents.none()) as bot:
        {LOAD}
asyncio.run(main())
"""
GOOD: Final = 'enable-web-search = true\nexa-api-key = "abcdefgh"\n'


def steps() -> list[str]:
    """List what the README says is seen when a step fails."""
    return [row[0].strip("“”") for row in page("README.md").rows("## When a step fails")]


async def said_by(folder: Path, discord_: LoopbackDiscord, *command: str, **variables: str) -> str:
    """Run a program of the tests in a folder, which fails, and return its last line."""
    given = {"API_URL": discord_.api_url, "GATEWAY_URL": discord_.gateway_url, "DISCORD_TOKEN": discord_.token}
    name, *arguments = command
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, str(ROOT / "tests" / name), *arguments),
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        cwd=folder,
        env=environment(folder, **(given | variables)),
    )
    _, errors = await process.communicate()
    assert process.returncode, "nothing failed"
    # The program names files by their whole path, of which it shows the end.
    return re.sub(r"\S*/config\.toml", "config.toml", errors.decode().splitlines()[-1])


@pytest.mark.parametrize(
    ("config", "sentence"),
    [
        (None, "There's no configuration at config.toml"),
        ("enable-web-search = true\n", "config.toml: exa-api-key is missing"),
        ('enable-web-search = true\nexa-key = "abcdefgh"\n', "config.toml has an unknown key exa-key"),
    ],
)
async def test_a_wrong_file(discord_: LoopbackDiscord, tmp_path: Path, config: str | None, sentence: str) -> None:
    """DOCS-13: a missing file, a missing key and a misspelt one end the traceback with the README's words."""
    if config is not None:
        (tmp_path / "config.toml").write_text(config, "utf-8")
    (expected,) = (step for step in steps() if step.startswith(sentence))
    assert (await said_by(tmp_path, discord_, "dochost.py", LOAD)).endswith(f": {expected}")


async def test_a_wrong_folder(tmp_path: Path) -> None:
    """DOCS-13: beside a host's own package `cogs`, the installed one isn't found, and the README says what helps."""
    (tmp_path / "cogs").mkdir()
    (tmp_path / "cogs" / "__init__.py").touch()
    (expected,) = (step for step in steps() if "'cogs.websearch' could not be loaded" in step)
    # Not the host of the other tests, which finds our package itself.
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", HOST), stderr=subprocess.PIPE, cwd=tmp_path, env=environment(tmp_path)
    )
    _, errors = await process.communicate()
    assert errors.decode().splitlines()[-1].endswith(expected)


@pytest.mark.parametrize("own", [True, False], ids=["a package of the host's own", "not installed"])
async def test_three_lines_without_the_package(tmp_path: Path, own: bool) -> None:  # noqa: FBT001 - one case each
    """DOCS-13: where the first of the README's three lines finds no package, the README has the words that follow."""
    (line,) = page("README.md").blocks("python")[0].splitlines()[:1]
    (tmp_path / "cogs").mkdir()
    if own:
        (tmp_path / "cogs" / "__init__.py").touch()
    else:
        (tmp_path / "cogs").rmdir()
    # -S leaves out what's installed, as for a Python in which nobody has typed `pip install .`.
    isolated = () if own else ("-S",)
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, *isolated, "-c", line), stderr=subprocess.PIPE, cwd=tmp_path, env=environment(tmp_path)
    )
    _, errors = await process.communicate()
    said = errors.decode().splitlines()[-1].removeprefix("ModuleNotFoundError: ")
    assert said in steps()
    assert said == ("No module named 'cogs.websearch'" if own else "No module named 'cogs'")


async def test_a_slip_in_the_name(tmp_path: Path) -> None:
    """DOCS-13: an extension that isn't there ends the traceback with its name, as the README has it."""
    (expected,) = (step for step in steps() if "'cogs.web_search'" in step)
    mistyped = HOST.replace("cogs.websearch", "cogs.web_search")
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", mistyped), stderr=subprocess.PIPE, cwd=tmp_path, env=environment(tmp_path)
    )
    _, errors = await process.communicate()
    assert errors.decode().splitlines()[-1].endswith(expected)


@pytest.mark.parametrize(
    ("content", "token", "start"),
    [
        (
            'enable-web-search = true\nexa-api-key = "your-key-from-exa.ai"\n',
            "token",
            "config.toml: exa-api-key is the",
        ),
        (GOOD, "Bot Q9x4Zt7Kp2Vw8Lm3", "The environment: DISCORD_TOKEN"),
        ("enable-web-search = true\nexa-api-key = abcdefgh\n", "token", "config.toml is no valid TOML"),
    ],
)
async def test_what_was_pasted_wrong(
    discord_: LoopbackDiscord, tmp_path: Path, content: str, token: str, start: str
) -> None:
    """DOCS-13: a placeholder, a token with its scheme and a text without quotes end the bot with the README's words."""
    (tmp_path / "config.toml").write_text(content, "utf-8")
    (expected,) = (step for step in steps() if step.startswith(start))
    assert await said_by(tmp_path, discord_, "runbot.py", "run", DISCORD_TOKEN=token) == expected
    assert discord_.requests == []


async def test_a_folder_without_its_packages(discord_: LoopbackDiscord, tmp_path: Path) -> None:
    """DOCS-13: the copied folder alone names the package that's missing, and the README says how to install it."""
    (tmp_path / "config.toml").write_text(GOOD, "utf-8")
    (expected,) = (step for step in steps() if "ModuleNotFoundError" in step)
    last = await said_by(tmp_path, discord_, "dochost.py", BARE + LOAD)
    assert last.endswith(expected)


async def test_another_owner_of_the_command(discord_: LoopbackDiscord, tmp_path: Path) -> None:
    """DOCS-13: a command of the host's with the same name ends the traceback with the README's words."""
    (tmp_path / "config.toml").write_text(GOOD, "utf-8")
    code = f"""
from discord import app_commands
@bot.tree.command(name="search", description="Another")
async def another(interaction):
    pass
{LOAD}
"""
    (expected,) = (step for step in steps() if step.startswith("Another part of this bot"))
    assert (await said_by(tmp_path, discord_, "dochost.py", code)).endswith(f": {expected}")


def test_no_token(checkout: Path) -> None:
    """DOCS-13: without a token, the bundled bot's command says so and searches on the terminal."""
    (expected,) = (step for step in steps() if step.startswith("There's no Discord token"))
    done = run_shell(".venv/bin/python -m cogs.websearch run", checkout)
    assert (done.returncode, done.stdout.splitlines()[0]) == (0, expected)


@pytest.mark.parametrize("token", ["not-the-token", "'quoted-token'"])
async def test_a_wrong_token(discord_: LoopbackDiscord, tmp_path: Path, token: str) -> None:
    """DOCS-13: a token that Discord doesn't know, and one in quotes, end the bundled bot with the README's words."""
    (tmp_path / "config.toml").write_text(GOOD, "utf-8")
    start = "The bot's token has quotes" if "'" in token else "Discord doesn't know"
    (expected,) = (step for step in steps() if step.startswith(start))
    assert await said_by(tmp_path, discord_, "runbot.py", "run", DISCORD_TOKEN=token) == expected
    # The one thing that was wrong with this client is its token.
    discord_.problems.clear()


def test_an_old_python() -> None:
    """DOCS-13: the Makefile knows the command by which the README names another Python."""
    (row,) = (row for row in page("README.md").rows("## When a step fails") if "is needed" in row[0])
    (command,) = re.findall(r"`make (\S+) run`", row[1])
    assert command.startswith("PYTHON=")
    assert "\nPYTHON ?= " in (ROOT / "Makefile").read_text("utf-8")
