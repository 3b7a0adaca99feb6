"""Define the custom ids of buttons and menus: each names a session, and nothing of what was searched for.

Where it leads to a page of the reply, counted from 0, it names that, too: pressed twice, it leads there twice.
"""

from __future__ import annotations

from typing import Final

_SESSION: Final = r"(?P<session>[A-Za-z0-9_-]{22})"
_PAGE: Final = r"(?P<page>\d{1,2})"

PAGE: Final = rf"websearch:page:{_SESSION}:{_PAGE}"
COPY: Final = rf"websearch:copy:{_SESSION}:{_PAGE}"
SHARE: Final = rf"websearch:share:{_SESSION}:{_PAGE}"
READ: Final = rf"websearch:read:{_SESSION}"
ANSWER: Final = rf"websearch:answer:{_SESSION}"
DELETE: Final = rf"websearch:delete:{_SESSION}"
# These name no session: they're about whoever presses.
FORGET_ME: Final = "websearch:forget-me"
PAUSE: Final = "websearch:pause"
RESUME: Final = "websearch:resume"


def page(session_id: str, number: int) -> str:
    """Name the button that leads to a page."""
    return f"websearch:page:{session_id}:{number}"


def copy(session_id: str, number: int) -> str:
    """Name the button that opens somebody else's reply for oneself, at a page."""
    return f"websearch:copy:{session_id}:{number}"


def share(session_id: str, number: int) -> str:
    """Name the button that puts a page of a private reply into the channel."""
    return f"websearch:share:{session_id}:{number}"


def read(session_id: str) -> str:
    """Name the menu of pages to read; its values are their numbers in the reply."""
    return f"websearch:read:{session_id}"


def answer(session_id: str) -> str:
    """Name the button that asks for an answer to what was searched for."""
    return f"websearch:answer:{session_id}"


def delete(session_id: str) -> str:
    """Name the button that deletes a reply."""
    return f"websearch:delete:{session_id}"
