"""Define every way in which this package fails.

WebSearchError
├── ConfigError              the owner's file or mapping is wrong
│   ├── ConfigMissing          the file is not there
│   ├── ConfigUnreadable       the file can't be read, or is no UTF-8
│   ├── ConfigSyntax           the file is no TOML
│   ├── UnknownKey
│   ├── InvalidValue           a wrong type, or out of range
│   └── KeyNeeded              a key that the chosen settings need is left out
├── DatabaseUnusable         the database can't be opened
├── CommandClash             another cog of the host owns a command of ours
├── CommandsFull             the host has as many commands as Discord takes
├── TokenRefused             Discord does not know the bundled bot's token
├── DiscordUnreachable       the bundled bot can't reach Discord
└── SearchError              a search that brings no results
    ├── InvalidSearch          what was asked for can't be searched
    │   ├── EmptyQuery
    │   ├── QueryTooLong
    │   ├── CountOutOfRange
    │   ├── InvalidSite
    │   ├── TooManySites
    │   ├── UnknownChoice
    │   ├── OptionUnsupported
    │   └── OptionsExclusive
    ├── SearchRefused          searching is not allowed here
    │   ├── SearchDisabled
    │   └── UserInstallDisabled
    ├── NoResults
    │   ├── NothingFound         the engine knows no page
    │   └── NothingUsable        the engine's rows were all unfit to be shown
    ├── StoreFailed            the database failed during a search
    └── BackendError           the engine failed
        ├── RequestRejected      400: the engine does not take the request
        ├── KeyRefused           401
        ├── CreditsExhausted     402
        ├── FeatureDisabled      403
        ├── ContentProhibited    403: the engine won't search for this
        ├── EndpointMissing      404: the base URL is wrong
        ├── RateLimited          429
        ├── BackendBroken        500 and what else has no kind of its own
        ├── BackendUnable        501
        ├── BackendOverloaded    503
        ├── BackendTimeout       504, or our own deadline
        ├── BackendUnreachable   no connection, or one that broke
        ├── UnexpectedRedirect   3xx
        ├── InvalidAnswer        an answer that is not what the API promises
        └── AnswerTooLarge       more than `limits.BODY_BYTES`

An error carries a `key` and parameters, no prose: `wording` turns them into a sentence. Its `str` is the key alone, so
that a log line or a traceback holds neither a query nor a secret.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar


class WebSearchError(Exception):
    """Be the root of every error that this package raises on purpose."""

    key: ClassVar[str]

    def __str__(self) -> str:
        """Return the key alone: parameters may hold what a member typed."""
        return self.key


class ConfigError(WebSearchError):
    """Be raised for a configuration that can't be used; parameters never hold a secret."""


@dataclass(eq=False)
class ConfigMissing(ConfigError):
    """Say that no file is at `path`."""

    key: ClassVar[str] = "config-missing"
    path: str


@dataclass(eq=False)
class ConfigUnreadable(ConfigError):
    """Say that the file can't be read; `reason` is the operating system's."""

    key: ClassVar[str] = "config-unreadable"
    path: str
    reason: str


@dataclass(eq=False)
class ConfigSyntax(ConfigError):
    """Say where the file stops being TOML; lines and columns count from 1, 0 where they are unknown."""

    key: ClassVar[str] = "config-syntax"
    path: str
    line: int
    column: int


@dataclass(eq=False)
class UnknownKey(ConfigError):
    """Say that `name` is no key of ours; `nearest` is the most similar one, or empty."""

    key: ClassVar[str] = "config-unknown-key"
    path: str
    name: str
    nearest: str


@dataclass(eq=False)
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


@dataclass(eq=False)
class KeyNeeded(ConfigError):
    """Say that the settings need `name`, which may also come from the environment variable `variable`."""

    key: ClassVar[str] = "config-key-needed"
    path: str
    name: str
    variable: str


@dataclass(eq=False)
class DatabaseUnusable(WebSearchError):
    """Say that the database at `path` can't be used; `problem` is the key of a phrase in `wording`."""

    key: ClassVar[str] = "database-unusable"
    path: str
    problem: str


@dataclass(eq=False)
class CommandClash(WebSearchError):
    """Say that another part of the host owns the command `name`."""

    key: ClassVar[str] = "command-clash"
    name: str


@dataclass(eq=False)
class CommandsFull(WebSearchError):
    """Say that the host has `most` commands already, which is all that Discord takes."""

    key: ClassVar[str] = "commands-full"
    most: int


class TokenRefused(WebSearchError):
    """Say that Discord does not know the bundled bot's token."""

    key: ClassVar[str] = "discord-token-refused"


class DiscordUnreachable(WebSearchError):
    """Say that the bundled bot can't reach Discord."""

    key: ClassVar[str] = "discord-unreachable"


class SearchError(WebSearchError):
    """Be raised for a search that brings no results."""


class InvalidSearch(SearchError):
    """Be raised for a search that can't be made as it was asked for."""


@dataclass(eq=False)
class EmptyQuery(InvalidSearch):
    """Say that nothing to search for is left once invisible characters are gone."""

    key: ClassVar[str] = "query-empty"


