"""Ask a published parser of Discord's Markdown what is alive in a text: an idea of it that is not ours.

It's discord-markdown-parser of the npm registry, run by Node.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self, TypeAlias
from urllib.parse import urlsplit

from cogs.websearch import hosts

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from types import TracebackType

Node: TypeAlias = "dict[str, Any]"
Tree: TypeAlias = "list[Node]"

_FOLDER: Final = Path(__file__).parent
# What is no markup, wherever it stands.
_PLAIN: Final = frozenset({"text", "br", "twemoji", "emoticon"})
# What our own replies may hold beside that, in the line in small print that ends them.
_SMALL: Final = frozenset({"timestamp"})
# What our replies in plain text hold, each on a line of its own: titles, addresses, small print.
_LINES: Final = frozenset({"strong", "autolink", "subtext"})
# What a link at a mark reads as, and what stands behind that of a title: a host, or its end.
_MARK: Final = re.compile(r"\[\d+\]")
_HOST: Final = re.compile(r" · (?P<cut>…?)(?P<end>[^\s·]+)(?=\n|\Z)")


def is_there() -> bool:
    """Tell whether Node and the parser are installed."""
    return shutil.which("node") is not None and (_FOLDER / "node_modules" / "discord-markdown-parser").is_dir()


class Parser:
    """Be the parser, in a process of its own for as long as the context lasts."""

    def __enter__(self) -> Self:
        """Start Node."""
        self._process = subprocess.Popen(  # noqa: S603 - what is run is ours, and texts go to it as data
            ["node", str(_FOLDER / "parse.cjs")],  # noqa: S607 - wherever this machine has it
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End Node."""
        self._process.communicate()

    def tree(self, text: str, *, masked: bool = True) -> Tree:
        """Parse a text; `masked` tells whether masked links are links in it, as in an embed's description."""
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps([text, "extended" if masked else "normal"]) + "\n")
        process.stdin.flush()
        tree: Tree = json.loads(process.stdout.readline())
        return tree


def parse(texts: Sequence[tuple[str, bool]]) -> list[Tree]:
    """Parse texts, each with whether masked links are links in it."""
    with Parser() as parser:
        return [parser.tree(text, masked=masked) for text, masked in texts]


def foreign(tree: Sequence[Node]) -> set[str]:
    """Collect the kinds of markup in a tree that our replies don't use there: a page or a member wrote them."""
    if not tree or tree[-1]["type"] != "subtext":
        return kinds(tree) - _PLAIN
    *body, small = tree
    return (kinds(body) - _PLAIN) | (kinds(small["content"]) - _PLAIN - _SMALL)


def foreign_in_text(tree: Sequence[Node]) -> set[str]:
    """Collect likewise from a reply in plain text, where what is ours stands on lines of its own."""
    found: set[str] = set()
    for place, node in enumerate(tree):
        around = [one["type"] for one in (*tree[:place][-1:], *tree[place + 1 : place + 2])]
        if node["type"] in _LINES and set(around) <= {"br", "subtext"}:
            found |= kinds(node["content"]) - _PLAIN - (_SMALL if node["type"] == "subtext" else frozenset())
        else:
            found |= kinds([node]) - _PLAIN
    return found


def unlinked(tree: Sequence[Node]) -> Tree:
    """Return a tree in which the links of an answer are what they read as: marks such as [1], and titles in its list.

    Behind a title stands the host that its link leads to; a link that has neither stays, since it isn't ours.
    """
    found: Tree = []
    for place, node in enumerate(tree):
        is_ours = node["type"] == "link" and (
            _MARK.fullmatch(_reading(node["content"])) or _leads_to(node["target"], _reading(tree[place + 1 :]))
        )
        found += node["content"] if is_ours else [node]
    return found


def _leads_to(target: str, behind: str) -> bool:
    found = _HOST.match(behind)
    if found is None:
        return False
    host = hosts.show(urlsplit(target).hostname or "")
    return host.endswith(found["end"]) if found["cut"] else host == found["end"]


def _reading(tree: Sequence[Node]) -> str:
    return "".join(str(node.get("content") or node.get("name") or "\n") for node in tree)


def kinds(tree: Iterable[Mapping[str, Any]]) -> set[str]:
    """Collect the kinds of all nodes."""
    found: set[str] = set()
    for node in tree:
        found.add(node["type"])
        if isinstance(node.get("content"), list):
            found |= kinds(node["content"])
    return found
