"""Follow a configuration: take on its changes while the bot runs, and stay with the last good one where it's broken."""

from __future__ import annotations

import asyncio
import logging
import traceback
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Final

from .errors import ConfigNotGiven, WebSearchError
from .following import Following
from .i18n import Words
from .wording import explain_to_owner

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from .config import Config
    from .config_source import Source

_log = logging.getLogger(__name__)

LOOK_SECONDS: Final = 1.0
# What can't be used is tried again each so many looks, also where it's unchanged: the cause may lie elsewhere, such as
# in a folder that was missing.
_AGAIN: Final = 10
# Different problems that are remembered as told; more at once are a source that never says the same.
_REMEMBERED: Final = 20
# What was opened with these stays open.
_AT_START: Final = ("web-database", "discord-token")


class Reloader:
    """Look at a source once a second, and let `take` take on what has changed.

    `config` is the one in force. `take` raises `WebSearchError` for one that can't be taken on, and has changed nothing
    then. `sleep` waits for so many seconds. `problem` is why the source can't be used now; `pending` are the keys that
    were changed but wait for a restart.
    """

    def __init__(
        self,
        source: Source,
        config: Config,
        take: Callable[[Config], Awaitable[None]],
        *,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.problem: WebSearchError | None = None
        self.pending: tuple[str, ...] = ()
        self._source = source
        self._config = config
        self._take = take
        self._sleep = sleep
        # What couldn't be taken on isn't tried each second.
        self._refused: Config | None = None
        self._told: set[str] = set()
        self._following = Following("websearch configuration", "changes of the configuration")

    def start(self) -> None:
        """Begin to follow, in a task of its own, until `close`; a source that never changes needs none."""
        if not self._source.fixed:
            self._following.start(self._follow())

    async def close(self) -> None:
        """Stop to follow, also while a change is taken on; closing twice does no harm."""
        await self._following.close()

    async def _follow(self) -> None:
        looks = 0
        while True:
            await self._sleep(LOOK_SECONDS)
            looks += 1
            await self._look(again=self.problem is not None and looks % _AGAIN == 0)

    async def _look(self, *, again: bool) -> None:
        try:
            found = await self._source.look(again=again)
            if found is None or (found == self._refused and not again):
                return
            self._refused = found
            await self._take_on(found)
        except WebSearchError as error:
            self._tell(error)
            return
        if self.problem is not None:
            _log.info("the configuration is good again")
        self.problem = self._refused = None
        self._told.clear()

    async def _take_on(self, found: Config) -> None:
        new = replace(found, **{_attribute(key): getattr(self._config, _attribute(key)) for key in _AT_START})
        if new != self._config:
            await self._take(new)
            _log.info("the configuration has changed: %s", ", ".join(_differing(self._config, new)))
            self._config = new
        pending = tuple(_differing(self._config, found))
        if pending and pending != self.pending:
            _log.warning("changed in the configuration, but used only after a restart: %s", ", ".join(pending))
        self.pending = pending

    def _tell(self, error: WebSearchError) -> None:
        """Keep a problem for whoever asks, and log it unless it was since the configuration was last good."""
        self.problem = error
        sentence = explain_to_owner(error, Words())
        if sentence in self._told:
            return
        if len(self._told) >= _REMEMBERED:
            self._told.clear()
        self._told.add(sentence)
        # Of what a host's own code raised, where it did, but not what it said: that may hold anything.
        cause = error.__cause__ if isinstance(error, ConfigNotGiven) else None
        where = "" if cause is None else "\n" + "".join(traceback.format_tb(cause.__traceback__))
        _log.warning("the last good configuration stays in force: %s%s", sentence, where)


def _differing(one: Config, other: Config) -> list[str]:
    """Name the keys whose values differ."""
    names = (field.name for field in fields(one))
    return [name.replace("_", "-") for name in names if getattr(one, name) != getattr(other, name)]


def _attribute(key: str) -> str:
    return key.replace("-", "_")
