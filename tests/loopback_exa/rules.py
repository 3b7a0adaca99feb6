"""Tell what Exa refuses about the body of a search, from the summary of its public API 2.0.0."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Final

Check = Callable[[object], bool]

# The published enumeration, and `lite`, which the reference recommends beside it.
SEARCH_TYPES: Final = frozenset({"instant", "fast", "auto", "lite", "deep-lite", "deep", "deep-reasoning"})
UNDATED: Final = frozenset({"company", "people"})
REFUSED_WITH_UNDATED: Final = ("startPublishedDate", "endPublishedDate", "excludeDomains")
CONTENTS_ALONE: Final = ("text", "highlights", "summary")
_DOMAIN: Final = re.compile(r"(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)+(/\S*)?", re.IGNORECASE)


def _boolean(value: object) -> bool:
    return isinstance(value, bool)


def _string(value: object) -> bool:
    return isinstance(value, str)


def _integer(least: int, most: int) -> Check:
    return lambda value: isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def _choice(*choices: str) -> Check:
    return lambda value: isinstance(value, str) and value in choices


def _list(check: Check, most: int, least: int = 0) -> Check:
    return lambda value: isinstance(value, list) and least <= len(value) <= most and all(map(check, value))


def _either(*checks: Check) -> Check:
    return lambda value: any(check(value) for check in checks)


def _domain(value: object) -> bool:
    return isinstance(value, str) and _DOMAIN.fullmatch(value) is not None


def _date_time(value: object) -> bool:
    if not isinstance(value, str) or "T" not in value:
        return False
    try:
        return datetime.fromisoformat(value).tzinfo is not None
    except ValueError:
        return False


def _fields(checks: Mapping[str, Check]) -> Check:
    # Stricter than the API, which says nothing of unknown fields: a misspelt field must not pass in silence.
    return lambda value: (
        isinstance(value, dict)
        and all(name in checks and (field is None or checks[name](field)) for name, field in value.items())
    )


_SECTIONS: Final = _list(_choice("header", "navigation", "banner", "body", "sidebar", "footer", "metadata"), 7)
_CHARACTERS: Final = _integer(1, 10_000)
_CONTENTS: Final = _fields(
    {
        "text": _either(
            _boolean,
            _fields(
                {
                    "maxCharacters": _CHARACTERS,
                    "includeHtmlTags": _boolean,
                    "verbosity": _choice("compact", "standard", "full"),
                    "includeSections": _SECTIONS,
                    "excludeSections": _SECTIONS,
                }
            ),
        ),
        "highlights": _either(
            _boolean,
            _fields(
                {
                    "query": _string,
                    "maxCharacters": _CHARACTERS,
                    "verbosity": _choice("low", "medium", "high"),
                    "dynamic": _boolean,
                    "numSentences": _integer(1, 100),
                    "highlightsPerUrl": _integer(1, 100),
                }
            ),
        ),
        "summary": _fields({"query": _string, "schema": lambda value: isinstance(value, dict)}),
        "extras": _fields(
            dict.fromkeys(("links", "imageLinks", "richImageLinks", "richLinks", "codeBlocks"), _integer(0, 1000))
        ),
        "livecrawl": _choice("never", "always", "fallback", "preferred"),
        "livecrawlTimeout": _integer(1, 90_000),
        "maxAgeHours": _integer(-1, 720),
        "subpages": _integer(0, 100),
        "subpageTarget": _either(_string, _list(_string, 100)),
        "snapshotAsOf": _date_time,
        "filterEmptyResults": _boolean,
    }
)
_SEARCH: Final[Mapping[str, Check]] = {
    "query": lambda value: isinstance(value, str) and bool(value),
    "type": lambda value: isinstance(value, str) and value in SEARCH_TYPES,
    "numResults": _integer(1, 100),
    "category": _string,
    "includeDomains": _list(_domain, 1200),
    "excludeDomains": _list(_domain, 1200),
    "startPublishedDate": _date_time,
    "endPublishedDate": _date_time,
    "startCrawlDate": _date_time,
    "endCrawlDate": _date_time,
    "includeText": _list(_string, 50),
    "excludeText": _list(_string, 50),
    "userLocation": _either(_string, lambda value: isinstance(value, dict)),
    "moderation": _boolean,
    "additionalQueries": _list(_string, 10, least=1),
    "systemPrompt": _string,
    "outputSchema": lambda value: isinstance(value, dict),
    "stream": _boolean,
    "compliance": _choice("hipaa"),
    "objective": lambda value: isinstance(value, str) and len(value) <= 4096,
    "userIdentifier": lambda value: isinstance(value, str) and bool(re.fullmatch(r"[\w-]{1,64}", value, re.ASCII)),
    "contents": _CONTENTS,
}


def problem(body: object) -> tuple[str, str] | None:
    """Return the tag and the sentence with which Exa refuses the body of a search, or None where it takes it."""
    if not isinstance(body, dict):
        return "INVALID_REQUEST_BODY", "Request body must be a JSON object"
    if body.get("query") is None:
        return "INVALID_REQUEST_BODY", "Validation error: query is required"
    wrong = (_wrong_field(name, value) for name, value in body.items())
    return next(filter(None, wrong), None) or _wrong_combination(body)


def _wrong_field(name: str, value: object) -> tuple[str, str] | None:
    if name in CONTENTS_ALONE:
        return "INVALID_REQUEST_BODY", f"Validation error: {name} belongs under contents"
    if name not in _SEARCH:
        return "INVALID_REQUEST_BODY", f"Validation error: unrecognized field {name}"
    if value is None or _SEARCH[name](value):
        return None
    tag = "INVALID_NUM_RESULTS" if name == "numResults" else "INVALID_REQUEST_BODY"
    return tag, f"Validation error: invalid {name}"


def _wrong_combination(body: dict[str, Any]) -> tuple[str, str] | None:
    if body.get("category") in UNDATED:
        refused = [name for name in REFUSED_WITH_UNDATED if body.get(name)]
        if refused:
            return "INVALID_REQUEST", f"Category {body['category']} does not support {', '.join(refused)}"
    contents = body.get("contents") or {}
    if contents.get("livecrawl") is not None and contents.get("maxAgeHours") is not None:
        return "INVALID_REQUEST", "livecrawl and maxAgeHours exclude each other"
    return None