@dataclass(eq=False)
class QueryTooLong(InvalidSearch):
    """Say how many code points the query has and how many it may have."""

    key: ClassVar[str] = "query-too-long"
    length: int
    most: int


@dataclass(eq=False)
class CountOutOfRange(InvalidSearch):
    """Say that so many results can't be asked for."""

    key: ClassVar[str] = "results-out-of-range"
    found: int
    least: int
    most: int


@dataclass(eq=False)
class InvalidSite(InvalidSearch):
    """Say that `site` is no domain; it is cleaned, unescaped text."""

    key: ClassVar[str] = "site-invalid"
    site: str


@dataclass(eq=False)
class TooManySites(InvalidSearch):
    """Say how many sites a search may be narrowed to."""

    key: ClassVar[str] = "sites-too-many"
    most: int


@dataclass(eq=False)
class UnknownChoice(InvalidSearch):
    """Say that `value`, cleaned and unescaped, is none of the choices of an option."""

    key: ClassVar[str] = "choice-unknown"
    option: str
    value: str


@dataclass(eq=False)
class OptionUnsupported(InvalidSearch):
    """Say that the engine can't honour an option of `/search`."""

    key: ClassVar[str] = "option-unsupported"
    option: str
    backend: str


@dataclass(eq=False)
class OptionsExclusive(InvalidSearch):
    """Say that `option` can't be combined with `other` set to `value`."""

    key: ClassVar[str] = "options-exclusive"
    option: str
    other: str
    value: str


class SearchRefused(SearchError):
    """Be raised where searching is not allowed."""


@dataclass(eq=False)
class SearchDisabled(SearchRefused):
    """Say that the owner's main switch is off."""

    key: ClassVar[str] = "search-disabled"


@dataclass(eq=False)
class UserInstallDisabled(SearchRefused):
    """Say that the owner allows searches in the bot's own servers alone."""

    key: ClassVar[str] = "user-install-disabled"


class NoResults(SearchError):
    """Be raised for a search that went well and has nothing to show."""


@dataclass(eq=False)
class NothingFound(NoResults):
    """Say that the engine knows no page."""

    key: ClassVar[str] = "nothing-found"


@dataclass(eq=False)
class NothingUsable(NoResults):
    """Say that none of the `found` rows was fit to be shown."""

    key: ClassVar[str] = "nothing-usable"
    found: int


@dataclass(eq=False)
class StoreFailed(SearchError):
    """Say that the database failed; `operation` names what was tried, for the log."""

    key: ClassVar[str] = "store-failed"
    operation: str


@dataclass(eq=False)
class BackendError(SearchError):
    """Be raised where the engine failed.

    `backend` is its name as shown. `detail` is what it said, without secrets and query, cut to `limits.DETAIL`: for the
    owner's log, never for a member. `tag` is its own word for the error, or empty.
    """

    key: ClassVar[str] = "backend-error"
    backend: str
    detail: str = ""
    tag: str = ""


class RequestRejected(BackendError):
    """Say that the engine does not take the request (400)."""

    key: ClassVar[str] = "backend-request-rejected"


class KeyRefused(BackendError):
    """Say that the engine does not know the key (401)."""

    key: ClassVar[str] = "backend-key-refused"


class CreditsExhausted(BackendError):
    """Say that the account behind the key has no credit or budget left (402)."""

    key: ClassVar[str] = "backend-credits-exhausted"


class FeatureDisabled(BackendError):
    """Say that the account may not use this (403)."""

    key: ClassVar[str] = "backend-feature-disabled"


class ContentProhibited(BackendError):
    """Say that the engine won't search for this (403)."""

    key: ClassVar[str] = "backend-content-prohibited"


class EndpointMissing(BackendError):
    """Say that nothing is at the engine's address (404)."""

    key: ClassVar[str] = "backend-endpoint-missing"


@dataclass(eq=False)
class RateLimited(BackendError):
    """Say that the engine wants us to wait (429), for `retry_after` seconds where it said so."""

    key: ClassVar[str] = "backend-rate-limited"
    retry_after: float | None = None


class BackendBroken(BackendError):
    """Say that the engine failed inside (500, and statuses that have no kind of their own)."""

    key: ClassVar[str] = "backend-broken"


class BackendUnable(BackendError):
    """Say that the engine could not make a response (501)."""

    key: ClassVar[str] = "backend-unable"


class BackendOverloaded(BackendError):
    """Say that the engine has too much to do (503)."""

    key: ClassVar[str] = "backend-overloaded"


class BackendTimeout(BackendError):
    """Say that no answer came in time (504, or our deadline)."""

    key: ClassVar[str] = "backend-timeout"


class BackendUnreachable(BackendError):
    """Say that there was no connection, or that it broke."""

    key: ClassVar[str] = "backend-unreachable"


class UnexpectedRedirect(BackendError):
    """Say that the engine sent us elsewhere, where we do not go."""

    key: ClassVar[str] = "backend-redirect"


class InvalidAnswer(BackendError):
    """Say that the answer is not what the API promises."""

    key: ClassVar[str] = "backend-invalid-answer"


class AnswerTooLarge(BackendError):
    """Say that the answer is larger than what we read."""

    key: ClassVar[str] = "backend-answer-too-large"
