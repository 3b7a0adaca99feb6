"""Answer with a language model that searches the web itself, behind an OpenAI-compatible `/chat/completions`.

The system prompt asks for marks and a block of sources. What endpoints send beside that is taken, too: `annotations` of
the message (https://platform.openai.com/docs/guides/tools-web-search, and OpenRouter), `citations` and `search_results`
beside it (Perplexity, xAI).
"""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING, Final

from yarl import URL

from .. import errors
from ..charges import Act
from . import citing, dates, http, jsonbody, pages, rows
from .base import Capabilities, check
from .client import HEADERS, KINDS, Client, excerpt, field, post, price, to_text
from .growing import Draft, Piece, grow
from .redaction import explain

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable

    from ..config import Config
    from ..models import Answer, SearchRequest
    from . import Progress

NAME: Final = "Chat model"
# In US dollars: an answer that searched at length costs some cents; more than this is a mistake, not a price.
DEAREST: Final = 2.0
SYSTEM_PROMPT: Final = """\
Search the web for what the user asks, then answer in the language of the question, in a few short paragraphs, with \
nothing but what you found. Put a mark such as [1] or [2] behind each statement: the number of the page that says so. \
End with a line that says only "Sources:" and below it one line for each number: the mark, the page's address, its \
title. Name no page that you didn't read. If you found nothing, say so and leave the sources out.\
"""
# What keys begin with, and pages on these APIs show.
_PREFIX: Final = re.compile(r"(?:sk|pplx|xai|gsk)-(?:or-v1-|proj-|ant-|svcacct-)?")
# What reasoning models put before their answer; while it comes, it has no end.
_THINKING: Final = re.compile(r"\A\s*+<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL)

_KINDS: Final[dict[int, type[errors.BackendError]]] = {
    **KINDS,
    402: errors.CreditsExhausted,
    408: errors.BackendTimeout,
    422: errors.RequestRejected,
    429: errors.RateLimited,
    # Not standard, but sent by several endpoints under load.
    529: errors.BackendOverloaded,
}
# Words that decide more than the status does, in an error's `code` or `type`.
_WORDS: Final[dict[str, type[errors.BackendError]]] = {
    "insufficient_quota": errors.CreditsExhausted,
    "content_filter": errors.ContentProhibited,
    "content_policy_violation": errors.ContentProhibited,
}


class ChatAnswerer:
    """Ask a model over a transport that it takes over and closes; its deadline is that of an answer.

    `base_url` is the address before `/chat/completions`; `key` may be empty. `snippet_chars` is the length of a
    source's snippet in code points. `wall_clock` tells Unix seconds.
    """

    name: Final = NAME
    capabilities: Final = Capabilities(answers=True)
    answering: Final = capabilities

    def __init__(
        self,
        transport: http.Transport,
        *,
        key: str,
        base_url: str,
        model: str,
        snippet_chars: int,
        wall_clock: Callable[[], float] = time.time,
    ) -> None:
        secret = _PREFIX.sub("", key, count=1)
        self._client = Client(transport, backend=NAME, secret=secret, to_error=to_error, cost_of=cost_of)
        self._key = key
        self._url = URL(base_url.rstrip("/") + "/chat/completions")
        self._model = model
        self._snippet_chars = snippet_chars
        self._wall_clock = wall_clock
        self._headers = {**HEADERS, "Authorization": f"Bearer {key}"} if key else HEADERS

    async def answer(self, request: SearchRequest) -> Answer:
        """Ask the model; raise `OptionUnsupported` for any option, or `BackendError`."""
        check(self.capabilities, NAME, request)
        call = self._call(request, stream=False)
        now = self._wall_clock()

        def read(body: object) -> Answer:
            draft = Draft()
            draft.take(to_piece(body, call.secrets, now=now))
            if not draft.text and not isinstance(field(body, "choices"), list):
                raise errors.InvalidAnswer(NAME)
            return self._show(draft, request)

        return await self._client.ask(call, read, act=Act.ANSWER)

    def stream(self, request: SearchRequest) -> AsyncGenerator[Answer, None]:
        """Yield the answer as it grows, as `Streamer` says; raise `OptionUnsupported` or `BackendError`."""
        check(self.capabilities, NAME, request)
        call = self._call(request, stream=True)
        now = self._wall_clock()
        events = self._client.events(call)
        return grow(
            events, lambda event: to_piece(event, call.secrets, now=now), lambda draft: self._show(draft, request)
        )

    async def close(self) -> None:
        """Close the connections; closing twice does no harm."""
        await self._client.close()

    def _call(self, request: SearchRequest, *, stream: bool) -> http.Call:
        payload = to_payload(request, model=self._model, stream=stream)
        return post(self._url, payload, headers=self._headers, secrets=(self._key, request.query))

    def _show(self, draft: Draft, request: SearchRequest) -> Answer:
        return self._client.guard(to_answer(draft, request, snippet_chars=self._snippet_chars))


def to_payload(request: SearchRequest, *, model: str, stream: bool = False) -> dict[str, object]:
    """Return the body of the request, with the fields alone that every such endpoint takes."""
    messages = [{"role": "system", "content": SYSTEM_PROMPT}, {"role": "user", "content": request.query}]
    return {"model": model, "messages": messages, "stream": stream}


def to_piece(event: object, secrets: tuple[str, ...], *, now: float) -> Piece:
    """Return what an event of a stream, or a whole body, adds; one that nobody knows adds nothing.

    Raise the `BackendError` that it stands for; `secrets` are the texts that it may not show.
    """
    error = field(event, "error")
    if error:
        raise _refusal(error, None, secrets)
    choices = field(event, "choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = field(choice, "delta") or field(choice, "message")
    reason = field(choice, "finish_reason")
    refusal = to_text(field(message, "refusal"))
    said = _said(field(message, "content"))
    if refusal or (reason == "content_filter" and not said):
        raise errors.ContentProhibited(NAME, explain(refusal, secrets), billed=True, cost=cost_of(event))
    results, citations = field(event, "search_results"), field(event, "citations")
    return Piece(
        text=said,
        sources=_rows(results if isinstance(results, list) and results else citations, now),
        added=_rows(field(message, "annotations"), now) or [],
        cost=cost_of(event),
        broken=to_text(reason) in {"length", "content_filter", "error"},
    )


def to_answer(draft: Draft, request: SearchRequest, *, snippet_chars: int) -> Answer:
    """Clean an answer; its marks count the block of sources that it ends in, or else the sources that came beside it.

    Raise `BackendUnable` where it says nothing.
    """
    cited = citing.split(_THINKING.sub("", draft.text, count=1), whole=draft.complete)
    beside = [*draft.sources, *draft.added]
    return pages.to_answer(
        cited.text,
        [*cited.sources, *beside],
        request,
        backend=NAME,
        snippet_chars=snippet_chars,
        complete=draft.complete,
        cost=draft.cost,
        known=draft.known,
    )


def to_error(reply: http.Reply, secrets: tuple[str, ...]) -> errors.BackendError:
    """Return the error that an answer stands for which is no success: the status decides, but for a few known words."""
    body = jsonbody.decode(reply.body)
    error = field(body, "error") or field(body, "detail") or excerpt(reply.body)
    return _refusal(error, reply, secrets)


def cost_of(body: object) -> float | None:
    """Return what a decoded answer says that it costs, in US dollars (OpenRouter, Perplexity), or None."""
    cost = field(field(body, "usage"), "cost")
    return price(field(cost, "total_cost") if isinstance(cost, dict) else cost, 1.0, dearest=DEAREST)


def _refusal(error: object, reply: http.Reply | None, secrets: tuple[str, ...]) -> errors.BackendError:
    """Return the error for what stands under `error`: with a success, its own code is taken for the status."""
    code, kind = field(error, "code"), field(error, "type")
    named = next((word for word in (code, kind) if isinstance(word, str) and word in _WORDS), None)
    said = to_text(error) or to_text(field(error, "message"))
    tag = next((word for word in (code, kind) if isinstance(word, str)), "")
    detail, tag = explain(said, secrets), explain(tag, secrets)
    # A stream's errors may be billed: its answer had begun.
    billed = reply is None
    if named is not None:
        return _WORDS[named](NAME, detail, tag, billed=billed)
    status = reply.status if reply is not None else code
    found = _KINDS.get(status, errors.BackendBroken) if isinstance(status, int) else errors.BackendBroken
    if issubclass(found, errors.RateLimited | errors.BackendOverloaded):
        return found(NAME, detail, tag, reply.retry_after if reply else None, billed=billed)
    return found(NAME, detail, tag, billed=billed)


def _said(content: object) -> str:
    """Return a message's text, which some endpoints send in parts."""
    if isinstance(content, list):
        return "".join(to_text(field(part, "text")) for part in content)
    return to_text(content)


def _rows(found: object, now: float) -> list[rows.Row | None] | None:
    if not isinstance(found, list):
        return None
    return [_to_row(item, now) for item in found[: rows.MOST]]


def _to_row(item: object, now: float) -> rows.Row | None:
    """Return a source as a row: an address alone, a result, or a citation as annotations hold it."""
    source = field(item, "url_citation") or item
    url = source if isinstance(source, str) else field(source, "url")
    if not isinstance(url, str):
        return None
    return rows.Row(
        url=url,
        title=to_text(field(source, "title")),
        snippet=to_text(field(source, "snippet")) or to_text(field(source, "content")),
        published=dates.parse(field(source, "date"), now=now),
    )


# What `open_engine` reads: a change of any of these opens the engine anew.
SETTINGS: Final = ("chat_api_key", "chat_base_url", "chat_model", "web_snippet_chars", "web_answer_timeout_s")


async def open_engine(config: Config, _progress: Progress | None) -> ChatAnswerer:
    """Open the engine as it's configured; the caller closes it."""
    return ChatAnswerer(
        http.Transport(http.open_session(), backend=NAME, timeout_s=config.web_answer_timeout_s),
        key=config.chat_api_key,
        base_url=config.chat_base_url,
        model=config.chat_model,
        snippet_chars=config.web_snippet_chars,
    )


def list_price(_config: Config, _act: Act) -> float:
    """Tell what an answer costs: only the endpoint knows."""
    return 0.0
