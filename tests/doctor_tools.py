"""Call the doctor as the command line does, in a thread with an event loop of its own."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from cogs.websearch import doctor
from cogs.websearch.i18n import Words

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import pytest

MARKS: Final = ("ok", "warning", "wrong", "skipped")
_BLOCK: Final = re.compile(r"^(ok|warning|wrong|skipped) +(.*(?:\n {9}.*)*)", re.MULTILINE)


@dataclass(frozen=True)
class Diagnosis:
    """Hold what the doctor said: the exit code, all that was printed, and the findings, each on one line."""

    code: int
    shown: str
    errors: str

    @property
    def findings(self) -> list[tuple[str, str]]:
        """List mark and sentences of each check, in order."""
        return [(mark, " ".join(said.split())) for mark, said in _BLOCK.findall(self.shown)]

    def find(self, said: str) -> str:
        """Return the mark and sentences of the one finding that has a text in it."""
        (found,) = [f"{mark}: {sentences}" for mark, sentences in self.findings if said in sentences]
        return found

    def marks(self) -> list[str]:
        """List the marks other than ok."""
        return [mark for mark, _ in self.findings if mark != "ok"]


class Doctor:
    """Call the doctor on the configuration that `write` writes."""

    def __init__(self, write: Callable[[], Path], capsys: pytest.CaptureFixture[str]) -> None:
        self._write = write
        self._capsys = capsys

    async def __call__(self, *, live: bool = False, seconds: float = 10.0, **env: str) -> Diagnosis:
        """Write the configuration, call the doctor with an environment of these variables, and say what came out."""
        given = {"WEBSEARCH_CONFIG": str(self._write()), **env}
        self._capsys.readouterr()
        code = await asyncio.to_thread(doctor.run, Words(), live=live, env=given, seconds=seconds)
        out, err = self._capsys.readouterr()
        return Diagnosis(code, out, err)
