"""Let a reply grow with an answer that an engine sends piece by piece."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final

from . import plain_answer, render_answer, replies
from .models import Answered

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from .i18n import Words
    from .models import Answer, SearchRequest

# Between two edits of a reply, in seconds: each is a request, and nobody reads faster.
EVERY_SECONDS: Final = 1.0


class Growth:
    """Show the newest of what has come, at most once a second, in a reply that was acknowledged.

    `sleep` waits for so many seconds.
    """

    def __init__(
        self,
        interaction: replies.Interaction,
        request: SearchRequest,
        words: Words,
        *,
        sleep: Callable[[float], Awaitable[None]],
    ) -> None:
        self._interaction = interaction
        self._request = request
        self._words = words
        self._sleep = sleep
        self._newest: Answer | None = None
        self._come = asyncio.Event()
        self._ended = False

    def take(self, answer: Answer) -> None:
        """Show an answer as it is by now, as soon as that may be; a complete one is left to whoever ends the reply."""
        if not answer.complete:
            self._newest = answer
            self._come.set()

    @asynccontextmanager
    async def showing(self) -> AsyncIterator[None]:
        """Show what is taken inside; afterwards nothing is under way that could come after the reply's last edit."""
        shown = asyncio.create_task(self._show(), name="websearch answer growing")
        try:
            yield
        finally:
            self._ended = True
            self._come.set()
            try:
                await shown
            finally:
                # Where whoever waits for the answer is cancelled, too.
                shown.cancel()

    async def _show(self) -> None:
        while True:
            await self._come.wait()
            self._come.clear()
            if self._ended or self._newest is None:
                return
            answered = Answered(request=self._request, answer=self._newest)
            embeds = replies.may_embed(self._interaction)
            look = render_answer.growing if embeds else plain_answer.growing
            if await replies.complete(self._interaction, look(answered, self._words), None) is replies.Sent.GONE:
                return
            await self._sleep(EVERY_SECONDS)
