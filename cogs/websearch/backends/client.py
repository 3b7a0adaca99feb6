"""Ask an engine's API: send a call, refuse what is no success, and let no answer through that holds the key."""

from __future__ import annotations

import asyncio
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, TypeVar

import msgspec

from .. import errors
from ..charges import Act
from ..models import Answer, FetchedPage, SearchPage
from . import http, jsonbody, leaks, sse
from .redaction import explain

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Mapping

    from yarl import URL

Value = TypeVar("Value")

# What goes with each call; nothing in it says who searches.
HEADERS: Final = MappingProxyType(
    {"Accept": "application/json", "Accept-Encoding": "gzip, deflate", "User-Agent": "discord-websearch"}
)
# What these statuses say of most APIs; an engine's own table has what is otherwise there.
KINDS: Final[Mapping[int, type[errors.BackendError]]] = MappingProxyType(
    {
        400: errors.RequestRejected,
        401: errors.KeyRefused,
        403: errors.FeatureDisabled,
        404: errors.EndpointMissing,
        503: errors.BackendOverloaded,
        504: errors.BackendTimeout,
    }
)


class Event(msgspec.Struct, frozen=True):
    """Hold one decoded event of a stream; `lost` counts the requests before that weren't answered."""

    body: object
    lost: int


class Client:
    """Ask one engine over a transport that it takes over and closes.

    `backend` is the engine's name as shown. `secret` is the key without what all keys of the engine begin with, since
    pages that explain the engine show that part; empty where the engine has no keys. `to_error` makes an error of a
    reply that is no success and of the texts that it may not show, `cost_of` reads out of a decoded answer what it
    costs in US dollars.
    """

    def __init__(
        self,
        transport: http.Transport,
        *,
        backend: str,
        secret: str,
        to_error: Callable[[http.Reply, tuple[str, ...]], errors.BackendError],
        cost_of: Callable[[object], float | None],
    ) -> None:
        self._transport = transport
        self._backend = backend
        self._to_error = to_error
        self._cost_of = cost_of
        self._key = leaks.Guard(secret)

    async def ask(self, call: http.Call, read: Callable[[object], Value], *, act: Act = Act.SEARCH) -> Value:
        """Return what `read` makes of the decoded answer; it raises `InvalidAnswer` where it can't.

        Raise `BackendError`, which says what was asked for.
        """
        try:
            return await self._ask(call, read)
        except errors.BackendError as error:
            error.act = act
            raise

    async def fetch(self, call: http.Call, read: Callable[[object], FetchedPage]) -> FetchedPage:
        """Return the page that `read` makes of the decoded answer; what is beyond `limits.BODY_BYTES` is left out.

        Raise `BackendError`: `PageUnreadable` also where the request isn't taken or has no response, since nothing but
        the page's address differs from one request to the next.
        """
        try:
            return await self.ask(msgspec.structs.replace(call, cuts=True), read, act=Act.READ)
        except (errors.RequestRejected, errors.BackendUnable) as error:
            refused = errors.PageUnreadable(**{name: getattr(error, name) for name in errors.PageUnreadable.parameters})
        # Outside the handler, so that the error has no context.
        raise refused

    async def _ask(self, call: http.Call, read: Callable[[object], Value]) -> Value:
        reply = await self._transport.call(call)
        if not 200 <= reply.status < 300:  # noqa: PLR2004 - the class of successes
            error = self._to_error(reply, call.secrets)
            error.lost = reply.lost
            raise error
        body = jsonbody.decode_cut(reply.body) if reply.cut else jsonbody.decode(reply.body)
        try:
            if self._key.is_in(reply.body):
                # Whatever sends the key back in results would have all members read it.
                raise errors.InvalidAnswer(self._backend)  # noqa: TRY301 - the one place that says what was sent
            found = read(body)
            if self._key.is_shown_by(msgspec.json.encode(found)):
                # JSON, HTML and tags can hide in a body what stands in the text that is made of it.
                raise errors.InvalidAnswer(self._backend)  # noqa: TRY301 - likewise
        except errors.InvalidAnswer as error:
            error.detail = explain(excerpt(reply.body), call.secrets)
            error.billed, error.cost, error.lost = True, self._cost_of(body), reply.lost
            raise
        if reply.lost and isinstance(found, SearchPage | FetchedPage | Answer):
            return msgspec.structs.replace(found, lost=reply.lost)
        return found

    async def events(self, call: http.Call) -> AsyncGenerator[Event, None]:
        """Yield the decoded events of an answer that comes as a stream (SSE), or the whole of one that doesn't.

        What isn't JSON is left out. Raise `BackendError` where the stream doesn't come, breaks, or holds the key.
        """
        lost = 0

        def begun(count: int) -> None:
            nonlocal lost
            lost = count

        chunks: asyncio.Queue[bytes | None] = asyncio.Queue()
        streaming = msgspec.structs.replace(call, begun=begun, feed=chunks.put_nowait)
        asked = asyncio.create_task(self._transport.call(streaming))
        asked.add_done_callback(lambda _: chunks.put_nowait(None))
        lines = sse.Lines()
        found = 0
        try:
            ended = False
            while not ended:
                chunk = await chunks.get()
                ended = chunk is None
                # Only of a stream that ended well the last line may lack its end.
                for data in lines.feed(b"\n" if chunk is None and not asked.exception() else chunk or b""):
                    event = self._event(data, call, lost)
                    if event is not None:
                        found += 1
                        yield Event(event, lost)
            reply = await asked
            if not 200 <= reply.status < 300:  # noqa: PLR2004 - the class of successes
                error = self._to_error(reply, call.secrets)
                error.lost = reply.lost
                raise error
            whole = None if found else self._event(reply.body, call, lost)
            if whole is not None:
                yield Event(whole, lost)
            elif not found:
                raise self._senseless(reply.body, call, lost)
        finally:
            asked.cancel()
            await asyncio.wait([asked])
            # Whoever left early doesn't care how it ended.
            _ = asked.cancelled() or asked.exception()

    def guard(self, found: Value) -> Value:
        """Return what was made of several events, unless it holds the key: then raise `InvalidAnswer`."""
        if self._key.is_shown_by(msgspec.json.encode(found)):
            raise errors.InvalidAnswer(self._backend, billed=True)
        return found

    def _event(self, data: bytes, call: http.Call, lost: int) -> object:
        if self._key.is_in(data):
            raise self._senseless(data, call, lost)
        return jsonbody.decode(data)

    def _senseless(self, data: bytes, call: http.Call, lost: int) -> errors.InvalidAnswer:
        detail = explain(excerpt(data), call.secrets)
        return errors.InvalidAnswer(self._backend, detail, billed=True, lost=lost)

    async def close(self) -> None:
        """Close the connections; closing twice does no harm."""
        await self._transport.close()


