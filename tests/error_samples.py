"""Make every error of the package, with the longest parameters that are sane."""

from __future__ import annotations

from cogs.websearch import errors
from cogs.websearch.charges import Limit

# What no reader may ever see of an error.
UNSEEN = "what the engine said: 3f8a7c1e-52d4-4b6f-9a0e-7d1c2b3a4f5e"

# The longest that each parameter sanely gets.
SAMPLES: dict[str, object] = {
    "path": "/srv/discord/bots/a-bot-of-mine/" + "folder/" * 40 + "config.toml",
    "reason": "Too many levels of symbolic links",
    "line": 12345,
    "column": 12345,
    "name": "web-a-key-that-is-as-long-as-sixty-characters-and-not-longer",
    "nearest": "web-guild-grace-days",
    "found": '"' + "x " * 29 + '"',
    "expected": "choice",
    "least": 1,
    "most": 1000,
    "choices": ("auto", "lite", "instant", "fast", "deep-lite", "deep", "deep-reasoning"),
    "variable": "WEBSEARCH_CHAT_API_KEY",
    "problem": "corrupt",
    "length": 4000,
    "site": "a" * 32,
    "option": "category",
    "other": "category",
    "value": "financial report",
    "backend": "Python's own documentation",
    "detail": UNSEEN,
    "tag": UNSEEN,
    "retry_after": 59.5,
    "rule": "unknown",
    "limit": Limit.SERVER,
    "resets": 2**33,
    "tools": "web_search, web_fetch, web_answer, web_search_pause",
    "argument": "num_results",
    "kind": "number",
}
NUMBERS = {errors.CountOutOfRange: 99, errors.NothingUsable: 7}


def tree(root: type[errors.WebSearchError] = errors.WebSearchError) -> list[type[errors.WebSearchError]]:
    """List the package's classes below an error."""
    below = [cls for cls in root.__subclasses__() if cls.__module__.startswith(errors.__name__)]
    return [cls for child in below for cls in (child, *tree(child))]


LEAVES = [cls for cls in tree() if not any(sub.__module__.startswith(errors.__name__) for sub in cls.__subclasses__())]


def sample(cls: type[errors.WebSearchError], **given: object) -> errors.WebSearchError:
    """Make an error with the longest sane parameters."""
    parameters = {name: SAMPLES[name] for name in cls.parameters if name in SAMPLES}
    if cls in NUMBERS:
        parameters["found"] = NUMBERS[cls]
    return cls(**{**parameters, **given})
