"""Search for what nobody has searched for before, so that no repeat answers."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Final

from cogs.websearch.models import Asker, Category, Outcome, SearchRequest
from cogs.websearch.settings import Place

if TYPE_CHECKING:
    from cogs.websearch.service import SearchService

_NUMBERS: Final = count(1)


async def search(service: SearchService, user_id: int = 1, *, category: Category | None = None) -> Outcome:
    """Search as a member."""
    request = SearchRequest(query=f"pictures of a distant galaxy {next(_NUMBERS)}", count=1, category=category)
    return await service.search(request, Asker(user_id=user_id, channel_id=5), Place())
