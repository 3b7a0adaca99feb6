"""Be the host of a language model: list the tools for a member at a place, and call them as a model would."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bots import Place, cog_of

if TYPE_CHECKING:
    from discord.ext import commands

QUERY = "pictures of a distant galaxy"
ALL = ["web_search", "web_fetch", "web_answer", "web_search_pause"]
PAUSE = ["web_search_pause"]


@dataclass
class Chat:
    """Hold whom a model talks to, and where, by Discord's ids."""

    bot: commands.Bot
    guild_id: int | None
    channel_id: int
    user_id: int

    @classmethod
    def of(cls, bot: commands.Bot, place: Place) -> Chat:
        """Talk to the member in the place's channel."""
        return cls(bot, place.guild.id, place.channel.id, place.member.id)

    @property
    def where(self) -> dict[str, Any]:
        """Give what both methods of the cog take."""
        return {"guild_id": self.guild_id, "channel_id": self.channel_id, "user_id": self.user_id}

    async def names(self) -> list[str]:
        """List the names of the tools that are there."""
        return [tool["function"]["name"] for tool in await cog_of(self.bot).tools(**self.where)]

    async def call(self, name: str, arguments: Any = None, **given: Any) -> dict[str, Any]:  # noqa: ANN401 - a model writes anything
        """Call a tool with arguments, or with these ones by name."""
        return await cog_of(self.bot).call_tool(name, given if arguments is None else arguments, **self.where)

    async def counted(self) -> int:
        """Tell how many searches of the member count."""
        return (await cog_of(self.bot).service.usage(user_id=self.user_id)).member.searches
