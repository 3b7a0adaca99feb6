"""Search with Jina, and read pages with its reader: https://jina.ai/reader.

Jina publishes no library for these two, so that its stand-in in the tests is held against its reference alone.

A search is a GET, and what it costs is counted in tokens, the same for each search without the pages' texts. Where
nothing is found, Jina answers 422 with a code of its own.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from yarl import URL

from .. import errors, links
from . import dates, http, jsonbody, pages, rows
from .base import Capabilities, vetted
from .client import HEADERS, KINDS, Client, field, post, price, refusal, to_text

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..charges import Act
    from ..config import Config
    from ..models import FetchedPage, SearchPage, SearchRequest
    from . import Progress

NAME: Final = "Jina"
# In US dollars, the dearest of the prices at which tokens are sold, $50 for a thousand millions.
TOKEN: Final = 50 / 1_000_000_000
# In US dollars, what a page of 4 MiB comes to, and ten times a search: more is a mistake, not a price.
DEAREST: Final = 0.1
# What all keys begin with, and pages on Jina's API show.
_PREFIX: Final = "jina_"
# Jina's own codes, which say more than the status.
NOTHING_FOUND: Final = 42206

_KINDS: Final[dict[int, type[errors.BackendError]]] = {
    **KINDS,
    402: errors.CreditsExhausted,
    422: errors.RequestRejected,
    451: errors.ContentProhibited,
}


class JinaSearcher:
    """Search with Jina over a transport that it takes over and closes.

    `search_url` and `reader_url` are the addresses of its two services, `snippet_chars` the length of a snippet in code
    points. `wall_clock` tells Unix seconds.
    """

    name: Final = NAME
    capabilities: Final = Capabilities(fetches=True)

    def __init__(
        self,
        transport: http.Transport,
        *,
        key: str,
        search_url: str,
        reader_url: str,
        snippet_chars: int,
        wall_clock: Callable[[], float] = time.time,
    ) -> None:
        secret = key.removeprefix(_PREFIX)
        self._client = Client(transport, backend=NAME, secret=secret, to_error=to_error, cost_of=cost_of)
        self._key = key
        self._search_url = search_url
        self._reader_url = reader_url
        self._snippet_chars = snippet_chars
        self._wall_clock = wall_clock
        self._headers = {**HEADERS, "Authorization": f"Bearer {key}"}

    async def search(self, request: SearchRequest) -> SearchPage:
        """Ask Jina and return its results, cleaned and vetted, in its own order; raise `BackendError`."""
        now = self._wall_clock()
        call = http.Call(
            method="GET",
            url=to_url(self._search_url, request),
            # Of a page the description is shown, and its text, which isn't read, is what costs tokens and time.
            headers={**self._headers, "X-Respond-With": "no-content"},
            secrets=(self._key, request.query),
            bills=True,
        )
        try:
            return await self._client.ask(
                call, lambda body: to_page(body, request, snippet_chars=self._snippet_chars, now=now)
            )
        except errors.RequestRejected as error:
            if error.tag != str(NOTHING_FOUND):
                raise
            return rows.to_page([], request, backend=NAME, snippet_chars=self._snippet_chars)

    async def fetch(self, url: str) -> FetchedPage:
        """Return the text that Jina's reader has of a page; raise `InvalidAddress` or `BackendError`."""
        link = vetted(url)
        now = self._wall_clock()
        address = URL(self._reader_url.rstrip("/") + "/")
        call = post(address, {"url": link.url}, headers=self._headers, secrets=(self._key, link.url))
        return await self._client.fetch(call, lambda body: to_fetched(body, link, now=now))

    async def close(self) -> None:
        """Close the connections; closing twice does no harm."""
        await self._client.close()


def to_url(search_url: str, request: SearchRequest) -> URL:
    """Return the address that a search asks."""
    return URL(search_url.rstrip("/") + "/").with_query(q=request.query, num=request.count)


def to_page(body: object, request: SearchRequest, *, snippet_chars: int, now: float) -> SearchPage:
    """Return the page that a decoded answer stands for, its good rows alone; `now` is in Unix seconds.

    Raise `InvalidAnswer` where `data` is no list.
    """
    found = rows.read(field(body, "data"), lambda row: _to_row(row, now), backend=NAME)
    return rows.to_page(found, request, backend=NAME, snippet_chars=snippet_chars, cost=cost_of(body))


def to_fetched(body: object, link: links.Link, *, now: float) -> FetchedPage:
    """Return the page that a decoded answer of the reader holds; `now` is in Unix seconds.

    Raise `InvalidAnswer` where there's no text, and `PageUnreadable` where it's empty.
    """
    data = field(body, "data")
    raw = field(data, "content")
    if not isinstance(raw, str):
        raise errors.InvalidAnswer(NAME)
    return pages.to_fetched(
        links.vet(to_text(field(data, "url"))) or link,
        backend=NAME,
        raw=raw,
        title=to_text(field(data, "title")),
        published=dates.parse(field(data, "publishedTime"), now=now),
        cost=cost_of(body),
    )


def to_error(reply: http.Reply, secrets: tuple[str, ...]) -> errors.BackendError:
    """Return the error that an answer stands for which is no success.

    The status decides; Jina's own code of five digits goes along as the tag.
    """
    body = jsonbody.decode(reply.body)
    message = field(body, "readableMessage") or field(body, "message")
    code = field(body, "status")
    tag = str(code) if type(code) is int and 10_000 <= code < 100_000 else ""  # noqa: PLR2004 - five digits
    return refusal(reply, message, secrets, backend=NAME, kinds=_KINDS, tag=tag)


def cost_of(body: object) -> float | None:
    """Return what a decoded answer says that it costs, in US dollars, or None where that can't be a price."""
    data = field(body, "data")
    answers = data[: rows.MOST] if isinstance(data, list) else [data]
    tokens = [price(field(field(row, "usage"), "tokens"), TOKEN, dearest=DEAREST) for row in answers]
    known = [cost for cost in tokens if cost is not None]
    return min(sum(known), DEAREST) if known else None


def _to_row(row: dict[str, Any], now: float) -> rows.Row:
    description = to_text(row.get("description"))
    return rows.Row(
        url=row["url"],
        title=to_text(row.get("title")),
        snippet=description if description.strip() else to_text(row.get("content")),
        published=dates.parse(row.get("publishedTime"), now=now),
    )


# What `open_engine` reads: a change of any of these opens the engine anew.
SETTINGS: Final = ("jina_api_key", "jina_search_url", "jina_reader_url", "web_snippet_chars", "web_timeout_s")


async def open_engine(config: Config, _progress: Progress | None) -> JinaSearcher:
    """Open the engine as it's configured; the caller closes it."""
    return JinaSearcher(
        http.Transport(http.open_session(), backend=NAME, timeout_s=config.web_timeout_s),
        key=config.jina_api_key,
        search_url=config.jina_search_url,
        reader_url=config.jina_reader_url,
        snippet_chars=config.web_snippet_chars,
    )


def list_price(_config: Config, _act: Act) -> float:
    """Tell what a search costs: 10,000 tokens. Few pages have more."""
    return 10_000 * TOKEN
