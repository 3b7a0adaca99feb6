"""Carry requests to engines: one pool of connections, one deadline, retries, and a cap on what is read."""

from __future__ import annotations

import asyncio
import math
import random as _random
import time
from collections.abc import Callable, Mapping
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Final

import aiohttp
import msgspec
from aiohttp.http_exceptions import ContentEncodingError
from yarl import URL

from .. import errors, limits
from . import terms
from .redaction import explain

if TYPE_CHECKING:
    from collections.abc import Awaitable

    import tenacity
    from aiohttp.abc import AbstractStreamWriter

# One try and three more: enough for a stumble, few enough not to press on an engine that is down.
TRIES: Final = 4
# The longest wait before the second try, in seconds; it doubles with each further one.
BACKOFF_S: Final = 0.25
# Statuses that may be gone the next moment.
PASSING: Final = frozenset({429, 500, 502, 503, 504})
# Connections to one engine at a time: at a second a search, as many searches a second.
CONNECTIONS: Final = 50
# Of an error's body only a sentence is needed, and its size must not hide what the error is.
ERROR_BYTES: Final = 64 * 1024
# A server that says "not before next year" is believed for a day.
LONGEST_WAIT_S: Final = 24 * 3600.0

# The deadline lies over all tries together, so aiohttp's own timers, one a request, have nothing to do.
_NO_TIMEOUT: Final = aiohttp.ClientTimeout(total=None, sock_connect=None)


class Call(msgspec.Struct, frozen=True, kw_only=True):
    """Hold one request: `secrets` are the texts that no error may show, such as the key and the query.

    `bills` is true for a request without a body that costs all the same. Where there's a body, it's what costs. With
    `cuts`, what is beyond `limits.BODY_BYTES` is left out, not refused. `feed` is called with each piece of a success
    as it comes, and before the first one `begun` with the count of requests that were lost. `timeout_s` is the deadline
    where it's another than the transport's.
    """

    method: str
    url: URL
    headers: Mapping[str, str]
    body: bytes | None = None
    secrets: tuple[str, ...] = ()
    bills: bool = False
    cuts: bool = False
    begun: Callable[[int], None] | None = None
    feed: Callable[[bytes], None] | None = None
    timeout_s: float | None = None

    # What it holds must not come into a log by way of a message or a traceback.
    __repr__ = object.__repr__


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """Hold what came back: the status, the body unpacked, and the seconds that the server asks us to wait.

    `cut` is true where the body is only the beginning of what there was. `lost` counts the tries before that went out
    and weren't answered.
    """

    status: int
    body: bytes
    retry_after: float | None = None
    cut: bool = False
    lost: int = 0

    __repr__ = object.__repr__


class _Body(aiohttp.BytesPayload):
    """Know whether it was sent: only then can an engine have made what was asked for."""

    sent = False

    async def write_with_length(self, writer: AbstractStreamWriter, content_length: int | None) -> None:
        """Write the body, once there is a connection and the request's head is on its way."""
        self.sent = True
        await super().write_with_length(writer, content_length)


class _Trip:
    """Follow the tries of one call: how many went out that nothing has answered, did a success begin to come."""

    def __init__(self) -> None:
        self.body: _Body | None = None
        self.lost = 0
        self.succeeding = False

    @property
    def unanswered(self) -> bool:
        """Tell whether the try that's under way went out."""
        return self.body is not None and self.body.sent

    def bill(self, error: errors.BackendError) -> None:
        """Note in an error which of the tries may be billed."""
        tries = self.lost + (self.unanswered or self.succeeding)
        error.billed, error.lost = tries > 0, max(tries - 1, 0)


_NO_BODY: Final = ("Content-Type",)

# Errors travel as values up to where they can be raised without a context.
Outcome = Reply | errors.BackendError


def open_session() -> aiohttp.ClientSession:
    """Open the pool of connections that a `Transport` takes over; needs a running event loop."""
    session = aiohttp.ClientSession(
        # What an engine knows of one search must not travel with the next.
        cookie_jar=aiohttp.DummyCookieJar(),
        # A slow engine must not use up the process's descriptors, which Discord's connections need as well. What waits
        # for a connection waits within its deadline.
        connector=aiohttp.TCPConnector(limit=CONNECTIONS),
    )
    # Where the connection of a GET breaks, aiohttp asks again by itself, as often as we do on top: a search that costs
    # would be asked for eight times.
    session._retry_connection = False  # noqa: SLF001 - nothing public switches it off, and a test holds it
    return session


