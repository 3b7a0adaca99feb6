"""Define the values that travel through a search: what was asked, by whom, what came back."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Final, TypeAlias

import msgspec


class Category(StrEnum):
    """Name the kinds of page that a search can be narrowed to, as Exa spells them."""

    COMPANY = "company"
    PUBLICATION = "publication"
    NEWS = "news"
    PERSONAL_SITE = "personal site"
    FINANCIAL_REPORT = "financial report"
    PEOPLE = "people"


class Period(StrEnum):
    """Name how far back a page may have been published."""

    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    YEAR = "year"

    @property
    def days(self) -> int:
        """Tell the length of the period in days."""
        return _DAYS[self]


_DAYS: Final = {Period.DAY: 1, Period.WEEK: 7, Period.MONTH: 31, Period.YEAR: 366}


class SiteRules(msgspec.Struct, frozen=True, kw_only=True):
    """Hold which sites may be shown somewhere, as domains that `links.parse_domain` returns; see `site_rules`.

    `owner_blocked` are shown nowhere, `blocked` not there. Where any are `allowed`, those alone are shown there, but
    for what is blocked.
    """

    owner_blocked: tuple[str, ...] = ()
    blocked: tuple[str, ...] = ()
    allowed: tuple[str, ...] = ()

    @property
    def excluded(self) -> tuple[str, ...]:
        """List what isn't shown there, the place's own first."""
        return self.blocked + self.owner_blocked


class SearchRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Hold one search as it was asked for, checked and normalised.

    `query` is cleaned text of 1 to `limits.QUERY` code points, `count` is 1 to `limits.RESULTS`, `sites` are domains as
    `links.parse_domain` returns them. `rules` tell of which sites pages may come back. `safe` is true where the engine
    is to leave out what isn't fit for everybody.
    """

    query: str
    count: int
    category: Category | None = None
    period: Period | None = None
    sites: tuple[str, ...] = ()
    # Made anew each time: a module that keeps a struct of texts is never freed, since the collector doesn't see it.
    rules: SiteRules = msgspec.field(default_factory=SiteRules)
    safe: bool = True


class SearchResult(msgspec.Struct, frozen=True, kw_only=True):
    """Hold one result, its text cleaned and unescaped, its addresses vetted.

    `title` and `snippet` may be empty. `host` is the host of `url` as it may be shown. `published` is aware.
    """

    title: str
    url: str
    host: str
    snippet: str
    published: datetime | None = None
    image: str | None = None


class SearchPage(msgspec.Struct, frozen=True, kw_only=True):
    """Hold what an engine answered, in its own order.

    `found` counts the rows that the engine sent, `results` those that are fit to be shown. `cost` is in US dollars and
    None where the engine named none. `instead_of` names the engine that was to be asked first and failed, as it's
    shown, or nothing. `lost` counts the requests that went out before and weren't answered: each may be billed.
    """

    backend: str
    results: tuple[SearchResult, ...]
    found: int
    cost: float | None = None
    instead_of: str = ""
    lost: int = 0


class FetchedPage(msgspec.Struct, frozen=True, kw_only=True):
    """Hold the text of one page, cleaned and unescaped, its address vetted.

    `url` and `host` are the page's as in `SearchResult`. `title` may be empty. `text` has one line break between
    paragraphs and at most `limits.PAGE_TEXT` code points; `truncated` is true where the page says more. `published` is
    aware. `cost`, `instead_of` and `lost` are as in `SearchPage`.
    """

    backend: str
    url: str
    host: str
    title: str
    text: str
    truncated: bool
    published: datetime | None = None
    cost: float | None = None
    instead_of: str = ""
    lost: int = 0


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """Hold an answer in an engine's words, cleaned and unescaped, and the pages that it rests on, maybe none.

    `text` has one line break between paragraphs and at most `limits.ANSWER` code points. A mark such as [2] in it
    points to the second of `sources`; none points beyond them, and not every source needs a mark. What stands in code
    is no mark. `complete` is false while an answer still grows, and for one that broke off. `cost`, `instead_of` and
    `lost` are as in `SearchPage`.
    """

    backend: str
    text: str
    sources: tuple[SearchResult, ...] = ()
    complete: bool = True
    cost: float | None = None
    instead_of: str = ""
    lost: int = 0


class Asker(msgspec.Struct, frozen=True, kw_only=True):
    """Name who searches and where, by Discord's ids; `guild_id` is None in direct messages.

    `user_install` is true where the app acts for the member alone: it was installed to the member, not to this server.
    """

    user_id: int
    channel_id: int
    guild_id: int | None = None
    user_install: bool = False


class Outcome(msgspec.Struct, frozen=True, kw_only=True, tag="results"):
    """Hold a search that brought results: what was asked and what is shown.

    `unanswered` names the engine that was to answer and can't, as it's shown, so that there are results instead.
    """

    request: SearchRequest
    page: SearchPage
    unanswered: str = ""


class Answered(msgspec.Struct, frozen=True, kw_only=True, tag="answer"):
    """Hold a question that was answered: what was asked and what is shown."""

    request: SearchRequest
    answer: Answer


class Reading(msgspec.Struct, frozen=True, kw_only=True, tag="page"):
    """Hold a page that somebody reads."""

    page: FetchedPage


# What a reply shows.
Content: TypeAlias = Outcome | Answered | Reading


class Session(msgspec.Struct, frozen=True, kw_only=True):
    """Hold what the buttons under a reply need, so that they work after a restart.

    `id` is random and carries nothing. `expires` is in Unix seconds. `private` is true where the asker alone sees the
    reply, `shared` once the asker has put a copy of it into the channel. `copied` is true of a private copy of somebody
    else's reply, which its asker may have opened several times.
    """

    id: str
    asker: Asker
    content: Content
    expires: float
    locale: str
    private: bool
    shared: bool = False
    copied: bool = False
