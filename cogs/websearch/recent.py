"""Remember the hosts of what members found lately, for `site` to offer them."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from .models import SearchPage

# How many members are remembered, and how many hosts of each: as many as Discord offers. Of hosts with twenty letters
# that's 2 kB a member, and so 20 MB at most.
MEMBERS: Final = 10_000
HOSTS: Final = 25


class Recent:
    """Hold, in memory alone, the hosts of members' last results, the latest first."""

    def __init__(self) -> None:
        self._hosts: OrderedDict[int, tuple[str, ...]] = OrderedDict()

    def note(self, user_id: int, page: SearchPage) -> None:
        """Remember the hosts of what a member found."""
        if not page.results:
            return
        found = dict.fromkeys((*(result.host for result in page.results), *self.hosts(user_id)))
        self._hosts[user_id] = tuple(found)[:HOSTS]
        self._hosts.move_to_end(user_id)
        if len(self._hosts) > MEMBERS:
            self._hosts.popitem(last=False)

    def hosts(self, user_id: int) -> tuple[str, ...]:
        """List the hosts of what a member found lately."""
        return self._hosts.get(user_id, ())

    def forget(self, user_id: int) -> None:
        """Forget a member."""
        self._hosts.pop(user_id, None)
