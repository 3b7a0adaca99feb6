"""Define why a search is not made, or brings nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from .root import SearchError

if TYPE_CHECKING:
    from ..charges import Limit


class InvalidSearch(SearchError):
    """Be raised for a search that can't be made as it was asked for."""


class EmptyQuery(InvalidSearch):
    """Say that nothing to search for is left once invisible characters are gone."""

    key: ClassVar[str] = "query-empty"


class MessageEmpty(InvalidSearch):
    """Say that a message has no text to search for."""

    key: ClassVar[str] = "message-empty"


class QueryTooLong(InvalidSearch):
    """Say how many code points the query has and how many it may have."""

    key: ClassVar[str] = "query-too-long"
    length: int
    most: int


class CountOutOfRange(InvalidSearch):
    """Say that so many results can't be asked for."""

    key: ClassVar[str] = "results-out-of-range"
    found: int
    least: int
    most: int


class InvalidSite(InvalidSearch):
    """Say that `site` is no domain; it is cleaned, unescaped text."""

    key: ClassVar[str] = "site-invalid"
    site: str


class TooManySites(InvalidSearch):
    """Say how many sites a search may be narrowed to."""

    key: ClassVar[str] = "sites-too-many"
    most: int


class UnknownChoice(InvalidSearch):
    """Say that `value`, cleaned and unescaped, is none of the choices of an option."""

    key: ClassVar[str] = "choice-unknown"
    option: str
    value: str


class InvalidAddress(InvalidSearch):
    """Say that what is to be fetched is no address of a public page."""

    key: ClassVar[str] = "address-invalid"


class OptionUnsupported(InvalidSearch):
    """Say that the engine can't honour an option of `/search`, or, where it can, not this `value` of it."""

    key: ClassVar[str] = "option-unsupported"
    option: str
    backend: str
    value: str = ""


class OptionsExclusive(InvalidSearch):
    """Say that `option` can't be combined with `other` set to `value`."""

    key: ClassVar[str] = "options-exclusive"
    option: str
    other: str
    value: str


class AnswerUnsupported(InvalidSearch):
    """Say that the engine can't honour an option of `/search` where it answers."""

    key: ClassVar[str] = "answer-unsupported"
    option: str
    backend: str


class AnswersUnbound(InvalidSearch):
    """Say that the engine answers from any site, where a server allows but some."""

    key: ClassVar[str] = "answers-unbound"
    backend: str


class AnswersMissing(InvalidSearch):
    """Say that no engine is there that answers questions."""

    key: ClassVar[str] = "answers-missing"


class ReadingUnsupported(InvalidSearch):
    """Say that the engine can't read pages."""

    key: ClassVar[str] = "reading-unsupported"
    backend: str


class SiteBlocked(InvalidSearch):
    """Say that the owner lets nobody see the pages of a site; `site` is a domain as it's shown."""

    key: ClassVar[str] = "site-blocked"
    site: str


class SiteHidden(InvalidSearch):
    """Say that the moderators of a server don't let the pages of a site be seen there; `site` is as it's shown."""

    key: ClassVar[str] = "site-hidden"
    site: str


class SearchRefused(SearchError):
    """Be raised where searching is not allowed."""


class SearchDisabled(SearchRefused):
    """Say that the owner's main switch is off."""

    key: ClassVar[str] = "search-disabled"


class UserInstallDisabled(SearchRefused):
    """Say that the owner allows searches in the bot's own servers alone."""

    key: ClassVar[str] = "user-install-disabled"


class LimitReached(SearchRefused):
    """Say which limit is used up, and when it ends (Unix seconds).

    `most` is its size in searches, or, for the budget, in US dollars.
    """

    key: ClassVar[str] = "limit-reached"
    limit: Limit
    most: float
    resets: int


class BudgetHeld(SearchRefused):
    """Say that what searches under way may cost leaves too little of the day's budget, which isn't spent."""

    key: ClassVar[str] = "budget-held"


class SwitchedOff(SearchRefused):
    """Say that searching is off there, by `rule`.

    That's one of `policy.Rule`, or "direct" for direct messages, or "server-only" for a server where those are on.
    """

    key: ClassVar[str] = "switched-off"
    rule: str


class NoResults(SearchError):
    """Be raised for a search that went well and has nothing to show."""


class NothingFound(NoResults):
    """Say that the engine knows no page, where `sites` aren't empty: none on these domains."""

    key: ClassVar[str] = "nothing-found"
    sites: tuple[str, ...] = ()


class NothingAllowed(NoResults):
    """Say that nothing was found on the sites that a server allows."""

    key: ClassVar[str] = "nothing-allowed"


class NothingUsable(NoResults):
    """Say that none of the `found` rows was fit to be shown."""

    key: ClassVar[str] = "nothing-usable"
    found: int


class StoreFailed(SearchError):
    """Say that the database failed; the log says at what."""

    key: ClassVar[str] = "store-failed"


class SearchInterrupted(SearchError):
    """Say that the cog was unloaded while the search ran."""

    key: ClassVar[str] = "search-interrupted"
