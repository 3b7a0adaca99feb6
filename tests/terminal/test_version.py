"""Hold what the package says on a Python that's too old for it."""

from __future__ import annotations

import ast
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

import cogs.websearch

INIT = Path(cogs.websearch.__file__)


def test_an_old_python_is_told() -> None:
    """PKG-08: where the folder was copied beside an older Python, one sentence names both versions."""
    code = """
import sys
from collections import namedtuple
sys.version_info = namedtuple("Version", "major minor micro releaselevel serial")(3, 10, 13, "final", 0)
import cogs.websearch
"""
    done = subprocess.run(  # noqa: S603 - this interpreter and the text above
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=INIT.parents[2]
    )
    assert done.stderr.splitlines()[-1] == "ImportError: Python 3.11 or newer is needed; this is 3.10.13"


@pytest.mark.parametrize("arguments", [[], ["doctor"]])
def test_an_old_pythons_command_line_is_told(arguments: list[str]) -> None:
    """PKG-08: whoever types a command with it reads that sentence alone, without a traceback."""
    code = f"""
import runpy, sys
from collections import namedtuple
sys.version_info = namedtuple("Version", "major minor micro releaselevel serial")(3, 10, 13, "final", 0)
sys.orig_argv = [sys.executable, "-m", "cogs.websearch", *{arguments}]
sys.argv = ["-m", *{arguments}]
runpy.run_module("cogs.websearch", run_name="__main__", alter_sys=True)
"""
    done = subprocess.run(  # noqa: S603 - this interpreter and the text above
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=INIT.parents[2]
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "Python 3.11 or newer is needed; this is 3.10.13\n"


def test_an_old_python_can_read_that_far() -> None:
    """PKG-08: the file that looks at the version can be parsed by Python 3.8, and looks before it imports."""
    tree = ast.parse(INIT.read_text("utf-8"), feature_version=(3, 8))
    docstring, future, import_sys, check, *_ = tree.body
    assert isinstance(docstring, ast.Expr)
    assert ast.unparse(future) == "from __future__ import annotations"
    assert ast.unparse(import_sys) == "import sys"
    assert isinstance(check, ast.If)


def test_the_version_is_the_packages() -> None:
    """CLI-13: the version in the code is the one that was installed."""
    assert cogs.websearch.__version__ == version("discord-websearch")
