"""Search, read pages and answer with Tavily: https://docs.tavily.com, its REST API.

A search is one POST with as many results as are shown. An answer is the same search with the engine's own sentences
above the results, which carry no marks. A page is read by `/extract`, which answers 200 also where it could not read.
"""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING, Final

import msgspec
from yarl import URL

from .. import errors, links, site_rules
from ..charges import Act
from ..models import Category
from . import dates, http, jsonbody, pages, rows
from .base import Capabilities, vetted
from .client import HEADERS, KINDS, Client, field, post, price, refusal, to_text
from .redaction import explain

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..config import Config
    from ..models import Answer, FetchedPage, SearchPage, SearchRequest
    from . import Progress

NAME: Final = "Tavily"
# Tavily's limit for the domains that a search excludes.
BLOCKED_SITES: Final = 150
# In US dollars, what a credit costs without a plan, which is the dearest: https://docs.tavily.com, "Credits & Pricing".
CREDIT: Final = 0.008
# In US dollars, ten times the dearest search, of two credits: more is a mistake, not a price.
DEAREST: Final = 0.16
# What all keys begin with, and pages on Tavily's API show.
_PREFIX: Final = re.compile(r"\Atvly-(?:dev-|prod-)?")

_KINDS: Final[dict[int, type[errors.BackendError]]] = {
    **KINDS,
    # A body whose fields have wrong types; the reference names 400 alone.
    422: errors.RequestRejected,
    # The plan's limit, and the one of what is paid beyond the plan.
    432: errors.CreditsExhausted,
    433: errors.CreditsExhausted,
}


class TavilySearcher:
    """Search with Tavily over a transport that it takes over and closes.

    `base_url` is the address before `/search`, `snippet_chars` the length of a snippet in code points,
    `answer_timeout_s` how long one answer may take. `wall_clock` tells Unix seconds.
    """

    name: Final = NAME
    capabilities: Final = Capabilities(
        categories=frozenset({Category.NEWS}), periods=True, sites=True, fetches=True, answers=True
    )
    answering: Final = capabilities

    def __init__(
        self,
        transport: http.Transport,
        *,
        key: str,
        base_url: str,
        snippet_chars: int,
        answer_timeout_s: float = 120.0,
        wall_clock: Callable[[], float] = time.time,
    ) -> None:
        secret = _PREFIX.sub("", key)
        self._client = Client(transport, backend=NAME, secret=secret, to_error=to_error, cost_of=cost_of)
        self._key = key
        self._base = base_url.rstrip("/")
        self._snippet_chars = snippet_chars
        self._answer_timeout_s = answer_timeout_s
        self._wall_clock = wall_clock
        self._headers = {**HEADERS, "Authorization": f"Bearer {key}"}

    async def search(self, request: SearchRequest) -> SearchPage:
        """Ask Tavily and return its results, cleaned and vetted, in its own order; raise `BackendError`."""
        now = self._wall_clock()
        return await self._client.ask(
            self._call("/search", to_payload(request), request.query),
            lambda body: to_page(body, request, snippet_chars=self._snippet_chars, now=now),
        )

    async def fetch(self, url: str) -> FetchedPage:
        """Return the text that Tavily extracts from a page; raise `InvalidAddress` or `BackendError`."""
        link = vetted(url)
        call = self._call("/extract", {"urls": [link.url]}, link.url)
        return await self._client.fetch(call, lambda body: to_fetched(body, link, call.secrets))

    async def answer(self, request: SearchRequest) -> Answer:
        """Ask Tavily a question, which honours the options of a search; raise `BackendError`."""
        now = self._wall_clock()
        call = self._call("/search", {**to_payload(request), "include_answer": "basic"}, request.query)
        return await self._client.ask(
            msgspec.structs.replace(call, timeout_s=self._answer_timeout_s),
            lambda body: to_answer(body, request, snippet_chars=self._snippet_chars, now=now),
            act=Act.ANSWER,
        )

    async def close(self) -> None:
        """Close the connections; closing twice does no harm."""
        await self._client.close()

    def _call(self, path: str, payload: dict[str, object], asked: str) -> http.Call:
        return post(URL(self._base + path), payload, headers=self._headers, secrets=(self._key, asked))


