"""Check the configuration: which file, what's in it, who can read it, where its secrets come from."""

from __future__ import annotations

import os
import shlex
import stat
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from .. import config, console, errors, exitcodes, keys, owner_wording, slips, tomlfile, wording
from ..i18n import N_
from .case import Case
from .findings import ok, skipped, warning, wrong

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ..i18n import Words
    from .findings import Finding

_FROM: Final[Mapping[str, str]] = {
    "file": N_("{key} is in the file"),
    "environment": N_("{key} comes from {variable}"),
    "both": N_("{key} is in the file, which counts, and in {variable}"),
    "none": N_("{key} isn't set"),
}


def read(env: Mapping[str, str], words: Words, *, live: bool, seconds: float) -> tuple[Case, list[Finding]]:
    """Read the configuration and return it with what was found."""
    path = config.find(env)
    found: list[Finding] = []
    whole = stored = unknown = unread = None
    try:
        stored = config.load_switched_off(env)
        whole = config.load(env=env)
    except errors.ConfigError as error:
        unknown = isinstance(error, errors.UnknownKey)
        found.append(wrong(wording.explain(error, words), code=exitcodes.WRONG))
        unread = isinstance(error, errors.ConfigMissing | errors.ConfigUnreadable)
    # What took its time to be unreadable isn't waited for once more.
    table = None if unread else _mapping(path)
    held = {} if table is None else _ours(table)
    case = Case(env=env, words=words, config=whole, stored=stored, table=held, live=live, seconds=seconds)
    if whole is not None:
        found.append(ok(_which(path, env, words)))
    if table is not None:
        # One slip at a time is told as an error.
        off = whole is not None and not whole.enable_web_search
        found += () if unknown else _slips(table, path, words, off=off)
        found += _shared(table, path, words)
    if stored is not None and table is not None:
        found += _sources(_ours(table), env, words)
    return case, found


def switch(case: Case) -> Iterator[Finding]:
    """Check whether searching is switched on; say nothing where the configuration can't be used."""
    if case.config is None:
        return
    if case.config.enable_web_search:
        yield ok(case.words("Searching is switched on."))
    else:
        yield warning(
            case.words("Searching is switched off, so nothing will be searched."),
            case.words("Write enable-web-search = true into {path}.", path=_shown(config.find(case.env))),
        )


def limits(case: Case) -> Iterator[Finding]:
    """Say when a day ends, and whether anything limits what it may cost."""
    if case.stored is None:
        return
    words, read_ = case.words, case.stored
    # The name was looked up when the configuration was read, by the data that's used.
    yield ok(words("A day ends at midnight in the time zone {zone}.", zone=read_.web_timezone))
    if read_.web_daily_budget_usd is not None:
        amount = words.number(read_.web_daily_budget_usd)
        yield ok(words("At most {amount} US dollars are spent on searches in a day.", amount=amount))
    elif read_.web_backend != "local":
        yield ok(words("There's no ceiling on what searches may cost in a day: web-daily-budget-usd would set one."))


def _which(path: Path, env: Mapping[str, str], words: Words) -> str:
    if env.get(config.PATH_VARIABLE):
        return words("The configuration is {path}, named by WEBSEARCH_CONFIG.", path=_shown(path))
    return words("The configuration is {path}, in the working directory.", path=_shown(path))


def _mapping(path: Path) -> Mapping[str, Any] | None:
    try:
        return tomlfile.parse(path)
    except errors.ConfigError:
        # Told already.
        return None


def _ours(mapping: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return where our keys stand."""
    table = mapping.get(config.TABLE, mapping)
    return table if isinstance(table, Mapping) else {}


def _slips(mapping: Mapping[str, Any], path: Path, words: Words, *, off: bool) -> Iterator[Finding]:
    """Find keys at the root that were probably meant for us, and which nobody reads."""
    for slip in slips.find(mapping):
        said, todo = owner_wording.explain_slip(slip, words, place=_shown(path))
        # Nobody who writes the switch wants it to do nothing.
        if off and slip.hides_the_switch:
            yield wrong(said, todo, code=exitcodes.WRONG)
        else:
            yield warning(said, todo)


def _shared(mapping: Mapping[str, Any], path: Path, words: Words) -> Iterator[Finding]:
    """Find a file that holds a secret and can be read by everybody on the machine."""
    table = _ours(mapping)
    if os.name != "posix" or not any(_in_file(table, name) for name in _secrets()):
        return
    try:
        mode = path.stat().st_mode
    except OSError:
        return
    if mode & stat.S_IROTH:
        command = f"chmod 600 {shlex.quote(_shown(path))}"
        yield warning(
            words("{path} holds a key, and everybody on this machine can read it.", path=_shown(path)),
            words("Run: {command}", command=command),
        )


def _secrets() -> list[str]:
    return [name for name, key in config.KEYS.items() if isinstance(key.kind, keys.Secret)]


def _in_file(table: Mapping[str, Any], name: str) -> bool:
    value = table.get(name)
    return isinstance(value, str) and bool(value.strip())


def _sources(table: Mapping[str, Any], env: Mapping[str, str], words: Words) -> Iterator[Finding]:
    """Say of each secret that's set or would be used where it comes from, and nothing else of it."""
    said: dict[bool, list[str]] = {True: [], False: []}
    for name in _secrets():
        variable = config.KEYS[name].variable
        kind = {(True, True): "both", (True, False): "file", (False, True): "environment"}.get(
            (_in_file(table, name), bool(env.get(variable, "").strip())), "none"
        )
        if kind != "none" or _is_used(table, name):
            said[kind != "none"].append(words(_FROM[kind], key=name, variable=variable))
    if said[True]:
        yield ok("; ".join(said[True]) + ".")
    if said[False]:
        # Where one is needed, that's told as an error.
        yield skipped("; ".join(said[False]) + ".")


def _is_used(table: Mapping[str, Any], name: str) -> bool:
    """Tell whether a secret is that of an engine that's configured, whose name it begins with, or the bundled bot's."""
    others = table.get("web-fallbacks", ())
    configured = [
        table.get("web-backend", config.Config.web_backend),
        table.get("web-answer-backend"),
        *(others if isinstance(others, list) else ()),
    ]
    return name == slips.BUNDLED or name.partition("-")[0] in configured


def _shown(path: Path) -> str:
    return console.printable(str(path.absolute()))
