"""Keep what the buttons under a reply need."""

from __future__ import annotations

import secrets
from base64 import urlsafe_b64encode
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from . import site_rules
from .models import Reading, Session, SiteRules

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from .config import Config
    from .models import Asker, Content
    from .store.base import SessionStore


_ID_BYTES: Final = 16


def new_session_id() -> str:
    """Make an id of 22 URL-safe characters that nobody can guess (128 bits)."""
    return secrets.token_urlsafe(_ID_BYTES)


class Sessions:
    """Hold the sessions of replies for `web-session-hours`, over a store that several processes share.

    `config` tells the configuration of now, `rules` which sites may be shown in a server, or outside of any, `clock`
    Unix seconds; `new_id` makes ids. What members wait for is asked of
    the database inside what `noticing` makes for so many searches, which fail where it does.
    """

    def __init__(
        self,
        kept: SessionStore,
        config: Callable[[], Config],
        rules: Callable[[int | None], SiteRules],
        noticing: Callable[[int], AbstractContextManager[None]],
        *,
        clock: Callable[[], float],
        new_id: Callable[[], str] = new_session_id,
    ) -> None:
        self._kept = kept
        self._config = config
        self._rules = rules
        self._noticing = noticing
        self._clock = clock
        self._new_id = new_id

    async def keep(self, content: Content, asker: Asker, locale: str, *, private: bool, searches: int = 0) -> Session:
        """Store what the buttons under a new reply need; raise `StoreFailed`, by which so many searches fail."""
        session = Session(
            id=self._new_id(),
            asker=asker,
            content=content,
            expires=self._clock() + self._config().web_session_hours * 3600,
            locale=locale,
            private=private,
        )
        with self._noticing(searches):
            await self._save(session)
        return session

    async def copy(self, session: Session, asker: Asker, locale: str) -> Session:
        """Store what the buttons under somebody's private copy of a reply need; raise `StoreFailed`.

        A second copy takes the place of the first, so that nobody fills the database by opening one after the other;
        where the first was shared, it's shared, too.
        """
        digest = sha256(f"{session.id} {asker.user_id}".encode()).digest()[:_ID_BYTES]
        own_id = urlsafe_b64encode(digest).decode().rstrip("=")
        copy = replace(session, id=own_id, asker=asker, locale=locale, private=True, copied=True)
        with self._noticing(0):
            shared = await self._save(copy)
        return replace(copy, shared=shared)

    async def _save(self, session: Session) -> bool:
        # Up to `limits.BLOCKED_SITES` domains, and by the next press they may be others.
        return await self._kept.save(replace(session, content=_ruled(session.content, SiteRules())))

    async def recall(self, session_id: str, *, user_id: int, channel_id: int) -> Session | None:
        """Return the session of a reply in that channel, or None where it ended; raise `StoreFailed`.

        One of a private reply is there for its asker alone. Its request has the rules of now: what was found on a site
        that may not be shown any more is not to be shown again.
        """
        with self._noticing(0):
            session = await self._kept.load(session_id, now=self._clock())
        if session is None or session.asker.channel_id != channel_id:
            return None
        if session.private and session.asker.user_id != user_id:
            return None
        rules = self._rules(session.asker.guild_id)
        if isinstance(session.content, Reading) and not site_rules.shows(rules, session.content.page.host):
            return None
        return replace(session, content=_ruled(session.content, rules))

    async def claim_share(self, session: Session) -> bool:
        """Take it on to share a reply, unless it was shared, is just being shared, or has ended; tell whether it's so.

        Of any number of processes, one shares it. A claim that isn't settled ends by itself within a minute. Raise
        `StoreFailed`.
        """
        with self._noticing(0):
            return await self._kept.claim_share(session.id, now=self._clock())

    async def settle_share(self, session: Session, *, shared: bool) -> None:
        """Note whether a reply that was claimed is shared by now; raise `StoreFailed`."""
        with self._noticing(0):
            await self._kept.settle_share(session.id, shared=shared)

    async def forget(self, session: Session) -> None:
        """Delete the session of a reply that is gone; raise `StoreFailed`.

        That of a copy ends by itself: its asker may have opened it twice, and whoever opens it again is to find whether
        it was shared.
        """
        if not session.copied:
            await self._kept.delete(session.id)

    async def purge(self) -> None:
        """Delete the sessions that have ended; raise `StoreFailed`."""
        await self._kept.purge(now=self._clock())


def _ruled(content: Content, rules: SiteRules) -> Content:
    """Return what a reply shows, its request with these rules."""
    if isinstance(content, Reading):
        return content
    return replace(content, request=replace(content.request, rules=rules))
