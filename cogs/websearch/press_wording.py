"""Say why a press on a button or a choice in a menu under a reply does nothing, and why a reply doesn't appear."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from .i18n import N_

if TYPE_CHECKING:
    from collections.abc import Mapping

# By the key of an error.
SENTENCES: Final[Mapping[str, str]] = {
    "reply-refused": N_("Discord didn't take the reply: try again in a moment."),
    "session-ended": N_("This search is too old for its buttons: search again with /{search}."),
    "not-your-search": N_(
        "Only the member who searched can turn the pages: open the reply for yourself, or search with /{search}."
    ),
    "not-yours-to-delete": N_("Only the member who searched, or somebody who may manage messages, can delete this."),
    "already-asked": N_("That's on its way already: wait a moment."),
    "already-shared": N_("This is in the channel already."),
    "unfiltered": N_("This was found while the channel was age-restricted: search again with /{search}."),
    "sharing-forbidden": N_("You can't write in this channel, so you can't share anything here either."),
    "sharing-unseen": N_(
        "You may not use external apps in this channel, so Discord would show this to you alone: ask a moderator for"
        " that permission."
    ),
    "nothing-to-share": N_("The sites of these results aren't shown here any more, so there's nothing to share."),
}
