"""Read and check the configuration: one frozen object, each key declared once with its default, range and meaning."""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Self, TypeVar, cast

import msgspec

from . import errors, keys, limits, masking, tomlfile

T = TypeVar("T")

TABLE: Final = "websearch"
_FOLDER: Final = "local-documents"
HEADER: Final = f"[{TABLE}]"
# How much a table's name must be like ours to be taken for a slip.
_LIKE_TABLE: Final = 0.85
PATH_VARIABLE: Final = "WEBSEARCH_CONFIG"
DEFAULT_PATH: Final = "config.toml"
# At the root of a host's file, beside its own keys, what starts like this is meant for us.
_OURS: Final = ("web-", "exa-")
# What can be searched: the names that `web-backend` and `web-fallbacks` take.
BACKENDS: Final = ("exa", "tavily", "jina", "searxng", "local")
# What an engine can't do without.
_NEEDED: Final[Mapping[str, str]] = MappingProxyType(
    {
        "exa": "exa-api-key",
        "tavily": "tavily-api-key",
        "jina": "jina-api-key",
        "searxng": "searxng-url",
        "chat": "chat-base-url",
    }
)
# What can answer: the names that `web-answer-backend` takes.
ANSWER_BACKENDS: Final = ("exa", "tavily", "chat")
# What `web-safe-search` takes.
SAFE_ALWAYS: Final = "always"
SAFE_BUT_RESTRICTED: Final = "except-age-restricted"


class Key(msgspec.Struct, frozen=True, kw_only=True):
    """Describe a key: what it takes, what it does in one line, and the environment variable that stands in for it.

    The variable is read where the key is left out, or, with `variable_wins`, wherever it's set.
    """

    kind: keys.Kind
    about: str
    variable: str = ""
    variable_wins: bool = False


def _key(kind: keys.Kind, about: str, *, default: T, variable: str = "", variable_wins: bool = False) -> T:
    """Declare a key; what a secret holds is never part of the object's `repr`."""
    key = Key(kind=kind, about=about, variable=variable, variable_wins=variable_wins)
    return dataclasses.field(default=default, metadata={"key": key}, repr=not isinstance(kind, keys.Secret))


