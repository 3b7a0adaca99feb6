"""Let a test make requests fail, hang or break."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from random import Random

    from .changes import Changes
    from .refusals import Json


# What acknowledges, answers and follows up interactions, and what a bot does in channels.
_USUAL: Final = r"^/(interactions|webhooks|channels)/"


@dataclass(frozen=True)
class Chance:
    """Strike a share of the requests (0 to 1), as `random` has it."""

    random: Random
    share: float

    def strikes(self) -> bool:
        """Roll once."""
        return self.random.random() < self.share


@dataclass(eq=False)
class Fault:
    """Hold one way in which requests go wrong, and count how often it did.

    `after` is true where the request does take effect and only its answer is lost. `seconds` are real ones. Without a
    `chance`, each request that matches goes wrong.
    """

    changes: Changes
    method: str
    path: re.Pattern[str]
    times: int | None
    after: bool = False
    status: int | None = None
    body: Json | str = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    drop: bool = False
    gate: asyncio.Event | None = None
    seconds: float = 0.0
    chance: Chance | None = None
    hits: int = 0

    def matches(self, method: str, path: str) -> bool:
        """Tell whether a request goes wrong this way, and it's still to go wrong."""
        fits = self.method in (method, "*") and self.path.search(path) is not None
        return fits and not self.spent() and (self.chance is None or self.chance.strikes())

    def spent(self) -> bool:
        """Tell whether it has gone wrong as often as it was to."""
        return self.times is not None and self.hits >= self.times

    async def reached(self, hits: int = 1) -> None:
        """Wait until so many requests have run into it."""
        await self.changes.until(
            lambda: self.hits >= hits, lambda: f"{self.method} {self.path.pattern} ({self.hits} of {hits} requests)"
        )

    def release(self) -> None:
        """Let held requests go on, and hold no more."""
        self.times = self.hits
        if self.gate is not None:
            self.gate.set()


def rate_limited(retry_after: float, *, everywhere: bool) -> tuple[Json, dict[str, str]]:
    """Build the body and the headers of a 429, as Discord's servers send them through their proxy."""
    body = {"message": "You are being rate limited.", "retry_after": retry_after, "global": everywhere}
    headers = {
        "Retry-After": str(max(1, round(retry_after))),
        "X-RateLimit-Reset-After": str(retry_after),
        "X-RateLimit-Scope": "global" if everywhere else "user",
        "Via": "1.1 google",
    }
    return body, headers


class Faults:
    """Hold the faults in the order in which they were asked for; the first that matches counts."""

    def __init__(self, changes: Changes) -> None:
        self._changes = changes
        self._faults: list[Fault] = []

    def fail(  # noqa: PLR0913 - a test names the few that it needs, and it reads as a sentence
        self,
        method: str,
        path: str,
        *,
        status: int = 500,
        times: int | None = 1,
        code: int = 0,
        retry_after: float | None = None,
        body: Json | str | None = None,
        after: bool = False,
        chance: Chance | None = None,
    ) -> Fault:
        """Answer requests with an error: `method` may be "*", `path` is a pattern to be found in the path.

        `retry_after` (seconds) makes it a 429. `body` replaces Discord's usual one. With `times` None it never ends.
        """
        fault = Fault(self._changes, method, re.compile(path), times, after=after, status=status, chance=chance)
        fault.body = {"message": f"{status}: made to fail", "code": code} if body is None else body
        if retry_after is not None or status == HTTPStatus.TOO_MANY_REQUESTS:
            fault.status = HTTPStatus.TOO_MANY_REQUESTS
            fault.body, fault.headers = rate_limited(retry_after or 0.0, everywhere=False)
        self._faults.append(fault)
        return fault

    def drop(
        self, method: str, path: str, *, times: int | None = 1, after: bool = False, chance: Chance | None = None
    ) -> Fault:
        """Cut the connection instead of answering."""
        fault = Fault(self._changes, method, re.compile(path), times, after=after, drop=True, chance=chance)
        self._faults.append(fault)
        return fault

    def slow(
        self,
        method: str,
        path: str,
        seconds: float,
        *,
        times: int | None = 1,
        after: bool = False,
        chance: Chance | None = None,
    ) -> Fault:
        """Take real `seconds` longer, for a load that goes on; what happens until an answer is seen with `hold`."""
        fault = Fault(self._changes, method, re.compile(path), times, after=after, seconds=seconds, chance=chance)
        self._faults.append(fault)
        return fault

    def disturb(
        self, random: Random, share: float, path: str = _USUAL, *, seconds: float = 0.05, after: bool = False
    ) -> list[Fault]:
        """Let a share of the requests go wrong until `clear`, in four ways as often: 500, 429, cut off, and slow.

        `seconds` is how long a 429 asks to wait and a slow answer takes, in real time. A client that tries again after
        a 500 waits as long as it likes. With `after`, they took effect: an acknowledgement that is sent again is then
        refused (40060), which counts as a problem of the client.
        """
        # Each way gets a quarter of the whole, though it's rolled for only where those before didn't strike.
        chances = [Chance(random, share / 4 / (1 - share * before / 4)) for before in range(4)]
        return [
            self.fail("*", path, times=None, after=after, chance=chances[0]),
            self.fail("*", path, times=None, after=after, retry_after=seconds, chance=chances[1]),
            self.drop("*", path, times=None, after=after, chance=chances[2]),
            self.slow("*", path, seconds, times=None, after=after, chance=chances[3]),
        ]

    def hold(self, method: str, path: str, *, times: int | None = None, after: bool = False) -> Fault:
        """Hold requests, or their answers with `after`, until `release`."""
        fault = Fault(self._changes, method, re.compile(path), times, after=after, gate=asyncio.Event())
        self._faults.append(fault)
        return fault

    def take(self, method: str, path: str) -> Fault | None:
        """Return the fault that a request runs into, and count it."""
        for fault in self._faults:
            if fault.matches(method, path):
                fault.hits += 1
                self._changes.notify()
                return fault
        return None

    def forget_spent(self) -> None:
        """Forget the faults that will strike no more."""
        self._faults = [fault for fault in self._faults if not fault.spent()]

    def clear(self) -> None:
        """Let everything go on, and forget the faults."""
        for fault in self._faults:
            fault.release()
        self._faults.clear()