def post(url: URL, payload: object, *, headers: Mapping[str, str], secrets: tuple[str, ...]) -> http.Call:
    """Return the call that sends a payload as JSON."""
    headers = {**headers, "Content-Type": "application/json"}
    return http.Call(method="POST", url=url, headers=headers, body=msgspec.json.encode(payload), secrets=secrets)


def refusal(
    reply: http.Reply,
    said: object,
    secrets: tuple[str, ...],
    *,
    backend: str,
    kinds: Mapping[int, type[errors.BackendError]],
    tag: str = "",
) -> errors.BackendError:
    """Return the error for a reply that is no success: by its status alone, as `kinds` has it.

    `said` is the message that was found in it; where that's no text, the beginning of the body stands for it.
    """
    detail = explain(said if isinstance(said, str) else excerpt(reply.body), secrets)
    kind = errors.RateLimited if reply.status == 429 else kinds.get(reply.status, errors.BackendBroken)  # noqa: PLR2004
    if issubclass(kind, errors.RateLimited | errors.BackendOverloaded):
        return kind(backend, detail, tag, reply.retry_after)
    return kind(backend, detail, tag)


def excerpt(body: bytes) -> str:
    """Return the beginning of a body as text, whatever it is, for an error's detail."""
    return body[: http.ERROR_BYTES].decode(errors="replace")


def to_text(value: object) -> str:
    """Return a field of an answer that should be a text, or an empty one where it's none."""
    return value if isinstance(value, str) else ""


def field(body: object, name: str) -> object:
    """Return a field of a decoded answer, or None where there is none."""
    return body.get(name) if isinstance(body, dict) else None


def price(units: object, unit: float, *, dearest: float) -> float | None:
    """Return what so many units cost, at `unit` US dollars each, or None where that's no amount up to `dearest`."""
    if isinstance(units, bool) or not isinstance(units, int | float):
        return None
    # Neither infinity nor what is no number passes this, and a number of thousands of digits is never multiplied.
    return units * unit if 0 <= units <= dearest / unit else None