@dataclasses.dataclass(frozen=True, kw_only=True)
class Config:
    """Hold the checked configuration; an attribute is named like its key, with underscores.

    Make one by `load` or `from_mapping`, which check: the constructor doesn't.
    """

    enable_web_search: bool = _key(keys.Flag(), "The main switch: nothing is searched while it's off.", default=False)
    web_backend: str = _key(
        keys.Choice(BACKENDS),
        "What is searched: the web by one of these engines, or local documents, which needs no key.",
        default="exa",
    )
    web_fallbacks: tuple[str, ...] = _key(
        keys.Choices(BACKENDS),
        "What is searched instead while that fails, tried in this order within the same time.",
        default=(),
    )
    web_pace_per_second: int = _key(
        keys.Number(1, 1000), "How many searches are sent to one of them in a second; more wait their turn.", default=8
    )
    web_results: int = _key(
        keys.Number(1, limits.RESULTS), "How many results a search brings where the member names no number.", default=5
    )
    web_snippet_chars: int = _key(
        keys.Number(50, 1000), "How many characters of a page's text a result shows.", default=400
    )
    web_block_sites: tuple[str, ...] = _key(
        keys.Domains(limits.BLOCKED_SITES), "Domains that are never shown, with everything below them.", default=()
    )
    web_safe_search: str = _key(
        keys.Choice((SAFE_ALWAYS, SAFE_BUT_RESTRICTED)),
        "Where engines that can are asked to leave out what isn't fit for everybody: in age-restricted channels, too, "
        "or not there.",
        default=SAFE_ALWAYS,
    )
    web_user_install: bool = _key(
        keys.Flag(),
        "Whether members may install the app to themselves and search anywhere, on your key.",
        default=False,
    )
    web_default_on: bool = _key(
        keys.Flag(), "Whether channels start on; moderators change that with /websearch.", default=True
    )
    web_timeout_s: float = _key(
        keys.Number(1, 120, fractions=True), "How many seconds one search may take, retries included.", default=15.0
    )
    web_per_minute: int = _key(keys.Number(1, 1000), "How many searches a member may make in any minute.", default=6)
    web_daily_per_user: int = _key(keys.Number(1, 100_000), "How many searches a member may make in a day.", default=30)
    web_daily_per_guild: int | None = _key(
        keys.Number(1, 10_000_000),
        "How many searches a server may make in a day; left out, there's no limit.",
        default=None,
    )
    web_daily_budget_usd: float | None = _key(
        keys.Number(0, 100_000, fractions=True),
        "How many US dollars may be spent on searches in a day; left out, there's no limit.",
        default=None,
    )
    web_timezone: str = _key(
        keys.Zone(), "The time zone whose midnight ends a day, by its name in the IANA database.", default="UTC"
    )
    web_cache_minutes: int = _key(
        keys.Number(0, 1440),
        "For how many minutes results are kept in memory, so that the same search needs no other call; 0 keeps none.",
        default=10,
    )
    web_retention_days: int = _key(
        keys.Number(1, 3650), "For how many days the counts of searches are kept.", default=90
    )
    web_session_hours: int = _key(keys.Number(1, 720), "For how many hours the buttons under a reply work.", default=24)
    web_guild_grace_days: int = _key(
        keys.Number(1, 3650), "How many days after the bot left a server what is kept of it is deleted.", default=30
    )
    web_database: str = _key(
        keys.Database(),
        "The SQLite file that keeps what must outlive a restart; it's made where there is none.",
        default="websearch.db",
    )
    web_alert_channel: int | None = _key(
        keys.Channel(),
        "The channel in which you're told of trouble, by its id; left out, you're told by direct message.",
        default=None,
    )
    exa_api_key: str = _key(
        keys.Secret(), "The key of your account at https://exa.ai.", default="", variable="EXA_API_KEY"
    )
    exa_base_url: str = _key(
        keys.Url(guarded=True),
        "Where Exa answers; plain http is taken for this machine alone.",
        default="https://api.exa.ai",
    )
    exa_search_type: str = _key(
        keys.Choice(("auto", "lite", "instant", "fast", "deep-lite", "deep", "deep-reasoning")),
        "How thoroughly Exa searches: the deeper, the slower and the dearer.",
        default="auto",
    )
    tavily_api_key: str = _key(
        keys.Secret(), "The key of your account at https://tavily.com.", default="", variable="TAVILY_API_KEY"
    )
    tavily_base_url: str = _key(
        keys.Url(guarded=True),
        "Where Tavily answers; plain http is taken for this machine alone.",
        default="https://api.tavily.com",
    )
    jina_api_key: str = _key(
        keys.Secret(), "The key of your account at https://jina.ai.", default="", variable="JINA_API_KEY"
    )
    jina_search_url: str = _key(
        keys.Url(guarded=True),
        "Where Jina's search answers; plain http is taken for this machine alone.",
        default="https://s.jina.ai",
    )
    jina_reader_url: str = _key(
        keys.Url(guarded=True),
        "Where Jina's reader answers; plain http is taken for this machine alone.",
        default="https://r.jina.ai",
    )
    searxng_url: str = _key(
        keys.Url(blank=True), "Where your SearXNG answers; it must list json under search.formats.", default=""
    )
    web_answer_backend: str = _key(
        keys.Choice(ANSWER_BACKENDS),
        "What answers questions: left out, what web-backend names, where that can.",
        default="",
    )
    web_answer_timeout_s: float = _key(
        keys.Number(1, 600, fractions=True), "How many seconds one answer may take, retries included.", default=120.0
    )
    chat_base_url: str = _key(
        keys.Url(guarded=True, blank=True),
        "Where a model that searches the web itself answers, up to /chat/completions; plain http is taken for this "
        "machine alone.",
        default="",
    )
    chat_model: str = _key(
        keys.Word(),
        "The model's name there; the environment variable WEBSEARCH_CHAT_MODEL wins.",
        default="",
        variable="WEBSEARCH_CHAT_MODEL",
        variable_wins=True,
    )
    chat_api_key: str = _key(
        keys.Secret(),
        "The key of your account there, where it needs one.",
        default="",
        variable="WEBSEARCH_CHAT_API_KEY",
    )
    local_documents: Path | None = _key(  # noqa: RUF009 - a declaration like the others: None can't change
        keys.Folder(),
        "A folder of Markdown, HTML, text or Python files to search instead of Python's own library.",
        default=None,
    )
    local_base_url: str = _key(
        keys.Url(public=True, blank=True), "The site where that folder is published; results link there.", default=""
    )
    discord_token: str = _key(
        keys.Secret(), "The token of the bundled bot; a host bot has its own.", default="", variable="DISCORD_TOKEN"
    )

    @classmethod
    def from_mapping(
        cls, mapping: Mapping[str, object], *, env: Mapping[str, str] = os.environ, path: str = ""
    ) -> Self:
        """Check a mapping that holds keys at its root, or in a `websearch` table where it has one.

        `path` is the file that it was read from: errors name it, and relative paths start at its folder, or at the
        working directory where there's none. Raise `ConfigError`.
        """
        # The default is a relative path too, so it starts where the others do.
        table = {"web-database": cls.web_database, **_table(mapping, path)}
        folder = Path(path).absolute().parent if path else Path()
        values: dict[str, Any] = {}
        for name, key in KEYS.items():
            if name in table:
                values[name] = key.kind.read(table[name], keys.Place(path=path, name=name, folder=folder))
            # A key that is left blank, as templates have it, is left out.
            if key.variable and (key.variable_wins or not values.get(name)):
                place = keys.Place(path=keys.ENVIRONMENT, name=key.variable, folder=folder)
                values[name] = key.kind.read(env.get(key.variable, ""), place) or values.get(name, "")
        config = cls(**{name.replace("-", "_"): value for name, value in values.items()})
        _require_folder(config, table.get(_FOLDER), keys.Place(path=path, name=_FOLDER, folder=folder))
        _require(config, path)
        return config


