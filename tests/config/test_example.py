"""Hold the example file against the code."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest
import tomli

from cogs.websearch import keys
from cogs.websearch.config import KEYS, Config, load

EXAMPLE = Path(__file__).parent.parent.parent / "config.example.toml"

if not EXAMPLE.is_file():
    pytest.skip("the example is not beside these tests", allow_module_level=True)

# A key's line, and the lines of comment right above it.
SHOWN = re.compile(r"((?:^#.*\n)+)^(# )?([a-z][a-z-]+) = (.*)$", re.MULTILINE)


def entries() -> dict[str, tuple[str, bool, object]]:
    """Map each key of the example to its comment, whether it's left out, and its value."""
    found = SHOWN.findall(EXAMPLE.read_text("utf-8"))
    assert len(found) == len({name for _, _, name, _ in found})
    return {
        name: (" ".join(comment.replace("#", " ").split()), bool(left_out), tomli.loads(f"x = {value}")["x"])
        for comment, left_out, name, value in found
    }


def ranges(kind: keys.Kind) -> list[str]:
    """Return what a key's comment must say about the values that it takes."""
    if isinstance(kind, keys.Number):
        return [f"{kind.least} to {kind.most}."]
    if isinstance(kind, keys.Choice | keys.Choices):
        return [f'"{choice}"' for choice in kind.choices]
    if isinstance(kind, keys.Domains):
        return [f"Up to {kind.most}"]
    fixed = {
        keys.Flag: "true or false.",
        keys.Url: "An address.",
        keys.Folder: "A path",
        keys.Database: "A path",
        keys.Channel: "A channel's id",
    }
    return [fixed[type_] for type_ in fixed if isinstance(kind, type_)]


def shown(kind: keys.Kind, value: object) -> object:
    """Return what a key that is left out shows: nothing, or, of a number, one that it takes."""
    return kind.read(value, keys.Place(path="", name="", folder=EXAMPLE)) if isinstance(kind, keys.Number) else ""


def test_every_key_is_shown_once() -> None:
    """CFG-11: the example shows each key of the code and no other."""
    assert entries().keys() == KEYS.keys()


@pytest.mark.parametrize("field", fields(Config), ids=lambda field: field.name)
def test_the_example_agrees_with_the_code(field: object) -> None:
    """CFG-11: a key's default, its range, what it does and its variable are those of the code."""
    name = getattr(field, "name", "").replace("_", "-")
    default = getattr(field, "default", None)
    comment, left_out, value = entries()[name]
    key = KEYS[name]
    assert key.about in comment
    for words in ranges(key.kind):
        assert words in comment
    assert key.variable in comment
    assert left_out == (not default and not isinstance(default, bool | tuple))
    assert value == (shown(key.kind, value) if left_out else list(default) if isinstance(default, tuple) else default)


def test_the_example_loads(tmp_path: Path) -> None:
    """CFG-11: copied as it is, the example is the default configuration; with the switch and a key it's ready."""
    path = tmp_path / "config.toml"
    text = EXAMPLE.read_text("utf-8")
    path.write_text(text, "utf-8")
    assert load(path, {}) == Config(web_database=str(tmp_path / "websearch.db"))
    ready = text.replace("enable-web-search = false", "enable-web-search = true")
    path.write_text(ready.replace('# exa-api-key = ""', 'exa-api-key = "abcdefgh"'), "utf-8")
    assert load(path, {}).exa_api_key == "abcdefgh"
