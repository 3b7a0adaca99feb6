"""Ask `/contents` for the text of one page, and read it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ... import errors, limits, links
from .. import dates, pages, rows
from ..client import field, to_text
from ..redaction import explain
from .replies import NAME, cost_of

if TYPE_CHECKING:
    from ...models import FetchedPage

# Exa may count as JavaScript does, an emoji as two, and may cut before a word or take blanks away: a text that is no
# more than this shorter than what was asked for is taken for cut. Few pages that are whole end just there.
_MARGIN: Final = 200


def to_payload(link: links.Link) -> dict[str, object]:
    """Return the body of the request: text alone, since each further kind of content costs as much again."""
    return {"urls": [link.url], "text": {"maxCharacters": limits.PAGE_TEXT}}


def to_fetched(body: object, link: links.Link, *, now: float) -> FetchedPage:
    """Return the page that a decoded answer holds; `now` is in Unix seconds.

    Raise `PageUnreadable` where Exa says that it couldn't read the page or has no text of it, and `InvalidAnswer` where
    there's neither a page nor a reason.
    """
    results, statuses = field(body, "results"), field(body, "statuses")
    if not isinstance(results, list):
        raise errors.InvalidAnswer(NAME)
    cost = cost_of(body)
    for result in results[: rows.MOST]:
        raw = to_text(field(result, "text"))
        if raw.strip():
            return pages.to_fetched(
                links.vet(to_text(field(result, "url"))) or link,
                backend=NAME,
                raw=raw,
                title=to_text(field(result, "title")),
                published=dates.parse(field(result, "publishedDate"), now=now),
                truncated=_is_cut(raw),
                cost=cost,
            )
    detail, tag = _reason(statuses)
    if not results and not tag:
        raise errors.InvalidAnswer(NAME)
    raise errors.PageUnreadable(NAME, explain(detail, (link.url,)), explain(tag, (link.url,)), billed=True, cost=cost)


def _is_cut(raw: str) -> bool:
    """Tell whether a text is as long as what was asked for, or nearly, counted in code points or in UTF-16."""
    units = len(raw[: limits.PAGE_TEXT].encode("utf-16-le", "surrogatepass")) // 2
    return units >= limits.PAGE_TEXT - _MARGIN


def _reason(statuses: object) -> tuple[str, str]:
    """Return what the site answered, in words, and Exa's tag for that; empty where Exa says nothing of it."""
    for status in statuses[: rows.MOST] if isinstance(statuses, list) else ():
        error = field(status, "error")
        if field(status, "status") == "error":
            code = field(error, "httpStatusCode")
            return f"the site answered {code}" if isinstance(code, int) else "", to_text(field(error, "tag")) or "error"
    return "", ""
