"""Hold the numbered specs against the tests."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
DEFINED = re.compile(r"^- \*\*([A-Z0-9]+-\d{2})\*\*", re.MULTILINE)
NAMED = re.compile(r"\b[A-Z][A-Z0-9]*-\d{2}\b")

if not (ROOT / "specs").is_dir():
    pytest.skip("the specs are not beside these tests", allow_module_level=True)


def defined() -> list[str]:
    """List the IDs that the specs define."""
    return [spec for file in sorted((ROOT / "specs").glob("*.md")) for spec in DEFINED.findall(file.read_text("utf-8"))]


def named() -> set[str]:
    """Collect the IDs that the docstrings of tests name; a comment or a module's own docstring is no test."""
    files = (ROOT / "tests").rglob("test_*.py")
    nodes = (node for file in files for node in ast.walk(ast.parse(file.read_text("utf-8"))))
    tests = (node for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    said = (ast.get_docstring(node) or "" for node in tests if node.name.startswith("test_"))
    return {spec for docstring in said for spec in NAMED.findall(docstring)}


def test_every_spec_is_covered() -> None:
    """PKG-05: each spec's ID stands in a test."""
    assert sorted(set(defined()) - named()) == []


def test_ids_are_unique() -> None:
    """PKG-05: no two specs share an ID."""
    ids = defined()
    assert len(ids) == len(set(ids))


def test_no_test_names_a_spec_that_is_gone() -> None:
    """PKG-05: an ID in a test is one that the specs define."""
    prefixes = {spec.split("-")[0] for spec in defined()}
    ours = {spec for spec in named() if spec.split("-")[0] in prefixes}
    assert sorted(ours - set(defined())) == []
