"""Hold in which language the command line speaks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cogs.websearch.commandline import words_of
from terminal_tools import run

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("env", "locale"),
    [
        ({"LC_ALL": "de_DE.UTF-8"}, "de_DE"),
        ({"LC_MESSAGES": "de_AT", "LANG": "en_US.UTF-8"}, "de_AT"),
        ({"LC_ALL": "", "LANG": "de"}, "de"),
        ({"LC_ALL": "en_GB.UTF-8", "LANG": "de_DE.UTF-8"}, "en_GB"),
        ({"LANG": "de_DE@euro"}, "de_DE"),
        ({"LC_ALL": "C", "LANG": "de_DE.UTF-8"}, "en"),
        ({"LANG": "C.UTF-8"}, "en"),
        ({"LANG": "POSIX"}, "en"),
        ({"LANG": "fr_FR.UTF-8"}, "en"),
        ({}, "en"),
    ],
)
def test_the_environment_names_the_language(env: dict[str, str], locale: str) -> None:
    """CLI-15: as in other programs LC_ALL wins over LC_MESSAGES, that over LANG; what's unknown is English."""
    assert words_of(env).locale == locale


@given(st.dictionaries(st.sampled_from(["LC_ALL", "LC_MESSAGES", "LANG"]), st.text()))
def test_any_environment_gets_words(env: dict[str, str]) -> None:
    """CLI-15: whatever stands there, there are words."""
    assert words_of(env)("nothing was found")


def test_the_terminal_speaks_german(home: Path) -> None:
    """CLI-15: help, results and errors are German on a German terminal, and commands keep their English names."""
    german = {"LC_ALL": "de_DE.UTF-8"}
    shown = run(home, "search", "--help", **german).stdout
    assert "    1    es wurde nichts gefunden\n" in shown
    assert "5 Ergebnisse" in run(home, "search", "json", **german).stdout
    missed = run(home, "search", "zzqx", **german)
    assert (missed.returncode, missed.stderr.startswith("Es wurde nichts gefunden")) == (1, True), missed.stderr
    assert words_of(german).name("search") == "search"
