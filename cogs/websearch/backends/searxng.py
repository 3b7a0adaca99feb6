"""Search with SearXNG, which its owner runs: https://docs.searxng.org/dev/search_api.html.

SearXNG has no library of its own for searching, so that its stand-in in the tests is held against its reference alone.

It asks other engines, needs no key and bills nothing. Two settings of an instance stand in a bot's way:
`search.formats` must list json, and `server.limiter` takes bots for unwanted visitors. Sites can't be asked for: it
hands the query to engines of which each has a syntax of its own, or none.
"""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING, Final

from yarl import URL

from .. import errors
from ..models import Category, SearchPage, SearchRequest
from . import dates, http, jsonbody, rows
from .base import Capabilities
from .client import HEADERS, KINDS, Client, field, refusal, to_text
from .redaction import explain

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..charges import Act
    from ..config import Config
    from . import Progress

NAME: Final = "SearXNG"
# What an instance calls what members choose. Of the others it has none: its categories are kinds of engines.
CATEGORIES: Final = {Category.NEWS: "news", Category.PUBLICATION: "science"}
# Strict: whoever runs the instance may have taken engines into it that know no other filter.
SAFE_SEARCH: Final = 2
UNFILTERED: Final = 0
# Engines that gave no response and are named to the owner.
NAMED: Final = 5
# What SearXNG reads as an instruction where a word begins with it: !engine, !!elsewhere, :language, <seconds.
_INSTRUCTION: Final = re.compile(r"(?<!\S)[!:<]+")

_KINDS: Final[dict[int, type[errors.BackendError]]] = {
    **KINDS,
    401: errors.FeatureDisabled,
    403: errors.FormatDisabled,
}


def to_query(query: str) -> str:
    """Return a query of which no word is an instruction to SearXNG: the signs before such words are left out.

    Otherwise `!!g x` would send us to another site, `!wp x` ask another engine, also one that reads such signs itself,
    `:fr x` change the language, and `<1 x` end the search early. Raise `EmptyQuery` where nothing is left.
    """
    plain = " ".join(_INSTRUCTION.sub("", query).split())
    if not plain:
        raise errors.EmptyQuery
    return plain


class SearxngSearcher:
    """Search with an instance of SearXNG over a transport that it takes over and closes.

    `base_url` is the instance's address, `snippet_chars` the length of a snippet in code points. `wall_clock` tells
    Unix seconds.
    """

    name: Final = NAME
    capabilities: Final = Capabilities(categories=frozenset(CATEGORIES), periods=True, safe_search=True, reads=to_query)

    def __init__(
        self,
        transport: http.Transport,
        *,
        base_url: str,
        snippet_chars: int,
        wall_clock: Callable[[], float] = time.time,
    ) -> None:
        self._client = Client(transport, backend=NAME, secret="", to_error=to_error, cost_of=cost_of)
        self._base_url = base_url
        self._snippet_chars = snippet_chars
        self._wall_clock = wall_clock
        # An instance's limiter turns away whoever takes no HTML and names no language; a page is what comes where JSON
        # is switched off.
        self._headers = {**HEADERS, "Accept": "application/json, text/html;q=0.5", "Accept-Language": "*"}

    async def search(self, request: SearchRequest) -> SearchPage:
        """Ask the instance and return its results, cleaned and vetted, in its own order.

        Raise `BackendError`, or `EmptyQuery` where all that was typed is signs that SearXNG takes for instructions.
        """
        now = self._wall_clock()
        url = to_url(self._base_url, request)
        call = http.Call(method="GET", url=url, headers=self._headers, secrets=(request.query, url.query["q"]))
        return await self._client.ask(
            call, lambda body: to_page(body, request, snippet_chars=self._snippet_chars, now=now)
        )

    async def close(self) -> None:
        """Close the connections; closing twice does no harm."""
        await self._client.close()


def to_url(base_url: str, request: SearchRequest) -> URL:
    """Return the address that a search asks; raise `EmptyQuery`."""
    level = SAFE_SEARCH if request.safe else UNFILTERED
    params = {"q": to_query(request.query), "format": "json", "safesearch": str(level)}
    if request.category in CATEGORIES:
        params["categories"] = CATEGORIES[request.category]
    if request.period is not None:
        params["time_range"] = request.period
    return URL(base_url.rstrip("/") + "/search").with_query(params)


def to_page(body: object, request: SearchRequest, *, snippet_chars: int, now: float) -> SearchPage:
    """Return the page that a decoded answer stands for, its good rows alone; `now` is in Unix seconds.

    Raise `InvalidAnswer` where `results` is no list, and `PartsSilent` where it's empty and engines gave no response,
    so that nobody knows whether there's nothing to find.
    """
    found = rows.read(field(body, "results"), lambda row: _to_row(row, now), backend=NAME)
    if not found and (silent := field(body, "unresponsive_engines")):
        raise errors.PartsSilent(NAME, explain(_to_silent(silent), (request.query,)))
    return rows.to_page(found, request, backend=NAME, snippet_chars=snippet_chars, cost=cost_of(body))


def to_error(reply: http.Reply, secrets: tuple[str, ...]) -> errors.BackendError:
    """Return the error that an answer stands for which is no success; the status alone decides.

    A 429 that names no wait is the instance's own limiter, which will say the same next time.
    """
    message = field(jsonbody.decode(reply.body), "error")
    error = refusal(reply, message, secrets, backend=NAME, kinds=_KINDS)
    if isinstance(error, errors.RateLimited) and reply.retry_after is None:
        return errors.LimiterActive(NAME, error.detail)
    return error


def cost_of(_body: object) -> float:
    """Return what a search costs, in US dollars: nothing."""
    return 0.0


def _to_silent(engines: object) -> str:
    """Name the first engines that gave no response, each with its reason, as one line."""
    pairs = engines[:NAMED] if isinstance(engines, list) else []
    named = (": ".join(filter(None, map(to_text, pair[:2]))) for pair in pairs if isinstance(pair, list))
    return "; ".join(filter(None, named))


def _to_row(row: dict[str, Any], now: float) -> rows.Row:
    return rows.Row(
        url=row["url"],
        title=to_text(row.get("title")),
        snippet=to_text(row.get("content")),
        published=dates.parse(row.get("publishedDate"), now=now),
        image=to_text(row.get("thumbnail")) or to_text(row.get("img_src")),
    )


# What `open_engine` reads: a change of any of these opens the engine anew.
SETTINGS: Final = ("searxng_url", "web_snippet_chars", "web_timeout_s")


async def open_engine(config: Config, _progress: Progress | None) -> SearxngSearcher:
    """Open the engine as it's configured; the caller closes it."""
    return SearxngSearcher(
        http.Transport(http.open_session(), backend=NAME, timeout_s=config.web_timeout_s),
        base_url=config.searxng_url,
        snippet_chars=config.web_snippet_chars,
    )


def list_price(_config: Config, _act: Act) -> float:
    """Tell what a search costs: an instance of one's own asks for nothing."""
    return 0.0
