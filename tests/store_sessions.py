"""Make sessions for the tests of the store."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeAlias

from cogs.websearch.models import (
    Asker,
    Category,
    Outcome,
    Period,
    SearchPage,
    SearchRequest,
    SearchResult,
    Session,
    SiteRules,
)
from cogs.websearch.store.sqlite import SqliteStore

# What opens a store that is closed at the end of the test at the latest.
Opener: TypeAlias = Callable[[str | Path], Awaitable[SqliteStore]]


def a_session(session_id: str = "id", *, expires: float = 100.0, query: str = "why is the sky blue") -> Session:
    """Return a session that uses every field."""
    request = SearchRequest(
        query=query,
        count=5,
        category=Category.PERSONAL_SITE,
        period=Period.WEEK,
        sites=("example.com",),
        rules=SiteRules(owner_blocked=("example.org",)),
    )
    result = SearchResult(
        title="Blau ist 蓝色 🟦",
        url="https://example.com/sky",
        host="example.com",
        snippet="Light is scattered.",
        published=datetime(2026, 11, 30, 12, tzinfo=UTC),
        image="https://example.com/sky.png",
    )
    return Session(
        id=session_id,
        asker=Asker(user_id=2**63 - 1, channel_id=2, guild_id=3, user_install=True),
        content=Outcome(request=request, page=SearchPage(backend="Exa", results=(result,), found=7, cost=0.007)),
        expires=expires,
        locale="en-GB",
        private=False,
    )
