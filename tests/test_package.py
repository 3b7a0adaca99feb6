"""Hold the package as a whole: how it's laid out, what it imports, what it never says."""

from __future__ import annotations

import ast
import importlib.metadata
import importlib.util
import re
import subprocess
import sys
from importlib import resources
from pathlib import Path

import pytest

import cogs.websearch
from cogs.websearch import characters
from cogs.websearch.patterns import Late

ROOT = Path(__file__).parent.parent
PACKAGE = Path(cogs.websearch.__file__).parent
# What sends to Discord, whoever the receiver is.
SENDING = frozenset(
    {
        "create_thread",
        "defer",
        "delete_original_response",
        "edit",
        "edit_message",
        "edit_original_response",
        "reply",
        "send",
        "send_message",
        "send_modal",
    }
)


def run(code: str) -> str:
    """Run a program in a fresh interpreter and return what it prints."""
    return subprocess.run(  # noqa: S603 - our own interpreter and our own text
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, cwd=ROOT
    ).stdout


def test_cogs_is_a_namespace_package() -> None:
    """PKG-01: nothing of ours is in `cogs` itself, so that it merges with a host's."""
    spec = importlib.util.find_spec("cogs")
    assert spec is not None
    assert spec.origin is None
    assert not (PACKAGE.parent / "__init__.py").exists()


def test_the_package_holds_what_it_reads() -> None:
    """PKG-02: types marker, migrations and catalogues are beside the code, wherever it's installed."""
    package = resources.files("cogs.websearch")
    assert package.joinpath("py.typed").is_file()
    assert any(file.name.endswith(".sql") for file in package.joinpath("store", "sql", "sqlite").iterdir())
    assert package.joinpath("locales").is_dir()
    files = importlib.metadata.files("discord-websearch") or []
    assert any(file.name == "LICENSE" for file in files)


def test_importing_it_is_light() -> None:
    """PKG-03: the package alone imports neither discord.py nor an HTTP client nor a database."""
    heavy = {"discord", "aiohttp", "aiosqlite", "babel", "jsonschema"}
    code = f"import sys, cogs.websearch; print(sorted({heavy} & set(sys.modules)))"
    assert run(code).strip() == "[]"


# Counts what modules of ours compile while they're imported.
_COMPILED = """
import re, regex, sys
import discord.ext.commands
made = []
def watch(module):
    compile_ = module.compile
    def counted(*args, **named):
        name = sys._getframe(1).f_globals["__name__"]
        if name.startswith("cogs."):
            made.append(name)
        return compile_(*args, **named)
    module.compile = counted
watch(re)
watch(regex)
import cogs.websearch.bot, cogs.websearch.cog, cogs.websearch.commandline
loaded = [name for name in sys.modules if name.startswith("cogs.websearch.")]
from cogs.websearch import characters
characters.__dict__["{pattern}"].pattern
print(len(loaded) > 100, made)
"""


def test_importing_it_compiles_no_pattern() -> None:
    """PKG-09: what a bot imports to start compiles none of our patterns; the first use of one does."""
    pattern = next(name for name, value in vars(characters).items() if isinstance(value, Late))
    assert run(_COMPILED.replace("{pattern}", pattern)).strip() == "True ['cogs.websearch.patterns']"


@pytest.mark.parametrize("before", [True, False])
def test_importing_it_leaves_the_collector_alone(before: bool) -> None:  # noqa: FBT001 - a table's column
    """PKG-10: the garbage collector rests while modules are imported, but for one look, and works as before."""
    code = (
        f"import gc, cogs.websearch; gc.{'enable' if before else 'disable'}(); phases = [];"
        " gc.callbacks.append(lambda phase, info: phases.append(phase)); cogs.websearch.Config;"
        " print(gc.isenabled(), phases.count('start') <= 1)"
    )
    assert run(code).split() == [str(before), "True"]


def test_public_names_are_what_they_say() -> None:
    """PKG-01: each public name is there, and no other is made up."""
    for name in cogs.websearch.__all__:
        assert getattr(cogs.websearch, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        cogs.websearch.Nothing  # noqa: B018 - the access is what is tested


def test_one_module_sends_to_discord() -> None:
    """WEB-26: no module but `replies` calls anything that sends."""
    senders = set()
    for file in PACKAGE.rglob("*.py"):
        if file.is_relative_to(PACKAGE / "playground"):
            continue
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in SENDING:
                senders.add(file.name)
    assert senders == {"replies.py"}


def test_every_send_is_silent() -> None:
    """WEB-19: each call that can carry text says which mentions may ping, and that is none."""
    tree = ast.parse((PACKAGE / "replies.py").read_text("utf-8"))
    carrying = SENDING - {"defer", "delete_original_response"}
    calls = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in carrying
    ]
    assert len(calls) >= 4
    for call in calls:
        assert [ast.unparse(keyword.value) for keyword in call.keywords if keyword.arg == "allowed_mentions"] == [
            "_SILENT"
        ], f"line {call.lineno}"


needs_source = pytest.mark.skipif(not (ROOT / ".git").exists(), reason="the source is not beside these tests")


@needs_source
def test_no_address_of_a_registry() -> None:
    """PKG-04: a clone installs from wherever its owner's pip does."""
    listed = subprocess.run(
        ["git", "ls-files"],  # noqa: S607 - the git of whoever runs the tests
        check=True,
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    registries = re.compile(r"(?:pypi|pythonhosted|npmjs|deb\.debian)\.(?:org|com)|index-url")
    for name in listed.stdout.splitlines():
        file = ROOT / name
        if file.suffix == ".png" or not file.exists() or file == Path(__file__):
            continue
        assert registries.search(file.read_text("utf-8")) is None, name


@pytest.mark.skipif(not (ROOT / "constraints.txt").exists(), reason="the constraints are not beside these tests")
def test_constraints_pin_what_is_installed() -> None:
    """PKG-06: what the tests run on is what the file says."""
    pins = {}
    for line in (ROOT / "constraints.txt").read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            name, _, version = line.partition("==")
            assert version, line
            pins[re.sub(r"[-_.]+", "-", name).lower()] = version
    ours = {"discord-websearch", "pip", "setuptools"}
    installed = {
        re.sub(r"[-_.]+", "-", found.metadata["Name"]).lower(): found.version
        for found in importlib.metadata.distributions()
    }
    assert {
        name: version for name, version in installed.items() if pins.get(name) != version and name not in ours
    } == {}
