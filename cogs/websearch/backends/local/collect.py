"""Print the documentation strings of the standard library: a script that runs in a process of its own.

Importing a module runs it, so this never happens in the bot: `stdlib` starts this file as `python -I -S collect.py`,
which sees the standard library and nothing else. Standard input holds a JSON list of `[module, [name, …]]`; standard
output gets one JSON list `[[name, text], …]` a line, one line a module, in the same order. A module that can't be
imported here, such as winreg outside Windows, gets an empty list. What a module itself prints goes nowhere.
"""

from __future__ import annotations

import importlib
import inspect
import json
import os
import sys
import warnings

# What `namedtuple` says of each of its fields tells nothing.
_EMPTY_TEXT = "Alias for field number"


def main() -> None:
    """Answer standard input on standard output."""
    asked: list[tuple[str, list[str]]] = json.load(sys.stdin)
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as answer:
        nowhere = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(nowhere, descriptor)
        warnings.simplefilter("ignore")
        for module, names in asked:
            answer.write(json.dumps(_texts(module, names)) + "\n")
            answer.flush()


def _texts(module: str, names: list[str]) -> list[tuple[str, str]]:
    try:
        root: object = importlib.import_module(module)
    except (Exception, SystemExit):  # noqa: BLE001 - a module of another system or build may fail in any way: it has no texts
        return []
    found = []
    for name in names:
        text = _text(_resolve(root, name.removeprefix(module).lstrip(".")), name.rpartition(".")[2])
        if text:
            found.append((name, text))
    return found


def _resolve(root: object, path: str) -> object:
    value = root
    for part in path.split(".") if path else []:
        try:
            value = getattr(value, part)
        except Exception:  # noqa: BLE001 - a descriptor may raise anything: the name has no text here
            return None
    return value


def _text(value: object, name: str) -> str:
    """Return the value's own documentation, or an empty string for what is only its type's or `object`'s."""
    if inspect.isclass(value):
        text = value.__dict__.get("__doc__")
        return inspect.cleandoc(text) if isinstance(text, str) else ""
    if value is None or (not callable(value) and getattr(value, "__doc__", None) == type(value).__doc__):
        return ""
    text = inspect.getdoc(value) or ""
    if text.startswith(_EMPTY_TEXT) or text == inspect.getdoc(getattr(object, name, None)):
        return ""
    return text


if __name__ == "__main__":
    main()
