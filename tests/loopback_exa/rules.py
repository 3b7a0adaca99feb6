"""Tell what Exa refuses about the body of a request, from the summary of its public API 2.0.0."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from loopback_engine.checks import boolean, choice, date_time, domain, either, fields, integer, listed, string

if TYPE_CHECKING:
    from collections.abc import Mapping

    from loopback_engine.checks import Check

# The published enumeration, and `lite`, which the reference recommends beside it.
SEARCH_TYPES: Final = frozenset({"instant", "fast", "auto", "lite", "deep-lite", "deep", "deep-reasoning"})
UNDATED: Final = frozenset({"company", "people"})
REFUSED_WITH_UNDATED: Final = ("startPublishedDate", "endPublishedDate", "excludeDomains")
CONTENTS_ALONE: Final = ("text", "highlights", "summary")

_SECTIONS: Final = listed(choice("header", "navigation", "banner", "body", "sidebar", "footer", "metadata"), 7)
_CHARACTERS: Final = integer(1, 10_000)
_CONTENTS: Final[Mapping[str, Check]] = {
    "text": either(
        boolean,
        fields(
            {
                "maxCharacters": _CHARACTERS,
                "includeHtmlTags": boolean,
                "verbosity": choice("compact", "standard", "full"),
                "includeSections": _SECTIONS,
                "excludeSections": _SECTIONS,
            }
        ),
    ),
    "highlights": either(
        boolean,
        fields(
            {
                "query": string,
                "maxCharacters": _CHARACTERS,
                "verbosity": choice("low", "medium", "high"),
                "dynamic": boolean,
                "numSentences": integer(1, 100),
                "highlightsPerUrl": integer(1, 100),
            }
        ),
    ),
    "summary": fields({"query": string, "schema": lambda value: isinstance(value, dict)}),
    "extras": fields(
        dict.fromkeys(("links", "imageLinks", "richImageLinks", "richLinks", "codeBlocks"), integer(0, 1000))
    ),
    "livecrawl": choice("never", "always", "fallback", "preferred"),
    "livecrawlTimeout": integer(1, 90_000),
    "maxAgeHours": integer(-1, 720),
    "subpages": integer(0, 100),
    "subpageTarget": either(string, listed(string, 100)),
    "snapshotAsOf": date_time,
    "filterEmptyResults": boolean,
}
_SEARCH: Final[Mapping[str, Check]] = {
    "query": lambda value: isinstance(value, str) and bool(value),
    "type": lambda value: isinstance(value, str) and value in SEARCH_TYPES,
    "numResults": integer(1, 100),
    "category": string,
    "includeDomains": listed(domain, 1200),
    "excludeDomains": listed(domain, 1200),
    "startPublishedDate": date_time,
    "endPublishedDate": date_time,
    "startCrawlDate": date_time,
    "endCrawlDate": date_time,
    "includeText": listed(string, 50),
    "excludeText": listed(string, 50),
    "userLocation": either(string, lambda value: isinstance(value, dict)),
    "moderation": boolean,
    "additionalQueries": listed(string, 10, least=1),
    "systemPrompt": string,
    "outputSchema": lambda value: isinstance(value, dict),
    "stream": boolean,
    "compliance": choice("hipaa"),
    "objective": lambda value: isinstance(value, str) and len(value) <= 4096,
    "userIdentifier": lambda value: isinstance(value, str) and bool(re.fullmatch(r"[\w-]{1,64}", value, re.ASCII)),
    "contents": fields(_CONTENTS),
}
_ADDRESSES: Final = listed(lambda value: isinstance(value, str) and 1 <= len(value) <= 2048, 100, least=1)
_PAGES: Final[Mapping[str, Check]] = {
    "ids": _ADDRESSES,
    "urls": _ADDRESSES,
    "compliance": _SEARCH["compliance"],
    "userIdentifier": _SEARCH["userIdentifier"],
    **_CONTENTS,
}
_ANSWER: Final[Mapping[str, Check]] = {
    "query": _SEARCH["query"],
    "stream": boolean,
    "text": boolean,
    "model": choice("exa", "exa-pro", "exa-research", "exa-fast"),
    "systemPrompt": string,
    "userLocation": _SEARCH["userLocation"],
    "outputSchema": _SEARCH["outputSchema"],
    "userIdentifier": _SEARCH["userIdentifier"],
}


def problem(body: object) -> tuple[str, str] | None:
    """Return the tag and the sentence with which Exa refuses the body of a search, or None where it takes it."""
    if not isinstance(body, dict):
        return "INVALID_REQUEST_BODY", "Request body must be a JSON object"
    if body.get("query") is None:
        return "INVALID_REQUEST_BODY", "Validation error: query is required"
    alone = next((name for name in CONTENTS_ALONE if name in body), None)
    if alone:
        return "INVALID_REQUEST_BODY", f"Validation error: {alone} belongs under contents"
    return _wrong(body, _SEARCH) or _wrong_combination(body)


def contents_problem(body: object) -> tuple[str, str] | None:
    """Return the tag and the sentence with which Exa refuses a request for contents, or None where it takes it."""
    if not isinstance(body, dict):
        return "INVALID_REQUEST_BODY", "Request body must be a JSON object"
    if (body.get("ids") is None) == (body.get("urls") is None):
        return "INVALID_REQUEST_BODY", "Validation error: either ids or urls are required"
    return _wrong(body, _PAGES) or _wrong_contents(body)


def answer_problem(body: object) -> tuple[str, str] | None:
    """Return the tag and the sentence with which Exa refuses a question, or None where it takes it."""
    if not isinstance(body, dict):
        return "INVALID_REQUEST_BODY", "Request body must be a JSON object"
    if body.get("query") is None:
        return "INVALID_REQUEST_BODY", "Validation error: query is required"
    return _wrong(body, _ANSWER)


def _wrong(body: dict[str, Any], checks: Mapping[str, Check]) -> tuple[str, str] | None:
    wrong = (_wrong_field(name, value, checks) for name, value in body.items())
    return next(filter(None, wrong), None)


def _wrong_field(name: str, value: object, checks: Mapping[str, Check]) -> tuple[str, str] | None:
    if name not in checks:
        return "INVALID_REQUEST_BODY", f"Validation error: unrecognized field {name}"
    if value is None or checks[name](value):
        return None
    tag = "INVALID_NUM_RESULTS" if name == "numResults" else "INVALID_REQUEST_BODY"
    return tag, f"Validation error: invalid {name}"


def _wrong_combination(body: dict[str, Any]) -> tuple[str, str] | None:
    if body.get("category") in UNDATED:
        refused = [name for name in REFUSED_WITH_UNDATED if body.get(name)]
        if refused:
            return "INVALID_REQUEST", f"Category {body['category']} does not support {', '.join(refused)}"
    return _wrong_contents(body.get("contents") or {})


def _wrong_contents(contents: dict[str, Any]) -> tuple[str, str] | None:
    if contents.get("livecrawl") is not None and contents.get("maxAgeHours") is not None:
        return "INVALID_REQUEST", "livecrawl and maxAgeHours exclude each other"
    return None
