"""Hold that what an owner may configure is configured by it."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING

import cogs.websearch
from cogs.websearch.config import KEYS

if TYPE_CHECKING:
    from collections.abc import Iterator

PACKAGE = Path(cogs.websearch.__file__).parent
# Where keys are declared and checked; what's read there alone does nothing.
DECLARED = {"config.py", "keys.py"}


def names(path: Path) -> Iterator[str]:
    """Yield the attributes and the texts of a module: some keys are read by name."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
            yield node.attr
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def test_every_key_is_read_somewhere() -> None:
    """CFG-18: a key that no code reads would be set by owners in vain."""
    modules = [path for path in PACKAGE.rglob("*.py") if path.name not in DECLARED]
    read = {name for path in modules for name in names(path)}
    assert [key for key in KEYS if key.replace("-", "_") not in read] == []
