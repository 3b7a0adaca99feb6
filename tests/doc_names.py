"""Tell whether what a page names is there, and whether the program says what a page quotes."""

from __future__ import annotations

import argparse
import ast
import importlib.util
import re
from dataclasses import fields
from functools import cache
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import tomli
from babel.messages.pofile import read_po
from discord import app_commands

import catalogue
import cogs.websearch
from cogs.websearch import commandline, errors, tool_schemas
from cogs.websearch.cog import WebSearch
from cogs.websearch.config import KEYS, Config
from cogs.websearch.i18n import Catalogues, Words
from doc_pages import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

PACKAGE: Final = Path(cogs.websearch.__file__).parent

# What others define, by what it is.
_OTHERS: Final[dict[str, str]] = {
    "setup_hook": "a method of discord.py's bots",
    "bot.run": "likewise",
    "await bot.tree.sync()": "discord.py's own way to tell Discord of commands",
    "tree.sync()": "likewise",
    "discord.utils.setup_logging": "discord.py's own set-up of logging",
    "applications.commands": "a scope of Discord's",
    "bot": "likewise",
    "cogs": "a host bot's own folder",
    "cogs/": "likewise",
    "__init__.py": "a file that makes a folder a package",
    "config.toml": "what whoever runs the bot writes",
    ".venv": "what `make run` sets up",
    "pip install .": "pip's own command",
    "python -m cogs.websearch": "the command line",
    "settings.yml": "the settings of a SearXNG",
    "search.formats": "likewise",
    "server.limiter": "likewise",
    "json": "a value there",
    "git switch -": "git's own command",
    "LANG": "by what a terminal says its language",
    "chmod 600 config.toml": "the system's own command",
    "websearch.db-wal": "what SQLite keeps beside the database",
}
# A word of a sentence that the program fills in.
_PLACEHOLDER: Final = re.compile(r"\\\{\w+\\\}|%[sdr]")


def is_there(code: str) -> bool:
    """Tell whether what stands in backticks is something that there is."""
    checks = (
        _is_setting,
        _is_path,
        _is_module,
        _is_command,
        is_target,
        _is_typed,
        _is_name,
        _is_stored,
        _is_mention,
        _is_key,
        _is_tool,
    )
    return code in _OTHERS or any(check(code) for check in checks)


def is_said(sentence: str) -> bool:
    """Tell whether the program says that: a text of the catalogues or of a log line, its placeholders filled in."""
    return any(pattern.fullmatch(sentence) for pattern in _said())


@cache
def _said() -> list[re.Pattern[str]]:
    with catalogue.TEMPLATE.open("rb") as file:
        messages = [message.id for message in read_po(file) if message.id]
    texts = [str(form) for id_ in messages for form in (id_ if isinstance(id_, list | tuple) else (id_,))]
    return [_pattern(text) for text in (*texts, *_logged())]


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(_PLACEHOLDER.sub(".*", re.escape(" ".join(text.split())).replace(r"\ ", " ")))


def _logged() -> Iterator[str]:
    """Yield the texts of all log lines of the package."""
    for node in _nodes(PACKAGE):
        if isinstance(node, ast.Call) and ast.unparse(node.func).startswith("_log."):
            yield from (
                arg.value for arg in node.args[:2] if isinstance(arg, ast.Constant) and isinstance(arg.value, str)
            )


def _nodes(folder: Path) -> Iterator[ast.AST]:
    for file in sorted(folder.rglob("*.py")):
        yield from ast.walk(ast.parse(file.read_text("utf-8")))


def _is_setting(code: str) -> bool:
    """Tell whether it's a key of the configuration, the table, a default, or a line of the file."""
    if code in KEYS or code == "[websearch]":
        return True
    try:
        if tomli.loads(f"value = {code}")["value"] in [*_defaults()]:
            return True
    except tomli.TOMLDecodeError:
        pass
    try:
        return bool(loaded := tomli.loads(code)) and loaded.keys() <= KEYS.keys()
    except tomli.TOMLDecodeError:
        return False


def _defaults() -> Iterator[object]:
    for field in fields(Config):
        yield list(field.default) if isinstance(field.default, tuple) else field.default


def _is_path(code: str) -> bool:
    if not re.fullmatch(r"[\w./*-]+", code) or code.startswith("/"):
        return False
    return any(next(folder.glob(code.rstrip("/")), None) is not None for folder in (ROOT, PACKAGE))


def _is_module(code: str) -> bool:
    if not code.startswith("cogs.websearch"):
        return False
    try:
        return importlib.util.find_spec(code) is not None
    except ModuleNotFoundError:
        return False


