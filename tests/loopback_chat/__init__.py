"""Stand in for an OpenAI-compatible endpoint on loopback, whose model searches a few pages and cites them.

It takes the fields of OpenAI's reference for `/chat/completions`, and sends sources in the way of its `style`. With a
`model` it's one without web search, which says what that makes of a request, and calls the tools that it's offered.
"""

from __future__ import annotations

import json
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

from aiohttp import web

from loopback_engine import PAGES, Call, Fault, LoopbackEngine, Page, rank

from . import faults, talking

if TYPE_CHECKING:
    from .talking import Model

__all__ = ["KEY", "MODEL", "Call", "Fault", "LoopbackChat", "Page", "Style", "faults", "talking"]

# The shape of a real key; no such key exists.
KEY: Final = "sk-proj-7bQx2LmZ9rTfVn4KcYw8HsJd1Ge5Ua3P"
MODEL: Final = "searching-model"
COST: Final = 0.0123
_ROLES: Final = frozenset({"system", "user", "assistant", "developer", "tool"})
_FIELDS: Final = frozenset({
    *("model", "messages", "stream", "stream_options", "temperature", "top_p", "n", "max_tokens", "stop", "user"),
    *("max_completion_tokens", "web_search_options", "response_format", "tools", "tool_choice", "seed", "metadata"),
})  # fmt: skip


class Style(StrEnum):
    """Name where the sources stand: in a block of the text, in annotations, beside the message, or nowhere."""

    BLOCK = "block"
    ANNOTATIONS = "annotations"
    BESIDE = "beside"
    NOWHERE = "nowhere"


class LoopbackChat(LoopbackEngine):
    """Serve `/chat/completions` as such endpoints do."""

    def __init__(
        self,
        *,
        key: str = KEY,
        pages: tuple[Page, ...] = PAGES,
        style: Style = Style.BLOCK,
        model: Model | None = None,
    ) -> None:
        super().__init__(key=key, pages=pages)
        self.style = style
        self.model = model

    def answer(self, call: Call) -> web.Response:
        """Answer a question, or refuse it, as OpenAI's reference says."""
        if call.key != self.key:
            return _refuse(401, "Incorrect API key provided.", "invalid_request_error", "invalid_api_key")
        if call.method != "POST" or call.path != "/chat/completions":
            return _refuse(404, f"Unknown request URL: {call.method} {call.path}", "invalid_request_error", None)
        try:
            body = json.loads(call.body)
        except ValueError:
            return _refuse(400, "We could not parse the JSON body of your request.", "invalid_request_error", None)
        refusal = problem(body)
        if refusal:
            return _refuse(400, refusal, "invalid_request_error", None)
        if body["model"] != MODEL:
            return _refuse(
                404, f"The model {body['model']} does not exist.", "invalid_request_error", "model_not_found"
            )
        return self._said(body)

    def _said(self, body: dict[str, Any]) -> web.Response:
        if self.model is not None:
            turn = self.model(body)
            return _completed(turn.message, turn.finish)
        first, second = rank(body["messages"][-1]["content"], self.pages)[:2]
        return self._streamed(first, second) if body.get("stream") else self._whole(first, second)

    def _whole(self, first: Page, second: Page) -> web.Response:
        message: dict[str, object] = {"role": "assistant", "content": self._text(first, second), "refusal": None}
        if self.style is Style.ANNOTATIONS:
            message["annotations"] = _annotations(first, second)
        return _completed(message, "stop", **self._beside(first, second))

    def _streamed(self, first: Page, second: Page) -> web.Response:
        text = self._text(first, second)
        deltas: list[dict[str, object]] = [{"role": "assistant", "content": ""}]
        deltas += [{"content": text[start : start + 60]} for start in range(0, len(text), 60)]
        if self.style is Style.ANNOTATIONS:
            deltas.append({"annotations": _annotations(first, second)})
        head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1_796_040_000, "model": MODEL}
        chunks = [{**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas]
        chunks.append({**head, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
        chunks.append({**head, "choices": [], "usage": _usage(), **self._beside(first, second)})
        sent = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks)
        # As some endpoints keep a connection alive.
        return web.Response(text=f": PROCESSING\n\n{sent}data: [DONE]\n\n", content_type="text/event-stream")

    def _text(self, first: Page, second: Page) -> str:
        if self.style is Style.ANNOTATIONS:
            return f"{first.text} ([{first.host}]({first.url}))\n\n{second.text} ([{second.host}]({second.url}))"
        text = f"{first.text} [1]\n\n{second.text} [2]"
        if self.style is Style.BLOCK:
            text += f"\n\nSources:\n[1] {first.url} {first.title}\n[2] {second.url} {second.title}"
        return text

    def _beside(self, first: Page, second: Page) -> dict[str, object]:
        if self.style is not Style.BESIDE:
            return {}
        results = [
            {"title": page.title, "url": page.url, "date": page.published[:10] or None, "snippet": page.text[:80]}
            for page in (first, second)
        ]
        return {"citations": [first.url, second.url], "search_results": results}


def problem(body: object) -> str | None:
    """Return the sentence with which a body is refused, or None where it's taken."""
    if not isinstance(body, dict) or not isinstance(body.get("model"), str):
        return "you must provide a model parameter"
    unknown = sorted(set(body) - _FIELDS)
    if unknown:
        return f"Unrecognized request argument supplied: {unknown[0]}"
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages or not all(map(_is_message, messages)):
        return "Invalid value for 'messages'"
    if not isinstance(body.get("stream"), bool | None):
        return "Invalid type for 'stream'"
    return talking.problem(body)


def _is_message(message: Any) -> bool:  # noqa: ANN401 - whatever was sent
    if not isinstance(message, dict) or message.get("role") not in _ROLES:
        return False
    # A message that calls tools needs no text.
    return isinstance(message.get("content", "" if message.get("tool_calls") else None), str)


def _completed(message: dict[str, object], finish: str, **beside: object) -> web.Response:
    choice = {"index": 0, "message": message, "finish_reason": finish, "logprobs": None}
    head = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1_796_040_000, "model": MODEL}
    return web.json_response({**head, "choices": [choice], "usage": _usage(), **beside})


def _refuse(status: int, message: str, kind: str, code: str | None) -> web.Response:
    return web.json_response(faults.error_body(message, kind, code), status=status)


def _annotations(*pages: Page) -> list[dict[str, object]]:
    return [
        {
            "type": "url_citation",
            "url_citation": {"start_index": 0, "end_index": 10, "title": page.title, "url": page.url},
        }
        for page in pages
    ]


def _usage() -> dict[str, object]:
    return {"prompt_tokens": 120, "completion_tokens": 80, "total_tokens": 200, "cost": COST}
