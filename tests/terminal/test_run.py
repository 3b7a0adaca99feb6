"""Hold the command line's `run`: the prompt, the example, and the bundled bot."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from bots import write_config
from cogs.websearch import __main__ as command_line
from cogs.websearch import bot, errors
from loopback_exa import LoopbackExa
from terminal_tools import Terminal, environment, run, start

if TYPE_CHECKING:
    from pathlib import Path

    from cogs.websearch.config import Config

SAID = "There's no Discord token"


@pytest.mark.parametrize("arguments", [[], ["run"]])
def test_without_a_terminal_there_is_an_example(home: Path, arguments: list[str]) -> None:
    """CLI-07, WEB-05: one sentence says that there's no token, then one example search is shown."""
    done = run(home, *arguments)
    assert (done.returncode, done.stderr) == (0, "")
    first, _, second, *_ = done.stdout.splitlines()
    assert first.startswith(SAID)
    assert second.startswith("Searching Python's documentation for ")
    assert second.endswith(", as an example.")
    assert "asyncio.to_thread" in done.stdout


async def test_the_example_costs_nothing(home: Path, tmp_path: Path) -> None:
    """CLI-16: where nobody is there to ask, an engine that's paid for isn't asked for an example."""
    async with LoopbackExa() as engine:
        path = write_config(
            tmp_path / "config.toml", {"enable-web-search": True, "exa-api-key": engine.key, "exa-base-url": engine.url}
        )
        process = await start(home, "run", WEBSEARCH_CONFIG=str(path))
        stdout, stderr = await process.communicate()
    assert (process.returncode, stderr, engine.requests) == (0, b"", [])
    assert b"asyncio.to_thread" in stdout


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (
            "discord-token = 'Q9x4Zt7Kp2Vw8'\n[websearch]\nenable-web-search = true\nweb-backend = 'local'\n",
            "discord-token",
        ),
        ("enable-web-search = true\n[websearch]\n", "enable-web-search"),
    ],
)
def test_a_key_outside_of_the_table_is_told(home: Path, tmp_path: Path, content: str, name: str) -> None:
    """CLI-17: where there seems to be no token, or searching seems to be off, a key that isn't read is named."""
    path = tmp_path / "config.toml"
    path.write_text(content, "utf-8")
    said = f"{path}: {name} stands outside of [websearch], where it isn't read. Move it below [websearch].\n"
    done = run(home, "run", WEBSEARCH_CONFIG=str(path))
    assert done.returncode == 0
    assert said in done.stderr
    assert "Q9x4Zt7Kp2Vw8" not in done.stdout + done.stderr


@pytest.mark.parametrize("leave", ["\r", "  \r", "\x04", "\x03"], ids=["empty", "blank", "ctrl-d", "ctrl-c"])
def test_the_prompt(home: Path, leave: str) -> None:
    """CLI-07 CLI-08: a search is answered, one that can't be made is told, and each way out is named and clean."""
    with Terminal(home) as terminal:
        terminal.wait_for("an empty line or Ctrl-D ends this.")
        terminal.wait_for("> ")
        assert SAID in terminal.shown
        terminal.press("json.loads\r")
        terminal.wait_for("https://docs.python.org/3.11/library/json.html#json.loads")
        terminal.wait_for("> ")
        terminal.press("zzqx\r")
        terminal.wait_for("Nothing was found")
        terminal.wait_for("> ")
        terminal.press("x" * 500 + "\r")
        terminal.wait_for("500 characters")
        terminal.wait_for("> ")
        assert terminal.leave(leave) == 0
    assert "Traceback" not in terminal.shown


@pytest.mark.parametrize("query", ["exit", "quit"])
def test_any_word_can_be_searched_for(home: Path, query: str) -> None:
    """CLI-08: no word ends the prompt, for each is a query."""
    with Terminal(home) as terminal:
        terminal.wait_for("> ")
        terminal.press(f"{query}\r")
        terminal.wait_for("https://docs.python.org/")
        terminal.wait_for("> ")
        assert terminal.leave("\r") == 0


def test_the_prompt_remembers_within_the_process_alone(home: Path) -> None:
    """CLI-08: the arrow key brings back what was typed, and no file holds it afterwards."""
    with Terminal(home) as terminal:
        terminal.wait_for("> ")
        terminal.press("shutil.rmtree\r")
        terminal.wait_for("#shutil.rmtree")
        terminal.wait_for("> ")
        terminal.press("\x1b[A\r")
        terminal.wait_for("#shutil.rmtree")
        terminal.wait_for("> ")
        terminal.press("\x04")
        assert terminal.wait() == 0
    assert [path.name for path in home.iterdir()] == ["cache"]