KEYS: Final[Mapping[str, Key]] = MappingProxyType(
    {field.name.replace("_", "-"): cast("Key", field.metadata["key"]) for field in dataclasses.fields(Config)}
)


def find(env: Mapping[str, str]) -> Path:
    """Return where the file is looked for: the path in `WEBSEARCH_CONFIG`, else `config.toml`.

    It's the whole path, so that a sentence about the file shows in which folder it was looked for.
    """
    return _whole(Path(env.get(PATH_VARIABLE) or DEFAULT_PATH))


def excerpt(mapping: Mapping[str, object]) -> str:
    """Return a text that's another wherever `from_mapping` reads something else; raise `ConfigError`."""
    table = _table(mapping, "")
    return repr({name: table[name] for name in KEYS if name in table})


def names_keys(mapping: Mapping[str, object]) -> bool:
    """Tell whether any key of ours stands in a mapping that `from_mapping` takes."""
    return any(name in KEYS for name in _table(mapping, ""))


def load(path: Path | None = None, env: Mapping[str, str] = os.environ) -> Config:
    """Read the file at `path`, else the one that `WEBSEARCH_CONFIG` names, else `config.toml` in the working directory.

    Raise `ConfigError`.
    """
    file = find(env) if path is None else _whole(path)
    return Config.from_mapping(tomlfile.parse(file), env=env, path=str(file))


