"""Use /websearch sites as moderators do, and read what it says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from staff import Staff, ask

if TYPE_CHECKING:
    from cogs.websearch.playground.discord import Member, Message

CHANGES = ("block", "allow", "remove")
# What is said where there's no rule at all.
ALL = ["All sites are shown here."]


async def rule(staff: Staff, command: str, domains: str, locale: str = "en-US", *, by: Member | None = None) -> Message:
    """Use a subcommand that takes domains, as the server's manager where nobody else is named."""
    return await ask(by or staff.manager, staff.channel, f"sites {command}", locale, domains=domains)


def lines(reply: Message) -> list[str]:
    """Return the lines of a panel that is about the server, without the empty one before what holds."""
    (embed,) = reply.embeds
    assert embed["title"] == "This server"
    return [line for line in str(embed["description"]).splitlines() if line]


async def listed(staff: Staff) -> list[str]:
    """Ask for the list, as who may change nothing of it."""
    return lines(await ask(staff.moderator, staff.channel, "sites list"))
