"""Make a server with moderators, and use /websearch as they do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from cogs.websearch.playground.discord import Channel, Guild, Member, Permission

if TYPE_CHECKING:
    from bots import Place
    from cogs.websearch.playground.discord import Message
    from cogs.websearch.playground.discord.options import Value

QUERY = "pictures of a distant galaxy"
# What a member reads in a channel that is switched off.
OFF_IN_CHANNEL = "Web search is off in this channel: search in another one, or ask a moderator to switch it on here."


@dataclass
class Staff:
    """Hold a category with a channel of each kind, threads in them, and moderators of different reach."""

    guild: Guild
    category: Channel
    channel: Channel
    forum: Channel
    places: dict[str, Channel]
    reader: Member
    moderator: Member
    manager: Member

    @classmethod
    def make(cls, place: Place) -> Self:
        """Make all of it in the server that has the reader."""
        guild = place.guild
        category = guild.add_category("Staff")
        channel = guild.add_text_channel("desk", category=category)
        forum = guild.add_forum("questions", category=category)
        places = {
            "channel": channel,
            "thread": channel.add_thread("side talk"),
            "private thread": channel.add_thread("hidden talk", private=True, owner=place.member),
            "forum post": forum.add_post("a question", owner=place.member),
            "voice": guild.add_voice_channel("lounge", category=category),
        }
        moderator = guild.add_member("channel keeper", permissions=Permission.MANAGE_CHANNELS)
        manager = guild.add_member("owner", permissions=Permission.MANAGE_CHANNELS | Permission.MANAGE_GUILD)
        places["private thread"].add(moderator, manager)
        return cls(guild, category, channel, forum, places, place.member, moderator, manager)


async def ask(member: Member, where: Channel, command: str, locale: str = "en-US", **options: Value) -> Message:
    """Use a subcommand of /websearch, hold that the reply is private, and return it."""
    inv = await member.invoke(where, f"websearch {command}", locale=locale, **options)  # type: ignore[arg-type] # no option of ours is called user_install
    reply = await inv.reply()
    assert reply.ephemeral
    return reply


async def search(member: Member, where: Channel, *, private: bool = False) -> Message:
    """Search."""
    return await (await member.invoke(where, "search", query=QUERY, private=private)).reply()


def line(reply: Message, start: str = "Web search: ") -> str:
    """Return the line of a status that starts like this, without its start."""
    (embed,) = reply.embeds
    (found,) = [text for text in embed["description"].splitlines() if text.startswith(start)]
    return str(found.removeprefix(start))