def to_payload(request: SearchRequest) -> dict[str, object]:
    """Return the body of a search."""
    payload: dict[str, object] = {
        "query": request.query,
        # One credit; advanced takes two for longer excerpts, which would be cut here anyway.
        "search_depth": "basic",
        # As many as are shown. Where a row is not fit to be shown, the page is shorter.
        "max_results": request.count,
        # What the search cost, in credits.
        "include_usage": True,
    }
    if request.category is Category.NEWS:
        payload["topic"] = "news"
    if request.period is not None:
        payload["time_range"] = request.period
    if sites := site_rules.narrow(request.rules, request.sites):
        payload["include_domains"] = sites
    if excluded := request.rules.excluded:
        # What does not fit is left to `rows.to_page`, which filters every page.
        payload["exclude_domains"] = excluded[:BLOCKED_SITES]
    return payload


def to_page(body: object, request: SearchRequest, *, snippet_chars: int, now: float) -> SearchPage:
    """Return the page that a decoded answer stands for, its good rows alone; `now` is in Unix seconds.

    Raise `InvalidAnswer` where `results` is no list.
    """
    found = to_rows(body, now=now)
    return rows.to_page(found, request, backend=NAME, snippet_chars=snippet_chars, cost=cost_of(body))


def to_rows(body: object, *, now: float) -> list[rows.Row | None]:
    """Return the rows of a decoded answer, None for what is none; raise `InvalidAnswer` where it has no list."""
    return rows.read(field(body, "results"), lambda row: _to_row(row, now), backend=NAME)


def to_fetched(body: object, link: links.Link, secrets: tuple[str, ...]) -> FetchedPage:
    """Return the page that a decoded answer of `/extract` holds; `secrets` are the texts that no error may show.

    Raise `PageUnreadable` where Tavily couldn't read it, and `InvalidAnswer` where there's neither a page nor a reason.
    """
    results, failed = field(body, "results"), field(body, "failed_results")
    if not isinstance(results, list):
        raise errors.InvalidAnswer(NAME)
    for result in results[: rows.MOST]:
        raw = field(result, "raw_content")
        if isinstance(raw, str):
            found = links.vet(to_text(field(result, "url"))) or link
            return pages.to_fetched(found, backend=NAME, raw=raw, cost=cost_of(body))
    if not isinstance(failed, list) or not failed:
        raise errors.InvalidAnswer(NAME)
    # What could not be read is not billed.
    raise errors.PageUnreadable(NAME, explain(to_text(field(failed[0], "error")), secrets))


def to_answer(body: object, request: SearchRequest, *, snippet_chars: int, now: float) -> Answer:
    """Return the answer that a decoded search holds, and its results as sources; `now` is in Unix seconds.

    Raise `InvalidAnswer` where `results` is no list or `answer` is no text, and `BackendUnable` where there's none.
    """
    said = field(body, "answer")
    if said is not None and not isinstance(said, str):
        raise errors.InvalidAnswer(NAME)
    return pages.to_answer(
        to_text(said), to_rows(body, now=now), request, backend=NAME, snippet_chars=snippet_chars, cost=cost_of(body)
    )


def to_error(reply: http.Reply, secrets: tuple[str, ...]) -> errors.BackendError:
    """Return the error that an answer stands for which is no success; the status alone decides."""
    message = field(field(jsonbody.decode(reply.body), "detail"), "error")
    return refusal(reply, message, secrets, backend=NAME, kinds=_KINDS)


def cost_of(body: object) -> float | None:
    """Return what a decoded answer says that it costs, in US dollars, or None where that can't be a price."""
    return price(field(field(body, "usage"), "credits"), CREDIT, dearest=DEAREST)


def _to_row(row: dict[str, Any], now: float) -> rows.Row:
    return rows.Row(
        url=row["url"],
        title=to_text(row.get("title")),
        snippet=to_text(row.get("content")),
        published=dates.parse(row.get("published_date"), now=now),
    )


# What `open_engine` reads: a change of any of these opens the engine anew.
SETTINGS: Final = ("tavily_api_key", "tavily_base_url", "web_snippet_chars", "web_timeout_s", "web_answer_timeout_s")


async def open_engine(config: Config, _progress: Progress | None) -> TavilySearcher:
    """Open the engine as it's configured; the caller closes it."""
    return TavilySearcher(
        http.Transport(http.open_session(), backend=NAME, timeout_s=config.web_timeout_s),
        key=config.tavily_api_key,
        base_url=config.tavily_base_url,
        snippet_chars=config.web_snippet_chars,
        answer_timeout_s=config.web_answer_timeout_s,
    )


def list_price(_config: Config, _act: Act) -> float:
    """Tell what a search costs, with or without an answer, and five pages: one credit."""
    return CREDIT
