"""List the names that Python's library reference documents, and where.

`pages.txt` beside this module holds the list: a line `= page` for every page, then a line for every name on it: its
kind, the name, and the anchor where that differs from the name. It is made from `objects.inv`, the index that Sphinx
writes for documentation; Debian's package python3.11-doc installs it. To make it anew:

    python -m cogs.websearch.backends.local.inventory /usr/share/doc/python3.11/html/objects.inv

Links name the version whose index the list was made from, as the newest documentation drops what Python drops.
"""

from __future__ import annotations

import re
import sys
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Final

VERSION: Final = "3.11"
SITE: Final = f"https://docs.python.org/{VERSION}/"
LIST: Final = Path(__file__).with_name("pages.txt")

_KINDS: Final = frozenset({"module", "class", "exception", "function", "method", "attribute", "data"})
_SECTION: Final = "library/"
_HEADER: Final = f"""\
# The names that the library reference of Python {VERSION} documents, by page. Made by inventory.py; not for editing.
"""
# A line of an index: name, domain:kind, priority, page#anchor, shown name. A name may hold spaces, the rest may not.
_LINE: Final = re.compile(r"(?P<name>.+?) +py:(?P<kind>\S+) +-?\d+ +(?P<page>[^\s#]+)#(?P<anchor>\S*) +.*")


@dataclass(frozen=True, slots=True)
class Entry:
    """Hold one documented name: its kind as Sphinx names it, and its place on `page`, such as library/json.html."""

    name: str
    kind: str
    page: str
    anchor: str

    @property
    def url(self) -> str:
        """Tell the public address."""
        return f"{SITE}{self.page}#{self.anchor}"


def parse(index: bytes) -> tuple[Entry, ...]:
    """Return what an `objects.inv` (Sphinx inventory version 2) says of the library reference, sorted by page and name.

    Raise ValueError where the bytes are no such index.
    """
    first, _, rest = index.partition(b"\n")
    if first.rstrip() != b"# Sphinx inventory version 2":
        message = "this is no Sphinx inventory of version 2"
        raise ValueError(message)
    try:
        body = zlib.decompress(rest.split(b"\n", 3)[3]).decode()
    except (zlib.error, IndexError) as error:
        message = "the inventory is damaged"
        raise ValueError(message) from error
    entries = set()
    for line in body.splitlines():
        found = _LINE.fullmatch(line)
        if found is None or found["kind"] not in _KINDS or not found["page"].startswith(_SECTION):
            continue
        # A `$` at the end of an anchor stands for the name.
        anchor = found["anchor"].removesuffix("$") + found["name"] if found["anchor"].endswith("$") else found["anchor"]
        entries.add(Entry(found["name"], found["kind"], found["page"], anchor))
    return tuple(sorted(entries, key=lambda entry: (entry.page, entry.name, entry.kind)))


def dump(entries: tuple[Entry, ...]) -> str:
    """Write sorted entries in the form of `pages.txt`."""
    lines = [_HEADER.rstrip()]
    page = ""
    for entry in entries:
        if entry.page != page:
            page = entry.page
            lines.append(f"= {page}")
        lines.append(" ".join([entry.kind, entry.name, *([entry.anchor] if entry.anchor != _usual(entry) else [])]))
    return "\n".join(lines) + "\n"


def load(path: Path = LIST) -> tuple[Entry, ...]:
    """Read the list in the form of `pages.txt`."""
    entries = []
    page = ""
    for line in path.read_text(encoding="utf-8").splitlines():
        kind, *rest = line.split(" ")
        if kind == "=":
            page = rest[0]
        elif kind in _KINDS:
            plain = Entry(rest[0], kind, page, "")
            entries.append(Entry(plain.name, kind, page, rest[1] if rest[1:] else _usual(plain)))
    return tuple(entries)


def _usual(entry: Entry) -> str:
    return f"module-{entry.name}" if entry.kind == "module" else entry.name


def main(arguments: list[str]) -> int:
    """Make the list from the index named on the command line; return an exit code."""
    if len(arguments) != 1:
        sys.stderr.write("Name one file: the objects.inv to read.\n")
        return 2
    LIST.write_text(dump(parse(Path(arguments[0]).read_bytes())), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
