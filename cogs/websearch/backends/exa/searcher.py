"""Ask Exa: its search, its text of a page, its answers."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

import msgspec
from yarl import URL

from ...charges import Act
from ...models import Category
from .. import http, pages
from ..base import Capabilities, check, vetted
from ..client import HEADERS, Client, post
from ..growing import Draft, grow
from . import answers, contents, search
from .replies import NAME, cost_of, to_error

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Mapping

    from ...config import Config
    from ...models import Answer, FetchedPage, SearchPage, SearchRequest
    from .. import Progress

# What Exa asks for one search with up to ten results, text and highlights included, by `exa-search-type`: its list of
# prices per 1000 calls ($7, lite $4, deep $12), in US dollars a call.
PRICE: Final = 0.007
PRICES: Final[Mapping[str, float]] = {"lite": 0.004, "deep-lite": 0.012, "deep": 0.012, "deep-reasoning": 0.012}
# Likewise for an answer ($5), and for the text of one page ($1).
ANSWER_PRICE: Final = 0.005
PAGE_PRICE: Final = 0.001
# Its answers take no option of a search.
ANSWERS: Final = Capabilities(answers=True)


class ExaSearcher:
    """Search with Exa over a transport that it takes over and closes.

    `base_url` is the address before `/search`, `search_type` one of Exa's, `snippet_chars` the length of a snippet in
    code points, `answer_timeout_s` how long one answer may take. `wall_clock` tells Unix seconds.
    """

    name: Final = NAME
    capabilities: Final = Capabilities(
        categories=frozenset(Category),
        periods=True,
        sites=True,
        undated=search.UNDATED,
        safe_search=True,
        fetches=True,
        answers=True,
    )
    answering: Final = ANSWERS

    def __init__(  # noqa: PLR0913 - the settings of three endpoints
        self,
        transport: http.Transport,
        *,
        key: str,
        base_url: str,
        search_type: str,
        snippet_chars: int,
        answer_timeout_s: float = 120.0,
        wall_clock: Callable[[], float] = time.time,
    ) -> None:
        self._client = Client(transport, backend=NAME, secret=key, to_error=to_error, cost_of=cost_of)
        self._key = key
        self._base = base_url.rstrip("/")
        self._search_type = search_type
        self._snippet_chars = snippet_chars
        self._answer_timeout_s = answer_timeout_s
        self._wall_clock = wall_clock
        self._headers = {**HEADERS, "x-api-key": key}

    async def search(self, request: SearchRequest) -> SearchPage:
        """Ask Exa and return its results, cleaned and vetted, in its own order; raise `BackendError`."""
        now = self._wall_clock()
        payload = search.to_payload(request, search_type=self._search_type, snippet_chars=self._snippet_chars, now=now)
        return await self._client.ask(
            self._call("/search", payload, request.query),
            lambda body: search.to_page(body, request, snippet_chars=self._snippet_chars, now=now),
        )

    async def fetch(self, url: str) -> FetchedPage:
        """Return the text that Exa has of a page, or reads of it now; raise `InvalidAddress` or `BackendError`."""
        link = vetted(url)
        now = self._wall_clock()
        call = self._call("/contents", contents.to_payload(link), link.url)
        return await self._client.fetch(call, lambda body: contents.to_fetched(body, link, now=now))

    async def answer(self, request: SearchRequest) -> Answer:
        """Ask Exa a question; raise `OptionUnsupported` for any option but the sources, or `BackendError`."""
        check(ANSWERS, NAME, request)
        now = self._wall_clock()
        call = self._call("/answer", answers.to_payload(request), request.query)
        return await self._client.ask(
            msgspec.structs.replace(call, timeout_s=self._answer_timeout_s),
            lambda body: answers.to_answer(body, request, snippet_chars=self._snippet_chars, now=now),
            act=Act.ANSWER,
        )

    def stream(self, request: SearchRequest) -> AsyncGenerator[Answer, None]:
        """Yield the answer as it grows, as `Streamer` says; raise `OptionUnsupported` or `BackendError`."""
        check(ANSWERS, NAME, request)
        now = self._wall_clock()
        call = self._call("/answer", answers.to_payload(request, stream=True), request.query)

        def show(draft: Draft) -> Answer:
            said = pages.to_answer(
                draft.text,
                draft.sources,
                request,
                backend=NAME,
                snippet_chars=self._snippet_chars,
                complete=draft.complete,
                cost=draft.cost,
                known=draft.known,
            )
            return self._client.guard(said)

        events = self._client.events(msgspec.structs.replace(call, timeout_s=self._answer_timeout_s))
        return grow(events, lambda event: answers.to_piece(event, call.secrets, now=now), show)

    async def close(self) -> None:
        """Close the connections; closing twice does no harm."""
        await self._client.close()

    def _call(self, path: str, payload: dict[str, object], asked: str) -> http.Call:
        return post(URL(self._base + path), payload, headers=self._headers, secrets=(self._key, asked))


# What `open_engine` reads: a change of any of these opens the engine anew.
SETTINGS: Final = (
    *("exa_api_key", "exa_base_url", "exa_search_type"),
    *("web_snippet_chars", "web_timeout_s", "web_answer_timeout_s"),
)


async def open_engine(config: Config, _progress: Progress | None) -> ExaSearcher:
    """Open the engine as it's configured; the caller closes it."""
    return ExaSearcher(
        http.Transport(http.open_session(), backend=NAME, timeout_s=config.web_timeout_s),
        key=config.exa_api_key,
        base_url=config.exa_base_url,
        search_type=config.exa_search_type,
        snippet_chars=config.web_snippet_chars,
        answer_timeout_s=config.web_answer_timeout_s,
    )


def list_price(config: Config, act: Act) -> float:
    """Tell what a search with up to ten results costs, text and highlights included, an answer, or a page's text."""
    if act is Act.ANSWER:
        return ANSWER_PRICE
    return PAGE_PRICE if act is Act.READ else PRICES.get(config.exa_search_type, PRICE)