class Transport:
    """Send requests of one engine over a pooled session that it takes over and closes.

    `timeout_s` lies over everything that one call does: connecting, every try, the waits between, reading; where the
    search has `terms`, theirs does, and each further try takes its turn. `sleep` and `clock` (monotonic) are in
    seconds, `random` is in [0, 1), `wall_clock` tells Unix seconds.
    """

    def __init__(  # noqa: PLR0913 - clocks, sleep and randomness are passed in
        self,
        session: aiohttp.ClientSession,
        *,
        backend: str,
        timeout_s: float,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        clock: Callable[[], float] = time.monotonic,
        random: Callable[[], float] = _random.random,
        wall_clock: Callable[[], float] = time.time,
    ) -> None:
        self._session = session
        self._backend = backend
        self._timeout_s = timeout_s
        self._sleep = sleep
        self._clock = clock
        self._random = random
        self._wall_clock = wall_clock

    async def close(self) -> None:
        """Close the connections; closing twice does no harm."""
        await self._session.close()

    async def call(self, call: Call) -> Reply:
        """Return what the engine answers, whatever the status but a redirect, after retries where they may help.

        A wait that the deadline does not leave room for is not begun: the last answer is returned, or the last error
        raised. What broke after the head of a success isn't asked for again: each answer is billed. Raise
        `BackendTimeout`, `BackendUnreachable`, `UnexpectedRedirect`, `AnswerTooLarge` or `InvalidAnswer`.
        """
        trip = _Trip()
        retries = _load_retries()
        own = terms.current()
        if own is not None:
            # On a busy machine whoever waits for the call may give up before its own deadline is noticed.
            own.begin(trip.bill)
        usual = self._timeout_s if own is None else own.timeout_s
        # What answers are allowed is longer than what searches are, but never more than what's left.
        longer = call.timeout_s if call.timeout_s is None or own is None else min(call.timeout_s, own.timeout_s)
        timeout_s = usual if longer is None else longer
        deadline = self._clock() + timeout_s
        try:
            async with asyncio.timeout(timeout_s) if own is None else own.limit(timeout_s):
                outcome = await self._try(call, trip)
                if retries and _passing(outcome) and not trip.succeeding:
                    outcome = await self._try_again(call, trip, outcome, deadline)
        except TimeoutError:
            outcome = errors.BackendTimeout(self._backend)
        # Outside the handlers, so that an error carries nothing of what aiohttp was doing as its context.
        if isinstance(outcome, errors.BackendError):
            trip.bill(outcome)
            raise outcome
        return msgspec.structs.replace(outcome, lost=trip.lost) if trip.lost else outcome

    async def _try_again(self, call: Call, trip: _Trip, first: Outcome, deadline: float) -> Outcome:
        import tenacity  # noqa: PLC0415 - see `_load_retries`

        own = terms.current()
        # tenacity's own work takes a fifth of a bare request, so that it is told of the first try afterwards.
        last, told, sent_away = first, False, False

        def stop(state: tenacity.RetryCallState) -> bool:
            return sent_away or state.attempt_number >= TRIES or self._clock() + state.upcoming_sleep >= deadline

        async def attempt() -> Outcome:
            nonlocal last, told, sent_away
            if not told:
                told = True
            elif own is not None and not await own.turn(deadline - self._clock()):
                sent_away = True
            else:
                last = await self._try(call, trip)
            return last

        retrying = tenacity.AsyncRetrying(
            sleep=self._sleep,
            wait=self._wait,
            stop=stop,
            retry=tenacity.retry_if_result(lambda outcome: _passing(outcome) and not trip.succeeding),
            retry_error_callback=_outcome,
        )
        return await retrying(attempt)

    def _wait(self, state: tenacity.RetryCallState) -> float:
        # Between a half and the whole, so that searches that failed together do not come back together.
        backoff: float = BACKOFF_S * 2 ** (state.attempt_number - 1) * (0.5 + self._random() / 2)
        outcome = _outcome(state)
        asked = outcome.retry_after if isinstance(outcome, Reply) else None
        return backoff + (asked or 0.0)

    async def _try(self, call: Call, trip: _Trip) -> Outcome:
        # aiohttp tells nobody whether a request without a body was sent; of one with an empty body, the body does.
        body = b"" if call.body is None and call.bills else call.body
        trip.body = None if body is None else _Body(body)
        outcome = await self._send(call, trip)
        trip.lost += trip.unanswered
        # A deadline during the wait for the next try finds nothing on its way.
        trip.body = None
        return outcome

    async def _send(self, call: Call, trip: _Trip) -> Outcome:
        try:
            async with self._session.request(
                call.method,
                call.url,
                data=trip.body,
                headers=call.headers,
                # An empty body has no type.
                skip_auto_headers=None if call.body else _NO_BODY,
                allow_redirects=False,
                timeout=_NO_TIMEOUT,
            ) as response:
                return await self._read(response, call, trip)
        except aiohttp.ClientResponseError as error:
            # Not `str(error)`: that holds the URL, and the error holds the headers that were sent.
            return errors.InvalidAnswer(self._backend, _explain(error.message, call))
        except aiohttp.ClientPayloadError as error:
            kind = errors.InvalidAnswer if _undecodable(error) else errors.BackendUnreachable
            return kind(self._backend, _explain(str(error), call))
        except (aiohttp.ClientError, OSError, UnicodeError) as error:
            # UnicodeError: an address whose host no name server can be asked for.
            return errors.BackendUnreachable(self._backend, _explain(f"{type(error).__name__}: {error}", call))

    async def _read(self, response: aiohttp.ClientResponse, call: Call, trip: _Trip) -> Outcome:
        status = response.status
        trip.succeeding = 200 <= status < 300  # noqa: PLR2004 - the class of successes
        trip.body = None
        if 300 <= status < 400:  # noqa: PLR2004 - the class of redirects
            return errors.UnexpectedRedirect(self._backend, _explain(response.headers.get("Location", ""), call))
        failed = status >= 400  # noqa: PLR2004 - the classes of errors
        if call.begun is not None and not failed:
            call.begun(trip.lost)
        chunks: list[bytes] = []
        size = 0
        cut = False
        while chunk := await response.content.readany():
            chunks.append(chunk)
            size += len(chunk)
            if failed and size > ERROR_BYTES:
                break
            cut = size > limits.BODY_BYTES
            if cut and not call.cuts:
                return errors.AnswerTooLarge(self._backend)
            if call.feed is not None and not failed:
                call.feed(chunk)
            if cut:
                break
        retry_after = parse_retry_after(response.headers.get("Retry-After"), now=self._wall_clock()) if failed else None
        return Reply(status=status, body=b"".join(chunks)[: limits.BODY_BYTES], retry_after=retry_after, cut=cut)


