"""Define what keeps a bot or the cog from working, for the owner's eyes."""

from __future__ import annotations

from typing import ClassVar

from .root import WebSearchError


class ConfigError(WebSearchError):
    """Be raised for a configuration that can't be used; parameters never hold a secret."""


class ConfigMissing(ConfigError):
    """Say that no file is at `path`."""

    key: ClassVar[str] = "config-missing"
    path: str


class ConfigUnreadable(ConfigError):
    """Say that the file can't be read; `reason` is the operating system's, or the key of a sentence in `wording`."""

    key: ClassVar[str] = "config-unreadable"
    path: str
    reason: str


class ConfigSyntax(ConfigError):
    """Say where the file stops being TOML; lines and columns count from 1, 0 where they are unknown.

    `hint` is the key of a sentence in `wording` for a slip that people make, or empty.
    """

    key: ClassVar[str] = "config-syntax"
    path: str
    line: int
    column: int
    hint: str = ""


class UnknownKey(ConfigError):
    """Say that `name` is no key of ours; `nearest` is the most similar one, or empty."""

    key: ClassVar[str] = "config-unknown-key"
    path: str
    name: str
    nearest: str


class InvalidValue(ConfigError):
    """Say what was found at a key and what is expected.

    `found` shows the value, or its type alone where it may be a secret. `expected` is the key of a phrase in `wording`,
    `least` and `most` its range, `choices` what may stand there.
    """

    key: ClassVar[str] = "config-invalid-value"
    path: str
    name: str
    found: str
    expected: str
    least: float | None = None
    most: float | None = None
    choices: tuple[str, ...] = ()


class KeyNeeded(ConfigError):
    """Say that the settings need `name`, which may also come from the environment variable `variable`."""

    key: ClassVar[str] = "config-key-needed"
    path: str
    name: str
    variable: str


class ConfigNotGiven(ConfigError):
    """Say that the host's function gave no configuration.

    `reason` is the kind of what it raised, or `awaitable` where it's asynchronous.
    """

    key: ClassVar[str] = "config-not-given"
    reason: str


class DatabaseUnusable(WebSearchError):
    """Say that the database at `path` can't be used; `problem` is the key of a phrase in `wording`."""

    key: ClassVar[str] = "database-unusable"
    path: str
    problem: str


class BackupRefused(WebSearchError):
    """Say that no backup is made at `path`; `problem` is the key of a phrase in `owner_wording`."""

    key: ClassVar[str] = "backup-refused"
    path: str
    problem: str


class BackupFailed(WebSearchError):
    """Say that there's no backup at `path`; `problem` is the key of a phrase in `owner_wording`."""

    key: ClassVar[str] = "backup-failed"
    path: str
    problem: str


class CommandClash(WebSearchError):
    """Say that another part of the host owns the command `name`."""

    key: ClassVar[str] = "command-clash"
    name: str


class CommandsFull(WebSearchError):
    """Say that the host has `most` commands already, which is all that Discord takes."""

    key: ClassVar[str] = "commands-full"
    most: int


class OutputFailed(WebSearchError):
    """Say that standard output can't be written; `reason` is the operating system's, or empty where it's closed."""

    key: ClassVar[str] = "output-failed"
    reason: str


class TokenRefused(WebSearchError):
    """Say that Discord does not know the bundled bot's token."""

    key: ClassVar[str] = "discord-token-refused"


class DiscordUnreachable(WebSearchError):
    """Say that the bundled bot can't reach Discord."""

    key: ClassVar[str] = "discord-unreachable"


class DiscordUnusable(WebSearchError):
    """Say what else keeps the bundled bot from Discord; `problem` is the key of a sentence in `wording`.

    `number` is Discord's own, an HTTP status or a close code, or the hours until it lets the bot connect again.
    """

    key: ClassVar[str] = "discord-unusable"
    problem: str
    number: int = 0
