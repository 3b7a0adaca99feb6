"""Tell what Tavily refuses about the body of a search or an extraction, from the summary of its API."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from loopback_engine.checks import boolean, choice, domain, either, integer, listed, string

if TYPE_CHECKING:
    from collections.abc import Mapping

    from loopback_engine.checks import Check


def _filled(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _day(value: object) -> bool:
    return isinstance(value, str) and re.fullmatch(r"\d{4}-\d{2}-\d{2}", value, re.ASCII) is not None


_SEARCH: Final[Mapping[str, Check]] = {
    "query": _filled,
    "search_depth": choice("advanced", "basic", "fast", "ultra-fast"),
    "max_results": integer(0, 20),
    "topic": choice("general", "news", "finance"),
    "time_range": choice("day", "week", "month", "year"),
    "start_date": _day,
    "end_date": _day,
    "include_answer": either(boolean, choice("basic", "advanced")),
    "include_raw_content": either(boolean, choice("markdown", "text")),
    "include_domains": listed(domain, 300),
    "exclude_domains": listed(domain, 150),
    "include_favicon": boolean,
    "include_usage": boolean,
}
# All but the first are what the vendor's SDK sends beside the addresses.
_EXTRACT: Final[Mapping[str, Check]] = {
    "urls": either(string, listed(string, 20, least=1)),
    "include_images": boolean,
    "extract_depth": choice("basic", "advanced"),
    "format": choice("markdown", "text"),
    "timeout": integer(1, 60),
    "include_favicon": boolean,
    "include_usage": boolean,
}


def search_problem(body: object) -> str | None:
    """Return the sentence with which a search is refused, or None where Tavily takes it."""
    return _problem(body, _SEARCH, "query")


def extract_problem(body: object) -> str | None:
    """Return the sentence with which an extraction is refused, or None where Tavily takes it."""
    return _problem(body, _EXTRACT, "urls")


def _problem(body: object, checks: Mapping[str, Check], required: str) -> str | None:
    if not isinstance(body, dict):
        return "The body must be an object."
    if body.get(required) is None:
        return f"{required} is required."
    # Stricter than the API, which leaves unknown fields alone: a misspelt field must not pass in silence.
    unknown = [name for name in body if name not in checks]
    wrong = [name for name, value in body.items() if name in checks and value is not None and not checks[name](value)]
    return f"Invalid {(unknown + wrong)[0]}." if unknown or wrong else None
