"""Search with Exa: https://exa.ai/docs/reference/search, API 2.0.0."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

import msgspec
from yarl import URL

from .. import errors, limits
from ..models import Category, SearchPage, SearchRequest
from . import dates, http, rows
from .base import Capabilities
from .redaction import explain

if TYPE_CHECKING:
    from collections.abc import Callable

NAME: Final = "Exa"
# These two take neither dates nor `excludeDomains`: Exa answers 400.
UNDATED: Final = frozenset({Category.COMPANY, Category.PEOPLE})
# Highlights of a page that are read; Exa sends one to five.
HIGHLIGHTS: Final = 20
# A part of the key of twice this length, less one, holds one whole piece of this length.
KEY_PIECE: Final = 9
# In US dollars, ten times the dearest search on Exa's list, which is a deep one at $12 per 1000: more is a mistake, not
# a price, and would use up a budget.
DEAREST: Final = 0.12

_KINDS: Final[dict[int, type[errors.BackendError]]] = {
    400: errors.RequestRejected,
    401: errors.KeyRefused,
    402: errors.CreditsExhausted,
    403: errors.FeatureDisabled,
    404: errors.EndpointMissing,
    429: errors.RateLimited,
    501: errors.BackendUnable,
    503: errors.BackendOverloaded,
    504: errors.BackendTimeout,
}
_PROHIBITED: Final = frozenset({"PROHIBITED_CONTENT", "CONTENT_FILTER_ERROR"})


class ExaSearcher:
    """Search with Exa over a transport that it takes over and closes.

    `base_url` is the address before `/search`, `search_type` one of Exa's, `snippet_chars` the length of a snippet in
    code points. `wall_clock` tells Unix seconds.
    """

    name: Final = NAME
    capabilities: Final = Capabilities(categories=frozenset(Category), periods=True, sites=True, undated=UNDATED)

    def __init__(
        self,
        transport: http.Transport,
        *,
        key: str,
        base_url: str,
        search_type: str,
        snippet_chars: int,
        wall_clock: Callable[[], float] = time.time,
    ) -> None:
        self._transport = transport
        self._key = key
        self._url = URL(base_url.rstrip("/") + "/search")
        self._search_type = search_type
        self._snippet_chars = snippet_chars
        self._wall_clock = wall_clock
        ends = range(KEY_PIECE, len(key) + 1, KEY_PIECE)
        self._key_pieces = tuple(key[end - KEY_PIECE : end].encode() for end in ends)
        # Nothing here or in the body says who searches.
        self._headers = {
            "x-api-key": key,
            "Content-Type": "application/json",
            "Accept": "application/json",
            "Accept-Encoding": "gzip, deflate",
            "User-Agent": "discord-websearch",
        }

    async def search(self, request: SearchRequest) -> SearchPage:
        """Ask Exa and return its results, cleaned and vetted, in its own order; raise `BackendError`."""
        now = self._wall_clock()
        payload = to_payload(request, search_type=self._search_type, snippet_chars=self._snippet_chars, now=now)
        secrets = (self._key, request.query)
        call = http.Call(
            method="POST", url=self._url, headers=self._headers, body=msgspec.json.encode(payload), secrets=secrets
        )
        reply = await self._transport.call(call)
        if not 200 <= reply.status < 300:  # noqa: PLR2004 - the class of successes
            raise to_error(reply, secrets)
        body = http.decode(reply.body)
        try:
            if any(piece in reply.body for piece in self._key_pieces):
                # Whatever sends the key back in results would have all members read it.
                raise errors.InvalidAnswer(NAME)  # noqa: TRY301 - the one place that says what was sent
            return to_page(body, request, snippet_chars=self._snippet_chars, now=now)
        except errors.InvalidAnswer as error:
            error.detail = explain(_text(reply.body), secrets)
            error.billed, error.cost = True, cost_of(body)
            raise

    async def close(self) -> None:
        """Close the connections; closing twice does no harm."""
        await self._transport.close()


def to_payload(request: SearchRequest, *, search_type: str, snippet_chars: int, now: float) -> dict[str, object]:
    """Return the body of the request; `now` is in Unix seconds."""
    # Cleaning takes markup away, so a quarter more than a snippet is asked for; more would only cost time to clean.
    # Text and highlights are in the price of a search ($7 per 1,000 with ten results). Summaries would add $1 per 1,000
    # results, which makes five results dearer by 70 %: they are read where they come, but never asked for.
    contents = {"maxCharacters": snippet_chars * 5 // 4}
    payload: dict[str, object] = {
        "query": request.query,
        "type": search_type,
        # As many as are shown: more than ten cost extra. Where a row is not fit to be shown, the page is shorter.
        "numResults": request.count,
        "moderation": True,
        "contents": {"highlights": contents, "text": contents},
    }
    if request.category is not None:
        payload["category"] = request.category
    if request.sites:
        payload["includeDomains"] = request.sites
    if request.blocked and request.category not in UNDATED:
        # What does not fit, and what these categories refuse, is left to `rows.to_page`, which filters every page.
        payload["excludeDomains"] = request.blocked[: limits.BLOCKED_SITES]
    if request.period is not None:
        start = datetime.fromtimestamp(now, UTC) - timedelta(days=request.period.days)
        payload["startPublishedDate"] = f"{start:%Y-%m-%dT%H:%M:%S}.000Z"
    return payload


def to_page(body: object, request: SearchRequest, *, snippet_chars: int, now: float) -> SearchPage:
    """Return the page that a decoded answer stands for, its good rows alone; `now` is in Unix seconds.

    Raise `InvalidAnswer` where `results` is no list.
    """
    results = body.get("results") if isinstance(body, dict) else None
    if not isinstance(body, dict) or not isinstance(results, list):
        raise errors.InvalidAnswer(NAME)
    found = [_to_row(row, now) for row in results[: rows.MOST]]
    return rows.to_page(found, request, backend=NAME, snippet_chars=snippet_chars, cost=cost_of(body))


def to_error(reply: http.Reply, secrets: tuple[str, ...]) -> errors.BackendError:
    """Return the error that an answer stands for which is no success.

    The status decides, as Exa's reference asks for: its set of tags is open, and a tag only tells the two kinds of 403
    apart. Both shapes of 429 are taken, with a tag and with {"error"} alone.
    """
    body = http.decode(reply.body)
    fields = body if isinstance(body, dict) else {}
    message, tag = fields.get("error"), fields.get("tag")
    detail = explain(message if isinstance(message, str) else _text(reply.body), secrets)
    known = explain(tag, secrets) if isinstance(tag, str) else ""
    if reply.status == 429:  # noqa: PLR2004 - the one status that names a wait
        return errors.RateLimited(NAME, detail, known, reply.retry_after)
    if reply.status == 403 and tag in _PROHIBITED:  # noqa: PLR2004 - the one status of two kinds
        return errors.ContentProhibited(NAME, detail, known)
    return _KINDS.get(reply.status, errors.BackendBroken)(NAME, detail, known)


def _text(body: bytes) -> str:
    return body[: http.ERROR_BYTES].decode(errors="replace")


def _to_row(row: object, now: float) -> rows.Row | None:
    if not isinstance(row, dict) or not isinstance(row.get("url"), str):
        return None
    return rows.Row(
        url=row["url"],
        title=_to_text(row.get("title")),
        snippet=_to_snippet(row),
        published=dates.parse(row.get("publishedDate"), now=now),
        image=_to_text(row.get("image")),
    )


def _to_snippet(row: dict[str, object]) -> str:
    highlights = row.get("highlights")
    if isinstance(highlights, list):
        parts = [part for part in highlights[:HIGHLIGHTS] if isinstance(part, str) and part.strip()]
        if parts:
            return " … ".join(parts)
    summary = _to_text(row.get("summary"))
    return summary if summary.strip() else _to_text(row.get("text"))


def _to_text(value: object) -> str:
    return value if isinstance(value, str) else ""


def cost_of(body: object) -> float | None:
    """Return what a decoded answer says that it costs, in US dollars, or None where that can't be a price."""
    cost = body.get("costDollars") if isinstance(body, dict) else None
    total = cost.get("total") if isinstance(cost, dict) else None
    if isinstance(total, bool) or not isinstance(total, int | float):
        return None
    # Neither infinity nor what is no number passes this.
    return float(total) if 0 <= total <= DEAREST else None
