"""Hold how results look on terminals of all kinds."""

from __future__ import annotations

import io
import os
import re
from datetime import UTC, datetime

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from cogs.websearch.i18n import Words
from cogs.websearch.models import SearchPage, SearchResult
from cogs.websearch.terminal import Progress, Style, columns, render, wrap

ESCAPE = "\x1b"
URL = "https://docs.example.org/" + "long/" * 30
PAGE = SearchPage(
    backend="local documents",
    found=2,
    results=(
        SearchResult(
            title="First title",
            url="https://docs.example.org/first",
            host="docs.example.org",
            snippet="Words of a snippet " * 20,
            published=datetime(2026, 11, 30, 12, tzinfo=UTC),
        ),
        SearchResult(title="", url=URL, host="docs.example.org", snippet="東京タワーの高さ" * 12),
    ),
)


class Screen(io.StringIO):
    """Be a stream that is a terminal."""

    def isatty(self) -> bool:
        """Say that it is one."""
        return True


def test_plain_results_are_lines_of_text() -> None:
    """CLI-01 CLI-05: count, engine, title or host, snippet, date and URL are there, and nothing but text."""
    text = render(PAGE, Words(), Style())
    assert ESCAPE not in text
    lines = text.splitlines()
    assert lines[0] == "2 results · local documents"
    assert lines[2] == "1. First title"
    assert "   Nov 30, 2026" in lines
    assert "   https://docs.example.org/first" in lines
    assert "2. docs.example.org" in lines
    assert lines[-1] == f"   {URL}"


@pytest.mark.parametrize("width", [30, 40, 80, 100])
def test_lines_fit_the_terminal(width: int) -> None:
    """CLI-06: every line but a URL's fits, and a URL stays in one piece."""
    for style in (Style(width=width), Style(width=width, colours=True, links=True)):
        text = re.sub(r"\x1b\[\d+m|\x1b]8;;[^\x1b]*\x1b\\", "", render(PAGE, Words(), style))
        assert all(columns(line) <= width or line.startswith("   https://") for line in text.splitlines())
        assert f"   {URL}\n" in text


@pytest.mark.parametrize(
    ("env", "colours", "links"),
    [
        ({"TERM": "xterm-256color"}, True, False),
        ({"TERM": "xterm-256color", "NO_COLOR": "1"}, False, False),
        ({"TERM": "xterm-256color", "NO_COLOR": ""}, True, False),
        ({"TERM": "dumb", "VTE_VERSION": "7000"}, False, False),
        ({"TERM": "xterm-256color", "VTE_VERSION": "7000"}, True, True),
        ({"TERM": "xterm-256color", "VTE_VERSION": "7000", "NO_COLOR": "1"}, False, True),
        ({"TERM": "xterm-kitty"}, True, True),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "WezTerm"}, True, True),
        ({}, True, False),
    ],
)
def test_what_a_terminal_can(env: dict[str, str], colours: bool, links: bool) -> None:  # noqa: FBT001 - parameters
    """CLI-05: the environment says what the terminal makes of colours and links."""
    style = Style.of(Screen(), env)
    assert (style.colours, style.links) == (colours, links)


def test_a_pipe_gets_plain_text() -> None:
    """CLI-05: what is no terminal gets neither, whatever the environment says."""
    assert Style.of(io.StringIO(), {"TERM": "xterm-kitty"}) == Style()


def test_links_and_colours_end_where_they_began() -> None:
    """CLI-05: each link and each colour is closed again on its own line."""
    for line in render(PAGE, Words(), Style(colours=True, links=True)).splitlines():
        links = re.findall(r"\x1b]8;;([^\x1b]*)\x1b\\", line)
        assert links[1::2] == [""] * (len(links) // 2)
        assert line.count(f"{ESCAPE}[0m") * 2 == len(re.findall(r"\x1b\[\d+m", line))


@given(text=st.text(), width=st.integers(min_value=2, max_value=60))
def test_wrapping_loses_nothing(text: str, width: int) -> None:
    """CLI-06: lines fit, hold all that isn't white space, and no grapheme is in two of them."""
    lines = wrap(text, width)
    assert all(columns(line) <= width for line in lines)
    assert "".join(lines).replace(" ", "") == "".join(text.split())
    whole = [grapheme for word in text.split() for grapheme in regex.findall(r"\X", word)]
    assert [grapheme for line in lines for word in line.split(" ") for grapheme in regex.findall(r"\X", word)] == whole


@pytest.mark.parametrize(
    ("text", "width"),
    [
        ("abc", 3),
        ("東京", 4),
        ("ｱ", 1),
        ("\uff21", 2),
        ("é", 1),
        ("e\u0301", 1),
        ("👩‍👩‍👧", 2),
        ("❤️", 2),
        ("\u200b", 0),
        ("한", 2),
    ],
)
def test_columns(text: str, width: int) -> None:
    """CLI-06: wide characters take two columns, marks and invisible ones none, joined emoji two together."""
    assert columns(text) == width


def test_progress_counts_on_a_terminal() -> None:
    """CLI-11: the line is rewritten in place and taken away at the end."""
    screen = Screen()
    progress = Progress(screen, Words())
    for done in range(5):
        progress(done, 4)
    progress.end()
    shown = screen.getvalue()
    assert "\n" not in shown
    assert re.findall(r"\d+ %", shown) == ["0 %", "25 %", "50 %", "75 %", "100 %"]
    assert re.fullmatch(r".*\r +\r", shown, re.DOTALL)


def test_progress_is_one_line_elsewhere() -> None:
    """CLI-11: a log file gets one line, and nothing where there's nothing to build."""
    stream = io.StringIO()
    progress = Progress(stream, Words())
    progress.end()
    assert stream.getvalue() == ""
    for done in range(5):
        progress(done, 4)
    progress.end()
    assert stream.getvalue() == "Reading the documents, this once.\n"


def test_the_width_is_the_terminals(monkeypatch: pytest.MonkeyPatch) -> None:
    """CLI-06: very wide terminals get lines that can still be read."""
    monkeypatch.setenv("COLUMNS", "400")
    assert Style.of(Screen(), os.environ).width == 100
