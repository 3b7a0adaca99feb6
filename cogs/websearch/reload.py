"""Follow a configuration: take on its changes while the bot runs, and stay with the last good one where it's broken."""

from __future__ import annotations

import asyncio
import logging
import traceback
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Final

from .config_source import Unread
from .errors import ConfigNotGiven, OwnFault, WebSearchError
from .following import Following, asked_to_end
from .i18n import Words
from .owner_wording import explain_slip, place_of
from .wording import explain_to_owner

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from .config import Config
    from .config_source import Source
    from .slips import Slip

_log = logging.getLogger(__name__)

LOOK_SECONDS: Final = 1.0
# What can't be used is tried again each so many looks, also where it's unchanged: the cause may lie elsewhere, such as
# in a folder that was missing.
_AGAIN: Final = 10
# Different problems that are remembered as told; more at once are a source that never says the same.
_REMEMBERED: Final = 20
# How long a look waits, in seconds, for what it found to be taken on: most engines are open in no time, and what takes
# longer must not keep the next change waiting.
_PATIENCE: Final = 0.5
# How long closing waits, in seconds, for what's being opened to stop: a thread can't be interrupted, and on a drive
# that hangs it never stops.
_CLOSE_SECONDS: Final = 5.0
# What was opened with these stays open.
DATABASE: Final = "web-database"
_AT_START: Final = (DATABASE, "discord-token")


class Reloader:
    """Look at a source once a second, and let `take` take on what has changed.

    `take` raises `WebSearchError` for a configuration that can't be taken on, and has changed nothing then, nor where
    it's cancelled: a newer good configuration ends the taking of the one before. `sleep` waits for so many seconds.
    `pending` are the keys that were changed but wait for a restart.
    """

    def __init__(
        self,
        source: Source,
        config: Config,
        take: Callable[[Config], Awaitable[None]],
        *,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.pending: tuple[str, ...] = ()
        self._source = source
        self._config = config
        self._take = take
        self._sleep = sleep
        self._unreadable: WebSearchError | None = None
        self._untaken: WebSearchError | None = None
        # What's being taken on, or couldn't be: it isn't tried each second.
        self._tried: Config | None = None
        self._told: set[str] = set()
        self._unread = Unread()
        self._following = Following("websearch configuration", "changes of the configuration")
        self._taking: asyncio.Task[None] | None = None
        # That one, and those before it that were cancelled but haven't ended yet.
        self._takings: set[asyncio.Task[None]] = set()

    @property
    def unread(self) -> tuple[Slip, ...]:
        """Tell which keys of the configuration aren't read, though they were probably meant to be."""
        return self._unread.slips

    @property
    def problem(self) -> WebSearchError | None:
        """Tell why what the source holds now is not in force, or None where it is, or will be in a moment."""
        return self._unreadable or self._untaken

    def start(self) -> None:
        """Begin to follow, in a task of its own, until `close`; a source that never changes needs none."""
        self._tell_unread()
        if not self._source.fixed:
            self._following.start(self._follow)

    async def close(self) -> None:
        """Stop to follow, also while a change is taken on, within a few seconds; closing twice does no harm."""
        await self._following.close()
        self._drop()
        if self._takings:
            _, stuck = await asyncio.wait(set(self._takings), timeout=_CLOSE_SECONDS)
            if stuck:
                _log.warning("an engine that was being opened for a changed configuration doesn't stop")

    async def _follow(self) -> None:
        looks = 0
        while True:
            await self._sleep(LOOK_SECONDS)
            looks += 1
            await self._look(again=self.problem is not None and looks % _AGAIN == 0)

    async def _look(self, *, again: bool) -> None:
        try:
            found = await self._source.look(again=again)
        except (Exception, asyncio.CancelledError) as error:
            if asked_to_end():
                raise
            self._unreadable = self._tell(error)
            return
        if found is None:
            return
        self._unreadable = None
        self._tell_unread(found)
        if found != self._tried or (again and self._taking is None):
            await self._begin(found)

    async def _begin(self, found: Config) -> None:
        """Take on what was found instead of what is being taken on, and wait for it a moment."""
        self._drop()
        self._tried = found
        self._taking = taking = asyncio.create_task(self._take_on(found), name="websearch configuration taking")
        self._takings.add(taking)
        taking.add_done_callback(self._ended)
        await asyncio.wait({taking}, timeout=_PATIENCE)

    def _drop(self) -> None:
        """Cancel what is being taken on: once, for a second time would cut its cleaning up short."""
        taking, self._taking = self._taking, None
        if taking is not None:
            taking.cancel()

    def _ended(self, taking: asyncio.Task[None]) -> None:
        self._takings.discard(taking)
        if taking is self._taking:
            self._taking = None
        if not taking.cancelled():
            # What it raised while it was cancelled concerns nobody, nor the event loop's own log.
            taking.exception()

    async def _take_on(self, found: Config) -> None:
        new = replace(found, **{_attribute(key): getattr(self._config, _attribute(key)) for key in _AT_START})
        if new != self._config:
            try:
                await self._take(new)
            except (Exception, asyncio.CancelledError) as error:
                if asked_to_end():
                    raise
                self._untaken = self._tell(error)
                return
            _log.info("the configuration has changed: %s", ", ".join(_differing(self._config, new)))
            self._config = new
        pending = tuple(_differing(self._config, found))
        if pending and pending != self.pending:
            _log.warning("changed in the configuration, but used only after a restart: %s", ", ".join(pending))
            if DATABASE in pending:
                _log.warning("for %s, loading the cog anew does instead of a restart", DATABASE)
        self.pending = pending
        self._tried = self._untaken = None
        if self._told and self._unreadable is None:
            _log.info("the configuration is good again")
            self._told.clear()

    def _tell_unread(self, found: Config | None = None) -> None:
        """Log the keys that aren't read where they are others than before: nobody sees that they do nothing."""
        unread, before = self._source.unread, self._unread
        self._unread = unread
        if unread == before or not unread.slips:
            return
        words = Words()
        place = place_of(unread.path, words)
        said = " ".join(" ".join(explain_slip(slip, words, place=place)) for slip in unread.slips)
        if (found or self._config).enable_web_search:
            _log.warning("some keys of the configuration aren't read: %s", said)
        else:
            _log.warning("web search is switched off: %s", said)

    def _tell(self, error: BaseException) -> WebSearchError:
        """Return the problem that an error is, and log it unless it was since the configuration was last good."""
        problem = error if isinstance(error, WebSearchError) else OwnFault()
        # Of what a host's own code raised, and of a fault of ours, where it did, but not what it said: that may hold
        # anything.
        cause = error.__cause__ if isinstance(error, ConfigNotGiven) else error if problem is not error else None
        kind = "" if problem is error else f" ({type(error).__name__})"
        sentence = explain_to_owner(problem, Words()) + kind
        if sentence in self._told:
            return problem
        if len(self._told) >= _REMEMBERED:
            self._told.clear()
        self._told.add(sentence)
        where = "" if cause is None else "\n" + "".join(traceback.format_tb(cause.__traceback__))
        _log.warning("the last good configuration stays in force: %s%s", sentence, where)
        return problem


def _differing(one: Config, other: Config) -> list[str]:
    """Name the keys whose values differ."""
    names = (field.name for field in fields(one))
    return [name.replace("_", "-") for name in names if getattr(one, name) != getattr(other, name)]


def _attribute(key: str) -> str:
    return key.replace("-", "_")
