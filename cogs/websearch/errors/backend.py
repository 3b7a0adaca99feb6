"""Define how an engine fails."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from .root import SearchError

if TYPE_CHECKING:
    from dataclasses import KW_ONLY

    from ..charges import Act


class BackendError(SearchError):
    """Be raised where the engine failed.

    `backend` is its name as shown. `detail` is what it said, without secrets and query, cut to `limits.DETAIL`: for the
    owner's log, never for a member. `tag` is its own word for the error, or empty. `billed` is true where the engine
    was asked and nothing says that it bills nothing; `cost` is what it said that it bills, in US dollars. `lost` counts
    the further requests that went out and weren't answered, each of which may be billed. `act` is what it was asked to
    do, where what the member can do depends on that; None is a search, or whatever it was.
    """

    key: ClassVar[str] = "backend-error"
    backend: str
    detail: str = ""
    tag: str = ""
    _: KW_ONLY
    billed: bool = False
    cost: float | None = None
    lost: int = 0
    act: Act | None = None


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


class FormatDisabled(BackendError):
    """Say that an engine that its owner runs isn't set to answer programs (SearXNG's 403)."""

    key: ClassVar[str] = "backend-format-disabled"


class LimiterActive(BackendError):
    """Say that an engine that its owner runs is set to turn programs away (SearXNG's 429 that names no wait)."""

    key: ClassVar[str] = "backend-limiter-active"


class EndpointMissing(BackendError):
    """Say that nothing is at the engine's address (404)."""

    key: ClassVar[str] = "backend-endpoint-missing"


class RateLimited(BackendError):
    """Say that the engine wants us to wait (429), for `retry_after` seconds where it said so."""

    key: ClassVar[str] = "backend-rate-limited"
    retry_after: float | None = None


class BackendDown(BackendError):
    """Say that the engine has failed again and again, and isn't asked for about `retry_after` seconds."""

    key: ClassVar[str] = "backend-down"
    retry_after: float = 1.0


class BackendBusy(BackendError):
    """Say that so many searches wait for their turn that this one would come too late by `retry_after` seconds."""

    key: ClassVar[str] = "backend-busy"
    retry_after: float = 1.0


class BackendBroken(BackendError):
    """Say that the engine failed inside (500, and statuses that have no kind of their own)."""

    key: ClassVar[str] = "backend-broken"


class PartsSilent(BackendError):
    """Say that nothing was found while parts of the engine gave no response, so that there may be something."""

    key: ClassVar[str] = "backend-parts-silent"


class BackendUnable(BackendError):
    """Say that the engine could not make a response (501)."""

    key: ClassVar[str] = "backend-unable"


class BackendOverloaded(BackendError):
    """Say that the engine has too much to do (503), for `retry_after` seconds where it said so."""

    key: ClassVar[str] = "backend-overloaded"
    retry_after: float | None = None


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


class PageUnreadable(BackendError):
    """Say that the engine has no text of the page that was asked for."""

    key: ClassVar[str] = "backend-page-unreadable"


class AnswerTooLarge(BackendError):
    """Say that the answer is larger than what we read."""

    key: ClassVar[str] = "backend-answer-too-large"
