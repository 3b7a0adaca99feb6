"""List what an engine can do wrong, what the member reads then, and what the owner does about it.

The tests of faults play every row; `docs/errors.md` is written from the same rows.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from loopback_exa import Call, Fault, faults

if TYPE_CHECKING:
    from collections.abc import Mapping

URL: Final = "https://docs.example.org/good"
GOOD: Final = {"url": URL, "title": "Good"}


@dataclass(frozen=True, kw_only=True)
class Group:
    """Hold what ends in the same way.

    `key` is the error's, as the log has it, `said` what the member reads, `owner` what the owner does. `faults` are by
    what the engine does.
    """

    key: str
    said: str
    owner: str
    faults: Mapping[str, Fault]


def tagged(status: int, *tags: str) -> dict[str, Fault]:
    """Answer with each of the documented tags of a status."""
    return {f"`{status} {tag}`": faults.error(status, tag) for tag in tags}


def waiting(seconds: str) -> Fault:
    """Answer 429, and ask to wait."""
    return faults.error(429, "RATE_LIMIT_EXCEEDED", headers={"Retry-After": seconds})


def message_that_echoes(part: slice) -> Fault:
    """Answer 401 with a message that holds a part of the key."""
    return faults.echo(lambda call: f"{call.key[part]} is bad")


def rows_that_echo(part: slice) -> Fault:
    """Answer with a row that holds a part of the key."""

    async def act(call: Call) -> object:
        return await faults.rows(GOOD | {"text": f"Your key is {call.key[part]}"})(call)

    return act  # type: ignore[return-value] # the answer of another fault is what a fault answers


DATES: Final[tuple[object, ...]] = (
    *(None, 0, -1, 1e300, True, [], {}),
    *("", "yesterday", "0000-00-00", "2026-02-30", "9999-12-31T23:59:59Z"),
)
COSTS: Final[Mapping[str, object]] = {
    "negative": {"total": -1}, "huge": {"total": 1e300}, "a text": {"total": "0.01"}, "a list": [1], "null": None,
    "true": {"total": True},
}  # fmt: skip
ECHOES: Final[Mapping[str, slice]] = {
    "whole": slice(None), "its first half": slice(18), "its second half": slice(18, None), "its middle": slice(9, 27),
}  # fmt: skip

GROUPS: Final = (
    Group(
        key="backend-request-rejected",
        said="Exa doesn't take this search: try other words or fewer options.",
        owner="Nothing, unless it happens to every search: the log has Exa's reason.",
        faults=tagged(
            400,
            "INVALID_REQUEST_BODY",
            "INVALID_REQUEST",
            "INVALID_NUM_RESULTS",
            "NUM_RESULTS_EXCEEDED",
            "INVALID_JSON_SCHEMA",
            "SUBPAGES_LIMIT_EXCEEDED",
            "UNSUPPORTED_PUBLICATION_INCLUDE_FILTER",
            "NO_CONTENT_FOUND",
            "INVALID_URLS",
        ),
    ),
    Group(
        key="backend-key-refused",
        said="Exa doesn't accept the bot's key: tell the bot's owner.",
        owner="Sets `exa-api-key`, or `EXA_API_KEY`, to a key of Exa's dashboard. Where this same key is good again "
        "later, loads the cog anew.",
        faults=tagged(401, "INVALID_API_KEY")
        | {f"`401` whose message holds the key, {name}": message_that_echoes(part) for name, part in ECHOES.items()},
    ),
    Group(
        key="backend-credits-exhausted",
        said="The bot's credit at Exa is used up: tell the bot's owner.",
        owner="Buys credit at Exa, or raises the budget of the key or the team there; within ten minutes it's noticed.",
        faults=tagged(
            402, "NO_MORE_CREDITS", "API_KEY_BUDGET_EXCEEDED", "TEAM_BUDGET_EXCEEDED", "X402_PAYMENT_REQUIRED"
        ),
    ),
    Group(
        key="backend-feature-disabled",
        said="The bot's account at Exa may not search like this: tell the bot's owner.",
        owner="Sets another `exa-search-type`, or asks Exa to enable this one.",
        faults=tagged(403, "FEATURE_DISABLED"),
    ),
    Group(
        key="backend-content-prohibited",
        said="Exa won't search for this: search for something else.",
        owner="Nothing.",
        faults=tagged(403, "PROHIBITED_CONTENT", "CONTENT_FILTER_ERROR"),
    ),
    Group(
        key="backend-endpoint-missing",
        said="Exa isn't at the address that the bot has for it: tell the bot's owner.",
        owner="Corrects `exa-base-url`, or leaves it out.",
        faults=tagged(404, "NOT_FOUND"),
    ),
    Group(
        key="backend-rate-limited",
        said="Exa has too many searches to do: try again in a moment.",
        owner="Nothing, unless it lasts: lowers `web-per-minute`, or asks Exa for a higher rate.",
        faults=tagged(429, "RATE_LIMIT_EXCEEDED") | {"`429` without a tag": faults.error(429)},
    ),
    Group(
        key="backend-rate-limited",
        said="Exa has too many searches to do: try again in about 30 seconds.",
        owner="As above.",
        faults={"`429` with `Retry-After: 30`": waiting("30")},
    ),
    Group(
        key="backend-rate-limited",
        said="Exa has too many searches to do: try again in about 2 hours.",
        owner="As above.",
        faults={"`429` with `Retry-After: 7200`": waiting("7200")},
    ),
    Group(
        key="backend-broken",
        said="Exa failed: try again in a moment.",
        owner="Nothing, unless it lasts: looks at Exa's status page.",
        faults=tagged(500, "DEFAULT_ERROR", "INTERNAL_ERROR")
        | {
            "`502` with a gateway's page": faults.html(502),
            "`418`, undocumented": faults.error(418, "TEAPOT"),
        },
    ),
    Group(
        key="backend-unable",
        said="Exa has no response to this: try other words.",
        owner="Nothing.",
        faults=tagged(501, "UNABLE_TO_GENERATE_RESPONSE"),
    ),
    Group(
        key="backend-overloaded",
        said="Exa is overloaded: try again in a few minutes.",
        owner="Nothing: Exa neither made nor billed the search.",
        faults=tagged(503, "SERVICE_OVERLOADED") | {"`503` with a gateway's page": faults.html(503)},
    ),
    Group(
        key="backend-overloaded",
        said="Exa is overloaded: try again in about 10 minutes.",
        owner="As above.",
        faults={
            "`503` with `Retry-After: 600`": faults.error(503, "SERVICE_OVERLOADED", headers={"Retry-After": "600"})
        },
    ),
    Group(
        key="backend-timeout",
        said="Exa took too long: try again in a moment.",
        owner="Nothing, unless it lasts: raises `web-timeout-s`, or sets a faster `exa-search-type`.",
        faults={
            "`504`": faults.error(504),
            "no answer": faults.hang,
            "half of an answer, then nothing": faults.hang_midway,
            "an answer a byte at a time, without an end": faults.drip,
        },
    ),
    Group(
        key="backend-unreachable",
        said="Exa can't be reached: try again in a moment.",
        owner="Checks this machine's connection, its resolver and its firewall.",
        faults={
            "the connection is reset": faults.reset,
            "the connection is reset in the middle of an answer": faults.reset_midway,
            "the connection is closed without an answer": faults.hang_up,
            "the connection is closed before all that was promised": faults.cut_short,
        },
    ),
    Group(
        key="backend-redirect",
        said="Exa sent the bot to another address, where it doesn't go: tell the bot's owner.",
        owner="Sets `exa-base-url` to where Exa is now: the log has the address that it named.",
        faults={
            f"`{status}`, a redirect": faults.redirect("https://example.org/", status)
            for status in (301, 302, 303, 307, 308)
        },
    ),
    Group(
        key="backend-invalid-answer",
        said="Exa sent an answer that makes no sense: try again in a moment.",
        owner="Nothing, unless it lasts: reads in the log how the answer begins; a proxy may stand between.",
        faults={
            "an empty answer": faults.answer(b""),
            "`204`": faults.answer(b"", 204),
            "`null`": faults.answer(None),
            "a list": faults.answer([]),
            "a number": faults.answer(7),
            "an answer that stops halfway": faults.answer(b'{"results": [{"url": "https://example.org"'),
            "an HTML page with `200`": faults.html(),
            "an error's body with `200`": faults.answer(faults.error_body("Refused", "INTERNAL_ERROR")),
            "text that is not UTF-8": faults.answer(b'{"results": ["\xff"]}'),
            "`NaN`": faults.rows(GOOD, costDollars={"total": float("nan")}),
            "100,000 brackets inside each other": faults.answer(b"[" * 100_000 + b"]" * 100_000),
            "results that are no list": faults.answer({"results": {"0": GOOD}}),
            "gzip that is none": faults.zipped(b"nothing of the kind"),
            "something that is no HTTP": faults.gibberish,
            **{f"results that hold the bot's key, {name}": rows_that_echo(part) for name, part in ECHOES.items()},
        },
    ),
    Group(
        key="backend-answer-too-large",
        said="Exa sent more than the bot reads: ask for fewer results.",
        owner="Nothing, unless it lasts: a proxy may stand between.",
        faults={
            "more than 4 MiB": faults.answer(b" " * (4 * 1024 * 1024 + 1)),
            "gzip of a few kilobytes that unpacks to 20 MiB": faults.bomb(20),
        },
    ),
)

# What ends in results all the same: the good row is shown, and the search counts.
SHOWN: Final[Mapping[str, Fault]] = {
    "rows of wrong types among good ones": faults.rows(
        None, 7, "row", [], [GOOD], {}, {"url": None}, {"url": 5}, {"url": "no"}, {"url": "javascript:x"}, GOOD
    ),
    "a good row with fields of wrong types": faults.rows(
        GOOD | {"text": {}, "highlights": "x", "summary": 3, "image": [], "author": 1, "id": {}, "score": "high"}
    ),
    "a row without anything but an address and a title": faults.rows(GOOD),
    **{f"a date that is `{json.dumps(date)}`": faults.rows(GOOD | {"publishedDate": date}) for date in DATES},
    **{f"a cost that is {name}": faults.rows(GOOD, costDollars=cost) for name, cost in COSTS.items()},
    "a cost beyond all numbers": faults.answer(
        b'{"results": [{"url": "https://docs.example.org/good", "title": "Good"}], "costDollars": {"total": 1e999}}'
    ),
    "fields that nobody knows": faults.rows(GOOD | {"new": [1]}, newer={"a": None}),
}
