"""Read the pages of documentation, for the tests that hold them against what they describe."""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parent.parent
# A built package that is tested alone has the pages in `docs/`, but not those beside the source.
IS_CHECKOUT: Final = (ROOT / "README.md").is_file()

# A block of code, which may stand in a list.
_BLOCK: Final = re.compile(r"^( *)```(\w*)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
_COMMENT: Final = re.compile(r"<!--.*?-->", re.DOTALL)
_CODE: Final = re.compile(r"`([^`]+)`")
_HEADING: Final = re.compile(r"^#+ (.+)$", re.MULTILINE)
_LINK: Final = re.compile(r"\]\(([^)\s]+)\)")
_BARE_LINK: Final = re.compile(r"https?://[^\s)`|\"]+")
_OPEN: Final = "“"
_CLOSE: Final = "”"


@dataclass(frozen=True)
class Page:
    """Hold one page."""

    path: Path

    @property
    def name(self) -> str:
        """Tell the page's path in the checkout."""
        return str(self.path.relative_to(ROOT))

    @cached_property
    def text(self) -> str:
        """Return the page as it's written, without comments."""
        return _COMMENT.sub("", self.path.read_text("utf-8"))

    @cached_property
    def prose(self) -> str:
        """Return the page without its blocks of code."""
        return _BLOCK.sub("", self.text)

    def blocks(self, language: str) -> list[str]:
        """List the blocks of a language, in order."""
        return [textwrap.dedent(code) for _, name, code in _BLOCK.findall(self.text) if name == language]

    @property
    def languages(self) -> set[str]:
        """Tell in which languages there are blocks."""
        return {name for _, name, _ in _BLOCK.findall(self.text)}

    @property
    def codes(self) -> list[str]:
        """List what stands in backticks, a line break in it taken for a space."""
        return [" ".join(code.split()) for code in _CODE.findall(self.prose)]

    @property
    def quotes(self) -> list[str]:
        """List what stands in “quotation marks”, which on our pages is always what the program says."""
        found, depth, start = [], 0, 0
        for place, sign in enumerate(self.prose):
            # The program's sentences hold quotation marks, too.
            if sign == _OPEN:
                start = place + 1 if depth == 0 else start
                depth += 1
            elif sign == _CLOSE:
                depth -= 1
                if depth == 0:
                    found.append(" ".join(self.prose[start:place].split()))
        assert depth == 0, f"{self.name}: a quotation mark has no partner"
        return found

    @property
    def links(self) -> list[str]:
        """List what the page links to, pictures included."""
        return [*_LINK.findall(self.prose), *(link.rstrip(".,:") for link in _BARE_LINK.findall(self.prose))]

    @property
    def anchors(self) -> set[str]:
        """Tell what can stand behind a # in a link to this page, as GitHub makes it of headings."""
        return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in _HEADING.findall(self.prose)}

    def rows(self, heading: str) -> list[list[str]]:
        """Return the cells of the tables below a heading and before the next one, without the tables' heads."""
        _, _, rest = self.text.partition(f"\n{heading}\n")
        assert rest, f"{self.name} has no {heading}"
        part = re.split(r"^#", rest, maxsplit=1, flags=re.MULTILINE)[0]
        lines = [line for line in part.splitlines() if line.startswith("|")]
        rows = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]
        heads = {place - 1 for place, row in enumerate(rows) if set("".join(row)) <= set("-: |")}
        return [row for place, row in enumerate(rows) if place not in heads and place - 1 not in heads]


# What people read first.
WRITTEN: Final = tuple(
    Page(ROOT / name) for name in ("README.md", "CONTRIBUTING.md", "docs/RUNBOOK.md", "docs/privacy.md")
)
# And all the others.
PAGES: Final = (*WRITTEN, *(page for page in map(Page, sorted((ROOT / "docs").glob("*.md"))) if page not in WRITTEN))


def page(name: str) -> Page:
    """Return the page at a path in the checkout."""
    return Page(ROOT / name)