def test_a_terminal_gets_colours_and_its_width(home: Path) -> None:
    """CLI-05 CLI-06: on a terminal of 40 columns lines are short, coloured, and linked where it makes links."""
    with Terminal(home, "search", "json.loads", columns=40, variables={"VTE_VERSION": "7000"}) as terminal:
        assert terminal.wait() == 0
    assert (
        "\x1b]8;;https://docs.python.org/3.11/library/json.html#json.loads\x1b\\\x1b[1mjson.loads\x1b[0m"
        in terminal.shown
    )
    assert max(len(line) for line in terminal.shown.splitlines() if "\x1b" not in line) <= 40


def test_a_newcomers_terminal_shows_the_progress(tmp_path: Path) -> None:
    """CLI-11: the first search counts up on the terminal and then takes that line away."""
    with Terminal(tmp_path, "search", "json.loads") as terminal:
        assert terminal.wait() == 0
    counted, _, rest = terminal.shown.partition("5 results")
    assert "Reading the documents, this once: 0 %\r" in counted
    assert counted.endswith(" \r\x1b[1m")
    assert "Reading" not in rest


def test_ctrl_c_while_the_index_is_built(tmp_path: Path) -> None:
    """CLI-09: whoever interrupts the first search sees no traceback."""
    with Terminal(tmp_path, "search", "json.loads") as terminal:
        terminal.wait_for("Reading")
        terminal.press("\x03")
        # The index may have been complete by then.
        assert terminal.wait() in {0, 130}
    assert "Traceback" not in terminal.shown


def test_a_token_without_a_configuration(home: Path) -> None:
    """CLI-10: the bundled bot needs a configuration file, and the sentence says where."""
    done = run(home, "run", DISCORD_TOKEN="not-a-token")  # noqa: S106 - none
    assert (done.returncode, done.stdout) == (2, "")
    assert "config.toml" in done.stderr
    assert "not-a-token" not in done.stderr


@pytest.mark.parametrize(
    ("error", "code"),
    [(None, 0), (errors.TokenRefused(), 3), (errors.DiscordUnreachable(), 3), (KeyboardInterrupt(), 130)],
)
def test_a_token_starts_the_bot(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    error: BaseException | None,
    code: int,
) -> None:
    """CLI-02 CLI-10: the bot gets the configuration, and how it ends decides the exit code."""
    started: list[Config] = []

    def run_bot(config: Config) -> None:
        started.append(config)
        if error is not None:
            raise error

    path = tmp_path / "websearch.toml"
    path.write_text('enable-web-search = true\nweb-backend = "local"\ndiscord-token = "the-token"\n', encoding="utf-8")
    monkeypatch.setenv("WEBSEARCH_CONFIG", str(path))
    # Discord can't be reached from here; the bot itself is held by its own tests.
    monkeypatch.setattr(bot, "run", run_bot)
    assert command_line.main(["run"]) == code
    assert [config.discord_token for config in started] == ["the-token"]
    assert "the-token" not in "".join(capsys.readouterr())


async def ended_at_start(tmp_path: Path, *arguments: str, by: signal.Signals) -> tuple[int | None, list[bytes]]:
    """Send a signal to a process that imports what its verb needs; return its code and what it said."""
    (tmp_path / "config.toml").write_text('discord-token = "the-token-of-nobody"\n', encoding="utf-8")
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-X", "importtime", "-m", "cogs.websearch", *arguments),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
        env=environment(tmp_path),
    )
    assert process.stderr is not None
    while not (line := await process.stderr.readline()).rstrip().endswith(b"cogs.websearch.errors"):
        assert line
    process.send_signal(by)
    said, told = await process.communicate()
    return process.returncode, [said, *(line for line in told.splitlines() if not line.startswith(b"import time:"))]


@pytest.mark.parametrize("by", [signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("arguments", [[], ["run"]])
async def test_a_signal_at_the_very_start(tmp_path: Path, arguments: list[str], by: signal.Signals) -> None:
    """BOT-22: while it still imports, a bot that's told to end does so in silence and with code 0."""
    assert await ended_at_start(tmp_path, *arguments, by=by) == (0, [b""])


async def test_another_verb_ends_as_processes_do(tmp_path: Path) -> None:
    """BOT-22: whoever ends a search hasn't got what they asked for, and the code says so."""
    assert (await ended_at_start(tmp_path, "search", "json", by=signal.SIGTERM))[0] == -signal.SIGTERM


async def test_a_bot_that_ignores_hang_ups(tmp_path: Path) -> None:
    """BOT-22: what `nohup` started goes on without its terminal."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        code, _ = await ended_at_start(tmp_path, "--version", by=signal.SIGHUP)
    finally:
        signal.signal(signal.SIGHUP, before)
    assert code == 0