def _load_retries() -> bool:
    """Load what tries again, before it's needed, and tell whether it's there.

    A bot that starts needn't wait for it, and a process that runs out of descriptors later couldn't load it by then.
    One that has none for its first call has none for another try either.
    """
    try:
        import tenacity  # noqa: F401, PLC0415 - see above
    except (ImportError, OSError):
        return False
    return True


def _explain(message: str, call: Call) -> str:
    return explain(message, call.secrets, host=call.url.host or "")


def _passing(outcome: Outcome) -> bool:
    """Tell whether the next try may go better."""
    if isinstance(outcome, Reply):
        return outcome.status in PASSING
    return isinstance(outcome, errors.BackendUnreachable)


def _outcome(state: tenacity.RetryCallState) -> Outcome:
    assert state.outcome is not None  # noqa: S101 - tenacity asks after a try
    outcome: Outcome = state.outcome.result()
    return outcome


def _undecodable(error: aiohttp.ClientPayloadError) -> bool:
    """Tell whether a body that ended early did so because it can't be unpacked, not because the connection broke."""
    return isinstance(error.__cause__, ContentEncodingError)


def parse_retry_after(header: str | None, *, now: float) -> float | None:
    """Return how many seconds a Retry-After header asks to wait (RFC 9110, 10.2.3), or None where it says nothing.

    It names seconds, or a date that is compared with `now` in Unix seconds. The past is 0, and a day is the most.
    """
    if header is None:
        return None
    try:
        seconds = float(header)
    except ValueError:
        try:
            date = parsedate_to_datetime(header)
            # A date in "-0000" comes back without a zone and is in UTC.
            seconds = (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp() - now
        except (ValueError, OverflowError):
            return None
    return None if math.isnan(seconds) else min(max(seconds, 0.0), LONGEST_WAIT_S)