@cache
def _commands() -> dict[str, set[str]]:
    """Map each command, such as `websearch on`, to the names of its options and choices."""
    found: dict[str, set[str]] = {}

    def add(command: app_commands.Command[Any, ..., Any] | app_commands.Group) -> None:
        found[command.qualified_name] = set()
        if isinstance(command, app_commands.Group):
            for child in command.commands:
                add(child)
        else:
            found[command.qualified_name] = {option.display_name for option in command.parameters}

    for name in ("search", "searches", "websearch"):
        add(getattr(WebSearch, name))
    return found


def _is_command(code: str) -> bool:
    """Tell whether it's a command of Discord, in any of our languages, or an option of one."""
    if code.startswith("/") and any(_is_translated(code, language) for language, _ in catalogue.shipped()):
        return True
    return code.removeprefix("/") in _commands() if code.startswith("/") else code in set().union(*_commands().values())


def _is_translated(code: str, language: str) -> bool:
    """Tell whether it's a command as a language calls it, with its options as typed there, such as `dauer:2h`."""
    words = Catalogues().words(language)
    for command, options in _commands().items():
        said = "/" + " ".join(map(words.name, command.split()))
        _, found, rest = code.partition(said)
        if found and {word.partition(":")[0] for word in rest.split()} <= set(map(words.name, options)):
            return True
    return False


def is_target(code: str) -> bool:
    """Tell whether it's `make` with what the Makefile has rules for."""
    if not code.startswith("make "):
        return False
    rules = (ROOT / "Makefile").read_text("utf-8").replace("$(VENV)", ".venv")
    targets = set(re.findall(r"^([\w./-]+):", rules, re.MULTILINE))
    return {word for word in code.split()[1:] if "=" not in word} <= targets


@cache
def verbs() -> dict[str, set[str]]:
    """Map the verbs of the command line to their options."""
    parser = commandline._parser(Words())  # noqa: SLF001 - nothing public lists them
    (actions,) = (action for action in parser._actions if isinstance(action, argparse._SubParsersAction))  # noqa: SLF001 - likewise
    return {
        name: {option for action in verb._actions for option in action.option_strings}  # noqa: SLF001 - likewise
        for name, verb in actions.choices.items()
    }


def _is_typed(code: str) -> bool:
    """Tell whether it's a verb of the command line, alone or behind the program's name, with options of its own."""
    if code.startswith((".venv/bin/python -m pytest", "bash .ci/")):
        return all(next(ROOT.glob(word), None) is not None for word in code.split() if "/" in word)
    verb, *rest = code.removeprefix("python -m cogs.websearch ").split() or [""]
    if code.startswith("--"):
        return any(code in options for options in verbs().values())
    options = {word for word in rest if word.startswith("-")}
    return verb in verbs() and options <= verbs()[verb]


@cache
def _names() -> set[str]:
    """Collect what is defined or read in the package and in what tests share: names, attributes, variables."""
    found: set[str] = set()
    shared = (ast.walk(ast.parse(file.read_text("utf-8"))) for file in (ROOT / "tests").glob("*.py"))
    for node in (*_nodes(PACKAGE), *chain.from_iterable(shared)):
        match node:
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                found.add(name)
            case ast.Name(id=name) | ast.Attribute(attr=name):
                found.add(name)
            case ast.Constant(value=str(value)) if re.fullmatch(r"[A-Z_]{5,}", value):
                found.add(value)
            case _:
                pass
    return found


def _is_name(code: str) -> bool:
    """Tell whether it's a name of the code, such as `errors.ConfigError`, or of a variable of the environment."""
    return re.fullmatch(r"[A-Za-z_]\w+(\.\w+)*", code) is not None and set(code.split(".")) <= _names() | _stems()


@cache
def _stems() -> set[str]:
    return {file.stem for folder in (PACKAGE, ROOT / "tests") for file in folder.rglob("*.py")}


@cache
def _stored() -> set[str]:
    named = re.compile(r"^(?:CREATE TABLE|ALTER TABLE \w+ ADD COLUMN|   ) *(\w+)", re.MULTILINE)
    scripts = (PACKAGE / "store" / "sql" / "sqlite").glob("*.sql")
    return {word for script in scripts for word in named.findall(script.read_text("utf-8"))}


def _is_stored(code: str) -> bool:
    """Tell whether it's a table or a column of the database."""
    return code in _stored()


def _is_mention(code: str) -> bool:
    """Tell whether it's what the bundled bot does for its owner."""
    source = ast.parse((PACKAGE / "owner_commands.py").read_text("utf-8"))
    heard = {
        node.value.value
        for node in ast.walk(source)
        if isinstance(node, ast.MatchValue) and isinstance(node.value, ast.Constant)
    }
    return code.startswith("@bot ") and set(code.split()[1:]) <= heard


def _is_tool(code: str) -> bool:
    """Tell whether it's a function tool for a language model."""
    return code in tuple(tool_schemas.ToolName)


def _is_key(code: str) -> bool:
    """Tell whether it's what a log line calls an error."""
    return code in {getattr(kind, "key", "") for name in errors.__all__ if (kind := getattr(errors, name))}
