"""Find out whom a text really mentions, given what the body allows."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from .refusals import Json

_MENTION: Final = re.compile(r"<@(?P<role>&?)!?(?P<id>\d{1,20})>|@(?P<all>everyone|here)")


def pinged(content: str, allowed: Json | None) -> frozenset[str]:
    """Return the ids of users and roles that the text mentions, and "everyone"; without `allowed` all of them count."""
    found: set[str] = set()
    for match in _MENTION.finditer(content):
        kind = "everyone" if match["all"] else "roles" if match["role"] else "users"
        target = match["id"] or "everyone"
        if (
            allowed is None
            or kind in (allowed.get("parse") or ())
            or target in {str(one) for one in allowed.get(kind) or ()}
        ):
            found.add(target)
    return frozenset(found)
