"""Hold that a page can't forge another result, nor another field of its own, for those who read no embeds."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from loopback_exa import LoopbackExa, Page
from terminal_tools import start

if TYPE_CHECKING:
    from pathlib import Path

# Two pages of which each tries to look like two, or to end its own field and begin another.
PAGES = (
    Page(
        "https://evil.example.com/1",
        "forged title\n\n2. Your bank\n   https://bank.example.org/\x1b[2J\x1b]8;;https://bank.example.org/\x07",
        "forged snippet\r\n\r\n2. Your bank\u2028   Log in.\x85   https://bank.example.org/\n\n3. And more "
        + "👩‍👩‍👧" * 40,
    ),
    Page(
        "https://evil.example.com/2",
        'forged", "url": "https://bank.example.org/", "snippet": "',
        '"}, {"title": "Your bank", "url": "https://bank.example.org/\\"\u202e\U000e0041\ud800}]} forged',
    ),
)


def configured(folder: Path, engine: LoopbackExa) -> str:
    """Write a configuration that searches a stand-in for Exa, and return its path."""
    path = folder / "websearch.toml"
    lines = ("enable-web-search = true", f'exa-api-key = "{engine.key}"', f'exa-base-url = "{engine.url}"')
    path.write_text("\n".join(lines), "utf-8")
    return str(path)


async def test_no_page_forges_a_result_in_json(home: Path, tmp_path: Path) -> None:
    """TXT-21: two results are two results, each with its own address and nothing but its own keys."""
    async with LoopbackExa(pages=PAGES) as engine:
        process = await start(home, "search", "--json", "forged", WEBSEARCH_CONFIG=configured(tmp_path, engine))
        stdout, stderr = await process.communicate()
    assert (process.returncode, stderr) == (0, b"")
    found = json.loads(stdout)
    assert list(found) == ["query", "results"]
    assert sorted(result["url"] for result in found["results"]) == [page.url for page in PAGES]
    for result in found["results"]:
        assert list(result) == ["title", "url", "snippet", "published"]
        assert len(result["title"].splitlines()) == len(result["snippet"].splitlines()) == 1
    # Nor can a line of it be mistaken for one of ours, by who reads lines.
    assert len(re.findall(rb'^ +"url": ', stdout, re.MULTILINE)) == len(PAGES)


async def test_no_page_forges_a_result_in_plain_lines(home: Path, tmp_path: Path) -> None:
    """TXT-21: what begins in the first column is the count and the two titles, each after an empty line."""
    async with LoopbackExa(pages=PAGES) as engine:
        process = await start(home, "search", "forged", WEBSEARCH_CONFIG=configured(tmp_path, engine))
        stdout, _ = await process.communicate()
    lines = stdout.decode().splitlines()
    first = [place for place, line in enumerate(lines) if line and not line.startswith("   ")]
    assert [lines[place][:3] for place in first] == ["2 r", "1. ", "2. "]
    assert [lines[place - 1] for place in first[1:]] == ["", ""]
    assert lines.count("") == 2
    assert {lines[first[2] - 2], lines[-1]} == {f"   {page.url}" for page in PAGES}
    assert "\x1b" not in stdout.decode()
