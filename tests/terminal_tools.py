"""Run the command line in processes of their own, with pipes or a terminal."""

from __future__ import annotations

import asyncio
import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
from typing import TYPE_CHECKING, Final, Self

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from types import TracebackType

MODULE: Final = (sys.executable, "-m", "cogs.websearch")
# The new process takes its standard input for its terminal, so that Ctrl-C typed there reaches it.
ON_TERMINAL: Final = """
import fcntl, runpy, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
runpy.run_module("cogs.websearch", run_name="__main__", alter_sys=True)
"""
# How long a process may take to say what is waited for, in seconds; a failing test alone waits that long.
PATIENCE: Final = 30.0


def environment(home: Path, **variables: str) -> dict[str, str]:
    """Return an English environment without a token, a key and a configuration, whose cache is below `home`."""
    kept = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH", "SYSTEMROOT") if name in os.environ}
    own = {"HOME": str(home), "XDG_CACHE_HOME": str(home / "cache"), "PYTHONUTF8": "1", "LC_ALL": "C"}
    return {**kept, **own, **variables}


def run(home: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run the command line without a terminal and without input."""
    return subprocess.run(  # noqa: S603 - this interpreter and our own module
        [*MODULE, *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        check=False,
        cwd=home,
        env=environment(home, **variables),
    )


async def start(home: Path, *arguments: str, **variables: str) -> asyncio.subprocess.Process:
    """Start the command line with pipes, and go on."""
    return await asyncio.create_subprocess_exec(
        *MODULE,
        *arguments,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        cwd=home,
        env=environment(home, **variables),
    )


class Terminal:
    """Run the command line on a terminal of its own, of so many columns, while the context lasts."""

    def __init__(
        self, home: Path, *arguments: str, columns: int = 80, variables: Mapping[str, str] | None = None
    ) -> None:
        """Take what to run."""
        self._home = home
        self._arguments = arguments
        self._columns = columns
        self._variables = variables or {}
        self.shown = ""
        self._seen = 0

    def __enter__(self) -> Self:
        """Start the process."""
        self._ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, self._columns, 0, 0))
        self._process = subprocess.Popen(  # noqa: S603 - this interpreter and our own module
            [sys.executable, "-c", ON_TERMINAL, *self._arguments],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            cwd=self._home,
            env=environment(self._home, **{"TERM": "xterm-256color", **self._variables}),
            start_new_session=True,
        )
        os.close(theirs)
        return self

    def press(self, text: str) -> None:
        """Type on the keyboard; a carriage return is Enter."""
        os.write(self._ours, text.encode())

    def wait_for(self, text: str) -> None:
        """Read on until the text is on the screen, behind what was read before."""
        while (place := self.shown.find(text, self._seen)) < 0:
            assert self._read(), f"the process ended without saying {text!r}: {self.shown!r}"
        self._seen = place + len(text)

    def leave(self, keys: str) -> int:
        """Press keys that end the process, again where the first press was missed, and return the exit code.

        Between showing its prompt and listening to the keyboard, Python misses a Ctrl-C.
        """
        for _ in range(int(PATIENCE)):
            self.press(keys)
            ready, _, _ = select.select([self._ours], [], [], 1)
            if ready:
                break
        return self.wait()

    def wait(self) -> int:
        """Read all that is still shown, and return the exit code."""
        while self._read():
            pass
        return self._process.wait(PATIENCE)

    def _read(self) -> bool:
        ready, _, _ = select.select([self._ours], [], [], PATIENCE)
        assert ready, f"nothing more was said: {self.shown!r}"
        try:
            data = os.read(self._ours, 65536)
        except OSError:
            # Linux says so where nobody is left on the other side.
            return False
        self.shown += data.decode("utf-8", "replace")
        return bool(data)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the process where it still runs."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGKILL)
        self._process.wait()
        os.close(self._ours)
