"""Ask `/search`, and read its rows."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any, Final

from ... import limits, site_rules
from ...models import Category, SearchPage, SearchRequest
from .. import dates, rows
from ..client import field, to_text
from .replies import NAME, cost_of

# These two take neither dates nor `excludeDomains`: Exa answers 400.
UNDATED: Final = frozenset({Category.COMPANY, Category.PEOPLE})
# Highlights of a page that are read; Exa sends one to five.
HIGHLIGHTS: Final = 20


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
        "moderation": request.safe,
        "contents": {"highlights": contents, "text": contents},
    }
    if request.category is not None:
        payload["category"] = request.category
    if sites := site_rules.narrow(request.rules, request.sites):
        payload["includeDomains"] = sites
    if (excluded := request.rules.excluded) and request.category not in UNDATED:
        # What does not fit, and what these categories refuse, is left to `rows.to_page`, which filters every page.
        payload["excludeDomains"] = excluded[: limits.BLOCKED_SITES]
    if request.period is not None:
        start = datetime.fromtimestamp(now, UTC) - timedelta(days=request.period.days)
        payload["startPublishedDate"] = f"{start:%Y-%m-%dT%H:%M:%S}.000Z"
    return payload


def to_page(body: object, request: SearchRequest, *, snippet_chars: int, now: float) -> SearchPage:
    """Return the page that a decoded answer stands for, its good rows alone; `now` is in Unix seconds.

    Raise `InvalidAnswer` where `results` is no list.
    """
    found = rows.read(field(body, "results"), lambda row: to_row(row, now), backend=NAME)
    return rows.to_page(found, request, backend=NAME, snippet_chars=snippet_chars, cost=cost_of(body))


def to_row(row: dict[str, Any], now: float) -> rows.Row:
    """Return a result or a citation that has a URL as a row; `now` is in Unix seconds."""
    return rows.Row(
        url=row["url"],
        title=to_text(row.get("title")),
        snippet=_to_snippet(row),
        published=dates.parse(row.get("publishedDate"), now=now),
        image=to_text(row.get("image")),
    )


def _to_snippet(row: dict[str, object]) -> str:
    highlights = row.get("highlights")
    if isinstance(highlights, list):
        parts = [part for part in highlights[:HIGHLIGHTS] if isinstance(part, str) and part.strip()]
        if parts:
            return " … ".join(parts)
    summary = to_text(row.get("summary"))
    return summary if summary.strip() else to_text(row.get("text"))
