"""What a model behind an OpenAI-compatible endpoint answers and how it refuses, with the fields of all known ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cogs.websearch import errors
from cogs.websearch.backends import chat
from contract.shape import SAID, SNIPPET_CHARS, Engine, Opening, Refusal, Shape, Way
from loopback_chat import KEY, MODEL, faults

if TYPE_CHECKING:
    from collections.abc import Iterator


def _answer(*rows: object) -> dict[str, object]:
    message = {
        "role": "assistant",
        "content": SAID,
        "refusal": None,
        "annotations": [{"type": "url_citation", "url_citation": row} for row in rows],
    }
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_796_040_000,
        "model": MODEL,
        "choices": [{"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}],
        "usage": {"prompt_tokens": 120, "completion_tokens": 80, "total_tokens": 200, "cost": 0.0123},
        "citations": [row.get("url") if isinstance(row, dict) else row for row in rows],
        "search_results": list(rows),
    }


def _refusals() -> Iterator[Refusal]:
    for status, ends in (
        (400, errors.RequestRejected),
        (401, errors.KeyRefused),
        (402, errors.CreditsExhausted),
        (403, errors.FeatureDisabled),
        (404, errors.EndpointMissing),
        (408, errors.BackendTimeout),
        (422, errors.RequestRejected),
        (429, errors.RateLimited),
        (500, errors.BackendBroken),
        (503, errors.BackendOverloaded),
        (529, errors.BackendOverloaded),
    ):
        yield Refusal(what=f"`{status}`", fault=faults.error(status), ends=ends)
    quota = faults.error(429, "insufficient_quota", kind="insufficient_quota")
    yield Refusal(what="`429 insufficient_quota`", fault=quota, ends=errors.CreditsExhausted)
    for word in ("content_filter", "content_policy_violation"):
        yield Refusal(what=f"`400 {word}`", fault=faults.error(400, word), ends=errors.ContentProhibited)
    yield Refusal(
        what="`200` with an error in it", fault=faults.answer(faults.error_body("Refused")), ends=errors.BackendBroken
    )
    yield Refusal(
        what="`200`, and the model refuses",
        fault=faults.answer({"choices": [{"message": {"role": "assistant", "content": None, "refusal": "I can't."}}]}),
        ends=errors.ContentProhibited,
    )
    yield Refusal(
        what="`200`, and a filter held the answer back",
        fault=faults.said("", finish="content_filter"),
        ends=errors.ContentProhibited,
    )
    yield Refusal(what="`200` without an answer", fault=faults.said(""), ends=errors.BackendUnable)


def _open(opening: Opening) -> chat.ChatAnswerer:
    return chat.ChatAnswerer(
        opening.transport,
        key=KEY,
        base_url=opening.url,
        model=MODEL,
        snippet_chars=SNIPPET_CHARS,
        wall_clock=opening.wall_clock,
    )


ENGINE: Final = Engine(
    name="chat",
    shown=chat.NAME,
    key=KEY,
    prefix="sk-proj-",
    open=_open,
    able=chat.ChatAnswerer.capabilities,
    answering=chat.ChatAnswerer.answering,
    shapes={
        Way.ANSWER: Shape(
            wrap=_answer,
            names={"url": "url", "title": "title", "text": "snippet", "published": "date"},
            extra={"start_index": 0, "end_index": 10},
        )
    },
    error=faults.error_body,
    streams=True,
    limited=errors.RateLimited,
    refusals=tuple(_refusals()),
    price="What the endpoint names as its cost; nothing where it names none.",
    proof="openai, OpenAI's own client, runs against it.",
)