def load_switched_off(env: Mapping[str, str] = os.environ) -> Config:
    """Read the file as `load` does, for what needs no search: the switch counts as off, so that no key is missing.

    Raise `ConfigError`.
    """
    file = find(env)
    table = _table(tomlfile.parse(file), str(file))
    known = {name: table[name] for name in KEYS if name in table}
    return Config.from_mapping({TABLE: {**known, "enable-web-search": False}}, env=env, path=str(file))


def is_like_table(name: object, value: object) -> bool:
    """Tell whether that's a table whose name is nearly that of ours, as people write it: web-search, WebSearch."""
    if not isinstance(value, Mapping) or not isinstance(name, str) or name == TABLE:
        return False
    plain = re.sub(r"[-_ ]", "", name[: 2 * len(TABLE)].lower())
    return bool(keys.nearest(plain, (TABLE,), likeness=_LIKE_TABLE))


def _whole(path: Path) -> Path:
    try:
        return path.absolute()
    except OSError:
        # The working directory is gone.
        return path


def _table(mapping: Mapping[str, object], path: str) -> Mapping[str, object]:
    """Return where our keys stand; raise where one is there that's none of ours but was meant to be."""
    place = keys.Place(path=path, name=TABLE, folder=Path())
    if not isinstance(mapping, Mapping):
        raise place.invalid(mapping, "table", show=False)
    nested = TABLE in mapping
    table = mapping[TABLE] if nested else mapping
    if not isinstance(table, Mapping):
        raise place.invalid(table, "table", show=False)
    for name in table:
        shown = name if isinstance(name, str) else masking.type_of(name)
        if name not in KEYS and (nested or shown.startswith(_OURS)):
            raise _unknown_table(shown, path) if is_like_table(name, table[name]) else _unknown(shown, path)
    return table


def _unknown(name: str, path: str) -> errors.UnknownKey:
    shown = masking.name_as(name)
    return errors.UnknownKey(path, shown, keys.nearest(shown.lower().replace("_", "-"), KEYS))


def _unknown_table(name: str, path: str) -> errors.UnknownKey:
    return errors.UnknownKey(path, f"[{masking.name_as(name)}]", HEADER)


def _require_folder(config: Config, value: object, place: keys.Place) -> None:
    """Raise `InvalidValue` where no folder is at the path, unless it's searched only where another engine fails.

    That one is asked all the same, and the folder may come back, such as with its drive.
    """
    if config.local_documents is None or (config.web_backend != "local" and "local" in config.web_fallbacks):
        return
    if not keys.is_folder(config.local_documents):
        raise place.invalid(value, "folder")


def _require(config: Config, path: str) -> None:
    """Raise `ConfigError` where the settings need a key that is left out, or a fallback is the engine itself.

    Nothing is needed while the switch is off.
    """
    if not config.enable_web_search:
        return
    if config.web_backend in config.web_fallbacks:
        place = keys.Place(path=path, name="web-fallbacks", folder=Path())
        others = tuple(name for name in BACKENDS if name != config.web_backend)
        raise place.invalid(config.web_backend, "choices", choices=others)
    for backend in (config.web_backend, *config.web_fallbacks, config.web_answer_backend):
        _require_keys(config, backend, path)


def _require_keys(config: Config, backend: str, path: str) -> None:
    """Raise `KeyNeeded` where an engine needs a key that is left out."""
    needed = _NEEDED.get(backend)
    if needed is not None and not getattr(config, needed.replace("-", "_")):
        raise errors.KeyNeeded(path, needed, KEYS[needed].variable)
    if backend == "chat" and not config.chat_model:
        raise errors.KeyNeeded(path, "chat-model", KEYS["chat-model"].variable)
    if backend == "local" and config.local_documents is not None and not config.local_base_url:
        raise errors.KeyNeeded(path, "local-base-url", "")
    if backend == "local" and config.local_base_url and config.local_documents is None:
        raise errors.KeyNeeded(path, "local-documents", "")
